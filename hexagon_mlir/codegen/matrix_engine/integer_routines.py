"""Micro-kernels for products of bytes: unsigned activations with weights of 8 or 4 bits, sums of 32 bits.

Activation tiles have 64 rows and 32 channels, row after row (channel-major: ``:cm``). Results are bytes, tiles of the
activations' layout. What holds for all routines stands in `hexagon_mlir.codegen.matrix_engine.routines`.
"""

from __future__ import annotations

from hexagon_mlir.codegen.matrix_engine.routines import (
    FIRST_VERSION,
    PREFIX,
    TILE_BYTES,
    WINDOW_BYTES,
    Routine,
    packet,
)

BYTE_TILES_PER_PACKET = 8
"""Most activation tiles that a packet multiplies. The engine's limit is 64; on devices 8 are proven (v69), and the
packet's own cycles are lost in those of 8."""
PLANES = 4
"""Bytes of a sum, each a tile of its own."""
FIRST_WITH_BIAS_GROUPS = 75
"""The first version whose bias registers hold the tables of all planes at once."""
_GROUP_BIT = 12
_RETAIN, _WRAP = 1, 2
"""Bits of the operand of ``cvt.ub``: keep the accumulators, instead of clearing them and going on with the other set;
keep the low bits of results, instead of the nearest of 0 to 255."""
COLUMN_TABLE_BYTES = 256


def byte_products(name: str, weight: str) -> str:
    """The products of r12 tiles, activations from r13 on, weights from r1 on; all three move on.

    A packet multiplies at most `BYTE_TILES_PER_PACKET` tiles, and none beyond the end of a window of either operand.
    Registers: r11 and r14 tiles of a window of weights and of activations, r15 most tiles of a packet; r6 tiles, r7 and
    r9 spans, r8 and r28 bytes of the next one.
    """
    tile_bits, weight_bits, window_bits = (
        size.bit_length() - 1 for size in (TILE_BYTES, WEIGHT_BYTES[weight], WINDOW_BYTES))
    above = 32 - window_bits
    return "".join((
        f".L{name}_products:\n",
        packet(f"r6 = asl(r13,#{above})", f"r7 = asl(r1,#{above})"),
        packet(f"r6 = lsr(r6,#{above + tile_bits})", f"r7 = lsr(r7,#{above + weight_bits})"),
        packet("r6 = sub(r14,r6)", "r7 = sub(r11,r7)", "r8 = min(r12,r15)"),
        packet("r6 = min(r6,r7)"),
        packet("r6 = min(r6,r8)"),
        packet("r12 = sub(r12,r6)", f"r8 = asl(r6,#{tile_bits})", f"r28 = asl(r6,#{weight_bits})"),
        packet("r7 = add(r8,#-1)", "r9 = add(r28,#-1)", "p0 = cmp.gt(r12,#0)"),
        packet("activation.ub = mxmem(r13,r7):deep:cm", f"weight.{weight} = mxmem(r1,r9)", "r13 = add(r13,r8)",
               "r1 = add(r1,r28)"),
        packet(f"if (p0) jump:nt .L{name}_products"),
    ))


def _products(name: str, weight: str) -> str:
    """The products of one column of result tiles: r0, r1, r3 as in `_routine`; r1 moves on to the next column."""
    return packet("r13 = r0", "r12 = r3") + byte_products(name, weight)


def _routine(name: str, weight: str, columns: str, first_version: int = FIRST_VERSION) -> Routine:
    """One row of result tiles, 64 rows high; ``columns`` is a loop over columns of tiles, after which r2, r5 and the
    like may have changed.

    r0: activation tiles of the row, one after the other along K; r1: tiles of format ``weight``, those of a column of
    32 outputs one after the other along K, then the next column's; r2: result tiles; r3: K in tiles; r4: columns of
    tiles; r5: bias tables of 256 bytes. All in TCM, activations and results aligned to 2 KiB, weights to the size of a
    tile, tables to 256 bytes. Without tiles or columns it does nothing. Register r10 is zero.
    """
    return Routine(name, ("ptr", "ptr", "ptr", "i32", "i32", "ptr"), "".join((
        packet("r6 = min(r3,r4)", "r10 = #0", f"r11 = #{WINDOW_BYTES // WEIGHT_BYTES[weight]}",
               f"r15 = #{BYTE_TILES_PER_PACKET}"),
        packet("p0 = cmp.gt(r6,#0)", "if (!p0.new) jumpr:nt r31", f"r14 = #{WINDOW_BYTES // TILE_BYTES}"),
        packet("mxclracc", f"loop1(.L{name}_column,r4)"),
        columns,
        packet("jumpr r31"),
    )), first_version)


def _requantizing(name: str, weight: str) -> Routine:
    """Results scaled to bytes, each column as its table at r5 says."""
    return _routine(name, weight, "".join((
        f".L{name}_column:\n",
        packet("bias = mxmem2(r5)", f"r5 = add(r5,#{COLUMN_TABLE_BYTES})"),
        _products(name, weight),
        packet("cvt.ub = acc(r10)"),
        packet("mxmem(r2,r10):cm = cvt", f"r2 = add(r2,#{TILE_BYTES})", ends=":endloop1"),
    )))


def plane_tables() -> str:
    """The tables of all planes, at r5, to the groups of bias registers."""
    return packet("bias = mxmem2(r5)", f"r5 = add(r5,#{COLUMN_TABLE_BYTES + 1})") * PLANES  # low bits choose the group


def planes(operand: str) -> str:
    """The current set of accumulators to `PLANES` tiles at r2, which moves on, the lowest bytes first. Register
    ``operand`` is that of conversions, r10 is zero."""
    packets = [packet(f"{operand} = #{_RETAIN | _WRAP}")]
    for plane in range(PLANES):
        step = (1 << _GROUP_BIT) - (plane == PLANES - 2) * _RETAIN
        packets.append(packet(f"cvt.ub = acc({operand})", f"{operand} = add({operand},#{step})"))
        packets.append(packet("mxmem(r2,r10):cm = cvt", f"r2 = add(r2,#{TILE_BYTES})"))
    return "".join(packets)


def _exact(name: str, weight: str) -> Routine:
    """Results as `PLANES` tiles of bytes: four tables at r5, the same for all columns.

    The conversions of a column take about as long as its products and fill the engine's queue. So they follow the
    products of the next column, which go to the other set of accumulators: p1 is set once there are sums to convert.
    """
    return _routine(name, weight, "".join((
        packet("p1 = cmp.gt(r10,#0)"),
        plane_tables(),
        f".L{name}_column:\n",
        packet("mxswapacc"),
        _products(name, weight),
        packet(f"if (!p1) jump:nt .L{name}_next"),
        packet("mxswapacc"),
        planes("r5"),
        f".L{name}_next:\n",
        packet("p1 = cmp.gt(r3,#0)", ends=":endloop1"),
        planes("r5"),
    )), FIRST_WITH_BIAS_GROUPS)


WEIGHT_BYTES = {"b": TILE_BYTES // 2, "n": TILE_BYTES // 4}
"""Of a tile of 32 channels and 32 columns: of 8 and of 4 bits."""
INTEGER_ROUTINES = {routine.name: routine for kind in WEIGHT_BYTES for routine in (
    _requantizing(f"{PREFIX}ub_{kind}", kind), _exact(f"{PREFIX}ub_{kind}_planes", kind))}
"""Name to routine."""
