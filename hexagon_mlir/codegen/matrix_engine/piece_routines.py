"""Micro-kernels whose results are two pieces of f16 for each sum: a rounded sum, and what is left of it.

The first piece is stored without clearing the accumulators, and subtracted from them as a product with a diagonal tile
of weights; the second piece is what they hold then. What holds for all routines stands in
`hexagon_mlir.codegen.matrix_engine.routines`.
"""

from __future__ import annotations

from hexagon_mlir.codegen.matrix_engine.routines import (
    PREFIX,
    TILE_BYTES,
    TILES_PER_PACKET,
    WINDOW_BYTES,
    Routine,
    half_products,
    packet,
)

FIRST_WITH_BIAS_GROUPS = 75
"""The first version whose bias registers hold the tables of both pieces at once."""
_RETAIN, _KEEP_SIGN, _SECOND_GROUP = 1, 1 << 1, 1 << 12
"""Bits of the operand of ``cvt.hf``: keep the accumulators, instead of clearing them and going on with the other set;
keep negative results; take the second group of bias registers."""
_TABLE_BYTES = 256
_WHOLE_TILE = TILE_BYTES - 1


def _remainder() -> str:
    """The second pieces of the tile whose first ones are at r11, from the other set of accumulators, which is cleared
    and the current one afterwards."""
    return "".join((
        packet("mxswapacc.hf", f"r7 = #{_WHOLE_TILE}"),
        packet("activation.hf = mxmem(r11,r7):deep", "weight.hf = mxmem(r5,r7)", f"r11 = add(r11,#{TILE_BYTES})"),
        packet("cvt.hf = acc(r28)"),
        packet("mxmem(r11,r10) = cvt"),
    ))


def _pieces(name: str) -> Routine:
    """One row of result tiles, each with its two pieces.

    r0, r1, r3, r4: as in `hexagon_mlir.codegen.matrix_engine.routines`; r2: result tiles, for each column of tiles that
    of the first pieces, then that of the second ones; r5: a weight tile with minus the inverse of the first pieces'
    scale on its diagonal and else zeros, then a bias table of 256 bytes for the first pieces and one for the second,
    which all columns share. The weight tile is aligned to 2 KiB.

    The second pieces of a column follow the products of the next one, which go to the other set of accumulators: the
    array does not wait for the first ones to be stored. p1 is set once there are sums to go on with. Registers: r11
    the first pieces of the column before, r9 and r28 the conversions, the others as there.
    """
    return Routine(name, ("ptr", "ptr", "ptr", "i32", "i32", "ptr"), "".join((
        packet("r6 = min(r3,r4)", f"r9 = #{_KEEP_SIGN | _RETAIN}", "r10 = #0", f"r15 = #{TILES_PER_PACKET}"),
        packet("p0 = cmp.gt(r6,#0)", "if (!p0.new) jumpr:nt r31", f"r14 = #{WINDOW_BYTES // TILE_BYTES}"),
        packet("mxclracc.hf", f"r6 = add(r5,#{TILE_BYTES})", f"r7 = add(r5,#{TILE_BYTES + _TABLE_BYTES + 1})",
               f"r28 = #{_KEEP_SIGN | _SECOND_GROUP}"),  # low bits of a table's address choose the group
        packet("bias = mxmem2(r6)", "p1 = cmp.gt(r10,#0)", f"loop1(.L{name}_column,r4)"),
        packet("bias = mxmem2(r7)"),
        f".L{name}_column:\n",
        packet("r13 = r0", "r12 = r3"),
        half_products(name),
        packet("cvt.hf = acc(r9)"),
        packet("mxmem(r2,r10) = cvt"),
        packet(f"if (!p1) jump:nt .L{name}_next"),
        _remainder(),
        f".L{name}_next:\n",
        packet("mxswapacc.hf", "p1 = cmp.gt(r3,#0)", "r11 = r2", f"r2 = add(r2,#{2 * TILE_BYTES})", ends=":endloop1"),
        _remainder(),
        packet("jumpr r31"),
    )), FIRST_WITH_BIAS_GROUPS)


PIECE_ROUTINES = {routine.name: routine for routine in (_pieces(f"{PREFIX}hf_pieces"),)}
"""Name to routine."""
