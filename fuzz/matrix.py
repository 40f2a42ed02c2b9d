"""Random programs of the matrix engine on the translated simulator and on the reference; prints every difference.

    python -m fuzz matrix --seeds 20000 --jobs 2
    python -m fuzz matrix --seeds 7 --target v81

Without a target, the programs of one batch are for one chip and the batches for all in turn.
"""

import argparse
import functools
import multiprocessing
import time

from hexagon_mlir.sim.reference.compare_matrix import MatrixDifference, check
from hexagon_mlir.sim.reference.random_matrix import CHIPS

BATCH = 50
"""Programs per translated module."""
REPORT_EVERY = 1000
"""Programs from one line to the next."""


def batch(options: argparse.Namespace, first: int) -> tuple[int, list[MatrixDifference]]:
    """How many programs there are from seed ``first`` on in one module, and those that differ."""
    seeds = range(first, min(first + BATCH, options.seeds.stop))
    return len(seeds), check(seeds, options.target or CHIPS[first // BATCH % len(CHIPS)])


def add_options(parser: argparse.ArgumentParser) -> None:
    """Those of this kind."""
    parser.add_argument("--target", choices=CHIPS, help="chip; all in turn if not given")
    parser.add_argument("--show", type=int, default=20, help="differences to print")
    parser.add_argument("--jobs", type=int, default=1, help="processes")


def run(options: argparse.Namespace) -> int:
    """A program for each seed."""
    start = time.perf_counter()
    done = wrong = 0
    with multiprocessing.get_context("spawn").Pool(options.jobs, maxtasksperchild=20) as pool:
        for count, found in pool.imap(functools.partial(batch, options), options.seeds[::BATCH]):
            for difference in found[: max(0, options.show - wrong)]:
                print(difference, flush=True)
            wrong += len(found)
            done += count
            if done // REPORT_EVERY > (done - count) // REPORT_EVERY:
                print(f"{done} programs, {wrong} differ, {time.perf_counter() - start:.1f} s", flush=True)
    print(f"{done} programs, {wrong} differ, {time.perf_counter() - start:.1f} s")
    return 1 if wrong else 0
