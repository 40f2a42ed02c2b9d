"""Attention of f16 by blocks of queries with all keys: the scores of a block are two factors of products of f16
matrices, with a softmax of whole rows between them. The matrix of scores is never stored, those of a block are.

Scores are f16 numbers, in units of which one doubles the weight: 2^x takes less work than e^x. A key that a mask hides
has the least one, which the softmax gives no weight; other scores are at least `LEAST_SEEN`, so that masks that are
added as large negative numbers do not hide.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from hexagon_mlir.frontend.torch.kernels.attention_blocks import TILE, Part, Plan, plan
from hexagon_mlir.frontend.torch.kernels.attention_scores import Shape, block_offsets, mask_groups
from hexagon_mlir.frontend.torch.kernels.builder import F32, FunctionBuilder, Insertion, Offset, Type, Value
from hexagon_mlir.frontend.torch.kernels.softmax_weights import power_of_two, reciprocal

LOG2_E = 1.4426950408889634
F16 = Type("f16")
HIDDEN, LEAST_SEEN = -65504.0, -60000.0
"""Scores: of a hidden key, and the least of others."""
LEAST, DEPTHS = 8, range(64, 129)
"""The fewest queries and keys; and depths, where these do not fill a tile and heads are computed one after the other.
Measured, in cycles, beside `attention_tiles`: 12 heads of 24 x 64 with a mask 59,439, 197,872; 8 of 8 x 64 12,058,
45,445; 2 of 24 x 64 34,787, 38,543, of 24 x 32 35,439, 27,111; one of 8 queries, 24 keys and depth 256 24,230, 20,881.
"""
_SCALE = 2.0**-14
"""Of sums of weighted values before they are f16: the largest weight is 2^10, and sums of 2,048 values of up to 511 are
finite."""


def takes(shape: Shape) -> bool:
    """Whether `function` is for attention of this shape."""
    least = min(shape.queries, shape.keys)
    if shape.element != "f16" or shape.sink or least < LEAST:
        return False
    found = plan(shape)
    return found is not None and (least >= TILE or found.heads > 1 or shape.depth in DEPTHS)


@functools.cache
def function(shape: Shape) -> str:
    """The text of the function for attention of this shape."""
    return _RowAttention(shape).function()


class _Mask(NamedTuple):
    """A mask of f16; elements of one that ``hides`` replace the score unless they are 0, others are added."""

    tensor: Value
    hides: bool


Place: TypeAlias = "Callable[[Value, int], tuple[Sequence[Offset], tuple[int, ...]]]"
"""Offsets and sizes of the results of so many queries from one on."""


class _RowAttention:
    """Writes the function."""

    def __init__(self, shape: Shape) -> None:
        self.shape = s = shape
        given = [(Type("f32", sizes), hides) for sizes, hides in ((s.mask, False), (s.hidden, True)) if sizes]
        self.builder = op = FunctionBuilder([
            Type("f16", (s.heads, s.queries, s.depth)), Type("f16", (s.key_heads, s.keys, s.depth)),
            Type("f16", (s.key_heads, s.keys, s.width)), *[type_ for type_, _ in given]])
        self.query, self.key, self.value, *masks = op.arguments
        self.c0, self.c1 = op.index(0), op.index(1)
        self.zero, self.scale = op.constant(0.0, F32), op.constant(s.scale * (1.0 if s.cap else LOG2_E), F32)
        self.hidden, self.least = op.constant(HIDDEN, F16), op.constant(LEAST_SEEN, F16)
        self.numbers = [self._numbers(count) for count in ((s.queries, s.keys) if s.causal else ())]
        self.masks = [_Mask(self._narrow(mask, hides), hides)
                      for mask, (_, hides) in zip(masks, given, strict=True)]

    def function(self) -> str:
        """For each head of keys, for each head of queries that shares it, for each block of queries: everything."""
        s, op = self.shape, self.builder
        found = plan(s)
        assert found is not None
        repeat = op.index(s.heads // s.key_heads)
        out = op.empty(Type("f16", s.result))
        if found.heads > 1:
            return op.text(self._in_parallel(found, repeat, out))

        def key_head(head: Value, carried: list[Value]) -> Sequence[Value]:
            seen = self._seen(head, found)
            first = op.apply("arith.muli", head, repeat)
            return op.loop(self.c0, repeat, self.c1, carried, lambda number, carried: [
                self._head(op.apply("arith.addi", first, number), found, seen, carried[0])])

        result, = op.loop(self.c0, op.index(s.key_heads), self.c1, [out], key_head)
        return op.text(result)

    def _in_parallel(self, found: Plan, repeat: Value, out: Value) -> Value:
        """``found.heads`` heads of queries at a time, each by a thread."""
        s, op = self.shape, self.builder
        sizes = s.block(s.queries)

        def heads(first: Value, carried: list[Value]) -> Sequence[Value]:
            def one(number: Value) -> Insertion:
                head = op.apply("arith.addi", first, number)
                seen = self._seen(op.apply("arith.divui", head, repeat), found)
                out = op.empty(Type("f16", (s.queries, s.width)))  # without the dimensions that upstream folds away
                part = self._head(head, found, seen, out, lambda first, rows: ([first, 0], (rows, s.width)))
                return Insertion(part, block_offsets(op, s, head, 0), sizes)

            return [op.parallel(found.heads, carried[0], one)]

        result, = op.loop(self.c0, op.index(s.heads), op.index(found.heads), [out], heads)
        return result

    def _seen(self, head: Value, found: Plan) -> list[list[Value]]:
        """Keys and values of a head that each part of the queries sees."""
        s, op = self.shape, self.builder
        keys = op.extract_slice(self.key, [head, 0, 0], (1, s.keys, s.depth), drop=1)
        values = op.extract_slice(self.value, [head, 0, 0], (1, s.keys, s.width), drop=1)
        return [[op.extract_slice(factor, [0, 0], (part.keys, factor.type.sizes[1])) for factor in (keys, values)]
                if part.keys < s.keys else [keys, values] for part in found.parts]

    def _head(self, head: Value, found: Plan, seen: list[list[Value]], out: Value, place: Place | None = None) -> Value:
        """``out`` with the results of a head, at each ``place`` (default: in the result of all heads)."""
        s, op = self.shape, self.builder
        place = place or functools.partial(self._in_result, head)
        rows, together = found.rows, found.together
        last, step = op.index(s.queries - rows), rows * together

        def blocks(part: Part, factors: list[Value], first: Value, carried: list[Value]) -> list[Value]:
            """Also the last one has all its rows: some are computed twice."""
            starts = [first, *(op.apply("arith.addi", first, op.index(rows * n)) for n in range(1, together))]
            if part.end % step:
                starts = [op.apply("arith.minui", start, last) for start in starts]
            return [self._blocks(head, starts, rows, factors, carried[0], place)]

        for part, factors in zip(found.parts, seen, strict=True):
            out, = op.loop(op.index(part.first), op.index(part.end), op.index(step), [out],
                           functools.partial(blocks, part, factors))
        return out

    def _in_result(self, head: Value, first: Value, rows: int) -> tuple[Sequence[Offset], tuple[int, ...]]:
        """Offsets and sizes of ``rows`` queries of a head from ``first`` on in the result of all heads."""
        return block_offsets(self.builder, self.shape, head, first), self.shape.block(rows)

    # -- blocks of queries ---------------------------------------------------------------------------------
    def _blocks(self, head: Value, starts: list[Value], rows: int, factors: list[Value], out: Value,
                place: Place) -> Value:
        """``out`` with the results of ``rows`` queries of a head from each of ``starts`` on, at their ``place``;
        ``factors``: keys and values. The engine multiplies for one block while HVX works on another.
        """
        op, (keys, values) = self.builder, factors
        products = [self._product("ik,jk->ij", self._scaled(head, first, rows), keys, keys.type.sizes[0])
                    for first in starts]
        results = [self._softmax(self._scores(product, head, first, rows), values, rows)
                   for product, first in zip(products, starts, strict=True)]
        for first, (sums, maximum, total) in zip(starts, results, strict=True):
            result = self._quotient(sums, maximum, total, rows)
            out = op.insert_slice(result, out, *place(first, rows))
        return out

    def _scaled(self, head: Value, first: Value, rows: int) -> Value:
        op = self.builder
        queries = op.extract_slice(self.query, [head, first, 0], (1, rows, self.shape.depth), drop=1)
        return op.generic("ij->ij", [queries], op.empty(queries.type), lambda query, _: op.from_f32(
            op.apply("arith.mulf", op.to_f32(query), self.scale), "f16"))

    def _softmax(self, scores: Value, values: Value, rows: int) -> tuple[Value, Value, Value]:
        """Weighted sums of ``values``, the maxima of the rows of ``scores``, and the sums of their weights."""
        op, vector = self.builder, Type("f16", (rows,))
        maximum = op.generic("ij->i", [scores], op.fill(self.hidden, op.empty(vector)),
                             lambda score, most: op.apply("arith.maxnumf", score, most))
        weights = op.generic("ij,i->ij", [scores, maximum], op.empty(scores.type),
                             lambda score, most, _: power_of_two(op, score, most))
        sums = op.generic("ij->i", [weights], op.fill(self.zero, op.empty(Type("f32", (rows,)))),
                          lambda weight, sum_: op.apply("arith.addf", sum_, op.to_f32(weight)))
        return self._product("ik,kj->ij", weights, values, self.shape.width), maximum, sums

    def _product(self, subscripts: str, left: Value, right: Value, columns: int) -> Value:
        """A product of two matrices of f16, summed in f32."""
        op = self.builder
        out = op.fill(self.zero, op.empty(Type("f32", (left.type.sizes[0], columns))))
        return op.generic(subscripts, [left, right], out, lambda a, b, sum_: op.apply(
            "arith.addf", sum_, op.apply("arith.mulf", op.to_f32(a), op.to_f32(b))))

    def _quotient(self, products: Value, maximum: Value, sums: Value, rows: int) -> Value:
        """Weighted values over the sum of the weights, (rows, E) of f16; of a row that sees no key, zeros or NaN."""
        s, op = self.shape, self.builder
        scale = op.constant(_SCALE, F32)
        of_none = op.constant(0.0 if s.safe else "0x7FC00000", F32)
        reciprocals = op.generic("i->i", [sums], op.empty(sums.type), lambda sum_, _: reciprocal(
            op, op.apply("arith.mulf", sum_, scale)))

        def divided(product: Value, most: Value, reciprocal: Value, _: Value) -> Value:
            rounded = op.to_f32(op.from_f32(op.apply("arith.mulf", product, scale), "f16"))
            empty = op.compare("oeq", most, self.hidden)
            return op.from_f32(op.select(empty, of_none, op.apply("arith.mulf", rounded, reciprocal)), "f16")

        out = op.empty(Type("f16", products.type.sizes))
        return op.generic("ij,i,i->ij", [products, maximum, reciprocals], out, divided)

    # -- scores --------------------------------------------------------------------------------------------
    def _scores(self, products: Value, head: Value, first: Value, rows: int) -> Value:
        """A block of scores, (rows, T) of f16: products of queries and keys, bounded and masked."""
        s, op, keys = self.shape, self.builder, products.type.sizes[1]
        inputs, reads, causal = [products], ["ij"], len(self.masks) + 1
        for mask in self.masks:
            shared = mask.tensor.type.sizes[2] == 1  # by all queries
            inputs.append(self._part(mask.tensor, head, self.c0 if shared else first, 1 if shared else rows, keys))
            reads.append("j" if shared else "ij")
        if s.causal:
            inputs += [op.extract_slice(self.numbers[0], [first], (rows,)),
                       op.extract_slice(self.numbers[1], [0], (keys,))]
            reads += ["i", "j"]

        def score(product: Value, *others: Value) -> Value:
            result = op.from_f32(product, "f16")
            if s.cap:
                capped = op.apply("math.tanh", op.to_f32(result))
                result = op.from_f32(op.apply("arith.mulf", capped, op.constant(s.cap * LOG2_E, F32)), "f16")
            for mask, element in zip(self.masks, others, strict=False):
                result = self._hide(result, element) if mask.hides else self._add_mask(result, element)
            if s.causal:
                seen = op.compare("sle", others[causal], others[causal - 1])
                result = op.select(seen, result, self.hidden)
            return result

        return op.generic(f"{','.join(reads)}->ij", inputs, op.empty(Type("f16", products.type.sizes)), score)

    def _add_mask(self, score: Value, mask: Value) -> Value:
        op = self.builder
        sum_ = op.apply("arith.maxnumf", op.apply("arith.addf", score, mask), self.least)
        return op.select(op.compare("oeq", mask, self.hidden), mask, sum_)

    def _hide(self, score: Value, element: Value) -> Value:
        op = self.builder
        return op.select(op.compare("oeq", element, op.constant(0.0, F16)), score, element)

    def _part(self, mask: Value, head: Value, row: Value, rows: int, keys: int) -> Value:
        """The rows of ``mask`` (P or 1, Q or 1, S or 1, T) for head h, at (h / Q, h % Q), and the first ``keys``."""
        op, sizes = self.builder, mask.type.sizes
        count = op.index(mask_groups(sizes, self.shape.heads)[1])
        outer = op.apply("arith.divui", head, count) if sizes[0] > 1 else self.c0
        inner = op.apply("arith.remui", head, count) if sizes[1] > 1 else self.c0
        return op.extract_slice(mask, [outer, inner, row, self.c0], (1, 1, rows, keys), drop=3 if rows == 1 else 2)

    def _narrow(self, mask: Value, hides: bool) -> Value:
        """``mask`` as f16, in the units of scores: -inf hides; other numbers are bounded. Where scores are replaced,
        inf becomes 0: a score of 0 becomes the least number that is not.
        """
        op = self.builder
        lowest, inf = op.constant("0xFF800000", F32), op.constant("0x7F800000", F32)
        least, most = op.constant(LEAST_SEEN / LOG2_E, F32), op.constant(-LEAST_SEEN / LOG2_E, F32)
        unit = op.constant(LOG2_E, F32)
        hidden, tiny = op.constant(HIDDEN, F32), op.constant(2.0**-14, F32)

        def narrow(element: Value, _: Value) -> Value:
            bounded = op.apply("arith.mulf", unit, op.apply(
                "arith.minnumf", op.apply("arith.maxnumf", element, least), most))
            if hides:
                bounded = op.select(op.compare("oeq", bounded, self.zero), tiny, bounded)
                bounded = op.select(op.compare("oeq", element, inf), self.zero, bounded)
            return op.from_f32(op.select(op.compare("oeq", element, lowest), hidden, bounded), "f16")

        return op.generic("abij->abij", [mask], op.empty(Type("f16", mask.type.sizes)), narrow)

    def _numbers(self, count: int) -> Value:
        """0, 1, .. as i16."""
        return self.builder.constant(f"dense<[{', '.join(map(str, range(count)))}]>", Type("i16", (count,)))
