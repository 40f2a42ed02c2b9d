"""Functions that guest code calls and the host runs: C library, allocation, printing."""
