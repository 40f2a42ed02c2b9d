"""Single steps of recurrent networks, as products and elementwise ops."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from hexagon_mlir.frontend.torch.registry import decomposes

_aten = torch.ops.aten


@decomposes(_aten.lstm_cell.default)
def lstm_cell(x: Tensor, state: Sequence[Tensor], w: Tensor, u: Tensor, b: Tensor | None = None,
              c: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Gates in PyTorch's order: input, forget, cell, output."""
    hidden, cell = state
    into, forget, new, out = (F.linear(x, w, b) + F.linear(hidden, u, c)).chunk(4, 1)
    cell = torch.sigmoid(forget) * cell + torch.sigmoid(into) * torch.tanh(new)
    return torch.sigmoid(out) * torch.tanh(cell), cell


@decomposes(_aten.gru_cell.default)
def gru_cell(x: Tensor, hidden: Tensor, w: Tensor, u: Tensor, b: Tensor | None = None, c: Tensor | None = None
             ) -> Tensor:
    """Gates in PyTorch's order: reset, update, new."""
    reset_x, update_x, new_x = F.linear(x, w, b).chunk(3, 1)
    reset_h, update_h, new_h = F.linear(hidden, u, c).chunk(3, 1)
    update = torch.sigmoid(update_x + update_h)
    new = torch.tanh(new_x + torch.sigmoid(reset_x + reset_h) * new_h)
    return new + update * (hidden - new)


def _plain_cell(activation: Callable[[Tensor], Tensor]) -> Callable[..., Tensor]:
    def cell(x: Tensor, hidden: Tensor, w: Tensor, u: Tensor, b: Tensor | None = None, c: Tensor | None = None
             ) -> Tensor:
        return activation(F.linear(x, w, b) + F.linear(hidden, u, c))

    return cell


decomposes(_aten.rnn_tanh_cell.default)(_plain_cell(torch.tanh))
decomposes(_aten.rnn_relu_cell.default)(_plain_cell(torch.relu))
