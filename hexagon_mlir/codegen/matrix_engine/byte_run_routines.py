"""Micro-kernels for sums of bytes over several runs of activation tiles, which stand apart.

One run for each row of a window, as in `hexagon_mlir.codegen.matrix_engine.run_routines`; activations, weights and
results are those of `hexagon_mlir.codegen.matrix_engine.integer_routines`.
"""

from __future__ import annotations

from hexagon_mlir.codegen.matrix_engine.integer_routines import (
    BYTE_TILES_PER_PACKET,
    COLUMN_TABLE_BYTES,
    FIRST_WITH_BIAS_GROUPS,
    WEIGHT_BYTES,
    byte_products,
    plane_tables,
    planes,
)
from hexagon_mlir.codegen.matrix_engine.routines import PREFIX, TILE_BYTES, WINDOW_BYTES, Routine, packet
from hexagon_mlir.dialects.engine_windows import UPPER_BIT


def _requantizing(name: str, weight: str) -> Routine:
    """One row of result tiles of 64 rows, scaled to bytes, each column as its table at r5 says.

    r0 to r4: as for `_runs`; r5: a table of 256 bytes for each column. Registers: r3 stays as it is given, r4 bytes
    from the end of a run to the next one, r10 zero, the others as for `byte_products`.
    """
    column, run = f".L{name}_column", f".L{name}_run"
    tile_bits = TILE_BYTES.bit_length() - 1
    return Routine(name, ("ptr", "ptr", "ptr", "i32", "i32", "ptr"), "".join((
        packet(f"r28 = lsr(r3,#{UPPER_BIT})", f"r12 = asl(r3,#{UPPER_BIT})"),
        packet(f"r7 = lsr(r4,#{UPPER_BIT})", f"r6 = asl(r4,#{UPPER_BIT})"),
        packet(f"r12 = lsr(r12,#{UPPER_BIT})", f"r6 = lsr(r6,#{UPPER_BIT})"),
        packet("r8 = min(r12,r6)", "r4 = sub(r7,r12)", "r10 = #0", f"r15 = #{BYTE_TILES_PER_PACKET}"),
        packet("r8 = min(r8,r28)", f"r4 = asl(r4,#{tile_bits})", f"r11 = #{WINDOW_BYTES // WEIGHT_BYTES[weight]}"),
        packet("p0 = cmp.gt(r8,#0)", "if (!p0.new) jumpr:nt r31", f"r14 = #{WINDOW_BYTES // TILE_BYTES}"),
        packet("mxclracc", f"loop1({column},r6)"),
        f"{column}:\n",
        packet("bias = mxmem2(r5)", f"r5 = add(r5,#{COLUMN_TABLE_BYTES})", f"r9 = lsr(r3,#{UPPER_BIT})", "r13 = r0"),
        packet(f"loop0({run},r9)"),
        f"{run}:\n",
        packet(f"r12 = asl(r3,#{UPPER_BIT})"),
        packet(f"r12 = lsr(r12,#{UPPER_BIT})"),
        byte_products(name, weight),
        packet("r13 = add(r13,r4)", ends=":endloop0"),
        packet("cvt.ub = acc(r10)"),
        packet("mxmem(r2,r10):cm = cvt", f"r2 = add(r2,#{TILE_BYTES})", ends=":endloop1"),
        packet("jumpr r31"),
    )))


def _runs(name: str, weight: str) -> Routine:
    """One row of result tiles of 64 rows, each as its planes.

    r0: activation tiles of the first run; r1: weights of format ``weight`` along the runs; r2, r5: as for the planes of
    a product; r3: tiles of a run, and above them how many runs there are; r4: columns of tiles, and above them the
    tiles from one run's start to the next one's.

    As there, the conversions of a column follow the products of the next one. Registers: r4 bytes from the end of a run
    to the next one, r5 the runs, once the tables are loaded, r9 also the operand of conversions, p1 set once there are
    sums to convert; the others as for `byte_products`.
    """
    column, run = f".L{name}_column", f".L{name}_run"
    tile_bits = TILE_BYTES.bit_length() - 1
    return Routine(name, ("ptr", "ptr", "ptr", "i32", "i32", "ptr"), "".join((
        packet(f"r28 = lsr(r3,#{UPPER_BIT})", f"r3 = asl(r3,#{UPPER_BIT})"),
        packet(f"r7 = lsr(r4,#{UPPER_BIT})", f"r6 = asl(r4,#{UPPER_BIT})"),
        packet(f"r3 = lsr(r3,#{UPPER_BIT})", f"r6 = lsr(r6,#{UPPER_BIT})"),
        packet("r8 = min(r3,r6)", "r4 = sub(r7,r3)", "r10 = #0", f"r15 = #{BYTE_TILES_PER_PACKET}"),
        packet("r8 = min(r8,r28)", f"r4 = asl(r4,#{tile_bits})", f"r11 = #{WINDOW_BYTES // WEIGHT_BYTES[weight]}"),
        packet("p0 = cmp.gt(r8,#0)", "if (!p0.new) jumpr:nt r31", f"r14 = #{WINDOW_BYTES // TILE_BYTES}"),
        packet("mxclracc", f"loop1({column},r6)"),
        packet("p1 = cmp.gt(r10,#0)"),
        plane_tables(),
        packet("r5 = r28"),
        f"{column}:\n",
        packet("mxswapacc", "r13 = r0", f"loop0({run},r5)"),
        f"{run}:\n",
        packet("r12 = r3"),
        byte_products(name, weight),
        packet("r13 = add(r13,r4)", ends=":endloop0"),
        packet(f"if (!p1) jump:nt .L{name}_next"),
        packet("mxswapacc"),
        planes("r9"),
        f".L{name}_next:\n",
        packet("p1 = cmp.gt(r3,#0)", ends=":endloop1"),
        planes("r9"),
        packet("jumpr r31"),
    )), FIRST_WITH_BIAS_GROUPS)


BYTE_RUN_ROUTINES = {routine.name: routine for kind in WEIGHT_BYTES for routine in (
    _requantizing(f"{PREFIX}ub_{kind}_runs", kind), _runs(f"{PREFIX}ub_{kind}_runs_planes", kind))}
"""Name to routine."""
