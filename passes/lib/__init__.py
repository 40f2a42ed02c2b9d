"""Helpers that several passes share.

Reading linalg ops: `loop_nests`, `contractions`, `table_reads`, `quantized_products`, `window_rows`. Vector code:
`tail` and `segments` (whole vectors and the masked rest), `horizontal_reductions`, `transposes`, `look_ups`. Decisions
as pure functions: `thread_cost`, `chunk_choice`, `gathers`, `coalescing`, `program_order`, `fork_permission`.
Functions: `outlining`, `pure_slices`, `program_spread`, `program_sharing`.
"""
