"""Double-buffered loops, between `hexagon-double-buffer-generic-s1` that forms them and those that use the form.

Attributes, as in the listings of the Hexagon-MLIR paper, not operations: an upstream pattern that rebuilds an scf.if
may drop one, and the loop's copies stay copies then, with a remark.
"""

from __future__ import annotations

LOOP, PROLOGUE, PREFETCH = "hexagon.db_loop", "hexagon.db_prologue", "hexagon.db_prefetch"
STAGES = ("hexagon.db_ping_stage", "hexagon.db_pong_stage")
"""Marks the part of a loop that works on its first set of buffers, and the parts that work on the others."""
FETCH, STORE, IN_PLACE = "hexagon.db_fetch", "hexagon.db_store", "hexagon.db_in_place"
"""Marks on copies: ``array<i64: loop, set of buffers, number>``; in place when the buffer is fetched as well."""
SCHEDULED = "hexagon.scheduled"
"""Marks a loop whose copies stand where their transfers should start: `overlap-transfers` takes them as they are."""
