"""Hardware threads: their schedule, MLIR's async runtime and the plain thread functions."""
