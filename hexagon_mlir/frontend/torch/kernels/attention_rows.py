"""Attention of f16 by blocks of queries with all keys: the scores of a block are two factors of products of f16
matrices, with a softmax of whole rows between them. The matrix of scores is never stored, those of a block are.

Scores are f16 numbers, in units of which one doubles the weight: 2^x takes less work than e^x. A key that a mask hides
has the least one, which the softmax gives no weight; other scores are at least `LEAST_SEEN`, so that masks that are
added as large negative numbers do not hide.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import NamedTuple

from hexagon_mlir.frontend.torch.kernels.attention_scores import Shape, mask_groups
from hexagon_mlir.frontend.torch.kernels.builder import F32, FunctionBuilder, Type, Value
from hexagon_mlir.frontend.torch.kernels.softmax_weights import power_of_two

LOG2_E = 1.4426950408889634
F16 = Type("f16")
HIDDEN, LEAST_SEEN = -65504.0, -60000.0
"""Scores: of a hidden key, and the least of others."""
_SCALE = 2.0**-14
"""Of sums of weighted values before they are f16: the largest weight is 2^10, and sums of 2,048 values of up to 511 are
finite."""
_LEAST_ROWS = 32
"""Fewer queries or keys do not fill a tile of the matrix engine."""
_ROWS = (128, 64, 32)
"""Queries that are taken at a time: the most whose block fits `_BYTES`."""
_BYTES = 3 << 20
"""Of a block, of the 4 MiB of TCM that a kernel of a model may use on chips that have 8."""


def takes(shape: Shape) -> bool:
    """Whether `function` is for attention of this shape."""
    return (shape.element == "f16" and not shape.sink and min(shape.queries, shape.keys) >= _LEAST_ROWS
            and _rows(shape) is not None)


def _rows(shape: Shape) -> int | None:
    """How many queries are taken at a time: scores before and after masks, weights and masks of so many rows, and keys,
    values and sums as they are, transposed and as tiles, fit; None where those of the fewest do not."""
    matrices = 2 + bool(shape.mask) + bool(shape.hidden) + (shape.causal or bool(shape.mask) or bool(shape.hidden))
    factors = 3 * shape.keys * (shape.depth + shape.width + 32)
    return next((rows for rows in _ROWS if 2 * (matrices * rows * shape.keys + factors) <= _BYTES), None)


@functools.cache
def function(shape: Shape) -> str:
    """The text of the function for attention of this shape."""
    return _RowAttention(shape).function()


class _Mask(NamedTuple):
    """A mask of f16; elements of one that ``hides`` replace the score unless they are 0, others are added."""

    tensor: Value
    hides: bool


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
        repeat = s.heads // s.key_heads
        rows = min(_rows(s) or _LEAST_ROWS, s.queries)
        last = op.index(s.queries - rows)

        def key_head(head: Value, carried: list[Value]) -> Sequence[Value]:
            keys = op.extract_slice(self.key, [head, 0, 0], (1, s.keys, s.depth), drop=1)
            values = op.extract_slice(self.value, [head, 0, 0], (1, s.keys, s.width), drop=1)
            first = op.apply("arith.muli", head, op.index(repeat))

            def query_head(number: Value, carried: list[Value]) -> Sequence[Value]:
                index = op.apply("arith.addi", first, number)

                def block(first: Value, carried: list[Value]) -> list[Value]:
                    """Also the last one has all its rows: some are computed twice."""
                    start = op.apply("arith.minui", first, last) if s.queries % rows else first
                    return [self._block(index, start, rows, keys, values, carried[0])]

                return op.loop(self.c0, op.index(s.queries), op.index(rows), carried, block)

            return op.loop(self.c0, op.index(repeat), self.c1, carried, query_head)

        out = op.empty(Type("f16", (s.heads, s.queries, s.width)))
        result, = op.loop(self.c0, op.index(s.key_heads), self.c1, [out], key_head)
        return op.text(result)

    # -- one block of queries ------------------------------------------------------------------------------
    def _block(self, head: Value, first: Value, rows: int, keys: Value, values: Value, out: Value) -> Value:
        """``out`` with the results of ``rows`` queries of a head from ``first`` on."""
        s, op = self.shape, self.builder
        queries = op.extract_slice(self.query, [head, first, 0], (1, rows, s.depth), drop=1)
        scaled = op.generic("ij->ij", [queries], op.empty(queries.type), lambda query, _: op.from_f32(
            op.apply("arith.mulf", op.to_f32(query), self.scale), "f16"))
        scores = self._scores(self._product("ik,jk->ij", scaled, keys, s.keys), head, first, rows)
        vector = Type("f16", (rows,))
        maximum = op.generic("ij->i", [scores], op.fill(self.hidden, op.empty(vector)),
                             lambda score, most: op.apply("arith.maxnumf", score, most))
        weights = op.generic("ij,i->ij", [scores, maximum], op.empty(scores.type),
                             lambda score, most, _: power_of_two(op, score, most))
        sums = op.generic("ij->i", [weights], op.fill(self.zero, op.empty(Type("f32", (rows,)))),
                          lambda weight, sum_: op.apply("arith.addf", sum_, op.to_f32(weight)))
        products = self._product("ik,kj->ij", weights, values, s.width)
        result = self._quotient(products, maximum, sums, rows)
        return op.insert_slice(result, out, [head, first, 0], (1, rows, s.width))

    def _product(self, subscripts: str, left: Value, right: Value, columns: int) -> Value:
        """A product of two matrices of f16, summed in f32."""
        op = self.builder
        out = op.fill(self.zero, op.empty(Type("f32", (left.type.sizes[0], columns))))
        return op.generic(subscripts, [left, right], out, lambda a, b, sum_: op.apply(
            "arith.addf", sum_, op.apply("arith.mulf", op.to_f32(a), op.to_f32(b))))

    def _quotient(self, products: Value, maximum: Value, sums: Value, rows: int) -> Value:
        """Weighted values over the sum of the weights, (rows, E) of f16; of a row that sees no key, zeros or NaN."""
        s, op = self.shape, self.builder
        one, scale = op.constant(1.0, F32), op.constant(_SCALE, F32)
        of_none = op.constant(0.0 if s.safe else "0x7FC00000", F32)
        reciprocals = op.generic("i->i", [sums], op.empty(sums.type), lambda sum_, _: op.apply(
            "arith.divf", one, op.apply("arith.mulf", sum_, scale)))

        def divided(product: Value, most: Value, reciprocal: Value, _: Value) -> Value:
            rounded = op.to_f32(op.from_f32(op.apply("arith.mulf", product, scale), "f16"))
            empty = op.compare("oeq", most, self.hidden)
            return op.from_f32(op.select(empty, of_none, op.apply("arith.mulf", rounded, reciprocal)), "f16")

        out = op.empty(Type("f16", products.type.sizes))
        return op.generic("ij,i,i->ij", [products, maximum, reciprocals], out, divided)

    # -- scores --------------------------------------------------------------------------------------------
    def _scores(self, products: Value, head: Value, first: Value, rows: int) -> Value:
        """A block of scores, (rows, T) of f16: products of queries and keys, bounded and masked."""
        s, op = self.shape, self.builder
        inputs, reads, causal = [products], ["ij"], len(self.masks) + 1
        for mask in self.masks:
            shared = mask.tensor.type.sizes[2] == 1  # by all queries
            inputs.append(self._part(mask.tensor, head, self.c0 if shared else first, 1 if shared else rows))
            reads.append("j" if shared else "ij")
        if s.causal:
            inputs += [op.extract_slice(self.numbers[0], [first], (rows,)), self.numbers[1]]
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

    def _part(self, mask: Value, head: Value, row: Value, rows: int) -> Value:
        """The rows of ``mask`` (P or 1, Q or 1, S or 1, T) for head h, at (h / Q, h % Q)."""
        op, sizes = self.builder, mask.type.sizes
        count = op.index(mask_groups(sizes, self.shape.heads)[1])
        outer = op.apply("arith.divui", head, count) if sizes[0] > 1 else self.c0
        inner = op.apply("arith.remui", head, count) if sizes[1] > 1 else self.c0
        return op.extract_slice(mask, [outer, inner, row, self.c0], (1, 1, rows, sizes[3]), drop=3 if rows == 1 else 2)

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
