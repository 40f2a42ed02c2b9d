"""Vector code against scalar code: the rows of Hexagon-MLIR's table 1 (arXiv 2602.19762) beside ours.

    python bench/table1.py              # every row
    python bench/table1.py GELU SiLU    # rows whose name starts so

Both columns are ratios of a compiler's vector code to its own scalar code, so a bad baseline flatters: cycles per
element of both stand beside them, and for the vector code the cycles that issue slots and memory allow at least.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch
import triton
import triton.language as tl
from rich.progress import track

from hexagon_mlir import targets
from hexagon_mlir.exec import sim
from hexagon_mlir.frontend.triton import activate
from hexagon_mlir.ir.diagnostics import HexError
from hexagon_mlir.report.check import CLOCK_NOTE

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.tables import show, table
from examples import attention, gelu, rms_norm, vector_add


@triton.jit
def silu(x, out, n, BLOCK: tl.constexpr):
    """out[i] = x[i] * sigmoid(x[i])."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    v = tl.load(x + offsets, mask=mask).to(tl.float32)
    tl.store(out + offsets, v / (1.0 + tl.exp(-v)), mask=mask)


def run_silu(x: torch.Tensor, **launch: str) -> torch.Tensor:
    """SiLU of a vector of at most 16384 elements."""
    out = torch.empty_like(x)
    silu[(1,)](x, out, x.numel(), BLOCK=16384, **launch)
    return out


@dataclass(frozen=True)
class Row:
    """One kernel: ``published`` is the paper's ratio, ``operands`` the tensors read and written per launch."""

    name: str
    shape: str
    published: float
    run: Callable[..., torch.Tensor]
    expected: torch.Tensor
    operands: int
    tolerance: float


def rows() -> list[Row]:
    """The table's rows, inputs from a fixed seed."""
    torch.manual_seed(0)
    x, many = torch.randn(16384) * 3, torch.randn(16, 16384) * 3
    left, right = torch.randn(64, 16384), torch.randn(64, 16384)
    hidden, weight = torch.randn(127, 513).half(), torch.randn(513).half()
    q, k, v = (torch.randn(1, 1024, 64) for _ in range(3))
    gelu_of, silu_of = torch.nn.functional.gelu, torch.nn.functional.silu
    scale = 64 ** -0.5
    scores = torch.softmax(q @ k.transpose(1, 2) * scale, 2) @ v
    return [
        Row("GELU", "16384 f16", 63.9, lambda **o: gelu.run(x.half(), **o),
            gelu_of(x.half().float(), approximate="tanh"), 2, 4e-3),
        Row("GELU", "16384 f32", 16.1, lambda **o: gelu.run(x, **o), gelu_of(x, approximate="tanh"), 2, 1e-5),
        Row("GELU, double buffered", "16x16384 f32", 15.4, lambda **o: gelu.run(many, **o),
            gelu_of(many, approximate="tanh"), 2, 1e-5),
        Row("flash attention", "1024x64 f32", 4.7, lambda **o: run_attention(q, k, v, scale, **o), scores, 4, 1e-4),
        Row("RMS norm", "127x513 f16", 46.5, lambda **o: rms_norm.run(hidden, weight, **o),
            torch.nn.functional.rms_norm(hidden.float(), (513,), weight.float(), 1e-6), 2, 2e-2),
        Row("SiLU", "16384 f16", 4.8, lambda **o: run_silu(x.half(), **o), silu_of(x.half().float()), 2, 4e-3),
        Row("SiLU", "16384 f32", 7.1, lambda **o: run_silu(x, **o), silu_of(x), 2, 1e-5),
        Row("vector add 2D", "64x16384 f32", 40.6, lambda **o: vector_add.run(left, right, **o), left + right, 3, 1e-6),
    ]


def run_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, scale: float, **launch: str) -> torch.Tensor:
    """Attention over all keys, 64 at a time."""
    heads, tokens, width = q.shape
    out, sums = torch.empty_like(q), torch.empty(heads, tokens)
    attention.attend[(tokens // 64, heads)](q, k, v, out, sums, tokens, scale, CAUSAL=False, BLOCK_M=64, BLOCK_N=64,
                                            WIDTH=width, **launch)
    return out


def cycles(row: Row, **launch: str | int) -> int:
    """Cycles of one run, whose result is checked."""
    with sim.SESSION.recording() as records:
        got = row.run(**launch)
    error = float((got.double() - row.expected.double()).abs().max())
    if error > row.tolerance:
        raise SystemExit(f"{row.name} {row.shape}: wrong by {error:.1e}")
    return sum(record.result.cycles for record in records)


def memory_bound(row: Row) -> float:
    """Cycles per element to move the operands between DDR and TCM by DMA."""
    size = 2 if row.shape.endswith("f16") else 4
    return row.operands * size / float(targets.get().dma_bytes_per_cycle.value)


def main() -> None:
    """Run every row on both pipelines and print the table."""
    names, failed = tuple(sys.argv[1:]), []
    activate()
    grid = table("Vector against scalar code, Hexagon v75, inputs in DDR, simulated",
                 ("kernel", "shape", "theirs", "ours", "scalar", "vector", "memory bound", "4 threads"),
                 ("kernel", "shape"))
    chosen = [row for row in rows() if not names or row.name.startswith(names)]
    for row in track(chosen, "running", transient=True):
        try:
            scalar, vector, threaded = cycles(row, pipeline="scalar"), cycles(row, threads=1), cycles(row)
        except HexError as error:
            failed.append(f"{row.name}: {error}")
            continue
        count = row.expected.numel()
        grid.add_row(row.name, row.shape, f"{row.published}x", f"{scalar / vector:.1f}x", f"{scalar / count:.2f}",
                     f"{vector / count:.2f}", f"{memory_bound(row):.2f}", f"{threaded / count:.2f}")
    for text in failed:
        print(text, file=sys.stderr)
    show(grid, 110, "theirs, ours: scalar over vector code on one thread; theirs on a device (arXiv 2602.19762). "
                    f"The rest: cycles per element, {CLOCK_NOTE.removeprefix('cycles ')}.")
    if failed:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
