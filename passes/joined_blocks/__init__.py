"""Parts of `join-blocks`: `body` reads from buffers what `lib.coalescing` tells from tensors already."""
