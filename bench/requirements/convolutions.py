"""Convolutions of `bench/convolution.py` with at least 32 channels: their products at the engine's rate."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from bench.convolution import LAYERS, Bytes, Layer, on_engine
from bench.requirements.line import Bound, Kept, Line, Numbers
from bench.tile_convolutions import TileConvolution

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


def on_tiles(layer: Layer) -> TileConvolution:
    """The convolution of ``layer``, whose image is square, of f16 or of bytes, with operands and result as tiles."""
    module = layer.build()
    outputs, inputs, taps, _ = module.weight.shape
    step, padding = (int(getattr(module, name, (0,))[0]) for name in ("stride", "padding"))
    of_bytes = isinstance(module, Bytes)
    if of_bytes:
        step, padding = 1, module.options.get("padding", 0)
    size = (layer.image[-1] + 2 * padding - taps) // step + 1
    return TileConvolution(inputs, outputs, size, taps, step, of_bytes)


def tile_lines(kept: Kept) -> Iterator[Line]:
    """A line for each convolution with everything in TCM: what the engine itself takes."""
    for convolution in dict.fromkeys(on_tiles(layer) for layer in LAYERS if asked(layer)):
        def measure(convolution=convolution) -> Numbers:
            cycles, error = convolution.run()
            return {"cycles": cycles, "error": error}

        cycles, best = kept.numbers(f"{convolution.name} in TCM", measure)["cycles"], Bound.largest(convolution.bounds)
        rate = convolution.bounds["MACs"] / cycles
        yield Line(f"{convolution.name}, in TCM", f"{_ASKED:.0%} of the rate", f"{rate:.0%}: {cycles:,.0f}",
                   rate >= _ASKED, cycles, best, verdict(rate, cycles, best))


def lines(kept: Kept) -> Iterator[Line]:
    """A line for each layer, from DDR and in TCM; one that the bound alone keeps below the share says so."""
    yield from tile_lines(kept)
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
