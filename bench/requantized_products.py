"""Products of bytes whose sums become bytes, from DDR: as a layer between two of bytes rounds each sum once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bench.byte_products import byte_array
from bench.engine_product import EngineProduct
from hexagon_mlir.codegen import compile_module
from hexagon_mlir.exec.sim import launch
from hexagon_mlir.ir import parse

_SHIFT = 12
_HALF = 1 << _SHIFT - 1
_LOW, _HIGH = -128, 127


@dataclass(frozen=True)
class RequantizedProduct(EngineProduct):
    """m x k times k x n of int8: sums over 2**12, rounded, ties upwards, and limited to int8."""

    element_bytes = 1

    @property
    def name(self) -> str:
        """What the table calls it."""
        return f"{super().name} int8 to int8"

    @property
    def array(self) -> float:
        """Cycles of the multiplier array."""
        return byte_array(self.m, self.k, self.n)

    def text(self) -> str:
        """The product as linalg on tensors."""
        a, b, c = (f"tensor<{x}x{y}x" for x, y in ((self.m, self.k), (self.k, self.n), (self.m, self.n)))
        same = "affine_map<(m, n) -> (m, n)>"
        return f"""func.func @kernel(%x: {a}i8>, %y: {b}i8>) -> {c}i8> {{
          %zero = arith.constant 0 : i32
          %half = arith.constant {_HALF} : i32
          %shift = arith.constant {_SHIFT} : i32
          %low = arith.constant {_LOW} : i32
          %high = arith.constant {_HIGH} : i32
          %e = tensor.empty() : {c}i32>
          %h = tensor.empty() : {c}i8>
          %f = linalg.fill ins(%zero : i32) outs(%e : {c}i32>) -> {c}i32>
          %p = linalg.matmul ins(%x, %y : {a}i8>, {b}i8>) outs(%f : {c}i32>) -> {c}i32>
          %r = linalg.generic {{indexing_maps = [{same}, {same}], iterator_types = ["parallel", "parallel"]}}
              ins(%p : {c}i32>) outs(%h : {c}i8>) {{
            ^bb0(%u: i32, %old: i8):
              %s = arith.addi %u, %half : i32
              %t = arith.shrsi %s, %shift : i32
              %v = arith.maxsi %t, %low : i32
              %w = arith.minsi %v, %high : i32
              %q = arith.trunci %w : i32 to i8
              linalg.yield %q : i8
          }} -> {c}i8>
          return %r : {c}i8>
        }}"""

    def run(self) -> tuple[int, float]:
        """Cycles, and the largest difference from the value in numpy."""
        rng = np.random.default_rng(0)
        left, right = (rng.integers(-128, 128, shape, np.int8) for shape in ((self.m, self.k), (self.k, self.n)))
        result = np.zeros((self.m, self.n), np.int8)
        asm = compile_module(parse(self.text(), file="product.mlir")).asm
        cycles = launch(asm, "kernel", [left, right, result], None).cycles
        sums = (left.astype(np.float64) @ right.astype(np.float64)).astype(np.int64)
        exact = np.clip(sums + _HALF >> _SHIFT, _LOW, _HIGH)
        return cycles, float(np.max(np.abs(result - exact)))


REQUANTIZED_PRODUCTS = RequantizedProduct(512, 512, 512), RequantizedProduct(1024, 1024, 1024)
