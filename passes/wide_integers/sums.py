"""Sums of 64-bit integers as sums of half words, which do not overflow a word."""

from __future__ import annotations

from math import prod

from hexagon_mlir.ir import arith, ir, linalg, make, memref, scf
from hexagon_mlir.ir.constants import index
from hexagon_mlir.ir.order import nested_ops
from hexagon_mlir.ir.query import input_count
from hexagon_mlir.passes.wide_integers.nest import DYNAMIC, Body, halves_of, is_wide_type, new_generic
from hexagon_mlir.passes.wide_integers.words import WORD, word

_HALF = WORD // 2
LIMIT = 1 << _HALF
"""The sum of so many unsigned half words is below 2^32."""


def sum_of(op: ir.Operation) -> ir.Value | None:
    """The value that ``op``, a linalg.generic with one 64-bit buffer as its result, sums; None if it is no sum."""
    body = op.regions[0].blocks[0]
    *inside, end = [o.operation for o in body.operations]
    if not _reductions(op) or len(op.operands) != input_count(op) + 1 or not inside or inside[-1].name != "arith.addi":
        return None
    total, own = inside[-1], body.arguments[len(body.arguments) - 1]
    if end.operands[0] != total.results[0] or not is_wide_type(own.type) or len(list(own.uses)) != 1:
        return None
    a, b = total.operands
    return b if a == own else a if b == own else None


def extents(op: ir.Operation) -> list[int]:
    """Trip counts of the loops of ``op``; `DYNAMIC` where no operand has a static one."""
    maps = [ir.AffineMapAttr(m).value for m in op.attributes["indexing_maps"]]
    found = [DYNAMIC] * maps[0].n_dims
    for value, map_ in zip(op.operands, maps, strict=True):
        for size, result in zip(_shape(value), map_.results, strict=True):
            if isinstance(result, ir.AffineDimExpr) and size != DYNAMIC:
                found[result.position] = size
    return found


def chunked_loop(op: ir.Operation) -> int | None:
    """The loop of a sum to cut into chunks of `LIMIT` elements; -1 when none is needed, None when it is impossible."""
    loops, size = _reductions(op), extents(op)
    if DYNAMIC not in (counts := [size[loop] for loop in loops]) and prod(counts) <= LIMIT:
        return -1
    loop = max(loops, key=lambda n: LIMIT * LIMIT if size[n] == DYNAMIC else size[n])
    others = [size[n] for n in loops if n != loop]
    maps = [ir.AffineMapAttr(m).value for m in op.attributes["indexing_maps"]]
    plain = all(isinstance(r, ir.AffineDimExpr) or not _uses(r, loop) for m in maps for r in m.results)
    indexed = any(inner.name == "linalg.index" for inner in nested_ops(op))
    return loop if plain and not indexed and DYNAMIC not in others and prod(others) <= LIMIT else None


def in_chunks(op: ir.Operation, loop: int) -> ir.Operation:
    """Create a loop over chunks of ``loop`` at the insertion point and ``op``, a sum, of one chunk in it; returns the
    new op."""
    count = LIMIT // prod(n for k, n in enumerate(extents(op)) if k in _reductions(op) and k != loop)
    maps = [ir.AffineMapAttr(m).value for m in op.attributes["indexing_maps"]]
    value, at = next((v, k) for v, m in zip(op.operands, maps, strict=True) for k, r in enumerate(m.results)
                     if r == ir.AffineDimExpr.get(loop))
    whole = memref.dim(value, index(at))
    over = scf.ForOp(index(0), whole, index(count))
    with ir.InsertionPoint(over.body):
        start = over.induction_variable
        size = arith.minsi(arith.subi(whole, start), index(count))
        parts = [_part(v, m, loop, start, size) for v, m in zip(op.operands, maps, strict=True)]
        chunk = op.clone().operation
        for k, part in enumerate(parts):
            chunk.operands[k] = part
        scf.YieldOp([])
    return chunk


def in_half_words(op: ir.Operation, value: ir.Value, qfloat: bool) -> ir.Operation | None:
    """Replace ``op`` by sums of half words of ``value``; returns the op that adds them to its result, if any."""
    old, out = op.regions[0].blocks[0], op.operands[len(op.operands) - 1]
    count, shape, widening = input_count(op), _shape(out), _widening(value)
    inputs = [halves_of(v) for v in list(op.operands)[:count]]
    sizes = [memref.dim(out, index(k)) for k, n in enumerate(shape) if n == DYNAMIC]
    sums = [memref.alloc(ir.MemRefType.get(shape, ir.IntegerType.get_signless(WORD)), sizes, [])
            for _ in range(2 if widening else 4)]
    for one in sums:
        make.fill(word(0), one)
    flat, maps = [v for own in inputs for v in own], list(op.attributes["indexing_maps"])
    all_maps = [m for m, own in zip(maps, inputs, strict=False) for _ in own] + [maps[-1]] * len(sums)
    new = new_generic(flat, sums, all_maps, op.attributes["iterator_types"])
    block = new.regions[0].blocks[0]
    given, own = list(block.arguments)[:len(flat)], list(block.arguments)[len(flat):]
    with ir.InsertionPoint(block):
        body = Body(old, [*given, own[0], own[0]], new.operation, qfloat)  # the sum alone reads the old value
        for inner in [o.operation for o in old.operations][:-2]:
            body.add(inner)
        a = body.pair(value)
        words = [a.low] if widening else [a.low, a.high]
        up = arith.shrui if widening != "arith.extsi" else arith.shrsi
        pieces = [piece for one in words for piece in (arith.andi(one, word((1 << _HALF) - 1)), up(one, word(_HALF)))]
        linalg.yield_([arith.addi(*both) for both in zip(own, pieces, strict=True)])
    last = _add_up(sums, out, widening)
    for one in sums:
        memref.dealloc(one)
    return last


def _widening(value: ir.Value) -> str:
    """The name of the conversion that widens ``value`` from one word or less; "" for other values."""
    owner = value.owner
    name = "" if isinstance(owner, ir.Block) else owner.operation.name
    return name if name in ("arith.extsi", "arith.extui") else ""


def _add_up(sums: list[ir.Value], out: ir.Value, widening: str) -> ir.Operation | None:
    """Add ``sums`` of half words to ``out``; returns the op that does, None for a single number."""
    rank, i64 = len(_shape(out)), ir.IntegerType.get_signless(2 * WORD)

    def total(start: ir.Value, numbers: list[ir.Value]) -> ir.Value:
        for k, number in enumerate(numbers):
            extend = arith.extsi if widening == "arith.extsi" and k else arith.extui
            start = arith.addi(start, arith.shli(extend(i64, number), arith.constant(i64, _HALF * k)))
        return start

    if not rank:
        memref.store(total(memref.load(out, []), [memref.load(one, []) for one in sums]), out, [])
        return None
    same = ir.AffineMapAttr.get(ir.AffineMap.get_identity(rank))
    parallel = ir.ArrayAttr.get([ir.Attribute.parse("#linalg.iterator_type<parallel>")] * rank)
    op = new_generic(sums, [out], [same] * (len(sums) + 1), parallel)
    block = op.regions[0].blocks[0]
    with ir.InsertionPoint(block):
        *numbers, start = block.arguments
        linalg.yield_([total(start, list(numbers))])
    return op.operation


def _shape(value: ir.Value) -> list[int]:
    return list(value.type.shape) if isinstance(value.type, ir.MemRefType) else []


def _reductions(op: ir.Operation) -> list[int]:
    return [k for k, text in enumerate(op.attributes["iterator_types"]) if "reduction" in str(text)]


def _uses(expression: ir.AffineExpr, loop: int) -> bool:
    if isinstance(expression, ir.AffineDimExpr):
        return expression.position == loop
    return isinstance(expression, ir.AffineBinaryExpr) and (
        _uses(expression.lhs, loop) or _uses(expression.rhs, loop))


def _part(value: ir.Value, map_: ir.AffineMap, loop: int, start: ir.Value, size: ir.Value) -> ir.Value:
    """The slice of ``value`` for ``size`` iterations of ``loop`` from ``start`` on; ``value`` if ``loop`` does not
    index it."""
    along = [isinstance(r, ir.AffineDimExpr) and r.position == loop for r in map_.results]
    if not any(along):
        return value
    type_ = ir.MemRefType(value.type)
    given = [DYNAMIC if own else n for own, n in zip(along, type_.shape, strict=True)]
    sizes = [size if own else memref.dim(value, index(k)) for k, (own, n) in enumerate(zip(along, given, strict=True))
             if own or n == DYNAMIC]
    strides, _ = type_.get_strides_and_offset()
    seen = ir.MemRefType.get(given, type_.element_type, ir.StridedLayoutAttr.get(
        ir.ShapedType.get_dynamic_stride_or_offset(), strides), type_.memory_space)
    return memref.SubViewOp(seen, value, [start for own in along if own], sizes, [],
                            [DYNAMIC if own else 0 for own in along], given, [1] * len(given)).result
