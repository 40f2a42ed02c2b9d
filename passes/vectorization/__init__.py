"""Parts of `hexagon-vectorization`: `plan` (decisions), `emit` (loops and vectors); `lib.loop_nests` reads the op."""
