"""A decoder of the Llama family (see `config.FAMILIES`) in plain PyTorch, with caches of keys and values.

The caches are buffers of the module: a compiled program writes the new rows where they are. One module serves
chunks of a prompt and single tokens; the programs of both share its weights and caches.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from hexagon_mlir.frontend.llm.block_layers import BlockLinear, JoinedLinear, joined
from hexagon_mlir.frontend.llm.config import DecoderConfig
from hexagon_mlir.frontend.llm.experts import Experts
from hexagon_mlir.frontend.llm.rotary import frequencies


class RmsNorm(nn.Module):
    """x / sqrt(mean(x^2) + epsilon) * weight, of f32 inside."""

    def __init__(self, width: int, epsilon: float) -> None:
        super().__init__()
        self.weight, self.epsilon = nn.Parameter(torch.ones(width)), epsilon

    def forward(self, x: Tensor) -> Tensor:
        wide = x.float()
        scaled = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + self.epsilon)
        return (scaled * self.weight.float()).to(x.dtype)


class Attention(nn.Module):
    """Grouped-query attention over the cache."""

    def __init__(self, config: DecoderConfig, size: int, dtype: torch.dtype) -> None:
        super().__init__()
        heads, groups, depth = config.heads, config.groups, config.depth
        self.heads, self.groups, self.depth = heads, groups, depth
        self.q = nn.Linear(config.width, heads * depth, config.projection_bias)
        self.k = nn.Linear(config.width, groups * depth, config.projection_bias)
        self.v = nn.Linear(config.width, groups * depth, config.projection_bias)
        self.out = nn.Linear(heads * depth, config.width, config.output_bias)
        self.joined: JoinedLinear | None = None
        """Queries, keys and values, if they are one product of codes."""
        norms = (RmsNorm(depth, config.epsilon) if config.norm_heads else nn.Identity() for _ in range(2))
        self.q_norm, self.k_norm = norms
        self.keys: Tensor
        self.values: Tensor
        for name in ("keys", "values"):
            rows = torch.zeros(1, groups, size, depth, dtype=dtype, device="cpu")
            self.register_buffer(name, rows, persistent=False)

    def forward(self, x: Tensor, places: Tensor, seen: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        length = x.shape[1]
        q, k, v = projected(x, self.joined, self.q, self.k, self.v)
        q = self.q_norm(q.reshape(1, length, self.heads, self.depth)).transpose(1, 2)
        k = self.k_norm(k.reshape(1, length, self.groups, self.depth)).transpose(1, 2)
        v = v.reshape(1, length, self.groups, self.depth).transpose(1, 2)
        self.keys.index_copy_(2, places, rotate(k, cos, sin).to(self.keys.dtype))
        self.values.index_copy_(2, places, v.to(self.values.dtype))
        y = F.scaled_dot_product_attention(rotate(q, cos, sin).to(self.keys.dtype), self.keys, self.values,
                                           attn_mask=seen, enable_gqa=True)
        return self.out(y.transpose(1, 2).reshape(1, length, -1).to(x.dtype))


class Layer(nn.Module):
    """Attention and a feed-forward layer, each after a norm and with a residual connection."""

    def __init__(self, config: DecoderConfig, size: int, number: int, dtype: torch.dtype) -> None:
        super().__init__()
        self.norm1, self.norm2 = (RmsNorm(config.width, config.epsilon) for _ in range(2))
        self.attention = Attention(config, size, dtype)
        self.window = config.window if number >= config.windowed_from else 0
        self.mlp = Experts(config) if config.has_experts(number) else GatedLayer(config)

    def forward(self, x: Tensor, places: Tensor, seen: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        x = x + self.attention(self.norm1(x), places, seen, cos, sin)
        return x + self.mlp(self.norm2(x))


class GatedLayer(nn.Module):
    """A feed-forward layer with a gate (SwiGLU)."""

    def __init__(self, config: DecoderConfig) -> None:
        super().__init__()
        self.gate, self.up = (nn.Linear(config.width, config.hidden, bias=False) for _ in range(2))
        self.down = nn.Linear(config.hidden, config.width, bias=False)
        self.joined: JoinedLinear | None = None
        """The gate and what it gates, if they are one product of codes."""

    def forward(self, x: Tensor) -> Tensor:
        gate, up = projected(x, self.joined, self.gate, self.up)
        return self.down(F.silu(gate) * up)


class Decoder(nn.Module):
    """``tokens`` (1, N) at ``places`` (N) -> scores of what follows ``tokens[last]``, f32 (vocabulary).

    ``size`` is how many tokens the caches hold; parameters and caches have ``dtype``. Rotary frequencies are divided by
    ``factors`` (depth / 2), if given. Parameters on ``device`` "meta" have no memory until they are replaced.
    """

    def __init__(self, config: DecoderConfig, size: int, dtype: torch.dtype = torch.float32,
                 factors: Tensor | None = None, device: str = "cpu") -> None:
        super().__init__()
        self.config, self.size, self.dtype = config, size, dtype
        with torch.device(device):
            self.embedding = nn.Embedding(config.vocabulary, config.width)
            self.layers = nn.ModuleList(
                Layer(config, size, number, dtype) for number in range(config.layers))
            self.norm = RmsNorm(config.width, config.epsilon)
            self.head = nn.Linear(config.width, config.vocabulary, bias=False)
        if config.tied:
            self.head.weight = self.embedding.weight
        self.cos: Tensor
        self.sin: Tensor
        turns = frequencies(config.depth, config.theta, config.scaling)
        angles = torch.arange(size, dtype=torch.float64)[:, None] * (turns if factors is None else turns / factors)
        length = 1.0 if config.scaling is None else config.scaling.length
        for name, table in (("cos", angles.cos()), ("sin", angles.sin())):
            self.register_buffer(name, (length * table).repeat(1, 2).float(), persistent=False)
        for parameter in self.parameters():
            parameter.requires_grad_(False)
            parameter.data = parameter.data.to(dtype)

    def join_weights(self) -> None:
        """Put the weights of layers that read the same input one after the other: one product streams them."""
        for layer in self.layers:
            attention: Any = layer.attention
            _join(attention, ("q", "k", "v"))
            if isinstance(layer.mlp, GatedLayer):
                _join(layer.mlp, ("gate", "up"))

    def forward(self, tokens: Tensor, places: Tensor, last: Tensor) -> Tensor:
        x = self.embedding(tokens)
        cos, sin = self.cos[places], self.sin[places]
        windows: list[Any] = [layer.window for layer in self.layers]
        seen = {window: seen_keys(places, self.size, window) for window in dict.fromkeys(windows)}
        for layer, window in zip(self.layers, windows, strict=True):
            x = layer(x, places, seen[window], cos, sin)
        return self.head(self.norm(x.index_select(1, last))).float().reshape(-1)


def seen_keys(places: Tensor, size: int, window: int) -> Tensor:
    """Which of ``size`` keys the query at each of ``places`` (N) sees, those up to its own place, of which the last
    ``window`` ones if that is not 0: bool (1, 1, N, size)."""
    keys = torch.arange(size)
    seen = keys <= places[:, None]
    if window:
        seen = seen & (keys > places[:, None] - window)
    return seen[None, None]


def projected(x: Tensor, joined: JoinedLinear | None, *layers: nn.Module) -> Sequence[Tensor]:
    """What ``layers`` make of ``x``, by one product if they are ``joined``."""
    return [layer(x) for layer in layers] if joined is None else joined(x)


def _join(module: Any, names: tuple[str, ...]) -> None:
    """Join the weights of the layers of ``module`` with these ``names``, if they are not joined yet."""
    layers = [getattr(module, name) for name in names]
    if all(isinstance(layer, BlockLinear) for layer in layers):
        module.joined = joined(layers)
        if module.joined is not None:
            for name in names:
                setattr(module, name, None)
    elif all(isinstance(layer, nn.Linear) for layer in layers):
        join_rows(layers)


def join_rows(layers: list[Any]) -> None:
    """Make the weights of linear ``layers`` parts of one matrix, in their order."""
    sizes = [len(layer.weight) for layer in layers]
    joined = torch.cat([layer.weight.data for layer in layers])
    for layer, part in zip(layers, joined.split(sizes), strict=True):
        layer.weight.data = part


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Rotary positions (Su et al., 2021): the halves of each row of ``x`` (..., N, D) are rotated by angles (N, D)."""
    left, right = x.float().chunk(2, dim=-1)
    return (x.float() * cos + torch.cat((-right, left), dim=-1) * sin).to(x.dtype)
