"""What a user takes away: C text, weights, linked programs."""
