"""Lowers vector arithmetic of LLVM IR to HVX: native parts, qfloat values, fixed point, widening products."""
