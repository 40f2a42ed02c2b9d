"""Attention of one query for each head, as when a token is decoded, in parts of the keys.

Its time is that of reading keys and values once. They are read in parts, which threads share: each gives its largest
score, the sum of weights relative to it, and that of weighted values. `joined_attention` joins the parts: in a function
of its own, because what reads all parts leaves threads nothing to share but the columns of values.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor
from torch.fx import Node

from hexagon_mlir.frontend.torch.graph import args_of, dtype_of, shape_of
from hexagon_mlir.frontend.torch.importer import BUILDERS
from hexagon_mlir.frontend.torch.kernels.builder import F32, FunctionBuilder, Type, Value

ELEMENTS = {torch.float32: "f32", torch.float16: "f16", torch.bfloat16: "bf16"}
LOWEST = -1.0e30
"""Scores below it count as it, so that no infinity is subtracted."""

_FEWEST_KEYS, _LESS, _STEP = 1024, 4, 32
"""Keys from which on reading less of them pays for more code; what a step is to the next one; keys of a part are a
multiple of the last."""


def query_attention(query: Tensor, key: Tensor, value: Tensor, added: Tensor | None,
                    hidden: Tensor | None, extent: Tensor | None = None) -> tuple[Tensor, Tensor, Tensor]:
    """Of queries (H, R, D), keys (H, P, N, D) and values (H, P, N, E), in P parts: sums of exp(score - m) value,
    (H, P, R, E), the largest scores m, (P, H, R), and sums of exp(score - m), (P, H, R), of the scores query key^T +
    added of each part. All are f32.

    ``added`` and ``hidden`` are (H or 1, P, R or 1, N) of float32. Elements of ``hidden`` below inf replace product and
    mask. Where a query sees no key of a part, m is -inf. ``extent``, float32 (1), is a number of keys from the first
    on, beyond which none is seen: kernels may make parts of these alone, whose join is the same.
    """
    scores = torch.einsum("hrd,hpnd->hprn", query.float(), key.float())
    for mask, replaces in ((added, False), (hidden, True)):
        if mask is not None:
            kept = mask == float("inf") if replaces else mask != float("-inf")
            scores = torch.where(kept, scores if replaces else scores + mask, mask)
    most = scores.amax(-1)
    weights = (scores.clamp(min=LOWEST) - most.clamp(min=LOWEST)[..., None]).exp()
    sums = torch.einsum("hprn,hpne->hpre", weights, value.float())
    return sums, most.transpose(0, 1).contiguous(), weights.sum(-1).transpose(0, 1).contiguous()


@dataclass(frozen=True)
class AttentionSizes:
    heads: int
    rows: int
    parts: int
    keys: int
    depth: int
    width: int
    element: str
    masks: tuple[tuple[tuple[int, ...], bool], ...]
    """Sizes of each mask, and whether it replaces scores."""
    few: tuple[int, ...] = ()
    """Numbers of keys, ascending, of the first part, that may be all that is seen; the last argument says so."""


@functools.cache
def function(s: AttentionSizes) -> str:
    """The text of the function for attention of these sizes."""
    op = FunctionBuilder([Type(s.element, (s.heads, s.rows, s.depth)),
                          Type(s.element, (s.heads, s.parts, s.keys, s.depth)),
                          Type(s.element, (s.heads, s.parts, s.keys, s.width)), *(Type("f32", m) for m, _ in s.masks),
                          *[Type("f32", (1,))] * bool(s.few)])
    query, key, value, *masks = op.arguments
    extent = op.extract(masks.pop(), op.index(0)) if s.few else None
    for count in s.few:
        def first(count: int = count) -> Sequence[Value]:
            of_part = count // s.parts
            own = replace(s, keys=of_part, masks=tuple(((*sizes[:3], of_part), kind) for sizes, kind in s.masks))
            return _attention(op, own, query, _first(op, key, count), _first(op, value, count),
                              [_first_of_mask(op, mask, count) for mask in masks])

        assert extent is not None
        op.return_where(op.compare("ole", extent, op.constant(float(count), F32)), first)
    return op.text(*_attention(op, s, query, key, value, masks))


def _first(op: FunctionBuilder, rows: Value, count: int) -> Value:
    """The first ``count`` of ``rows`` (H, P, N, D), which are in the first part, in P parts."""
    heads, parts, _, depth = rows.type.sizes
    some = op.extract_slice(rows, [0] * 4, (heads, 1, count, depth))
    dropped = op.without(some, [1])
    return op.expand_shape(dropped, [[0], [1, 2], [3]], (heads, parts, count // parts, depth))


def _first_of_mask(op: FunctionBuilder, mask: Value, count: int) -> Value:
    """The same of a mask (H or 1, P, 1, N)."""
    heads, parts, _, _ = mask.type.sizes
    some = op.without(op.extract_slice(mask, [0] * 4, (heads, 1, 1, count)), [1, 2])
    return op.expand_shape(some, [[0], [1, 2, 3]], (heads, parts, 1, count // parts))


def _attention(op: FunctionBuilder, s: AttentionSizes, query: Value, key: Value, value: Value,
               masks: list[Value]) -> tuple[Value, Value, Value]:
    """Sums, largest scores and totals."""
    zero, lowest = op.constant(0.0, F32), op.constant(f"{LOWEST:.1e}", F32)
    infinity = op.constant("0x7F800000", F32)
    least = op.constant("0xFF800000", F32)
    sizes, of_part = (s.heads, s.parts, s.rows, s.keys), Type("f32", (s.parts, s.heads, s.rows))
    scores = _product(op, "ace,abde->abcd", query, key, op.fill(zero, op.empty(Type("f32", sizes))))
    if masks:
        scores = _masked(op, s, scores, masks, infinity, least)
    most = op.generic("abcd->bac", [scores], op.fill(least, op.empty(of_part)),
                      lambda score, most: op.apply("arith.maxnumf", score, most))

    weights = op.generic("abcd,bac->abcd", [scores, most], op.empty(Type(s.element, sizes)),
                         lambda score, most, _: op.from_f32(relative_weight(op, score, most, lowest), s.element))
    totals = op.generic("abcd->bac", [weights], op.fill(zero, op.empty(of_part)),
                        lambda weight, sum_: op.apply("arith.addf", sum_, op.to_f32(weight)))
    sums = _product(op, "abcd,abde->abce", weights, value,
                    op.fill(zero, op.empty(Type("f32", (*sizes[:3], s.width)))))
    return sums, most, totals


def few_of(parts: int, keys: int) -> tuple[int, ...]:
    """Numbers of keys for which there is code of its own, ascending: what is in the first of ``parts`` of ``keys``
    each, and a quarter of that."""
    if parts * keys < _FEWEST_KEYS:
        return ()
    return tuple(count for count in (keys // _LESS, keys) if count % (parts * _STEP) == 0)


def relative_weight(op: FunctionBuilder, score: Value, most: Value, lowest: Value) -> Value:
    """exp(score - most); scores below ``lowest`` count as it."""
    bounded = [op.apply("arith.maximumf", x, lowest) for x in (score, most)]
    return op.apply("math.exp", op.apply("arith.subf", *bounded))


def _product(op: FunctionBuilder, subscripts: str, left: Value, right: Value, out: Value) -> Value:
    return op.generic(subscripts, [left, right], out, lambda a, b, sum_: op.apply(
        "arith.addf", sum_, op.apply("arith.mulf", op.to_f32(a), op.to_f32(b))))


def _masked(op: FunctionBuilder, s: AttentionSizes, scores: Value, masks: list[Value], infinity: Value,
            least: Value) -> Value:
    """``scores`` with ``masks``, which all heads or rows may share."""
    reads = []
    shared = []
    for mask in masks:
        heads, _, rows, _ = mask.type.sizes
        drop = [dim for dim, size, whole in ((0, heads, s.heads), (2, rows, s.rows)) if size < whole or size == 1]
        shared.append(op.without(mask, drop) if drop else mask)
        reads.append("".join(letter for dim, letter in enumerate("abcd") if dim not in drop))

    def masked(score: Value, *given: Value) -> Value:
        for (_, replaces), mask in zip(s.masks, given, strict=False):
            kept = op.compare("oeq", mask, infinity) if replaces else op.compare("une", mask, least)
            score = op.select(kept, score if replaces else op.apply("arith.addf", score, mask), mask)
        return score

    return op.generic(f"abcd,{','.join(reads)}->abcd", [scores, *shared], op.empty(scores.type), masked)


def build(node: Node) -> str:
    """The function for one `query_attention` node."""
    query, key, value, added, hidden, extent = args_of(node)
    heads, parts, keys, depth = shape_of(key)
    masks = tuple((tuple(shape_of(mask)), mask is hidden) for mask in (added, hidden) if isinstance(mask, Node))
    return function(AttentionSizes(heads, shape_of(query)[1], parts, keys, depth, shape_of(value)[3],
                                   ELEMENTS[dtype_of(query)], masks,
                                   few_of(parts, keys) if isinstance(extent, Node) else ()))


BUILDERS[query_attention] = build
