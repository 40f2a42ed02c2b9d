"""Rewrites of LLVM IR that LLVM 22 miscompiles or selects badly (`codegen.steps`)."""
