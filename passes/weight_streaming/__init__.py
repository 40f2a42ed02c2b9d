"""Parts of the pass hexagon-weight-streaming: `find` (tile, work, where to start), `spare` (time), `build`."""
