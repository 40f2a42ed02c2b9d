"""Parts of `keep-activation-tiles`: `read` (which results can be tiles) and `rewrite`."""
