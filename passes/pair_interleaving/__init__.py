"""Helpers of `hexagon-pair-interleaving`."""
