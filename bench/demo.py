"""The table of ``scripts/demo.sh``: each example kernel, right and how much faster than what LLVM does alone.

Every kernel runs three times on the simulator: through ``--pipeline=scalar`` (LLVM -O3, no vector types, the same
fusion and maths), through ``--pipeline=auto-vectorized`` (the same with LLVM's vectorizers, for HVX) and through the
default pipeline. The error is that of the default against PyTorch.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch
from rich.progress import track

from hexagon_mlir.exec import sim
from hexagon_mlir.frontend.triton import activate
from hexagon_mlir.report.check import CLOCK_NOTE

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.tables import show, table
from examples import gelu, matmul, rms_norm, softmax, vector_add


@dataclass(frozen=True)
class Case:
    """One row: ``run(**launch)`` launches the kernel once."""

    name: str
    shape: str
    run: Callable[..., torch.Tensor]
    expected: torch.Tensor


def cases() -> list[Case]:
    """The rows, inputs drawn from a fixed seed."""
    torch.manual_seed(0)
    ragged, other = torch.randn(100_003), torch.randn(100_003)
    left, right = torch.randn(64, 16384), torch.randn(64, 16384)
    x32 = torch.randn(16384) * 3
    x16 = x32.half()
    rows = torch.randn(64, 781) * 3
    hidden, weight = torch.randn(127, 513), torch.randn(513)
    a, b = torch.randn(123, 200), torch.randn(200, 77)
    gelu_of = torch.nn.functional.gelu
    return [
        Case("vector add", "100003 f32", lambda **k: vector_add.run(ragged, other, **k), ragged + other),
        Case("vector add 2D", "64x16384 f32", lambda **k: vector_add.run(left, right, **k), left + right),
        Case("GELU", "16384 f32", lambda **k: gelu.run(x32, **k), gelu_of(x32, approximate="tanh")),
        Case("GELU", "16384 f16", lambda **k: gelu.run(x16, **k), gelu_of(x16.float(), approximate="tanh").half()),
        Case("softmax", "64x781 f32", lambda **k: softmax.run(rows, **k), torch.softmax(rows, 1)),
        Case("RMS norm", "127x513 f32", lambda **k: rms_norm.run(hidden, weight, **k),
             torch.nn.functional.rms_norm(hidden, (513,), weight, 1e-6)),
        Case("matmul", "123x200x77 f32", lambda **k: matmul.run(a, b, **k), a.double() @ b.double()),
    ]


def measure(case: Case, **launch: str | int) -> tuple[float, int]:
    """Largest error against `Case.expected`, and cycles."""
    with sim.SESSION.recording() as records:
        got = case.run(**launch)
    cycles = sum(record.result.cycles for record in records)
    return float((got.double() - case.expected.double()).abs().max()), cycles


def main() -> None:
    """Run all cases and print the table."""
    activate()
    grid = table("Hexagon v75, one thread, simulated cycles",
                 ("kernel", "shape", "max error", "scalar", "LLVM vectorized", "ours", "ratios"),
                 ("kernel", "shape"))
    for case in track(cases(), "running", transient=True):
        _, scalar = measure(case, pipeline="scalar")
        _, automatic = measure(case, pipeline="auto-vectorized")
        error, vector = measure(case, threads=1)
        grid.add_row(case.name, case.shape, f"{error:.1e}", f"{scalar:,}", f"{automatic:,}", f"{vector:,}",
                     f"{scalar / vector:.1f}x  {automatic / vector:>5.1f}x")
    show(grid, 104, f"Cycles: {CLOCK_NOTE}; inputs start in DDR. LLVM vectorized: -O3 with LLVM's own loop and SLP "
                    "vectorizers on HVX.")


if __name__ == "__main__":
    main()
