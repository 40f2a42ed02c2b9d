"""Functions of ``libdevice`` that are no operations of MLIR's math dialect, written in Triton."""
