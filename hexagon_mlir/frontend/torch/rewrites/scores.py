"""The operations on attention's scores between the two products (scale, add, hide) in a form for tiles."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import torch
from torch.fx import Node

from hexagon_mlir.frontend.torch.graph import TorchGraph, args_of, dtype_of, shape_of

_aten = torch.ops.aten
_ABSORBS = torch.finfo(torch.float32).min / 2  # adding a score to a smaller fill value rounds to the fill: s + f = f
_INFINITY = float("inf")


class Scores:
    """The scores ``product * scale + added`` where ``hidden`` is inf, and ``hidden`` elsewhere; with ``causal``, -inf
    where the key's number is above the query's. With a ``cap``, ``tanh(product * scale) * cap`` is the first part;
    ``sink`` has one more score of each head.

    The methods follow the model from the product outwards, with masks that broadcast to ``shape`` (..., S, T). They
    insert computations on masks, never on scores, before ``at``.
    """

    def __init__(self, graph: TorchGraph, at: Node, shape: Sequence[int]):
        self.graph, self.at, self.shape = graph, at, tuple(shape)
        self.scale = 1.0
        self.cap = 0.0
        self.sink: Node | None = None
        self.added: Node | None = None
        self.hidden: Node | None = None
        self._ordered: tuple[Node, float] | None = None  # the causal mask, and what it fills with

    @property
    def causal(self) -> bool:
        """True when each query reads the keys up to its own number."""
        return self._ordered is not None

    def times(self, factor: float) -> None:
        """``scores * factor``, above 0."""
        if self.cap:
            self.cap *= factor
        else:
            self.scale *= factor
        self.added, self.hidden = (x if x is None else self._insert(_aten.mul.Tensor, x, factor)
                                   for x in (self.added, self.hidden))

    def bend(self) -> bool:
        """``tanh(scores)``, a soft bound (Gemma 2's); False after masks or another cap."""
        if self.cap or not self._alone():
            return False
        self.cap = 1.0
        return True

    def beside(self, sink: Node) -> bool:
        """``cat([scores, sink], -1)``, whose last weight is dropped; False when the sink differs between queries."""
        source = args_of(sink)[0] if sink.target == _aten.expand.default else sink
        if self.graph.is_constant(sink):  # folded
            value = self.graph.value(sink)
            if bool((value == value[..., :1, :]).all()):
                source = self.graph.add_constant(value[..., :1, :].contiguous(), "sinks")
        sizes = (1,) * (len(self.shape) - len(shape_of(source))) + shape_of(source)
        if len(sizes) != len(self.shape) or sizes[-2] != 1:
            return False
        heads = self._insert(_aten.expand.default, source, [*self.shape[:-2], 1, 1])
        self.sink = self._wide(self._insert(_aten.reshape.default, heads, [prod(self.shape[:-2])]))
        return True

    def plus(self, mask: Node, factor: float = 1.0) -> None:
        """``scores + mask * factor``."""
        fill = self._fill_of_causal(mask) if self._alone() and factor == 1.0 else None
        if fill is not None:
            self._ordered = (self._insert(_aten.eq.Scalar, mask, 0), fill)
            return
        self._settle(_INFINITY)
        mask = self._wide(mask)
        mask = mask if factor == 1.0 else self._insert(_aten.mul.Tensor, mask, factor)
        self.added = mask if self.added is None else self._insert(_aten.add.Tensor, self.added, mask)
        if self.hidden is not None:
            kept = self._insert(_aten.eq.Scalar, self.hidden, _INFINITY)
            self.hidden = self._select(kept, None, self._insert(_aten.add.Tensor, self.hidden, mask), True, _INFINITY)

    def where(self, condition: Node, fill: float, keeps: bool) -> None:
        """``where(condition, scores, fill)``; the other way round when the condition ``keeps`` not."""
        self._settle(fill)
        if not keeps and self.graph.is_constant(condition) and dtype_of(condition) == torch.bool:
            condition, keeps = self.graph.add_constant(~self.graph.value(condition), "seen"), True
        if keeps and fill <= _ABSORBS and (self._alone() or fill == -_INFINITY) and dtype_of(condition) == torch.bool \
                and self._fill_of_causal(condition) is not None:
            self._ordered = (condition, fill)
        elif fill <= _ABSORBS and self.hidden is None and not self._grows(condition):
            self.added = self._select(condition, self.added, fill, keeps)
        else:
            self.hidden = self._select(condition, self.hidden, fill, keeps, _INFINITY)

    def at_least(self, lowest: float) -> bool:
        """``maximum(scores, lowest)`` for a number below any score; False when it may not be."""
        self._settle(lowest)
        self.added, self.hidden = (x if x is None else self._insert(_aten.clamp_min.default, x, lowest)
                                   for x in (self.added, self.hidden))
        return lowest <= _ABSORBS

    def _alone(self) -> bool:
        return self.added is None and self.hidden is None and not self.causal

    def _settle(self, fill: float) -> None:
        """Convert the causal mask to an added one, unless all hidden scores are -inf: the next mask fills with
        ``fill``, or (inf) adds."""
        if self._ordered is None:
            return
        condition, own = self._ordered
        if own != -_INFINITY or fill not in (-_INFINITY, _INFINITY):
            self._ordered = None
            self.added = self._select(condition, self.added, own, True)

    def _grows(self, condition: Node) -> bool:
        """True when the added mask with ``condition`` in it is larger than each of them."""
        if self.added is None:
            return False
        sizes = [shape_of(self.added), shape_of(condition)]
        return prod(torch.broadcast_shapes(*sizes)) > max(map(prod, sizes))

    def _select(self, condition: Node, other: Node | None, fill: float | Node, keeps: bool, kept: float = 0.0) -> Node:
        """``other`` (or the number ``kept``) where the scores are kept, ``fill`` elsewhere."""
        first, second = (x if isinstance(x, Node) else self._insert(_aten.full.default, [], x, dtype=torch.float32)
                         for x in (kept if other is None else other, fill))
        return self._insert(_aten.where.self, self._bool(condition), *((first, second) if keeps else (second, first)))

    def _bool(self, mask: Node) -> Node:
        return mask if dtype_of(mask) == torch.bool else self._insert(_aten.ne.Scalar, mask, 0)

    def _wide(self, mask: Node) -> Node:
        same = dtype_of(mask) == torch.float32
        return mask if same else self._insert(_aten._to_copy.default, mask, dtype=torch.float32)

    def _insert(self, target: Any, *args: Any, **kwargs: Any) -> Node:
        return self.graph.insert(self.at, target, *args, **kwargs)

    def _fill_of_causal(self, mask: Node) -> float | None:
        """The fill value of a constant causal mask; None for any other mask."""
        if not self.graph.is_constant(mask) or shape_of(mask)[-2:] != self.shape[-2:]:
            return None
        value = self.graph.value(mask)
        allowed = value if value.dtype == torch.bool else value == 0
        if not bool((allowed == torch.ones(value.shape[-2:], dtype=torch.bool).tril()).all()):
            return None
        hidden = value[~allowed] if value.dtype.is_floating_point else value.new_empty(0)
        if not hidden.numel():
            return -_INFINITY
        return float(hidden.min()) if bool((hidden <= torch.finfo(value.dtype).min / 2).all()) else None

    def operand(self, mask: Node | None) -> Node | None:
        """The mask as attention takes it: (P or 1, Q or 1, S or 1, T) where P Q is the number of heads."""
        if mask is None:
            return None
        lead = self.shape[:-2]
        sizes = (1,) * (len(self.shape) - len(shape_of(mask))) + shape_of(mask)
        split = _split(lead, sizes[:-2])
        if split is None or sizes[-1] != self.shape[-1]:
            wanted = [*(lead if split is None else sizes[:-2]), sizes[-2], self.shape[-1]]
            mask, sizes = self._insert(_aten.expand.default, mask, wanted), tuple(wanted)
            split = len(lead) if split is None else split
        heads = sizes[:-2]
        return self._insert(_aten.reshape.default, mask, [prod(heads[:split]), prod(heads[split:]), *sizes[-2:]])


def _split(lead: Sequence[int], sizes: Sequence[int]) -> int | None:
    """Where to split the leading sizes so that each part of a mask's is whole or 1."""
    for place in range(len(lead) + 1):
        parts = ((lead[:place], sizes[:place]), (lead[place:], sizes[place:]))
        if all(tuple(have) == tuple(whole) or prod(have) == 1 for whole, have in parts):
            return place
    return None
