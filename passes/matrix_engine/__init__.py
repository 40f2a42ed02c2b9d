"""Helpers of `hexagon-matrix-engine`."""
