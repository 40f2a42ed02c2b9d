"""Bytes of TCM that the tensors of a block hold at each of its operations."""

from __future__ import annotations

from collections.abc import Sequence

from hexagon_mlir.ir import ir
from hexagon_mlir.ir.order import ancestor_in, nested_ops
from hexagon_mlir.ir.query import TCM_SPACE, input_count, static_bytes
from hexagon_mlir.passes.lib.engine_tiles import fills_zero, is_engine_product, is_for_engine
from hexagon_mlir.passes.tcm_tiling.promote import VIEWS


def most_live_bytes(block: ir.Block, first: ir.Operation, readers: Sequence[ir.Operation]) -> int:
    """The most bytes that tensors in TCM hold at any operation of ``block`` from ``first`` to the last of ``readers``.
    """
    places = {view.operation: number for number, view in enumerate(block.operations)}
    products = [place for op, place in places.items() if is_engine_product(op)]
    held = [0] * len(places)
    for op, begin in places.items():
        if op.name == "bufferization.alloc_tensor":
            size = static_bytes(op.results[0].type) if _is_in_tcm(op) else None
            for place in range(begin, _end(op.results[0], block, places, products) + 1) if size else ():
                held[place] += size or 0
        inner = [child for region in op.regions for child in region.blocks]
        held[begin] += sum(_allocated(child) for child in inner if not op.name.startswith("linalg."))
    ends = [ancestor_in(reader, block) for reader in readers]
    last = max((places[end] for end in ends if end is not None), default=len(places) - 1)
    return max(held[places[first]:last + 1], default=0)


def _allocated(block: ir.Block) -> int:
    """Bytes of all tensors in TCM under a loop: their buffers live as long as it."""
    return sum(static_bytes(op.results[0].type) or 0 for view in block.operations for op in nested_ops(view.operation)
               if op.name == "bufferization.alloc_tensor" and _is_in_tcm(op))


def _is_in_tcm(op: ir.Operation) -> bool:
    """Whether the tensor that ``op`` allocates is in TCM; sums of the matrix engine are in its accumulators."""
    space = op.attributes.get("memory_space", None)
    users = [use.owner.operation for use in op.results[0].uses]
    sums = any(fills_zero(user) and is_for_engine(user) for user in users)
    return space is not None and ir.IntegerAttr(space).value == TCM_SPACE and not sums


def _end(value: ir.Value, block: ir.Block, places: dict[ir.Operation, int], products: list[int]) -> int:
    """The place of the last operation of ``block`` that reads ``value``, or what is in its memory; the matrix engine
    reads factors during some of the next ``products``."""
    owner = value.owner
    end = places[owner.operation] if not isinstance(owner, ir.Block) and owner.operation in places else 0
    for use in value.uses:
        user = use.owner.operation
        ancestor = ancestor_in(user, block)
        if ancestor is None:
            continue
        end = max(end, places[ancestor])
        if is_engine_product(user) and places[ancestor] in products:
            later = products[products.index(places[ancestor]):][:_LATER + 1]
            end = max(end, later[-1])
        for result in _same_memory(user, use.operand_number):
            end = max(end, _end(result, block, places, products))
    return end


def _same_memory(user: ir.Operation, operand: int) -> list[ir.Value]:
    """The results of ``user`` that are in the memory of its operand."""
    if user.name in VIEWS or (user.name == "tensor.insert_slice" and operand == 1):
        return list(user.results)
    if user.name.startswith("linalg.") and user.name != "linalg.yield":
        output = operand - input_count(user)
        return [user.results[output]] if 0 <= output < len(user.results) else []
    if user.name == "scf.for" and operand >= _LOOP_BOUNDS:
        return [user.results[operand - _LOOP_BOUNDS]]
    return []


_LATER = 2
"""Products that may start before the one before them is waited for."""
_LOOP_BOUNDS = 3
