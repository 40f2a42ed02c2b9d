"""Parts of the two double-buffering passes: `decide` (numbers), `slices`, `loops` (what may move), `build`, `transfers`."""
