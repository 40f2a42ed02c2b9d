"""Indices that are affine between breakpoints: ``i % n``, ``i // n``, ``where(i < n, i, 0)``, ``min(i, n - 1)``.

Their terms (`Piece`) give the value at an index, the step from there on, and the next breakpoint, so that an access
becomes one block per piece: two for a block that wraps around once, one without wrap-around.
"""

from __future__ import annotations

from collections.abc import Callable

from hexagon_mlir.ir import arith, ir
from hexagon_mlir.passes.triton_import import ints, linear, masks
from hexagon_mlir.passes.triton_import.ints import Int
from hexagon_mlir.passes.triton_import.values import Linear, Mask, Piece, varying

_DIVISIONS: dict[str, tuple[Callable[[ir.Value, ir.Value], ir.Value], bool]] = {
    "arith.divsi": (arith.divsi, True), "arith.remsi": (arith.remsi, True),
    "arith.divui": (arith.divui, False), "arith.remui": (arith.remui, False),
}
DIVISIONS = frozenset(_DIVISIONS)


def divided(name: str, a: Linear, divisor: Int, type: ir.Type, shape: tuple[int, ...]) -> Linear | None:
    """The quotient or remainder ``name`` of ``a``, when ``a`` varies along one dimension by known steps."""
    dim = _one_dim([a], shape)
    if dim is None or isinstance(type, ir.IndexType):
        return None
    step = _known_step(a, dim)
    if step is None or step < 0:
        return None
    emit, signed = _DIVISIONS[name]
    quotient = arith.divsi if signed else arith.divui
    size = shape[dim]

    def at(i: ir.Value) -> ir.Value:
        return ints.value(_value(a, dim, type, i), type)

    def value(i: ir.Value) -> Int:
        return emit(at(i), ints.value(divisor, type))

    def end(i: ir.Value) -> Int:
        if step == 0:
            return end_at(a, dim, i, size)
        v, number = at(i), _magnitude(divisor, type) if signed else ints.value(divisor, type)
        q = quotient(v, number)
        change = arith.muli(arith.addi(q, ints.value(1, type)), number)  # the first larger value with another quotient
        if signed:
            below = arith.addi(arith.muli(q, number), ints.value(1, type))
            negative = arith.cmpi(arith.CmpIPredicate.slt, q, ints.value(0, type))
            change = arith.select(negative, below, change)
        distance = ints.ceil_div(arith.subi(change, v), step, type)
        index = ints.index_type()
        later = ints.add(i, ints.larger(ints.cast(distance, type, index), 1, index), index)
        return ints.smaller(later, end_at(a, dim, i, size), index)

    moves = name.startswith("arith.rem")
    known = step if moves else 0
    return _only(Piece(dim, value, lambda i: known, end, known_step=known), len(shape))


def chosen(condition: Mask, a: Linear, b: Linear, type: ir.Type, shape: tuple[int, ...]) -> Linear | None:
    """``a`` where ``condition`` holds, else ``b``, when all depend on one dimension and the condition is a range."""
    if condition.conditions or condition.lanes or condition.skewed or not condition.ranges:
        return None
    dim = condition.ranges[0].dim
    if any(r.dim != dim for r in condition.ranges) or _one_dim([a, b], shape) not in (dim, None):
        return None
    if a.lanes or b.lanes or len(_moving(a, shape) | _moving(b, shape)) > 1:
        return None
    index, size = ints.index_type(), shape[dim]
    low, count = masks.bounds(condition, dim, size)
    high = ints.add(low, count, index)

    def inside(i: ir.Value) -> Int:
        return ints.both(ints.compare(arith.CmpIPredicate.sle, low, i, index),
                         ints.compare(arith.CmpIPredicate.slt, i, high, index))

    def choose(i: ir.Value, x: Int, y: Int) -> Int:
        return x if ints.same(x, y) else ints.choose(inside(i), x, y, type)

    def value(i: ir.Value) -> Int:
        return choose(i, _value(a, dim, type, i), _value(b, dim, type, i))

    def step(i: ir.Value) -> Int:
        return choose(i, step_at(a, dim, type, i), step_at(b, dim, type, i))

    def end(i: ir.Value) -> Int:
        before = ints.compare(arith.CmpIPredicate.slt, i, low, index)
        within = ints.compare(arith.CmpIPredicate.slt, i, high, index)
        own = ints.choose(before, low, ints.choose(within, high, size, index), index)
        for source in (a, b):
            own = ints.smaller(own, end_at(source, dim, i, size), index)
        return own

    steps = {_known_step(a, dim), _known_step(b, dim)}
    return _only(Piece(dim, value, step, end, known_step=steps.pop() if len(steps) == 1 else None), len(shape))


def smaller(a: Linear, b: Linear, type: ir.Type, shape: tuple[int, ...], larger: bool = False) -> Linear | None:
    """The smaller (or larger) of ``a`` and ``b``, both signed."""
    less = masks.compared(arith.CmpIPredicate.slt.value, a, b, type, shape)
    if less is None:
        return None
    return chosen(less, b, a, type, shape) if larger else chosen(less, a, b, type, shape)


def steps_forward(a: Linear, dim: int) -> bool:
    """True when every step along ``dim`` is known to be positive."""
    step = _known_step(a, dim)
    return step is not None and step > 0


def _only(piece: Piece, rank: int) -> Linear:
    return Linear(0, (0,) * rank, (), (piece,))


def _moving(a: Linear, shape: tuple[int, ...]) -> set[int]:
    return {d for d in linear.dims_of(a, shape) if d in varying(shape)}


def _one_dim(sources: list[Linear], shape: tuple[int, ...]) -> int | None:
    """The one dimension along which ``sources`` vary; None when there are others, or none, or lanes."""
    dims: set[int] = set()
    for a in sources:
        if a.lanes:
            return None
        dims |= _moving(a, shape)
    return dims.pop() if len(dims) == 1 else None


def _value(a: Linear, dim: int, type: ir.Type, i: ir.Value) -> Int:
    return linear.value_at(a, type, lambda _: i, (dim,))


def _known_step(a: Linear, dim: int) -> int | None:
    """The step along ``dim`` when it is the same number in every piece."""
    total = a.strides[dim]
    for piece in a.pieces:
        probe = piece.known_step
        if not ints.known(total) or probe is None or not ints.known(piece.scale):
            return None
        total += probe * piece.scale
    return total if ints.known(total) else None


def step_at(a: Linear, dim: int, type: ir.Type, i: ir.Value) -> Int:
    """The step of ``a`` along ``dim`` in the piece that contains index ``i``."""
    total = a.strides[dim]
    for piece in a.pieces:
        if piece.dim == dim:
            total = ints.add(total, ints.mul(piece.step(i), piece.scale, type), type)
    return total


def end_at(a: Linear, dim: int, i: ir.Value, high: Int) -> Int:
    """The first index after the piece of ``dim`` that contains ``i``, at most ``high``."""
    end = high
    for piece in a.pieces:
        if piece.dim == dim:
            end = ints.smaller(end, piece.end(i), ints.index_type())
    return end


def _magnitude(divisor: Int, type: ir.Type) -> ir.Value:
    if ints.known(divisor):
        return ints.value(abs(divisor), type)
    return arith.maxsi(divisor, ints.value(ints.sub(0, divisor, type), type))
