"""Double-buffered loops, between `hexagon-double-buffer-generic-s1` that forms them and those that use the form."""

from __future__ import annotations

LOOP, PROLOGUE, PREFETCH = "db_generic", "db_prologue", "db_prefetch"
KERNELS = ("db_ping_kernel", "db_pong_kernel")
"""Marks the part of a loop that works on its first set of buffers, and the parts that work on the others."""
FETCH, STORE, IN_PLACE = "db_fetch", "db_store", "db_in_place"
"""Marks on copies: ``array<i64: loop, set of buffers, number>``; in place when the buffer is fetched as well."""
