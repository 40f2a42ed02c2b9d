"""Parts of `hexagon-contraction-vectorization`: `read` (what the op is), `plan` (the register block), `emit` (code)."""
