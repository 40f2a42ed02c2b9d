"""Modules of one ATen op each, on odd shapes with negative and special values: what `scripts/single_ops.py` sweeps."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F

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


@dataclass(frozen=True)
class Case:
    """``function`` of ``inputs``."""

    name: str
    function: Callable[..., Any]
    inputs: tuple[torch.Tensor, ...]

    def expected(self) -> torch.Tensor:
        """Eager's result; GELU's from f64, since eager's of infinity is NaN in f32."""
        if self.function is F.gelu:
            return self.function(*(x.double() for x in self.inputs)).float()
        return self.function(*self.inputs)


class Module(torch.nn.Module):
    """One call."""

    def __init__(self, function: Callable[..., Any]):
        super().__init__()
        self.function = function

    def forward(self, *inputs: torch.Tensor) -> Any:
        """The call."""
        return self.function(*inputs)


def values(shape: tuple[int, ...], special: bool, seed: int) -> torch.Tensor:
    """Normal numbers; the first ones are special if asked for."""
    x = torch.randn(shape, generator=torch.Generator().manual_seed(seed)) * 3
    if special:
        odd = torch.tensor([0.0, -0.0, float("inf"), float("-inf"), float("nan"), 1e-40])
        x.view(-1)[: len(odd)] = odd
    return x


def cases() -> Iterator[Case]:
    """Every op on every shape; elementwise ones also on special values."""
    for (name, function), shape in itertools.product(UNARY.items(), SHAPES):
        for special in (False, True):
            yield Case(f"{name} {shape}{' special' * special}", function, (values(shape, special, len(name)),))
    for (name, function), shape in itertools.product({**LAST, **MOVES}.items(), SHAPES):
        yield Case(f"{name} {shape}", function, (values(shape, False, len(name)),))
    for (name, function), shape in itertools.product(BINARY.items(), SHAPES):
        for special in (False, True):
            yield Case(f"{name} {shape}{' special' * special}", function,
                       (values(shape, special, 1), values(shape, special, 2).flip(-1)))


def difference(case: Case) -> str:
    """Compile, run, compare: empty, or what differs. Raises `HexError` for what is refused."""
    import hexagon_mlir as hx

    module = Module(case.function).eval()
    got = hx.compile(torch.export.export(module, case.inputs))(*case.inputs)
    try:
        torch.testing.assert_close(got, case.expected(), rtol=1e-5, atol=1e-5, equal_nan=True)
    except AssertionError as error:
        return str(error).splitlines()[0] + " " + " ".join(str(error).splitlines()[-2:])
    return ""
