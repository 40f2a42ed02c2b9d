"""GELU with threads against one thread, from 8K to 1M elements, and ragged shapes on seven threads.

``python bench/threads.py [--svg FOLDER]``. Twice: the whole kernel, whose data start in DDR, and the work alone, on
data in TCM. Nothing may be slower with threads. Packets per vector show where the two differ in code, not only in
threads. Then what `bench/combinations.py` measures: threads with and without double buffering.
"""

from __future__ import annotations

import argparse
import math
import sys
from dataclasses import astuple, dataclass, replace
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

import hexagon_mlir as hx
from hexagon_mlir import targets
from hexagon_mlir.passes.lib.thread_cost import ForkCost
from hexagon_mlir.sim import Machine, RunResult

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench import combinations

SIZES = [1 << power for power in range(13, 21)]
WANTED = 3.9
"""Speed-up asked for at 512K and 1M elements."""
RAGGED = (((100_003,), 7), ((63, 16384), 7), ((100_003,), 4), ((63, 16384), 4))
BODY = """
  ^bb0(%a: f32, %o: f32):
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %k = arith.constant 0.7978845608 : f32
    %c = arith.constant 0.044715 : f32
    %0 = arith.mulf %a, %a : f32
    %1 = arith.mulf %0, %a : f32
    %2 = arith.mulf %1, %c : f32
    %3 = arith.addf %a, %2 : f32
    %4 = arith.mulf %3, %k : f32
    %5 = math.tanh %4 : f32
    %6 = arith.addf %5, %one : f32
    %7 = arith.mulf %a, %half : f32
    %8 = arith.mulf %7, %6 : f32
    linalg.yield %8 : f32
"""


def gelu_text(shape: tuple[int, ...], space: int = 0) -> str:
    """GELU (tanh form) of buffers of ``shape`` in memory ``space``; those in TCM are aligned to vectors, as tiles are.
    """
    type_ = "x".join(map(str, shape)) + "xf32"
    buffer = f"memref<{type_}, {space}>" if space else f"memref<{type_}>"
    dims = ", ".join(f"d{i}" for i in range(len(shape)))
    kinds = ", ".join(['"parallel"'] * len(shape))
    map_ = f"affine_map<({dims}) -> ({dims})>"
    result = f"bufferization.to_tensor %y restrict writable : {buffer} to tensor<{type_}>" if space else (
        f"tensor.empty() : tensor<{type_}>")
    bytes_ = int(targets.get().tcm_alignment.value)
    aligned = "\n".join(f"  %{name} = memref.assume_alignment %{name}0, {bytes_} : {buffer}" for name in "xy")
    return f"""func.func @gelu(%x0: {buffer}, %y0: {buffer}) {{
{aligned}
  %t = bufferization.to_tensor %x restrict : {buffer} to tensor<{type_}>
  %e = {result}
  %r = linalg.generic {{indexing_maps = [{map_}, {map_}], iterator_types = [{kinds}]}}
      ins(%t : tensor<{type_}>) outs(%e : tensor<{type_}>) {{{BODY}}} -> tensor<{type_}>
  bufferization.materialize_in_destination %r in restrict writable %y : (tensor<{type_}>, {buffer}) -> ()
  return
}}
"""


def run(shape: tuple[int, ...], threads: int, space: int = 0, check: bool = False) -> RunResult:
    """One run on random data; the values are compared with numpy."""
    x = np.random.default_rng(0).normal(0, 2, shape).astype(np.float32)
    kernel = hx.compile(gelu_text(shape, space), threads=threads)
    machine = Machine(kernel.asm, kernel.target, check=check)
    allocate = machine.alloc_tcm if space else machine.alloc_ddr
    places = [allocate(x.nbytes) for _ in range(2)]
    machine.write(places[0], x)
    machine.write(places[1], np.zeros_like(x))
    result = machine.run("gelu", places)
    got = machine.read(places[1], np.float32, x.size).reshape(shape)
    wide = x.astype(np.float64)
    expected = wide / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (wide + 0.044715 * wide**3)))
    np.testing.assert_allclose(got, expected, rtol=0, atol=2e-6)
    return result


def sweep(space: int, title: str) -> list[tuple[int, RunResult, RunResult]]:
    """(elements, one thread, with threads)."""
    rows = []
    for n in track(SIZES, title, transient=True):
        if space and 8 * n > targets.get().tcm_budget_bytes:
            continue
        rows.append((n, run((n,), 1, space), run((n,), 0, space)))
    return rows


@dataclass(frozen=True)
class Loss:
    """Where the cycles of a run on several threads go; they add up to the whole run."""

    ideal: float
    """What one thread takes, divided by the threads."""
    code: float
    """Other code for smaller shares, and the work around tasks: what all threads do beyond what one did."""
    ports: float
    """Packets that find the issue port taken."""
    imbalance: float
    """The longest share beyond the mean."""
    fork_join: float
    """Before the last task starts, and from its end to the main thread's."""

    @classmethod
    def of(cls, one: RunResult, many: RunResult) -> Loss:
        """Of a run whose threads share one piece of work."""
        busy = [thread.busy for thread in many.threads]
        work = (many.packets + sum(many.stalls.values()) - many.stalls.get("thread-wait", 0)) / len(busy)
        mean = sum(busy) / len(busy)
        ideal = one.cycles / len(busy)
        return cls(ideal, work - ideal, mean - work, max(busy) - mean, many.cycles - max(busy))

    @property
    def cycles(self) -> float:
        """All of it."""
        return sum(astuple(self))


def loss_table(rows: list[tuple[int, RunResult, RunResult]]) -> Table:
    """`Loss` of each row in per cent."""
    table = Table(title="Where the time of the threads goes, data in TCM, % of it", title_justify="left")
    for heading in ("elements", "a quarter of one thread", "other code", "issue ports", "imbalance", "fork and join"):
        table.add_column(heading, justify="right")
    for n, one, many in rows:
        loss = Loss.of(one, many)
        assert math.isclose(loss.cycles, many.cycles)
        table.add_row(f"{n:,}", *(f"{100 * part / loss.cycles:.1f}" for part in astuple(loss)))
    return table


def most(cost: ForkCost, rate: float) -> float:
    """Speed-up of all tasks for a loop that alone issues ``rate`` HVX packets per cycle, without any other loss."""
    return cost.tasks / replace(cost, packets=rate).slowdown(cost.tasks)


def rate_for(cost: ForkCost, speed_up: float) -> float:
    """HVX packets per cycle of the densest loop that threads speed up by ``speed_up``."""
    low, high = 0.0, cost.packets
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if most(cost, middle) >= speed_up else (low, middle)
    return low


def why_not(cost: ForkCost, n: int, one: RunResult, many: RunResult) -> str:
    """What the issue ports allow for this loop, and what a loop would have to be for `WANTED`."""
    vectors = n / targets.get().lanes(32)
    rate, packets = one.hvx_packets / one.cycles, one.hvx_packets / vectors
    needed = rate_for(cost, WANTED)
    slow = packets / needed
    measured, now = one.cycles / many.cycles, many.cycles / vectors
    return (f"GELU issues {packets:.1f} HVX packets per vector in {one.cycles / vectors:.1f} cycles, {rate:.3f} a "
            f"cycle: at most {most(cost, rate):.2f}x, measured {measured:.2f}x. {WANTED}x needs a loop of at most "
            f"{needed:.3f} a cycle. With these packets that is {slow:.0f} cycles per vector on one thread and "
            f"{slow / WANTED:.0f} on {cost.tasks}, where this one takes {now:.0f}: it would scale better by being "
            f"{slow / WANTED / now:.1f} times slower.")


def main() -> None:
    """Run everything, print tables, save the plot."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--svg", type=Path, help="folder for the plots")
    arguments = parser.parse_args()
    console, chip = Console(), targets.get()
    cost = ForkCost.of(chip)
    console.print(f"{chip.name}, {cost.tasks} HVX contexts. Fork and join of {cost.tasks} tasks: "
                  f"{cost.fork_join(cost.tasks):.0f} cycles (estimated from the target: "
                  f"{cost.queue:.0f} to queue them, {cost.dispatch:.0f} until the last one starts, "
                  f"{cost.resume:.0f} until the main thread goes on).")
    console.print(f"Dense HVX threads share {cost.clusters} issue ports: at most "
                  f"{cost.tasks / cost.slowdown(cost.tasks):.2f}x in the simulator's model.")
    lines: dict[str, list[tuple[int, float]]] = {}
    for space, title in ((0, "data start in DDR"), (1, "data in TCM")):
        rows = sweep(space, title)
        lines[title] = [(n, one.cycles / many.cycles) for n, one, many in rows]
        table = Table(title=f"GELU f32, {title}", title_justify="left")
        for heading in ("elements", "cycles, 1 thread", "cycles, threads", "speed-up", "packets/vector: 1", "threads"):
            table.add_column(heading, justify="right")
        for n, one, many in rows:
            assert many.cycles <= one.cycles, f"{n} elements are slower with threads: {many.cycles} cycles"
            vectors = n / chip.lanes(32)
            table.add_row(f"{n:,}", f"{one.cycles:,}", f"{many.cycles:,}", f"{one.cycles / many.cycles:.2f}x",
                          f"{one.packets / vectors:.1f}", f"{many.packets / vectors:.1f}")
        console.print(table)
        if space:
            console.print(loss_table(rows))
            console.print(why_not(cost, *rows[-1]))
    for shape, threads in RAGGED:
        result = run(shape, threads, check=True)
        busy = [thread.busy for thread in result.threads[1:]]
        console.print(f"{'x'.join(map(str, shape))} on {threads} threads: right values, {len(result.threads)} work "
                      f"(work {min(busy):,} to {max(busy):,} cycles), {len(result.reports)} reports of the checks")
    if arguments.svg:
        plot(lines, cost, arguments.svg)
    combinations.report(chip, arguments.svg)


def plot(lines: dict[str, list[tuple[int, float]]], cost: ForkCost, folder: Path) -> None:
    """Speed-up over the number of elements, as ``threads.svg``."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "hexagon-mlir"  # the same file each time
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 4))
    for title, rows in lines.items():
        axes.plot([n for n, _ in rows], [ratio for _, ratio in rows], "o-", label=title)
    axes.axhline(cost.tasks / cost.slowdown(cost.tasks), linestyle="--", color="gray", label="two shared issue ports")
    axes.set(xscale="log", xlabel="elements", ylabel="speed-up over one thread", title="GELU f32, v75")
    axes.set_ylim(0, cost.tasks)
    axes.legend()
    folder.mkdir(parents=True, exist_ok=True)
    figure.savefig(folder / "threads.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
