"""Helpers of `hexagon-masked-copy-lowering`."""
