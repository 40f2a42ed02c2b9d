"""Whether the choice between the matrix engine and HVX is right: random products of matrices and convolutions, measured
both ways.

    python bench/engine_choice.py                     # 200 products of f16
    python bench/engine_choice.py 40 --kind bytes     # so many, of bytes
    python bench/engine_choice.py --kept choice.json  # keeps each measurement there; a further run goes on from it

`bench/engine_choice_kinds.py` lists the kinds of products and draws the sizes, `bench/engine_choice_convolutions.py`
those of convolutions. A choice is wrong where the other way takes less
time by more than 2 %; what that loses is printed, and the loss over all shapes.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench import engine_choice_convolutions, engine_choice_kinds
from bench.engine_choice_convolutions import ConvolutionProgram, convolutions
from bench.engine_choice_kinds import products
from bench.engine_products import Product
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

SHAPES, NOISE = 200, 1.02
_PASSES = "hexagon-matrix-engine", "hexagon-engine-convolution"
Program = Product | ConvolutionProgram


def cycles(product: Program, engine: bool) -> int:
    """Cycles of ``product`` from DDR on the engine, whether that pays or not, or on HVX."""
    target = targets.get()
    steps = [PassStep(registry.get(step.title)(always=True)) if engine and step.title in _PASSES else step
             for step in pipelines.get("default", target, Settings(matrix_engine=engine))]
    module = parse(product.text(), file="product.mlir")
    set_index_bits(module)
    run_steps(module, steps, PassContext(target), RunOptions())
    return launch(emit(translate_to_llvm_ir(module), target), "kernel", product.operands(), None).cycles


def chosen(product: Program) -> bool:
    """Whether the compiler gives ``product`` to the engine."""
    return "activation." in compile_module(parse(product.text(), file="product.mlir")).asm


def measured(product: Program, kept: Path | None) -> dict[bool, int]:
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
    kinds = [*engine_choice_kinds.KINDS, *engine_choice_convolutions.KINDS]
    parser.add_argument("shapes", nargs="?", type=int, default=SHAPES, help="how many products or convolutions")
    parser.add_argument("--kind", choices=kinds, default="f16", help="of this kind")
    parser.add_argument("--kept", type=Path, help="file of the measurements")
    parser.add_argument("--seed", type=int, default=0, help="of the random sizes")
    options = parser.parse_args()
    grid = table("The matrix engine or HVX, v75, simulated", ("product", "engine", "HVX", "chosen", "lost"),
                 ("product", "chosen"))
    wrong, taken, best = 0, 0, 0
    draw = products if options.kind in engine_choice_kinds.KINDS else convolutions
    for product in draw(options.shapes, options.kind, options.seed):
        both = measured(product, options.kept)
        choice = chosen(product)
        lost = both[choice] / min(both.values())
        wrong += lost > NOISE
        taken, best = taken + both[choice], best + min(both.values())
        grid.add_row(product.name, f"{both[True]:,}", f"{both[False]:,}", "engine" if choice else "HVX",
                     f"{lost - 1:.0%}" if lost > NOISE else "")
    show(grid, 80)
    print(f"{wrong} of {options.shapes} choices are wrong; all together take {taken / best - 1:.1%} longer than "
          "the best choices")


if __name__ == "__main__":
    main()
