"""Parts of `serialize-forall`: `body` analyses buffers, as `lib.even_foralls` does tensors."""
