"""Whether the choice between the matrix engine and HVX is right: random products of matrices, measured both ways.

    python bench/engine_choice.py                     # 200 shapes of f16
    python bench/engine_choice.py 40 --bytes          # so many, of bytes
    python bench/engine_choice.py --kept choice.json  # keeps each measurement there; a further run goes on from it

Each size is drawn evenly in its logarithm, from 1 to 400. A choice is wrong where the other way takes less time by more
than 2 %; what that loses is printed, and the loss over all shapes.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.matrix_engine import Product
from bench.tables import show, table
from hexagon_mlir import pipelines, targets
from hexagon_mlir.codegen import compile_module
from hexagon_mlir.codegen.emission import emit
from hexagon_mlir.codegen.translate import translate_to_llvm_ir
from hexagon_mlir.exec.sim import launch
from hexagon_mlir.ir import parse, set_index_bits
from hexagon_mlir.pass_infra import PassContext, PassStep, registry
from hexagon_mlir.pass_infra.runner import RunOptions, run_steps
from hexagon_mlir.settings import Settings
from hexagon_mlir.whole_files import write_files

_SHAPES, _LARGEST, _NOISE = 200, 400, 1.02
_PASS = "hexagon-matrix-engine"


@dataclass(frozen=True)
class IntegerProduct(Product):
    """m x k times k x n of int8, with sums of 32 bits."""

    factors: ClassVar[str] = "i8"
    zero: ClassVar[str] = "0 : i32"

    @property
    def name(self) -> str:
        """What the table calls it."""
        return f"{self.m}x{self.k}x{self.n} int8"

    def operands(self) -> list[np.ndarray]:
        """The factors and the result's memory."""
        rng = np.random.default_rng(0)
        left, right = (rng.integers(-128, 128, shape, np.int8) for shape in ((self.m, self.k), (self.k, self.n)))
        return [left, right, np.zeros((self.m, self.n), np.int32)]


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
    compiled = compile_module(parse(product.text(), file="product.mlir"))
    return not any("left to HVX" in entry.message for entry in compiled.remarks)


def products(count: int, kind: type[Product], seed: int) -> Iterator[Product]:
    """Random products."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        yield kind(*(round(float(np.exp(rng.uniform(0, np.log(_LARGEST))))) for _ in range(3)))


def measured(product: Product, kept: Path | None) -> dict[bool, int]:
    """Cycles on the engine (True) and on HVX (False), from ``kept`` where they are there already."""
    known = json.loads(kept.read_text()) if kept is not None and kept.exists() else {}
    if product.name not in known:
        known[product.name] = [cycles(product, engine) for engine in (True, False)]
        if kept is not None:
            write_files({kept: json.dumps(known, indent=0).encode()})
    return dict(zip((True, False), known[product.name], strict=True))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shapes", nargs="?", type=int, default=_SHAPES, help="how many products")
    parser.add_argument("--bytes", action="store_true", help="of int8 instead of f16")
    parser.add_argument("--kept", type=Path, help="file of the measurements")
    parser.add_argument("--seed", type=int, default=0, help="of the random sizes")
    options = parser.parse_args()
    grid = table("The matrix engine or HVX, v75, simulated", ("product", "engine", "HVX", "chosen", "lost"),
                 ("product", "chosen"))
    wrong, taken, best = 0, 0, 0
    for product in products(options.shapes, IntegerProduct if options.bytes else Product, options.seed):
        both = measured(product, options.kept)
        choice = chosen(product)
        lost = both[choice] / min(both.values())
        wrong += lost > _NOISE
        taken, best = taken + both[choice], best + min(both.values())
        grid.add_row(product.name, f"{both[True]:,}", f"{both[False]:,}", "engine" if choice else "HVX",
                     f"{lost - 1:.0%}" if lost > _NOISE else "")
    show(grid, 80)
    print(f"{wrong} of {options.shapes} choices are wrong; all together take {taken / best - 1:.1%} longer than "
          "the best choices")


if __name__ == "__main__":
    main()
