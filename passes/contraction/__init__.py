"""Parts of `hexagon-contraction-vectorization`: `plan` (the register block), `emit` (code). `lib.contractions` reads
the op.
"""
