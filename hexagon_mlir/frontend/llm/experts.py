"""A mixture of experts as a feed-forward layer: a token's weights are those of the experts that it is routed to."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from hexagon_mlir.frontend.llm.config import DecoderConfig


class Experts(nn.Module):
    """``x`` (1, N, width) -> the weighted sum of what the best ``config.chosen`` experts of each row make of it.

    An expert is a layer with a gate (SwiGLU). One row reads the weights of its own experts alone, at indices that the
    run computes; a chunk of a prompt reads the weights of each expert once and multiplies all rows with them.
    """

    def __init__(self, config: DecoderConfig) -> None:
        super().__init__()
        self.chosen, self.normalized = config.chosen, config.normalized
        self.router = nn.Linear(config.width, config.experts, bias=False)
        self.gate_up = nn.Parameter(torch.empty(config.experts, 2 * config.expert_hidden, config.width))
        self.down = nn.Parameter(torch.empty(config.experts, config.width, config.expert_hidden))

    def forward(self, x: Tensor) -> Tensor:
        rows = x.reshape(-1, x.shape[-1])
        best, chosen = F.softmax(self.router(rows).float(), -1).topk(self.chosen, -1)
        if self.normalized:
            best = best / best.sum(-1, keepdim=True)
        best = best.to(x.dtype)
        if len(rows) == 1:
            places = [chosen[0, number: number + 1] for number in range(self.chosen)]
            parts = [_expert(rows, self.gate_up.index_select(0, place)[0], self.down.index_select(0, place)[0])
                     for place in places]
            shares = best
        else:
            parts = [_expert(rows, self.gate_up[number], self.down[number]) for number in range(len(self.down))]
            shares = torch.zeros(len(rows), len(self.down), dtype=x.dtype).scatter(1, chosen, best)
        y = parts[0] * shares[:, :1]
        for number, part in enumerate(parts[1:], 1):
            y = y + part * shares[:, number: number + 1]
        return y.reshape(x.shape)


def _expert(x: Tensor, gate_up: Tensor, down: Tensor) -> Tensor:
    gate, up = F.linear(x, gate_up).chunk(2, -1)
    return F.linear(F.silu(gate) * up, down)
