"""Parts of `serialize-forall`: `body` reads from buffers what `lib.even_foralls` tells from tensors already."""
