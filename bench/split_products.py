"""Products of f32 in pieces of f16, compiled with ``f32_split``, from DDR."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bench.engine_product import EngineProduct
from hexagon_mlir.codegen import compile_module
from hexagon_mlir.exec.sim import launch
from hexagon_mlir.ir import parse
from hexagon_mlir.settings import Settings


@dataclass(frozen=True)
class SplitProduct(EngineProduct):
    """m x k times k x n of f32."""

    element_bytes: ClassVar[int] = 4
    half_products: ClassVar[int] = 3

    @property
    def name(self) -> str:
        """What the table calls it."""
        return f"{super().name} f32 in pieces"

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
