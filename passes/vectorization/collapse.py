"""Collapses loops that are contiguous in every operand: a nest over [8, 7, 7] becomes one over [8, 49], or over 392."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from math import prod

from hexagon_mlir.ir import ir, memref
from hexagon_mlir.passes.lib.loop_nests import LoopNest, Operand


def loop_groups(nest: LoopNest) -> list[list[int]]:
    """The loops of ``nest`` in groups that can be collapsed, outermost first within a group."""
    follower = {a: b for a in range(len(nest.extents)) for b in range(len(nest.extents)) if _are_contiguous(nest, a, b)}
    groups = []
    for first in range(len(nest.extents)):
        if first in follower.values():
            continue
        group = [first]
        while group[-1] in follower:
            group.append(follower[group[-1]])
        groups.append(group)
    return groups


def collapsed(nest: LoopNest, groups: Sequence[Sequence[int]]) -> LoopNest:
    """``nest`` with one loop per group."""
    number = {loop: i for i, group in enumerate(groups) for loop in group}
    extents = []
    for group in groups:
        total: int | None = 1
        for loop in group:
            extent = nest.extents[loop]
            total = None if total is None or extent is None else total * extent
        extents.append(total)
    return replace(
        nest,
        extents=tuple(extents),
        multiples=tuple(prod(nest.multiples[loop] for loop in group) for group in groups) if nest.multiples else (),
        reduction=tuple(nest.reduction[group[0]] for group in groups),
        operands=tuple(_collapsed_operand(o, groups, number) for o in nest.operands),
        op_loops=tuple(frozenset(number[loop] for loop in loops) for loops in nest.op_loops),
        indexed=frozenset(number[loop] for loop in nest.indexed),
        tables=tuple(replace(t, loops=frozenset(number[loop] for loop in t.loops),
                             along=None if t.along is None else number[t.along]) for t in nest.tables),
    )


def collapse_value(value: ir.Value, operand: Operand, groups: Sequence[Sequence[int]]) -> ir.Value:
    """``value``, described by ``operand``, with the dimensions of each group collapsed."""
    blocks = _blocks(operand, groups)
    if len(blocks) == len(operand.dims):
        return value
    type_ = ir.MemRefType(value.type)
    dynamic = ir.ShapedType.get_dynamic_size()
    shape = []
    for block in blocks:
        size = 1
        for position in block:
            size = dynamic if dynamic in (size, type_.shape[position]) else size * type_.shape[position]
        shape.append(size)
    layout = None
    if type_.layout != ir.AffineMapAttr.get(ir.AffineMap.get_identity(type_.rank)):
        strides, offset = type_.get_strides_and_offset()
        layout = ir.StridedLayoutAttr.get(offset, [strides[block[-1]] for block in blocks])
    result = ir.MemRefType.get(shape, type_.element_type, layout, type_.memory_space)
    return memref.collapse_shape(result, value, blocks)


def _are_contiguous(nest: LoopNest, a: int, b: int) -> bool:
    """True when loops ``a`` and ``b`` are contiguous in every operand that uses one: a step of a is all of b."""
    if a == b or nest.reduction[a] != nest.reduction[b] or {a, b} & nest.indexed:
        return False
    users = [o for o in nest.operands if o.uses(a) or o.uses(b)]
    return bool(users) and all(
        o.dims.count(a) == o.dims.count(b) == 1 and o.dims.index(b) == o.dims.index(a) + 1
        and o.collapsible[o.dims.index(a)]
        for o in users)


def _blocks(operand: Operand, groups: Sequence[Sequence[int]]) -> list[list[int]]:
    """Positions of ``operand``'s dimensions, those of one group together."""
    follower = {a: b for group in groups for a, b in pairwise(group)}
    blocks: list[list[int]] = []
    for position, loop in enumerate(operand.dims):
        before = operand.dims[position - 1] if position else None
        if before is not None and loop is not None and follower.get(before) == loop:
            blocks[-1].append(position)
        else:
            blocks.append([position])
    return blocks


def _collapsed_operand(operand: Operand, groups: Sequence[Sequence[int]], number: dict[int, int]) -> Operand:
    blocks = _blocks(operand, groups)
    loops = [operand.dims[block[0]] for block in blocks]
    return replace(operand, dims=tuple(None if loop is None else number[loop] for loop in loops),
                   collapsible=tuple(operand.collapsible[block[-1]] for block in blocks[:-1]),
                   strides=tuple(operand.strides[block[-1]] for block in blocks) if operand.strides else ())
