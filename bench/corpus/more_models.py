"""More published models in our own words, of kinds that `model_zoo` lacks: vision since ConvNeXt, sequence
models without attention, diffusion, detection, graphs, fields. Random weights; each entry gives (module, inputs)."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import nn

from bench.corpus.model_zoo import Model


class ConvNextBlock(nn.Module):
    """Depthwise 7 x 7, norm over channels last, two linear layers, a scale per channel, residual."""

    def __init__(self, width=24):
        super().__init__()
        self.depthwise, self.norm = nn.Conv2d(width, width, 7, padding=3, groups=width), nn.LayerNorm(width, eps=1e-6)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.scale = nn.Parameter(torch.full((width,), 0.1))

    def forward(self, x):
        y = self.norm(self.depthwise(x).permute(0, 2, 3, 1))
        return x + (self.scale * self.down(F.gelu(self.up(y)))).permute(0, 3, 1, 2)


class SqueezeExcite(nn.Module):
    """EfficientNet's block: depthwise convolution, channels weighted by what the whole image says, projection."""

    def __init__(self, width=16, squeezed=4):
        super().__init__()
        self.expand, self.norm = nn.Conv2d(width, 4 * width, 1, bias=False), nn.BatchNorm2d(4 * width)
        self.depthwise = nn.Conv2d(4 * width, 4 * width, 5, stride=2, padding=2, groups=4 * width)
        self.less, self.more = nn.Conv2d(4 * width, squeezed, 1), nn.Conv2d(squeezed, 4 * width, 1)
        self.project = nn.Conv2d(4 * width, width, 1)

    def forward(self, x):
        y = F.silu(self.depthwise(F.silu(self.norm(self.expand(x)))))
        weights = torch.sigmoid(self.more(F.silu(self.less(y.mean((2, 3), keepdim=True)))))
        return self.project(y * weights)


class SwinBlock(nn.Module):
    """Attention within shifted windows, with a table of biases by relative position and a mask where windows wrap."""

    def __init__(self, size=8, window=4, shift=2, width=32, heads=2):
        super().__init__()
        self.size, self.window, self.shift, self.heads = size, window, shift, heads
        self.norm, self.qkv, self.out = nn.LayerNorm(width), nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.biases = nn.Parameter(torch.randn((2 * window - 1) ** 2, heads) * 0.02)
        places = torch.stack(torch.meshgrid(torch.arange(window), torch.arange(window), indexing="ij")).flatten(1)
        apart = (places[:, :, None] - places[:, None, :]).permute(1, 2, 0) + window - 1
        self.register_buffer("apart", apart[..., 0] * (2 * window - 1) + apart[..., 1])
        regions = torch.zeros(1, size, size, 1)
        for number, (rows, columns) in enumerate((r, c) for r in self._slices() for c in self._slices()):
            regions[:, rows, columns] = number
        kinds = self.split(regions).squeeze(-1)
        mask = (kinds[:, None, :] != kinds[:, :, None]).float() * -100.0
        self.register_buffer("mask", mask[:, None])

    def _slices(self):
        return slice(0, -self.window), slice(-self.window, -self.shift), slice(-self.shift, None)

    def split(self, x):
        batch, _, _, width = x.shape
        n, w = self.size // self.window, self.window
        return x.reshape(batch, n, w, n, w, width).permute(0, 1, 3, 2, 4, 5).reshape(-1, w * w, width)

    def forward(self, x):
        batch, width = x.shape[0], x.shape[-1]
        n, w = self.size // self.window, self.window
        y = self.split(torch.roll(self.norm(x), (-self.shift, -self.shift), (1, 2)))
        q, k, v = self.qkv(y).reshape(-1, w * w, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        bias = self.biases[self.apart.flatten()].reshape(w * w, w * w, -1).permute(2, 0, 1)
        scores = (q * (width // self.heads) ** -0.5) @ k.transpose(-2, -1) + bias + self.mask.repeat(batch, 1, 1, 1)
        y = self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(-1, w * w, width))
        y = y.reshape(batch, n, n, w, w, width).permute(0, 1, 3, 2, 4, 5).reshape(x.shape)
        return x + torch.roll(y, (self.shift, self.shift), (1, 2))


class T5Layer(nn.Module):
    """Attention without scale, biased by buckets of distances (logarithmic far away); root-mean-square norm; ReLU."""

    def __init__(self, width=32, heads=4, buckets=8, far=20):
        super().__init__()
        self.heads, self.buckets, self.far = heads, buckets, far
        self.q, self.k, self.v, self.out = (nn.Linear(width, width, bias=False) for _ in range(4))
        self.bias, self.norms = nn.Embedding(buckets, heads), nn.ModuleList(nn.RMSNorm(width) for _ in range(2))
        self.up, self.down = nn.Linear(width, 2 * width, bias=False), nn.Linear(2 * width, width, bias=False)

    def bucket(self, distance):
        half = self.buckets // 2
        side, distance = (distance > 0).long() * half, distance.abs()
        exact = half // 2
        grown = exact + (torch.log(distance.clamp(min=1).float() / exact) / math.log(self.far / exact)
                         * (half - exact)).long()
        return side + torch.where(distance < exact, distance, grown.clamp(max=half - 1))

    def forward(self, x):
        batch, length, _ = x.shape
        y = self.norms[0](x)
        q, k, v = (f(y).view(batch, length, self.heads, -1).transpose(1, 2) for f in (self.q, self.k, self.v))
        places = torch.arange(length)
        bias = self.bias(self.bucket(places[None, :] - places[:, None])).permute(2, 0, 1)[None]
        y = (q @ k.transpose(2, 3) + bias).softmax(-1) @ v
        x = x + self.out(y.transpose(1, 2).reshape(batch, length, -1))
        return x + self.down(F.relu(self.up(self.norms[1](x))))


class MambaBlock(nn.Module):
    """A selective state space: causal convolution, steps and matrices made of the input, a recurrence, a gate."""

    def __init__(self, width=16, inner=32, states=8, rank=4):
        super().__init__()
        self.inner, self.states, self.rank = inner, states, rank
        self.into, self.out = nn.Linear(width, 2 * inner, bias=False), nn.Linear(inner, width, bias=False)
        self.convolution = nn.Conv1d(inner, inner, 4, padding=3, groups=inner)
        self.select, self.step = nn.Linear(inner, rank + 2 * states, bias=False), nn.Linear(rank, inner)
        self.log_a = nn.Parameter(torch.log(torch.arange(1, states + 1).float()).repeat(inner, 1))
        self.skip = nn.Parameter(torch.ones(inner))

    def forward(self, x):
        length = x.shape[1]
        y, gate = self.into(x).chunk(2, -1)
        y = F.silu(self.convolution(y.transpose(1, 2))[..., :length].transpose(1, 2))
        step, b, c = self.select(y).split([self.rank, self.states, self.states], -1)
        step = F.softplus(self.step(step))
        decay = torch.exp(step.unsqueeze(-1) * -torch.exp(self.log_a))
        drive = step.unsqueeze(-1) * b.unsqueeze(2) * y.unsqueeze(-1)
        state, rows = torch.zeros_like(drive[:, 0]), []
        for t in range(length):
            state = decay[:, t] * state + drive[:, t]
            rows.append((state * c[:, t].unsqueeze(1)).sum(-1))
        return self.out((torch.stack(rows, 1) + self.skip * y) * F.silu(gate))


class WaveNet(nn.Module):
    """Causal dilated convolutions with gates; skips are summed."""

    def __init__(self, width=16, layers=3, levels=32):
        super().__init__()
        self.table = nn.Embedding(levels, width)
        self.layers = nn.ModuleList(nn.Conv1d(width, 2 * width, 2, dilation=2**i) for i in range(layers))
        self.joins = nn.ModuleList(nn.Conv1d(width, 2 * width, 1) for _ in range(layers))
        self.head = nn.Sequential(nn.ReLU(), nn.Conv1d(width, width, 1), nn.ReLU(), nn.Conv1d(width, levels, 1))

    def forward(self, samples):
        x, total = self.table(samples).transpose(1, 2), 0
        for layer, join in zip(self.layers, self.joins, strict=True):
            filtered, gate = layer(F.pad(x, (layer.dilation[0], 0))).chunk(2, 1)
            more, skip = join(torch.tanh(filtered) * torch.sigmoid(gate)).chunk(2, 1)
            x, total = x + more, total + skip
        return self.head(total)


class Tacotron(nn.Module):
    """Three frames of Tacotron 2's decoder: an LSTM cell, and attention that sees where it has looked before."""

    def __init__(self, width=24, memory=20, bands=10):
        super().__init__()
        self.cell, self.query = nn.LSTMCell(bands + memory, width), nn.Linear(width, 16, bias=False)
        self.key, self.score = nn.Linear(memory, 16, bias=False), nn.Linear(16, 1, bias=False)
        self.place = nn.Conv1d(2, 4, 5, padding=2, bias=False)
        self.seen, self.out = nn.Linear(4, 16, bias=False), nn.Linear(width + memory, bands)
        self.width, self.bands = width, bands

    def forward(self, memory, lengths):
        batch, length, _ = memory.shape
        hidden = cell = memory.new_zeros(batch, self.width)
        context, frame = memory.new_zeros(batch, memory.shape[2]), memory.new_zeros(batch, self.bands)
        weights = total = memory.new_zeros(batch, length)
        behind = torch.arange(length)[None] >= lengths[:, None]
        keys, frames = self.key(memory), []
        for _ in range(3):
            hidden, cell = self.cell(torch.cat((frame, context), 1), (hidden, cell))
            looked = self.seen(self.place(torch.stack((weights, total), 1)).transpose(1, 2))
            scores = self.score(torch.tanh(self.query(hidden)[:, None] + keys + looked)).squeeze(-1)
            weights = scores.masked_fill(behind, float("-inf")).softmax(-1)
            total = total + weights
            context = torch.bmm(weights[:, None], memory).squeeze(1)
            frame = self.out(torch.cat((hidden, context), 1))
            frames.append(frame)
        return torch.stack(frames, 1), weights


class DetrDecoder(nn.Module):
    """Learned queries attend to each other and to an image; classes and boxes for each."""

    def __init__(self, width=32, heads=4, queries=7, classes=5):
        super().__init__()
        layer = nn.TransformerDecoderLayer(width, heads, 64, batch_first=True)
        self.decoder, self.queries = nn.TransformerDecoder(layer, 2), nn.Embedding(queries, width)
        self.classes, self.boxes = nn.Linear(width, classes + 1), nn.Sequential(nn.Linear(width, 4), nn.Sigmoid())

    def forward(self, image):
        memory = image.flatten(2).transpose(1, 2)
        x = self.decoder(self.queries.weight[None].expand(image.shape[0], -1, -1), memory)
        return self.classes(x).softmax(-1), self.boxes(x)


class Vae(nn.Module):
    """An autoencoder: convolutions, mean and variance, noise as an input, transposed convolutions."""

    def __init__(self, width=8, latent=6):
        super().__init__()
        self.encoder = nn.Sequential(nn.Conv2d(1, width, 4, 2, 1), nn.ReLU(), nn.Conv2d(width, 2 * width, 4, 2, 1),
                                     nn.LeakyReLU(0.2), nn.Flatten(), nn.Linear(2 * width * 16, 2 * latent))
        self.first = nn.Linear(latent, 2 * width * 16)
        self.decoder = nn.Sequential(nn.ReLU(), nn.ConvTranspose2d(2 * width, width, 4, 2, 1), nn.ReLU(),
                                     nn.ConvTranspose2d(width, 1, 4, 2, 1), nn.Sigmoid())

    def forward(self, x, noise):
        mean, log_variance = self.encoder(x).chunk(2, 1)
        z = mean + torch.exp(0.5 * log_variance) * noise
        loss = -0.5 * (1 + log_variance - mean.pow(2) - log_variance.exp()).sum(1)
        return self.decoder(self.first(z).view(x.shape[0], -1, 4, 4)), loss


class Diffusion(nn.Module):
    """A U-Net level of a diffusion model: sinusoidal time added to channels, group norm, attention over pixels."""

    def __init__(self, width=16, heads=2):
        super().__init__()
        self.width, self.heads = width, heads
        self.time = nn.Sequential(nn.Linear(width, 4 * width), nn.SiLU(), nn.Linear(4 * width, width))
        self.first, self.down = nn.Conv2d(3, width, 3, padding=1), nn.Conv2d(width, width, 3, 2, 1)
        self.norms = nn.ModuleList(nn.GroupNorm(4, width) for _ in range(3))
        self.body, self.join = nn.Conv2d(width, width, 3, padding=1), nn.Conv2d(2 * width, width, 3, padding=1)
        self.qkv, self.out = nn.Conv1d(width, 3 * width, 1), nn.Conv1d(width, width, 1)
        self.head = nn.Conv2d(width, 3, 1)

    def forward(self, image, time):
        half = self.width // 2
        angles = time[:, None].float() * torch.exp(-math.log(10000.0) * torch.arange(half) / half)
        shift = self.time(torch.cat((angles.sin(), angles.cos()), 1))[:, :, None, None]
        top = self.first(image)
        x = self.down(F.silu(self.norms[0](top)) + shift)
        x = x + self.body(F.silu(self.norms[1](x) * (1 + shift)))
        batch, width, height, columns = x.shape
        q, k, v = self.qkv(self.norms[2](x).flatten(2)).view(batch, 3, self.heads, -1, height * columns).unbind(1)
        y = F.scaled_dot_product_attention(*(part.transpose(2, 3) for part in (q, k, v))).transpose(2, 3)
        x = x + self.out(y.reshape(batch, width, -1)).view_as(x)
        x = F.interpolate(x, scale_factor=2.0, mode="nearest")
        return self.head(F.silu(self.join(torch.cat((x, top), 1))))


class GraphNetwork(nn.Module):
    """Messages along edges summed at nodes, degrees for a mean, attention normalised at each node, a pooled result."""

    def __init__(self, width=16):
        super().__init__()
        self.message, self.update = nn.Linear(2 * width, width), nn.GRUCell(width, width)
        self.score, self.head = nn.Linear(2 * width, 1), nn.Linear(width, 3)

    def forward(self, nodes, edges):
        source, target = edges
        pairs = torch.cat((nodes[source], nodes[target]), 1)
        degree = torch.zeros(nodes.shape[0]).index_add(0, target, torch.ones(target.shape[0])).clamp(min=1)
        mean = torch.zeros_like(nodes).index_add(0, target, F.relu(self.message(pairs))) / degree[:, None]
        nodes = self.update(mean, nodes)
        scores = F.leaky_relu(self.score(pairs), 0.2).squeeze(1)
        largest = torch.full((nodes.shape[0],), -1e9).scatter_reduce(0, target, scores, "amax")
        weights = torch.exp(scores - largest[target])
        total = torch.zeros(nodes.shape[0]).scatter_add(0, target, weights)
        picked = nodes[source] * (weights / total[target])[:, None]
        return self.head(torch.zeros_like(nodes).index_add(0, target, picked)), nodes.amax(0)


class Nerf(nn.Module):
    """A radiance field: sines and cosines of places, a perceptron with a skip, colours composed along rays."""

    def __init__(self, width=32, powers=4):
        super().__init__()
        size = 3 + 6 * powers
        self.register_buffer("frequencies", 2.0 ** torch.arange(powers) * math.pi)
        self.first = nn.Sequential(nn.Linear(size, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.second = nn.Sequential(nn.Linear(width + size, width), nn.ReLU())
        self.density, self.colour = nn.Linear(width, 1), nn.Linear(width, 3)

    def forward(self, places, depths):
        angles = (places[..., None] * self.frequencies).flatten(-2)
        x = torch.cat((places, angles.sin(), angles.cos()), -1)
        y = self.second(torch.cat((self.first(x), x), -1))
        steps = F.pad(depths[:, 1:] - depths[:, :-1], (0, 1), value=1.0)
        alpha = 1 - torch.exp(-F.relu(self.density(y)).squeeze(-1) * steps)
        left = torch.cumprod(1 - alpha + 1e-10, -1)
        weights = alpha * torch.cat((torch.ones_like(left[:, :1]), left[:, :-1]), -1)
        return (weights[..., None] * torch.sigmoid(self.colour(y))).sum(1), (weights * depths).sum(1)


MORE: dict[str, Callable[[], Model]] = {
    "ConvNeXt block": lambda: (ConvNextBlock(), (torch.randn(1, 24, 9, 9),)),
    "squeeze and excite": lambda: (SqueezeExcite(), (torch.randn(1, 16, 11, 11),)),
    "Swin block": lambda: (SwinBlock(), (torch.randn(2, 8, 8, 32),)),
    "T5 layer": lambda: (T5Layer(), (torch.randn(1, 13, 32),)),
    "Mamba block": lambda: (MambaBlock(), (torch.randn(1, 6, 16),)),
    "WaveNet": lambda: (WaveNet(), (torch.randint(0, 32, (1, 37)),)),
    "Tacotron decoder": lambda: (Tacotron(), (torch.randn(2, 11, 20), torch.tensor([11, 7]))),
    "DETR decoder": lambda: (DetrDecoder(), (torch.randn(1, 32, 4, 5),)),
    "VAE": lambda: (Vae(), (torch.rand(2, 1, 16, 16), torch.randn(2, 6))),
    "diffusion U-Net": lambda: (Diffusion(), (torch.randn(2, 3, 8, 8), torch.tensor([3, 700]))),
    "graph network": lambda: (GraphNetwork(), (torch.randn(9, 16), torch.randint(0, 9, (2, 23)))),
    "NeRF": lambda: (Nerf(), (torch.rand(5, 8, 3), torch.rand(5, 8).sort(1).values)),
}
"""Small enough for tests."""
