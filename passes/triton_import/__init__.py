"""Support of ``triton-to-linalg``: the analysis of TTIR values, and the translation of each operation."""
