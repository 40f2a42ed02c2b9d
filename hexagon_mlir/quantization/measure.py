"""What each scheme of each layer costs, and what it does to a model's results: both measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import nn

from hexagon_mlir.quantization.bytes import BytesLayer, FromBytes, ToBytes, rounding
from hexagon_mlir.quantization.choice import Option
from hexagon_mlir.quantization.layers import Layer, results_of, substituted
from hexagon_mlir.quantization.schemes import Scheme, replaced, schemes_of, weight_bytes

Loss = Callable[[Any, tuple[Any, ...]], Any]
"""Of a model's result for a batch, as a number or a tensor of one."""
Cycles = Callable[[Any, Sequence[torch.Tensor]], int]
"""Of a run of an exported program."""
Progress = Callable[[str, int, int], None]


def options_of(model: nn.Module, batches: Sequence[tuple[Any, ...]], layers: Mapping[str, Layer],
               exact: Sequence[Sequence[torch.Tensor]], costs: Costs, loss: Loss | None, progress: Progress,
               ) -> dict[str, list[Option]]:
    """For each layer its schemes with what they cost. ``exact`` are the model's results. Layers of the same shapes are
    compiled and run once for each scheme, alone."""
    before = _loss(model, batches, loss)
    pairs = [(layer, scheme) for layer in layers.values() for scheme in schemes_of(layer.module)]
    found: dict[str, list[Option]] = {name: [] for name in layers}
    for done, (layer, scheme) in enumerate(pairs):
        progress("costs of layers", done, len(pairs))
        noise, rise = 0.0, 0.0
        if scheme != Scheme.F32:
            module = (rounding(layer.module, layer.taken, layer.given) if scheme == Scheme.INT8 else
                      replaced(layer.module, scheme))
            with substituted(model, {layer.name: module}):
                noise = squared_error(model, batches, exact)
                rise = _loss(model, batches, loss) - before
        found[layer.name].append(Option(scheme, costs.of_layer(layer, scheme),
                                        weight_bytes(layer.module, scheme), noise, rise))
    progress("costs of layers", len(pairs), len(pairs))
    return found


def squared_error(model: Any, batches: Sequence[tuple[Any, ...]], exact: Sequence[Sequence[torch.Tensor]]) -> float:
    """Of all elements of the results of ``model``, summed; infinite where one is not finite."""
    total = 0.0
    for batch, expected in zip(batches, exact, strict=True):
        total += sum(squares(got.double() - wanted.double())
                     for got, wanted in zip(results_of(model, batch), expected, strict=True))
    return total if total == total else float("inf")


def squares(values: torch.Tensor) -> float:
    """Sum of the squares of ``values``."""
    return float(values.double().square().sum())


def _loss(model: nn.Module, batches: Sequence[tuple[Any, ...]], loss: Loss | None) -> float:
    if loss is None:
        return 0.0
    with torch.no_grad():
        return sum(float(loss(model(*batch), batch)) for batch in batches) / len(batches)


class Costs:
    """Cycles of layers, each alone with its inputs for the first batch; equal ones are compiled and run once."""

    def __init__(self, cycles: Cycles):
        self._cycles, self._known = cycles, dict[Any, int]()

    def of_layer(self, layer: Layer, scheme: Scheme) -> int:
        """Of all calls of ``layer``; int8 from bytes to bytes."""
        return sum(self._run((scheme, repr(layer.module)), *_alone(layer, scheme, x)) for x in layer.inputs)

    def of_conversions(self, layer: Layer) -> tuple[int, int]:
        """Of the inputs of ``layer`` to bytes, and of its results to f32."""
        with torch.no_grad():
            results = [layer.module(x) for x in layer.inputs]
        return (sum(self._run("to bytes", ToBytes(layer.taken), x) for x in layer.inputs),
                sum(self._run("from bytes", FromBytes(layer.given), ToBytes(layer.given)(y)) for y in results))

    def _run(self, what: Any, module: nn.Module, x: torch.Tensor) -> int:
        key = (what, tuple(x.shape))
        if key not in self._known:
            self._known[key] = self._cycles(torch.export.export(module.eval(), (x,)), [x])
        return self._known[key]


def _alone(layer: Layer, scheme: Scheme, x: torch.Tensor) -> tuple[nn.Module, torch.Tensor]:
    """A model of only ``layer``, and its input."""
    if scheme != Scheme.INT8:
        return nn.Sequential(replaced(layer.module, scheme)), x
    of_bytes = nn.Sequential(FromBytes(layer.taken), BytesLayer(layer.module), ToBytes(layer.given))
    return of_bytes, ToBytes(layer.taken)(x)
