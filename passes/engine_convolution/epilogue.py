"""The elementwise op that reads a convolution's sums, on a block of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hexagon_mlir.ir import ir, tensor
from hexagon_mlir.ir.make import cast
from hexagon_mlir.ir.query import element_bytes, input_count
from hexagon_mlir.passes.lib.engine_conversions import is_greater, is_zero
from hexagon_mlir.passes.lib.engine_tiles import only_rounds
from hexagon_mlir.passes.lib.linalg_generic import generic
from hexagon_mlir.passes.lib.pure_slices import clone
from hexagon_mlir.passes.lib.tcm_tensors import tcm_copy, tcm_tensor
from hexagon_mlir.passes.lib.vector_loop import indexing_maps

Slice = Callable[[ir.Value, list[int]], ir.Value]
"""A tensor and the dimensions of the result that its own are -> the part of it for a block."""


def rounding_users(op: ir.Operation) -> list[ir.Operation]:
    """The users of the f32 sums of ``op``, in order, where each is an elementwise op that rounds them to f16 before all
    else, and can be computed where the first one stands; empty where any is not.
    """
    sums = op.results[0]
    users = {use.owner.operation: use.operand_number for use in sums.uses}
    if len(users) != len(list(sums.uses)) or not all(_is_elementwise(user, n, op) for user, n in users.items()):
        return []
    place = {view.operation: number for number, view in enumerate(op.block.operations)}
    ordered = sorted(users, key=place.__getitem__)
    first = place[ordered[0]] if ordered else 0
    for user in ordered[1:]:
        if any(place.get(value.owner.operation, -1) > first for value in list(user.operands)[:input_count(user)]
               if not isinstance(value.owner, ir.Block)):
            return []
    return ordered


def _is_elementwise(user: ir.Operation, place: int, op: ir.Operation) -> bool:
    """True for an op on tensors that reads the sums of ``op`` as operand ``place``, each to make one element of its
    own, and uses them rounded only."""
    if user.name != "linalg.generic" or len(user.results) != 1 or place >= input_count(user) or user.block != op.block:
        return False
    maps = [ir.AffineMapAttr(map_).value for map_ in indexing_maps(user) or ()]
    identity = ir.AffineMap.get_identity(ir.RankedTensorType(op.results[0].type).rank)
    if maps[place] != identity or maps[-1] != identity or not all(_is_projection(map_) for map_ in maps):
        return False
    body = user.regions[0].blocks[0]
    plain = all(inner.operation.name.startswith(("arith.", "math.", "linalg.yield")) for inner in body.operations)
    unread = not any(True for _ in body.arguments[len(maps) - 1].uses)
    tensors = all(isinstance(value.type, ir.RankedTensorType) for value in user.operands)
    return plain and unread and tensors and _rounds(user, place)


def _rounds(user: ir.Operation, place: int) -> bool:
    """True for a linalg.generic that uses input ``place`` rounded to f16 only."""
    if user.name != "linalg.generic" or place >= input_count(user):
        return False
    readers = [use.owner.operation for use in user.regions[0].blocks[0].arguments[place].uses]
    return bool(readers) and all(inner.name == "arith.truncf" and isinstance(inner.results[0].type, ir.F16Type)
                                 for inner in readers)


def are_rounded(sums: ir.Value) -> bool:
    """True where all ops that read ``sums`` round them to f16 before all else."""
    return all(_rounds(use.owner.operation, use.operand_number) for use in sums.uses)


def round_once(op: ir.Operation) -> ir.Operation:
    """An op after ``op`` that rounds its f32 sums; what read and rounded them reads its result."""
    sums = op.results[0]
    type_ = ir.RankedTensorType(sums.type)
    uses = [(use.owner.operation, use.operand_number) for use in sums.uses]
    identity, f16 = ir.AffineMap.get_identity(type_.rank), ir.F16Type.get()
    with op.location, ir.InsertionPoint.after(op):
        rounded = generic([sums], tensor.empty(type_.shape, f16), [identity] * 2, ["parallel"] * type_.rank,
                          lambda elements: cast("arith.truncf", f16, elements[0]))
    for user, number in uses:
        user.operands[number] = rounded
        argument = user.regions[0].blocks[0].arguments[number]
        casts = [use.owner.operation for use in argument.uses]
        argument.set_type(f16)
        for inner in casts:
            inner.results[0].replace_all_uses_with(argument)
            inner.erase()
    return rounded.owner.operation


def _is_projection(map_: ir.AffineMap) -> bool:
    return all(isinstance(result, ir.AffineDimExpr) for result in map_.results)


def only_positive(op: ir.Operation) -> bool:
    """True for an op that rounds its only input to f16 and takes the larger one of that and zero, and no more."""
    if input_count(op) != 1 or not isinstance(ir.RankedTensorType(op.results[0].type).element_type, ir.F16Type):
        return False
    *operations, last = [view.operation for view in op.regions[0].blocks[0].operations]
    value = op.regions[0].blocks[0].arguments[0]
    maximum = False
    known = {value}  # the rounded number, in f16 or f32, and before the maximum the sum
    for inner in operations:
        operands = list(inner.operands)
        if inner.name in ("arith.truncf", "arith.extf") and operands[0] in known:
            known.add(inner.results[0])
        elif inner.name == "arith.maximumf" and any(map(is_zero, operands)) and known & set(operands):
            known, maximum = {inner.results[0]}, True
        elif inner.name == "arith.cmpf" and operands[0] in known and is_zero(operands[1]):
            if not is_greater(inner):
                return False
        elif inner.name == "arith.select" and operands[1] in known and is_zero(operands[2]) \
                and inner.operands[0].owner.operation.name == "arith.cmpf":
            known, maximum = {inner.results[0]}, True
        else:
            return False
    return maximum and last.operands[0] in known


def inputs_beside(op: ir.Operation, sums: ir.Value, part: Slice) -> list[ir.Value]:
    """In TCM, the parts of what ``op`` reads besides ``sums``."""
    return [tcm_copy(part(value, _dims(attribute))) for value, attribute in _inputs(op) if value != sums]


def _inputs(op: ir.Operation) -> list[tuple[ir.Value, ir.Attribute]]:
    """The inputs of ``op`` and their indexing maps."""
    return list(zip(list(op.operands)[:input_count(op)], indexing_maps(op) or (), strict=False))


def _dims(map_: ir.Attribute) -> list[int]:
    return [result.position for result in ir.AffineMapAttr(map_).value.results]


def reads_alone(op: ir.Operation, sums: ir.Value) -> bool:
    """True where ``op`` reads nothing but ``sums``, each to make one element."""
    return input_count(op) == 1 and op.operands[0] == sums


def on_each(op: ir.Operation, sums: ir.Value, block: ir.Value) -> ir.Value:
    """``op``, which reads ``sums`` alone, on the elements of ``block``, f16, in any dimensions."""
    return _on(op, sums, [block], [ir.AffineMap.get_identity(ir.RankedTensorType(block.type).rank)])


def on_block(op: ir.Operation, sums: ir.Value, block: ir.Value, others: list[ir.Value], dropped: int) -> ir.Value:
    """``op`` on ``block``, f16, instead of the f32 ``sums``, and on ``others`` instead of its other inputs; the block
    lacks the first ``dropped`` dimensions of the sums.
    """
    rank = ir.RankedTensorType(block.type).rank
    given = iter(others)
    inputs = [block if value == sums else next(given) for value, _ in _inputs(op)]
    maps = [_map(rank, [dim - dropped for dim in _dims(attribute) if dim >= dropped]) for _, attribute in _inputs(op)]
    return _on(op, sums, inputs, maps)


def _on(op: ir.Operation, sums: ir.Value, inputs: list[ir.Value], maps: list[ir.AffineMap]) -> ir.Value:
    """``op`` on ``inputs`` with these maps, of which those in place of ``sums`` have all its dimensions."""
    (block,) = {value for value, (old, _) in zip(inputs, _inputs(op), strict=True) if old == sums}
    type_ = ir.RankedTensorType(block.type)
    into = tcm_tensor(list(type_.shape), ir.RankedTensorType(op.results[0].type).element_type)
    old = op.regions[0].blocks[0]
    summed = [argument for argument, value in zip(old.arguments, op.operands, strict=True) if value == sums]

    def body(elements: Sequence[ir.Value]) -> ir.Value:
        mapping = dict(zip(old.arguments, elements, strict=True))
        *operations, end = [view.operation for view in old.operations]
        for inner in operations:
            if inner.name == "arith.truncf" and inner.operands[0] in summed:
                mapping[inner.results[0]] = mapping[inner.operands[0]]
            else:
                clone(inner, mapping)
        return mapping.get(end.operands[0], end.operands[0])

    return generic(inputs, into, [*maps, ir.AffineMap.get_identity(type_.rank)], ["parallel"] * type_.rank, body)


def _map(rank: int, dims: list[int]) -> ir.AffineMap:
    return ir.AffineMap.get(rank, 0, [ir.AffineDimExpr.get(dim) for dim in dims])


def bytes_beside(ops: Sequence[ir.Operation], sums: ir.Value) -> int:
    """Bytes of what the epilogues ``ops`` read, besides ``sums``, and write for each element of the result; none where
    the engine does all they do.
    """
    if all(map(only_positive, ops)):
        return 0
    types = [ir.RankedTensorType(value.type) for op in ops if not only_rounds(op) for value in op.operands
             if value != sums]
    rank = ir.RankedTensorType(sums.type).rank
    return sum(element_bytes(type_.element_type) for type_ in types if type_.rank == rank)
