"""Products of matrices with few columns."""
