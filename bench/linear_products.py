"""Products of f16 with a bias for each column, and a maximum with zero: linear layers, from DDR."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bench.engine_product import EngineProduct
from hexagon_mlir.codegen import compile_module
from hexagon_mlir.exec.sim import launch
from hexagon_mlir.ir import parse
from hexagon_mlir.settings import Settings
from hexagon_mlir.sim import RunResult


@dataclass(frozen=True)
class LinearProduct(EngineProduct):
    """``f16(max(m x k times k x n + bias, 0))``, the maximum only where ``positive``."""

    positive: bool = False

    @property
    def name(self) -> str:
        """What the table calls it."""
        return f"{super().name} with bias{' and ReLU' if self.positive else ''}"

    def text(self) -> str:
        """The layer as linalg on tensors, with the roundings that PyTorch has in f16."""
        a, b, c = (f"tensor<{x}x{y}x" for x, y in ((self.m, self.k), (self.k, self.n), (self.m, self.n)))
        maximum = "%t = arith.maximumf %s, %none : f16" if self.positive else ""
        return f"""func.func @kernel(%x: {a}f16>, %y: {b}f16>, %z: tensor<{self.n}xf16>) -> {c}f16> {{
          %zero = arith.constant 0.0 : f32
          %none = arith.constant 0.0 : f16
          %e = tensor.empty() : {c}f32>
          %h = tensor.empty() : {c}f16>
          %f = linalg.fill ins(%zero : f32) outs(%e : {c}f32>) -> {c}f32>
          %p = linalg.matmul ins(%x, %y : {a}f16>, {b}f16>) outs(%f : {c}f32>) -> {c}f32>
          %r = linalg.generic {{indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>,
              affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}}
              ins(%p, %z : {c}f32>, tensor<{self.n}xf16>) outs(%h : {c}f16>) {{
            ^bb0(%u: f32, %v: f16, %old: f16):
              %w = arith.truncf %u : f32 to f16
              %s = arith.addf %w, %v : f16
              {maximum}
              linalg.yield %{'t' if self.positive else 's'} : f16
          }} -> {c}f16>
          return %r : {c}f16>
        }}"""

    def operands(self) -> list[np.ndarray]:
        """The factors, the bias and the result's memory."""
        rng = np.random.default_rng(0)
        shapes = (self.m, self.k), (self.k, self.n), (self.n,)
        return [*(rng.standard_normal(shape).astype(np.float16) for shape in shapes),
                np.zeros((self.m, self.n), np.float16)]

    def launched(self, operands: list[np.ndarray]) -> RunResult:
        """A run; the last of ``operands`` is written."""
        asm = compile_module(parse(self.text(), file="linear.mlir"), settings=Settings()).asm
        return launch(asm, "kernel", operands, None)

    def run(self) -> tuple[int, float]:
        """Cycles, and the largest difference from the exact value, relative to the sum of magnitudes."""
        operands = self.operands()
        cycles = self.launched(operands).cycles
        left, right, bias = (array.astype(np.float64) for array in operands[:3])
        exact = left @ right + bias
        exact = np.maximum(exact, 0) if self.positive else exact
        size = np.abs(left) @ np.abs(right) + np.abs(bias)
        return cycles, float(np.max(np.abs(operands[3] - exact) / size))


LINEAR_PRODUCTS = tuple(LinearProduct(*sizes, positive) for sizes in ((64, 768, 3072), (512, 768, 768))
                        for positive in (False, True))
