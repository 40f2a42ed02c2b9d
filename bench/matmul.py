"""Matrix products on HVX: cycles against what the chip's resources allow.

    python bench/matmul.py              # the table
    python bench/matmul.py --markdown   # docs/matmul.md
    python bench/matmul.py f16          # rows whose name holds a word

The bound is the number of packets that the arithmetic needs, per vector of accumulators and step of the reduction
(HVX V73 manual, table 5-1). Floats need one packet: a product uses both multiply pipes, its sum the shift pipe. f16
factors give two vectors of products at once, whose sums still take one packet each. Bytes: vrmpy uses one of the two
multiply pipes and computes four steps. 16-bit integers: one product serves two vectors, and the sums use any pipe.
Loads and permutations fit into the same packets. One thread issues an HVX packet every second cycle, the whole core
one per cluster and cycle. Operands in DDR are transferred once, at the bandwidth of the DMA engine; that bounds
products of one row.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.tables import Bench
from hexagon_mlir import targets
from hexagon_mlir.codegen import compile_module
from hexagon_mlir.exec.sim import launch
from hexagon_mlir.ir import parse
from hexagon_mlir.settings import Settings
from hexagon_mlir.sim import Machine
from hexagon_mlir.targets.dma import Engine

NUMPY = {"f32": np.float32, "f16": np.float16, "i8": np.int8, "i16": np.int16, "i32": np.int32}
PACKETS = {("f32", "f32"): 1.0, ("f16", "f32"): 1.0, ("i16", "i32"): 0.5, ("i8", "i32"): 0.125}
"""(factors, sum) -> packets per vector of sums and step of the reduction."""


@dataclass(frozen=True)
class Product:
    """One row: m x k times k x n. ``threads`` 1 measures with operands in TCM, more from DDR."""

    m: int
    k: int
    n: int
    factors: str
    sums: str
    threads: int = 1

    @property
    def name(self) -> str:
        """What the table calls it."""
        return f"{self.m}x{self.k}x{self.n} {self.factors} to {self.sums}"

    @property
    def bound(self) -> float:
        """Cycles at best: of the arithmetic, or of the transfers of operands that are in DDR."""
        chip = targets.get()
        lanes = int(chip.vector_bytes.value) // np.dtype(NUMPY[self.sums]).itemsize
        packets = self.m * self.k * math.ceil(self.n / lanes) * PACKETS[self.factors, self.sums]
        per_cycle = min(self.threads / float(chip.hvx_issue_interval_cycles.value),
                        float(chip.clusters.value) * float(chip.hvx_packets_per_cluster_cycle.value))
        size = np.dtype(NUMPY[self.factors]).itemsize
        moved = size * (self.m * self.k + self.k * self.n) + np.dtype(NUMPY[self.sums]).itemsize * self.m * self.n
        transfers = moved / Engine.of(chip).rate if self.threads > 1 else 0.0
        return max(packets / per_cycle, transfers)

    def text(self) -> str:
        """The product as linalg: on buffers in TCM for one thread, on tensors for more."""
        a, b, c = ((self.m, self.k, self.factors), (self.k, self.n, self.factors), (self.m, self.n, self.sums))
        tensors = ["tensor<" + "x".join(map(str, t)) + ">" for t in (a, b, c)]
        zero = f"%zero = arith.constant {'0.0' if self.sums[0] == 'f' else '0'} : {self.sums}"
        work = (f"  %f = linalg.fill ins(%zero : {self.sums}) outs(%e : {tensors[2]}) -> {tensors[2]}\n"
                f"  %r = linalg.matmul ins(%x, %y : {tensors[0]}, {tensors[1]}) outs(%f : {tensors[2]}) "
                f"-> {tensors[2]}\n")
        if self.threads > 1:
            return (f"func.func @kernel(%x: {tensors[0]}, %y: {tensors[1]}) -> {tensors[2]} {{\n"
                    f"  %e = tensor.empty() : {tensors[2]}\n  {zero}\n{work}  return %r : {tensors[2]}\n}}\n")
        buffers = ["memref<" + "x".join(map(str, t)) + ", 1>" for t in (a, b, c)]
        names = "xye"
        reads = "".join(
            f"  %a{i} = memref.assume_alignment %m{i}, 128 : {buffer}\n"
            f"  %{names[i]} = bufferization.to_tensor %a{i} restrict{' writable' if i == 2 else ''} : "
            f"{buffer} to {tensors[i]}\n" for i, buffer in enumerate(buffers))
        arguments = ", ".join(f"%m{i}: {buffer}" for i, buffer in enumerate(buffers))
        return (f"func.func @kernel({arguments}) {{\n{reads}  {zero}\n{work}"
                f"  bufferization.materialize_in_destination %r in restrict writable %a2 : "
                f"({tensors[2]}, {buffers[2]}) -> ()\n  return\n}}\n")

    def operands(self) -> list[np.ndarray]:
        """The factors and the result's memory."""
        rng = np.random.default_rng(0)
        shapes = ((self.m, self.k), (self.k, self.n))
        made = [(rng.standard_normal(s) if self.factors[0] == "f" else rng.integers(-128, 128, s)).astype(
            NUMPY[self.factors]) for s in shapes]
        return [*made, np.zeros((self.m, self.n), NUMPY[self.sums])]


PRODUCTS = (
    *(Product(256, 256, 256, factors, sums) for factors, sums in PACKETS),
    Product(123, 200, 77, "f32", "f32"),
    Product(123, 201, 77, "i8", "i32"),
    Product(32, 768, 768, "f32", "f32"),
    Product(1, 768, 768, "f32", "f32"),
    *(Product(512, 512, 512, factors, sums, 4) for factors, sums in PACKETS),
    Product(32, 768, 3072, "f32", "f32", 4),
    Product(32, 3072, 768, "f32", "f32", 4),
    Product(32, 768, 6001, "f16", "f32", 4),
    Product(1, 768, 3072, "f32", "f32", 4),
    Product(1, 768, 3072, "f16", "f32", 4),
)


@dataclass(frozen=True)
class Measurement:
    """Cycles of one product; ``error`` is the largest difference from the exact value, over the sum of sizes."""

    product: Product
    cycles: int
    error: float

    @property
    def share(self) -> float:
        """Of the bound."""
        return self.product.bound / self.cycles


def measure(product: Product) -> Measurement:
    """Compile, run on the simulator, compare with numpy."""
    settings = Settings(threads=product.threads, matrix_engine=False)
    asm = compile_module(parse(product.text(), file="matmul.mlir"), settings=settings).asm
    operands = product.operands()
    if product.threads > 1:
        cycles = launch(asm, "kernel", operands, None).cycles
    else:
        machine = Machine(asm)
        addresses = []
        for array in operands:
            addresses.append(machine.alloc_tcm(array.nbytes + int(machine.target.vector_bytes.value)))
            machine.write(addresses[-1], array.view(np.uint8).reshape(-1))
        cycles = machine.run("kernel", addresses).cycles
        operands[2] = machine.read(addresses[2], NUMPY[product.sums], operands[2].size).reshape(operands[2].shape)
    wide = [array.astype(np.float64) for array in operands]
    size = np.abs(wide[0]) @ np.abs(wide[1])
    return Measurement(product, cycles, float(np.max(np.abs(wide[2] - wide[0] @ wide[1]) / (size + 1e-30))))


def _cells(m: Measurement) -> tuple[str, ...]:
    return (m.product.name, str(m.product.threads), "TCM" if m.product.threads == 1 else "DDR", f"{m.cycles:,}",
            f"{m.product.bound:,.0f}", f"{m.share:.0%}", f"{m.error:.1e}")


BENCH = Bench(__doc__ or "", "docs/matmul.md", "bench/matmul.py",
              ("product", "threads", "operands in", "cycles", "bound", "of the bound", "error"), PRODUCTS, measure,
              _cells, "largest difference from the exact value, relative to the sum of the magnitudes of the products")

if __name__ == "__main__":
    BENCH.main()
