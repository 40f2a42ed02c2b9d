"""Writes the loops and vectors of copies between images and the matrix engine's tiles of their pixels."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial, reduce
from math import gcd
from typing import ClassVar

from hexagon_mlir.dialects.engine_tiles import PLANES, TILE
from hexagon_mlir.ir import ir, make
from hexagon_mlir.ir.constants import constant, index
from hexagon_mlir.passes.byte_interleaving.emitters import GROUP, Emitter, groups, loop, nest, plus
from hexagon_mlir.passes.byte_interleaving.shuffles import Access
from hexagon_mlir.passes.lib.engine_byte_pixels import joins_pixels, steps_of, unpacks_pixels
from hexagon_mlir.passes.lib.engine_byte_tiles import flipped_sign


class _Pack(Emitter):
    """[rows][elements of a row] -> [rows of tiles][tiles][rows][columns][32]; maybe with signs flipped."""

    joined: ClassVar[tuple[int, int]] = 1, 2

    def _known(self) -> bool:
        type_ = ir.MemRefType(self._op.operands[1].type)
        return not any(type_.is_dynamic_dim(dim) for dim in (1, 3, 4))

    def _whole(self) -> bool:
        _, tiles, _, width, channels = ir.MemRefType(self._op.operands[1].type).shape
        return tiles >= GROUP and width % GROUP == 0 and channels == TILE

    def _loops(self) -> None:
        """Four pixels of a row of a tile, of four tiles side by side, at a time."""
        _, tiles, _, width, _ = ir.MemRefType(self._op.operands[1].type).shape
        steps, sign = steps_of(self._op), flipped_sign(self._op)
        assert steps is not None
        aligned = gcd(steps.column, TILE if tiles % GROUP else GROUP * TILE)

        def move(row: ir.Value, first: ir.Value, high: ir.Value, wide: ir.Value) -> Iterator[None]:
            line = make.addi(make.muli(row, index(steps.tile_row)), make.muli(high, index(steps.row)))
            start = make.addi(make.muli(first, index(TILE)), make.muli(wide, index(steps.column)))
            place = make.muli(wide, index(TILE))
            return self._move(
                lambda number: self._source.load(self._bytes, [line, plus(start, number * steps.column)], aligned),
                lambda number, vector: self._target.store(vector, [row, plus(first, number), high, place],
                                                          GROUP * TILE), TILE, sign)

        rows, height = self._count(1, 0), self._count(1, 2)
        loop(rows, 1, lambda row: groups(tiles, lambda first: nest(
            [(height, 1), (width, GROUP)], lambda high, wide: move(row, first, high, wide))))


class _PackNarrow(_Pack):
    """As `_Pack`, tiles side by side less than a tile's row apart: pixels overlap in the image."""

    def _whole(self) -> bool:
        _, _, _, width, channels = ir.MemRefType(self._op.operands[1].type).shape
        steps = steps_of(self._op)
        return steps is not None and steps.column >= TILE and width % GROUP == 0 and channels == TILE

    def _loops(self) -> None:
        """Four pixels of a row of a tile at a time: each is loaded to where it belongs in the vector."""
        _, tiles, _, width, _ = ir.MemRefType(self._op.operands[1].type).shape
        steps, sign = steps_of(self._op), flipped_sign(self._op)
        assert steps is not None
        masks = [self._pixel(number) for number in range(GROUP)]

        def move(row: ir.Value, high: ir.Value, tile: ir.Value, wide: ir.Value) -> Iterator[None]:
            line = make.addi(make.muli(row, index(steps.tile_row)), make.muli(high, index(steps.row)))
            start = make.addi(make.muli(tile, index(steps.tile_column)), make.muli(wide, index(steps.column)))
            vectors = []
            for number in range(GROUP):
                vectors.append(self._source.load(self._bytes, [line, plus(start, number * (steps.column - TILE))], 1))
                yield
            parts = [make.binary("arith.andi", vector, mask) for vector, mask in zip(vectors, masks, strict=True)]
            vector, = self._flipped([reduce(partial(make.binary, "arith.ori"), parts)], sign)
            self._target.store(vector, [row, tile, high, make.muli(wide, index(TILE))], GROUP * TILE)
            yield

        rows, height = self._count(1, 0), self._count(1, 2)
        nest([(rows, 1), (height, 1), (tiles, 1), (width, GROUP)], move)

    def _pixel(self, number: int) -> ir.Value:
        """A vector whose bits are set where it has pixel ``number``. LLVM makes shuffles of selections by constants,
        and moves their elements one by one."""
        ones = [ir.IntegerAttr.get(self._bytes.element_type, -(lane // TILE == number)) for lane in range(GROUP * TILE)]
        return constant(ir.DenseElementsAttr.get(ones, self._bytes))


class _Join(Emitter):
    """Planes [rows][columns][channels][4][rows][columns][32] -> [rows of pixels][columns of pixels][channels][32] sums,
    whose rows and columns are two dimensions each; plus a number of each channel.
    """

    joined: ClassVar[tuple[int, int]] = 2, 1

    def _known(self) -> bool:
        type_ = ir.MemRefType(self._op.operands[0].type)
        return not any(type_.is_dynamic_dim(dim) for dim in (1, 2, 5))

    def _whole(self) -> bool:
        planes, _, width, channels = self._shape[3:]
        return width >= GROUP and (planes, channels) == (PLANES, TILE) and all(
            added.contiguous for added in self._added())

    def _added(self) -> list[Access]:
        return [Access(value, 1, self._bytes.shape[0]) for value in list(self._op.operands)[PLANES:-1]]

    def _loops(self) -> None:
        """Four pixels of a row of a tile at a time; the last ones reach back to those before."""
        _, columns, channels, _, _, width, _ = self._shape
        words = ir.VectorType.get([TILE], ir.IntegerType.get_signless(32))
        added = self._added()

        def move(high: ir.Value, row: ir.Value, column: ir.Value, channel: ir.Value,
                 wide: ir.Value, aligned: int = GROUP * TILE) -> Iterator[None]:
            at = make.muli(wide, index(TILE))

            def stored(number: int, vector: ir.Value) -> None:
                total = ir.Operation.create("vector.bitcast", results=[words], operands=[vector]).result
                for each in added:
                    total = make.addi(total, each.load(words, [channel, index(0)], GROUP * TILE))
                place = [high, row, plus(wide, number), column, channel, index(0)]
                self._target.store(total, place, GROUP * TILE)

            return self._move(lambda plane: self._source.load(
                self._bytes, [row, column, channel, index(plane), high, at], aligned), stored, 1)

        rows, height = self._count(0, 0), self._count(0, 4)
        outer, whole = [(height, 1), (rows, 1), (columns, 1), (channels, 1)], width - width % GROUP
        nest([*outer, (whole, GROUP)], move)
        if whole < width:
            nest(outer, lambda high, row, column, channel: move(high, row, column, channel, index(width - GROUP),
                                                                gcd(width, GROUP) * TILE))


class _Unpack(Emitter):
    """[rows][tiles][rows][columns][32] -> [rows of pixels][columns][tiles][32], whose rows are two dimensions."""

    joined: ClassVar[tuple[int, int]] = 2, 2

    def _known(self) -> bool:
        type_ = ir.MemRefType(self._op.operands[0].type)
        return not any(type_.is_dynamic_dim(dim) for dim in (1, 3))

    def _whole(self) -> bool:
        _, tiles, _, width, channels = self._shape
        return tiles >= GROUP and width % GROUP == 0 and channels == TILE

    def _loops(self) -> None:
        """Four pixels of a row of a tile, of four tiles side by side, at a time."""
        _, tiles, _, width, _ = self._shape
        step = TILE * (1 if tiles % GROUP else GROUP)

        def move(first: ir.Value, high: ir.Value, row: ir.Value, wide: ir.Value) -> Iterator[None]:
            at, column = make.muli(wide, index(TILE)), make.muli(first, index(TILE))
            return self._move(
                lambda number: self._source.load(self._bytes, [row, plus(first, number), high, at], GROUP * TILE),
                lambda number, vector: self._target.store(vector, [high, row, plus(wide, number), column], step),
                TILE)

        rows, height = self._count(0, 0), self._count(0, 2)
        groups(tiles, lambda first: nest([(height, 1), (rows, 1), (width, GROUP)],
                                         lambda high, row, wide: move(first, high, row, wide)))


def pixel_emitter(op: ir.Operation) -> type[Emitter] | None:
    """What writes ``op``, a copy to or from tiles of pixels; None for any other op."""
    steps = steps_of(op)
    if steps is not None:
        return _Pack if steps.tile_column == TILE else _PackNarrow
    if unpacks_pixels(op):
        return _Unpack
    return _Join if joins_pixels(op) else None
