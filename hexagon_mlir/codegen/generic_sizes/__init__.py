"""Models whose sizes are known at run time: their kernels, generalized from the same model at several sizes."""
