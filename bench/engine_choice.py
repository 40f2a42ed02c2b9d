"""Whether the choice between the matrix engine and HVX is right: random products of f16 matrices, measured both ways.

    python bench/engine_choice.py              # 200 shapes
    python bench/engine_choice.py 20           # so many

Each size is drawn evenly in its logarithm, from 1 to 400. A choice is wrong where the other way takes less time by more
than 2 %; what that loses is printed, and the loss over all shapes.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.matrix_engine import Product
from hexagon_mlir import pipelines, targets
from hexagon_mlir.codegen.emission import emit
from hexagon_mlir.codegen.translate import translate_to_llvm_ir
from hexagon_mlir.exec.sim import launch
from hexagon_mlir.ir import parse, set_index_bits
from hexagon_mlir.pass_infra import PassContext, PassStep, registry
from hexagon_mlir.pass_infra.runner import RunOptions, run_steps
from hexagon_mlir.settings import Settings

_SHAPES, _LARGEST, _NOISE = 200, 400, 1.02
_PASS = "hexagon-matrix-engine"


def cycles(product: Product, engine: bool) -> int:
    """Cycles of ``product`` from DDR on the engine, whether that pays or not, or on HVX."""
    target = targets.get()
    steps = [PassStep(registry.get(_PASS)(always=True)) if engine and step.title == _PASS else step
             for step in pipelines.get("default", target, Settings(matrix_engine=engine))]
    module = parse(product.text(), file="product.mlir")
    set_index_bits(module)
    run_steps(module, steps, PassContext(target), RunOptions())
    return launch(emit(translate_to_llvm_ir(module), target), "kernel", product.operands(), None).cycles


def chosen(product: Product) -> bool:
    """Whether the compiler gives ``product`` to the engine."""
    context = PassContext(targets.get())
    module = parse(product.text(), file="product.mlir")
    run_steps(module, [PassStep(registry.get(_PASS)())], context, RunOptions())
    return not any("left to HVX" in entry.message for entry in context.log.entries)


def main() -> None:
    """Print the table."""
    rng = np.random.default_rng(0)
    count = int(sys.argv[1]) if len(sys.argv) > 1 else _SHAPES
    table = Table(title="The matrix engine or HVX, v75, simulated")
    for column in ("product", "engine", "HVX", "chosen", "lost"):
        table.add_column(column, justify="right")
    wrong, taken, best = 0, 0, 0
    for _ in range(count):
        product = Product(*(round(float(np.exp(rng.uniform(0, np.log(_LARGEST))))) for _ in range(3)))
        both = {engine: cycles(product, engine) for engine in (True, False)}
        choice = chosen(product)
        lost = both[choice] / min(both.values())
        wrong += lost > _NOISE
        taken, best = taken + both[choice], best + min(both.values())
        table.add_row(product.name, f"{both[True]:,}", f"{both[False]:,}", "engine" if choice else "HVX",
                      f"{lost - 1:.0%}" if lost > _NOISE else "")
    console = Console()
    console.print(table)
    console.print(f"{wrong} of {count} choices are wrong; all together take {taken / best - 1:.1%} longer than "
                  "the best choices")


if __name__ == "__main__":
    main()
