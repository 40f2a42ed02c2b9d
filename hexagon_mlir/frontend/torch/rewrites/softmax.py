"""Finds softmax over the last dimension in the ways models write it."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

import torch
from torch.fx import Node

from hexagon_mlir.frontend.torch.graph import args_of, shape_of

_aten = torch.ops.aten


@dataclass(frozen=True)
class Softmax:
    """Softmax of ``scores``, which ``readers`` of its operations read. ``sink`` is a score of its own in each row
    (shape (..., 1)) whose weight nothing reads, None without."""

    scores: Node
    readers: int
    sink: Node | None = None


def softmax_of_weights(node: Node | None) -> Softmax | None:
    """The softmax whose weights ``node`` is."""
    if node is None or not shape_of(node):
        return None
    if node.target != _aten.slice.Tensor:
        scores = _softmax_of(node)
        return None if scores is None else Softmax(scores, len(scores.users))
    source, dim, first, end = (*args_of(node), 0, None)[:4]
    rank, size = len(shape_of(source)), shape_of(source)[-1]
    if dim % rank != rank - 1 or first or end not in (-1, size - 1) or len(args_of(node)) > 4 or len(node.users) != 1:
        return None
    concatenation = _less_highest(_softmax_of(source))
    if concatenation is None or concatenation.target != _aten.cat.default:
        return None
    parts, where = args_of(concatenation)[0], (*args_of(concatenation), 0)[1]
    if len(parts) != 2 or where % rank != rank - 1 or shape_of(parts[1])[-1] != 1:
        return None
    return Softmax(parts[0], 1, parts[1])


def _less_highest(node: Node | None) -> Node | None:
    """The operand of a subtraction of the row's maximum, which softmax subtracts too, or the node itself."""
    if node is None or node.target != _aten.sub.Tensor or node.kwargs:
        return node
    scores, highest = args_of(node)
    if isinstance(highest, Node) and highest.target == operator.getitem and args_of(highest)[1] == 0:
        found = args_of(highest)[0]
        same = found.target == _aten.max.dim and args_of(found)[0] is scores and len(found.users) == 1
        rows = same and args_of(found)[1] in (-1, len(shape_of(scores)) - 1) and args_of(found)[2:] == (True,)
    else:
        rows = _reduces(highest, _aten.amax.default, scores, (-1, len(shape_of(scores)) - 1))
    return scores if rows and len(scores.users) == 2 else None


def _softmax_of(node: Node) -> Node | None:
    """The operand of ``node`` if that is a softmax over the last dimension: PyTorch's, or by quotient, sum, power and
    maximum."""
    if not shape_of(node):
        return None
    last = (-1, len(shape_of(node)) - 1)
    if node.target in (_aten.softmax.int, _aten._softmax.default):
        source = args_of(node)[0]
        return source if args_of(node)[1] in last and (len(node.users), len(source.users)) == (1, 1) else None
    if node.target != _aten.div.Tensor or len(node.users) != 1:
        return None
    power, total = args_of(node)
    if not _reduces(total, _aten.sum.dim_IntList, power, last) or power.target != _aten.exp.default:
        return None
    less = args_of(power)[0]
    if less.target != _aten.sub.Tensor or less.kwargs or (len(power.users), len(less.users)) != (2, 1):
        return None
    scores, highest = args_of(less)
    found = _reduces(highest, _aten.amax.default, scores, last) and len(scores.users) == 2
    return scores if found else None


def _reduces(node: Any, target: Any, source: Any, last: tuple[int, int]) -> bool:
    """True when ``node``, with one reader, is ``target(source, [last], keepdim=True)``."""
    return (isinstance(node, Node) and node.target == target and args_of(node)[0] is source and not node.kwargs
            and len(node.users) == 1 and args_of(node)[1:] in (([last[0]], True), ([last[1]], True)))
