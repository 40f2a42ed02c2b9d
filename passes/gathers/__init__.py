"""Helpers of `form-gathers` and `hexagon-gather-lowering`."""
