"""What our passes write into the IR for later ones: operations of the dialect ``hexagon`` (`ir.hexagon_dialect` defines
them to MLIR), and attributes on upstream operations.

Each operation and attribute has its module here, which knows how it is written and read.
"""

from __future__ import annotations

from hexagon_mlir.dialects import double_buffering, groups, kernel_memory, permissions, programs, tcm_slots

PREFIX = "hexagon."
ATTRIBUTES = {
    programs.PROGRAMS: "on a function that is a Triton kernel: may its programs run beside each other",
    permissions.MAY_FORK: "on an argument of a function: whether it may fork, or runs its loops on one thread",
    groups.GROUP: "on async.create_group: its number, so that CSE does not take two groups for one",
    tcm_slots.SLOT: "on a memref.view of the TCM arena: no other marked view shares its bytes",
    kernel_memory.IN_MODEL: "on a kernel of a model: which arguments are there before the model runs, as weights are",
    kernel_memory.MEMORY: "on a kernel of a model: the TCM it is given, the tile its work begins with",
    double_buffering.LOOP: "on a loop over tiles with several sets of buffers: its number",
    double_buffering.PROLOGUE: "on what fetches ahead before such a loop",
    double_buffering.PREFETCH: "on what fetches a later tile in it",
    double_buffering.STAGES[0]: "on the part of it that works on the first set of buffers",
    double_buffering.STAGES[1]: "on the parts of it that work on the others",
    double_buffering.FETCH: "on a copy into TCM that becomes a transfer: loop, set of buffers, number of the buffer",
    double_buffering.STORE: "on a copy out of TCM: the same",
    double_buffering.IN_PLACE: "on a copy out of a buffer that is fetched as well",
}
"""Name and meaning of each attribute that may stand between two passes."""
