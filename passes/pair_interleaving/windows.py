"""Copies of windows of an image that interleave pairs of pixels, to HVX vectors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import gcd

from hexagon_mlir.ir import ir, make, memref, vector
from hexagon_mlir.ir.buffers import start_alignment
from hexagon_mlir.ir.constants import index
from hexagon_mlir.ir.query import element_bytes
from hexagon_mlir.passes.lib.contractions import Index, OperandAccess, access_of
from hexagon_mlir.passes.lib.loop_nests import Unsupported
from hexagon_mlir.passes.lib.move_order import MOST_TOGETHER, beside_each_other, iterations_together
from hexagon_mlir.passes.lib.pair_vectors import joined
from hexagon_mlir.passes.lib.segments import for_loop
from hexagon_mlir.passes.lib.vector_loop import indexing_maps

PAIR = 2
"""Pixels that are interleaved, and so the pieces of a pixel in a vector."""


@dataclass(frozen=True)
class WindowCopy:
    """``pairs[.., column, pair] = rows[.., start + column]``, where every index of ``rows`` is a sum of loops.

    ``pair`` has two iterations, ``column`` half a vector. ``piece`` is a loop whose next iteration reads what follows
    in memory, None where there is none. ``extents`` are iterations, None where they are known at run time only.
    ``reaches_back``: the last piece of an odd number is read with the one before it, as there is nothing after it.
    """

    rows: OperandAccess
    pairs: OperandAccess
    extents: tuple[int | None, ...]
    pair: int
    column: int
    piece: int | None
    reaches_back: bool = False

    @property
    def others(self) -> list[int]:
        """All other loops, outer ones first."""
        return [index.plain for index in self.pairs.indices
                if index.plain is not None and index.plain not in (self.pair, self.column, self.piece)]

    @property
    def is_sum(self) -> bool:
        """True where an index of ``rows`` is no plain loop."""
        return any(index.plain is None for index in self.rows.indices)

    def last(self) -> int | None:
        """The largest place in a row that is read, if it is known."""
        place = self.rows.indices[-1]
        steps = [(factor, self.extents[loop]) for loop, factor in place.terms]
        if any(extent is None for _, extent in steps):
            return None
        return place.constant + sum(factor * (extent - 1) for factor, extent in steps if extent is not None)


def read_windows(op: ir.Operation, vector_bytes: int) -> WindowCopy | None:
    """The windows that ``op``, a copy on buffers, reads; None for any other copy."""
    try:
        rows, pairs = (access_of(value, ir.AffineMapAttr(map_).value)
                       for value, map_ in zip(op.operands, indexing_maps(op) or (), strict=True))
    except Unsupported:
        return None
    loops = [index.plain for index in pairs.indices]
    types = [ir.MemRefType(value.type) for value in op.operands]
    if len(loops) < PAIR or sorted(loop for loop in loops if loop is not None) != list(range(len(loops))):
        return None
    if not (rows.dense and pairs.dense and rows.indices):
        return None
    extents = {loop: None if types[1].is_dynamic_dim(dim) else types[1].shape[dim] for dim, loop in enumerate(loops)}
    column, pair = loops[-2:]
    place, lanes = rows.indices[-1], vector_bytes * 8 // rows.bits
    strides, _ = types[1].get_strides_and_offset()
    assert column is not None and pair is not None
    half = lanes // PAIR
    if extents[pair] != PAIR or extents[column] != half or strides[-2] != PAIR:
        return None
    if place.factor(column) != 1 or any(index.factor(loop) for index in rows.indices[:-1] for loop in (column, pair)):
        return None
    if any(factor < 0 for _, factor in place.terms):
        return None
    follows = [loop for loop in loops if loop is not None and loop not in (column, pair) and place.factor(loop) == half
               and (extents[loop] or 0) > 1 and not any(index.factor(loop) for index in rows.indices[:-1])]
    copy = WindowCopy(rows, pairs, tuple(extents[loop] for loop in range(len(loops))), pair, column,
                      follows[-1] if follows else None)
    if copy.piece is not None and (copy.extents[copy.piece] or 0) % PAIR == 0:
        return copy
    last = copy.last()  # the vector of a piece alone has half a vector after it
    if last is not None and not types[0].is_dynamic_dim(len(types[0].shape) - 1) and last + half < types[0].shape[-1]:
        return copy
    several = copy.piece is not None and (copy.extents[copy.piece] or 0) > PAIR
    return replace(copy, reaches_back=True) if several else None


class WindowEmitter:
    """Writes the loops and vectors of one copy."""

    def __init__(self, op: ir.Operation, copy: WindowCopy, vector_bytes: int) -> None:
        self._copy, self._vector_bytes = copy, vector_bytes
        self._rows, pairs = op.operands
        self._whole = pairs
        type_ = ir.MemRefType(self._rows.type)
        self._element_bytes = element_bytes(type_.element_type)
        self._lanes = vector_bytes // self._element_bytes
        self._vector = ir.VectorType.get([self._lanes], type_.element_type)
        self._pairs = joined(pairs)
        steps = [factor for loop, factor in copy.rows.indices[-1].terms if loop not in (copy.column, copy.piece)]
        steps += _strides(type_)[:-1]
        self._aligned = self._bytes(gcd(*steps, self._lanes), self._rows)
        self._stored = self._bytes(gcd(*_strides(ir.MemRefType(self._pairs.type))[:-1]), self._pairs)

    def emit(self) -> None:
        """Everything, at the insertion point."""
        copy = self._copy
        if copy.piece is None:
            self._around(copy.others, {}, 1)
            return
        piece, count = copy.piece, copy.extents[copy.piece] or 0
        whole = count - count % PAIR

        def two(number: ir.Value, _: list[ir.Value]) -> list[ir.Value]:
            self._around(copy.others, {piece: number}, PAIR)
            return []

        if whole:
            for_loop(index(0), index(whole), PAIR, [], two)
        if whole < count and copy.reaches_back:
            self._aligned = min(self._aligned, self._vector_bytes // PAIR)
            self._around(copy.others, {piece: index(count - PAIR)}, PAIR)
        elif whole < count:
            self._around(copy.others, {piece: index(whole)}, 1)

    def _around(self, loops: Sequence[int], ivs: dict[int, ir.Value], pieces: int) -> None:
        """The loops ``loops`` inside those of ``ivs``; the innermost ones do several iterations at a time."""
        self._nest(loops, self._unrolls(loops), [dict(ivs)], pieces)

    def _unrolls(self, loops: Sequence[int]) -> list[int]:
        """Iterations of each of ``loops`` at a time: of one around another only where that does all of its own."""
        found, left = [1] * len(loops), MOST_TOGETHER
        for position in reversed(range(len(loops))):
            extent = self._copy.extents[loops[position]]
            if extent is None:
                break
            found[position] = iterations_together(extent, left)
            left //= found[position]
            if found[position] < extent:
                break
        return found

    def _nest(self, loops: Sequence[int], unrolls: Sequence[int], places: Sequence[dict[int, ir.Value]],
              pieces: int) -> None:
        """``loops``, so many iterations of each at a time, for each of ``places``."""
        if not loops:
            beside_each_other([self._move(ivs, pieces) for ivs in places])
            return
        loop, unroll = loops[0], unrolls[0]
        extent = self._copy.extents[loop]

        def body(iv: ir.Value, _: list[ir.Value]) -> list[ir.Value]:
            here = [make.addi(iv, index(number)) if number else iv for number in range(unroll)]
            self._nest(loops[1:], unrolls[1:], [{**ivs, loop: at} for ivs in places for at in here], pieces)
            return []

        for_loop(index(0), index(extent) if extent is not None else self._count(loop), unroll, [], body)

    def _count(self, loop: int) -> ir.Value:
        """Iterations of ``loop``, known at run time only."""
        dim = next(dim for dim, sum_ in enumerate(self._copy.pairs.indices) if sum_.plain == loop)
        return memref.dim(self._whole, index(dim))

    def _move(self, ivs: dict[int, ir.Value], pieces: int) -> Iterator[None]:
        """Two vectors of pixels; of them the pairs of so many ``pieces``, step by step."""
        copy = self._copy
        pixels = []
        for number in range(PAIR):
            here = {**ivs, copy.pair: number}
            places = [self._place(sum_, here) for sum_ in copy.rows.indices]
            pixels.append(make.load(self._vector, self._rows, places, self._aligned))
            yield
        both = vector.interleave(*pixels)
        yield
        for number in range(pieces):
            at = dict(ivs)
            if number and copy.piece is not None:
                at[copy.piece] = make.addi(ivs[copy.piece], index(number))
            part = make.shuffle(both, both, range(number * self._lanes, (number + 1) * self._lanes))
            places = [at[sum_.plain] for sum_ in copy.pairs.indices[:-2] if sum_.plain is not None]
            make.store(part, self._pairs, [*places, index(0)], self._stored)
            yield

    def _place(self, sum_: Index, ivs: dict[int, ir.Value | int]) -> ir.Value:
        """``sum_`` without the column."""
        constant, result = sum_.constant, None
        for loop, factor in sum_.terms:
            value = ivs.get(loop, 0)
            if isinstance(value, int):
                constant += factor * value
                continue
            term = value if factor == 1 else make.muli(value, index(factor))
            result = term if result is None else make.addi(result, term)
        if result is None:
            return index(constant)
        return make.addi(result, index(constant)) if constant else result

    def _bytes(self, step: int, buffer: ir.Value) -> int:
        """Bytes that the addresses ``step`` elements apart from the start of ``buffer`` on are a multiple of."""
        found = gcd(step * self._element_bytes, start_alignment(buffer, self._vector_bytes), self._vector_bytes)
        return max(found, self._element_bytes)


def _strides(type_: ir.MemRefType) -> list[int]:
    """In elements, 1 where they are known at run time only."""
    unknown = ir.ShapedType.get_dynamic_stride_or_offset()
    return [1 if stride == unknown else stride for stride in type_.get_strides_and_offset()[0]]
