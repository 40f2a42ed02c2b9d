"""Rewrites of LLVM IR: what LLVM 22 gets wrong or selects badly, written another way (`codegen.steps`)."""
