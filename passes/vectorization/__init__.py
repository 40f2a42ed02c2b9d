"""Parts of `hexagon-vectorization`: `nest` (what the op is), `plan` (decisions), `emit` (loops and vectors)."""
