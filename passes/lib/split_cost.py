"""Whether a product of pieces pays: functions over numbers."""

from __future__ import annotations

from hexagon_mlir.passes.lib.engine_cost import EngineCost, loop_cycles
from hexagon_mlir.passes.lib.half_product_cost import hvx_cycles

_SPLIT_CYCLES, _FIXED_CYCLES = 0.8, 45000.0
"""Measured, 128 cubed to 1024 cubed on v75: to scale and split an element; what the loops and transfers of a split
product take in any case."""
_BF16_FACTOR, _BF16_RESULT, _BF16_FIXED = 0.1, 0.35, 11000.0
"""Measured, 64 cubed to 256 cubed and 32 x 512 x 512: to scale an element of a factor of bf16, to scale one of the
result back, and the rest."""
_HVX_SHARE = 0.8
"""Measured there: cycles of a product of f32 on HVX, of those that `hvx_cycles` gives for f16."""
_BF16_SHARE = 0.6
"""Below the same share, of bf16 on HVX: 96 x 64 x 33, of which the estimates are 0.78 apart, is faster there."""


def pays(rows: int, columns: int, reduction: int, products: int, cost: EngineCost, given: bool = False) -> bool:
    """Whether ``products`` products of pieces, in one sum, are estimated to take less time than f32 on HVX. ``given``:
    the right factor is in pieces already."""
    split = _FIXED_CYCLES + _SPLIT_CYCLES * reduction * (rows + (0 if given else columns))
    engine = split + loop_cycles(rows, columns, products * reduction, cost)
    return engine < _HVX_SHARE * hvx_cycles(rows, columns, reduction, cost.hvx)


def bf16_pays(rows: int, columns: int, reduction: int, cost: EngineCost, given: bool = False) -> bool:
    """The same of factors of bf16, which are a single piece each."""
    scaled = _BF16_FIXED + _BF16_FACTOR * reduction * (rows + (0 if given else columns)) + _BF16_RESULT * rows * columns
    engine = scaled + loop_cycles(rows, columns, reduction, cost)
    return engine < _BF16_SHARE * hvx_cycles(rows, columns, reduction, cost.hvx)
