"""Parts of `outline-stages`, `outline-similar-nests` and `merge-functions`."""
