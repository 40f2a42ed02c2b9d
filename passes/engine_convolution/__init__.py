"""Helpers of `hexagon-engine-convolution`."""
