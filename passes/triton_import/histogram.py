"""``tt.histogram``: every bin is compared with every value, a vector of bytes at a time, where bins are few.

The values are narrowed to bytes and arranged in rows of a matrix. Each column has its own counters, bytes too: there
are no more rows than such a counter can count. The result is the sum of the counters.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hexagon_mlir.ir import arith, bufferization, ir, linalg, make, memref, scf, tensor
from hexagon_mlir.passes.triton_import import elementwise, ints
from hexagon_mlir.passes.triton_import.build import dense, filled
from hexagon_mlir.passes.triton_import.values import Tensor, varying

_BYTE = 8
_NOWHERE = (1 << _BYTE) - 1
"""The bin number of values that are in no bin, and of those in the last of 256; -1 as a signed byte."""
_ROWS = 1 << (_BYTE - 1)
_WORTH = 8  # values per bin: with fewer, adding up the counters of a bin takes longer than counting one by one


def histogram(values: Tensor, mask: Tensor | None, bins: int, element: ir.Type) -> Tensor:
    """How many of ``values`` (1-D, 32 bits) equal each of 0 .. bins - 1; others are not counted."""
    few = bins <= 1 << _BYTE and values.shape[0] >= _WORTH * bins and bool(varying(values.shape))
    counts = (_compared if few else _one_by_one)(values, mask, bins, element)
    if bins == 1:
        return Tensor(element, (1,), (), tensor.extract(counts, [ints.value(0, ints.index_type())]))
    return Tensor(element, (bins,), (0,), counts)


def _compared(values: Tensor, mask: Tensor | None, bins: int, element: ir.Type) -> ir.Value:
    size, = values.shape
    byte = ir.IntegerType.get_signless(_BYTE)
    nodes = [node for node in (values, mask) if node is not None]

    def counted(value: ir.Value, *selected: ir.Value) -> ir.Value:
        inside = arith.cmpi(arith.CmpIPredicate.ult, value, ints.value(bins, value.type))
        return arith.andi(inside, selected[0]) if selected else inside

    def number(value: ir.Value, *selected: ir.Value) -> ir.Value:
        return arith.select(counted(value, *selected), arith.trunci(byte, value), ints.value(-1, byte))

    def left_out(value: ir.Value, *selected: ir.Value) -> ir.Value:
        return arith.select(counted(value, *selected), ints.value(0, element), ints.value(-1, element))

    columns = max(size // _ROWS, min(size, _ROWS))
    numbers = dense(elementwise.apply(nodes, [byte], values.shape, number)[0], (0,))
    rows = tensor.expand_shape(ir.RankedTensorType.get([size // columns, columns], byte), numbers, [[0, 1]], [],
                               [size // columns, columns])

    def compare(value: ir.Value, count: ir.Value) -> ir.Value:
        bin_ = arith.index_cast(byte, linalg.IndexOp(0).result)
        return arith.addi(count, arith.extui(byte, arith.cmpi(arith.CmpIPredicate.eq, value, bin_)))

    counters = _accumulated(rows, "bin, row, column", "row, column", filled(ints.value(0, byte), [bins, columns]),
                            "bin, column", compare)
    counts = filled(ints.value(0, element), [bins])
    if bins > _NOWHERE:  # the last bin has counted the values that are in no bin
        others = dense(elementwise.apply(nodes, [element], values.shape, left_out)[0], (0,))
        surplus = _accumulated(others, "value", "value", filled(ints.value(0, element), []), "", arith.addi)
        total = tensor.extract(surplus, [])
        counts = tensor.insert(total, counts, [ints.value(_NOWHERE, ints.index_type())])
    return _accumulated(counters, "bin, column", "bin, column", counts, "bin",
                        lambda count, total: arith.addi(total, arith.extui(element, count)))


def _accumulated(source: ir.Value, loops: str, read: str, start: ir.Value, written: str,
                 combine: Callable[[ir.Value, ir.Value], ir.Value]) -> ir.Value:
    """``combine(element of source, accumulated)`` over all ``loops``; those not in ``written`` are reductions."""
    names = loops.split(", ")

    def map_(of: str) -> ir.Attribute:
        chosen: Sequence[ir.AffineExpr] = [ir.AffineDimExpr.get(names.index(n)) for n in of.split(", ") if n]
        return ir.AffineMapAttr.get(ir.AffineMap.get(len(names), 0, list(chosen)))

    kinds = ["parallel" if name in written.split(", ") else "reduction" for name in names]
    op = linalg.GenericOp([start.type], [source], [start], ir.ArrayAttr.get([map_(read), map_(written)]),
                          ir.ArrayAttr.get([ir.Attribute.parse(f"#linalg.iterator_type<{k}>") for k in kinds]))
    block = op.regions[0].blocks.append(source.type.element_type, start.type.element_type)
    with ir.InsertionPoint(block):
        linalg.YieldOp([combine(*block.arguments)])
    return op.results[0]


def _one_by_one(values: Tensor, mask: Tensor | None, bins: int, element: ir.Type) -> ir.Value:
    index = ints.index_type()
    zero, one, end = (ints.value(n, index) for n in (0, 1, values.shape[0]))
    counts = memref.alloc(ir.MemRefType.get([bins], element), [], [])
    make.fill(ints.value(0, element), counts)
    sources = [dense(node, varying(values.shape)) for node in (values, mask) if node is not None]
    loop = scf.ForOp(zero, end, one)
    with ir.InsertionPoint(loop.body):
        elements = [tensor.extract(s, [loop.induction_variable]) if varying(values.shape) else s for s in sources]
        bucket = arith.index_cast(index, elements[0])
        inside = arith.cmpi(arith.CmpIPredicate.ult, bucket, ints.value(bins, index))
        if mask is not None:
            inside = arith.andi(inside, elements[1])
        branch = scf.IfOp(inside)
        with ir.InsertionPoint(branch.then_block):
            memref.store(arith.addi(memref.load(counts, [bucket]), ints.value(1, element)), counts, [bucket])
            scf.YieldOp([])
        scf.YieldOp([])
    result = ir.RankedTensorType.get([bins], element)
    return bufferization.ToTensorOp(result, counts, restrict=True, writable=True).result
