#!/usr/bin/env python3
"""Random packets on the translated simulator and on the reference interpreter; prints every difference.

    scripts/fuzz_packets.py --count 100000 --seed 1 --jobs 2
    scripts/fuzz_packets.py --count 100000 --target v79
    scripts/fuzz_packets.py --count 20000 --arithmetic ieee --only 'qf32|qf16'

Translated code of both levels is run: one module in eight is compiled for speed, the others as programs start.
"""

import argparse
import functools
import multiprocessing
import sys
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
    count = min(BATCH, options.count - done)
    quick = done // BATCH % FAST_EVERY != 0
    return count, check(
        count, options.seed + done, options.states, options.only, options.target, options.arithmetic, quick
    )


def parser() -> argparse.ArgumentParser:
    result = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )  # fmt: skip
    result.add_argument("--count", type=int, default=10_000, help="number of packets")
    result.add_argument("--seed", type=int, default=0)
    result.add_argument("--states", type=int, default=1, help="register states per packet")
    result.add_argument("--only", help="regular expression on form keys and templates")
    result.add_argument("--target", default=ALL_FORMS, help="chip; packets are of the forms it has")
    result.add_argument("--arithmetic", choices=CHOICES["arithmetic"], default=DEFAULT_ARITHMETIC, help="of HVX floats")
    result.add_argument("--show", type=int, default=20, help="differences to print")
    result.add_argument("--jobs", type=int, default=1, help="processes")
    return result


def main() -> int:
    options = parser().parse_args()
    start = time.perf_counter()
    done = wrong = 0
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[wrong]} differ"), TimeElapsedColumn())
    with (
        multiprocessing.get_context("spawn").Pool(options.jobs, maxtasksperchild=20) as pool,
        Progress(*columns, TimeRemainingColumn(), transient=True) as progress,
    ):
        task = progress.add_task("", total=options.count, wrong=0)
        for count, found in pool.imap(functools.partial(batch, options), range(0, options.count, BATCH)):
            for difference in found[: max(0, options.show - wrong)]:
                progress.console.print(str(difference), markup=False, highlight=False, soft_wrap=True)
            wrong += len({difference.packet for difference in found})
            progress.update(task, advance=count, wrong=wrong)
            done += count
            if not progress.console.is_terminal and done // REPORT_EVERY > (done - count) // REPORT_EVERY:
                print(f"{done} packets, {wrong} differ, {time.perf_counter() - start:.1f} s", flush=True)
    print(f"{options.count} packets, {wrong} differ, {time.perf_counter() - start:.1f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
