"""Runs published models on the simulator against eager PyTorch, one after the other, and prints a table.

``python bench/models.py [WORD] [--numerics=mixed] [--report]`` takes those whose name holds WORD; ``--report`` prints
the compiler's report of each as well.
"""

from __future__ import annotations

import resource
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import hexagon_mlir as hx
from bench.corpus.model_zoo import LARGE, Decoder, Model
from bench.corpus.more_models import MORE
from hexagon_mlir.report.model import model_report

_COLUMNS = ("model", "max difference", "largest value", "cycles", "in copies", "of the engine's rate", "kernels",
            "compile s", "of it, CPU s", "run s", "weights MB", "peak MB")
_TOKENS = 8
"""Tokens that a decoder makes, one after the other."""


def _flat(value) -> list[torch.Tensor]:
    return [value] if isinstance(value, torch.Tensor) else [t for part in value for t in _flat(part)]


def _calls(module: torch.nn.Module, inputs: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """The inputs of each call: one, or of a decoder one for each token."""
    if not isinstance(module, Decoder):
        yield inputs
        return
    for place in range(_TOKENS):
        yield torch.randn_like(inputs[0]), torch.tensor([place])


def run(name: str, made: Model, numerics: str, report: bool) -> tuple[str, ...]:
    """Export, compile, run, compare: a row of the table. Times are wall times, but for the column that says CPU.

    ``in copies`` is the share of cycles that wait for copies between DDR and TCM, weights' among them: what a transfer
    of the next kernel's first tile under the kernel before could save at most. ``of the engine's rate``: the share of
    cycles in which the matrix engine's multiplier array works.
    """
    module, inputs = made[0].eval(), made[1]
    program = torch.export.export(module, inputs)
    calls = list(_calls(module, inputs))
    cycles, copies, array, error, largest = 0, 0.0, 0.0, 0.0, 0.0
    with torch.no_grad():
        model = hx.compile(program, numerics=numerics)
        start = time.perf_counter()
        results = []
        for arguments in calls:
            results.append(_flat(model(*arguments)))
            cycles += model.last_run.cycles
            copies += sum(record.result.stalls.get("copy", 0.0) for record in model.last_run.launches)
            array += sum(record.result.matrix.array_cycles for record in model.last_run.launches
                         if record.result.matrix is not None)
        seconds = time.perf_counter() - start
    for buffer in module.buffers() if isinstance(module, Decoder) else ():
        buffer.zero_()  # the cache, which both write
    with torch.no_grad():
        for got, arguments in zip(results, calls, strict=True):
            for ours, theirs in zip(got, _flat(module(*arguments)), strict=True):
                error = max(error, float((ours - theirs).abs().max()))
                largest = max(largest, float(theirs.abs().max()))
    if report:
        print(model_report(model))
    weights = sum(p.numel() * p.element_size() for p in module.parameters())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    result = model.result
    cpu = sum(result.cpu_seconds.values()) + sum(result.llvm_seconds.values())
    return (name, f"{error:.1e}", f"{largest:.2f}", f"{cycles:,}", f"{copies / cycles:.1%}", f"{array / cycles:.1%}",
            f"{result.kernels} ({result.kernel_calls} calls)",
            f"{result.seconds:.1f}", f"{cpu:.1f}", f"{seconds:.1f}", f"{weights / 1e6:.1f}", f"{peak / 1e6:.0f}")


def main() -> None:
    """Run the models asked for."""
    warnings.simplefilter("ignore")
    flags = [word for word in sys.argv[1:] if word.startswith("--")]
    word = next((word for word in sys.argv[1:] if not word.startswith("--")), "")
    numerics = next((flag.partition("=")[2] for flag in flags if flag.startswith("--numerics=")), "f32")
    table = Table(*_COLUMNS, title=f"numerics {numerics}")
    for name, make in {**LARGE, **MORE}.items():
        if word in name:
            torch.manual_seed(0)
            row = run(name, make(), numerics, "--report" in flags)
            print(", ".join(f"{column} {value}" for column, value in zip(_COLUMNS, row, strict=True)), flush=True)
            table.add_row(*row)
    Console(width=160).print(table)


if __name__ == "__main__":
    main()
