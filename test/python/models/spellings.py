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


@_spelling
def gemma2(q, k, v, seen):
    """Scores bounded softly."""
    weights = torch.matmul(q, k.transpose(2, 3)) * 0.25
    weights = torch.tanh(weights / 5.0) * 5.0
    weights = weights + torch.where(seen, 0.0, LOWEST)
    return torch.matmul(nn.functional.softmax(weights, dim=-1, dtype=torch.float32).to(q.dtype), v)


def _sinks(q):
    return torch.arange(q.shape[1], dtype=torch.float32) - 1.5


@_spelling
def gpt_oss(q, k, v, seen):
    """One more score for each head, learned, of no key."""
    weights = torch.matmul(q, k.transpose(2, 3)) * 0.25 + torch.where(seen, 0.0, LOWEST)
    sinks = _sinks(q).reshape(1, -1, 1, 1).expand(q.shape[0], -1, q.shape[-2], -1)
    combined = torch.cat([weights, sinks], dim=-1)
    combined = combined - combined.max(dim=-1, keepdim=True).values
    return torch.matmul(F.softmax(combined, dim=-1, dtype=combined.dtype)[..., :-1], v)


@_spelling
def sinks_and_infinity(q, k, v, seen):
    """A row without keys has zeros."""
    scores = (q @ k.mT / 4).masked_fill(~seen, float("-inf"))
    return torch.cat([scores, _sinks(q)[:, None, None].expand(*q.shape[:3], 1)], -1).softmax(-1)[..., :-1] @ v


@_spelling
def values_first_by_einsum(q, k, v, seen):
    weights = torch.einsum("bhid,bhjd->bhij", q, k).masked_fill(~seen, LOWEST).softmax(-1)
    return torch.einsum("bhjd,bhij->bhid", v, weights)


@_spelling
def values_first_by_product(q, k, v, seen):
    weights = (q @ k.mT).masked_fill(~seen, LOWEST).softmax(-1)
    return (v.mT @ weights.mT).mT


@_spelling
def window(q, k, v, seen):
    """As Mistral has it: keys up to the query's number, and not far behind."""
    place = torch.arange(k.shape[2]) - torch.arange(q.shape[2])[:, None]
    scores = (q @ k.mT / 4).masked_fill((place > 0) | (place < -5), LOWEST)
    return (scores + torch.where(seen, 0.0, LOWEST)).softmax(-1) @ v


@_spelling
def deberta(q, k, v, seen):
    """Disentangled: products with positions are looked up and added."""
    scale = math.sqrt(q.shape[-1] * 3)
    q, k, v = (x.flatten(0, 1) for x in (q, k, v))
    places = torch.linspace(-1, 1, 8 * q.shape[-1]).reshape(1, 8, -1).expand(q.shape[0], -1, -1)
    distance = (torch.arange(q.shape[1])[:, None] - torch.arange(k.shape[1])).clamp(-4, 3) + 4
    index = distance.expand(q.shape[0], -1, -1)
    bias = torch.bmm(q, places.transpose(-1, -2)).gather(-1, index) / scale
    bias = bias + torch.bmm(k, places.transpose(-1, -2)).gather(-1, index.transpose(-1, -2)).transpose(-1, -2) / scale
    scores = torch.bmm(q, k.transpose(-1, -2) / scale) + bias
    scores = scores.view(*seen.shape[:1], -1, *scores.shape[1:]).masked_fill(~seen, LOWEST)
    out = torch.bmm(scores.softmax(-1).flatten(0, 1), v)
    return out.view(seen.shape[0], -1, *out.shape[1:])


@_spelling
def transformer_xl(q, k, v, seen):
    """Two products added; one becomes a mask."""
    places = torch.linspace(-1, 1, k.shape[2] * k.shape[3]).reshape(k.shape[2:])
    scores = ((q + 0.5) @ k.mT + (q - 0.5) @ places.T.roll(1, -1)) * 0.25
    return scores.masked_fill(~seen, LOWEST).softmax(-1) @ v
