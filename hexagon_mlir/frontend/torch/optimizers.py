"""Decompositions of what steps of optimizers call: operations on lists of tensors, one after the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from hexagon_mlir.frontend.torch.registry import decomposes

_aten = torch.ops.aten
_UNARY = ("abs", "ceil", "cos", "erf", "exp", "expm1", "floor", "log", "log1p", "neg", "reciprocal", "round", "rsqrt",
          "sigmoid", "sign", "sin", "sqrt", "tan", "tanh")
_BINARY = ("add", "clamp_max", "clamp_min", "div", "maximum", "minimum", "mul", "pow", "sub")
_TERNARY = ("addcdiv", "addcmul", "lerp")
_NAMES = {"clamp_max": "clamp_max", "clamp_min": "clamp_min", "maximum": "clamp_min", "minimum": "clamp_max"}
"""What extremes are called where the second operand may be a number."""


def _each(function: Callable[..., Tensor]) -> Callable[..., list[Tensor]]:
    def on_lists(first: list[Tensor], *others: Any, **options: Any) -> list[Tensor]:
        """Lists are taken element by element; numbers and tensors are the same for each."""
        spread = [other if isinstance(other, list | tuple) else [other] * len(first) for other in others]
        return [function(*row, **options) for row in zip(first, *spread, strict=True)]

    return on_lists


def _fused(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def with_factor(x: Tensor, y: Tensor, z: Tensor, value: Any = 1) -> Tensor:
        """The factor by its name, as `torch.addcmul` has it."""
        return function(x, y, z, value=value)

    return with_factor


for _name in (*_UNARY, *_BINARY, *_TERNARY):
    _packet = getattr(_aten, f"_foreach_{_name}")
    _function = getattr(torch, _NAMES.get(_name, _name))
    for _overload in set(_packet.overloads()) & {"default", "List", "Scalar", "ScalarList", "Tensor"}:
        if _name in ("addcdiv", "addcmul") and _overload == "Tensor":
            continue  # factors in a tensor are not known to the compiler
        decomposes(getattr(_packet, _overload))(_each(_fused(_function) if _name.startswith("addc") else _function))


@decomposes(_aten._foreach_pow.ScalarAndTensor)
def powers(base: float, exponents: list[Tensor]) -> list[Tensor]:
    """Of one number."""
    return [torch.pow(base, exponent) for exponent in exponents]


@decomposes(_aten._foreach_norm.Scalar)
def norms(tensors: list[Tensor], ord: float = 2, dtype: torch.dtype | None = None) -> list[Tensor]:
    """Of each tensor, as gradients are clipped by."""
    return [torch.linalg.vector_norm(x, ord, dtype=dtype) for x in tensors]


def multiply_adds() -> dict[Any, Callable[..., Tensor]]:
    """Dynamo writes ``addcmul`` as ``prims.fma``, which exists from then on: rounded twice here."""
    return {torch.ops.prims.fma.default: lambda x, y, z: x * y + z} if hasattr(torch.ops.prims, "fma") else {}
