"""Parts of `form-kernels`: `decide` (which ops share a kernel, pure) and `outline` (a group becomes a function)."""
