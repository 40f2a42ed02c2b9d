"""Published models in our own words, with random weights: shapes and operations are those of the originals.

Each ``make_*`` function gives (module, inputs). Sizes are arguments, so that tests can use small ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

Model = tuple[nn.Module, tuple[Any, ...]]


# -- transformers --------------------------------------------------------------------------------------------------
class Attention(nn.Module):
    """Multi-head attention; ``causal`` as in GPT, ``cross`` shapes are not needed here."""

    def __init__(self, width: int, heads: int, causal: bool = False, bias: bool = True):
        super().__init__()
        self.heads, self.causal = heads, causal
        self.qkv, self.out = nn.Linear(width, 3 * width, bias=bias), nn.Linear(width, width, bias=bias)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = (y.view(batch, length, self.heads, -1).transpose(1, 2) for y in self.qkv(x).chunk(3, dim=-1))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=self.causal)
        return self.out(y.transpose(1, 2).reshape(batch, length, width))


class PreNorm(nn.Module):
    """A layer of GPT-2, ViT and Whisper: norm, attention, norm, two-layer perceptron."""

    def __init__(self, width: int, heads: int, causal: bool = False, approximate: str = "none"):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = Attention(width, heads, causal)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(approximate=approximate),
                                 nn.Linear(4 * width, width), nn.Dropout(0.1))

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class PostNorm(nn.Module):
    """A layer of BERT, with its padding mask."""

    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.out = (nn.Linear(width, width) for _ in range(4))
        self.norm1, self.norm2 = nn.LayerNorm(width, eps=1e-12), nn.LayerNorm(width, eps=1e-12)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x, mask):
        batch, length, width = x.shape
        q, k, v = (f(x).view(batch, length, self.heads, -1).permute(0, 2, 1, 3) for f in (self.q, self.k, self.v))
        scores = torch.matmul(q, k.transpose(-1, -2)) / (width // self.heads) ** 0.5 + mask
        y = torch.matmul(F.dropout(scores.softmax(dim=-1), 0.1, self.training), v)
        x = self.norm1(x + self.out(y.permute(0, 2, 1, 3).reshape(batch, length, width)))
        return self.norm2(x + self.mlp(x))


class Gpt2(nn.Module):
    """GPT-2: learned positions, pre-norm layers, output weights tied to the embedding."""

    def __init__(self, layers=12, width=768, heads=12, vocabulary=50257, positions=1024):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(vocabulary, width), nn.Embedding(positions, width)
        self.layers = nn.ModuleList(PreNorm(width, heads, True, "tanh") for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocabulary, bias=False)
        self.head.weight = self.tokens.weight
        for parameter in self.parameters():
            if parameter.dim() == 2:
                nn.init.normal_(parameter, std=0.02)

    def forward(self, tokens):
        x = self.tokens(tokens) + self.positions(torch.arange(tokens.shape[1], device=tokens.device))
        for layer in self.layers:
            x = layer(x)
        return self.head(self.norm(x))


class Bert(nn.Module):
    """BERT's encoder: three embeddings, post-norm layers, a padding mask, the pooled first token."""

    def __init__(self, layers=2, width=128, heads=2, vocabulary=30522, positions=512):
        super().__init__()
        self.words, self.places = nn.Embedding(vocabulary, width), nn.Embedding(positions, width)
        self.kinds, self.norm = nn.Embedding(2, width), nn.LayerNorm(width, eps=1e-12)
        self.layers = nn.ModuleList(PostNorm(width, heads) for _ in range(layers))
        self.pooler = nn.Linear(width, width)

    def forward(self, tokens, attention_mask):
        x = self.words(tokens) + self.places(torch.arange(tokens.shape[1])) + self.kinds(torch.zeros_like(tokens))
        x = self.norm(x)
        mask = (1.0 - attention_mask[:, None, None, :].to(x.dtype)) * torch.finfo(x.dtype).min
        for layer in self.layers:
            x = layer(x, mask)
        return x, torch.tanh(self.pooler(x[:, 0]))


class Vit(nn.Module):
    """ViT: patches by a strided convolution, a class token, pre-norm layers."""

    def __init__(self, size=32, patch=8, layers=2, width=64, heads=4, classes=10):
        super().__init__()
        self.patches = nn.Conv2d(3, width, patch, stride=patch)
        self.token = nn.Parameter(torch.randn(1, 1, width) * 0.02)
        self.positions = nn.Parameter(torch.randn(1, (size // patch) ** 2 + 1, width) * 0.02)
        self.layers = nn.ModuleList(PreNorm(width, heads) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, classes)

    def forward(self, images):
        x = self.patches(images).flatten(2).transpose(1, 2)
        x = torch.cat((self.token.expand(x.shape[0], -1, -1), x), dim=1) + self.positions
        for layer in self.layers:
            x = layer(x)
        return self.head(self.norm(x)[:, 0])


class WhisperEncoder(nn.Module):
    """Whisper's encoder: two convolutions over a spectrogram, sinusoidal positions, pre-norm layers."""

    def __init__(self, bands=80, frames=64, layers=2, width=64, heads=4):
        super().__init__()
        self.first = nn.Conv1d(bands, width, 3, padding=1)
        self.second = nn.Conv1d(width, width, 3, stride=2, padding=1)
        angles = torch.arange(frames // 2)[:, None] * torch.exp(-torch.arange(width // 2) * 9.21 / (width // 2 - 1))
        self.register_buffer("positions", torch.cat((angles.sin(), angles.cos()), dim=1))
        self.layers = nn.ModuleList(PreNorm(width, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(width)

    def forward(self, spectrogram):
        x = F.gelu(self.second(F.gelu(self.first(spectrogram)))).permute(0, 2, 1) + self.positions
        for layer in self.layers:
            x = layer(x)
        return self.norm(x)


class RmsNorm(nn.Module):
    """Root-mean-square norm of Llama."""

    def __init__(self, width: int):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6) * self.weight


class LlamaBlock(nn.Module):
    """A layer of Llama (and, with ``norm_heads``, of Qwen3): rotary positions, grouped-query attention, SwiGLU."""

    def __init__(self, width=64, heads=4, groups=2, hidden=160, depth=16, norm_heads=False, bias=False):
        super().__init__()
        self.heads, self.groups, self.depth = heads, groups, depth
        self.q, self.k = nn.Linear(width, heads * depth, bias=bias), nn.Linear(width, groups * depth, bias=bias)
        self.v, self.out = nn.Linear(width, groups * depth, bias=bias), nn.Linear(heads * depth, width, bias=False)
        self.q_norm, self.k_norm = (RmsNorm(depth) if norm_heads else nn.Identity() for _ in range(2))
        self.norm1, self.norm2 = RmsNorm(width), RmsNorm(width)
        self.gate, self.up = nn.Linear(width, hidden, bias=False), nn.Linear(width, hidden, bias=False)
        self.down = nn.Linear(hidden, width, bias=False)

    def rotate(self, x, places):
        frequencies = 10000.0 ** (-torch.arange(0, self.depth, 2) / self.depth)
        angles = places[:, None] * frequencies
        cos, sin = torch.cat((angles.cos(),) * 2, -1), torch.cat((angles.sin(),) * 2, -1)
        left, right = x.chunk(2, dim=-1)
        return x * cos + torch.cat((-right, left), dim=-1) * sin

    def project(self, x, places):
        batch, length, _ = x.shape
        q = self.q_norm(self.q(x).view(batch, length, self.heads, self.depth)).transpose(1, 2)
        k = self.k_norm(self.k(x).view(batch, length, self.groups, self.depth)).transpose(1, 2)
        v = self.v(x).view(batch, length, self.groups, self.depth).transpose(1, 2)
        return self.rotate(q, places), self.rotate(k, places), v

    def finish(self, x, y):
        x = x + self.out(y.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1))
        h = self.norm2(x)
        return x + self.down(F.silu(self.gate(h)) * self.up(h))

    def forward(self, x):
        q, k, v = self.project(self.norm1(x), torch.arange(x.shape[1]))
        return self.finish(x, F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True))


class Decoder(LlamaBlock):
    """One token at a time: keys and values of earlier ones are in a cache, a pair of buffers."""

    def __init__(self, length=16, **sizes):
        super().__init__(**sizes)
        self.length = length
        for name in ("keys", "values"):
            self.register_buffer(name, torch.zeros(1, self.groups, length, self.depth))

    def forward(self, x, place):
        q, k, v = self.project(self.norm1(x), place)
        here = (torch.arange(self.length) == place)[None, None, :, None]
        self.keys.copy_(torch.where(here, k, self.keys))
        self.values.copy_(torch.where(here, v, self.values))
        mask = (torch.arange(self.length) <= place)[None, None, None, :]
        y = F.scaled_dot_product_attention(q, self.keys, self.values, attn_mask=mask, enable_gqa=True)
        return self.finish(x, y)


class MixtureOfExperts(nn.Module):
    """A layer of experts: each token goes through the best two, computed densely and weighted."""

    def __init__(self, width=32, hidden=64, experts=4, chosen=2):
        super().__init__()
        self.chosen = chosen
        self.router = nn.Linear(width, experts, bias=False)
        self.up = nn.Parameter(torch.randn(experts, width, hidden) / width**0.5)
        self.down = nn.Parameter(torch.randn(experts, hidden, width) / hidden**0.5)

    def forward(self, x):
        weights = self.router(x).softmax(-1)
        best, _ = torch.topk(weights, self.chosen, dim=-1)
        kept = torch.where(weights >= best[:, -1:], weights, 0.0)
        kept = kept / kept.sum(-1, keepdim=True)
        hidden = F.silu(torch.einsum("tw,ewh->eth", x, self.up))
        return torch.einsum("eth,ehw,te->tw", hidden, self.down, kept)


# -- convolutional networks ----------------------------------------------------------------------------------------
def convolution(inputs: int, outputs: int, kernel=3, stride=1, groups=1, activation: nn.Module | None = None):
    """Convolution, batch norm, activation: with weights and statistics that keep values near one through many layers.

    PyTorch's own weights shrink them until the output is the last layer's bias, whatever the convolutions compute.
    """
    body = nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False)
    nn.init.kaiming_normal_(body.weight, nonlinearity="linear" if activation is None else "relu")
    norm = nn.BatchNorm2d(outputs)
    nn.init.normal_(norm.running_mean, std=0.1)
    nn.init.uniform_(norm.running_var, 0.5, 1.5)
    nn.init.uniform_(norm.weight, 0.3, 0.7) if activation is None else nn.init.uniform_(norm.weight, 0.8, 1.2)
    return nn.Sequential(body, norm, *([activation] if activation is not None else []))


class Residual(nn.Module):
    """The basic block of ResNet-18."""

    def __init__(self, inputs: int, outputs: int, stride: int):
        super().__init__()
        self.body = nn.Sequential(convolution(inputs, outputs, 3, stride, activation=nn.ReLU()),
                                  convolution(outputs, outputs))
        self.shortcut = nn.Identity() if stride == 1 and inputs == outputs else convolution(inputs, outputs, 1, stride)

    def forward(self, x):
        return F.relu(self.body(x) + self.shortcut(x))


class ResNet18(nn.Module):
    """ResNet-18; ``width`` is 64 in the original, which has four ``stages``."""

    def __init__(self, width=64, classes=1000, stages=4):
        super().__init__()
        sizes = [width, *(width << stage for stage in range(stages))]
        self.stem = nn.Sequential(convolution(3, width, 7, 2, activation=nn.ReLU()), nn.MaxPool2d(3, 2, 1))
        self.layers = nn.Sequential(*[Residual(sizes[i] if j == 0 else sizes[i + 1], sizes[i + 1],
                                               2 if i and j == 0 else 1) for i in range(stages) for j in range(2)])
        self.head = nn.Linear(sizes[-1], classes)

    def forward(self, x):
        return self.head(F.adaptive_avg_pool2d(self.layers(self.stem(x)), 1).flatten(1))


class InvertedResidual(nn.Module):
    """The block of MobileNetV2: expand, depthwise, project."""

    def __init__(self, inputs: int, outputs: int, stride: int, factor: int):
        super().__init__()
        hidden = inputs * factor
        expand = [convolution(inputs, hidden, 1, activation=nn.ReLU6())] if factor != 1 else []
        self.body = nn.Sequential(*expand, convolution(hidden, hidden, 3, stride, hidden, nn.ReLU6()),
                                  convolution(hidden, outputs, 1))
        self.adds = stride == 1 and inputs == outputs

    def forward(self, x):
        return x + self.body(x) if self.adds else self.body(x)


class MobileNetV2(nn.Module):
    """MobileNetV2; ``stages`` are (factor, channels, repeats, stride)."""

    STAGES = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1))

    def __init__(self, stages=STAGES, first=32, last=1280, classes=1000):
        super().__init__()
        parts, channels = [convolution(3, first, 3, 2, activation=nn.ReLU6())], first
        for factor, outputs, repeats, stride in stages:
            for i in range(repeats):
                parts.append(InvertedResidual(channels, outputs, stride if i == 0 else 1, factor))
                channels = outputs
        self.features = nn.Sequential(*parts, convolution(channels, last, 1, activation=nn.ReLU6()))
        self.head = nn.Sequential(nn.Dropout(0.2), nn.Linear(last, classes))

    def forward(self, x):
        return self.head(self.features(x).mean((2, 3)))


class UNet(nn.Module):
    """A U-Net of three levels: max pooling down, transposed convolutions up, skips by concatenation."""

    def __init__(self, channels=(8, 16, 32)):
        super().__init__()
        a, b, c = channels
        self.down1, self.down2, self.middle = self.double(3, a), self.double(a, b), self.double(b, c)
        self.up2, self.up1 = nn.ConvTranspose2d(c, b, 2, stride=2), nn.ConvTranspose2d(b, a, 2, stride=2)
        self.join2, self.join1 = self.double(2 * b, b), self.double(2 * a, a)
        self.head = nn.Conv2d(a, 2, 1)

    @staticmethod
    def double(inputs: int, outputs: int):
        return nn.Sequential(convolution(inputs, outputs, activation=nn.ReLU()),
                             convolution(outputs, outputs, activation=nn.ReLU()))

    def forward(self, x):
        first = self.down1(x)
        second = self.down2(F.max_pool2d(first, 2))
        y = self.up2(self.middle(F.max_pool2d(second, 2)))
        y = self.up1(self.join2(torch.cat((second, y), dim=1)))
        return self.head(self.join1(torch.cat((first, y), dim=1)))


# -- audio ---------------------------------------------------------------------------------------------------------
class NsNet2(nn.Module):
    """The denoiser NsNet2: a linear layer, two GRUs, three linear layers that give a mask per frequency."""

    def __init__(self, bins=161, hidden=400, wide=600):
        super().__init__()
        self.first = nn.Linear(bins, hidden)
        self.rnn = nn.GRU(hidden, hidden, num_layers=2, batch_first=True)
        self.rest = nn.Sequential(nn.Linear(hidden, wide), nn.ReLU(), nn.Linear(wide, wide), nn.ReLU(),
                                  nn.Linear(wide, bins), nn.Sigmoid())

    def forward(self, frames):
        return self.rest(self.rnn(self.first(frames))[0])


class ConvTasNetBlock(nn.Module):
    """One block of ConvTasNet: 1x1, PReLU, global norm, dilated depthwise, PReLU, norm, residual and skip."""

    def __init__(self, width=32, hidden=64, dilation=2):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv1d(width, hidden, 1), nn.PReLU(), nn.GroupNorm(1, hidden, eps=1e-8),
            nn.Conv1d(hidden, hidden, 3, padding=dilation, dilation=dilation, groups=hidden), nn.PReLU(),
            nn.GroupNorm(1, hidden, eps=1e-8))
        self.residual, self.skip = nn.Conv1d(hidden, width, 1), nn.Conv1d(hidden, width, 1)

    def forward(self, x):
        y = self.body(x)
        return x + self.residual(y), self.skip(y)


class SpectralLstm(nn.Module):
    """A denoiser with an LSTM over spectra."""

    def __init__(self, bins=33, hidden=48):
        super().__init__()
        self.rnn, self.mask = nn.LSTM(bins, hidden, batch_first=True), nn.Linear(hidden, bins)

    def forward(self, frames):
        return frames * torch.sigmoid(self.mask(self.rnn(frames)[0]))


def _tokens(length: int, vocabulary: int) -> torch.Tensor:
    return torch.randint(0, vocabulary, (1, length))


def _bert(**sizes) -> Model:
    mask = torch.ones(1, 24)
    mask[:, 19:] = 0
    return Bert(**sizes), (_tokens(24, sizes.get("vocabulary", 30522)), mask)


SMALL: dict[str, Callable[[], Model]] = {
    "GPT-2 small": lambda: (Gpt2(2, 64, 4, 300, 32), (_tokens(12, 300),)),
    "BERT small": lambda: _bert(layers=2, width=64, heads=2, vocabulary=200),
    "ViT": lambda: (Vit(), (torch.randn(2, 3, 32, 32),)),
    "Whisper encoder": lambda: (WhisperEncoder(frames=32, layers=1), (torch.randn(1, 80, 32),)),
    "Llama block": lambda: (LlamaBlock(), (torch.randn(1, 10, 64),)),
    "Qwen3 block": lambda: (LlamaBlock(norm_heads=True), (torch.randn(1, 9, 64),)),
    "mixture of experts": lambda: (MixtureOfExperts(), (torch.randn(6, 32),)),
    "ResNet-18 narrow": lambda: (ResNet18(8, 10), (torch.randn(1, 3, 32, 32),)),
    "MobileNetV2 narrow": lambda: (MobileNetV2(((1, 8, 1, 1), (6, 12, 2, 2)), 8, 32, 10), (torch.randn(1, 3, 32, 32),)),
    "U-Net": lambda: (UNet(), (torch.randn(1, 3, 16, 16),)),
    "NsNet2 narrow": lambda: (NsNet2(33, 40, 48), (torch.randn(1, 4, 33),)),
    "ConvTasNet block": lambda: (ConvTasNetBlock(), (torch.randn(1, 32, 50),)),
    "LSTM denoiser": lambda: (SpectralLstm(), (torch.rand(1, 4, 33),)),
}
"""Small enough for tests."""

LARGE: dict[str, Callable[[], Model]] = {
    "GPT-2 124M, 32 tokens": lambda: (Gpt2(), (_tokens(32, 50257),)),
    "ResNet-18, 64x64": lambda: (ResNet18(), (torch.randn(1, 3, 64, 64),)),
    "MobileNetV2, 64x64": lambda: (MobileNetV2(), (torch.randn(1, 3, 64, 64),)),
    "U-Net, 64x64": lambda: (UNet((16, 32, 64)), (torch.randn(1, 3, 64, 64),)),
    "NsNet2, 8 frames": lambda: (NsNet2(), (torch.randn(1, 8, 161),)),
    "ConvTasNet block, 512": lambda: (ConvTasNetBlock(128, 512), (torch.randn(1, 128, 200),)),
    "BERT-tiny": lambda: _bert(),
    "BERT-base layer": lambda: (PostNorm(768, 12), (torch.randn(1, 64, 768), torch.zeros(1, 1, 1, 64))),
    "GPT-2 layer, 512 tokens": lambda: (PreNorm(768, 12, True, "tanh"), (torch.randn(1, 512, 768),)),
    "ViT-tiny layer": lambda: (PreNorm(192, 3), (torch.randn(1, 197, 192),)),
    "ViT-tiny, 64x64": lambda: (Vit(64, 16, 12, 192, 3, 1000), (torch.randn(1, 3, 64, 64),)),
    "decoder, 8 tokens": lambda: (Decoder(16, width=256, heads=8, groups=2, hidden=704, depth=32),
                                  (torch.randn(1, 1, 256), torch.tensor([0]))),
    "Whisper-tiny encoder, 1 s": lambda: (WhisperEncoder(80, 100, 4, 384, 6), (torch.randn(1, 80, 100),)),
    "Llama block, 512": lambda: (LlamaBlock(512, 8, 2, 1408, 64), (torch.randn(1, 32, 512),)),
    "Qwen3-0.6B layer": lambda: (LlamaBlock(1024, 16, 8, 3072, 128, norm_heads=True), (torch.randn(1, 16, 1024),)),
    "mixture of experts, 8x256": lambda: (MixtureOfExperts(256, 512, 8), (torch.randn(16, 256),)),
}
"""For `bench/models.py`."""
