"""Estimated cycles of operations: enough to compare work with transfers, no more.

docs/architecture.md lists all cost models and what each decides.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from torch_mlir import ir

from hexagon_mlir.ir.bounds import constant_value, upper_bound
from hexagon_mlir.ir.query import element_bytes

_OPS_PER_PACKET = 1.5  # of the example kernels: 66 operations of GELU take 45 packets
_PER_PRODUCT = 1.3  # packets per vector of products summed in registers: one at best (bench/matmul.py: 75 to 85 %)
_DOT_PRODUCT_LENGTH = 4  # vrmpy sums the products of four bytes at once
_OPERATIONS = {"arith.extf": 8, "arith.truncf": 8}  # of f16: two vectors of f32, whose infinities and NaN are apart
_OF_HALVES = {"arith.addf": 3, "arith.subf": 3, "arith.mulf": 3}  # 2.0 packets in chains of them, of f32 1.0
_DYNAMIC = ir.ShapedType.get_dynamic_size()
Sizes = Callable[[ir.Value, int], int | None]
"""The size, or most elements, along a dynamic dimension of a value."""
_FREE = frozenset({"arith.bitcast", "arith.constant", "linalg.yield", "linalg.index"})


def estimated_cycles(op: ir.Operation, vector_bytes: int, packet_cycles: float,
                     sizes: Sizes | None = None) -> float | None:
    """Cycles of ``op`` with what its regions hold, in vectors of ``vector_bytes`` and packets of ``packet_cycles``.

    ``sizes`` gives dynamic ones; by default the bound of a buffer's. None when a size or a trip count is unknown.
    """
    if op.name.startswith("linalg."):
        return _of_linalg(op, vector_bytes, packet_cycles, sizes or _size)
    total = 0.0
    for region in op.regions:
        for block in region.blocks:
            for inner in block.operations:
                cycles = estimated_cycles(inner.operation, vector_bytes, packet_cycles, sizes)
                if cycles is None:
                    return None
                total += cycles
    if op.name not in ("scf.for", "scf.forall", "scf.while") or not total:
        return total
    trips = trip_count(op) if op.name == "scf.for" else None
    return None if trips is None else total * trips


def trip_count(loop: ir.Operation) -> int | None:
    """Iterations of an scf.for or scf.forall with constant bounds, else None."""
    if loop.name == "scf.forall":
        sides = [list(ir.DenseI64ArrayAttr(loop.attributes[f"static{side}"]))
                 for side in ("LowerBound", "UpperBound", "Step")]
        unknown = ir.ShapedType.get_dynamic_size()
        if any(unknown in side for side in sides) or min(sides[2]) < 1:
            return None
        return prod(max(-(-(high - low) // step), 0) for low, high, step in zip(*sides, strict=True))
    low, high, step = (constant_value(v) for v in list(loop.operands)[:3])
    return None if low is None or high is None or not step or step < 0 else max(-(-(high - low) // step), 0)


def _of_linalg(op: ir.Operation, vector_bytes: int, packet_cycles: float, sizes: Sizes) -> float | None:
    types = [value.type for value in op.operands]
    widths = [element_bytes(type_.element_type) for type_ in types if isinstance(type_, ir.ShapedType)]
    extents = _extents(op, types, sizes) if widths and len(op.regions) else None
    if extents is None:
        return None
    narrowest = min(widths)
    lanes = vector_bytes // narrowest
    inner = [view.operation for view in op.regions[0].blocks[0].operations]
    body = [operation.name for operation in inner]
    vectors = -(-prod(extents) // lanes)
    if _is_product(op, body):
        widening = widths[-1] // narrowest
        return vectors * _PER_PRODUCT * (1 if widening == _DOT_PRODUCT_LENGTH else widening) * packet_cycles
    operations = len(widths) + sum(_count(operation) for operation in inner)
    return vectors * operations / _OPS_PER_PACKET * packet_cycles


def _count(operation: ir.Operation) -> int:
    """As how many operations of f32 ``operation`` of a loop's body counts."""
    name = operation.name
    if name in _FREE:
        return 0
    if name in _OF_HALVES and isinstance(operation.results[0].type, ir.F16Type):
        return _OF_HALVES[name]
    return _OPERATIONS.get(name, 1)


def _is_product(op: ir.Operation, body: list[str]) -> bool:
    """True where products are summed: what they add up to stays in registers through the reductions."""
    kinds = op.attributes.get("iterator_types", ())
    return len(op.operands) > 2 and any("mul" in name for name in body) and "reduction" in str(kinds)


def _extents(op: ir.Operation, types: list[ir.Type], sizes: Sizes) -> list[int] | None:
    """Iterations per loop of linalg op ``op``, whose operands have these ``types``, as far as bounded."""
    from hexagon_mlir.ir import get_indexing_maps

    maps = op.attributes["indexing_maps"] if "indexing_maps" in op.attributes else get_indexing_maps(op)
    if maps is None:
        return None
    found: dict[int, int] = {}
    for number, (attribute, type_) in enumerate(zip(maps, types, strict=True)):
        shape = type_.shape if isinstance(type_, ir.ShapedType) else ()
        for dim, result in enumerate(attribute.value.results if shape else ()):
            if isinstance(result, ir.AffineDimExpr):
                size = shape[dim] if shape[dim] != _DYNAMIC else sizes(op.operands[number], dim)
                if size is not None:
                    found[result.position] = min(size, found.get(result.position, size))
    loops = maps[0].value.n_dims
    return [found[loop] for loop in range(loops)] if len(found) == loops else None


def _size(value: ir.Value, dim: int) -> int | None:
    """Most elements along dynamic dimension ``dim`` of the buffer ``value``."""
    shaped = ir.ShapedType(value.type)
    owner = value.owner
    if isinstance(owner, ir.Block) or owner.operation.name != "memref.alloc":
        return None
    return upper_bound(owner.operation.operands[sum(shaped.is_dynamic_dim(d) for d in range(dim))])
