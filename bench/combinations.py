"""Vectorization, double buffering and threads in all combinations: ``python bench/combinations.py [--svg FOLDER]``.

Each kernel runs on the simulator with inputs in DDR: vectorized on one thread with every tile waited for (Vec), with
double buffering (+DB), with threads (+MT), with both. From Vec the table takes m, the fraction of the time spent
waiting for memory; perfect overlap would be 1 / max(m, 1 - m) times as fast. Bandwidth is bytes in and out of DDR by
the cycles of the run, against what the target's DMA moves.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hexagon_mlir import pipelines, targets
from hexagon_mlir.bench.combinations import steps
from hexagon_mlir.bench.ways import COMBINATIONS
from hexagon_mlir.codegen.emission import emit
from hexagon_mlir.codegen.translate import translate_to_llvm_ir
from hexagon_mlir.exec.sim import launch
from hexagon_mlir.ir import parse, set_index_bits
from hexagon_mlir.pass_infra import PassContext
from hexagon_mlir.pass_infra.runner import run_steps
from hexagon_mlir.report.check import CLOCK_NOTE
from hexagon_mlir.sim import RunResult
from hexagon_mlir.targets import Target

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.tables import show, table

DEGREE = 24
"""Terms of the exponent series: enough that work takes longer than its transfers."""


@dataclass(frozen=True)
class Kernel:
    """One row of the table: MLIR, its inputs, what it should compute, and how exactly."""

    name: str
    shape: tuple[int, ...]
    body: str
    inputs: int
    expected: Callable[..., np.ndarray]
    tolerance: float

    @property
    def text(self) -> str:
        """The kernel on tensors, one generic op."""
        type_ = f"tensor<{'x'.join(map(str, self.shape))}xf32>"
        dims = ", ".join(f"d{i}" for i in range(len(self.shape)))
        names = [chr(ord("x") + i) for i in range(self.inputs)]
        maps = ", ".join([f"affine_map<({dims}) -> ({dims})>"] * (self.inputs + 1))
        kinds = ", ".join(['"parallel"'] * len(self.shape))
        return f"""func.func @f({', '.join(f'%{n}: {type_}' for n in names)}) -> {type_} {{
  %e = tensor.empty() : {type_}
  %r = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}}
      ins({', '.join(f'%{n}' for n in names)} : {', '.join([type_] * self.inputs)}) outs(%e : {type_}) {{
    ^bb0({', '.join(f'%{n}0: f32' for n in names)}, %o: f32):
{self.body}
  }} -> {type_}
  return %r : {type_}
}}
"""


def kernels() -> list[Kernel]:
    """The kernels of the paper's figures 5 to 7, and GELU of its table 1."""
    add = "      %s = arith.addf %x0, %y0 : f32\n      linalg.yield %s : f32"
    gelu = """      %c = arith.constant 0.044715 : f32
      %k = arith.constant -1.5957691216057308 : f32
      %one = arith.constant 1.0 : f32
      %a = arith.mulf %x0, %x0 : f32
      %b = arith.mulf %a, %x0 : f32
      %d = arith.mulf %b, %c : f32
      %f = arith.addf %x0, %d : f32
      %g = arith.mulf %f, %k : f32
      %h = math.exp %g : f32
      %i = arith.addf %h, %one : f32
      %j = arith.divf %x0, %i : f32
      linalg.yield %j : f32"""
    return [
        Kernel("vec-add 2D", (64, 16384), add, 2, lambda x, y: x + y, 1e-6),
        Kernel(f"exponent series, {DEGREE} terms", (1 << 20,), _series(), 1, _series_of, 1e-5),
        Kernel("GELU 1M", (1 << 20,), gelu, 1, _gelu, 1e-6),
        Kernel("GELU 16x16384", (16, 16384), gelu, 1, _gelu, 1e-6),
    ]


def _series() -> str:
    """Horner's rule for the first terms of exp(x), from the last coefficient."""
    lines = [f"      %c{i} = arith.constant {1 / float(np.prod(np.arange(1, i + 1))):.17e} : f32"
             for i in range(DEGREE)]
    value = f"%c{DEGREE - 1}"
    for i in reversed(range(DEGREE - 1)):
        lines += [f"      %p{i} = arith.mulf {value}, %x0 : f32", f"      %s{i} = arith.addf %p{i}, %c{i} : f32"]
        value = f"%s{i}"
    return "\n".join([*lines, f"      linalg.yield {value} : f32"])


def _series_of(x: np.ndarray) -> np.ndarray:
    return np.exp(x.astype(np.float64))


def _gelu(x: np.ndarray) -> np.ndarray:
    wide = x.astype(np.float64)
    return wide / (1 + np.exp(-1.5957691216057308 * (wide + 0.044715 * wide**3)))


def measure(kernel: Kernel, combination: str, target: Target, threads: int = 0) -> RunResult:
    """Compile, run, compare the values; raises `AssertionError` when they are wrong."""
    module = parse(kernel.text)
    set_index_bits(module)
    run_steps(module, steps(combination, target, threads), PassContext(target))
    asm = emit(translate_to_llvm_ir(module), target)
    assert isinstance(asm, str)
    rng = np.random.default_rng(0)
    inputs = [rng.normal(0, 1, kernel.shape).astype(np.float32) for _ in range(kernel.inputs)]
    result = np.zeros(kernel.shape, np.float32)
    run = launch(asm, "f", [*inputs, result], target=target.name)
    expected = kernel.expected(*inputs)
    scale = 1 + float(np.abs(expected).max())
    error = float(np.abs(result - expected).max()) / scale
    assert error <= kernel.tolerance, f"{kernel.name} {combination}: error {error:.1e}"
    return run


@dataclass(frozen=True)
class Row:
    """What was measured of one kernel."""

    kernel: Kernel
    runs: dict[str, RunResult]
    rate: float
    """Bytes per cycle of the target's DMA."""

    @property
    def memory(self) -> float:
        """Fraction of Vec's time spent waiting for memory."""
        run = self.runs["Vec"]
        return sum(run.stalls.get(cause, 0) for cause in ("copy", "memory-ddr")) / run.cycles

    @property
    def ideal(self) -> float:
        """Speed-up of perfect overlap."""
        return 1 / max(self.memory, 1 - self.memory)

    def speed_up(self, combination: str, over: str = "Vec") -> float:
        """Of ``combination`` over another one."""
        return self.runs[over].cycles / self.runs[combination].cycles

    def bandwidth(self, combination: str) -> float:
        """Share of the DMA's bandwidth."""
        run = self.runs[combination]
        return (run.ddr_read_bytes + run.ddr_write_bytes) / run.cycles / self.rate


def rows(target: Target) -> list[Row]:
    """Everything, measured."""
    has_threads = any(step.title == "form-virtual-threads" for step in pipelines.get("default", target))
    combinations = COMBINATIONS if has_threads else COMBINATIONS[:2]
    rate = float(target.dma_bytes_per_cycle.value)
    return [Row(kernel, {c: measure(kernel, c, target) for c in combinations}, rate) for kernel in kernels()]


def plot(table: list[Row], folder: Path) -> None:
    """One SVG per kernel: cycles of each combination."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "hexagon-mlir"  # the same file each time
    from matplotlib import pyplot

    folder.mkdir(parents=True, exist_ok=True)
    for row in table:
        figure, axes = pyplot.subplots(figsize=(5, 3))
        cycles = [run.cycles for run in row.runs.values()]
        bars = axes.bar(list(row.runs), cycles)
        axes.bar_label(bars, [f"{c:,}" for c in cycles])
        axes.set_ylabel("cycles (model)")
        axes.set_title(f"{row.kernel.name}, f32, v75")
        figure.tight_layout()
        name = row.kernel.name.split(",")[0].replace(" ", "-").lower()
        figure.savefig(folder / f"{name}.svg", metadata={"Date": None})
        pyplot.close(figure)


def main() -> None:
    """Measure what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--target", default=targets.DEFAULT)
    parser.add_argument("--svg", type=Path, help="folder for the plots")
    arguments = parser.parse_args()
    report(targets.get(arguments.target), arguments.svg)


def report(target: Target, svg: Path | None) -> None:
    """Measure, print, plot into the folder ``svg`` if there is one."""
    measured = rows(target)
    grid = table(f"Hexagon {target.name}, simulated cycles",
                 ("kernel", *measured[0].runs, "m", "+DB ideal", "+DB", "of ideal", "DMA share +DB"))
    for row in measured:
        grid.add_row(row.kernel.name, *(f"{run.cycles:,}" for run in row.runs.values()), f"{row.memory:.2f}",
                     f"{row.ideal:.2f}x", f"{row.speed_up('+DB'):.2f}x", f"{row.speed_up('+DB') / row.ideal:.0%}",
                     f"{row.bandwidth('+DB'):.0%}")
    show(grid, 150, f"Cycles: {CLOCK_NOTE}; inputs start in DDR.")
    if svg:
        plot(measured, svg)


if __name__ == "__main__":
    main()
