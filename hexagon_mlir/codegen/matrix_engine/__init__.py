"""Routines of the matrix engine, which LLVM has no instructions for: their packets, as assembly and as LLVM IR."""
