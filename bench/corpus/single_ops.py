"""Modules of one ATen op each, on odd shapes with negative and special values: what `scripts/single_ops.py` sweeps."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch.utils import _pytree as pytree

from bench.corpus.core_ops import core_calls
from bench.corpus.more_ops import MORE

SHAPES = ((7,), (3, 33), (2, 5, 19))
UNARY: dict[str, Callable[..., Any]] = {
    "relu": F.relu, "gelu": F.gelu, "gelu tanh": lambda x: F.gelu(x, approximate="tanh"), "silu": F.silu,
    "sigmoid": torch.sigmoid, "tanh": torch.tanh, "exp": torch.exp, "erf": torch.erf, "abs": torch.abs,
    "neg": torch.neg, "square": torch.square, "cube": lambda x: x**3, "reciprocal": torch.reciprocal,
    "floor": torch.floor, "ceil": torch.ceil, "sign": torch.sign, "sin": torch.sin, "cos": torch.cos,
    "leaky relu": lambda x: F.leaky_relu(x, 0.1), "elu": F.elu, "relu6": F.relu6, "hardtanh": F.hardtanh,
    "hardsigmoid": F.hardsigmoid, "hardswish": F.hardswish, "softplus": F.softplus, "mish": F.mish,
    "clamp": lambda x: x.clamp(-1, 1), "clamp min": lambda x: x.clamp(min=0.5), "log abs": lambda x: x.abs().log(),
    "sqrt abs": lambda x: x.abs().sqrt(), "rsqrt": lambda x: (x.abs() + 1).rsqrt(), "add 1": lambda x: x + 1,
    "minus": lambda x: 2 - x, "half": lambda x: x / 2, "greater": lambda x: x > 0, "is nan": torch.isnan,
    "to int": lambda x: x.nan_to_num(0, 9, -9).clamp(-99, 99).to(torch.int32),
    "where": lambda x: torch.where(x > 0, x, -1.0),
}
LAST: dict[str, Callable[..., Any]] = {
    "sum": lambda x: x.sum(-1), "sum all": lambda x: x.sum(), "mean": lambda x: x.mean(-1, keepdim=True),
    "max": lambda x: x.amax(-1), "min": lambda x: x.amin(-1), "softmax": lambda x: x.softmax(-1),
    "log softmax": lambda x: x.log_softmax(-1), "var": lambda x: x.var(-1), "std": lambda x: x.std(-1),
    "norm": lambda x: F.layer_norm(x, x.shape[-1:]), "argmax": lambda x: x.argmax(-1), "cumsum": lambda x: x.cumsum(-1),
    "softmax first": lambda x: x.softmax(0), "sum first": lambda x: x.sum(0), "prod": lambda x: x.prod(-1),
}
MOVES: dict[str, Callable[..., Any]] = {
    "transpose": lambda x: x.transpose(0, -1).contiguous(), "flatten": lambda x: x.flatten(),
    "flip": lambda x: x.flip(-1),
    "slice": lambda x: x[..., 1:5] + 0, "step": lambda x: x[..., ::2] * 1.5, "cat": lambda x: torch.cat((x, x), -1),
    "stack": lambda x: torch.stack((x, -x)), "pad": lambda x: F.pad(x, (1, 2)),
    "chunk": lambda x: x.chunk(2, -1)[0] + 1,
    "expand": lambda x: x[None].expand(3, *x.shape) + 0, "roll": lambda x: x.roll(2, -1),
    "tril": lambda x: x[None].tril(),
    "repeat": lambda x: x.repeat(2, *[1] * (x.dim() - 1)), "squeeze": lambda x: x[None].squeeze(0) * 2,
}
BINARY: dict[str, Callable[..., Any]] = {
    "add": torch.add, "sub": torch.sub, "mul": torch.mul, "div": torch.div, "maximum": torch.maximum,
    "minimum": torch.minimum, "less": torch.lt, "equal": torch.eq,
    "add scaled": lambda x, y: torch.add(x, y, alpha=0.5),
    "broadcast": lambda x, y: x + y[..., :1], "select": lambda x, y: torch.where(x < y, x, y),
}


def values(shape: tuple[int, ...], special: bool, seed: int) -> torch.Tensor:
    """Normal numbers; the first ones are special if asked for."""
    x = torch.randn(shape, generator=torch.Generator().manual_seed(seed)) * 3
    if special:
        odd = torch.tensor([0.0, -0.0, float("inf"), float("-inf"), float("nan"), 1e-40])
        x.view(-1)[: len(odd)] = odd
    return x


def _floats(*shape: int) -> torch.Tensor:
    return values(shape, False, sum(shape))


def _indices(*shape: int, below: int) -> torch.Tensor:
    return torch.randint(0, below, shape, generator=torch.Generator().manual_seed(below))


def _bytes(*shape: int, unsigned: bool = False) -> torch.Tensor:
    low, kind = (0, torch.uint8) if unsigned else (-128, torch.int8)
    return torch.randint(low, low + 256, shape, generator=torch.Generator().manual_seed(sum(shape))).to(kind)


def _quantized(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """As quantized models write a layer: round, clamp, bytes, a product of integers, a scale per channel."""
    q = torch.clamp(torch.round(x * 16) + 121, 0, 255).to(torch.uint8)
    total = F.conv2d(q.to(torch.int32) - 121, w.to(torch.int32), b.to(torch.int32), padding=1)
    return total.to(torch.float32) * 0.0625


LAYERS: dict[str, tuple[Callable[..., Any], tuple[torch.Tensor, ...]]] = {
    "linear": (F.linear, (_floats(3, 19), _floats(7, 19), _floats(7))),
    "linear of one row": (F.linear, (_floats(1, 33), _floats(65, 33))),
    "linear 3-D": (F.linear, (_floats(2, 5, 19), _floats(33, 19), _floats(33))),
    "matmul": (torch.matmul, (_floats(5, 33), _floats(33, 7))),
    "matmul vector": (torch.matmul, (_floats(5, 33), _floats(33))),
    "matmul broadcast": (torch.matmul, (_floats(2, 3, 5, 9), _floats(9, 17))),
    "bmm": (torch.bmm, (_floats(3, 5, 17), _floats(3, 17, 33))),
    "addmm": (torch.addmm, (_floats(33), _floats(5, 17), _floats(17, 33))),
    "baddbmm": (torch.baddbmm, (_floats(3, 5, 33), _floats(3, 5, 17), _floats(3, 17, 33))),
    "einsum": (lambda x, y: torch.einsum("bij,kj->bik", x, y), (_floats(2, 5, 9), _floats(7, 9))),
    "outer": (torch.outer, (_floats(7), _floats(33))),
    "conv1d": (F.conv1d, (_floats(1, 5, 23), _floats(7, 5, 3), _floats(7))),
    "conv1d dilated": (lambda x, w: F.conv1d(x, w, padding=4, dilation=4), (_floats(2, 3, 17), _floats(5, 3, 3))),
    "conv1d depthwise": (lambda x, w: F.conv1d(x, w, groups=9), (_floats(1, 9, 17), _floats(9, 1, 3))),
    "conv2d": (F.conv2d, (_floats(2, 3, 9, 11), _floats(5, 3, 3, 3), _floats(5))),
    "conv2d strided": (lambda x, w: F.conv2d(x, w, stride=2, padding=1), (_floats(1, 3, 9, 11), _floats(5, 3, 3, 3))),
    "conv2d 1x1": (F.conv2d, (_floats(1, 7, 5, 6), _floats(9, 7, 1, 1))),
    "conv2d 1x5": (lambda x, w: F.conv2d(x, w, padding=(0, 2)), (_floats(1, 3, 5, 9), _floats(4, 3, 1, 5))),
    "conv2d depthwise": (lambda x, w: F.conv2d(x, w, padding=1, groups=6), (_floats(1, 6, 7, 9), _floats(6, 1, 3, 3))),
    "conv2d grouped": (lambda x, w: F.conv2d(x, w, groups=2), (_floats(1, 6, 7, 9), _floats(4, 3, 3, 3))),
    "conv2d grouped dilated": (lambda x, w, b: F.conv2d(x, w, b, stride=2, padding=2, dilation=2, groups=3),
                               (_floats(2, 9, 11, 13), _floats(12, 3, 3, 3), _floats(12))),
    "conv2d multiplied": (lambda x, w: F.conv2d(x, w, padding=1, groups=4), (_floats(1, 4, 9, 7), _floats(8, 1, 3, 3))),
    "conv2d special": (lambda x, w: F.conv2d(x, w, padding=1), (values((1, 5, 9, 11), True, 3), _floats(33, 5, 3, 3))),
    "max pool special": (lambda x: F.max_pool2d(x, 3, 2, 1), (values((1, 5, 9, 11), True, 3),)),
    "conv2d patches": (lambda x, w: F.conv2d(x, w, stride=4), (_floats(1, 3, 8, 12), _floats(9, 3, 4, 4))),
    "conv transpose 1d": (lambda x, w: F.conv_transpose1d(x, w, stride=2), (_floats(1, 5, 9), _floats(5, 3, 2))),
    "conv transpose 2d": (lambda x, w: F.conv_transpose2d(x, w, stride=2), (_floats(1, 5, 4, 3), _floats(5, 3, 2, 2))),
    "conv transpose 2d overlapping": (lambda x, w: F.conv_transpose2d(x, w, stride=2, padding=1),
                                      (_floats(1, 3, 4, 3), _floats(3, 2, 3, 3))),
    "conv2d bytes": (lambda x, w: F.conv2d(x.to(torch.int32), w.to(torch.int32), stride=2, padding=1),
                     (_bytes(1, 33, 9, 7), _bytes(5, 33, 3, 3))),
    "conv2d bytes from a zero point": (
        lambda x, w, b: F.conv2d(x.to(torch.int32) - 117, w.to(torch.int32), b, padding=2),
        (_bytes(1, 5, 6, 9, unsigned=True), _bytes(33, 5, 3, 3), _indices(33, below=999).to(torch.int32))),
    "conv2d bytes depthwise": (lambda x, w: F.conv2d(x.to(torch.int32) - 3, w.to(torch.int32), padding=1, groups=33),
                               (_bytes(1, 33, 5, 7), _bytes(33, 1, 3, 3))),
    "conv2d bytes grouped": (lambda x, w: F.conv2d(x.to(torch.int32), w.to(torch.int32), padding=1, groups=2),
                             (_bytes(1, 16, 5, 7, unsigned=True), _bytes(10, 8, 3, 3))),
    "conv2d bytes 1x1": (lambda x, w: F.conv2d(x.to(torch.int32), w.to(torch.int32)),
                         (_bytes(1, 33, 5, 7), _bytes(9, 33, 1, 1))),
    "conv2d of a zero point that is no byte": (
        lambda x, w: F.conv2d(x.to(torch.int32) - 256, w.to(torch.int32), padding=1),
        (_bytes(1, 5, 6, 9, unsigned=True), _bytes(3, 5, 3, 3))),
    "conv2d i64": (F.conv2d, (_indices(1, 3, 6, 9, below=1 << 40), _indices(2, 3, 3, 3, below=1 << 20))),
    "conv2d i8": (F.conv2d, (_bytes(1, 3, 6, 9), _bytes(4, 3, 3, 3))),
    "conv1d bytes": (lambda x, w: F.conv1d(x.to(torch.int32) + 5, w.to(torch.int32), padding=1),
                     (_bytes(1, 7, 33), _bytes(6, 7, 3))),
    "conv2d quantized": (_quantized, (_floats(1, 17, 9, 7), _bytes(9, 17, 3, 3), _indices(9, below=999))),
    "matmul bytes": (lambda x, y: x.to(torch.int32) @ y.to(torch.int32), (_bytes(5, 65), _bytes(65, 33))),
    "matmul bytes without sign": (lambda x, y: x.to(torch.int32) @ y.to(torch.int32),
                                  (_bytes(5, 33, unsigned=True), _bytes(33, 6, unsigned=True))),
    "matmul bytes from zero points": (lambda x, y: (x.to(torch.int32) - 5) @ (y.to(torch.int32) - 3).mT,
                                      (_bytes(2, 7, 33, unsigned=True), _bytes(2, 6, 33))),
    "matmul bytes as i64": (lambda x, y: x.long() @ y.long(), (_bytes(2, 3, 5, 33), _bytes(33, 6))),
    "matmul i64": (torch.matmul, (_indices(3, 5, below=1 << 30), _indices(5, 7, below=1 << 30))),
    "matmul i32": (torch.matmul, (_indices(3, 5, below=1 << 30).int(), _indices(5, 7, below=1 << 30).int())),
    "matmul no bytes": (lambda x, y: x.to(torch.int32) @ y.to(torch.int32), (_bytes(0, 3, 9), _bytes(0, 9, 5))),
    "linear bytes": (lambda x, w: F.linear(x.to(torch.int32) - 100, w.to(torch.int32)),
                     (_bytes(2, 5, 33, unsigned=True), _bytes(6, 33))),
    "floats to bytes": (lambda x: (x * 60 + 128).clamp(0, 255).to(torch.uint8), (_floats(3, 33),)),
    "sum of bytes": (lambda x: (x.sum(-1), x.sum()), (_bytes(3, 33, unsigned=True),)),
    "max pool": (lambda x: F.max_pool2d(x, 2), (_floats(1, 3, 8, 6),)),
    "max pool padded": (lambda x: F.max_pool2d(x, 3, 2, 1), (_floats(1, 3, 9, 7),)),
    "max pool 1d": (lambda x: F.max_pool1d(x, 3), (_floats(1, 3, 10),)),
    "average pool": (lambda x: F.avg_pool2d(x, 3, 2, 1), (_floats(1, 3, 9, 7),)),
    "adaptive pool": (lambda x: F.adaptive_avg_pool2d(x, 1), (_floats(2, 5, 7, 3),)),
    "adaptive pool 3": (lambda x: F.adaptive_avg_pool2d(x, 3), (_floats(1, 5, 9, 6),)),
    "embedding": (F.embedding, (_indices(3, 5, below=11), _floats(11, 19))),
    "nearest": (lambda x: F.interpolate(x, scale_factor=2), (_floats(1, 3, 4, 5),)),
    "nearest uneven": (lambda x: F.interpolate(x, size=(7, 5)), (_floats(2, 3, 4, 11),)),
    "nearest factor": (lambda x: F.interpolate(x, scale_factor=2.6), (_floats(1, 3, 10),)),
    "nearest exact": (lambda x: F.interpolate(x, size=(9, 6), mode="nearest-exact"), (_floats(1, 3, 4, 5),)),
    "bilinear": (lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"), (_floats(1, 3, 4, 5),)),
    "bilinear corners": (lambda x: F.interpolate(x, size=(7, 9), mode="bilinear", align_corners=True),
                         (_floats(1, 3, 4, 5),)),
    "grid sample": (lambda x, g: F.grid_sample(x, g * 0.3, align_corners=False),
                    (_floats(2, 3, 5, 7), _floats(2, 4, 3, 2))),
    "grid sample nearest": (lambda x, g: F.grid_sample(x, g * 0.3, mode="nearest", align_corners=False),
                            (_floats(1, 2, 5, 7), _floats(1, 4, 3, 2))),
    "grid sample border": (lambda x, g: F.grid_sample(x, g * 0.3, padding_mode="border", align_corners=True),
                           (_floats(1, 2, 5, 7), _floats(1, 4, 3, 2))),
    "grid sample reflected": (lambda x, g: F.grid_sample(x, g * 0.3, padding_mode="reflection", align_corners=False),
                              (_floats(1, 2, 5, 7), _floats(1, 4, 3, 2))),
    "affine grid": (lambda t: F.affine_grid(t, (2, 3, 4, 5), align_corners=False), (_floats(2, 2, 3),)),
    "remainder of 1.5": (lambda x: x.fmod(1.5), (_floats(3, 33),)),
    "equal to itself": (lambda x: torch.where(x == x, x, 7.0) + (x != x), (values((2, 19), True, 5),)),
    "pixel shuffle": (lambda x: F.pixel_shuffle(x, 2), (_floats(1, 8, 3, 5),)),
    "attention": (F.scaled_dot_product_attention, (_floats(1, 2, 9, 16), _floats(1, 2, 11, 16), _floats(1, 2, 11, 8))),
    "attention causal": (lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True),
                         (_floats(1, 2, 9, 16), _floats(1, 2, 9, 16) * 0.5, _floats(1, 2, 9, 16) * 0.3)),
    "attention masked": (F.scaled_dot_product_attention,
                         (_floats(1, 2, 5, 8), _floats(1, 2, 7, 8), _floats(1, 2, 7, 8), _indices(5, 7, below=3) > 0)),
    "batch norm": (lambda x, m, v: F.batch_norm(x, m, v.abs()), (_floats(2, 5, 3, 7), _floats(5), _floats(5))),
    "group norm": (lambda x: F.group_norm(x, 2), (_floats(2, 6, 3, 5),)),
    "instance norm": (F.instance_norm, (_floats(2, 3, 5, 7),)),
    "batch norm affine": (lambda x, m, v, w, b: F.batch_norm(x, m, v.abs(), w, b),
                          (_floats(2, 5, 21), _floats(5), _floats(5), _floats(5), _floats(5) * 2)),
    "batch norm of a batch": (lambda x: F.batch_norm(x, None, None, training=True), (_floats(4, 5, 21),)),
    "group norm 3-D": (lambda x: F.group_norm(x, 2), (_floats(2, 6, 15),)),
    "instance norm 3-D": (F.instance_norm, (_floats(2, 3, 35),)),
    "layer norm of two": (lambda x, w, b: F.layer_norm(x, (5, 7), w, b), (_floats(3, 5, 7), _floats(5, 7),
                                                                           _floats(5, 7) * 2)),
    "rms norm f16": (lambda x, w: F.rms_norm(x, (19,), w), (_floats(3, 19).half(), _floats(19).half())),
    "layer norm affine": (lambda x, w, b: F.layer_norm(x, (19,), w, b), (_floats(3, 19), _floats(19), _floats(19) * 2)),
    "rms norm": (lambda x, w: F.rms_norm(x, (19,), w), (_floats(3, 19), _floats(19))),
    "normalize": (F.normalize, (_floats(3, 19),)),
    "prelu": (F.prelu, (_floats(2, 5, 7), _floats(5))),
    "glu": (F.glu, (_floats(3, 8),)),
    "prelu, one slope": (F.prelu, (values((2, 5, 7), True, 1), _floats(1))),
    "prelu special": (F.prelu, (values((2, 5, 7), True, 1), _floats(5))),
    "one LSTM cell": (lambda x, h, c, w, u: torch.lstm_cell(x, (h, c), w, u)[0],
                      (_floats(2, 9), _floats(2, 7), _floats(2, 7), _floats(28, 9), _floats(28, 7))),
    "one GRU cell": (torch.gru_cell, (_floats(2, 9), _floats(2, 7), _floats(21, 9), _floats(21, 7))),
    "LSTM cell with biases": (lambda x, h, c, w, u, b, d: torch.lstm_cell(x, (h, c), w, u, b, d),
                              (_floats(2, 9), _floats(2, 7), _floats(2, 7), _floats(28, 9), _floats(28, 7), _floats(28),
                               _floats(28) * 2)),
    "GRU cell with biases": (torch.gru_cell, (_floats(2, 9), _floats(2, 7), _floats(21, 9), _floats(21, 7),
                                              _floats(21), _floats(21) * 2)),
    "RNN cell": (torch.rnn_relu_cell, (_floats(2, 9), _floats(2, 7), _floats(7, 9), _floats(7, 7))),
    "index": (lambda x, i: x[i], (_floats(9, 5), _indices(7, below=9))),
    "index of two": (lambda x, i, j: x[i, j], (_floats(9, 5), _indices(7, below=9), _indices(7, below=5))),
    "index select": (lambda x, i: x.index_select(1, i), (_floats(3, 9), _indices(4, below=9))),
    "gather": (lambda x, i: x.gather(1, i), (_floats(3, 9), _indices(3, 4, below=9))),
    "scatter": (lambda x, i, y: x.scatter(1, i, y), (_floats(3, 9), torch.tensor([[0, 5], [8, 1], [2, 3]]),
                                                      _floats(3, 2))),
    "scatter add": (lambda x, i, y: x.scatter_add(1, i, y), (_floats(3, 9), _indices(3, 4, below=9), _floats(3, 4))),
    "index put": (lambda x, i, y: x.index_put((i,), y), (_floats(9, 5), torch.tensor([2, 0, 7]), _floats(3, 5))),
    "scatter value": (lambda x, i: x.scatter(1, i, 2.5), (_floats(3, 9), _indices(3, 5, below=9))),
    "scatter into zeros": (lambda i, y: torch.zeros(3, 9).scatter_add(1, i, y), (_indices(3, 5, below=9),
                                                                                   _floats(3, 5))),
    "scatter f16": (lambda x, i, y: x.scatter(0, i, y),
                    (_floats(9, 4).half(), torch.tensor([[0, 1, 2, 3], [5, 6, 7, 8]]), _floats(2, 4).half())),
    "scatter i64": (lambda x, i, y: x.scatter_add(1, i, y), (_indices(3, 9, below=1 << 40), _indices(3, 5, below=9),
                                                             _indices(3, 5, below=1 << 41))),
    "scatter bool": (lambda x, i: x.scatter(1, i, True), (_indices(3, 9, below=2) > 0, _indices(3, 5, below=9))),
    "scatter largest": (lambda x, i, y: x.scatter_reduce(1, i, y, "amax"),
                        (_floats(3, 9), _indices(3, 5, below=9), values((3, 5), True, 2))),
    "scatter nothing": (lambda x, i, y: x.scatter(1, i, y), (_floats(3, 9), _indices(3, 0, below=9), _floats(3, 0))),
    "index put accumulated": (lambda x, i, y: x.index_put((i,), y, accumulate=True),
                              (_floats(9, 130), torch.tensor([2, -1, 2]), _floats(3, 130))),
    "index put f16 accumulated": (lambda x, i, y: x.index_put((i,), y, accumulate=True),
                                  (_floats(9, 5).half(), torch.tensor([2, 0, 2]), _floats(3, 5).half())),
    "index put of two": (lambda x, i, j, y: x.index_put((i, j), y),
                         (_floats(9, 5), torch.tensor([2, -1, 3]), torch.tensor([0, 4, -2]), _floats(3))),
    "index put behind": (lambda x, i, y: torch.ops.aten.index_put(x, [None, i], y),
                         (_floats(3, 9, 33), torch.tensor([2, -1]), _floats(3, 2, 33))),
    "index put mask": (lambda x: x.index_put((x < 0,), torch.tensor(9.0)), (_floats(3, 9),)),
    "index fill": (lambda x, i: x.index_fill(1, i, 3.0), (_floats(3, 9), torch.tensor([1, 5]))),
    "index copy": (lambda x, i, y: x.index_copy(1, i, y), (_floats(3, 9, 5), torch.tensor([1, 5]), _floats(3, 2, 5))),
    "index add": (lambda x, i, y: x.index_add(0, i, y), (_floats(9, 5), torch.tensor([1, 5, 1]), _floats(3, 5))),
    "masked fill": (lambda x: x.masked_fill(x < 0, float("-inf")), (_floats(3, 19),)),
    "top 3": (lambda x: x.topk(3)[0], (_floats(5, 19),)),
    "sorted": (lambda x: x.sort(-1)[0], (_floats(3, 9),)),
    "sorted special": (lambda x: tuple(x.sort(stable=True, dim=-1)), (values((3, 33), True, 4),)),
    "sorted down": (lambda x: tuple(x.sort(stable=True, dim=0, descending=True)), (values((33, 3), True, 4),)),
    "sorted i64": (lambda x: tuple(x.sort(-1)), (torch.tensor([[3, 1 << 40, -5, 4, -(1 << 40)]]),)),
    "sorted f16": (lambda x: x.argsort(stable=True, dim=-1), (_floats(2, 33).half(),)),
    "top 20": (lambda x: tuple(x.topk(20)), (_floats(2, 33),)),
    "top 3 of the first": (lambda x: tuple(x.topk(3, dim=0)), (_floats(33, 5),)),
    "top 4 special": (lambda x: x.topk(4)[0], (torch.tensor([[1.0, float("nan"), -1e30, 3, float("inf"), 2]]),)),
    "last 5 special": (lambda x: tuple(x.topk(5, largest=False)),
                       (torch.tensor([[1.0, float("nan"), float("-inf"), 3, float("inf"), -0.5]]),)),
    "top 3 of -inf": (lambda x: x.topk(3)[0], (torch.full((2, 5), float("-inf")),)),
    "and, or, xor": (lambda x: (x > 0) & (x < 1) | ~(x > -1) ^ (x > 2), (_floats(3, 33),)),
    "bits": (lambda x: ((x & 12) | 3) ^ x, (_indices(3, 7, below=99),)),
    "shifts": (lambda x: (x << 2) >> 1, (_indices(3, 7, below=99).to(torch.int32),)),
    "max and where": (lambda x: tuple(x.max(-1)), (_floats(3, 33),)),
    "one-hot": (lambda i: F.one_hot(i, 7), (_indices(5, below=7),)),
    "integer sum": (lambda x: (x * 3 - 100).sum(-1), (_indices(3, 9, below=1 << 40),)),
    "integer quotient": (lambda x: (x - 50) // 7, (_indices(3, 9, below=100),)),
    "integer remainder": (lambda x: (x - 50) % 7, (_indices(3, 9, below=100),)),
    "integer cumsum": (lambda x: x.cumsum(-1), (_indices(3, 9, below=1 << 40),)),
    "cumprod": (lambda x: x.cumprod(0), (_floats(5, 7),)),
    "arange": (lambda x: x + torch.arange(7), (_floats(3, 7),)),
    "power": (lambda x: x.abs() ** 1.5, (_floats(3, 19),)),
    "log-sum-exp": (lambda x: x.logsumexp(-1), (_floats(3, 19),)),
    "tril": (lambda x: x.tril(-1), (_floats(5, 7),)),
    "repeat interleave": (lambda x: x.repeat_interleave(3, 1), (_floats(2, 3, 5),)),
    "unfold": (lambda x: x.unfold(-1, 3, 2), (_floats(2, 9),)),
}


@dataclass(frozen=True)
class Case:
    """``function`` of ``inputs``."""

    name: str
    function: Callable[..., Any]
    inputs: tuple[torch.Tensor, ...]

    def expected(self) -> Any:
        """Eager's result; GELU's from f64, since eager's of infinity is NaN in f32."""
        if self.function is F.gelu:
            return self.function(*(x.double() for x in self.inputs)).float()
        return self.function(*(x.clone() for x in self.inputs))


class Module(torch.nn.Module):
    """The calls of some cases, one after the other."""

    def __init__(self, several: Sequence[Case]):
        super().__init__()
        self.calls = [(case.function, len(case.inputs)) for case in several]

    def forward(self, *inputs: torch.Tensor) -> Any:
        """The results."""
        results, rest = [], list(inputs)
        for function, count in self.calls:
            results.append(function(*rest[:count]))
            del rest[:count]
        return tuple(results)


def cases() -> Iterator[Case]:
    """Elementwise ops, reductions and moves on every shape, special values where they mean something; layers."""
    for (name, function), shape in itertools.product(UNARY.items(), SHAPES):
        for special in (False, True):
            yield Case(f"{name} {shape}{' special' * special}", function, (values(shape, special, len(name)),))
    for (name, function), shape in itertools.product({**LAST, **MOVES}.items(), SHAPES):
        yield Case(f"{name} {shape}", function, (values(shape, False, len(name)),))
    for (name, function), shape in itertools.product(BINARY.items(), SHAPES):
        for special in (False, True):
            yield Case(f"{name} {shape}{' special' * special}", function,
                       (values(shape, special, 1), values(shape, special, 2).flip(-1)))
    for name, (function, inputs) in {**LAYERS, **MORE}.items():
        yield Case(name, function, inputs)
    for shape in SHAPES:
        yield Case(f"cumsum {shape} special", LAST["cumsum"], (values(shape, True, 3),))
    for name, op, positional, named in core_calls():
        yield _call(name, op, positional, named)


def _call(name: str, op: Callable[..., Any], positional: tuple[Any, ...], named: dict[str, Any]) -> Case:
    """One call, with its tensors as inputs."""
    leaves, spec = pytree.tree_flatten((positional, named))
    places = [place for place, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]

    def function(*tensors: torch.Tensor) -> Any:
        given = dict(zip(places, tensors, strict=True))
        args, kwargs = pytree.tree_unflatten([given.get(i, leaf) for i, leaf in enumerate(leaves)], spec)
        return op(*args, **kwargs)

    return Case(name, function, tuple(leaves[place] for place in places))


def difference(case: Case) -> str:
    """Compile, run, compare: empty, or what differs. Raises `HexError` for what is refused."""
    return differences([case])[case.name]


def differences(several: Sequence[Case]) -> dict[str, str]:
    """`difference` of each by name; all are one model."""
    import hexagon_mlir as hx

    inputs = tuple(x for case in several for x in case.inputs)
    model = hx.compile(torch.export.export(Module(several).eval(), inputs))
    results = model(*(x.clone() for x in inputs))
    return {case.name: _difference(case, got) for case, got in zip(several, results, strict=True)}


def _difference(case: Case, got: Any) -> str:
    try:
        expected = case.expected()
        half = any(x.dtype == torch.float16 for x in case.inputs)
        torch.testing.assert_close(got, expected, rtol=2e-3 if half else 1e-5, atol=2e-3 if half else 1e-5,
                                   equal_nan=True)
    except AssertionError as error:
        return str(error).splitlines()[0] + " " + " ".join(str(error).splitlines()[-2:])
    return ""
