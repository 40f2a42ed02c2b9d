"""Reading and rewriting of tensors whose elements are halves of bytes."""
