"""Gradients of recurrent layers: what all steps compute alike at once, the gradients of the states by a loop.

The gates are computed again from the states that the forward pass keeps, in one product for all steps.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor

from hexagon_mlir.frontend.torch.kernels.recurrence import recurrence
from hexagon_mlir.frontend.torch.kernels.recurrence_gradients import recurrence_gradients


class _Derivatives(NamedTuple):
    """Of a layer without projection: as `recurrence_gradients` takes them.

    ``new`` is that of the state by the input's new gate, of a GRU, (T, B, H).
    """

    gates: Tensor
    keeps: Tensor | None = None
    through: Tensor | None = None
    new: Tensor | None = None


def _slope(sigmoid: Tensor) -> Tensor:
    return sigmoid * (1.0 - sigmoid)


def _lstm(inputs: Tensor, product: Tensor, before: Tensor, cells: Tensor) -> _Derivatives:
    """``before`` are the cells that steps start with."""
    into, forget, new, out = (inputs + product).chunk(4, -1)
    into, forget, new, out, shown = into.sigmoid(), forget.sigmoid(), new.tanh(), out.sigmoid(), cells.tanh()
    gates = torch.cat([new * _slope(into), before * _slope(forget), into * (1.0 - new * new), shown * _slope(out)], -1)
    return _Derivatives(gates, forget, out * (1.0 - shown * shown))


def _gru(inputs: Tensor, product: Tensor, before: Tensor) -> _Derivatives:
    """``before`` are the hidden states that steps start with."""
    reset_x, update_x, new_x = inputs.chunk(3, -1)
    reset_h, update_h, new_h = product.chunk(3, -1)
    reset, update = (reset_x + reset_h).sigmoid(), (update_x + update_h).sigmoid()
    new = (new_x + reset * new_h).tanh()
    d_new = (1.0 - update) * (1.0 - new * new)
    gates = torch.cat([d_new * new_h * _slope(reset), (before - new) * _slope(update), d_new * reset], -1)
    return _Derivatives(gates, update, new=d_new)


_PLAIN: dict[str, Callable[[Tensor], Tensor]] = {"tanh": lambda y: 1.0 - y * y,
                                                 "relu": lambda y: torch.where(y <= 0.0, 0.0, 1.0)}
"""Derivatives of the hidden states, from them; of relu, that of NaN is one, as in PyTorch."""


def _before(first: Tensor, rows: Tensor, reverse: bool) -> Tensor:
    """What each step starts with."""
    return torch.cat([rows[1:], first[None]] if reverse else [first[None], rows[:-1]])


def _keep(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, ...]) -> None:
    kind, *tensors, reverse, keeps_cells = inputs
    y, _, cells = output
    ctx.kind, ctx.reverse = kind, reverse
    ctx.save_for_backward(*tensors, y, cells if keeps_cells else None)


def _backward(ctx: Any, dy: Tensor, d_last: Tensor, _: Tensor) -> tuple[Tensor | None, ...]:
    """Gradients of the arguments of `recurrence`: a layer that needs some of them gets all."""
    kind, reverse = ctx.kind, ctx.reverse
    inputs, weight, bias, hidden, cell, projection, y, cells = ctx.saved_tensors
    before = _before(hidden, y, reverse)
    product = before @ weight if bias is None else before @ weight + bias
    if kind == "lstm":
        made = _lstm(inputs, product, _before(cell, cells, reverse), cells)
    else:
        made = _gru(inputs, product, before) if kind == "gru" else _Derivatives(_PLAIN[kind](y))
        place = 0 if reverse else len(dy) - 1  # the last state is a hidden one
        dy = torch.cat([dy[:place], (dy[place] + d_last)[None], dy[place + 1:]])
    d_hidden, d_cells, d_first, d_cell = recurrence_gradients(
        dy.contiguous(), made.gates, made.keeps, made.through, weight.t().contiguous(),
        None if projection is None else projection.t().contiguous(), d_last if kind == "lstm" else None, reverse)
    out = d_hidden if projection is None else d_hidden @ projection.t()
    count = made.gates.shape[-1] // out.shape[-1]
    sources = [d_cells] * 3 + [out] if kind == "lstm" else [out] * count
    d_product = torch.cat(sources, -1) * made.gates
    d_inputs = d_product if made.new is None else torch.cat(
        [d_product[..., : -out.shape[-1]], out * made.new], -1)
    d_projection = None
    if projection is not None:
        shown = _out_gate(inputs, product) * cells.tanh()
        d_projection = shown.flatten(0, 1).t() @ d_hidden.flatten(0, 1)
    return (None, d_inputs, before.flatten(0, 1).t() @ d_product.flatten(0, 1),
            None if bias is None else d_product.sum((0, 1)), d_first, d_cell if kind == "lstm" else None, d_projection,
            None, None)


def _out_gate(inputs: Tensor, product: Tensor) -> Tensor:
    return (inputs + product).chunk(4, -1)[3].sigmoid()


recurrence.register_autograd(_backward, setup_context=_keep)
