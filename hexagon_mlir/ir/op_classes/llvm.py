"""No classes: the operations of LLVM's dialect are read as `ir.Operation`."""
