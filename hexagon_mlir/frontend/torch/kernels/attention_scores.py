"""Tiles of attention's scores: products of queries and keys, bounded and masked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from hexagon_mlir.frontend.torch.kernels.builder import F32, FunctionBuilder, Offset, Type, Value

_TRANSPOSE_FROM = 8  # least query rows for which transposing the keys once pays
_LOWEST = "-3.40282347E+38"  # instead of -inf: the difference of two of them is 0, not NaN


@dataclass(frozen=True)
class Shape:
    """Sizes and options of one attention, as `attention.attention` has them; a mask that is absent has no sizes.
    ``batches`` of which the result has queries before heads; 0 where heads are before queries.
    """

    heads: int
    key_heads: int
    queries: int
    keys: int
    depth: int
    width: int
    mask: tuple[int, ...]
    hidden: tuple[int, ...]
    element: str
    causal: bool
    scale: float
    safe: bool
    sink: bool
    cap: float
    batches: int = 0

    @property
    def result(self) -> tuple[int, ...]:
        """Sizes of the result."""
        if not self.batches:
            return self.heads, self.queries, self.width
        return self.batches, self.queries, self.heads // self.batches, self.width

    def block(self, rows: int) -> tuple[int, ...]:
        """Sizes of the block of the result that so many ``rows`` of queries of a head are."""
        return (1, rows, 1, self.width) if self.batches else (1, rows, self.width)

    @property
    def transposed(self) -> bool:
        """True when the keys of a head are transposed before they are read."""
        return self.queries >= _TRANSPOSE_FROM


def mask_groups(mask: tuple[int, ...], heads: int) -> tuple[int, int]:
    """P and Q, of which ``heads`` is the product, for a mask of sizes (P or 1, Q or 1, S or 1, T)."""
    return (mask[0], heads // mask[0]) if mask[0] > 1 else (heads // mask[1], mask[1])


def block_offsets(builder: FunctionBuilder, shape: Shape, head: Value, first: Offset) -> list[Offset]:
    """Where in the result the block of a head's queries from ``first`` on starts."""
    if not shape.batches:
        return [head, first, 0]
    if shape.batches == 1:
        return [0, first, head, 0]
    heads = builder.index(shape.heads // shape.batches)
    return [builder.apply("arith.divui", head, heads), first, builder.apply("arith.remui", head, heads), 0]


class Constants:
    """The constants of the function: index 0 and 1, the others of f32."""

    def __init__(self, builder: FunctionBuilder, scale: float) -> None:
        self.c0, self.c1 = builder.index(0), builder.index(1)
        self.zero = builder.constant(0.0, F32)
        self.lowest = builder.constant(_LOWEST, F32)
        self.nan = builder.constant("0x7FC00000", F32)
        self.inf = builder.constant("0x7F800000", F32)
        self.minus_inf = builder.constant("0xFF800000", F32)
        self.scale = builder.constant(scale, F32)


class Mask(NamedTuple):
    """A mask, and the indices of a head's part."""

    tensor: Value
    """(P or 1, Q or 1, S or 1, T)"""
    outer: Value
    inner: Value
    hides: bool
    """Elements below inf replace the score; the elements of other masks are added."""


class Head(NamedTuple):
    """The operands of one head's tiles."""

    number: Value
    keys: Value
    """(T, D), or (D, T) when the shape has its keys transposed."""
    values: Value
    """(T, E)"""
    masks: list[Mask]
    maximum: Value
    """Of each row before its first key (f32), as the sum."""
    sum: Value


class QueryTile(NamedTuple):
    """Some rows of a head's queries."""

    first: Value
    rows: int
    scaled: Value
    """query * scale, (rows, D) of f32."""


class KeyTile(NamedTuple):
    """Some rows of a head's keys and values: columns of the scores."""

    first: Value
    columns: int


class ScoreTiles:
    """Writes the computation of one tile of scores."""

    def __init__(self, shape: Shape, builder: FunctionBuilder, constants: Constants) -> None:
        self.shape, self.builder, self.constants = shape, builder, constants

    def mask(self, tensor: Value, hides: bool, head: Value) -> Mask:
        """The part of head h is at (h / Q, h % Q)."""
        op, c0, sizes = self.builder, self.constants.c0, tensor.type.sizes
        count = op.index(mask_groups(sizes, self.shape.heads)[1])
        outer = op.apply("arith.divui", head, count) if sizes[0] > 1 else op.apply("arith.muli", c0, c0)
        inner = op.apply("arith.remui", head, count) if sizes[1] > 1 else op.apply("arith.muli", c0, c0)
        return Mask(tensor, outer, inner, hides)

    def tile(self, head: Head, queries: QueryTile, keys: KeyTile) -> Value:
        """A tile of scores, (rows, columns) of f32: products of queries and keys, bounded and masked."""
        s, op = self.shape, self.builder
        out = op.empty(Type("f32", (queries.rows, keys.columns)))
        scores = self._products(head, queries, keys, op.fill(self.constants.zero, out))
        if s.cap:
            cap = op.constant(s.cap, F32)
            scores = op.generic("ij->ij", [scores], out,
                               lambda score, _: op.apply("arith.mulf", op.apply("math.tanh", score), cap))
        for mask in head.masks:
            scores = self._masked(scores, mask, queries, keys, out)
        return self._causal(scores, queries, keys, out) if s.causal else scores

    def _products(self, head: Head, queries: QueryTile, keys: KeyTile, zeros: Value) -> Value:
        """Scaled queries times keys, (rows, columns) of f32."""
        s, op = self.shape, self.builder
        if s.transposed:
            columns = op.extract_slice(head.keys, [0, keys.first], (s.depth, keys.columns))
            return op.matmul(queries.scaled, columns, zeros)

        def summed(query: Value, key: Value, sum_: Value) -> Value:
            return op.apply("arith.addf", sum_, op.apply("arith.mulf", query, op.to_f32(key)))

        rows = op.extract_slice(head.keys, [keys.first, 0], (keys.columns, s.depth))
        return op.generic("ik,jk->ij", [queries.scaled, rows], zeros, summed)

    def _masked(self, scores: Value, mask: Mask, queries: QueryTile, keys: KeyTile, out: Value) -> Value:
        """The scores with ``mask`` in them."""
        shared = mask.tensor.type.sizes[2] == 1  # by all queries
        row, rows = (0, 1) if shared else (queries.first, queries.rows)
        tile = self.builder.extract_slice(mask.tensor, [mask.outer, mask.inner, row, keys.first],
                                          (1, 1, rows, keys.columns), drop=3 if shared else 2)
        return self.builder.generic("ij,j->ij" if shared else "ij,ij->ij", [scores, tile], out,
                                    self._hidden if mask.hides else self._added)

    def _added(self, score: Value, mask: Value, _: Value) -> Value:
        """The sum, but -inf of the mask whatever the score."""
        lowest = self.builder.compare("oeq", mask, self.constants.minus_inf)
        return self.builder.select(lowest, mask, self.builder.apply("arith.addf", score, mask))

    def _hidden(self, score: Value, hidden: Value, _: Value) -> Value:
        """The score, replaced by the element of ``hidden`` unless that is inf."""
        return self.builder.select(self.builder.compare("oeq", hidden, self.constants.inf), score, hidden)

    def _causal(self, scores: Value, queries: QueryTile, keys: KeyTile, out: Value) -> Value:
        """-inf for the keys after each query."""
        op = self.builder

        def seen(score: Value, _: Value) -> Value:
            i, j = op.loop_index(0), op.loop_index(1)
            query, key = op.apply("arith.addi", i, queries.first), op.apply("arith.addi", j, keys.first)
            return op.select(op.compare("sle", key, query), score, self.constants.minus_inf)

        return op.generic("ij->ij", [scores], out, seen)
