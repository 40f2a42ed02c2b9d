"""Products of f32 in pieces of f16, compiled with ``f32_split``, from DDR."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hexagon_mlir import targets
from hexagon_mlir.codegen import compile_module
from hexagon_mlir.dialects.engine_tiles import tiles
from hexagon_mlir.exec.sim import launch
from hexagon_mlir.ir import parse
from hexagon_mlir.settings import Settings
from hexagon_mlir.targets.dma import Engine

_PRODUCTS, _BYTES = 3, 4
"""Of pieces; of an element."""


@dataclass(frozen=True)
class SplitProduct:
    """m x k times k x n of f32."""

    m: int
    k: int
    n: int
    in_tcm = False

    @property
    def name(self) -> str:
        """What the table calls it."""
        return f"{self.m}x{self.k}x{self.n} f32 in pieces"

    @property
    def array(self) -> float:
        """Cycles of the multiplier array."""
        tile = float(targets.get().matrix_half_tile_cycles.value)
        return _PRODUCTS * tiles(self.m) * tiles(self.k) * tiles(self.n) * tile

    @property
    def bound(self) -> float:
        """Cycles at best."""
        moved = _BYTES * (self.m * self.k + self.k * self.n + self.m * self.n)
        return max(self.array, moved / Engine.of(targets.get()).rate)

    def run(self) -> tuple[int, float]:
        """Cycles, and the largest difference from the exact value, over the sum of magnitudes."""
        rng = np.random.default_rng(0)
        left, right = (rng.standard_normal(shape).astype(np.float32)
                       for shape in ((self.m, self.k), (self.k, self.n)))
        result = np.zeros((self.m, self.n), np.float32)
        asm = compile_module(parse(self._text(), file="product.mlir"), settings=Settings(f32_split=True)).asm
        cycles = launch(asm, "kernel", [left, right, result], None).cycles
        wide = [array.astype(np.float64) for array in (left, right)]
        size = np.abs(wide[0]) @ np.abs(wide[1])
        return cycles, float(np.max(np.abs(result - wide[0] @ wide[1]) / size))

    def _text(self) -> str:
        """The product as linalg on tensors."""
        a, b, c = (f"tensor<{x}x{y}xf32>" for x, y in ((self.m, self.k), (self.k, self.n), (self.m, self.n)))
        return f"""func.func @kernel(%x: {a}, %y: {b}) -> {c} {{
          %e = tensor.empty() : {c}
          %zero = arith.constant 0.0 : f32
          %f = linalg.fill ins(%zero : f32) outs(%e : {c}) -> {c}
          %r = linalg.matmul ins(%x, %y : {a}, {b}) outs(%f : {c}) -> {c}
          return %r : {c}
        }}"""


SPLIT_PRODUCTS = SplitProduct(512, 512, 512), SplitProduct(1024, 1024, 1024)
