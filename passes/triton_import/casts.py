"""Conversions between float types, 8-bit ones and explicit rounding included, and reinterpretation of bits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hexagon_mlir.ir import arith, ir
from hexagon_mlir.passes.triton_import import elementwise, float8, types
from hexagon_mlir.passes.triton_import.types import Unsupported
from hexagon_mlir.passes.triton_import.values import Tensor

_TOWARDS_ZERO = 0
"""TTIR's number of that rounding mode; 1 is to nearest, ties to even."""


def convert(node: Tensor, source: ir.Type, target: ir.Type, rounding: int | None) -> Tensor:
    """``node``, of TTIR element type ``source``, as ``target``; both are floats."""
    element = types.scalar(target)

    def emit(x: ir.Value) -> ir.Value:
        wide = widened(x, source)
        nearest = _narrowed(wide, target)
        if rounding != _TOWARDS_ZERO or _width(target) >= _width(source):
            return nearest
        bits = ir.IntegerType.get_signless(_width(target))
        raw = nearest if nearest.type == bits else arith.bitcast(bits, nearest)
        back = widened(nearest, target)
        if back.type != wide.type:
            back = arith.extf(wide.type, back)
        raw = float8.truncated(wide, raw, back)
        return raw if raw.type == element else arith.bitcast(element, raw)

    return elementwise.apply([node], [element], node.shape, emit)[0]


def as_float(node: Tensor, source: ir.Type, element: ir.Type) -> Tensor:
    """``node`` as ``element`` when its TTIR type is an 8-bit float; else unchanged."""
    return convert(node, source, element, None) if str(source) in types.FLOAT8 else node


def in_f32(op: ir.Operation, nodes: Sequence[Tensor], sources: Sequence[ir.Type], results: Sequence[ir.Type],
           shape: tuple[int, ...]) -> list[Tensor]:
    """Element-wise ``op`` on 8-bit floats: computed in f32, which holds their sums and products, and rounded once."""
    f32 = ir.F32Type.get()
    wide = [as_float(node, source, f32) for node, source in zip(nodes, sources, strict=True)]
    elements = [f32 if str(result) in types.FLOAT8 else types.scalar(result) for result in results]
    return [convert(node, f32, result, None) if str(result) in types.FLOAT8 else node
            for node, result in zip(elementwise.clone(op, wide, elements, shape), results, strict=True)]


def widened(x: ir.Value, source: ir.Type) -> ir.Value:
    """``x`` as f32, or unchanged when it is f64."""
    if str(source) in types.FLOAT8:
        return float8.widen(x, str(source))
    return x if x.type.width >= 32 else arith.extf(ir.F32Type.get(), x)


def _narrowed(x: ir.Value, target: ir.Type) -> ir.Value:
    if str(target) in types.FLOAT8:
        x = x if x.type.width == 32 else arith.truncf(ir.F32Type.get(), x)
        return float8.narrow(x, str(target))
    if x.type == target:
        return x
    return arith.extf(target, x) if target.width > x.type.width else arith.truncf(target, x)


def _width(type: ir.Type) -> int:
    return types.scalar(type).width


def bitcast(node: Tensor, target: ir.Type) -> Tensor:
    """The bits of ``node`` as elements of TTIR type ``target``."""
    element = types.scalar(target)
    if node.element == element:
        return node
    if node.element.width != element.width:
        raise Unsupported(f"bits of {node.element} as {element}")
    bits, = elementwise.apply([node], [element], node.shape, lambda x: arith.bitcast(element, x))
    return replace(bits, padded=node.padded)
