"""Combining accumulators: across vectors, across rows, then across the lanes of one vector in rotations."""

from __future__ import annotations

from collections.abc import Sequence

from hexagon_mlir.ir import ir, make, vector
from hexagon_mlir.ir.constants import constant
from hexagon_mlir.ir.context import INDEX_BITS
from hexagon_mlir.passes.lib.transposes import exchange

# -0.0 + x is x for every x, 0.0 + -0.0 is not; maxnum(-inf, NaN) is -inf, maxnum(NaN, x) is x
_IDENTITY = {"addf": -0.0, "mulf": 1.0, "maxnumf": float("nan"), "minnumf": float("nan"),
             "maximumf": float("-inf"), "minimumf": float("inf")}
_NUMBER = {"maxnumf": "maximumf", "minnumf": "minimumf"}


def neutral(name: str, element: ir.Type, nnan: bool = False) -> ir.Attribute:
    """The value that combining op ``name`` leaves unchanged, as an attribute of type ``element``.

    It is not NaN for an operation with ``nnan``.
    """
    kind = name.split(".")[1]
    if kind in _IDENTITY:
        return ir.FloatAttr.get(element, _IDENTITY[_NUMBER.get(kind, kind) if nnan else kind])
    width = INDEX_BITS if isinstance(element, ir.IndexType) else ir.IntegerType(element).width
    top = 1 << (width - 1)
    values = {"addi": 0, "ori": 0, "xori": 0, "maxui": 0, "muli": 1, "andi": -1, "minui": -1, "maxsi": -top,
              "minsi": top - 1}
    return ir.IntegerAttr.get(element, values[kind])


def neutral_vector(name: str, element: ir.Type, lanes: int, nnan: bool = False) -> ir.Value:
    """A constant of ``lanes`` times the `neutral` value of combining op ``name``."""
    type_ = ir.VectorType.get([lanes], element)
    return constant(ir.DenseElementsAttr.get_splat(type_, neutral(name, element, nnan)))


def combine(name: str, left: ir.Value, right: ir.Value) -> ir.Value:
    """``name(left, right)``; both of one type."""
    return make.binary(name, left, right)


def reduce_lanes(name: str, rows: Sequence[Sequence[ir.Value]], lanes: int) -> list[ir.Value]:
    """A scalar for each of ``rows`` (a power of two), reduced from its accumulator of ``k * lanes`` elements."""
    reduced = reduce_into_lanes(name, rows, lanes)
    return [vector.extract(reduced, [], [row]) for row in range(len(rows))]


def reduce_into_lanes(name: str, rows: Sequence[Sequence[ir.Value]], lanes: int) -> ir.Value:
    """A vector that begins with the reductions of ``rows``, which `reduce_lanes` returns as scalars.

    Pairs of rows exchange halves of their lanes until lane n of one vector belongs to row n, periodically. Shuffles are
    halvings, exchanges and rotations only: the Hexagon backend miscompiles general ones.
    """
    vectors = [_in_one(name, row, lanes) for row in rows]
    block = 1
    while len(vectors) > 1:
        vectors = [combine(name, *exchange(a, b, block)) for a, b in zip(vectors[::2], vectors[1::2], strict=True)]
        block *= 2
    reduced, shift = vectors[0], lanes // 2
    while shift >= block:
        rotated = make.shuffle(reduced, reduced, [(i + shift) % lanes for i in range(lanes)])
        reduced = combine(name, reduced, rotated)
        shift //= 2
    return reduced


def _in_one(name: str, accumulators: Sequence[ir.Value], lanes: int) -> ir.Value:
    """One vector of ``lanes`` from several longer ones."""
    parts: list[ir.Value] = []
    for accumulator in accumulators:
        parts += _split(accumulator, lanes)
    while len(parts) > 1:
        pairs = [combine(name, a, b) for a, b in zip(parts[::2], parts[1::2], strict=False)]
        parts = pairs + parts[2 * len(pairs):]
    return parts[0]


def _split(accumulator: ir.Value, lanes: int) -> list[ir.Value]:
    type_ = ir.VectorType(accumulator.type)
    if type_.shape[0] == lanes:
        return [accumulator]
    return [make.shuffle(accumulator, accumulator, list(range(start, start + lanes)))
            for start in range(0, type_.shape[0], lanes)]
