"""Convolutions in groups of channels, in groups of whole tiles of the matrix engine where that pays.

Several small groups become one, whose weights are zero where an output does not read a channel: a tile of weights has
32 channels and 32 outputs in any case.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import lcm
from typing import Any

import torch
from torch.fx import Node

from hexagon_mlir.dialects.engine_tiles import TILE
from hexagon_mlir.frontend.torch.graph import TorchGraph, arguments_of, dtype_of, shape_of
from hexagon_mlir.passes.engine_convolution.read import Geometry, shares_tiles
from hexagon_mlir.passes.engine_convolution.sizes import ConvolutionCost, choose_plan, groups_pay
from hexagon_mlir.targets import Target

_aten = torch.ops.aten
_DIRECT = (_aten.conv1d.default, _aten.conv2d.default, _aten.convolution.default)
ON_ENGINE = "hexagon_engine_groups"
"""In the meta data of convolutions whose groups are of whole tiles."""


def merge_groups(graph: TorchGraph, target: Target, kinds: Sequence[torch.dtype]) -> None:
    """Rewrite each convolution in groups, of numbers of ``kinds``, that is estimated to take less time on ``target``'s
    matrix engine."""
    for node in list(graph.graph.nodes):
        if node.target not in _DIRECT or dtype_of(node) not in kinds:
            continue
        given = arguments_of(node)
        groups, weight = given.get("groups", 1), given["weight"]
        if groups == 1 or given.get("transposed") or not graph.is_constant(weight):
            continue
        merged = merged_groups(shape_of(given["input"])[1], shape_of(weight)[0], groups)
        if merged is None or not _pays(node, given, merged, target):
            continue
        wide = graph.add_constant(block_diagonal(graph.value(weight), groups, merged), "block_diagonal")
        rest = {name: value for name, value in given.items() if name != "input"}
        node.args, node.kwargs = (given["input"],), {**rest, "weight": wide, "groups": merged}
        node.meta[ON_ENGINE] = True


def merged_groups(inputs: int, outputs: int, groups: int) -> int | None:
    """The most groups of whole tiles of channels, of ``inputs`` and of ``outputs``; None where there are none."""
    step = max(lcm(TILE, size) // size for size in (inputs // groups, outputs // groups))
    return groups // step if groups % step == 0 and inputs % TILE == 0 and outputs % TILE == 0 else None


def block_diagonal(weight: torch.Tensor, groups: int, merged: int) -> torch.Tensor:
    """(O, I / groups, [KH,] KW) -> (O, I / merged, [KH,] KW): the weights of ``merged`` groups, with zeros between."""
    outputs, inputs, *window = weight.shape
    each = groups // merged
    parts = weight.detach().reshape(merged, each, outputs // groups, inputs, *window)
    wide = weight.new_zeros(merged, each, outputs // groups, each, inputs, *window)
    for number in range(each):
        wide[:, number, :, number] = parts[:, number]
    return wide.reshape(outputs, each * inputs, *window)


def _pays(node: Node, given: dict[str, Any], merged: int, target: Target) -> bool:
    geometry = _geometry(node, given, merged)
    if not shares_tiles(geometry) or choose_plan(geometry, target.tcm_budget_bytes // 2) is None:
        return False
    halves = dtype_of(node) == torch.float16
    return groups_pay(geometry, given["groups"], target.lanes(16), halves, ConvolutionCost.of(target, True))


def _geometry(node: Node, given: dict[str, Any], merged: int) -> Geometry:
    """Of the convolution in ``merged`` groups; one of one dimension has one row."""
    inputs = shape_of(given["input"])[1]
    (taps_y, taps_x), (rows, columns) = ((1, *shape_of(value)[2:])[-2:] for value in (given["weight"], node))
    (row_step, column_step), (row_tap, column_tap) = (
        (1, *(list(given.get(name) or [1]) * 2)[:len(shape_of(node)) - 2])[-2:] for name in ("stride", "dilation"))
    return Geometry(shape_of(node)[0], rows, columns, shape_of(node)[1], taps_y, taps_x, inputs // merged, row_step,
                    row_tap, column_step * inputs, column_tap * inputs, merged)
