"""Micro-kernels for sums over several runs of activation tiles, which stand apart: one for each row of a window.

What holds for all routines stands in `hexagon_mlir.codegen.matrix_engine.routines`.
"""

from __future__ import annotations

from hexagon_mlir.codegen.matrix_engine.routines import (
    KEEP_SIGN,
    PREFIX,
    TILE_BYTES,
    TILES_PER_PACKET,
    WINDOW_BYTES,
    Routine,
    half_products,
    packet,
)
from hexagon_mlir.dialects.engine_windows import UPPER_BIT


def _runs(name: str) -> Routine:
    """One row of result tiles.

    r0: f16 activation tiles of the first run; r1, r2, r5: as in `hexagon_mlir.codegen.matrix_engine.routines`, weights
    along the runs; r3: tiles of a run, and above them how many runs there are; r4: columns of tiles, and above them the
    tiles from one run's start to the next one's.

    Registers: r28 runs, r11 runs left of the column, r4 bytes from the end of a run to the next one, the others as
    there.
    """
    column, run = f".L{name}_column", f".L{name}_run"
    tile_bits = TILE_BYTES.bit_length() - 1
    return Routine(name, ("ptr", "ptr", "ptr", "i32", "i32", "ptr"), "".join((
        packet(f"r28 = lsr(r3,#{UPPER_BIT})", f"r3 = asl(r3,#{UPPER_BIT})"),
        packet(f"r11 = lsr(r4,#{UPPER_BIT})", f"r7 = asl(r4,#{UPPER_BIT})"),
        packet(f"r3 = lsr(r3,#{UPPER_BIT})", f"r7 = lsr(r7,#{UPPER_BIT})"),
        packet("r6 = min(r3,r7)", "r4 = sub(r11,r3)", "r10 = #0", f"r15 = #{TILES_PER_PACKET}"),
        packet("r6 = min(r6,r28)", f"r4 = asl(r4,#{tile_bits})", f"r9 = #{KEEP_SIGN}"),
        packet("p0 = cmp.gt(r6,#0)", "if (!p0.new) jumpr:nt r31", f"r14 = #{WINDOW_BYTES // TILE_BYTES}"),
        packet("mxclracc.hf", f"loop1({column},r7)"),
        f"{column}:\n",
        packet("bias = mxmem2(r5)", "r5 = add(r5,#256)", "r13 = r0", "r11 = r28"),
        f"{run}:\n",
        packet("r12 = r3", "r11 = add(r11,#-1)"),
        half_products(name),
        packet("p0 = cmp.gt(r11,#0)", "r13 = add(r13,r4)"),
        packet(f"if (p0) jump:nt {run}"),
        packet("cvt.hf = acc(r9)"),
        packet("mxmem(r2,r10) = cvt", f"r2 = add(r2,#{TILE_BYTES})", ends=":endloop1"),
        packet("jumpr r31"),
    )))


RUN_ROUTINES = {routine.name: routine for routine in (_runs(f"{PREFIX}hf_runs"),)}
"""Name to routine."""
