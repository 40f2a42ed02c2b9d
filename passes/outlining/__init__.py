"""Parts of `outline-parts`, `outline-repeats` and `merge-functions`."""
