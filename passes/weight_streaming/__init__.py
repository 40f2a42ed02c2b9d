"""Parts of the pass hexagon-weight-streaming: `find` (the first tile, the work, where a fetch may start), `spare` (the
time left for it), `build`."""
