"""Attention by tiles with an online softmax (Milakov and Gimelshein, 2018; Dao et al., 2022): the matrix of scores is
never stored, one tile of it is."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import NamedTuple

from hexagon_mlir.frontend.torch.kernels.attention_scores import (
    Constants,
    Head,
    KeyTile,
    QueryTile,
    ScoreTiles,
    Shape,
    block_offsets,
)
from hexagon_mlir.frontend.torch.kernels.builder import F32, FunctionBuilder, Type, Value

QUERY_ROWS, KEY_ROWS = 32, 128
"""Rows of a tile of scores and its columns: the columns fill vectors, the rows share each key that is loaded."""


@functools.cache
def function(shape: Shape) -> str:
    """The text of the function for attention of this shape."""
    return _Attention(shape).function()


class _Softmax(NamedTuple):
    """The online softmax of a query tile over the keys so far, of f32; m is the row's maximum."""

    products: Value
    """Sum of exp(score - m) * value, (rows, E)."""
    maximum: Value
    """(rows)"""
    sum: Value
    """Sum of exp(score - m), (rows)."""


class _Attention:
    """Writes the function."""

    def __init__(self, shape: Shape) -> None:
        self.shape = s = shape
        masks = [(Type("f32", sizes), hides) for sizes, hides in ((s.mask, False), (s.hidden, True)) if sizes]
        sink = [Type("f32", (s.heads,))] if s.sink else []
        self.builder = op = FunctionBuilder([
            Type(s.element, (s.heads, s.queries, s.depth)), Type(s.element, (s.key_heads, s.keys, s.depth)),
            Type(s.element, (s.key_heads, s.keys, s.width)), *[type_ for type_, _ in masks],
            *sink])
        self.query, self.key, self.value, *rest = op.arguments
        self.sink = rest.pop() if s.sink else None
        self.masks = [(tensor, hides) for tensor, (_, hides) in zip(rest, masks, strict=True)]
        self.constants = Constants(op, s.scale)
        self.scores = ScoreTiles(s, op, self.constants)

    def function(self) -> str:
        """For each head, for each tile of its queries: the online softmax over all tiles of its keys."""
        s, op = self.shape, self.builder
        heads, repeat = op.index(s.heads), op.index(s.heads // s.key_heads)
        out = op.empty(Type(s.element, s.result))

        def one_head(index: Value, carried: list[Value]) -> Sequence[Value]:
            head = self._head(index, op.apply("arith.divui", index, repeat))
            rows = min(QUERY_ROWS, s.queries)
            return self._by_tiles(s.queries, rows, op.index(s.queries - s.queries % rows), carried,
                                  lambda first, rows, out: [self._query_tile(head, first, rows, *out)])

        result, = op.loop(self.constants.c0, heads, self.constants.c1, [out], one_head)
        return op.text(result)

    def _by_tiles(self, count: int, size: int, end: Value, carried: Sequence[Value],
                  body: Callable[[Value, int, Sequence[Value]], Sequence[Value]]) -> Sequence[Value]:
        """``body(first, size, carried)`` on the whole tiles before ``end`` in a loop, then on the rest of ``count``."""
        carried = self.builder.loop(self.constants.c0, end, self.builder.index(size), carried,
                                    lambda first, inner: body(first, size, inner))
        rest = count % size
        return body(self.builder.index(count - rest), rest, carried) if rest else carried

    # -- one head ------------------------------------------------------------------------------------------
    def _head(self, index: Value, key_head: Value) -> Head:
        s, op = self.shape, self.builder
        masks = [self.scores.mask(tensor, hides, index) for tensor, hides in self.masks]
        maximum, sum_ = self._first_maximum(index)
        keys = op.extract_slice(self.key, [key_head, 0, 0], (1, s.keys, s.depth), drop=1)
        values = op.extract_slice(self.value, [key_head, 0, 0], (1, s.keys, s.width), drop=1)
        return Head(index, op.transpose(keys) if s.transposed else keys, values, masks, maximum, sum_)

    def _first_maximum(self, head: Value) -> tuple[Value, Value]:
        """Maximum and sum of a row before its first key: those of the sink."""
        if self.sink is None:
            return self.constants.lowest, self.constants.zero
        sink = self.builder.extract(self.sink, head)
        maximum = self.builder.apply("arith.maxnumf", sink, self.constants.lowest)
        counts = self.builder.compare("uge", sink, self.constants.lowest)
        one = self.builder.constant(1.0, F32)
        return maximum, self.builder.select(counts, one, self.constants.zero)

    # -- one tile of queries -------------------------------------------------------------------------------
    def _query_tile(self, head: Head, first: Value, rows: int, out: Value) -> Value:
        """``out`` with the results of ``rows`` queries of a head from ``first`` on."""
        s, op = self.shape, self.builder
        columns = min(KEY_ROWS, s.keys)
        end = self._keys_end(first, rows, columns)
        queries = QueryTile(first, rows, self._scaled(head, first, rows))
        start = _Softmax(op.fill(self.constants.zero, op.empty(Type("f32", (rows, s.width)))),
                         op.fill(head.maximum, op.empty(Type("f32", (rows,)))),
                         op.fill(head.sum, op.empty(Type("f32", (rows,)))))
        done = self._by_tiles(
            s.keys, columns, end, start,
            lambda first, columns, state: self._key_tile(head, queries, KeyTile(first, columns), _Softmax(*state)))
        return op.insert_slice(self._quotient(_Softmax(*done)), out, block_offsets(op, s, head.number, first),
                               s.block(rows))

    def _keys_end(self, first: Value, rows: int, columns: int) -> Value:
        """Where the whole tiles of keys end; when causal, those after the last query of the tile are left out."""
        s, op = self.shape, self.builder
        whole = s.keys - s.keys % columns
        if not s.causal:
            return op.index(whole)
        reach = op.apply("arith.addi", first, op.index(rows + columns - 1))
        width = op.index(columns)
        needed = op.apply("arith.muli", op.apply("arith.divui", reach, width), width)
        return op.apply("arith.minui", needed, op.index(whole))

    def _scaled(self, head: Head, first: Value, rows: int) -> Value:
        """query * scale of the rows from ``first`` on, (rows, D) of f32."""
        s, op = self.shape, self.builder
        queries = op.extract_slice(self.query, [head.number, first, 0], (1, rows, s.depth), drop=1)
        return op.generic("ij->ij", [queries], op.empty(Type("f32", (rows, s.depth))),
                         lambda query, _: op.apply("arith.mulf", op.to_f32(query), self.constants.scale))

    def _quotient(self, state: _Softmax) -> Value:
        """Products / sum, (rows, E) of the result's element type; of a row that sees no key, zeros or NaN."""
        s, op = self.shape, self.builder
        of_none = self.constants.zero if s.safe else self.constants.nan

        def divided(product: Value, sum_: Value, _: Value) -> Value:
            quotient = op.apply("arith.divf", product, sum_)
            empty = op.compare("oeq", sum_, self.constants.zero)
            return op.from_f32(op.select(empty, of_none, quotient), s.element)

        out = op.empty(Type(s.element, state.products.type.sizes))
        return op.generic("ij,i->ij", [state.products, state.sum], out, divided)

    # -- one tile of scores --------------------------------------------------------------------------------
    def _key_tile(self, head: Head, queries: QueryTile, keys: KeyTile, old: _Softmax) -> _Softmax:
        """The online softmax after one more tile of keys: the previous sums are rescaled to the new maximum."""
        op = self.builder
        scores = self.scores.tile(head, queries, keys)
        values = op.extract_slice(head.values, [keys.first, 0], (keys.columns, self.shape.width))
        maximum = op.generic("ij->i", [scores], op.copy(old.maximum), lambda x, m: op.apply("arith.maxnumf", x, m))
        weights = op.generic("ij,i->ij", [scores, maximum], op.empty(scores.type), self._exp_difference)
        factor = op.generic("i,i->i", [old.maximum, maximum], op.empty(maximum.type), self._exp_difference)
        scaled_sum = op.multiply(old.sum, factor, old.sum)
        sum_ = op.generic("ij->i", [weights], scaled_sum, lambda weight, sum_: op.apply("arith.addf", weight, sum_))
        scaled = op.generic("i->ij", [factor], old.products, lambda x, product: op.apply("arith.mulf", product, x))
        return _Softmax(op.matmul(weights, values, scaled), maximum, sum_)

    def _exp_difference(self, x: Value, maximum: Value, _: Value) -> Value:
        return self.builder.apply("math.exp", self.builder.apply("arith.subf", x, maximum))

