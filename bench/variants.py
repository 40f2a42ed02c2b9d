"""What the numbers of `hexagon_mlir/codegen/variants.py` are good for: each is found again by trying others.

    python bench/variants.py                           # the numbers, and what each means
    python bench/variants.py crowded                   # other values of one of them
    python bench/variants.py variants                  # each variant left out
    python bench/variants.py patience --target v79 -g kernels models

The functions of the demo, the hot loops, the Triton examples and the small models are collected after LLVM's -O3, and
searched as the compiler does, every assembly made once. *cost*: the sum of the static costs (`scheduling.static_cost`),
packets weighted by the loops around them; *mean*: the geometric mean of each function's cost over its present one;
*seconds*: of all assemblies that were made. A value that looks better has to hold what is measured in cycles too:
``python bench/regressions.py``.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import math
import os
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from pathlib import Path
from unittest.mock import patch

import torch
from rich.progress import track
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import hexagon_mlir as hx
from bench import demo, kernels, regressions
from bench.corpus.model_zoo import SMALL
from bench.corpus.tcm_kernels import KERNELS
from bench.tables import show
from bench.tables import table as empty_table
from hexagon_mlir import targets
from hexagon_mlir.codegen.backend import Code, optimize_and_emit
from hexagon_mlir.codegen.emission import Emission
from hexagon_mlir.codegen.llvm import Library
from hexagon_mlir.codegen.module_splitting import divide, loops_apart
from hexagon_mlir.codegen.scheduling.static_cost import Cost
from hexagon_mlir.codegen.steps import Program
from hexagon_mlir.codegen.variants import LIMITS, Limits, Variant, search, variants
from hexagon_mlir.frontend.triton import activate
from hexagon_mlir.llvmir import Module
from hexagon_mlir.targets import Target

NUMBERS: dict[str, tuple[float, ...]] = {
    "patience": (0, 25_000, 50_000, 75_000, 150_000, 200_000, 400_000, 1_000_000),
    "registers": (30, 31, 32, 33, 35, 36, 40),
    "fewer": (28, 29, 30, 31, 33, 34, 36),
    "crowded": (36, 40, 44, 48, 56, 60, 70, 1000),
    "overhead": (0.0, 0.01, 0.02, 0.05, 0.1, 1.0),
    "qfloat": (0.0, 0.1, 0.2, 0.25, 0.3, 0.36, 0.4, 0.5, 1.1),
    "unaligned": (0.0, 0.04, 0.2, 0.4, 2.0),
    "some": (0.0, 0.02, 0.15, 2.0),
}
"""Of each field of `Limits`: the values that are tried."""
MEANINGS: dict[str, str] = {number.name: number.metadata["meaning"] for number in fields(Limits)}
VARIANTS = "variants"


@dataclass
class Function:
    """One function after -O3, of the program ``name``, which has ``length`` characters; ``made`` is what its variants
    cost, and the seconds that each took.
    """

    name: str
    code: Code
    length: float
    made: dict[Variant, tuple[tuple[Cost, str] | None, float]] = field(default_factory=dict)

    def generate(self, variant: Variant) -> tuple[tuple[Cost, str] | None, float]:
        """What `Code.made` gives, once, and its seconds."""
        if variant not in self.made:
            start = time.perf_counter()
            found = self.code.made(variant)
            self.made[variant] = found, time.perf_counter() - start
        return self.made[variant]


@dataclass(frozen=True)
class Choice:
    """What a search took for one function: the best cost in packets, the number of tries, their seconds."""

    packets: float
    tries: int
    seconds: float


def choose(function: Function, limits: Limits, left_out: Variant | None = None) -> Choice:
    """The search of the compiler, with ``limits``, without the variant that is ``left_out``."""
    tried: list[float] = []

    def generate(variant: Variant) -> tuple[Cost, str] | None:
        made, seconds = function.generate(variant)
        tried.append(seconds)
        return made

    candidates = [v for v in variants(function.code.traits, limits) if v != left_out]
    best = search(candidates, generate, function.length, limits)
    return Choice(best[0].packets if best else math.inf, len(tried), sum(tried))


def programs(group: str, target: str) -> Iterator[tuple[str, Callable[[], object]]]:
    """(name, what compiles it) of each program of a group; Triton compiles for the default target alone."""
    if group == "kernels":
        yield from ((kernels.slug(kernel), partial(kernels.assembly, kernel, target))
                    for kernel in kernels.both_levels(KERNELS))
    if group == "models":
        yield from ((name, partial(_compile_model, name, target)) for name in SMALL)
    if target != targets.DEFAULT:
        return
    activate()
    if group == "demo":
        yield from ((f"{case.name} {case.shape}", partial(case.run, threads=1)) for case in demo.cases())
    if group == "examples":
        yield from ((name, importlib.import_module(f"examples.{name}").main) for name in regressions.EXAMPLES)


GROUPS = ("demo", "kernels", "examples", "models")


def _compile_model(name: str, target: str) -> None:
    module, inputs = SMALL[name]()
    with torch.no_grad():
        hx.compile(torch.export.export(module.eval(), inputs), target=target)


def collect(compiled: Iterable[tuple[str, Callable[[], object]]], target: str) -> list[Function]:
    """The functions of programs, given as by `programs`, each text once."""
    found: dict[str, Function] = {}
    for name, compile_it in compiled:
        for llvm_ir, share in _given_to_llvm(compile_it):
            for function in _functions(name, llvm_ir, share, targets.get(target)):
                found.setdefault(function.code.optimized.text, function)
    return [*found.values()]


def _given_to_llvm(compile_it: Callable[[], object]) -> list[tuple[str, float]]:
    """(LLVM IR, its share of a program) of each module that ``compile_it`` generates code for."""
    given: list[tuple[str, float]] = []
    add = Emission.add

    def noted(emission: Emission, llvm_ir: str, share: float = 1.0) -> None:
        given.append((llvm_ir, share))
        add(emission, llvm_ir, share)

    torch.manual_seed(0)
    with patch.object(Emission, "add", noted), contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compile_it()
    return given


def _functions(name: str, llvm_ir: str, share: float, chip: Target) -> Iterator[Function]:
    """The functions of a module after -O3, as `codegen.assembly` generates them."""
    library = Library(chip.cpu, chip.features, "static", "kept", narrowing_order=chip.disputed.narrowing_order)
    parts = divide(llvm_ir)
    whole = sum(map(len, parts))
    for part in parts:
        optimized = optimize_and_emit(part, chip.cpu, chip.features, "llvm",
                                      narrowing_order=chip.disputed.narrowing_order).decode()
        length = len(optimized) / (share * len(part) / whole)
        for module in loops_apart(Module.parse(optimized)):
            yield Function(name, Code(Program(module, library)), length)


def row(label: str, functions: Sequence[Function], before: Sequence[Choice], after: Sequence[Choice]) -> list[str]:
    """What choosing ``after`` changes, as cells."""
    ratios = [(new.packets + 1) / (old.packets + 1) for old, new in zip(before, after, strict=True)]
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    worst = max(range(len(ratios)), key=ratios.__getitem__)
    return [label, f"{sum(c.packets for c in after):.4g}", f"{100 * (mean - 1):+.3f} %",
            str(sum(ratio != 1 for ratio in ratios)), f"{100 * (min(ratios) - 1):+.1f} %",
            f"{100 * (ratios[worst] - 1):+.1f} %", functions[worst].name if ratios[worst] > 1 else "",
            str(sum(c.tries for c in after)), f"{sum(c.seconds for c in after):.1f}"]


def measure(number: str, functions: Sequence[Function]) -> Table:
    """A row for each value of ``number``, or for each variant left out; the present choice first."""
    grid = empty_table(f"{len(functions)} functions, {MEANINGS.get(number, 'left out')}",
                       (number, "cost", "mean", "changed", "best", "worst", "function", "tries", "seconds"),
                       (number, "function"))
    present = [choose(function, LIMITS) for function in track(functions, "measuring", transient=True)]
    label = "none" if number == VARIANTS else f"{getattr(LIMITS, number):.4g} (now)"
    grid.add_row(*row(label, functions, present, present))
    if number == VARIANTS:
        others = [(described(variant), LIMITS, variant) for variant in
                  dict.fromkeys(v for function in functions for v in variants(function.code.traits))]
    else:
        others = [(f"{value:.4g}", replace(LIMITS, **{number: value}), None) for value in NUMBERS[number]]
    for label, limits, left_out in track(others, "measuring", transient=True):
        grid.add_row(*row(label, functions, present, [choose(f, limits, left_out) for f in functions]))
    return grid


def described(variant: Variant) -> str:
    """``variant`` in words."""
    table = "" if variant.budget is None else f"table {variant.budget.registers}{' slots' * variant.budget.slots}"
    words = ("ordered" * variant.ordered, "scheduled" * variant.scheduled, "windows" * variant.windows, table,
             "no bits" * (not variant.bits), "loads apart" * (not variant.realigned))
    return ", ".join(filter(None, words)) or "as it is"


def main(arguments: Sequence[str] | None = None) -> None:
    """List the numbers, or measure one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("numbers", nargs="*", help=f"of {', '.join(NUMBERS)}; or {VARIANTS}")
    parser.add_argument("-g", "--groups", nargs="+", choices=GROUPS, default=GROUPS)
    parser.add_argument("--target", default=targets.DEFAULT)
    options = parser.parse_args(arguments)
    if unknown := set(options.numbers) - {*NUMBERS, VARIANTS}:
        parser.error(f"no number {', '.join(sorted(unknown))}; there are {', '.join([*NUMBERS, VARIANTS])}")
    if not options.numbers:
        grid = empty_table("Numbers that decide between variants", ("number", "now", "meaning"), ("number", "meaning"))
        for name, meaning in MEANINGS.items():
            grid.add_row(name, f"{getattr(LIMITS, name):.4g}", meaning)
        show(grid, 120, "python bench/variants.py NUMBER tries others")
        return
    # what Triton keeps would not be compiled again
    with tempfile.TemporaryDirectory() as folder, patch.dict(os.environ, {"TRITON_CACHE_DIR": folder}):
        chosen = (program for group in options.groups for program in programs(group, options.target))
        functions = collect(chosen, options.target)
    for number in options.numbers:
        show(measure(number, functions), 120, "")


if __name__ == "__main__":
    main()
