"""``tt.reduce``, ``tt.scan`` and ``tt.dot``."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hexagon_mlir.ir import arith, ir, linalg, scf, tensor
from hexagon_mlir.passes.triton_import import build, ints, views
from hexagon_mlir.passes.triton_import.values import Dims, Tensor, varying

Combine = Callable[[Sequence[ir.Value]], Sequence[ir.Value]]
"""Emits the combiner on (accumulators.., elements..) and returns the new accumulators."""


def neutral(name: str, element: ir.Type) -> ir.Attribute | None:
    """The value that ``name`` (an arith operation) leaves unchanged; None when there is none we know."""
    if isinstance(element, ir.IntegerType):
        top = 1 << (element.width - 1)
        signed = {"arith.addi": 0, "arith.ori": 0, "arith.xori": 0, "arith.maxui": 0, "arith.muli": 1,
                  "arith.andi": -1, "arith.minui": -1, "arith.maxsi": -top, "arith.minsi": top - 1}.get(name)
        return None if signed is None else ir.IntegerAttr.get(element, signed)
    infinity, nan = float("inf"), float("nan")  # maxnumf(NaN, x) is x, and all NaN is NaN
    number = {"arith.addf": 0.0, "arith.mulf": 1.0, "arith.maxnumf": nan, "arith.maximumf": -infinity,
              "arith.minnumf": nan, "arith.minimumf": infinity}.get(name)
    return None if number is None else ir.FloatAttr.get(element, number)


def reduce(nodes: Sequence[Tensor], axis: int, combine: Combine, operation: str | None) -> list[Tensor]:
    """``nodes`` combined along ``axis``; ``operation`` is the one arith operation of the combiner, if it is one."""
    shape = nodes[0].shape
    rest = (*shape[:axis], *shape[axis + 1:])
    if shape[axis] == 1:
        return [_without(node, axis) for node in nodes]
    dims = varying(shape)
    values = [build.dense(node, dims) for node in nodes]
    place = dims.index(axis)
    kept = [d for d in dims if d != axis]
    sizes = [shape[d] for d in kept]
    start = neutral(operation, nodes[0].element) if operation and len(nodes) == 1 else None
    if start is not None:
        scalar = arith.constant(nodes[0].element, start)
        inits = [build.filled(scalar, sizes)]
    else:
        extents = [shape[d] for d in dims]
        axes = [k for k in range(len(dims)) if k != place]
        one = [1 if k == place else n for k, n in enumerate(extents)]
        inits = [views.slice_of(v, [0] * len(dims), one, axes) for v in values]
        others = [n - 1 if k == place else n for k, n in enumerate(extents)]
        from_one = [1 if k == place else 0 for k in range(len(dims))]
        values = [views.slice_of(v, from_one, others, list(range(len(dims)))) for v in values]
    op = linalg.ReduceOp([init.type for init in inits], values, inits, [place])
    elements = [node.element for node in nodes]
    block = op.regions[0].blocks.append(*elements, *elements)
    with ir.InsertionPoint(block):
        arguments = list(block.arguments)
        new, accumulated = arguments[: len(nodes)], arguments[len(nodes):]
        linalg.YieldOp(list(combine([*accumulated, *new])))
    results = [r if sizes else tensor.extract(r, []) for r in op.results]
    return [build.from_compact(r, e, rest) for r, e in zip(results, elements, strict=True)]


def _without(node: Tensor, axis: int) -> Tensor:
    """``node`` without ``axis``, which has one element."""
    shape = (*node.shape[:axis], *node.shape[axis + 1:])
    dims = varying(node.shape)
    return build.from_compact(build.dense(node, dims), node.element, shape)


def scan(nodes: Sequence[Tensor], axis: int, reverse: bool, combine: Combine) -> list[Tensor]:
    """Running combination of ``nodes`` along ``axis``: one element after the other, whole slices at a time."""
    shape = nodes[0].shape
    if shape[axis] == 1:
        return list(nodes)
    dims = varying(shape)
    values = [build.dense(node, dims) for node in nodes]
    place, extents = dims.index(axis), [shape[d] for d in dims]
    kept = [k for k in range(len(dims)) if k != place]
    size = shape[axis]
    index = ints.index_type()

    def at(step: ints.Int) -> ints.Int:
        return ints.sub(size - 1, step, index) if reverse else step

    def slice_at(value: ir.Value, step: ints.Int) -> ir.Value:
        offsets = [at(step) if k == place else 0 for k in range(len(dims))]
        if not kept:
            return tensor.extract(value, [ints.value(o, index) for o in offsets])
        return views.slice_of(value, offsets, [1 if k == place else n for k, n in enumerate(extents)], kept)

    one, end = ints.value(1, index), ints.value(size, index)
    first = [slice_at(v, 0) for v in values]
    loop = scf.ForOp(one, end, one, [*first, *values])
    with ir.InsertionPoint(loop.body):
        step = loop.induction_variable
        state, outs = list(loop.inner_iter_args)[: len(nodes)], list(loop.inner_iter_args)[len(nodes):]
        inputs = [slice_at(v, step) for v in values]
        state = _combined(state, inputs, combine, tuple(range(len(kept))), [extents[k] for k in kept])
        outs = [_put(s, out, at(step), place, extents) for s, out in zip(state, outs, strict=True)]
        scf.YieldOp([*state, *outs])
    results = list(loop.results)[len(nodes):]
    return [build.from_compact(r, n.element, shape) for r, n in zip(results, nodes, strict=True)]


def _combined(state: list[ir.Value], inputs: list[ir.Value], combine: Combine, dims: Dims,
              shape: list[int]) -> list[ir.Value]:
    if not dims:
        return list(combine([*state, *inputs]))
    operands = [(value, dims) for value in (*state, *inputs)]
    elements = [value.type.element_type for value in state]
    return build.generic(operands, dims, shape, elements, lambda arguments, _: combine(arguments))


def _put(value: ir.Value, into: ir.Value, step: ints.Int, place: int, extents: list[int]) -> ir.Value:
    if len(extents) == 1:
        return tensor.insert(value, into, [ints.value(step, ints.index_type())])
    dynamic = [build.DYNAMIC if k == place else 0 for k in range(len(extents))]
    sizes = [1 if k == place else n for k, n in enumerate(extents)]
    position = ints.value(step, ints.index_type())
    return tensor.InsertSliceOp(value, into, [position], [], [], dynamic, sizes, [1] * len(extents)).result


def dot(a: Tensor, b: Tensor, c: Tensor) -> Tensor:
    """a (M,K) times b (K,N) plus c (M,N), or the same with a batch in front; operands widen to c's type."""
    product = linalg.batch_matmul if len(a.shape) == 3 else linalg.matmul
    return build.from_full(product(build.full(a), build.full(b), outs=[build.full(c)]), c.shape)
