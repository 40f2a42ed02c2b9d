"""Parts of the double-buffering passes: `decide` (numbers), `loops` (what may move), `build`; `marked` (the marked
loops), `transfers`, `waits`, `work` (the computation that overlaps transfers).
"""
