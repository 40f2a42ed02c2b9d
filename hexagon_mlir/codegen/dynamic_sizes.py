"""Dynamic sizes: which dimensions are equal, and how the results' sizes follow from the arguments'."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hexagon_mlir.ir import get_indexing_maps, ir
from hexagon_mlir.ir.query import find_ops, ops_named

Place = tuple[int, int]
"""Number of an argument, and a dimension of it."""
_LIKE_FIRST = ("tensor.cast", "tensor.insert_slice", "bufferization.to_tensor", "bufferization.alloc_tensor")


@dataclass(frozen=True)
class SizeRules:
    """``equal`` groups dimensions of arguments, and numbers, that must be equal. ``results[i][d]`` is the size of
    dimension d of result i: a number, an equal dimension of an argument, or None."""

    equal: tuple[frozenset[Place | int], ...] = ()
    results: tuple[tuple[Place | int | None, ...], ...] = ()


NO_RULES = SizeRules()


def read_sizes(function: ir.Operation) -> SizeRules:
    """The `SizeRules` of ``function``, at the tensor level, from the operations that need equal sizes."""
    groups: list[set[Place | int]] = []
    for op in find_ops(function, lambda op: True):
        for sizes in _equal_sizes(op):
            _join(groups, {size for size in sizes if size is not None})
    results = [tuple(_size(value, d) for d in range(value.type.rank)) if isinstance(value.type, ir.ShapedType) else ()
               for op in ops_named(function, "func.return") for value in op.operands]
    return SizeRules(tuple(frozenset(group) for group in groups if len(group) > 1), tuple(results))


def _equal_sizes(op: ir.Operation) -> Iterator[Sequence[Place | int | None]]:
    """Sizes that ``op`` requires to be equal."""
    shaped = [v for v in op.operands if isinstance(v.type, ir.RankedTensorType)]
    if op.name.startswith("linalg.") and len(op.results):
        maps = (op.attributes["indexing_maps"] if "indexing_maps" in op.attributes
                else get_indexing_maps(op)) or ()
        loops: dict[int, list[Place | int | None]] = {}
        for value, attribute in zip(op.operands, maps, strict=False):
            if isinstance(value.type, ir.RankedTensorType):
                for d, result in enumerate(ir.AffineMapAttr(attribute).value.results):
                    if isinstance(result, ir.AffineDimExpr):
                        loops.setdefault(result.position, []).append(_size(value, d))
        yield from loops.values()
    elif op.name.startswith(("arith.", "math.")) and len(shaped) > 1:
        yield from ([_size(v, d) for v in shaped] for d in range(shaped[0].type.rank))


def _join(groups: list[set[Place | int]], members: set[Place | int]) -> None:
    if not any(isinstance(member, tuple) for member in members):
        return
    merged = set(members)
    for group in [g for g in groups if g & members]:
        merged |= group
        groups.remove(group)
    groups.append(merged)


def _size(value: ir.Value, dim: int) -> Place | int | None:
    """Where dimension ``dim`` of a tensor comes from."""
    if not value.type.is_dynamic_dim(dim):
        return value.type.shape[dim]
    if isinstance(value.owner, ir.Block):
        argument = ir.BlockArgument(value)
        of_function = argument.owner.owner.operation.name == "func.func"
        return (argument.arg_number, dim) if of_function else None
    op = value.owner.operation
    if op.name == "tensor.empty":
        before = sum(value.type.is_dynamic_dim(d) for d in range(dim))
        return _of_number(op.operands[before])
    if op.name == "tensor.insert_slice":
        return _size(op.operands[1], dim)
    if op.name in _LIKE_FIRST or op.name.startswith(("arith.", "math.")):
        last = next((v for v in reversed(list(op.operands)) if isinstance(v.type, ir.RankedTensorType)), None)
        return None if last is None else _size(last, dim)
    if op.name.startswith("linalg."):
        outputs = len(op.results)
        return _size(list(op.operands)[len(op.operands) - outputs + ir.OpResult(value).result_number], dim)
    return None


def _of_number(value: ir.Value) -> Place | int | None:
    """Where an index comes from: a dimension of an argument, or a constant."""
    if isinstance(value.owner, ir.Block):
        return None
    op = value.owner.operation
    if op.name == "arith.constant":
        return ir.IntegerAttr(op.attributes["value"]).value
    if op.name == "tensor.dim":
        dim = _of_number(op.operands[1])
        return _size(op.operands[0], dim) if isinstance(dim, int) else None
    return None
