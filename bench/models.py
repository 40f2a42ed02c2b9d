"""Runs published models on the simulator: ``python bench/models.py [WORD]`` takes those whose name holds WORD."""

from __future__ import annotations

import resource
import sys
import time
import warnings
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import hexagon_mlir as hx
from bench.model_zoo import LARGE, Model
from hexagon_mlir.report.model import model_report
from hexagon_mlir.report.progress import progress_bar


def _flat(value) -> list[torch.Tensor]:
    return [value] if isinstance(value, torch.Tensor) else [t for part in value for t in _flat(part)]


def run(name: str, made: Model) -> None:
    """Export, compile, run, compare; prints the compiler's report and one line of results."""
    module, inputs = made[0].eval(), made[1]
    program = torch.export.export(module, inputs)
    with progress_bar() as progress:
        model = hx.compile(program)
        model.progress = progress
        start = time.perf_counter()
        got = _flat(model(*inputs))
    seconds = time.perf_counter() - start
    with torch.no_grad():
        error = max(float((a - b).abs().max()) for a, b in zip(got, _flat(module(*inputs)), strict=True))
    print(model_report(model))
    weights = sum(p.numel() * p.element_size() for p in module.parameters())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(f"{name}: max error {error:.1e}, {model.last_run.cycles:,} cycles, compiled in {model.result.seconds:.1f} s, "
          f"simulated in {seconds:.1f} s, weights {weights / 1e6:.0f} MB, process peak {peak / 1e6:.0f} MB")


def main() -> None:
    """Run the models asked for."""
    warnings.simplefilter("ignore")
    word = sys.argv[1] if len(sys.argv) > 1 else ""
    for name, make in LARGE.items():
        if word in name:
            torch.manual_seed(0)
            run(name, make())


if __name__ == "__main__":
    main()
