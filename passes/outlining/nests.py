"""Which loop nests may become functions, and what makes two of them alike."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from hexagon_mlir.ir import ir
from hexagon_mlir.ir.cost import trip_count
from hexagon_mlir.ir.order import nested_ops
from hexagon_mlir.passes.outlining.functions import values_from_outside

_DIALECTS = ("arith.", "math.", "vector.", "ub.", "affine.")
_OPERATIONS = frozenset({
    "scf.for", "scf.if", "scf.yield", "memref.load", "memref.store", "memref.subview", "memref.view", "memref.cast",
    "memref.collapse_shape", "memref.expand_shape", "memref.reinterpret_cast", "memref.dim"})
_TRIPS = 8
"""Iterations of a loop whose bounds are not known."""
_TRANSPOSE = 224
"""Operations that a transpose becomes: 32 loads, 160 shuffles, 32 stores of words."""


@dataclass(frozen=True)
class Nest:
    """A nest that may move. Two of the same ``form`` have operations of the same names on the same types."""

    op: ir.Operation
    form: tuple


@dataclass(frozen=True)
class _Work:
    """``names`` of all operations, how many there are in code, and how many are done in all iterations, at least."""

    names: tuple[str, ...]
    code: int
    done: int


def movable(op: ir.Operation, operations: int, work: int) -> list[Nest]:
    """The outermost nests inside ``op`` of at least so many ``operations``, and ``work``: those of all iterations."""
    found: list[Nest] = []
    for inner in (view.operation for region in op.regions for block in region for view in block):
        does = _READERS[inner.name](inner) if inner.name in _READERS and not len(inner.results) else None
        types = _types(inner) if does and does.code >= operations and does.done >= work else None
        if does and types:
            found.append(Nest(inner, (*does.names, *types)))
        else:
            found += movable(inner, operations, work)
    return found


def used_by(op: ir.Operation) -> list[ir.Value]:
    """What ``op`` and its regions use from outside, each once."""
    return list(dict.fromkeys([*op.operands, *values_from_outside(op)]))


def _of_loop(op: ir.Operation) -> _Work | None:
    names = [inner.name for inner in nested_ops(op)]
    if any(name not in _OPERATIONS and not name.startswith(_DIALECTS) for name in set(names)):
        return None
    return _Work(tuple(names), len(names), _done(op))


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
    return _Work((op.name, str(order)), _TRANSPOSE, prod(types[0].shape))


_READERS = {"scf.for": _of_loop, "linalg.transpose": _of_transpose}


def _types(op: ir.Operation) -> list[ir.Type] | None:
    """Types of what ``op`` uses; None when one is no buffer, word or float."""
    types = [value.type for value in used_by(op)]
    return types if all(map(passable, types)) else None


def passable(type_: ir.Type) -> bool:
    """True for what a function takes: a buffer, a word or a float."""
    return (isinstance(type_, ir.MemRefType | ir.IndexType | ir.F32Type)
            or (isinstance(type_, ir.IntegerType) and type_.width in (32, 64)))
