"""Child processes that run LLVM, and the messages between them and their parent."""
