"""The layer's products of Qwen3-4B with weights of 4 bits, 512 tokens; a few rows times weights of 4 and 8 bits.

    python bench/narrow_products.py          # the tables
    python bench/narrow_products.py 9728     # rows whose name holds a word

Tokens and results are f16 in DDR, weights have 4 bits and an f16 scale for 32 of a column. The share of the engine's
rate is printed beside that of a published run of the whole model: 690 tokens per second on v81 are 24 % of its rate.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.block_products import PRODUCTS
from bench.engine_product import EngineProduct
from bench.tables import show, table
from hexagon_mlir.codegen import compile_module
from hexagon_mlir.dialects.engine_tiles import TILE, tiles
from hexagon_mlir.exec.sim import launch
from hexagon_mlir.frontend.torch.narrow_weights import narrowed
from hexagon_mlir.ir import parse
from hexagon_mlir.sim import RunResult

PUBLISHED = 0.24
"""Of the rate: Qwen3-4B, Q4_0, a prompt of 512 tokens (llama.cpp pull request 23368)."""

CODE_BYTES = 576
"""Of 32 x 32 weights, with their scales."""


@dataclass(frozen=True)
class NarrowProduct(EngineProduct):
    """m x k of f16 times k x n of 4 bits, which a layer multiplies ``times`` times."""

    times: int = 1
    what: str = ""

    @property
    def name(self) -> str:
        """What the table calls it."""
        return f"{super().name} int4 weights"

    @property
    def moved(self) -> int:
        """Bytes of operands and result."""
        return self.element_bytes * self.m * (self.k + self.n) + CODE_BYTES * tiles(self.k) * tiles(self.n)

    def run(self) -> tuple[int, float]:
        """Cycles, and the largest error over the sum of magnitudes."""
        run, error = self.launched()
        return run.cycles, error

    def launched(self) -> tuple[RunResult, float]:
        """A run, and its error as above."""
        generator = torch.Generator().manual_seed(0)
        left = torch.randn(self.m, self.k, generator=generator).half()
        weights = narrow_weights(self.k, self.n, generator)
        found = narrowed(weights.half())
        assert found is not None
        codes, scales = found.blocks().packed()
        result = np.zeros((self.m, self.n), np.float16)
        asm = compile_module(parse(self.text(tuple(codes.shape), tuple(scales.shape)), file="product.mlir")).asm
        run = launch(asm, "kernel", [left.numpy(), codes.numpy(), scales.numpy(), result], None)
        exact = left.double() @ weights.double()
        size = left.abs().float() @ weights.abs()
        return run, float(((torch.from_numpy(result).double() - exact).abs() / size).max())

    def text(self, of_codes: tuple[int, ...], of_scales: tuple[int, ...]) -> str:
        """The product by codes and scales of these shapes as linalg on tensors."""
        a, b, c = (f"tensor<{x}x{y}xf16>" for x, y in ((self.m, self.k), (self.k, self.n), (self.m, self.n)))
        codes, scales = (f"tensor<{'x'.join(map(str, shape))}x{element}>"
                         for shape, element in ((of_codes, "i8"), (of_scales, "f16")))
        return f"""func.func @kernel(%x: {a}, %w: {codes}, %s: {scales}) -> {c} {{
          %y = "hexagon.engine_matrix"(%w, %s) {{bits = 4 : i64}} : ({codes}, {scales}) -> {b}
          %e = tensor.empty() : {c}
          %zero = arith.constant 0.0 : f16
          %f = linalg.fill ins(%zero : f16) outs(%e : {c}) -> {c}
          %r = linalg.matmul ins(%x, %y : {a}, {b}) outs(%f : {c}) -> {c}
          return %r : {c}
        }}"""


def narrow_weights(depth: int, columns: int, generator: torch.Generator) -> torch.Tensor:
    """Random weights of 4 bits, f32 ``depth`` x ``columns``, with an f16 scale for 32 of a column; a row of them times
    a column of standard normal values is about one."""
    scales = ((torch.rand(tiles(depth), columns, generator=generator) + 0.5) / depth**0.5 / 8).half()
    multiples = torch.randint(-8, 8, (depth, columns), generator=generator)
    return multiples * scales.float().repeat_interleave(TILE, 0)[:depth]


def layer(tokens: int) -> tuple[NarrowProduct, ...]:
    """The products of weights of a layer."""
    return (NarrowProduct(tokens, 2560, 4096, 1, "queries"), NarrowProduct(tokens, 2560, 1024, 2, "keys, values"),
            NarrowProduct(tokens, 4096, 2560, 1, "output"), NarrowProduct(tokens, 2560, 9728, 2, "gate, up"),
            NarrowProduct(tokens, 9728, 2560, 1, "down"))


LAYER = layer(512)


def main() -> None:
    """Print the tables."""
    words = sys.argv[1:]
    _of_blocks(words)
    grid = table("A layer of Qwen3-4B, weights of 4 bits, v75, simulated",
                 ("product", "of the layer", "cycles", "bound", "of the engine's rate", "published", "error"),
                 ("product", "of the layer"))
    cycles, array = 0, 0.0
    rows = [row for row in LAYER if not words or any(word in row.name for word in words)]
    if not rows:
        return
    for row in rows:
        measured, error = row.run()
        cycles += row.times * measured
        array += row.times * row.array
        grid.add_row(row.name, row.what, f"{measured:,}", f"{row.bound:,.0f}", f"{row.array / measured:.0%}", "",
                     f"{error:.1e}")
    grid.add_row("all", "", f"{cycles:,}", "", f"{array / cycles:.0%}", f"{PUBLISHED:.0%}", "")
    show(grid, 120)


def _of_blocks(words: list[str]) -> None:
    """The table of a few rows times weights in blocks."""
    grid = table("A few rows, weights in blocks of 32, v75, simulated: cycles per 128 products",
                 ("product", "cycles", "per 128", "bound", "by hand", "error"), ("product",))
    for row in PRODUCTS:
        if words and not any(word in row.name for word in words):
            continue
        cycles, error = row.run()
        grid.add_row(row.name, f"{cycles:,}", f"{row.per_instruction(cycles):.2f}",
                     f"{row.per_instruction(row.bound):.2f}", f"{row.by_hand or '':}", f"{error:.1e}")
    show(grid, 120)


if __name__ == "__main__":
    main()
