"""Attention of one head: bytes that cross DDR against what tiles of queries must move, and the memory it takes.

    python bench/attention.py                  # 1024 positions of 64 elements, causal and not, f32 and f16
    python bench/attention.py --length 2048

f32 is computed by HVX, f16 with products on the matrix engine. The bound of f16 reads queries, keys and values once and
writes the result once: all keys of a head stay in TCM. That of f32 reads the queries once, the keys and values once for
each tile of queries (in causal attention those up to the tile of keys that its last query sees), and writes the result
once. The matrix of scores would take length x length elements; the largest allocation shows that no buffer comes near.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.nn.functional as F

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import hexagon_mlir as hx
from bench.tables import show, table
from hexagon_mlir.frontend.torch.kernels.attention_tiles import KEY_ROWS, QUERY_ROWS
from hexagon_mlir.llvmir import Module

TOGETHER = 2
"""Tiles of queries that share the keys and values that are read."""


class Attention(torch.nn.Module):
    """softmax(q k^T / sqrt(depth)) v."""

    def __init__(self, causal: bool):
        super().__init__()
        self.causal = causal

    def forward(self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        """Shapes (1, 1, length, depth)."""
        return F.scaled_dot_product_attention(q, k, v, is_causal=self.causal)


def bound(length: int, depth: int, causal: bool, dtype: torch.dtype) -> int:
    """Bytes read and written at least; of f32 where `TOGETHER` tiles of `QUERY_ROWS` read `KEY_ROWS` at a time."""
    if dtype is torch.float16:
        return 4 * length * depth * dtype.itemsize
    seen = 0
    for first in range(0, length, TOGETHER * QUERY_ROWS):
        last = min(first + TOGETHER * QUERY_ROWS, length)
        seen += min(-(-last // KEY_ROWS) * KEY_ROWS, length) if causal else length
    return dtype.itemsize * depth * (2 * length + 2 * seen)


@dataclass(frozen=True)
class Measurement:
    """One run: ``moved`` bytes crossed DDR, ``tcm`` and ``ddr`` are the peak of TCM and of activations in DDR,
    ``allocations`` the sizes of the kernel's own buffers."""

    length: int
    causal: bool
    dtype: torch.dtype
    error: float
    cycles: int
    moved: int
    bound: int
    tcm: int
    ddr: int
    allocations: tuple[int, ...]

    @property
    def ratio(self) -> float:
        """Bytes moved over the bound."""
        return self.moved / self.bound

    @property
    def scores(self) -> int:
        """Bytes of the matrix that is never stored."""
        return self.dtype.itemsize * self.length ** 2


def measure(length: int, depth: int, causal: bool, dtype: torch.dtype = torch.float32) -> Measurement:
    """Compile, run on the simulator, compare with eager PyTorch in float64."""
    torch.manual_seed(0)
    inputs = tuple(torch.randn(1, 1, length, depth, dtype=dtype) for _ in range(3))
    module = Attention(causal)
    model = hx.compile(torch.export.export(module, inputs))
    error = float((model(*inputs).double() - module(*(value.double() for value in inputs))).abs().max())
    run = model.last_run
    return Measurement(length, causal, dtype, error, run.cycles, run.ddr_bytes, bound(length, depth, causal, dtype),
                       max(record.result.tcm_high_water for record in run.launches), model.result.memory.arena_bytes,
                       tuple(size for kernel in model.schedule.kernels for size in _allocations(kernel.llvm_ir)))


def _allocations(llvm_ir: str) -> list[int]:
    """Bytes of each allocation whose size is a constant."""
    calls = (i for function in Module.parse(llvm_ir).functions for i in function.by_opcode.get("call", ()))
    return [int(i.operands[0]) for i in calls if "alloc" in i.flags and i.type == "ptr" and i.operands[0].isdecimal()]


def main() -> None:
    """Measure all kinds and print a table."""
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--length", type=int, default=1024)
    parser.add_argument("--depth", type=int, default=64)
    options = parser.parse_args()
    grid = table(f"Attention, {options.length} x {options.depth}, v75, simulated",
                 ("type", "attention", "cycles", "bytes over DDR", "bound", "ratio", "TCM peak", "activations",
                  "scores", "error"))
    for dtype, causal in itertools.product((torch.float32, torch.float16), (False, True)):
        m = measure(options.length, options.depth, causal, dtype)
        grid.add_row(f"f{8 * dtype.itemsize}", "causal" if causal else "all keys", f"{m.cycles:,}", f"{m.moved:,}",
                     f"{m.bound:,}", f"{m.ratio:.3f}", f"{m.tcm:,}", f"{m.ddr:,}", f"{m.scores:,}", f"{m.error:.1e}")
    show(grid, 120)


if __name__ == "__main__":
    main()
