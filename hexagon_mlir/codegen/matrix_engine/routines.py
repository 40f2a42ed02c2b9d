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
TILES_PER_PACKET = 32
"""Most f16 tiles that one ``:deep`` packet multiplies; it drops what is more."""
_KEEP_SIGN, _MAXIMUM_WITH_ZERO = 2, 0
"""Operands of ``cvt.hf``: both clear the accumulators and go on with the other set."""


@dataclass(frozen=True)
class Routine:
    """A function in assembly."""

    name: str
    parameters: tuple[str, ...]
    """Types of LLVM IR; the arguments are in r0, r1, and so on. It returns nothing."""
    packets: str
    """Its code between the function's label and its end, as LLVM prints code."""

    @property
    def assembly(self) -> str:
        """The function with its directives, to stand behind the code of a module."""
        end = f".L{self.name}_end"
        return (f"\t.globl\t{self.name}\n\t.p2align\t4\n\t.type\t{self.name},@function\n{self.name}:\n{self.packets}"
                f"{end}:\n\t.size\t{self.name}, {end}-{self.name}\n")


def _packet(*instructions: str, ends: str = "") -> str:
    return "\t{\n" + "".join(f"\t\t{instruction}\n" for instruction in instructions) + f"\t}}{ends}\n"


def _row_of_tiles(name: str, conversion: int) -> Routine:
    """One row of result tiles: ``conversion`` is the operand of ``cvt.hf``.

    r0: f16 activation tiles of the row, one after the other along K; r1: f16 weight tiles, those of a column of 32
    outputs one after the other along K, then the next column's; r2: result tiles; r3: K in tiles; r4: columns of tiles;
    r5: a bias table of 256 bytes per column. All in TCM, tiles aligned to 2 KiB and tables to 256 bytes. What one
    packet reads, up to `TILES_PER_PACKET` tiles, must not cross a boundary of 256 KiB. Without tiles or columns it
    does nothing.

    All but the last packet of a column multiply `TILES_PER_PACKET` tiles, so that up to that many need no inner loop.
    Registers: r7 and r8 span and bytes of a column's last packet, r14 and r15 of the others, r9 the conversion, r10
    zero, r12 packets before the last, r13 activations.
    """
    column, column_long, chunk, long = (f".L{name}_{label}" for label in ("column", "long_column", "chunk", "long"))
    last = _packet("activation.hf = mxmem(r0,r7):deep", "weight.hf = mxmem(r1,r7)", "r1 = add(r1,r8)")
    bias, convert = "bias = mxmem2(r5)", _packet("cvt.hf = acc(r9)")
    store = ("mxmem(r2,r10) = cvt", "r2 = add(r2,#2048)")
    return Routine(name, ("ptr", "ptr", "ptr", "i32", "i32", "ptr"), "".join((
        _packet("r6 = min(r3,r4)", "r7 = add(r3,#-1)", "r15 = #1", "r10 = #0"),
        _packet("p0 = cmp.gt(r6,#0)", "if (!p0.new) jumpr:nt r31", "r8 = and(r7,#31)", "r12 = lsr(r7,#5)"),
        _packet("mxclracc.hf", f"r9 = #{conversion}", "r8 = add(r8,#1)", "r15 = asl(r15,#16)"),
        _packet("p0 = cmp.gt(r12,#0)", f"if (p0.new) jump:nt {long}", "r8 = asl(r8,#11)", "r14 = add(r15,#-1)"),
        _packet("r7 = add(r8,#-1)", f"loop0({column},r4)"),
        f"{column}:\n",
        _packet(bias, "r5 = add(r5,#256)"), last, convert, _packet(*store, ends=":endloop0"),
        _packet("jumpr r31"),
        f"{long}:\n",
        _packet("r7 = add(r8,#-1)", f"loop1({column_long},r4)"),
        f"{column_long}:\n",
        _packet(bias, "r5 = add(r5,#256)", "r13 = r0", f"loop0({chunk},r12)"),
        f"{chunk}:\n",
        _packet("activation.hf = mxmem(r13,r14):deep", "weight.hf = mxmem(r1,r14)", "r13 = add(r13,r15)",
                "r1 = add(r1,r15)", ends=":endloop0"),
        last.replace("mxmem(r0,", "mxmem(r13,"), convert, _packet(*store, ends=":endloop1"),
        _packet("jumpr r31"),
    )))


ROUTINES = {routine.name: routine for routine in (
    _row_of_tiles(f"{PREFIX}hf", _KEEP_SIGN), _row_of_tiles(f"{PREFIX}hf_relu", _MAXIMUM_WITH_ZERO))}
"""Name to routine."""
