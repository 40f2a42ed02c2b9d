"""What branches and loops give whose conditions depend on the values of inputs: all is computed, and one is chosen."""

from __future__ import annotations

from typing import Any

import torch

from hexagon_mlir.ir import ir

MOST_STEPS = 128
"""Steps of a loop that may end earlier, for inputs of other values: each is code of its own."""
_READS = frozenset({"torch.aten.item", "torch.aten.Bool.Tensor", "torch.aten.Bool.int"})
_CONTROL = frozenset({"torch.prim.If", "torch.prim.Loop", "torch.prim.Loop.condition"})


def is_condition(op: ir.Operation) -> bool:
    """True for reading a number from a tensor, where it is nothing but a condition."""
    return op.name in _READS and all(
        user.name in _CONTROL or is_condition(user)
        for user in (use.owner.operation for result in op.results for use in result.uses))


def chosen(condition: torch.Tensor, yes: Any, no: Any) -> torch.Tensor:
    """``yes`` where ``condition``, one truth, holds, else ``no``. Raises ValueError for results of other sizes."""
    for value in (yes, no):
        if not isinstance(value, torch.Tensor):
            raise ValueError("a size depends on the values of inputs")
    if yes.shape != no.shape or yes.dtype != no.dtype:
        raise ValueError("the size of a result depends on the values of inputs")
    return torch.where(_truth(condition), yes, no)


def both(condition: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """Whether both hold."""
    return _truth(condition) & _truth(other)


def _truth(condition: torch.Tensor) -> torch.Tensor:
    return condition.reshape(()) != 0
