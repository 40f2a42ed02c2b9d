"""Calls, which are inlined, and scalar functions applied to every element."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hexagon_mlir.ir import ir
from hexagon_mlir.passes.triton_import import build, control, elementwise, shapes, types, views
from hexagon_mlir.passes.triton_import.types import Unsupported
from hexagon_mlir.passes.triton_import.values import Known, Tensor

if TYPE_CHECKING:
    from hexagon_mlir.passes.triton_import.translate import Translator


def call(t: Translator, op: ir.Operation) -> list[Known]:
    """``tt.call``: the body of the function that Triton did not inline."""
    name = ir.FlatSymbolRefAttr(op.attributes["callee"]).value
    if name not in t.functions:
        raise Unsupported(f"no function '{name}'")
    if name in t.calls:
        raise Unsupported(f"'{name}' calls itself", "write the recursion as a loop")
    block = t.functions[name].regions[0].blocks[0]
    for argument, operand in zip(block.arguments, op.operands, strict=True):
        t.known[argument] = t.of(operand)
    t.calls.append(name)
    try:
        return control.body(t, block, [r.type for r in op.results])
    finally:
        t.calls.pop()


def map_elementwise(t: Translator, op: ir.Operation) -> list[Tensor]:
    """``tt.map_elementwise``: a function of ``pack`` consecutive elements of each operand at a time."""
    pack = ir.IntegerAttr(op.attributes["pack"]).value
    nodes = [part for v in op.operands for part in _parts(t.tensor(v), pack)]
    shape, _ = types.split(op.results[0].type)
    ttir = [types.split(r.type)[1] for r in op.results for _ in range(pack)]
    elements = [types.scalar(e) for e in ttir]

    def emit(*values: ir.Value) -> Sequence[ir.Value]:
        return t.scalars(op.regions[0], values, ttir)

    results = elementwise.apply(nodes, elements, nodes[0].shape, emit)
    return [_interleaved(results[n: n + pack], shape) for n in range(0, len(results), pack)]


def _parts(node: Tensor, pack: int) -> list[Tensor]:
    """Every ``pack``-th element along the last dimension, from each of the first ``pack`` on."""
    if pack == 1:
        return [node]
    shape = (*node.shape[:-1], node.shape[-1] // pack)
    packed = shapes.reshape(node, (*shape, pack))
    assert isinstance(packed, Tensor)
    value, rank = build.full(packed), len(shape) + 1
    return [build.from_full(views.slice_of(value, [0] * (rank - 1) + [k], [*shape, 1], list(range(rank - 1))), shape)
            for k in range(pack)]


def _interleaved(nodes: Sequence[Tensor], shape: tuple[int, ...]) -> Tensor:
    """The inverse of `_parts`."""
    if len(nodes) == 1:
        return nodes[0]
    own, pack = nodes[0].shape, len(nodes)
    out = build.empty((*own, pack), nodes[0].element)
    for k, node in enumerate(nodes):
        value = build.full(shapes.expand_dims(node, len(own)))
        out = views.placed(value, out, [0] * len(own) + [k], [*own, 1])
    result = shapes.reshape(build.from_full(out, (*own, pack)), shape)
    assert isinstance(result, Tensor)
    return result
