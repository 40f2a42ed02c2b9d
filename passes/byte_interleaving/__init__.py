"""Helpers of `hexagon-byte-interleaving`."""
