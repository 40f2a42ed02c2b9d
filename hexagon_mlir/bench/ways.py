"""The ways to make a kernel run that ``hexmlir bench`` compares: what others do, and combinations of ours."""

from __future__ import annotations

LLVM = "LLVM"
"""The loops of the same linalg, fused as ours are, by LLVM -O3 with its vectorizers for HVX."""
PLAIN_C = "C"
"""The kernel in plain C by clang -O3 with the vectorizers for HVX, and the options that suit it best."""
SCALAR = "scalar"
"""The loops of the same linalg, fused as ours are, without vectors."""
COMBINATIONS = ("Vec", "+DB", "+MT", "+MT+DB")
"""Vectorized on one thread with every tile waited for, and what is added to that: double buffering, threads."""
ENGINE = "+ME"
"""With threads and double buffering, and the matrix engine."""
OURS = (SCALAR, *COMBINATIONS, ENGINE)
WAYS = (LLVM, PLAIN_C, *OURS)
