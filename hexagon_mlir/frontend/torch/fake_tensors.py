"""Shapes and types of results without PyTorch's decompositions, which take most of the time of fake tensors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch._decomp import decomposition_table, meta_table
from torch._subclasses.fake_impls import op_implementations_dict
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.utils._pytree import tree_map_only

_PRODUCTS = (torch.ops.aten.mm.default, torch.ops.aten.bmm.default)
_BATCH_NORM = torch.ops.aten._native_batch_norm_legit_no_training.default


def result_of(mode: FakeTensorMode, target: Any, arguments: Sequence[Any], named: Mapping[str, Any]) -> Any:
    """What ``target`` returns for fake tensors of ``mode``; meta tensors compute it where they can.

    Raises `RuntimeError` for factors of two types, which PyTorch refuses when it computes.
    """
    types = {value.dtype for value in arguments if isinstance(value, torch.Tensor)}
    if target in _PRODUCTS and len(types) > 1:
        raise RuntimeError(f"factors of {' and '.join(sorted(str(one).removeprefix('torch.') for one in types))}")
    try:
        given, options = tree_map_only(torch.Tensor, _as_meta, (tuple(arguments), dict(named)))
        return tree_map_only(torch.Tensor, lambda value: _as_fake(mode, value), target(*given, **options))
    except Exception:  # whatever it is, the mode handles it, or raises it with its own reason
        with mode:
            return target(*arguments, **named)


def fake_like(mode: FakeTensorMode, value: torch.Tensor) -> torch.Tensor:
    """A fake tensor of ``mode`` with the sizes, strides and type of ``value``."""
    return _as_fake(mode, torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device="meta"))


@contextmanager
def quick_batch_norm() -> Iterator[None]:
    """Within this context, a batch norm of fake tensors is one operation instead of ten."""
    entries = (op_implementations_dict, _fake_batch_norm), (meta_table, _fake_batch_norm)
    added = [(table, function) for table, function in entries if _BATCH_NORM not in table]
    for table, function in added:
        table[_BATCH_NORM] = function
    try:
        yield
    finally:
        for table, _ in added:
            del table[_BATCH_NORM]


def _as_meta(value: torch.Tensor) -> torch.Tensor:
    if not isinstance(value, FakeTensor) or not all(type(number) is int for number in value.shape):
        raise TypeError("not a fake tensor of known sizes")
    return torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device="meta")


def _as_fake(mode: FakeTensorMode, value: torch.Tensor) -> torch.Tensor:
    return mode.fake_tensor_converter.from_meta_and_device(mode, value, torch.device("cpu"))


def _fake_batch_norm(mode: FakeTensorMode, function: Any, image: FakeTensor, *arguments: Any, **named: Any) -> Any:
    """As PyTorch's decomposition; that one where the arguments are unusual."""
    usual = image.device.type == "cpu" and image.dim() >= 2 and not named and all(
        vector is None or vector.shape == image.shape[1:2] for vector in arguments[:4])
    if not usual or not all(type(number) is int for number in image.shape):
        with mode:
            return decomposition_table[function](image, *arguments, **named)
    like = torch.empty_strided(image.shape, image.stride(), dtype=image.dtype, device="meta")
    result = torch.empty_like(like)
    return tuple(_as_fake(mode, one) for one in (result, like.new_empty(0), like.new_empty(0)))
