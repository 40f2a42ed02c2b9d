"""Helpers of `hexagon-copy-lowering`: what a copy moves, and how it is written."""
