"""Attention as models write it: each spelling takes queries, keys and values (batch, heads, length, depth) and a mask
of the keys that may be read (batch, 1, length or 1, keys)."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

LOWEST = torch.finfo(torch.float32).min
SPELLINGS: dict[str, Callable[..., Tensor]] = {}


class Spelled(nn.Module):
    """One of `SPELLINGS` as a module."""

    def __init__(self, name: str):
        super().__init__()
        self.name = name

    def forward(self, q, k, v, seen):
        return SPELLINGS[self.name](q, k, v, seen)


def _spelling(function):
    SPELLINGS[function.__name__] = function
    return function


def _ordered(q, k):
    return torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool).tril()


@_spelling
def where_lowest(q, k, v, seen):
    scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(q.shape[-1])
    return torch.where(seen, scores, LOWEST).softmax(-1) @ v


@_spelling
def where_hidden(q, k, v, seen):
    scores = q @ k.mT * 0.125
    return torch.where(~seen, torch.tensor(-1e9), scores).softmax(-1) @ v


@_spelling
def filled_with_infinity(q, k, v, seen):
    return (q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5).masked_fill(~seen, float("-inf")).softmax(-1) @ v


@_spelling
def filled_with_thousands(q, k, v, seen):
    """Not far enough from the scores to be added to them."""
    return F.softmax((q @ k.transpose(-1, -2)).masked_fill(seen == 0, -1e4) / 8, dim=-1) @ v


@_spelling
def products_by_einsum(q, k, v, seen):
    q, k, v = (x.transpose(1, 2) for x in (q, k, v))  # batch, length, heads, depth
    scores = torch.einsum("bqhd,bkhd->bhqk", q, k) * q.shape[-1] ** -0.5
    weights = scores.masked_fill(~seen, float("-inf")).softmax(-1)
    return torch.einsum("bhqk,bkhd->bqhd", weights, v)


@_spelling
def keys_first_by_einsum(q, k, v, seen):
    scores = torch.einsum("bhjd,bhid->bhij", k, q)
    return torch.einsum("bhij,bhjd->bhid", (scores + torch.where(seen, 0.0, LOWEST)).softmax(-1), v)


@_spelling
def grouped_by_einsum(q, k, v, seen):
    k, v = k[:, ::2], v[:, ::2]
    q = q.unflatten(1, (k.shape[1], -1))
    scores = torch.einsum("bhgqd,bhkd->bhgqk", q, k).masked_fill(~seen[:, None], LOWEST)
    return torch.einsum("bhgqk,bhkd->bhgqd", scores.softmax(-1), v).flatten(1, 2)


@_spelling
def bias_by_baddbmm(q, k, v, seen):
    """As BLOOM has it: the bias of positions goes into the product."""
    bias = torch.arange(k.shape[2], dtype=torch.float32).expand(q.shape[0] * q.shape[1], 1, -1) * -0.25
    scores = bias.baddbmm(q.flatten(0, 1), k.flatten(0, 1).transpose(1, 2), beta=0.5, alpha=0.125)
    scores = scores.view(*q.shape[:3], -1).masked_fill(~seen, LOWEST)
    return torch.bmm(scores.softmax(-1).flatten(0, 1), v.flatten(0, 1)).view(q.shape)


@_spelling
def scaled_by_baddbmm(q, k, v, seen):
    """As Megatron and Stable Diffusion have it: what is added is empty."""
    empty = torch.empty(q.shape[0] * q.shape[1], q.shape[2], k.shape[2])
    scores = torch.baddbmm(empty, q.flatten(0, 1), k.flatten(0, 1).transpose(1, 2), beta=0, alpha=0.125)
    return torch.bmm(scores.softmax(-1), v.flatten(0, 1)).view(q.shape)


@_spelling
def gpt2(q, k, v, seen):
    weights = torch.matmul(q, k.transpose(-1, -2))
    weights = weights / torch.full([], v.size(-1) ** 0.5, dtype=weights.dtype)
    lowest = torch.full([], torch.finfo(weights.dtype).min, dtype=weights.dtype)
    weights = torch.where(_ordered(q, k)[None, None], weights.to(weights.dtype), lowest)
    weights = weights + torch.where(seen, 0.0, LOWEST)
    weights = nn.functional.softmax(weights, dim=-1).type(v.dtype)
    return torch.matmul(F.dropout(weights, 0.1, training=False), v)


@_spelling
def bert(q, k, v, seen):
    scores = torch.matmul(q, k.transpose(-1, -2))
    scores = scores / math.sqrt(q.shape[-1]) + (1.0 - seen.float()) * LOWEST
    return torch.matmul(F.dropout(F.softmax(scores, dim=-1), 0.1, training=False), v)


@_spelling
def llama(q, k, v, seen):
    """Half as many heads of keys, each for two of queries."""
    k, v = (x[:, ::2, None].expand(-1, -1, 2, -1, -1).reshape(q.shape[0], -1, *x.shape[2:]) for x in (k, v))
    weights = torch.matmul(q, k.transpose(2, 3)) * q.shape[-1] ** -0.5
    weights = weights + torch.where(seen, 0.0, LOWEST)[:, :, :, :k.shape[-2]]
    weights = nn.functional.softmax(weights, dim=-1, dtype=torch.float32).to(q.dtype)
    return torch.matmul(F.dropout(weights, p=0.0, training=False), v).transpose(1, 2).contiguous()


@_spelling
def opt(q, k, v, seen):
    weights = torch.bmm(q.flatten(0, 1), k.flatten(0, 1).transpose(1, 2)).view(*q.shape[:3], -1)
    weights = torch.max(weights + torch.where(seen, 0.0, LOWEST), torch.tensor(LOWEST)).flatten(0, 1)
    return torch.bmm(weights.softmax(-1), v.flatten(0, 1)).view(q.shape)


@_spelling
def t5(q, k, v, seen):
    """No scale; a bias of positions that differs between the heads."""
    distance = torch.arange(k.shape[2]) - torch.arange(q.shape[2])[:, None]
    bias = -0.1 * distance.abs() * torch.arange(1, q.shape[1] + 1)[:, None, None]
    scores = torch.matmul(q, k.transpose(3, 2))
    scores += bias[None] + torch.where(seen, 0.0, LOWEST)
    return torch.matmul(F.softmax(scores.float(), dim=-1).type_as(scores), v)


@_spelling
def one_head(q, k, v, seen):
    """Matrices: no batch, no heads."""
    q, k, v = (x[0, 0] for x in (q, k, v))
    return (q @ k.T / 4).masked_fill(~seen[0, 0], LOWEST).softmax(-1) @ v


@_spelling
def softmax_by_hand(q, k, v, seen):
    scores = (q @ k.transpose(-1, -2)).masked_fill(~seen, LOWEST)
    powers = torch.exp(scores - scores.amax(-1, keepdim=True))
    return powers / powers.sum(-1, keepdim=True) @ v
