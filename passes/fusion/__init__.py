"""Parts of `hexagon-fusion`: `decide` (pure) and `merge` (one producer into one consumer)."""
