"""Products of the matrix engine to operations on its tiles, and these to calls of routines."""
