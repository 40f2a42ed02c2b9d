"""Element-wise operations: arith and math on tensors, as scalar code on uniform operands, else as linalg.generic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from hexagon_mlir.ir import arith, ir, math
from hexagon_mlir.passes.math_library.exact import divide_exactly, sqrt_exactly
from hexagon_mlir.passes.math_library.lanes import Float, Lanes
from hexagon_mlir.passes.triton_import import expansion, ints, linear, masks, piecewise_affine, quotients
from hexagon_mlir.passes.triton_import.build import generic, scalar_of
from hexagon_mlir.passes.triton_import.values import IndexOf, Linear, Mask, Tensor

Emit = Callable[..., "ir.Value | Sequence[ir.Value]"]
_WIDE = 64
"""Bits of integers that have no vector lanes."""


def apply(nodes: Sequence[Tensor], elements: Sequence[ir.Type], shape: tuple[int, ...], emit: Emit,
          cheap: bool = False) -> list[Tensor]:
    """``emit(*scalars)`` for every element of ``nodes``; one node per entry of ``elements``.

    ``cheap`` marks integer work on indices: without a tensor among the inputs it is emitted where it is used.
    """
    groups = expansion.common(nodes)
    if groups is not None:
        parts = [expansion.expand(node, *groups) for node in nodes]
        return [expansion.collapse(node, groups[0]) for node in apply(parts, elements, parts[0].shape, emit, cheap)]
    dims = tuple(sorted({d for node in nodes for d in node.dims}))
    if not dims:
        results = _listed(emit(*[scalar_of(node) for node in nodes]))
        return [Tensor(e, shape, (), r) for e, r in zip(elements, results, strict=True)]
    indexed = all(node.uniform or node.expression is not None for node in nodes)
    if cheap and indexed and len(elements) == 1:
        def expression(index: IndexOf) -> ir.Value:
            return _listed(emit(*[at(node, index) for node in nodes]))[0]

        return [Tensor(elements[0], shape, dims, expression=expression)]
    inputs = [(node.data, node.dims) for node in nodes if node.dims and node.expression is None]

    def body(arguments: Sequence[ir.Value], index: IndexOf) -> Sequence[ir.Value]:
        tensors = iter(arguments)
        return _listed(emit(*[at(node, index) if node.uniform or node.expression is not None else next(tensors)
                              for node in nodes]))

    values = generic(inputs, dims, [shape[d] for d in dims], elements, body)
    return [Tensor(e, shape, dims, v) for e, v in zip(elements, values, strict=True)]


def at(node: Tensor, index: IndexOf) -> ir.Value:
    """The scalar of a uniform or index-computed ``node``."""
    return node.expression(index) if node.expression is not None else scalar_of(node)


def _listed(result: ir.Value | Sequence[ir.Value]) -> Sequence[ir.Value]:
    return result if isinstance(result, list | tuple | ir.OpResultList) else [result]


def clone(op: ir.Operation, nodes: Sequence[Tensor], elements: Sequence[ir.Type],
          shape: tuple[int, ...]) -> list[Tensor]:
    """A registered element-wise ``op`` on ``nodes``; linear forms and masks are propagated."""
    attributes = dict(op.attributes.items())
    name = op.name

    def emit(*scalars: ir.Value) -> Sequence[ir.Value]:
        made = ir.Operation.create(name, results=list(elements), operands=list(scalars), attributes=attributes)
        return list(made.results)

    integers = all(isinstance(e, ir.IntegerType) for e in (*elements, *(n.element for n in nodes)))
    results = _folded(name, nodes, elements, shape) if integers else None
    if results is None:
        results = apply(nodes, elements, shape, emit, cheap=integers)
    if integers and len(results) == 1 and shape:
        facts = _facts(op, nodes, elements[0], shape)
        if isinstance(facts, Linear) and name in quotients.NAMES:  # simpler than the division of each element
            return [linear.as_node(facts, elements[0], shape)]
        if isinstance(facts, Linear):
            return [replace(results[0], linear=facts)]
        if isinstance(facts, Mask):
            return [replace(results[0], mask=facts)]
    return results


_FOLDED = {"arith.addi": ints.add, "arith.subi": ints.sub, "arith.muli": ints.mul}


def _folded(name: str, nodes: Sequence[Tensor], elements: Sequence[ir.Type],
            shape: tuple[int, ...]) -> list[Tensor] | None:
    """Constant-folds arithmetic on Python integers: strides and bounds become static."""
    if not all(node.uniform and isinstance(node.data, int) for node in nodes) or len(elements) != 1:
        return None
    element = elements[0]
    if name in _FOLDED:
        return [Tensor(element, shape, (), _FOLDED[name](nodes[0].data, nodes[1].data, element))]
    if name in ("arith.extsi", "arith.trunci"):
        return [Tensor(element, shape, (), ints.wrap(nodes[0].data, element))]
    return None


def _facts(op: ir.Operation, nodes: Sequence[Tensor], element: ir.Type, shape: tuple[int, ...]) -> Linear | Mask | None:
    """The linear form or mask of an integer result, when the operation keeps one."""
    name = op.name
    bit = isinstance(element, ir.IntegerType) and element.width == 1
    if bit and name == "arith.andi":
        return masks.both(masks.mask_of(nodes[0]), masks.mask_of(nodes[1]))
    if name == "arith.cmpi":
        a, b = (node.linear or (linear.linear_of(node) if node.uniform else None) for node in nodes)
        if a is None or b is None or (not any(n.dims for n in nodes)):
            return None
        predicate = ir.IntegerAttr(op.attributes["predicate"]).value
        return masks.compared(predicate, a, b, nodes[0].element, shape)
    if not bit and element.width < _WIDE // 2:  # narrow numbers wrap: they are no linear function of the index
        return None
    if name == "arith.select" and not bit and nodes[0].mask is not None:
        a, b = (linear.linear_of(node) for node in nodes[1:])
        return piecewise_affine.chosen(nodes[0].mask, a, b, element, shape)
    if bit or all(node.uniform for node in nodes) or any(n.element.width == 1 for n in nodes):
        return None
    if not any(node.linear is not None or node.expression is not None for node in nodes):
        return _wide(name, nodes, element)
    if name in ("arith.addi", "arith.subi"):
        a, b = (linear.linear_of(node) for node in nodes)
        return linear.added(a, b if name == "arith.addi" else linear.scaled(b, -1, element), element)
    if name == "arith.muli":
        for node, other in ((nodes[0], nodes[1]), (nodes[1], nodes[0])):
            if other.uniform:
                return linear.scaled(linear.linear_of(node), other.data, element)
        return None
    if name in quotients.NAMES and nodes[1].uniform and ints.known(nodes[1].data):
        aligned = quotients.of_aligned(name, linear.linear_of(nodes[0]), nodes[1].data, element, shape)
        if aligned is not None:
            return aligned
    if name in piecewise_affine.DIVISIONS and nodes[1].uniform:
        assert nodes[1].data is not None
        return piecewise_affine.divided(name, linear.linear_of(nodes[0]), nodes[1].data, element, shape)
    if name in ("arith.minsi", "arith.maxsi"):
        a, b = (linear.linear_of(node) for node in nodes)
        return piecewise_affine.smaller(a, b, element, shape, larger=name == "arith.maxsi")
    if name == "arith.shli" and nodes[1].uniform and ints.known(nodes[1].data):
        return linear.scaled(linear.linear_of(nodes[0]), ints.wrap(1 << nodes[1].data, element), element)
    if name in ("arith.extsi", "arith.trunci"):
        return linear.converted(linear.linear_of(nodes[0]), nodes[0].element, element)
    return None


def _wide(name: str, nodes: Sequence[Tensor], element: ir.Type) -> Linear | None:
    """The linear form of 64-bit data extended from narrower ones or loaded: as addresses they need no 64-bit
    arithmetic."""
    if element.width < _WIDE:
        return None
    if name == "arith.extsi":
        return linear.converted(linear.linear_of(nodes[0]), nodes[0].element, element)
    if name == "arith.extui" and nodes[0].element.width < _WIDE // 2:
        word = ir.IntegerType.get_signless(_WIDE // 2)
        node, = apply(nodes, [word], nodes[0].shape, lambda x: arith.extui(word, x))
        return linear.converted(linear.linear_of(node), word, element)
    place = next((k for k, node in enumerate(nodes) if node.uniform), None)
    if place is None or len(nodes) != 2:
        return None
    if name == "arith.muli":
        return linear.scaled(linear.linear_of(nodes[1 - place]), nodes[place].data, element)
    if name == "arith.addi" or (name == "arith.subi" and place == 1):
        a, b = (linear.linear_of(node) for node in nodes)
        return linear.added(a, b if name == "arith.addi" else linear.scaled(b, -1, element), element)
    return None


def clamp(x: ir.Value, low: ir.Value, high: ir.Value, propagate_nan: bool) -> ir.Value:
    """x limited to [low, high]; a NaN gives ``low`` unless it propagates."""
    if propagate_nan:
        return arith.minimumf(arith.maximumf(x, low), high)
    return arith.minnumf(arith.maxnumf(x, low), high)


def _exactly(function: Callable[..., Float], operation: Callable[..., ir.Value]) -> Emit:
    """``function`` of f32 numbers; f64 numbers are rounded exactly anyway."""
    def emit(*operands: ir.Value) -> ir.Value:
        if not isinstance(operands[0].type, ir.F32Type):
            return operation(*operands)
        lanes = Lanes(operands[0].type, qfloat=True)  # exact in either arithmetic
        return function(*(Float(lanes, x) for x in operands)).value

    return emit


SIMPLE: dict[str, Emit] = {
    "tt.precise_divf": _exactly(divide_exactly, arith.divf),
    "tt.precise_sqrt": _exactly(sqrt_exactly, math.sqrt),
    "tt.mulhiui": lambda a, b: arith.mului_extended(a, b)[1],
}
