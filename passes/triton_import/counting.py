"""The counter of a loop: addresses, and so ``index``, have 32 bits; an induction variable of 64 bits may need more."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from hexagon_mlir.ir import arith, ir
from hexagon_mlir.ir.intervals import interval
from hexagon_mlir.passes.triton_import import ints, runtime
from hexagon_mlir.passes.triton_import.ints import Int
from hexagon_mlir.passes.triton_import.place import place_in_kernel
from hexagon_mlir.passes.triton_import.types import Unsupported
from hexagon_mlir.passes.triton_import.values import Tensor

if TYPE_CHECKING:
    from hexagon_mlir.passes.triton_import.translate import Translator

Bounds = tuple[ir.Value, ir.Value, ir.Value]
_WORD = 32
_MOST = (1 << _WORD - 1) - 1
_MESSAGE = f"a loop of more than {_MOST} passes"


def counted(t: Translator, op: ir.Operation) -> tuple[Bounds, Callable[[ir.Value], Int]]:
    """Low end, high end and step (``index``) for the ``scf.for`` that replaces ``op``, and a function from the new
    loop's variable to that of ``op``.

    A 64-bit variable whose bounds are not proven to fit a word is computed from the iteration number, which is checked
    at run time to fit one.
    """
    index, type = ints.index_type(), op.regions[0].blocks[0].arguments[0].type
    low, high, step = ends = [_number(t.tensor(v)) for v in list(op.operands)[:3]]
    if type.width <= _WORD or _fits_words(low, high, step):
        first, last, by = (ints.value(ints.cast(n, type, index), index) for n in ends)
        return (first, last, by), lambda i: ints.cast(i, index, type)
    passes = _passes(low, high, step, type)
    if ints.known(passes):
        if passes > _MOST:
            raise Unsupported(_MESSAGE, "several loops, one within the other, may have so many")
    else:
        few = arith.cmpi(arith.CmpIPredicate.ule, passes, ints.value(_MOST, type))
        runtime.check(t.runtime, Tensor(few.type, data=few), place_in_kernel(op.location), _MESSAGE, t.grid[3:])
    first, last, by = (ints.value(n, index) for n in (0, ints.cast(passes, type, index), 1))
    return (first, last, by), lambda i: ints.add(low, ints.mul(ints.cast(i, index, type), step, type), type)


def _number(node: Tensor) -> Int:
    assert node.data is not None
    return node.data


def _fits_words(low: Int, high: Int, step: Int) -> bool:
    """Whether every value up to the first one after the loop fits a word. Bounds extended from words are assumed to be
    at least one step below the largest word, as they must be where the variable is a word.
    """
    if ints.known(low) and ints.known(high) and ints.known(step):
        return low >= -_MOST and max(low, high + step - 1) <= _MOST
    return all(least >= -_MOST - 1 and most <= _MOST for least, most in map(_interval, (low, high, step)))


def _interval(number: Int) -> tuple[int, int]:
    return (number, number) if ints.known(number) else interval(number)


def _passes(low: Int, high: Int, step: Int, type: ir.Type) -> Int:
    """The unsigned trip count."""
    if ints.known(low) and ints.known(high) and ints.known(step):
        return max(0, -((low - high) // step))
    one, zero = ints.value(1, type), ints.value(0, type)
    first, end, by = (ints.value(n, type) for n in (low, high, step))
    last = arith.divui(arith.subi(arith.subi(end, first), one), by)
    return arith.select(arith.cmpi(arith.CmpIPredicate.slt, first, end), arith.addi(last, one), zero)
