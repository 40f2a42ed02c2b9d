"""Whether the chunks of an scf.forall may be merged into one, as far as tensors show."""

from __future__ import annotations

from hexagon_mlir.ir import ir

_WITH_REGION = ("linalg.generic", "scf.forall.in_parallel")


def even_chunks(forall: ir.Operation) -> tuple[int, int] | None:
    """(extent, chunk length) where ``forall`` is one loop from 0 with several chunks of equal length."""
    lower, upper, step = (list(ir.DenseI64ArrayAttr(forall.attributes[f"static{side}"]))
                          for side in ("LowerBound", "UpperBound", "Step"))
    if lower != [0] or ir.ShapedType.get_dynamic_size() in (upper[0], step[0]):
        return None
    return (upper[0], step[0]) if upper[0] > step[0] > 0 and upper[0] % step[0] == 0 else None


def is_elementwise(op: ir.Operation) -> bool:
    """True for a linalg.generic without reductions."""
    return op.name == "linalg.generic" and all("parallel" in str(kind) for kind in op.attributes["iterator_types"])


def can_serialize(forall: ir.Operation) -> bool:
    """True where ``forall`` has chunks of equal length and its body has elementwise ops only."""
    operations = [view.operation for view in forall.regions[0].blocks[0].operations]
    return even_chunks(forall) is not None and all(
        op.name in _WITH_REGION and (op.name != "linalg.generic" or is_elementwise(op))
        for op in operations if len(op.regions))
