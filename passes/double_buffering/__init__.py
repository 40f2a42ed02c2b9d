"""Parts of the double-buffering passes: `decide` (numbers), `loops` (what may move), `build`, `transfers`."""
