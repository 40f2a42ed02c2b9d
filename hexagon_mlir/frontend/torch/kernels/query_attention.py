"""Attention of one query for each head, as when a token is decoded.

Its time is that of reading keys and values once. They are read in parts, which threads share: each gives its largest
score, weights relative to it, and sums of weights and of weighted values. The sums of all parts are then brought to the
largest score of all, and added up.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.fx import Node

from hexagon_mlir.frontend.torch.graph import args_of, dtype_of, shape_of
from hexagon_mlir.frontend.torch.importer import BUILDERS
from hexagon_mlir.frontend.torch.kernels.builder import F32, FunctionBuilder, Type, Value

_ELEMENTS = {torch.float32: "f32", torch.float16: "f16", torch.bfloat16: "bf16"}
_LOWEST = "-1.0e+30"
"""Scores below it count as it, so that no infinity is subtracted."""


def query_attention(query: Tensor, key: Tensor, value: Tensor, added: Tensor | None, hidden: Tensor | None,
                    safe: bool) -> Tensor:
    """softmax(query key^T + added) value of queries (H, R, D), keys (H, P, N, D) and values (H, P, N, E), in P
    parts: (H, R, E).

    ``added`` and ``hidden`` are (H or 1, P, R or 1, N) of float32. Elements of ``hidden`` below inf replace product and
    mask. A query that sees no key has zeros when ``safe``, and NaN otherwise.
    """
    (heads, parts, keys, depth), rows = key.shape, query.shape[1]
    scores = query.float() @ key.float().reshape(heads, -1, depth).transpose(1, 2)
    scores = scores.reshape(heads, rows, parts, keys).transpose(1, 2)
    for mask, replaces in ((added, False), (hidden, True)):
        if mask is not None:
            kept = mask == float("inf") if replaces else mask != float("-inf")
            scores = torch.where(kept, scores if replaces else scores + mask, mask)
    scores = scores.transpose(1, 2).reshape(heads, rows, -1)
    weights = torch._safe_softmax(scores, -1) if safe else scores.softmax(-1)
    return (weights @ value.float().reshape(heads, parts * keys, -1)).to(query.dtype)


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
    safe: bool


@functools.cache
def function(s: AttentionSizes) -> str:
    """The text of the function for attention of these sizes."""
    op = FunctionBuilder([Type(s.element, (s.heads, s.rows, s.depth)),
                          Type(s.element, (s.heads, s.parts, s.keys, s.depth)),
                          Type(s.element, (s.heads, s.parts, s.keys, s.width)), *(Type("f32", m) for m, _ in s.masks)])
    query, key, value, *masks = op.arguments
    zero, lowest = op.constant(0.0, F32), op.constant(_LOWEST, F32)
    infinity = op.constant("0x7F800000", F32)
    least = op.constant("0xFF800000", F32)
    sizes, of_part = (s.heads, s.parts, s.rows, s.keys), Type("f32", (s.heads, s.parts, s.rows))
    scores = _product(op, "ace,abde->abcd", query, key, op.fill(zero, op.empty(Type("f32", sizes))))
    if masks:
        scores = _masked(op, s, scores, masks, infinity, least)
    most = op.generic("abcd->abc", [scores], op.fill(least, op.empty(of_part)),
                      lambda score, most: op.apply("arith.maxnumf", score, most))

    def weight(score: Value, most: Value, _: Value) -> Value:
        bounded = [op.apply("arith.maximumf", x, lowest) for x in (score, most)]
        return op.apply("math.exp", op.apply("arith.subf", *bounded))

    def total(values: Value, subscripts: str, sizes: tuple[int, ...]) -> Value:
        return op.generic(subscripts, [values], op.fill(zero, op.empty(Type("f32", sizes))),
                          lambda value, sum_: op.apply("arith.addf", sum_, op.to_f32(value)))

    weights = op.generic("abcd,abc->abcd", [scores, most], op.empty(Type(s.element, sizes)),
                         lambda score, most, old: op.from_f32(weight(score, most, old), s.element))
    totals = total(weights, "abcd->abc", of_part.sizes)
    sums = _product(op, "abcd,abde->abce", weights, value,
                    op.fill(zero, op.empty(Type("f32", (*of_part.sizes, s.width)))))
    of_row = (s.heads, s.rows)
    largest = op.generic("abc->ac", [most], op.fill(least, op.empty(Type("f32", of_row))),
                         lambda part, most: op.apply("arith.maxnumf", part, most))
    shares = op.generic("abc,ac->abc", [most, largest], op.empty(of_part), weight)
    times = op.generic("abc,abc->abc", [totals, shares], op.empty(of_part),
                       lambda total, share, _: op.apply("arith.mulf", total, share))
    whole = total(times, "abc->ac", of_row)
    shared = op.generic("abce,abc->abce", [sums, shares], op.empty(sums.type),
                        lambda sum_, share, _: op.apply("arith.mulf", sum_, share))
    result = total(shared, "abce->ace", (*of_row, s.width))
    nothing = op.constant(0.0 if s.safe else "0x7FC00000", F32)

    def quotient(sum_: Value, total: Value, most: Value, _: Value) -> Value:
        result = op.apply("arith.divf", sum_, total)
        if masks:
            result = op.select(op.compare("oeq", most, least), nothing, result)
        return op.from_f32(result, s.element)

    return op.text(op.generic("ace,ac,ac->ace", [result, whole, largest],
                              op.empty(Type(s.element, (*of_row, s.width))), quotient))


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
    query, key, value, added, hidden, safe = args_of(node)
    heads, parts, keys, depth = shape_of(key)
    masks = tuple((tuple(shape_of(mask)), mask is hidden) for mask in (added, hidden) if isinstance(mask, Node))
    return function(AttentionSizes(heads, shape_of(query)[1], parts, keys, depth, shape_of(value)[3],
                           _ELEMENTS[dtype_of(query)], masks, bool(safe)))


BUILDERS[query_attention] = build
