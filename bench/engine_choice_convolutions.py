"""Convolutions that `bench/engine_choice.py` measures on the matrix engine and on HVX."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from hexagon_mlir.dialects.engine_tiles import TILE, tiles

_SIZES, _CHANNELS, _WINDOWS, _STRIDES = (3, 40), (1, 200), (1, 3, 5), (1, 1, 2)


@dataclass(frozen=True)
class ConvolutionProgram:
    """``filters`` windows on an image of ``rows`` x ``columns`` pixels with its channels last: sums of f32, rounded."""

    rows: int
    columns: int
    channels: int
    filters: int
    window: int
    stride: int
    factors: ClassVar[str] = "f16"
    """Element type."""
    sums: ClassVar[str] = "f32"

    @property
    def name(self) -> str:
        """What the table calls it."""
        step = f"/{self.stride}" if self.stride > 1 else ""
        return (f"{self.window}x{self.window}{step} {self.channels} to {self.filters}, {self.rows}x{self.columns} "
                f"{self.factors}")

    @property
    def _shapes(self) -> list[tuple[int, ...]]:
        """Of the image, the windows and the result."""
        image = (1, self.rows, self.columns, self.channels)
        places = [(size - self.window) // self.stride + 1 for size in (self.rows, self.columns)]
        return [image, (self.window, self.window, self.channels, self.filters), (1, *places, self.filters)]

    def operands(self) -> list[np.ndarray]:
        """Image, windows and the result's memory."""
        rng = np.random.default_rng(0)
        *factors, result = self._shapes
        return [*(rng.standard_normal(shape).astype(np.float16) for shape in factors), np.zeros(result, np.float16)]

    def text(self) -> str:
        """The convolution as linalg on tensors."""
        shapes = ["x".join(map(str, shape)) for shape in self._shapes]
        image, windows = (f"tensor<{shape}x{self.factors}>" for shape in shapes[:2])
        sums, result = f"tensor<{shapes[2]}x{self.sums}>", f"tensor<{shapes[2]}x{self._result}>"
        zero = "0.0" if self.sums.startswith("f") else "0"
        same = "affine_map<(n, y, x, o) -> (n, y, x, o)>"
        rounded = "" if sums == result else f"""%h = tensor.empty() : {result}
          %1 = linalg.generic {{indexing_maps = [{same}, {same}],
              iterator_types = ["parallel", "parallel", "parallel", "parallel"]}}
              ins(%0 : {sums}) outs(%h : {result}) {{
            ^bb0(%s: {self.sums}, %old: {self._result}):
              %t = arith.truncf %s : {self.sums} to {self._result}
              linalg.yield %t : {self._result}
          }} -> {result}"""
        return f"""func.func @kernel(%x: {image}, %y: {windows}) -> {result} {{
          %zero = arith.constant {zero} : {self.sums}
          %e = tensor.empty() : {sums}
          %f = linalg.fill ins(%zero : {self.sums}) outs(%e : {sums}) -> {sums}
          %0 = linalg.conv_2d_nhwc_hwcf {{strides = dense<{self.stride}> : tensor<2xi64>}}
              ins(%x, %y : {image}, {windows}) outs(%f : {sums}) -> {sums}
          {rounded}
          return %{"1" if rounded else "0"} : {result}
        }}"""

    @property
    def _result(self) -> str:
        return self.factors


@dataclass(frozen=True)
class ByteConvolutionProgram(ConvolutionProgram):
    """The same of int8, with sums of 32 bits."""

    factors: ClassVar[str] = "i8"
    sums: ClassVar[str] = "i32"

    def operands(self) -> list[np.ndarray]:
        """Image, windows and the result's memory."""
        rng = np.random.default_rng(0)
        *factors, result = self._shapes
        return [*(rng.integers(-128, 128, shape, np.int8) for shape in factors), np.zeros(result, np.int32)]

    @property
    def _result(self) -> str:
        return self.sums


KINDS: dict[str, type[ConvolutionProgram]] = {"convolutions": ConvolutionProgram,
                                              "byte-convolutions": ByteConvolutionProgram}


def convolutions(count: int, kind: str, seed: int) -> Iterator[ConvolutionProgram]:
    """``count`` random convolutions of a ``kind``, images and channels even in their logarithm; channels of half of the
    images are whole tiles."""
    rng = np.random.default_rng(seed)

    def drawn(least: int, most: int) -> int:
        return round(float(np.exp(rng.uniform(np.log(least), np.log(most)))))

    for _ in range(count):
        window, stride = int(rng.choice(_WINDOWS)), int(rng.choice(_STRIDES))
        rows, columns = (max(drawn(*_SIZES), window) for _ in range(2))
        channels, filters, whole = drawn(*_CHANNELS), drawn(*_CHANNELS), rng.random() < 0.5
        yield KINDS[kind](rows, columns, TILE * tiles(channels) if whole else channels, filters, window, stride)
