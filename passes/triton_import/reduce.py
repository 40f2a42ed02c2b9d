"""``tt.reduce``, ``tt.scan`` and ``tt.dot``."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hexagon_mlir.ir import arith, ir, linalg, tensor
from hexagon_mlir.passes.triton_import import build, views
from hexagon_mlir.passes.triton_import.values import Tensor, varying

Combine = Callable[[Sequence[ir.Value]], Sequence[ir.Value]]
"""Emits the combiner on (accumulators.., elements..) and returns the new accumulators."""


def neutral(name: str, element: ir.Type) -> ir.Attribute | None:
    """The neutral element of ``name`` (an arith operation); None when it has none."""
    if isinstance(element, ir.IntegerType):
        top = 1 << (element.width - 1)
        signed = {"arith.addi": 0, "arith.ori": 0, "arith.xori": 0, "arith.maxui": 0, "arith.muli": 1,
                  "arith.andi": -1, "arith.minui": -1, "arith.maxsi": -top, "arith.minsi": top - 1}.get(name)
        return None if signed is None else ir.IntegerAttr.get(element, signed)
    infinity, nan = float("inf"), float("nan")  # maxnumf(NaN, x) is x, and the result for NaN alone is NaN
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
    """Running combination of ``nodes`` along ``axis``.

    In log2(size) steps, each elementwise: after the one of distance d, an element is the combination of the 2 d
    elements that end with it (Hillis and Steele, "Data parallel algorithms", CACM, 1986).
    """
    shape, size = nodes[0].shape, nodes[0].shape[axis]
    if size == 1:
        return list(nodes)
    dims = varying(shape)
    values = [build.dense(node, dims) for node in nodes]
    extents, every = [shape[d] for d in dims], list(range(len(dims)))

    def part(value: ir.Value, start: int, count: int) -> ir.Value:
        return views.slice_of(value, *_along(dims.index(axis), extents, start, count), every)

    distance = 1
    while distance < size:
        count = size - distance
        early = [part(v, 0, count) for v in values]
        late = [part(v, distance, count) for v in values]
        sizes = _along(dims.index(axis), extents, 0, count)[1]
        inputs = (*late, *early) if reverse else (*early, *late)
        sums = build.generic([(v, tuple(every)) for v in inputs], tuple(every), sizes,
                             [node.element for node in nodes], lambda arguments, _: combine(arguments))
        done, start = (count, 0) if reverse else (0, distance)
        values = [_concatenated(part(v, done, distance), done, s, start, dims.index(axis), extents)
                  for v, s in zip(values, sums, strict=True)]
        distance *= 2
    return [build.from_compact(v, n.element, shape) for v, n in zip(values, nodes, strict=True)]


def _along(place: int, extents: list[int], start: int, count: int) -> tuple[list[int], list[int]]:
    """Offsets and sizes of ``count`` elements of axis ``place``, whole along the others."""
    return ([start if k == place else 0 for k in range(len(extents))],
            [count if k == place else n for k, n in enumerate(extents)])


def _concatenated(first: ir.Value, at: int, second: ir.Value, start: int, place: int, extents: list[int]) -> ir.Value:
    """A new tensor of ``first`` at element ``at`` and ``second`` at element ``start`` of axis ``place``."""
    out = build.empty(extents, first.type.element_type)
    for value, offset in ((first, at), (second, start)):
        out = views.placed(value, out, *_along(place, extents, offset, value.type.shape[place]))
    return out


def dot(a: Tensor, b: Tensor, c: Tensor) -> Tensor:
    """a (M,K) times b (K,N) plus c (M,N), or the same with a batch in front; operands widen to c's type."""
    product = linalg.batch_matmul if len(a.shape) == 3 else linalg.matmul
    return build.from_full(product(build.full(a), build.full(b), outs=[build.full(c)]), c.shape)
