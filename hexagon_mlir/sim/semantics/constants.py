"""Forms whose operands are immediates alone: the value is known at translation."""

from __future__ import annotations

from hexagon_mlir.sim.semantics.registry import semantics


def _word(number: int) -> int:
    return number & 0xFFFFFFFF


semantics("R=I", lambda n: n)
semantics("RR=I", lambda n: n)
semantics("RR=CONST64(I)", lambda n: n)
semantics("R=CONST32(I)", lambda n: n)
semantics("RR=combine(I,I)", lambda high, low: (_word(high) << 32) | _word(low))
semantics("R=mux(P,I,I)", lambda p, a, b: p.trunc(1).zext(32) * (a - b) + b)
semantics("R=mask(I,I)", lambda width, offset: _word(((1 << width) - 1) << offset))
