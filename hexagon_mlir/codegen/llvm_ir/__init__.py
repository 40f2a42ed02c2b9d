"""LLVM IR text: reading it, and what LLVM 22 would get wrong or do badly, written another way."""
