"""Guest code to host code: packets to LLVM IR, programs to loaded objects."""
