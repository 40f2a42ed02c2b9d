"""Convolutions of `bench/convolution.py` with at least 32 channels: their products at the engine's rate."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from bench.convolution import LAYERS, Bytes, Layer, on_engine
from bench.requirements.line import Bound, Kept, Line, Numbers

_ASKED, _LEAST_CHANNELS, _WINDOWS = 0.6, 32, (1, 3)


def asked(layer: Layer) -> bool:
    """Whether ``layer`` is a plain convolution of 1x1 or 3x3 with enough channels."""
    module = layer.build()
    if not isinstance(module, torch.nn.Conv2d | Bytes) or len(layer.image) != 3:
        return False
    groups = getattr(module, "groups", 1)
    outputs, inputs, *window = module.weight.shape
    dilated = getattr(module, "dilation", (1, 1)) != (1, 1)
    return (groups == 1 and not dilated and min(inputs, outputs) >= _LEAST_CHANNELS
            and window in [[size, size] for size in _WINDOWS])


def verdict(rate: float, cycles: float, best: Bound) -> str:
    """Why ``rate``, a part of the engine's rate, is less than what is asked, where ``best`` alone keeps it below that:
    the most that it can be, and whether ``cycles`` reach the same part of this bound. Empty for any other."""
    most = rate * cycles / best.cycles
    if rate >= _ASKED or most >= _ASKED:
        return ""
    of_bound = "held" if best.cycles >= _ASKED * cycles else "missed"
    return f"at most {most:.0%}, {best.resource}; {_ASKED:.0%} of its bound: {of_bound}"


def lines(kept: Kept) -> Iterator[Line]:
    """A line for each layer; one that the bound alone keeps below the share says so."""
    for layer in filter(asked, LAYERS):
        def measure(layer=layer) -> Numbers:
            cycles, rate, error = on_engine(layer)
            return {"cycles": cycles, "rate": rate, "error": error}

        found = kept.numbers(f"convolution {layer.name}", measure)
        cycles, rate = found["cycles"], found["rate"]
        if not cycles:
            yield Line(layer.name, f"{_ASKED:.0%} of the rate", "on HVX", False)
            continue
        best = Bound.largest(layer.engine_bounds)
        yield Line(layer.name, f"{_ASKED:.0%} of the rate", f"{rate:.0%}: {cycles:,.0f}", rate >= _ASKED, cycles, best,
                   verdict(rate, cycles, best))
