"""Which linalg ops compute with words."""

from __future__ import annotations

from hexagon_mlir.ir import ir
from hexagon_mlir.ir.order import nested_ops
from hexagon_mlir.ir.query import input_count
from hexagon_mlir.passes.wide_integers.division import DIVISIONS
from hexagon_mlir.passes.wide_integers.nest import element_of, is_known, is_wide_type
from hexagon_mlir.passes.wide_integers.sums import chunked_loop, sum_of

_LARGE = 8
"""A body with so many operations is worth rewriting even if its results are stored as two words each."""


def reason_against(op: ir.Operation) -> str | None:
    """Why ``op`` cannot compute with words; None when it can."""
    iterators = [str(a) for a in op.attributes["iterator_types"]]
    operations = [o.operation for o in op.regions[0].blocks[0].operations]
    if not iterators:
        return "one element is a scalar"
    if any(is_wide_type(element_of(value.type)) for value in list(op.operands)[input_count(op):]):
        if any("reduction" in text for text in iterators):
            if sum_of(op) is None:
                return "a reduction to them other than a sum"
            if chunked_loop(op) is None:
                return "a sum over several loops of unknown lengths"
            if any(_rows_apart(value.type) for value in op.operands):
                return "a sum of rows at an unknown distance"
        elif len(operations) < _LARGE and not any(inner.name in DIVISIONS for inner in operations):
            return f"{len(operations)} operations for a result of two words"
    for inner in operations:
        seen = any(is_wide_type(v.type) for one in nested_ops(inner) for v in (*one.operands, *one.results))
        if seen and not is_known(inner):
            return f"'{inner.name}' has no form in words"
    return None


def _rows_apart(type_: ir.Type) -> bool:
    """True for a buffer of 64-bit integers with unknown strides: a view of every other word has no vector form."""
    if not isinstance(type_, ir.MemRefType) or not is_wide_type(type_.element_type):
        return False
    return ir.ShapedType.get_dynamic_stride_or_offset() in type_.get_strides_and_offset()[0]
