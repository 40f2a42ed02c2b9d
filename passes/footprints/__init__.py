"""Footprints of an array that a kernel loads: which of them overlap or interleave."""
