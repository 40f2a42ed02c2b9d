"""Products of quantized matrices as products of bytes: ``sum((a - x) * (b - y))`` is ``sum(a * b)`` and corrections."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hexagon_mlir.ir import arith, ir, linalg, tensor

PRODUCTS = {"linalg.quantized_matmul": 0, "linalg.quantized_batch_matmul": 1}
"""Op -> number of batch dimensions."""


def is_quantized(op: ir.Operation) -> bool:
    """True for a product that `split_offsets` takes: integers on tensors, zero points as wide as the sums."""
    if op.name not in PRODUCTS or len(op.results) != 1:
        return False
    a, b, x, y, c = (v.type for v in op.operands)
    sums = ir.RankedTensorType(c).element_type
    factors = [ir.RankedTensorType(v).element_type for v in (a, b)]
    return (x == sums and y == sums and isinstance(sums, ir.IntegerType)
            and all(isinstance(f, ir.IntegerType) and f.width < sums.width for f in factors))


def split_offsets(op: ir.Operation) -> None:
    """Replace ``op`` by ``sum(a * b) - y * sum(a - x) - x * sum(b)``, exact modulo 2^32.

    The sum of each row and column is computed once, and the product multiplies bytes.
    """
    a, b, x, y, c = op.operands
    batch = PRODUCTS[op.name]
    rows, columns, steps, count = batch, batch + 1, batch + 2, batch + 3
    outer = list(range(batch))
    with op.location, ir.InsertionPoint(op):
        product = _generic([a, b], c, [[*outer, rows, steps], [*outer, steps, columns], [*outer, rows, columns]],
                           {steps}, count, lambda p, q, old: arith.addi(old, arith.muli(_wide(p, old), _wide(q, old))))
        inner = {batch + 1}
        of_rows = _generic([a], _zeros(a, [*outer, batch], c), [[*outer, batch, batch + 1], [*outer, batch]], inner,
                           batch + 2, lambda p, old: arith.addi(old, arith.subi(_wide(p, old), x)))
        of_columns = _generic([b], _zeros(b, [*outer, batch + 1], c), [[*outer, batch + 1, batch], [*outer, batch]],
                              inner, batch + 2, lambda p, old: arith.addi(old, _wide(p, old)))
        both = [*outer, rows, columns]
        result = _generic([product, of_rows, of_columns], c, [both, [*outer, rows], [*outer, columns], both], set(),
                          batch + 2, lambda p, of_row, of_column, _: arith.subi(
                              arith.subi(p, arith.muli(y, of_row)), arith.muli(x, of_column)))
    op.results[0].replace_all_uses_with(result)
    op.erase()


def _wide(value: ir.Value, like: ir.Value) -> ir.Value:
    return arith.extsi(like.type, value)


def _zeros(source: ir.Value, dims: Sequence[int], like: ir.Value) -> ir.Value:
    """Zeros of the element type of ``like``, as long as ``dims`` of ``source``."""
    element, type_ = ir.RankedTensorType(like.type).element_type, ir.RankedTensorType(source.type)
    sizes = [tensor.dim(source, arith.constant(ir.IndexType.get(), d)) if type_.is_dynamic_dim(d) else type_.shape[d]
             for d in dims]
    return linalg.fill(arith.constant(element, 0), outs=[tensor.empty(sizes, element)])


def _generic(inputs: Sequence[ir.Value], output: ir.Value, dims: Sequence[Sequence[int]], reductions: set[int],
             loops: int, body: Callable[..., ir.Value]) -> ir.Value:
    """A linalg.generic whose operand i is indexed by the loops ``dims[i]``."""
    maps = [ir.AffineMapAttr.get(ir.AffineMap.get(loops, 0, [ir.AffineDimExpr.get(d) for d in of])) for of in dims]
    kinds = [f"#linalg.iterator_type<{'reduction' if loop in reductions else 'parallel'}>" for loop in range(loops)]
    op = linalg.GenericOp([output.type], inputs, [output], ir.ArrayAttr.get(maps),
                          ir.ArrayAttr.get([ir.Attribute.parse(kind) for kind in kinds]))
    block = op.regions[0].blocks.append(*(ir.ShapedType(v.type).element_type for v in (*inputs, output)))
    with ir.InsertionPoint(block):
        linalg.YieldOp([body(*block.arguments)])
    return op.results[0]
