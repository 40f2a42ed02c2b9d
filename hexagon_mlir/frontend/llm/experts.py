"""A mixture of experts as a feed-forward layer: a token's weights are those of the experts that it is routed to."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from hexagon_mlir.frontend.llm.block_layers import BlockMatrices
from hexagon_mlir.frontend.llm.config import DecoderConfig
from hexagon_mlir.frontend.torch.stored_weights import StoredWeights


class Experts(nn.Module):
    """``x`` (1, N, width) -> the weighted sum of what the best ``config.chosen`` experts of each row make of it.

    An expert is a layer with a gate (SwiGLU). One row reads the weights of its own experts alone, at indices that the
    run computes; a chunk of a prompt reads the weights of each expert once and multiplies all rows with them.
    """

    def __init__(self, config: DecoderConfig) -> None:
        super().__init__()
        self.chosen, self.normalized = config.chosen, config.normalized
        self.router = nn.Linear(config.width, config.experts, bias=False)
        self.number = config.experts
        self.gate_up: Tensor | BlockMatrices = nn.Parameter(
            torch.empty(config.experts, 2 * config.expert_hidden, config.width))
        self.down: Tensor | BlockMatrices = nn.Parameter(
            torch.empty(config.experts, config.width, config.expert_hidden))

    def take_codes(self, name: str, weights: StoredWeights) -> None:
        """Let the weights "gate_up" or "down" be codes."""
        delattr(self, name)
        setattr(self, name, BlockMatrices(weights))

    def forward(self, x: Tensor) -> Tensor:
        rows = x.reshape(-1, x.shape[-1])
        best, chosen = F.softmax(self.router(rows).float(), -1).topk(self.chosen, -1)
        if self.normalized:
            best = best / best.sum(-1, keepdim=True)
        best = best.to(x.dtype)
        if len(rows) == 1:
            places = [chosen[0, number: number + 1] for number in range(self.chosen)]
            parts = [self._expert(rows, place) for place in places]
            shares = best
        else:
            parts = [self._expert(rows, number) for number in range(self.number)]
            shares = torch.zeros(len(rows), self.number, dtype=x.dtype).scatter(1, chosen, best)
        y = parts[0] * shares[:, :1]
        for number, part in enumerate(parts[1:], 1):
            y = y + part * shares[:, number: number + 1]
        return y.reshape(x.shape)


    def _expert(self, x: Tensor, place: Tensor | int) -> Tensor:
        gate, up = _product(x, self.gate_up, place).chunk(2, -1)
        return _product(F.silu(gate) * up, self.down, place)


def _product(x: Tensor, table: Tensor | BlockMatrices, place: Tensor | int) -> Tensor:
    """``x`` times one of the weights in ``table``."""
    if isinstance(table, BlockMatrices):
        return x @ (table.number(place) if isinstance(place, int) else table.at(place))
    return F.linear(x, table[place] if isinstance(place, int) else table.index_select(0, place)[0])
