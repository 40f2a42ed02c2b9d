"""Whether a chain of products fits TCM, and pays."""

from __future__ import annotations

from dataclasses import replace
from math import prod

from hexagon_mlir.dialects.engine_tiles import TILE, tiles
from hexagon_mlir.ir import ir
from hexagon_mlir.ir.query import element_bytes
from hexagon_mlir.passes.layout_propagation.chain import Chain
from hexagon_mlir.passes.lib.engine_cost import EngineCost, pays
from hexagon_mlir.targets import Target

_RAW_AND_TILES = 3
"""What a matrix from outside takes: as it is, maybe twice to overlap transfers, and as tiles."""

_IN_MODEL_CYCLES = 4000.0
"""What a product of a chain costs more in a kernel of a model. Measured: 12 heads of 64 x 64 take 316,705 cycles on
HVX, 252,593 on the engine.
"""


def chain_bytes(chain: Chain) -> int:
    """Bytes in TCM of all that ``chain`` reads and makes, none of which shares memory."""
    made = sum(_bytes(op.results[0]) for op, _ in chain.ops)
    results = {op.results[0] for op, _ in chain.ops}
    read = {value for op, _ in chain.ops for value in list(op.operands)[:-1]
            if value not in results and isinstance(value.type, ir.RankedTensorType)}
    return made + _RAW_AND_TILES * sum(_bytes(value) for value in read)


def _bytes(value: ir.Value) -> int:
    type_ = ir.RankedTensorType(value.type)
    padded = [TILE * tiles(size) for size in type_.shape]
    return min(element_bytes(type_.element_type), 2) * prod(padded) * (TILE if len(padded) == 1 else 1)


def chain_cost(target: Target, in_model: bool) -> EngineCost:
    """The costs of each product of a chain: a kernel loses once what it loses in a model, a chain has many products."""
    cost = EngineCost.of(target)
    return replace(cost, fixed_cycles=cost.fixed_cycles + _IN_MODEL_CYCLES) if in_model else cost


def products_pay(chain: Chain, target: Target, in_model: bool) -> bool:
    """Whether one of the products pays by itself; the others, and what stands between, cost less in tiles then."""
    cost = chain_cost(target, in_model)
    for op in chain.products:
        (rows, depth), (_, columns) = (ir.RankedTensorType(value.type).shape for value in (
            op.operands[0], op.results[0]))
        if pays(rows, columns, depth, cost):
            return True
    return False
