"""The least and the largest number that an integer can be, as far as the operations that make it tell."""

from __future__ import annotations

from torch_mlir import ir

Interval = tuple[int, int]
_DEPTH = 8  # how far back definitions are followed
_INDEX_BITS = 32
_EXTREMES = {"arith.minsi": min, "arith.maxsi": max}
_QUOTIENTS = {"arith.divsi": lambda a, b: abs(a) // b * (1 if a >= 0 else -1), "arith.floordivsi": lambda a, b: a // b,
              "arith.ceildivsi": lambda a, b: -(-a // b), "arith.shrsi": lambda a, b: a >> b}


def interval(value: ir.Value, depth: int = _DEPTH) -> Interval:
    """Least and largest number, both signed, that ``value`` (an integer or an index of 32 bits) can be."""
    whole = _whole(value.type)
    if depth == 0:
        return whole
    found = _of_variable(ir.BlockArgument(value), depth - 1) if isinstance(value.owner, ir.Block) else _of(
        value.owner.operation, depth - 1)
    return found if found is not None and whole[0] <= found[0] and found[1] <= whole[1] else whole


def _whole(type_: ir.Type) -> Interval:
    width = type_.width if isinstance(type_, ir.IntegerType) else _INDEX_BITS
    return -1 << width - 1, (1 << width - 1) - 1


def _of_variable(value: ir.BlockArgument, depth: int) -> Interval | None:
    """Of the variable of scf.for, in its body."""
    loop = value.owner.owner.operation if value.owner.owner is not None else None
    if loop is None or loop.name != "scf.for" or value.arg_number:
        return None
    first, end, step = (interval(bound, depth) for bound in list(loop.operands)[:3])
    last = max(end[1] - 1, first[0])
    if first[0] == first[1] and 0 < step[0] == step[1]:
        last -= (last - first[0]) % step[0]
    return first[0], last


def _of_index(op: ir.Operation) -> Interval | None:
    """Of the index of a loop of the linalg op around ``op``, where an operand has its extent."""
    parent, loop = op.parent.operation, ir.AffineDimExpr.get(ir.IntegerAttr(op.attributes["dim"]).value)
    if "indexing_maps" not in parent.attributes:
        return None
    for value, map_ in zip(parent.operands, parent.attributes["indexing_maps"], strict=True):
        results = list(ir.AffineMapAttr(map_).value.results)
        if loop in results and not ir.ShapedType(value.type).is_dynamic_dim(results.index(loop)):
            return 0, ir.ShapedType(value.type).shape[results.index(loop)] - 1
    return None


def _of(op: ir.Operation, depth: int) -> Interval | None:
    if op.name == "arith.constant":
        attribute = op.attributes["value"]
        return (attribute.value, attribute.value) if isinstance(attribute, ir.IntegerAttr) else None
    if op.name == "linalg.index":
        return _of_index(op)
    if not op.name.startswith("arith."):
        return None
    given = [interval(v, depth) for v in op.operands]
    if op.name in ("arith.extsi", "arith.index_cast", "arith.trunci"):
        return given[0]
    if op.name in ("arith.extui", "arith.index_castui"):
        return given[0] if given[0][0] >= 0 else (0, 2 * _whole(op.operands[0].type)[1] + 1)
    if op.name in _EXTREMES:
        choose = _EXTREMES[op.name]
        return choose(given[0][0], given[1][0]), choose(given[0][1], given[1][1])
    if op.name == "arith.select":
        return min(given[1][0], given[2][0]), max(given[1][1], given[2][1])
    if op.name == "arith.addi":
        return given[0][0] + given[1][0], given[0][1] + given[1][1]
    if op.name == "arith.subi":
        return given[0][0] - given[1][1], given[0][1] - given[1][0]
    if op.name == "arith.muli":
        products = [a * b for a in given[0] for b in given[1]]
        return min(products), max(products)
    return _by_constant(op.name, *given) if len(given) == 2 and given[1][0] == given[1][1] else None


def _by_constant(name: str, dividend: Interval, divisor: Interval) -> Interval | None:
    number = divisor[0]
    if name == "arith.andi":
        return (0, number) if number >= 0 else None
    if name == "arith.remui" and number > 0:
        return 0, number - 1
    if name == "arith.remsi" and number > 0:
        return (-(number - 1) if dividend[0] < 0 else 0, number - 1)
    if name in _QUOTIENTS and number > 0:
        return _QUOTIENTS[name](dividend[0], number), _QUOTIENTS[name](dividend[1], number)
    return None
