"""Sizes known at run time: cycles of code compiled once, beside those of code for each size.

    python bench/dynamic.py                  # the table, 40 random sizes for each kernel
    python bench/dynamic.py 200 softmax      # more sizes of some rows

All sizes of a kernel are unknown when it is compiled. Sizes are drawn evenly in their logarithms; ratios are those of
sizes with more than 16 K elements (of a product: multiplications). Each run's values are compared with numpy.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from math import exp, log, prod
from pathlib import Path
from statistics import fmean, median

import numpy as np
from rich.progress import track

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import hexagon_mlir as hx
from bench.tables import show, table
from hexagon_mlir.bench.size_kernels import KERNELS, SizeKernel

_LEAST = 16
"""The smallest size that is drawn."""
_LARGE = 1 << 14
"""Elements above which ratios count."""
_HEADINGS = ("kernel", "sizes", "ratio", "least", "largest", "at", "error", "ms to compile", "ms for a size")


@dataclass(frozen=True)
class Row:
    """Of one kernel: ratios of cycles by sizes, the largest relative error, seconds to compile once and per size."""

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
                    f"{1e3 * self.each:.0f}")
        worst = max(large, key=lambda sizes: large[sizes])
        return (self.kernel.name, str(len(large)), f"{exp(fmean(log(ratio) for ratio in large.values())):.2f}",
                f"{min(large.values()):.2f}", f"{large[worst]:.2f}", "x".join(map(str, worst)), f"{self.error:.1e}",
                f"{1e3 * self.once:.0f}", f"{1e3 * self.each:.0f}")


def measure(kernel: SizeKernel, count: int) -> Row:
    """Cycles of code for any size over those of code for ``count`` random sizes.

    Raises `AssertionError` where values are wrong.
    """
    rng = np.random.default_rng(sum(map(ord, kernel.name)))
    begin = time.perf_counter()
    generic = hx.compile(kernel.text([None] * kernel.rank))
    once, each, ratios, largest = time.perf_counter() - begin, [], {}, 0.0
    for _ in track(range(count), kernel.name, transient=True):
        sizes = tuple(int(exp(rng.uniform(log(_LEAST), log(kernel.most)))) for _ in range(kernel.rank))
        inputs = kernel.inputs(sizes, rng)
        begin = time.perf_counter()
        static = hx.compile(kernel.text(sizes))
        each.append(time.perf_counter() - begin)
        one, other = generic.run(*inputs), static.run(*inputs)
        expected = kernel.reference(*(array.astype(np.float64) for array in inputs))
        scale = max(np.abs(expected).max(initial=0), 1e-30)
        for run in (one, other):
            error = np.abs(run.outputs[0] - expected).max(initial=0) / scale
            assert error < 1e-4, f"{kernel.name} of {sizes}: error {error}"
            largest = max(largest, float(error))
        ratios[sizes] = one.cycles / other.cycles
    return Row(kernel, ratios, largest, once, median(each))


def main(words: list[str]) -> None:
    """Print the table of the kernels whose names hold a word, with as many sizes as the number among ``words``."""
    count = next((int(word) for word in words if word.isdigit()), 40)
    names = [word for word in words if not word.isdigit()]
    grid = table(__doc__.partition(":")[0], _HEADINGS, ("kernel", "at"))
    for kernel in KERNELS:
        if not names or any(name in kernel.name for name in names):
            grid.add_row(*measure(kernel, count).cells())
    show(grid, 110)


if __name__ == "__main__":
    main(sys.argv[1:])
