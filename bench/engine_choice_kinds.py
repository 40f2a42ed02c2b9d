"""Products of matrices of other kinds than `bench/engine_choice.py` draws by itself: each is measured both ways there.

Sizes are those of a product of one batch: m x k times k x n.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.engine_products import IntegerProduct, Product

_LARGEST, _STEPS = 400, 4096


@dataclass(frozen=True)
class TransposedProduct(Product):
    """m x k times the transpose of n x k."""

    @property
    def name(self) -> str:
        """What the table calls it."""
        return f"{self.m}x{self.k}x{self.n} transposed"

    def operands(self) -> list[np.ndarray]:
        """The factors and the result's memory."""
        left, right, result = super().operands()
        return [left, np.ascontiguousarray(right.T), result]

    def text(self) -> str:
        """The product as linalg on tensors."""
        right, given = f"tensor<{self.k}x{self.n}xf16>", f"tensor<{self.n}x{self.k}xf16>"
        maps = ", ".join(f"affine_map<(m, n, k) -> ({dims})>" for dims in ("m, k", "n, k", "m, n"))
        return super().text().replace(right, given).replace("linalg.matmul", f"linalg.matmul indexing_maps = [{maps}]")


@dataclass(frozen=True)
class BatchedProduct(Product):
    """Six products m x k times k x n."""

    count: ClassVar[int] = 6

    @property
    def name(self) -> str:
        """What the table calls it."""
        return f"{self.count}x {self.m}x{self.k}x{self.n}"

    def operands(self) -> list[np.ndarray]:
        """The factors and the results' memory."""
        return [np.stack([each] * self.count) for each in super().operands()]

    def text(self) -> str:
        """The products as linalg on tensors."""
        plain = super().text().replace("tensor<", f"tensor<{self.count}x")
        return plain.replace("linalg.matmul", "linalg.batch_matmul")


@dataclass(frozen=True)
class CastProduct(Product):
    """m x k of f32, rounded to f16, times k x n of f16, with sums of f32."""

    zero: ClassVar[str] = "0.0 : f32"

    @property
    def name(self) -> str:
        """What the table calls it."""
        return f"{self.m}x{self.k}x{self.n} f32"

    def operands(self) -> list[np.ndarray]:
        """The factors and the result's memory."""
        left, right, result = super().operands()
        return [left.astype(np.float32), right, result.astype(np.float32)]

    def text(self) -> str:
        """The product as linalg on tensors."""
        wide, left = (f"tensor<{self.m}x{self.k}x{element}>" for element in ("f32", "f16"))
        same = "affine_map<(m, k) -> (m, k)>"
        return super().text().replace(f"%x: {left}", f"%w: {wide}").replace("%e = ", f"""%u = tensor.empty() : {left}
          %x = linalg.generic {{indexing_maps = [{same}, {same}], iterator_types = ["parallel", "parallel"]}}
              ins(%w : {wide}) outs(%u : {left}) {{
            ^bb0(%a: f32, %b: f16):
              %c = arith.truncf %a : f32 to f16
              linalg.yield %c : f16
          }} -> {left}
          %e = """, 1)


KINDS: dict[str, type[Product]] = {"f16": Product, "bytes": IntegerProduct, "transposed": TransposedProduct,
                                   "batches": BatchedProduct, "f32": CastProduct, "few-rows": Product}


def products(count: int, kind: str, seed: int) -> Iterator[Product]:
    """``count`` random products of a ``kind``, sizes even in their logarithm from 1 to 400; "few-rows" are 1 to 8 rows,
    and up to 4,096 columns and steps."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        m, k, n = (float(np.exp(rng.uniform(0, np.log(_LARGEST)))) for _ in range(3))
        if kind == "few-rows":
            m, k, n = m ** (np.log(8) / np.log(_LARGEST)), *(256 * x ** (np.log(16) / np.log(_LARGEST)) for x in (k, n))
        yield KINDS[kind](round(m), round(k), round(n))
