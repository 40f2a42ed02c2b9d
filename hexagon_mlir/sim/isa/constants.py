"""Forms whose operands are immediates alone: the value is known at translation."""

from __future__ import annotations

from hexagon_mlir.sim.isa.spec import Unit, form


def _word(number: int) -> int:
    return number & 0xFFFFFFFF


form("R=I", Unit.ALU, lambda n: n)
form("RR=I", Unit.ALU, lambda n: n)
form("RR=CONST64(I)", Unit.LOAD, lambda n: n)
form("R=CONST32(I)", Unit.LOAD, lambda n: n)
form("RR=combine(I,I)", Unit.ALU, lambda high, low: (_word(high) << 32) | _word(low))
form("R=mux(P,I,I)", Unit.ALU, lambda p, a, b: p.trunc(1).zext(32) * (a - b) + b)
form("R=mask(I,I)", Unit.ALU, lambda width, offset: _word(((1 << width) - 1) << offset))
