"""Combining accumulators: across vectors, then across the lanes of one vector in log2(lanes) rotations."""

from __future__ import annotations

from collections.abc import Sequence

from hexagon_mlir.ir import ir, vector

# -0.0 + x is x for every x, 0.0 + -0.0 is not; maxnum(-inf, NaN) is -inf, maxnum(NaN, x) is x
_IDENTITY = {"addf": -0.0, "mulf": 1.0, "maxnumf": float("nan"), "minnumf": float("nan"),
             "maximumf": float("-inf"), "minimumf": float("inf")}
_NUMBER = {"maxnumf": "maximumf", "minnumf": "minimumf"}


def neutral(name: str, element: ir.Type, nnan: bool = False) -> ir.Attribute:
    """The value that combining op ``name`` leaves unchanged, as an attribute of type ``element``.

    It is a number for an operation that is promised no NaN (``nnan``).
    """
    kind = name.split(".")[1]
    if kind in _IDENTITY:
        return ir.FloatAttr.get(element, _IDENTITY[_NUMBER.get(kind, kind) if nnan else kind])
    width = ir.IntegerType(element).width
    top = 1 << (width - 1)
    values = {"addi": 0, "ori": 0, "xori": 0, "maxui": 0, "muli": 1, "andi": -1, "minui": -1, "maxsi": -top,
              "minsi": top - 1}
    return ir.IntegerAttr.get(element, values[kind])


def combine(name: str, left: ir.Value, right: ir.Value) -> ir.Value:
    """``name(left, right)``; both of one type."""
    return ir.Operation.create(name, results=[left.type], operands=[left, right]).result


def reduce_lanes(name: str, accumulators: Sequence[ir.Value], lanes: int) -> ir.Value:
    """One scalar from accumulators of ``k * lanes`` elements each.

    Shuffles are halvings and rotations only: the Hexagon backend miscompiles general ones.
    """
    parts: list[ir.Value] = []
    for accumulator in accumulators:
        parts += _split(accumulator, lanes)
    while len(parts) > 1:
        pairs = [combine(name, a, b) for a, b in zip(parts[::2], parts[1::2], strict=False)]
        parts = pairs + parts[2 * len(pairs):]
    total = parts[0]
    shift = lanes // 2
    while shift:
        rotated = vector.shuffle(total, total, [(i + shift) % lanes for i in range(lanes)])
        total = combine(name, total, rotated)
        shift //= 2
    return vector.extract(total, [], [0])


def _split(accumulator: ir.Value, lanes: int) -> list[ir.Value]:
    type_ = ir.VectorType(accumulator.type)
    if type_.shape[0] == lanes:
        return [accumulator]
    return [vector.shuffle(accumulator, accumulator, list(range(start, start + lanes)))
            for start in range(0, type_.shape[0], lanes)]
