"""Tiles of a loop whose trip count is known at run time: their size is a function of the count, computed at launch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hexagon_mlir.ir import arith, ir
from hexagon_mlir.ir.bounds import constant_value
from hexagon_mlir.ir.constants import index
from hexagon_mlir.ir.query import find_ops

_STEP = 4
"""Ratio of the trip counts up to which loops have the same number of tiles."""
_CLASSES = 4
"""Most numbers of tiles: each costs a division by a constant and a comparison at launch."""


@dataclass(frozen=True)
class RunTimeTile:
    """Iterations of a tile as a function of the trip count.

    ``tiles`` are pairs: up to so many iterations, there are so many equal tiles; beyond the last, tiles have ``most``
    iterations. Sizes are multiples of ``unit``, from ``unit`` to ``most``.
    """

    tiles: tuple[tuple[int, int], ...]
    unit: int
    most: int

    def size(self, count: int) -> int:
        """Of a loop of ``count`` iterations; `emit` writes the same arithmetic."""
        of = next((tiles for limit, tiles in self.tiles if count <= limit), None)
        equal = self.most if of is None else (count + of * self.unit - 1) // (of * self.unit) * self.unit
        return max(min(equal, self.most), self.unit)

    def emit(self, count: ir.Value) -> ir.Value:
        """Write `size` of the index ``count`` at the insertion point."""
        size = most = index(self.most)
        for limit, tiles in reversed(self.tiles):
            together = index(tiles * self.unit)
            units = arith.divui(arith.addi(count, index(tiles * self.unit - 1)), together)
            fits = arith.cmpi(arith.CmpIPredicate.ule, count, index(limit))
            size = arith.select(fits, arith.muli(units, index(self.unit)), size)
        return arith.maxui(arith.minui(size, most), index(self.unit))


def run_time_tile(choose: Callable[[int], int], unit: int, most: int) -> RunTimeTile:
    """What ``choose``, the tile size for a number of iterations, says for numbers in a few ranges; at most ``most``."""
    whole = unit
    while 2 * whole <= most and choose(2 * whole) == 2 * whole:
        whole *= 2
    tiles, largest = [(whole, 1)], whole
    while len(tiles) < _CLASSES and largest < most:
        limit = tiles[-1][0] * _STEP
        middle = limit // 2
        count = max(-(-middle // choose(middle)), tiles[-1][1])
        if count == tiles[-1][1]:
            tiles.pop()
        tiles.append((limit, count))
        largest = min(-(-limit // count), most)
    largest = max(-(-largest // unit) * unit, unit)
    return RunTimeTile(tuple(tiles), unit, min(largest, most // unit * unit or unit))


def set_step(loops: ir.Operation, tile: RunTimeTile) -> None:
    """Let the loop with a count that is known at run time, ``loops`` or one that it holds, whose step is the constant
    ``tile.most``, have steps of ``tile``.
    """
    for loop in find_ops(loops, lambda op: op.name == "scf.for" and constant_value(op.operands[1]) is None
                         and constant_value(op.operands[2]) == tile.most):
        with loop.location, ir.InsertionPoint(loops):
            step = tile.emit(loop.operands[1])
        loop.operands[2] = step
        for use in list(loop.regions[0].blocks[0].arguments[0].uses):
            if use.owner.operation.name == "affine.min":
                _replace_constant(use.owner.operation, tile.most, step)
        return


def _replace_constant(op: ir.Operation, number: int, value: ir.Value) -> None:
    """Let the result ``number`` of the affine map of ``op`` be ``value``."""
    map_ = ir.AffineMapAttr(op.attributes["map"]).value
    last = ir.AffineSymbolExpr.get(map_.n_symbols)
    results = [last if isinstance(e, ir.AffineConstantExpr) and e.value == number else e for e in map_.results]
    with op.location, ir.InsertionPoint(op):
        new = ir.Operation.create(op.name, results=[ir.IndexType.get()], operands=[*op.operands, value], attributes={
            "map": ir.AffineMapAttr.get(ir.AffineMap.get(map_.n_dims, map_.n_symbols + 1, results))})
    op.results[0].replace_all_uses_with(new.results[0])
    op.erase()
