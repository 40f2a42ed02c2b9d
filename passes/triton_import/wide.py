"""Sums of 64-bit integers that were extended from fewer bits, as sums of words: HVX has no 64-bit lanes."""

from __future__ import annotations

from collections.abc import Sequence

from hexagon_mlir.ir import arith, ir
from hexagon_mlir.passes.triton_import import build, elementwise, ints
from hexagon_mlir.passes.triton_import.reduce import Combine, reduce
from hexagon_mlir.passes.triton_import.values import Tensor, varying

_WORD, _HALF = 32, 16
_LOWER = (1 << _HALF) - 1
_EXTENSIONS = {"arith.extsi": (arith.extsi, arith.shrsi), "arith.extui": (arith.extui, arith.shrui)}


def reduce_wide(nodes: Sequence[Tensor], axis: int, combine: Combine, operation: str | None) -> list[Tensor]:
    """`reduce`; a sum of values extended to 64 bits is computed by sums that fit one word, where possible."""
    node, size = nodes[0], nodes[0].shape[axis]
    extension = _extension(node) if operation == "arith.addi" and size > 1 else None
    if extension is None:
        return reduce(nodes, axis, combine, operation)
    narrow = build.from_compact(extension.operands[0], extension.operands[0].type.element_type, node.shape)
    extend, shift = _EXTENSIONS[_widening(extension).name]
    bits = ir.IntegerType(narrow.element).width
    if size << bits <= 1 << _WORD - 1:
        [words] = elementwise.apply([narrow], [_i32()], node.shape, lambda v: [extend(_i32(), v)])
        return elementwise.apply([_sum(words, axis)], [_i64()], _without(node, axis), lambda v: [extend(_i64(), v)])
    if bits != _WORD or size > 1 << _HALF:
        return reduce(nodes, axis, combine, operation)
    # up to 65,536 halves, the lower ones unsigned: neither sum overflows a word
    half = ints.value(_HALF, _i32())
    lower = elementwise.apply([narrow], [_i32()], node.shape, lambda v: [arith.andi(v, ints.value(_LOWER, _i32()))])
    upper = elementwise.apply([narrow], [_i32()], node.shape, lambda v: [shift(v, half)])

    def combined(low: ir.Value, high: ir.Value) -> list[ir.Value]:
        above = arith.shli(extend(_i64(), high), ints.value(_HALF, _i64()))
        return [arith.addi(arith.extui(_i64(), low), above)]

    return elementwise.apply([_sum(lower[0], axis), _sum(upper[0], axis)], [_i64()], _without(node, axis), combined)


def _extension(node: Tensor) -> ir.Operation | None:
    """The op that only extends the elements of ``node`` to 64 bits, if it has all dimensions of ``node``."""
    if node.element != _i64() or node.dims != varying(node.shape) or not isinstance(node.data, ir.Value):
        return None
    owner = node.data.owner
    op = owner.operation if isinstance(owner, ir.Operation | ir.OpView) else None
    if op is None or op.name != "linalg.generic" or len(op.operands) != 2:
        return None
    body = op.regions[0].blocks[0]
    widening = len(list(body.operations)) == 2 and _widening(op).name in _EXTENSIONS
    return op if widening and _widening(op).operands[0] == body.arguments[0] else None


def _widening(op: ir.Operation) -> ir.Operation:
    """The first operation of its body."""
    return op.regions[0].blocks[0].operations[0].operation


def _sum(node: Tensor, axis: int) -> Tensor:
    return reduce([node], axis, lambda v: [arith.addi(*v)], "arith.addi")[0]


def _without(node: Tensor, axis: int) -> tuple[int, ...]:
    return (*node.shape[:axis], *node.shape[axis + 1:])


def _i32() -> ir.Type:
    return ir.IntegerType.get_signless(_WORD)


def _i64() -> ir.Type:
    return ir.IntegerType.get_signless(2 * _WORD)
