"""Reductions to a value and its position, as torch-mlir writes max, min, argmax and argmin, as two reductions.

The reduction of positions is omitted where its result is unused, as for amax; it is in i32 and converted to i64 at the
end. A NaN is the extreme, and the first one's position the result, as in PyTorch (torch-mlir's loop skips NaN).
"""

from __future__ import annotations

from collections.abc import Sequence

from hexagon_mlir.ir import arith, ir, linalg, tensor
from hexagon_mlir.ir.query import ops_named

_EXTREMES = frozenset({"arith.maximumf", "arith.minimumf", "arith.maxsi", "arith.minsi"})
_NONE = (1 << 31) - 1  # larger than any position


def split_extremes(module: ir.Module) -> None:
    """Rewrite every such reduction of ``module``."""
    for op in [op for op in ops_named(module, "linalg.generic") if len(op.results) == 2]:
        dim = _position_dim(op)
        if dim is None:
            continue
        with op.location, ir.InsertionPoint(op):
            value = _reduce_values(op)
            if any(True for _ in op.results[1].uses):
                op.results[1].replace_all_uses_with(_widened(_reduce_positions(op, value, dim), op.results[1].type))
        op.results[0].replace_all_uses_with(value)
        op.erase()


def _position_dim(op: ir.Operation) -> int | None:
    """The loop whose index the second result takes where the first one's extreme changes; None for other bodies."""
    body = op.regions[0].blocks[0]
    inside = [view.operation for view in body.operations]
    if [o.name.split(".")[0] for o in inside] != ["linalg", "arith", "arith", "arith", "arith", "linalg"]:
        return None
    index, cast, extreme, compare, select, end = inside
    new, _, place = list(body.arguments) if len(body.arguments) == 3 else (None, None, None)
    if new is None or index.name != "linalg.index" or extreme.name not in _EXTREMES or select.name != "arith.select":
        return None
    matches = (
        list(end.operands) == [extreme.results[0], select.results[0]]
        and compare.name in ("arith.cmpf", "arith.cmpi") and compare.operands[0] == new
        and list(select.operands) == [compare.results[0], cast.results[0], place]
        and list(cast.operands) == [index.results[0]] and new in list(extreme.operands)
    )
    return ir.IntegerAttr(index.attributes["dim"]).value if matches else None


def _reduce_values(op: ir.Operation) -> ir.Value:
    """The first result alone."""
    extreme = next(o.operation for o in op.regions[0].blocks[0].operations if o.operation.name in _EXTREMES)
    maps = list(op.attributes["indexing_maps"])

    def body(arguments: Sequence[ir.Value]) -> ir.Value:
        return ir.Operation.create(extreme.name, results=[arguments[1].type], operands=list(arguments)).result

    return _generic(op, [op.operands[0]], op.operands[1], maps[:2], body)


def _reduce_positions(op: ir.Operation, value: ir.Value, dim: int) -> ir.Value:
    """The smallest index of loop ``dim`` where the input is ``value``, as i32."""
    maps = list(op.attributes["indexing_maps"])
    i32 = ir.IntegerType.get_signless(32)
    none = arith.constant(i32, _NONE)
    type_ = ir.RankedTensorType(value.type)
    sizes = [tensor.dim(value, arith.constant(ir.IndexType.get(), d)) if type_.is_dynamic_dim(d) else type_.shape[d]
             for d in range(type_.rank)]
    start = linalg.fill(none, outs=[tensor.empty(sizes, i32)])

    def body(arguments: Sequence[ir.Value]) -> ir.Value:
        new, best, old = arguments
        if isinstance(new.type, ir.FloatType):
            here = arith.cmpf(arith.CmpFPredicate.OEQ, new, best)
            here = arith.ori(here, arith.cmpf(arith.CmpFPredicate.UNO, new, new))
        else:
            here = arith.cmpi(arith.CmpIPredicate.eq, new, best)
        place = arith.index_cast(i32, linalg.IndexOp(dim).result)
        return arith.minsi(old, arith.select(here, place, arith.constant(i32, _NONE)))

    return _generic(op, [op.operands[0], value], start, [maps[0], maps[1], maps[2]], body)


def _widened(value: ir.Value, type_: ir.Type) -> ir.Value:
    """``value`` in the element type of ``type_``."""
    wide = ir.RankedTensorType(type_)
    return arith.extsi(type_, value) if wide.element_type != ir.RankedTensorType(value.type).element_type else value


def _generic(op: ir.Operation, inputs: list[ir.Value], output: ir.Value, maps: list[ir.Attribute], body) -> ir.Value:
    """A linalg.generic with the loops of ``op``."""
    new = linalg.GenericOp([output.type], inputs, [output], ir.ArrayAttr.get(maps), op.attributes["iterator_types"])
    block = new.regions[0].blocks.append(*[v.type.element_type for v in (*inputs, output)])
    with ir.InsertionPoint(block):
        linalg.YieldOp([body(list(block.arguments))])
    return new.results[0]
