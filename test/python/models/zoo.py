"""Small models in our own words, with random weights; each is (module, inputs)."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn


class LeNet(nn.Module):
    """Two convolutions with pooling, three linear layers (LeCun et al., 1998)."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Conv2d(1, 6, 5, padding=2), nn.Conv2d(6, 16, 5)
        self.head = nn.Sequential(nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10))

    def forward(self, x):
        x = F.max_pool2d(torch.relu(self.first(x)), 2)
        x = F.max_pool2d(torch.relu(self.second(x)), 2)
        return self.head(x.flatten(1))


class Block(nn.Module):
    """A transformer layer with pre-norm, GELU and causal attention."""

    def __init__(self, width=48, heads=3):
        super().__init__()
        self.heads = heads
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Dropout(0.1), nn.Linear(4 * width, width))

    def attend(self, q, k, v):
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = (y.view(batch, length, self.heads, -1).transpose(1, 2)
                   for y in self.qkv(self.norm1(x)).chunk(3, dim=-1))
        x = x + self.out(self.attend(q, k, v).transpose(1, 2).reshape(batch, length, width))
        return x + self.mlp(self.norm2(x))


class WrittenOut(Block):
    """The same attention in the words of old models: product, scale, mask, softmax, dropout, product."""

    def __init__(self, width=48, heads=3, length=20):
        super().__init__(width, heads)
        self.register_buffer("seen", torch.ones(length, length, dtype=torch.bool).tril()[None, None])
        self.dropout = nn.Dropout(0.1)

    def attend(self, q, k, v):
        scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
        scores = scores.masked_fill(self.seen[:, :, :q.shape[2], :q.shape[2]] == 0, float("-inf"))
        return self.dropout(F.softmax(scores, dim=-1)) @ v


class Tied(nn.Module):
    """An embedding whose table is also the output layer's weight; takes int64 indices."""

    def __init__(self):
        super().__init__()
        self.table, self.head = nn.Embedding(50, 32), nn.Linear(32, 50, bias=False)
        self.head.weight = self.table.weight

    def forward(self, indices):
        return self.head(self.table(indices))


def mlp():
    return nn.Sequential(nn.Linear(20, 33), nn.GELU(), nn.LayerNorm(33), nn.Linear(33, 7), nn.Softmax(-1))
