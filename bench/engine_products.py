"""Products of matrices on the matrix engine against HVX and against the bound: rows of `bench/matrix_engine.py`.

    python bench/engine_products.py              # the table
    python bench/engine_products.py --markdown   # as it stands in docs/matrix_engine_speed.md
    python bench/engine_products.py 512          # rows whose name holds a word

Rows with int4 weights are the products of a layer of Qwen3-4B for 512 tokens: factors and results of f16, weights of 4
bits with an f16 scale for 32 of a column. ``python bench/narrow_products.py`` prints them together.

The bound is the larger one of two: the tiles of the product, rows and columns filled up to 32 (of bytes rows to 64), at
the rate of the engine's multiplier array; and operands and result, transferred once at the bandwidth of the DMA engine.
Rows with operands in TCM call a routine of `hexagon_mlir.codegen.matrix_engine` on tiles that are there: they show what
the engine itself takes. HVX is the same program compiled with ``matrix_engine=False``. Bytes are exact: their error is
the largest difference from numpy.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.byte_products import ByteProduct, byte_array
from bench.engine_kernel import engine_kernel
from bench.engine_product import EngineProduct
from bench.linear_products import LINEAR_PRODUCTS, LinearProduct
from bench.narrow_products import LAYER, NarrowProduct
from bench.piece_products import PieceProduct
from bench.requantized_products import REQUANTIZED_PRODUCTS, RequantizedProduct
from bench.split_products import SPLIT_PRODUCTS, SplitProduct
from bench.tables import Bench
from hexagon_mlir import targets
from hexagon_mlir.codegen import compile_module, emit
from hexagon_mlir.dialects.engine_tiles import COLUMN_TABLE, IDENTITY_SCALE, PAIR, TILE, tiles
from hexagon_mlir.exec.sim import launch
from hexagon_mlir.ir import parse
from hexagon_mlir.settings import Settings
from hexagon_mlir.sim import Machine, RunResult

_SUM_BYTES = 4


@dataclass(frozen=True)
class Product(EngineProduct):
    """m x k times k x n."""

    in_tcm: bool = False
    factors: ClassVar[str] = "f16"
    """Element type."""
    zero: ClassVar[str] = "0.0 : f16"
    """Of the result's type."""

    def operands(self) -> list[np.ndarray]:
        """The factors and the result's memory."""
        rng = np.random.default_rng(0)
        left, right = (rng.standard_normal(shape).astype(np.float16) for shape in ((self.m, self.k), (self.k, self.n)))
        return [left, right, np.zeros((self.m, self.n), np.float16)]

    def text(self) -> str:
        """The product as linalg on tensors."""
        sums = self.zero.split(" : ")[1]
        a, b = (f"tensor<{x}x{y}x{self.factors}>" for x, y in ((self.m, self.k), (self.k, self.n)))
        c = f"tensor<{self.m}x{self.n}x{sums}>"
        return f"""func.func @kernel(%x: {a}, %y: {b}) -> {c} {{
          %e = tensor.empty() : {c}
          %zero = arith.constant {self.zero}
          %f = linalg.fill ins(%zero : {sums}) outs(%e : {c}) -> {c}
          %r = linalg.matmul ins(%x, %y : {a}, {b}) outs(%f : {c}) -> {c}
          return %r : {c}
        }}"""


@dataclass(frozen=True)
class IntegerProduct(Product):
    """m x k times k x n of int8, with sums of 32 bits."""

    factors: ClassVar[str] = "i8"
    zero: ClassVar[str] = "0 : i32"
    element_bytes: ClassVar[int] = 1

    @property
    def name(self) -> str:
        """What the table calls it."""
        return f"{self.m}x{self.k}x{self.n} int8"

    @property
    def array(self) -> float:
        """Cycles of the multiplier array."""
        return byte_array(self.m, self.k, self.n)

    @property
    def moved(self) -> int:
        """Bytes of operands and result."""
        return super().moved + (_SUM_BYTES - 1) * self.m * self.n

    def operands(self) -> list[np.ndarray]:
        """The factors and the result's memory."""
        rng = np.random.default_rng(0)
        left, right = (rng.integers(-128, 128, shape, np.int8) for shape in ((self.m, self.k), (self.k, self.n)))
        return [left, right, np.zeros((self.m, self.n), np.int32)]


PRODUCTS = (
    Product(512, 512, 512, in_tcm=True), Product(1024, 1024, 1024, in_tcm=True), Product(512, 512, 512),
    Product(1024, 1024, 1024), Product(123, 200, 77), Product(64, 64, 64), Product(32, 768, 768),
    Product(64, 768, 3072), Product(512, 768, 768), Product(1, 768, 768),
)
BYTE_PRODUCTS = (
    *(ByteProduct(1024, 1024, 1024, bits, requantized) for bits in (8, 4) for requantized in (False, True)),
    ByteProduct(512, 256, 512, 8), ByteProduct(512, 256, 512, 8, requantized=True),
)
PIECE_PRODUCTS = PieceProduct(512, 1024, 1024), PieceProduct(512, 256, 512), PieceProduct(512, 64, 512)
INTEGER_PRODUCTS = (IntegerProduct(512, 512, 512), IntegerProduct(1024, 1024, 1024))

AnyProduct = Product | ByteProduct | RequantizedProduct | PieceProduct | SplitProduct | NarrowProduct | LinearProduct


@dataclass(frozen=True)
class Measurement:
    """Cycles of one product on the engine and, from DDR, on HVX; ``error`` is the largest difference from the exact
    value, over the sum of magnitudes."""

    product: AnyProduct
    cycles: int
    hvx: int
    error: float


def measure(product: AnyProduct) -> Measurement:
    """Compile, run on the simulator, compare with numpy."""
    if not isinstance(product, Product):
        cycles, error = product.run()
        return Measurement(product, cycles, 0, error)
    left, right, result = product.operands()
    hvx = 0
    if product.in_tcm:
        cycles, result = _on_tiles(product, left, right)
    else:
        hvx = launched(product, left, right, result, engine=False).cycles
        cycles = launched(product, left, right, result, engine=True).cycles
    wide = [array.astype(np.float64) for array in (left, right)]
    size = np.abs(wide[0]) @ np.abs(wide[1])
    return Measurement(product, cycles, hvx, float(np.max(np.abs(result - wide[0] @ wide[1]) / size)))


def launched(product: Product, left: np.ndarray, right: np.ndarray, result: np.ndarray, engine: bool) -> RunResult:
    """A run of ``product`` from DDR, with the engine or without; ``result`` is written."""
    asm = compile_module(parse(product.text(), file="product.mlir"), settings=Settings(matrix_engine=engine)).asm
    return launch(asm, "kernel", [left, right, result], None)


def _on_tiles(product: Product, left: np.ndarray, right: np.ndarray) -> tuple[int, np.ndarray]:
    """Cycles of the routine with everything in TCM; sizes are whole tiles."""
    m, k, n = (tiles(size) for size in (product.m, product.k, product.n))
    half = TILE // PAIR
    activations = left.reshape(m, half, PAIR, k, TILE).transpose(0, 3, 1, 4, 2)
    weights = right.reshape(k, half, PAIR, n, TILE).transpose(3, 0, 1, 4, 2)
    tables = np.zeros((n, *COLUMN_TABLE), np.uint32)
    tables[:, 0] = IDENTITY_SCALE
    machine = Machine(emit(engine_kernel("hexmlir_engine_hf", PAIR * TILE * TILE, m, k, n), targets.get()))
    addresses = []
    for array in (activations, weights, np.zeros((m, n, half, TILE, PAIR), np.float16), tables):
        addresses.append(machine.alloc_tcm(array.nbytes))
        machine.write(addresses[-1], np.ascontiguousarray(array).view(np.uint8).reshape(-1))
    cycles = machine.run("kernel", addresses).cycles
    found = machine.read(addresses[2], np.float16, product.m * product.n).reshape(m, n, half, TILE, PAIR)
    return cycles, found.transpose(0, 2, 4, 1, 3).reshape(product.m, product.n)


def _cells(m: Measurement) -> tuple[str, ...]:
    bound, hvx = m.product.bound, m.hvx
    return (m.product.name, "TCM, tiles" if m.product.in_tcm else "DDR", f"{m.cycles:,}", f"{bound:,.0f}",
            f"{bound / m.cycles:.0%}", f"{m.product.array / m.cycles:.0%}", f"{hvx:,}" if hvx else "",
            f"{hvx / m.cycles:.1f}" if hvx else "", f"{m.error:.1e}")


BENCH = Bench(__doc__ or "", "docs/matrix_engine_speed.md", "bench/engine_products.py",
              ("product", "operands in", "cycles", "bound", "of the bound", "of the engine's rate", "HVX",
               "times faster", "error"),
              (*PRODUCTS, *LINEAR_PRODUCTS, *BYTE_PRODUCTS, *INTEGER_PRODUCTS, *REQUANTIZED_PRODUCTS, *PIECE_PRODUCTS,
               *SPLIT_PRODUCTS, *LAYER),
              measure, _cells,
              "largest difference from the exact value, relative to the sum of the magnitudes of the products")

if __name__ == "__main__":
    BENCH.main()
