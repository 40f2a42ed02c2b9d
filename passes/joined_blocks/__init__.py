"""Parts of `join-blocks`: `even` tells from tensors already what `body` reads from buffers."""
