"""Micro-kernels of the matrix engine in assembly, to be called from compiled code by the C calling convention.

They use no stack and no register that a callee must keep. They return when the engine has been handed its work: who
reads the results calls ``hexmlir_rt_engine_wait`` first. Infinities and NaN are as bits 20 and 21 of USR say.
"""

from __future__ import annotations

from dataclasses import dataclass

PREFIX = "hexmlir_engine_"
"""What the names of all routines begin with."""
FIRST_VERSION = 73
"""The first generation whose float accumulators work as these routines need: ``cvt.hf``, sums in floating point."""
TILE_BYTES = 2048
WINDOW_BYTES = 1 << 18
"""An operand of a packet must not cross a multiple of it (`Target.matrix_window_bytes`)."""
TILES_PER_PACKET = 32
"""Most f16 tiles that one ``:deep`` packet multiplies; it drops what is more."""
KEEP_SIGN, _MAXIMUM_WITH_ZERO = 2, 0
"""Operands of ``cvt.hf``: both clear the accumulators and go on with the other set."""


@dataclass(frozen=True)
class Routine:
    """A function in assembly."""

    name: str
    parameters: tuple[str, ...]
    """Types of LLVM IR; the arguments are in r0, r1, and so on. It returns nothing."""
    packets: str
    """Its code between the function's label and its end, as LLVM prints code."""
    first_version: int = FIRST_VERSION
    """The first generation that has all it uses."""

    @property
    def assembly(self) -> str:
        """The function with its directives, to stand after the code of a module."""
        end = f".L{self.name}_end"
        return (f"\t.globl\t{self.name}\n\t.p2align\t4\n\t.type\t{self.name},@function\n{self.name}:\n{self.packets}"
                f"{end}:\n\t.size\t{self.name}, {end}-{self.name}\n")


def packet(*instructions: str, ends: str = "") -> str:
    """One packet; ``ends`` says which loops end with it."""
    return "\t{\n" + "".join(f"\t\t{instruction}\n" for instruction in instructions) + f"\t}}{ends}\n"


def _row_of_tiles(name: str, conversion: int) -> Routine:
    """One row of result tiles: ``conversion`` is the operand of ``cvt.hf``.

    r0: f16 activation tiles of the row, one after the other along K; r1: f16 weight tiles, those of a column of 32
    outputs one after the other along K, then the next column's; r2: result tiles; r3: K in tiles; r4: columns of tiles;
    r5: a bias table of 256 bytes per column. All in TCM, tiles aligned to 2 KiB and tables to 256 bytes. Without tiles
    or columns it does nothing.

    A packet multiplies as many tiles as it may, `TILES_PER_PACKET`, and none beyond the end of a window of either
    operand. Registers: r9 the conversion, r10 zero, r12 tiles left of the column, r13 activations, r14 tiles of a
    window, r15 most tiles of a packet; r6 tiles, r7 span and r8 bytes of the next one.
    """
    column = f".L{name}_column"
    return Routine(name, ("ptr", "ptr", "ptr", "i32", "i32", "ptr"), "".join((
        packet("r6 = min(r3,r4)", f"r9 = #{conversion}", "r10 = #0", f"r15 = #{TILES_PER_PACKET}"),
        packet("p0 = cmp.gt(r6,#0)", "if (!p0.new) jumpr:nt r31", f"r14 = #{WINDOW_BYTES // TILE_BYTES}"),
        packet("mxclracc.hf", f"loop1({column},r4)"),
        f"{column}:\n",
        packet("bias = mxmem2(r5)", "r5 = add(r5,#256)", "r13 = r0", "r12 = r3"),
        half_products(name),
        packet("cvt.hf = acc(r9)"),
        packet("mxmem(r2,r10) = cvt", f"r2 = add(r2,#{TILE_BYTES})", ends=":endloop1"),
        packet("jumpr r31"),
    )))


def half_products(name: str) -> str:
    """The products of one column of tiles: r1 moves on to the next column; registers as in `_row_of_tiles`."""
    products = f".L{name}_products"
    tile_bits, window_bits = TILE_BYTES.bit_length() - 1, WINDOW_BYTES.bit_length() - 1
    above, number = 32 - window_bits, 32 - window_bits + tile_bits
    return "".join((
        f"{products}:\n",
        packet(f"r6 = asl(r13,#{above})", f"r7 = asl(r1,#{above})"),
        packet(f"r6 = lsr(r6,#{number})", f"r7 = lsr(r7,#{number})"),
        packet("r6 = max(r6,r7)", "r7 = min(r12,r15)"),
        packet("r6 = sub(r14,r6)"),
        packet("r6 = min(r6,r7)"),
        packet("r12 = sub(r12,r6)", f"r8 = asl(r6,#{tile_bits})"),
        packet("r7 = add(r8,#-1)", "p0 = cmp.gt(r12,#0)"),
        packet("activation.hf = mxmem(r13,r7):deep", "weight.hf = mxmem(r1,r7)", "r13 = add(r13,r8)",
                "r1 = add(r1,r8)"),
        packet(f"if (p0) jump:nt {products}"),
    ))


ROUTINES = {routine.name: routine for routine in (
    _row_of_tiles(f"{PREFIX}hf", KEEP_SIGN), _row_of_tiles(f"{PREFIX}hf_relu", _MAXIMUM_WITH_ZERO))}
"""Name to routine."""
