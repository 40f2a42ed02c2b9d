"""What ``libdevice`` offers beyond operations of MLIR's math dialect, written in Triton itself."""
