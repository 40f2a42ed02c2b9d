"""A few rows times weights of 4 and 8 bits that share scales in blocks, cold from DDR.

`python bench/narrow_products.py` prints them, in cycles per 128 multiplications, which is what one instruction of HVX
does of bytes. Beside them are what the weights' transfer takes, and code that is written by hand.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from hexagon_mlir import targets
from hexagon_mlir.codegen import compile_module
from hexagon_mlir.exec.sim import launch
from hexagon_mlir.frontend.torch.block_weights import BlockWeights
from hexagon_mlir.ir import parse
from hexagon_mlir.targets.dma import Engine

BLOCK = 32
_TYPES = {torch.float32: "f32", torch.float16: "f16"}
_LANES = 128


@dataclass(frozen=True)
class BlockProduct:
    """m rows of ``element`` times k x n weights of ``bits``, with an f16 scale for 32 of a column."""

    m: int
    k: int
    n: int
    bits: int
    element: torch.dtype = torch.float32
    by_hand: float | None = None
    """Cycles per 128 multiplications of hand-written HVX code, whose rows are rounded to 8 bits."""

    @property
    def name(self) -> str:
        """What the table calls it."""
        return f"{self.m}x{self.k}x{self.n} {_TYPES[self.element]}, q{self.bits}_0"

    @property
    def weight_bytes(self) -> int:
        """Of codes and scales."""
        return self.k * self.n * self.bits // 8 + self.k // BLOCK * self.n * 2

    @property
    def bound(self) -> float:
        """Cycles of the weights' transfer."""
        return self.weight_bytes / Engine.of(targets.get()).rate

    def per_instruction(self, cycles: float) -> float:
        """``cycles`` per 128 multiplications."""
        return cycles * _LANES / (self.m * self.k * self.n)

    def run(self) -> tuple[int, float]:
        """Cycles, and the largest error over the sum of magnitudes."""
        generator = torch.Generator().manual_seed(0)
        codes = torch.randint(0, 1 << self.bits, (self.k, self.n), generator=generator, dtype=torch.uint8)
        scales = (torch.rand(self.k // BLOCK, self.n, generator=generator) + 0.5) / self.k**0.5
        weights = BlockWeights(codes, scales.half(), BLOCK, self.bits)
        x = torch.randn(self.m, self.k, generator=generator).to(self.element)
        packed = weights.packed()
        assert sum(part.numel() * part.element_size() for part in packed) == self.weight_bytes
        result = np.zeros((self.m, self.n), x.numpy().dtype)
        asm = compile_module(parse(self.text(packed), file="product.mlir")).asm
        run = launch(asm, "kernel", [x.numpy(), *(part.numpy() for part in packed), result], None)
        matrix = weights.matrix()
        size = x.double().abs() @ matrix.abs()
        return run.cycles, float(((torch.from_numpy(result).double() - x.double() @ matrix).abs() / size).max())

    def text(self, packed: tuple[torch.Tensor, ...]) -> str:
        """The product by ``packed`` weights as linalg on tensors."""
        element = _TYPES[self.element]
        codes, scales = (f"tensor<{'x'.join(map(str, part.shape))}x{kind}>"
                         for part, kind in zip(packed, ("i8", "f16"), strict=True))
        x, w, y = (f"tensor<{a}x{b}x{element}>" for a, b in ((self.m, self.k), (self.k, self.n), (self.m, self.n)))
        return f"""func.func @kernel(%x: {x}, %c: {codes}, %s: {scales}) -> {y} {{
          %w = "hexagon.block_matrix"(%c, %s) {{bits = {self.bits} : i64}} : ({codes}, {scales}) -> {w}
          %e = tensor.empty() : {y}
          %zero = arith.constant 0.0 : {element}
          %f = linalg.fill ins(%zero : {element}) outs(%e : {y}) -> {y}
          %r = linalg.matmul ins(%x, %w : {x}, {w}) outs(%f : {y}) -> {y}
          return %r : {y}
        }}"""


PRODUCTS = (
    BlockProduct(1, 2048, 2048, 8, by_hand=8.4), BlockProduct(1, 2048, 2048, 4, by_hand=9.4),
    BlockProduct(4, 2048, 2048, 8, by_hand=5.4), BlockProduct(4, 2048, 2048, 4, by_hand=6.0),
    BlockProduct(1, 2048, 2048, 4, torch.float16), BlockProduct(4, 2048, 2048, 4, torch.float16),
)
"""By hand: kernels of a public project."""
