"""Recurrent networks: single steps, as products and elementwise ops, and LSTM layers from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch._decomp.decompositions import one_layer_lstm

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


@decomposes(_aten.mkldnn_rnn_layer.default)
def mkldnn_lstm_layer(x: Tensor, w: Tensor, u: Tensor, b: Tensor, c: Tensor, hidden: Tensor, cell: Tensor,
                      reverse: bool, batch_sizes: Sequence[int], mode: int, hidden_size: int, num_layers: int,
                      has_biases: bool, *fixed: Any) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """One direction of an LSTM's layer, steps first: what torch.compile makes of one on CPUs."""
    y, (hidden, cell) = one_layer_lstm(x, (hidden[0], cell[0]), (w, u, b, c), has_biases, reverse)
    return y, hidden[None], cell[None], x.new_empty(0)


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
