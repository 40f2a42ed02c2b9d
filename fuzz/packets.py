"""Random packets on the translated simulator and on the reference interpreter; prints every difference.

    python -m fuzz packets --seeds 100000 --jobs 2
    python -m fuzz packets --seeds 100000 --target v79
    python -m fuzz packets --seeds 20000 --arithmetic ieee --only 'qf32|qf16'

Translated code of both levels is run: one module in eight is compiled for speed, the others as programs start.
"""

import argparse
import functools
import multiprocessing
import time

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from hexagon_mlir.sim.arithmetic import DEFAULT_ARITHMETIC
from hexagon_mlir.sim.reference.arithmetic import CHOICES
from hexagon_mlir.sim.reference.compare import ALL_FORMS, Difference, check

BATCH = 500
"""Packets per translated module."""
FAST_EVERY = 8
"""Modules from one in fast code to the next."""
REPORT_EVERY = 10_000
"""Packets from one line to the next where there is no terminal for a bar."""


def batch(options: argparse.Namespace, done: int) -> tuple[int, list[Difference]]:
    """How many packets there are from number ``done`` on in one module, and those that differ."""
    count = min(BATCH, len(options.seeds) - done)
    quick = done // BATCH % FAST_EVERY != 0
    return count, check(
        count, options.seeds.start + done, options.states, options.only, options.target, options.arithmetic, quick
    )


def add_options(parser: argparse.ArgumentParser) -> None:
    """Those of this kind."""
    parser.add_argument("--states", type=int, default=1, help="register states per packet")
    parser.add_argument("--only", help="regular expression on form keys and templates")
    parser.add_argument("--target", default=ALL_FORMS, help="chip; packets are of the forms it has")
    parser.add_argument("--arithmetic", choices=CHOICES["arithmetic"], default=DEFAULT_ARITHMETIC, help="of HVX floats")
    parser.add_argument("--show", type=int, default=20, help="differences to print")
    parser.add_argument("--jobs", type=int, default=1, help="processes")


def run(options: argparse.Namespace) -> int:
    """A packet for each seed."""
    start = time.perf_counter()
    done = wrong = 0
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[wrong]} differ"), TimeElapsedColumn())
    with (
        multiprocessing.get_context("spawn").Pool(options.jobs, maxtasksperchild=20) as pool,
        Progress(*columns, TimeRemainingColumn(), transient=True) as progress,
    ):
        task = progress.add_task("", total=len(options.seeds), wrong=0)
        for count, found in pool.imap(functools.partial(batch, options), range(0, len(options.seeds), BATCH)):
            for difference in found[: max(0, options.show - wrong)]:
                progress.console.print(str(difference), markup=False, highlight=False, soft_wrap=True)
            wrong += len({difference.packet for difference in found})
            progress.update(task, advance=count, wrong=wrong)
            done += count
            if not progress.console.is_terminal and done // REPORT_EVERY > (done - count) // REPORT_EVERY:
                print(f"{done} packets, {wrong} differ, {time.perf_counter() - start:.1f} s", flush=True)
    print(f"{len(options.seeds)} packets, {wrong} differ, {time.perf_counter() - start:.1f} s")
    return 1 if wrong else 0
