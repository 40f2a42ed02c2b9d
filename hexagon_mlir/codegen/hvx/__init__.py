"""Vector arithmetic of LLVM IR as what HVX has: native parts, qfloat values, fixed point, widening products."""
