"""Joins what `query_attention` gives for each part of the keys: sums are brought to the largest score of all parts."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.fx import Node

from hexagon_mlir.frontend.torch.graph import args_of, shape_of
from hexagon_mlir.frontend.torch.importer import BUILDERS
from hexagon_mlir.frontend.torch.kernels.builder import F32, FunctionBuilder, Type, Value
from hexagon_mlir.frontend.torch.kernels.query_attention import ELEMENTS, LOWEST, relative_weight


def joined_attention(sums: Tensor, most: Tensor, totals: Tensor, dtype: torch.dtype, safe: bool) -> Tensor:
    """Attention, (H, R, E) of ``dtype``, from the results of `query_attention`. A query that sees no key has zeros when
    ``safe``, and NaN otherwise."""
    most, totals = most.transpose(0, 1), totals.transpose(0, 1)
    largest = most.amax(1, keepdim=True)
    shares = (most.clamp(min=LOWEST) - largest.clamp(min=LOWEST)).exp()
    result = (sums * shares[..., None]).sum(1) / (totals * shares).sum(1)[..., None]
    nothing = (largest == float("-inf")).squeeze(1)[..., None]
    return torch.where(nothing, 0.0 if safe else float("nan"), result).to(dtype)


@dataclass(frozen=True)
class JoinSizes:
    """Sizes of the sums, and the element of the result."""

    heads: int
    parts: int
    rows: int
    width: int
    element: str
    safe: bool


@functools.cache
def function(s: JoinSizes) -> str:
    """The text of the function for results of these sizes."""
    of_part, of_row = Type("f32", (s.parts, s.heads, s.rows)), Type("f32", (s.heads, s.rows))
    op = FunctionBuilder([Type("f32", (s.heads, s.parts, s.rows, s.width)), of_part, of_part])
    sums, most, totals = op.arguments
    zero, lowest = op.constant(0.0, F32), op.constant(f"{LOWEST:.1e}", F32)
    least = op.constant("0xFF800000", F32)

    def total(values: Value, shares: Value, subscripts: str, type_: Type) -> Value:
        return op.generic(subscripts, [values, shares], op.fill(zero, op.empty(type_)),
                          lambda value, share, sum_: op.apply("arith.addf", sum_, op.apply("arith.mulf", value, share)))

    largest = op.generic("bac->ac", [most], op.fill(least, op.empty(of_row)),
                         lambda part, most: op.apply("arith.maxnumf", part, most))
    shares = op.generic("bac,ac->bac", [most, largest], op.empty(of_part),
                        lambda part, most, _: relative_weight(op, part, most, lowest))
    whole = total(totals, shares, "bac,bac->ac", of_row)
    result = total(sums, shares, "abce,bac->ace", Type("f32", (*of_row.sizes, s.width)))
    nothing = op.constant(0.0 if s.safe else "0x7FC00000", F32)

    def quotient(sum_: Value, total: Value, most: Value, _: Value) -> Value:
        result = op.apply("arith.divf", sum_, total)
        return op.from_f32(op.select(op.compare("oeq", most, least), nothing, result), s.element)

    return op.text(op.generic("ace,ac,ac->ace", [result, whole, largest],
                              op.empty(Type(s.element, (*of_row.sizes, s.width))), quotient))


def build(node: Node) -> str:
    """The function for one `joined_attention` node."""
    sums, _, _, dtype, safe = args_of(node)
    heads, parts, rows, width = shape_of(sums)
    return function(JoinSizes(heads, parts, rows, width, ELEMENTS[dtype], bool(safe)))


BUILDERS[joined_attention] = build
