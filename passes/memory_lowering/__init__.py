"""Buffers become memory: `runtime_calls` (allocations, addresses), `stack_slots` (small buffers)."""
