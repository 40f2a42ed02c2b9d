"""Code quality: packets and cycles per vector of data (32 f32 or 64 f16), operands in TCM, one thread.

    python bench/kernels.py                # the table
    python bench/kernels.py softmax exp    # some rows
    python bench/kernels.py --asm softmax  # the hot loops of one row, packet by packet
    python bench/kernels.py --pages        # docs/kernels.md: the table, and a page for every row

Beside each number stands what bounds it: the packets that the busiest resource of the hot loops needs (see
`loop_bound`), so that a loop above its bound is a scheduling or latency loss and one at its bound is not.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.table import Table

from hexagon_mlir.codegen import compile_module
from hexagon_mlir.ir import parse
from hexagon_mlir.report.check import CLOCK_NOTE
from hexagon_mlir.settings import Settings
from hexagon_mlir.sim import Machine, RunResult
from hexagon_mlir.whole_files import write_files

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.corpus.tcm_kernels import KERNELS, Kernel
from bench.loop_bound import HotLoop, hot_loops
from bench.tables import show
from bench.tables import table as empty_table

_CONSTANTS = (
    "A loop that needs more vectors than there are registers loads its constants from a table, as hand-written code "
    "does. The table is written to the stack once; a scalar register that the loop does not change holds its address, "
    "so that every entry is within the offset of a load. Most of these loops are bound by the shift pipe, and most of "
    "their packets have room for a load, so their bound is the same as with constants in registers. Where all pipes "
    "are the bound (f16, division), a load takes a quarter of a packet.",
    "",
    "After each loop, the page lists its overhead. *copy*: software pipelining passes a loop-carried value to another "
    "register. *reload*: LLVM itself keeps a constant on the stack, and loads it in the loop. *spill*, in blocks "
    "without a loop, once for each row: a sum goes to a scalar register through the stack, or a value is spilled. "
    "*unaligned*: rows that are not whole vectors start at any address.")


@dataclass(frozen=True)
class Measurement:
    """One kernel on one chip; packets and cycles per vector of elements."""

    kernel: Kernel
    packets: float
    cycles: float
    error: float
    """Largest |ours - numpy| in units of the kernel's tolerance: above 1 is wrong."""
    loops: tuple[HotLoop, ...]

    @property
    def bound(self) -> float:
        """Packets per vector if every hot loop ran at the limit of its busiest resource."""
        return sum(loop.bound * loop.count for loop in self.loops) / self.kernel.vectors

    @property
    def busiest(self) -> str:
        """The resource that bounds the hottest loop."""
        return self.loops[0].busiest if self.loops else ""


def assembly(kernel: Kernel, target: str = "v75") -> str:
    """``kernel`` compiled for one thread."""
    return compile_module(parse(kernel.text, file=f"{kernel.name}.mlir"), target, settings=Settings(threads=1)).asm


def measure(kernel: Kernel, target: str = "v75") -> Measurement:
    """Compile ``kernel``, run it on data in TCM, compare with numpy."""
    asm = assembly(kernel, target)
    machine, result, outputs = execute(asm, kernel, target)
    with np.errstate(all="ignore"):
        expected = kernel.reference(*(a.astype(np.float64) for a in kernel.inputs()))
    error = float(np.max(np.abs(outputs.astype(np.float64) - expected) / (kernel.tolerance * (1 + np.abs(expected)))))
    return Measurement(kernel, result.packets / kernel.vectors, result.cycles / kernel.vectors, error,
                       tuple(hot_loops(machine, result)))


def execute(asm: str, kernel: Kernel, target: str) -> tuple[Machine, RunResult, np.ndarray]:
    """Run ``asm``; operands of a vector or more start in TCM."""
    machine = Machine(asm, target, memory="fast")
    output = np.zeros(kernel.shape, kernel.dtype)
    arrays = [*kernel.inputs(), output]
    addresses = []
    for array in arrays:
        addresses.append(machine.alloc_tcm(array.nbytes + 2 * int(machine.target.vector_bytes.value)))
        machine.write(addresses[-1], array.view(np.uint8).reshape(-1))
    result = machine.run("kernel", addresses)
    return machine, result, machine.read(addresses[-1], kernel.dtype, output.size).reshape(kernel.shape)


def table(measurements: Sequence[Measurement]) -> Table:
    """The rows as a table."""
    grid = empty_table("Hexagon v75, one thread, operands in TCM, simulated: per 32 f32 or 64 f16",
                       ("kernel", "shape", "maths", "goal", "packets", "bound", "bound by", "cycles",
                        "error/tolerance"), ("kernel", "shape", "maths", "bound by"))
    for m in measurements:
        shape = "x".join(map(str, m.kernel.shape)) + f" {m.kernel.element}"
        goal = f"{m.kernel.goal:g}" if m.kernel.goal else ""
        grid.add_row(m.kernel.name, shape, m.kernel.level, goal, f"{m.packets:.2f}", f"{m.bound:.2f}", m.busiest,
                     f"{m.cycles:.1f}", f"{m.error:.2f}")
    return grid


def both_levels(kernels: Sequence[Kernel]) -> list[Kernel]:
    """``kernels`` with accurate and fast maths, where these differ."""
    return [k for kernel in kernels for k in (kernel, kernel.fast) if k is kernel or k.text != kernel.text]


def slug(kernel: Kernel) -> str:
    """The name of the kernel's page."""
    return "-".join([*kernel.name.split(), kernel.element, kernel.level])


def index(measurements: Sequence[Measurement]) -> str:
    """docs/kernels.md: the table, each row with a link to its page."""
    lines = ["# Hot loops", "", "Packets and cycles per 32 f32 or 64 f16 elements, operands in TCM, one thread, v75. "
             f"Cycles: {CLOCK_NOTE}.", "", "*bound*: packets if the busiest resource were never idle. Packets above "
             "the bound are latency and set-up; a bound above the goal is due to the arithmetic itself. The page of a "
             "row has its kernel and its loops, packet by packet.", "", *_CONSTANTS, "",
             "Made by `python bench/kernels.py --pages`.", "",
             "| kernel | maths | goal | packets | bound | bound by | cycles |",
             "| --- | --- | --- | --- | --- | --- | --- |"]
    for m in measurements:
        shape = "x".join(map(str, m.kernel.shape))
        lines.append(f"| [{m.kernel.name}, {shape} {m.kernel.element}](kernels/{slug(m.kernel)}.md) | {m.kernel.level} "
                     f"| {m.kernel.goal or ''} | {m.packets:.2f} | {m.bound:.2f} | {m.busiest} | {m.cycles:.1f} |")
    return "\n".join([*lines, ""])


def page(m: Measurement) -> str:
    """The page of one kernel: its numbers, its source, its hot loops."""
    kernel = m.kernel
    shape, goal = "x".join(map(str, kernel.shape)), f", goal {kernel.goal:g}" if kernel.goal else ""
    lines = [f"# {kernel.name}, {kernel.element}, {kernel.level}", "",
             f"{shape} {kernel.element}: {m.packets:.2f} packets for a vector (bound {m.bound:.2f} by "
             f"{m.busiest}{goal}), {m.cycles:.1f} cycles. [All hot loops](../kernels.md) has the terms.", "",
             "```mlir", kernel.text.strip(), "```"]
    for loop in m.loops:
        lines += ["", "```", str(loop), "```"]
    return "\n".join([*lines, "", "Made by `python bench/kernels.py --pages`.", ""])


def write_pages(measurements: Sequence[Measurement], docs: Path) -> None:
    """The index and the pages below ``docs``; pages of kernels that are no more go."""
    pages = {docs / "kernels" / f"{slug(m.kernel)}.md": page(m).encode() for m in measurements}
    for old in {*(docs / "kernels").glob("*.md")} - pages.keys():
        old.unlink()
    write_files({docs / "kernels.md": index(measurements).encode(), **pages})


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="kernels whose name starts so; all when none is given")
    parser.add_argument("--asm", action="store_true", help="print the hot loops")
    parser.add_argument("--pages", action="store_true", help="write docs/kernels.md and a page for each kernel")
    parser.add_argument("--target", default="v75")
    options = parser.parse_args(arguments)
    wanted = [k for k in KERNELS if not options.names or k.name.startswith(tuple(options.names))]
    levels = both_levels(wanted)
    measurements = [measure(kernel, options.target) for kernel in levels]
    if options.pages:
        write_pages(measurements, Path(__file__).resolve().parents[1] / "docs")
        return
    show(table(measurements), 110)
    if options.asm:
        for m in measurements:
            for loop in m.loops:
                print(f"\n{m.kernel.name}: {loop}")


if __name__ == "__main__":
    main()
