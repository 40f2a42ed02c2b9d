"""Elementwise ops that read a product which the matrix engine may compute."""

from __future__ import annotations

from hexagon_mlir.ir import ir
from hexagon_mlir.ir.query import input_count
from hexagon_mlir.passes.fusion.widen import is_contraction


def is_epilogue(op: ir.Operation) -> bool:
    """True for an elementwise op after a product that does not end in one consumer: a reduction reads its result, or
    what is no linalg op does, and others do as well.
    """
    uses = list(op.results[0].uses)
    apart = [use for use in uses if use.owner.operation.name != "linalg.generic" or not _is_elementwise(use.owner)]
    return len(uses) > 1 and bool(apart) and _is_elementwise(op) and _reads_sums(op)


def _reads_sums(op: ir.Operation) -> bool:
    """True where elementwise op ``op`` reads the sums of a product of f16, itself or through elementwise ops whose
    results nothing else reads.
    """
    for value in list(op.operands)[:input_count(op)]:
        if isinstance(value.owner, ir.Block) or value.owner.operation.name != "linalg.generic":
            continue
        maker = value.owner.operation
        if is_contraction(maker):
            if _multiplies_halves(maker):
                return True
        elif len(list(value.uses)) == 1 and _is_elementwise(maker) and _reads_sums(maker):
            return True
    return False


def _is_elementwise(op: ir.Operation) -> bool:
    return all("parallel" in str(kind) for kind in op.attributes["iterator_types"])


def _multiplies_halves(op: ir.Operation) -> bool:
    types = [value.type for value in list(op.operands)[:input_count(op)]]
    return all(isinstance(type_, ir.RankedTensorType) and isinstance(type_.element_type, ir.F16Type) for type_ in types)
