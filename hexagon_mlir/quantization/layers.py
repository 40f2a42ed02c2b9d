"""The layers of a model whose scheme is chosen, and what they get and give in a calibration."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn
from torch.utils import _pytree as pytree

from hexagon_mlir.ir import HexError
from hexagon_mlir.quantization.bytes import Range
from hexagon_mlir.quantization.schemes import PRODUCTS, Product

_ZERO = Range(0.0, 0.0)


@dataclass
class Layer:
    """A linear layer or a convolution of f32. ``inputs`` are those of its calls for the first batch; ``taken`` and
    ``given`` the ranges of all its inputs and results."""

    name: str
    module: Product
    inputs: list[torch.Tensor] = field(default_factory=list)
    taken: Range = _ZERO
    given: Range = _ZERO


def copy_of(model: nn.Module) -> nn.Module:
    """``model`` with modules of its own, in evaluation mode; its parameters and buffers are shared."""
    shared: dict[int, Any] = {id(tensor): tensor for tensor in (*model.parameters(), *model.buffers())}
    return copy.deepcopy(model, shared).eval()


def observe(model: nn.Module, batches: Sequence[tuple[Any, ...]]) -> tuple[dict[str, Layer], list[list[torch.Tensor]]]:
    """The layers that ``batches`` reach, by name, and the results of the model for each batch."""
    layers = {name: Layer(name, module) for name, module in model.named_modules()
              if isinstance(module, PRODUCTS) and module.weight.dtype == torch.float32}
    first = True

    def note(layer: Layer, inputs: tuple[torch.Tensor, ...], result: torch.Tensor) -> None:
        (x,) = inputs
        if first:
            layer.inputs.append(x.detach().clone())
        if not (x.isfinite().all() and result.isfinite().all()):
            raise HexError.plain(f"quantize: layer '{layer.name}' gets or gives numbers that are not finite",
                                 hint="calibrate with inputs for which the model's results are finite")
        layer.taken, layer.given = layer.taken.joined(_range(x)), layer.given.joined(_range(result))

    hooks = [layer.module.register_forward_hook(lambda _, inputs, result, layer=layer: note(layer, inputs, result))
             for layer in layers.values()]
    results = []
    try:
        for number, batch in enumerate(batches):
            try:
                results.append(results_of(model, batch))
            except (RuntimeError, TypeError, ValueError, IndexError) as error:
                reason = (str(error).strip() or type(error).__name__).splitlines()[0]
                raise HexError.plain(f"quantize: the model does not take input {number} of the calibration: {reason}",
                                     hint="a tensor, or a tuple of positional arguments, for each call") from error
            first = False
    finally:
        for hook in hooks:
            hook.remove()
    return {name: layer for name, layer in layers.items() if layer.inputs}, results


def results_of(model: Any, batch: tuple[Any, ...]) -> list[torch.Tensor]:
    """The results of floats of ``model`` for ``batch``."""
    with torch.no_grad():
        flat = pytree.tree_leaves(model(*batch))
    return [value for value in flat if isinstance(value, torch.Tensor) and value.is_floating_point()]


@contextmanager
def substituted(model: nn.Module, modules: Mapping[str, nn.Module]) -> Iterator[None]:
    """``model`` with other modules of these names inside, for a while."""
    before = {name: model.get_submodule(name) for name in modules}
    for name, module in modules.items():
        model.set_submodule(name, module)
    try:
        yield
    finally:
        for name, module in before.items():
            model.set_submodule(name, module)


def _range(x: torch.Tensor) -> Range:
    return Range(*(float(end) for end in x.aminmax())) if x.numel() else Range(0.0, 0.0)
