"""Sizes known at run time: cycles of code compiled once, beside those of code for each size.

    python bench/dynamic.py                  # the table, 40 random sizes for each kernel
    python bench/dynamic.py 200 softmax      # more sizes of some rows
    python bench/dynamic.py bytecode         # the rows of bytecode, with the time that it takes to encode

All sizes of a kernel are unknown when it is compiled. Sizes are drawn evenly in their logarithms; ratios are those of
sizes with more than 16 K elements (of a product: multiplications). Each run's values are compared with numpy. Of
bytecode (docs/bytecode.md), the kernel is a group of operators: its program is encoded for each size.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, replace
from math import exp, log, prod
from pathlib import Path
from statistics import fmean, median

import numpy as np
from rich.progress import track

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import hexagon_mlir as hx
from bench.tables import show, table
from hexagon_mlir import targets
from hexagon_mlir.bench.size_groups import GROUPS
from hexagon_mlir.bench.size_kernels import KERNELS, SizeKernel
from hexagon_mlir.bytecode.encode import Encoder
from hexagon_mlir.bytecode.machine import Machine

_LEAST = 16
"""The smallest size that is drawn."""
_LARGE = 1 << 14
"""Elements above which ratios count."""
_HEADINGS = ("kernel", "sizes", "ratio", "least", "largest", "at", "error", "ms to compile", "ms for a size")


@dataclass(frozen=True)
class Row:
    """Of one kernel: ratios of cycles by sizes, the largest relative error, seconds to compile once and for a size.

    Of bytecode, ``each`` is the median time to encode 1,000 random sizes.
    """

    kernel: SizeKernel
    ratios: dict[tuple[int, ...], float]
    error: float
    once: float
    each: float

    def cells(self) -> tuple[str, ...]:
        """What the table tells."""
        large = {sizes: ratio for sizes, ratio in self.ratios.items() if prod(sizes) > _LARGE}
        if not large:
            return (self.kernel.name, str(len(self.ratios)), *[""] * 4, f"{self.error:.1e}", f"{1e3 * self.once:.0f}",
                    f"{1e3 * self.each:.3g}")
        worst = max(large, key=lambda sizes: large[sizes])
        return (self.kernel.name, str(len(large)), f"{exp(fmean(log(ratio) for ratio in large.values())):.2f}",
                f"{min(large.values()):.2f}", f"{large[worst]:.2f}", "x".join(map(str, worst)), f"{self.error:.1e}",
                f"{1e3 * self.once:.0f}", f"{1e3 * self.each:.3g}")


def random_sizes(kernel: SizeKernel, rng: np.random.Generator) -> tuple[int, ...]:
    """Sizes of ``kernel``, drawn evenly in their logarithms."""
    return tuple(int(exp(rng.uniform(log(_LEAST), log(kernel.most)))) for _ in range(kernel.rank))


@dataclass(frozen=True)
class Ran:
    """Of one run: cycles and the result."""

    cycles: int
    output: np.ndarray


class AnySize:
    """Code for any size."""

    def __init__(self, kernel: SizeKernel) -> None:
        self.code = hx.compile(kernel.text([None] * kernel.rank))

    def run(self, inputs: list[np.ndarray]) -> Ran:
        """The kernel's result for ``inputs``."""
        run = self.code.run(*inputs)
        return Ran(run.cycles, run.outputs[0])


class Bytecode:
    """A program of bytecode for each size, and the machine."""

    def __init__(self, kernel: SizeKernel) -> None:
        self.encoder, self.machine = Encoder(GROUPS[kernel.name](), targets.get()), Machine()
        assert self.machine.asm

    def seconds(self, kernel: SizeKernel, count: int = 1000) -> float:
        """The median time that encoding takes for ``count`` random sizes."""
        rng, taken = np.random.default_rng(0), []
        for _ in range(count):
            shapes = kernel.shapes(random_sizes(kernel, rng))
            begin = time.perf_counter()
            self.encoder.encode(shapes)
            taken.append(time.perf_counter() - begin)
        return median(taken)

    def run(self, inputs: list[np.ndarray]) -> Ran:
        """The group's result for ``inputs``."""
        shapes = [array.shape for array in inputs]
        code = self.encoder.encode(shapes)
        output = np.empty(self.encoder.output_shapes(self.encoder.sizes(shapes))[0], np.float32)
        return Ran(self.machine.run(self.machine.load(code), *inputs, output).cycles, output)


def measure(kernel: SizeKernel, count: int, kind: type[AnySize] | type[Bytecode] = AnySize) -> Row:
    """Cycles of code for any size, or of bytecode, over those of code for ``count`` random sizes.

    Raises `AssertionError` where values are wrong.
    """
    rng = np.random.default_rng(sum(map(ord, kernel.name)))
    begin = time.perf_counter()
    generic = kind(kernel)
    once, each, ratios, largest = time.perf_counter() - begin, [], {}, 0.0
    for _ in track(range(count), kernel.name, transient=True):
        sizes = random_sizes(kernel, rng)
        inputs = kernel.inputs(sizes, rng)
        begin = time.perf_counter()
        static = hx.compile(kernel.text(sizes))
        each.append(time.perf_counter() - begin)
        one, other = generic.run(inputs), static.run(*inputs)
        expected = kernel.reference(*(array.astype(np.float64) for array in inputs))
        scale = max(np.abs(expected).max(initial=0), 1e-30)
        for output in (one.output, other.outputs[0]):
            error = np.abs(output - expected).max(initial=0) / scale
            assert error < 1e-4, f"{kernel.name} of {sizes}: error {error}"
            largest = max(largest, float(error))
        ratios[sizes] = one.cycles / other.cycles
    if isinstance(generic, Bytecode):
        return Row(replace(kernel, name=f"{kernel.name}, bytecode"), ratios, largest, once, generic.seconds(kernel))
    return Row(kernel, ratios, largest, once, median(each))


def main(words: list[str]) -> None:
    """Print the table of the kernels whose names hold a word, with as many sizes as the number among ``words``."""
    count = next((int(word) for word in words if word.isdigit()), 40)
    names = [word for word in words if not word.isdigit()]
    grid = table(__doc__.partition(":")[0], _HEADINGS, ("kernel", "at"))
    for kind in (AnySize, Bytecode):
        for kernel in KERNELS:
            name = kernel.name if kind is AnySize else f"{kernel.name}, bytecode"
            known = kind is AnySize or kernel.name in GROUPS
            if known and (not names or any(word in name for word in names)):
                grid.add_row(*measure(kernel, count, kind).cells())
    show(grid, 110)


if __name__ == "__main__":
    main(sys.argv[1:])
