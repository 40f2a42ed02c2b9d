"""bf16 arithmetic in f32: the machine has no bf16 lanes."""

from __future__ import annotations

from hexagon_mlir.passes.arith_legalization.conversion import from_bf16, to_bf16
from hexagon_mlir.passes.math_library.lanes import Float

BF16 = "bf16"
BF16_ARITHMETIC = ("addf", "subf", "mulf", "negf")
SIGN = 0x8000


def in_f32(name: str, operands: list[Float]) -> Float:
    """``arith.<name>`` on bf16: widened, computed, rounded once."""
    if name == "negf":
        return (operands[0].bits ^ SIGN).as_float(BF16)
    a, b = (from_bf16(x) for x in operands)
    return to_bf16({"addf": Float.__add__, "subf": Float.__sub__, "mulf": Float.__mul__}[name](a, b))
