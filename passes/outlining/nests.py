"""Which loop nests may become functions, and what makes two of them alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from math import prod

from hexagon_mlir.dialects.engine_tiles import RANK
from hexagon_mlir.ir import ir
from hexagon_mlir.ir.cost import trip_count
from hexagon_mlir.ir.order import nested_ops
from hexagon_mlir.ir.query import in_tcm, ops_named, yields_input
from hexagon_mlir.passes.lib.outlining import values_from_outside
from hexagon_mlir.passes.lib.vector_loop import indexing_maps

_DIALECTS = ("arith.", "math.", "vector.", "ub.", "affine.")
_OPERATIONS = frozenset({
    "scf.for", "scf.if", "scf.yield", "memref.load", "memref.store", "memref.subview", "memref.view", "memref.cast",
    "memref.collapse_shape", "memref.expand_shape", "memref.reinterpret_cast", "memref.dim"})
_TRIPS = 8
"""Assumed iterations of a loop with unknown bounds."""
_TRANSPOSE = 224
"""Operations of a lowered transpose: 32 loads, 160 shuffles, 32 stores of words."""
_TILES = 80
"""Operations of lowered tiles of the matrix engine: `hexagon-pair-interleaving` moves up to 16 vectors in an iteration.
"""


@dataclass(frozen=True)
class MovableNest:
    """A nest that may move, and the values from outside that it has ``used``. Two nests of equal ``form`` have the same
    operations on the same types."""

    op: ir.Operation
    used: list[ir.Value]
    form: tuple


@dataclass(frozen=True)
class _Work:
    """``names`` identify the code, then how many operations it has and a lower bound of how many are ``done`` in all
    iterations; ``inside`` are the operations themselves."""

    names: tuple[str, ...]
    code: int
    done: Callable[[], int]
    inside: list[ir.Operation] = field(default_factory=list)


def movable(op: ir.Operation, operations: int, work: int) -> list[MovableNest]:
    """The outermost nests inside ``op`` with at least so many ``operations``, and with at least ``work`` in all
    iterations."""
    found: list[MovableNest] = []
    taken: set[ir.Operation] = set()
    for inner in reversed(ops_named(op, *_READERS)):  # outer ones first
        does = None if inner in taken or len(inner.results) else _READERS[inner.name](inner)
        if does is None or does.code < operations or does.done() < work:
            continue
        used = _used_by(inner)
        types = [value.type for value in used]
        if types and all(map(passable, types)):
            found.append(MovableNest(inner, used, (*does.names, *types)))
            taken.update(does.inside)
    return found[::-1]


def _used_by(op: ir.Operation) -> list[ir.Value]:
    """What ``op`` and its regions use from outside, each once."""
    return list(dict.fromkeys([*op.operands, *values_from_outside(op)]))


def _of_loop(op: ir.Operation) -> _Work | None:
    inside = nested_ops(op)
    names = tuple(inner.name for inner in inside)
    if any(name not in _OPERATIONS and not name.startswith(_DIALECTS) for name in set(names)):
        return None
    return _Work(names, len(names), partial(_done, op), inside)


def _done(op: ir.Operation) -> int:
    """Operations that ``op`` and its regions do, in all iterations."""
    if not len(op.regions):
        return 1
    trips = trip_count(op) if op.name == "scf.for" else 1
    inside = sum(_done(view.operation) for region in op.regions for block in region for view in block)
    return 1 + inside * (_TRIPS if trips is None else trips)


def _of_transpose(op: ir.Operation) -> _Work | None:
    types = [ir.MemRefType(value.type) for value in op.operands]
    order = tuple(ir.DenseI64ArrayAttr(op.attributes["permutation"]))
    if not all(type_.has_static_shape for type_ in types) or order[-1:] == (len(order) - 1,):
        return None
    return _Work((op.name, str(order)), _TRANSPOSE, partial(prod, types[0].shape))


def _of_tiles(op: ir.Operation) -> _Work | None:
    """Between tiles of the matrix engine and rows, whole buffers of them."""
    if not all(isinstance(value.type, ir.MemRefType) for value in op.operands):
        return None
    types = [ir.MemRefType(value.type) for value in op.operands]
    if not all(in_tcm(type_) and type_.has_static_shape and type_.rank == RANK
               and type_.affine_map == ir.AffineMap.get_identity(RANK) for type_ in types):
        return None
    if len(types) != 2 or not yields_input(op):
        return None
    return _Work((op.name, str(indexing_maps(op))), _TILES, partial(prod, types[0].shape))


_READERS = {"scf.for": _of_loop, "linalg.transpose": _of_transpose, "linalg.generic": _of_tiles}


def passable(type_: ir.Type) -> bool:
    """True for a value that can be an argument: a buffer, a word or a float."""
    return (isinstance(type_, ir.MemRefType | ir.IndexType | ir.F32Type)
            or (isinstance(type_, ir.IntegerType) and type_.width in (32, 64)))
