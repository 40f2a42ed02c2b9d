"""Parts of the double-buffering passes: `decide` (numbers), `loops` (what may move), `build`; `marked` (the loops, read
back), `transfers`, `waits`, `work` (what is computed beside them).
"""
