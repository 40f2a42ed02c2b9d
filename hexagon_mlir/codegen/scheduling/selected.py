"""The HVX instruction that LLVM selects for a vector instruction of its IR, as its execution unit."""

from __future__ import annotations

from hexagon_mlir.isa.form import BY_INTRINSIC
from hexagon_mlir.isa.unit import Unit
from hexagon_mlir.llvmir import Instruction

_RENAMED = ("V6.lo", "V6.hi", "V6.vcombine")
"""Halves of a register pair: other names for registers."""
_OPCODES = {
    "load": Unit.V_LOAD, "store": Unit.V_STORE, "shufflevector": Unit.VP,
    "shl": Unit.VS, "lshr": Unit.VS, "ashr": Unit.VS, "sitofp": Unit.VS, "fptosi": Unit.VA,
    "mul": Unit.VX_DV, "fmul": Unit.VX_DV, "fadd": Unit.VX, "fsub": Unit.VX, "fptrunc": Unit.VX, "fpext": Unit.VX_DV,
}  # fmt: skip
"""Units of the selected forms; other instructions take any pipe. So does fptosi: modelled as the shift that it is, GELU
f32 (fast) is 7 % faster, but SiLU f16 6 % and the example libdevice 22 % slower.
"""
_NOTHING = ("bitcast", "phi", "freeze", "insertelement", "extractelement")


def unit(i: Instruction) -> Unit | None:
    """The unit of ``i``; None for an instruction that is no vector instruction, or is not selected as one."""
    kind = i.type or (i.types[0] if i.types else "")
    if not kind.startswith("<") or i.opcode in _NOTHING:
        return None
    if intrinsic := i.intrinsic:
        form = BY_INTRINSIC.get(intrinsic)
        return None if intrinsic in _RENAMED else form.unit if form else Unit.VA
    return _OPCODES.get(i.opcode, Unit.VA)
