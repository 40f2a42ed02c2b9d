"""Convolutions and poolings of known models: cycles against what the chip's resources allow.

    python bench/convolution.py              # the table
    python bench/convolution.py --markdown   # docs/convolution.md
    python bench/convolution.py resnet       # rows whose name holds a word

Each row is compiled from PyTorch with channels last, operands in DDR and all HVX contexts. The bound is the number of
packets that the arithmetic needs, per vector of results and element of the window (HVX V73 manual, table 5-1). Floats
need one packet: a product uses both multiply pipes, its sum the shift pipe. f16 factors give two vectors of products
at once, whose sums take one packet each. vrmpy uses one of the two multiply pipes and multiplies four bytes of a lane.
A pooling takes one operation and one load per element of the window. The core issues one HVX packet per cluster and
cycle. Operands and results are transferred once, at the bandwidth of the DMA engine.

The engine's columns are of the same layer compiled with ``numerics="mixed"`` where the matrix engine computes it. Its
bound is the largest one of four (`bench/corpus/convolution_bounds.py`): tiles of 32 pixels, 32 channels of the result
and 32 of the image for each tap, at the rate of the engine's multiplier array, of bytes tiles of 64 pixels; of bytes
the conversions, four bytes of each sum in turn, 160 cycles for a tile of results, as long as 40 products of tiles take;
operands, of which weights are f16, transferred once, where the DMA engine transfers and one thread copies beside it,
and what the second-level cache does not hold of the results; the ends. No product runs before what it reads has come,
and the last tile is converted, stored and made rows of after the last product: small layers are bound by these *ends*
and their products together. *of its rate*: the layer's products alone, without what fills tiles up, at the rate of the
multiplier array.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.nn.functional as F

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import hexagon_mlir as hx
from bench.corpus.convolution_bounds import ConvolutionSizes, convolution_bounds
from bench.tables import Bench
from hexagon_mlir import targets
from hexagon_mlir.dialects.engine_tiles import BYTE_ROWS, TILE
from hexagon_mlir.targets.dma import Engine

_FIRST = {3: (0, 2, 1), 4: (0, 3, 1, 2)}
_LAST = {3: (0, 2, 1), 4: (0, 2, 3, 1)}


@dataclass(frozen=True)
class Layer:
    """One row: ``build`` makes the module; ``image`` is the input (C, [H,] W) of one sample; elements are ``dtype``."""

    name: str
    build: Callable[[], torch.nn.Module]
    image: tuple[int, ...]
    dtype: torch.dtype = torch.float32

    def module(self) -> torch.nn.Module:
        """The layer with channels last around it."""
        torch.manual_seed(0)
        layer = ChannelsLast(self.build().eval())
        return layer.to(self.dtype) if self.dtype.is_floating_point else layer

    def input(self) -> torch.Tensor:
        """Random, (1, [H,] W, C)."""
        x = torch.randn(1, *self.image, generator=torch.Generator().manual_seed(1))
        x = x if self.dtype.is_floating_point else (x * 32).round().clamp(-128, 127)
        return x.permute(_LAST[x.dim()]).contiguous().to(self.dtype)

    @property
    def bound(self) -> float:
        """Cycles at best."""
        chip, module, x = targets.get(), self.module(), self.input()
        with torch.no_grad():
            y = module(x)
        layer, channels = module.layer, y.shape[-1]
        lanes = int(chip.vector_bytes.value) // (4 if _is_sum(layer) else x.element_size())
        packets = y.numel() // channels * math.ceil(channels / lanes) * _steps(layer, x)
        packets *= _BYTES if isinstance(layer, Bytes) else 1
        issued = float(chip.clusters.value) * float(chip.hvx_packets_per_cluster_cycle.value)
        return max(packets / issued, _transferred([x, y, *layer.parameters()]))

    @property
    def engine_bounds(self) -> dict[str, float]:
        """Cycles on the matrix engine at best, of a layer that sums products, by what takes them."""
        module, x = self.module(), self.input()
        with torch.no_grad():
            y = module(x)
        weight, *bias = module.layer.parameters()
        of_bytes = isinstance(module.layer, Bytes)
        sizes = ConvolutionSizes(
            y.numel() // y.shape[-1], x.shape[-1], y.shape[-1], _steps(module.layer, x) / x.shape[-1],
            _read_pixels(module.layer, x, y), x.element_size(), weight.element_size() if of_bytes else _HALF.itemsize,
            y.element_size(), sum(each.numel() * each.element_size() for each in bias), of_bytes,
            getattr(module.layer, "groups", 1))
        return convolution_bounds(sizes, targets.get())

    @property
    def macs_per_cycle(self) -> float:
        """Of the engine at its full rate."""
        chip = targets.get()
        if self.dtype.is_floating_point:
            return TILE**3 / float(chip.matrix_half_tile_cycles.value)
        return BYTE_ROWS * TILE**2 / float(chip.matrix_byte_tile_cycles.value)


def _transferred(tensors: Iterable[torch.Tensor]) -> float:
    """Cycles of the DMA engine for ``tensors``, once."""
    return sum(t.numel() * t.element_size() for t in tensors) / Engine.of(targets.get()).rate


def _read_pixels(layer: torch.nn.Module, x: torch.Tensor, y: torch.Tensor) -> int:
    """Pixels of the image that windows read, at least: of each dimension all, or those of windows that do not meet."""
    if isinstance(layer, torch.nn.ConvTranspose2d):
        return x.numel() // x.shape[-1]
    windows = next(layer.parameters()).shape[2:]
    return math.prod(min(size, count * window)
                     for size, count, window in zip(x.shape[1:-1], y.shape[1:-1], windows, strict=True))


class ChannelsLast(torch.nn.Module):
    """A layer whose input and result have channels last."""

    def __init__(self, layer: torch.nn.Module):
        super().__init__()
        self.layer = layer

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Channels last to channels last."""
        y = self.layer(x.permute(_FIRST[x.dim()]))
        return y.permute(_LAST[y.dim()]).contiguous()


_BYTES = 0.125  # packets per product of bytes and vector of sums


class Bytes(torch.nn.Module):
    """A convolution of bytes summed in words, as in a quantized model."""

    def __init__(self, inputs: int, outputs: int, kernel: int, **options: int):
        super().__init__()
        weight = torch.randint(-128, 128, (outputs, inputs, kernel, kernel), dtype=torch.int8)
        self.weight, self.options = torch.nn.Parameter(weight, requires_grad=False), options

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """PyTorch multiplies integers of one type."""
        return F.conv2d(x.to(torch.int32), self.weight.to(torch.int32), **self.options)


def _is_sum(layer: torch.nn.Module) -> bool:
    """True where results are sums of 32 bits."""
    return any(True for _ in layer.parameters())


def _steps(layer: torch.nn.Module, x: torch.Tensor) -> float:
    """Products (or operations of a pooling) that a result takes."""
    if isinstance(layer, torch.nn.ConvTranspose2d):
        return x.shape[-1] * math.prod(layer.kernel_size) / math.prod(layer.stride)
    if _is_sum(layer):
        return math.prod(next(layer.parameters()).shape[1:])
    size = layer.kernel_size
    return size**2 if isinstance(size, int) else math.prod(size)


def _conv2d(*sizes: int, **options: int) -> Callable[[], torch.nn.Module]:
    return lambda: torch.nn.Conv2d(*sizes, **options)


def _conv1d(*sizes: int, **options: int) -> Callable[[], torch.nn.Module]:
    return lambda: torch.nn.Conv1d(*sizes, **options)


_HALF = torch.float16
LAYERS = (
    Layer("resnet 7x7/2 3 to 64, 64x64", _conv2d(3, 64, 7, 2, 3), (3, 64, 64)),
    Layer("resnet 3x3 64 to 64, 16x16", _conv2d(64, 64, 3, 1, 1), (64, 16, 16)),
    Layer("resnet 3x3 64 to 64, 16x16 f16", _conv2d(64, 64, 3, 1, 1), (64, 16, 16), _HALF),
    Layer("resnet 3x3 64 to 64, 16x16 i8", lambda: Bytes(64, 64, 3, padding=1), (64, 16, 16), torch.int8),
    Layer("resnet 3x3 64 to 64, 56x56", _conv2d(64, 64, 3, 1, 1), (64, 56, 56)),
    Layer("resnet 3x3 64 to 64, 56x56 f16", _conv2d(64, 64, 3, 1, 1), (64, 56, 56), _HALF),
    Layer("resnet 3x3 128 to 128, 28x28 f16", _conv2d(128, 128, 3, 1, 1), (128, 28, 28), _HALF),
    Layer("resnet 3x3 256 to 256, 14x14 f16", _conv2d(256, 256, 3, 1, 1), (256, 14, 14), _HALF),
    Layer("resnet 3x3 512 to 512, 7x7 f16", _conv2d(512, 512, 3, 1, 1), (512, 7, 7), _HALF),
    Layer("resnet 1x1 256 to 64, 56x56 f16", _conv2d(256, 64, 1), (256, 56, 56), _HALF),
    Layer("resnet 1x1 64 to 256, 56x56 f16", _conv2d(64, 256, 1), (64, 56, 56), _HALF),
    Layer("resnet 1x1 512 to 2048, 7x7 f16", _conv2d(512, 2048, 1), (512, 7, 7), _HALF),
    Layer("resnet 3x3 64 to 64, 56x56 i8", lambda: Bytes(64, 64, 3, padding=1), (64, 56, 56), torch.int8),
    Layer("resnet 3x3 256 to 256, 14x14 i8", lambda: Bytes(256, 256, 3, padding=1), (256, 14, 14), torch.int8),
    Layer("resnet 3x3 512 to 512, 7x7 i8", lambda: Bytes(512, 512, 3, padding=1), (512, 7, 7), torch.int8),
    Layer("resnet 1x1 256 to 64, 56x56 i8", lambda: Bytes(256, 64, 1), (256, 56, 56), torch.int8),
    Layer("resnet 1x1 64 to 256, 56x56 i8", lambda: Bytes(64, 256, 1), (64, 56, 56), torch.int8),
    Layer("resnet 1x1 512 to 2048, 7x7 i8", lambda: Bytes(512, 2048, 1), (512, 7, 7), torch.int8),
    Layer("resnet 3x3/2 64 to 128, 16x16", _conv2d(64, 128, 3, 2, 1), (64, 16, 16)),
    Layer("resnet 1x1/2 64 to 128, 16x16", _conv2d(64, 128, 1, 2), (64, 16, 16)),
    Layer("resnet 3x3 256 to 256, 4x4", _conv2d(256, 256, 3, 1, 1), (256, 4, 4)),
    Layer("resnet 3x3 512 to 512, 2x2", _conv2d(512, 512, 3, 1, 1), (512, 2, 2)),
    Layer("resnet max pool 3x3/2 64, 32x32", lambda: torch.nn.MaxPool2d(3, 2, 1), (64, 32, 32)),
    Layer("mobilenet 3x3/2 3 to 32, 64x64", _conv2d(3, 32, 3, 2, 1), (3, 64, 64)),
    Layer("mobilenet 1x1 96 to 24, 28x28", _conv2d(96, 24, 1), (96, 28, 28)),
    Layer("mobilenet 1x1 160 to 960, 2x2", _conv2d(160, 960, 1), (160, 2, 2)),
    Layer("mobilenet 3x3 depthwise 96, 28x28", _conv2d(96, 96, 3, 1, 1, groups=96), (96, 28, 28)),
    Layer("mobilenet 3x3 depthwise 96, 28x28 f16", _conv2d(96, 96, 3, 1, 1, groups=96), (96, 28, 28), _HALF),
    Layer("mobilenet 3x3/2 depthwise 144, 28x28", _conv2d(144, 144, 3, 2, 1, groups=144), (144, 28, 28)),
    Layer("unet 3x3 3 to 16, 64x64", _conv2d(3, 16, 3, 1, 1), (3, 64, 64)),
    Layer("unet 3x3 32 to 32, 32x32", _conv2d(32, 32, 3, 1, 1), (32, 32, 32)),
    Layer("unet 2x2 transposed 64 to 32, 16x16", lambda: torch.nn.ConvTranspose2d(64, 32, 2, 2), (64, 16, 16)),
    Layer("unet max pool 2x2 32, 32x32", lambda: torch.nn.MaxPool2d(2), (32, 32, 32)),
    Layer("unet average pool 2x2 32, 32x32", lambda: torch.nn.AvgPool2d(2), (32, 32, 32)),
    Layer("dilated 3x3 48 to 33, 20x20", _conv2d(48, 33, 3, 1, 2, dilation=2), (48, 20, 20)),
    Layer("grouped 3x3 64 to 64 in 4, 16x16", _conv2d(64, 64, 3, 1, 1, groups=4), (64, 16, 16)),
    Layer("convtasnet 16/8 1 to 512, 1600", _conv1d(1, 512, 16, 8), (1, 1600)),
    Layer("convtasnet 3 depthwise 512, 200", _conv1d(512, 512, 3, padding=4, dilation=4, groups=512), (512, 200)),
    Layer("convtasnet 1x1 128 to 512, 200", _conv1d(128, 512, 1), (128, 200)),
    Layer("whisper 3 80 to 384, 100", _conv1d(80, 384, 3, 1, 1), (80, 100)),
    Layer("vit 16x16/16 3 to 192, 64x64", _conv2d(3, 192, 16, 16), (3, 64, 64)),
)


@dataclass(frozen=True)
class Measurement:
    """Cycles of one layer, and on the matrix engine, 0 if HVX computes it; errors are the largest differences from
    PyTorch's result in f64."""

    layer: Layer
    cycles: int
    engine: int
    rate: float
    error: float
    engine_error: float

    @property
    def share(self) -> float:
        """Of the bound."""
        return self.layer.bound / self.cycles


def measure(layer: Layer) -> Measurement:
    """Compile, run on the simulator, compare with PyTorch."""
    module, x = layer.module(), layer.input()
    program = torch.export.export(module, (x,))
    with torch.no_grad():
        model = hx.compile(program, matrix_engine=False)
        got = model(x)
        exact = layer.module().double()(x.double())
    engine, rate, error = on_engine(layer) if _is_sum(module.layer) else (0, 0.0, 0.0)
    return Measurement(layer, model.last_run.cycles, engine, rate, float((got - exact).abs().max()), error)


def on_engine(layer: Layer) -> tuple[int, float, float]:
    """Cycles on the engine, the part of its rate, and the error; 0 where it is not used."""
    module, x = layer.module(), layer.input()
    with torch.no_grad():
        model = hx.compile(torch.export.export(module, (x,)), numerics="mixed")
        result, exact = model(x), layer.module().double()(x.double())
    if not any(record.result.matrix for record in model.last_run.launches):
        return 0, 0.0, 0.0
    rate = result.numel() * _steps(module.layer, x) / layer.macs_per_cycle / model.last_run.cycles
    return model.last_run.cycles, rate, float((result - exact).abs().max())


def _cells(m: Measurement) -> tuple[str, ...]:
    engine: tuple[str, ...] = ("",) * 6
    if m.engine:
        bound = max(m.layer.engine_bounds.values())
        engine = (f"{m.engine:,}", f"{bound:,.0f}", f"{bound / m.engine:.0%}", f"{m.rate:.0%}",
                  f"{m.cycles / m.engine:.1f}", f"{m.engine_error:.1e}")
    return m.layer.name, f"{m.cycles:,}", f"{m.layer.bound:,.0f}", f"{m.share:.0%}", f"{m.error:.1e}", *engine


BENCH = Bench(__doc__ or "", "docs/convolution.md", "bench/convolution.py",
              ("layer", "cycles", "bound", "of the bound", "error", "engine", "its bound", "of its bound",
               "of its rate", "times faster", "its error"), LAYERS,
              measure, _cells, "largest difference from PyTorch's result in f64")

if __name__ == "__main__":
    BENCH.main()
