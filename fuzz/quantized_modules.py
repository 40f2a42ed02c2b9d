"""Random quantized PyTorch models against arithmetic in f64 on the same bytes and codes.

``python -m fuzz quantized --seeds 200`` tells the seeds that differ, fail, or are refused. Even seeds are networks of
layers in static int8 (`HexagonQuantizer`), of which a byte may be one off where a real value is close to the middle
of two; odd ones are linear layers whose weights are codes of 4 or 8 bits in blocks. ``--show`` prints a model.
"""

from __future__ import annotations

import argparse
import random
import sys
import warnings
from typing import Any

import torch
from torch import nn
from torch.fx import GraphModule, Interpreter, Node
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

import hexagon_mlir as hx
from hexagon_mlir.quantization.quantizer import HexagonQuantizer

_CHANNELS = 3, 16, 20, 32, 33, 64, 96
_DEPTHS = 16, 32, 40, 64, 96, 128, 200, 256
_ROWS = 1, 2, 5, 8, 9, 16, 33, 64, 70
_TARGETS = "v75", "v75", "v75", "v68", "v79"
_MOST_ONE_OFF, _MOST_FURTHER = 0.02, 0.002
"""Shares of bytes: a layer reads bytes that are one off, which moves sums of the next ones towards another byte."""


class Exact(Interpreter):
    """Runs a quantized network in f64; what each conversion to bytes is of, in steps, is kept. ``given``: the bytes of
    each conversion, instead of those that are nearest."""

    def __init__(self, module: GraphModule, given: dict[str, torch.Tensor] | None = None) -> None:
        super().__init__(module)
        self.given = given
        self.steps: dict[str, torch.Tensor] = {}

    def run_node(self, n: Node) -> Any:
        """The value of ``n``, with all floats in f64."""
        kind = str(n.target)
        if n.op != "call_function":
            return super().run_node(n)
        arguments, keywords = self.fetch_args_kwargs_from_env(n)
        if ".quantize_per_tensor" in kind:
            real, scale, zero, low, high, dtype = arguments
            self.steps[n.name] = steps = real.double() / scale + zero
            return self.given[n.name] if self.given else torch.floor(steps + 0.5).clamp(low, high).to(dtype)
        if "dequantize_per_tensor" in kind:
            return (arguments[0].double() - arguments[2]) * arguments[1]
        if "dequantize_per_channel" in kind:
            numbers, scales, zeros, channels = arguments[:4]
            shape = [-1 if d == channels else 1 for d in range(numbers.dim())]
            return (numbers.double() - zeros.reshape(shape)) * scales.double().reshape(shape)
        exact = [value.double() if isinstance(value, torch.Tensor) else value for value in arguments]
        return n.target(*exact, **keywords)


class _Residual(nn.Module):
    """``layer`` of the input, added to the input."""

    def __init__(self, layer: nn.Module) -> None:
        super().__init__()
        self.layer = layer

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """The sum."""
        return x + self.layer(x)


class _Twice(nn.Module):
    """``first`` and ``second`` of the input, one's channels after the other's."""

    def __init__(self, first: nn.Module, second: nn.Module) -> None:
        super().__init__()
        self.first, self.second = first, second

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Both."""
        return torch.cat((self.first(x), self.second(x)), 1)


def _activation(choices: random.Random) -> nn.Module:
    return choices.choice([nn.ReLU, nn.ReLU, nn.ReLU6, nn.Hardswish, nn.Sigmoid, nn.SiLU, nn.Identity, nn.Identity])()


def images(choices: random.Random) -> tuple[nn.Module, torch.Tensor]:
    """A network of convolutions, and an image of at least 5 by 5 pixels."""
    channels = choices.choice(_CHANNELS)
    x = torch.randn(choices.choice([1, 1, 1, 2]), channels, choices.randrange(5, 18), choices.randrange(5, 18))
    size, layers = min(x.shape[2:]), [nn.Conv2d(channels, channels, 1)] if choices.random() < 0.2 else []
    for _ in range(choices.randrange(1, 5)):
        taps = choices.choice([1, 3, 3, 5])
        kind = choices.choice(["plain", "plain", "plain", "stride", "depthwise", "residual", "twice", "pool"])
        padding = taps // 2 if size < 2 * taps else choices.choice([0, taps // 2, taps // 2])
        results = choices.choice(_CHANNELS[1:])
        bias = choices.random() < 0.7
        if kind == "pool" and size > 3 and layers:
            layers.append(choices.choice([nn.MaxPool2d(2), nn.MaxPool2d(3, 2, 1), nn.AvgPool2d(2)]))
            size //= 2
            continue
        if kind == "depthwise":
            layers += [nn.Conv2d(channels, channels, taps, padding=taps // 2, groups=channels, bias=bias),
                       _activation(choices)]
            continue
        if kind == "residual":
            layers.append(_Residual(nn.Conv2d(channels, channels, taps, padding=taps // 2, bias=bias)))
        elif kind == "twice":
            layers.append(_Twice(nn.Conv2d(channels, results, taps, padding=taps // 2, bias=bias),
                                 nn.Conv2d(channels, 32, 1)))
            channels = results + 32
        else:
            stride = 2 if kind == "stride" else 1
            layers.append(nn.Conv2d(channels, results, taps, stride, padding, bias=bias))
            size, channels = (size + 2 * padding - taps) // stride + 1, results
        layers.append(_activation(choices))
    if choices.random() < 0.4:
        layers += [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, choices.choice([10, 32, 70]))]
    return nn.Sequential(*layers), x


def rows(choices: random.Random) -> tuple[nn.Module, torch.Tensor]:
    """A network of linear layers, and some rows."""
    depth = choices.choice(_DEPTHS)
    x, layers = torch.randn(choices.choice(_ROWS), depth), []
    for _ in range(choices.randrange(1, 4)):
        columns = choices.choice(_DEPTHS)
        layer = nn.Linear(depth, columns, bias=choices.random() < 0.7)
        if choices.random() < 0.3:
            layers.append(_Residual(nn.Linear(depth, depth)))
        layers += [layer, _activation(choices)]
        depth = columns
    return nn.Sequential(*layers), x


def _static(choices: random.Random, target: str) -> str:
    model, x = choices.choice([images, images, rows])(choices)
    options = {"powers_of_two": choices.random() < 0.2, "weight_bits": choices.choice([8, 8, 8, 4])}
    prepared = prepare_pt2e(torch.export.export(model.eval(), (x,)).module(), HexagonQuantizer(**options))
    prepared(x)
    program = torch.export.export(convert_pt2e(prepared), (x,))
    step = [n for n in program.graph.nodes if "dequantize_per_tensor" in str(n.target)][-1].args[1]
    found, exact = hx.compile(program, target=target)(x), Exact(program.module()).run(x)
    apart = ((found - exact) / step).round().abs()
    one, further = ((apart > far).double().mean().item() for far in (0, 1))
    if found.shape != exact.shape or not bool(torch.isfinite(found).all()):
        return f"{tuple(found.shape)} instead of {tuple(exact.shape)}, or not finite"
    few = 4 / apart.numel()
    return "" if one <= _MOST_ONE_OFF + few and further <= _MOST_FURTHER + few else (
        f"{one:.2%} of the bytes are off, {further:.2%} by more than one, {apart.max().item():.0f} at most; {options}")


class Blocks(nn.Module):
    """Linear layers whose weights are codes of ``bits`` in blocks that share a scale; the error of a result is a
    small part of the magnitudes that are added up for it."""

    def __init__(self, choices: random.Random, dtype: torch.dtype) -> None:
        super().__init__()
        self.layers = nn.ModuleList()
        self.depth = depth = choices.choice(_DEPTHS)
        for _ in range(choices.randrange(1, 4)):
            columns, bits, block = choices.choice(_DEPTHS), choices.choice([4, 4, 8]), choices.choice([32, 64, 128])
            middle = 1 << bits - 1
            codes = torch.randint(0, 2 * middle, (columns, depth))
            shape = columns, -(-depth // block)
            zeros = torch.randint(0, 2 * middle, shape) if choices.random() < 0.4 else torch.full(shape, middle)
            scales = ((torch.rand(shape) + 0.5) / (middle * depth**0.5)).half().double()
            wide = [part.repeat_interleave(block, 1)[:, :depth] for part in (zeros, scales)]
            layer = nn.Linear(depth, columns, bias=choices.random() < 0.5, dtype=dtype)
            layer.weight.data = ((codes - wide[0]) * wide[1]).to(dtype)
            self.layers.append(layer)
            depth = columns

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """The last layer's result."""
        for layer in self.layers:
            x = layer(x).relu()
        return x

    def exact(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The result in f64, and what its error is a small part of."""
        value = x.double()
        magnitude = value.abs()
        for layer in self.layers:
            weight = layer.weight.double()
            bias = torch.zeros(1).double() if layer.bias is None else layer.bias.double()
            value = (value @ weight.T + bias).relu()
            magnitude = magnitude @ weight.abs().T + bias.abs()
        return value, magnitude


def blocks(choices: random.Random) -> tuple[str, Blocks]:
    """How a model computes, and it."""
    numerics, dtype = choices.choice([("f32", torch.float32), ("f32", torch.float16), ("mixed", torch.float32)])
    return numerics, Blocks(choices, dtype).eval()


def _blocks(choices: random.Random, target: str) -> str:
    numerics, model = blocks(choices)
    dtype = model.layers[0].weight.dtype
    x = torch.randn(choices.choice(_ROWS), model.depth).to(dtype)
    found = hx.compile(torch.export.export(model, (x,)), target=target, numerics=numerics)(x)
    exact, magnitude = model.exact(x)
    bound = len(model.layers) * (2.0**-19 if (numerics, dtype) == ("f32", torch.float32) else 2.0**-9)
    worst = ((found.double() - exact).abs() / magnitude).max().item()
    return "" if found.shape == exact.shape and worst <= bound else (
        f"{tuple(found.shape)} of {numerics} {dtype}: error {worst:.2g} of the magnitudes, allowed {bound:.2g}")


def difference(seed: int, target: str = "") -> str:
    """What is wrong with the model of ``seed``, or the error; empty when nothing is."""
    torch.manual_seed(seed)
    try:
        return (_blocks if seed % 2 else _static)(random.Random(seed), target or _TARGETS[seed // 2 % len(_TARGETS)])
    except Exception as wrong:
        return f"{type(wrong).__name__}: {' '.join(str(wrong).split())[:600]}"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Those of this kind."""
    parser.add_argument("--target", default="", help="one of the chips by turns if not given")
    parser.add_argument("--show", action="store_true", help="print the model of the first seed")


def run(options: argparse.Namespace) -> int:
    """A model for each seed."""
    warnings.simplefilter("ignore")
    if options.show:
        choices = random.Random(options.seeds.start)
        print(*(blocks if options.seeds.start % 2 else choices.choice([images, images, rows]))(choices), sep="\n")
        return 0
    failed = 0
    with torch.no_grad():
        for seed in options.seeds:
            if text := difference(seed, options.target):
                failed += 1
                print(f"seed {seed}: {text}", flush=True)
            elif seed % 20 == 0:
                print(f"{seed} done", file=sys.stderr, flush=True)
    print(f"{len(options.seeds)} models, {failed} failed")
    return 1 if failed else 0
