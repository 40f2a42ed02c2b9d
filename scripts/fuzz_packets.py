#!/usr/bin/env python3
"""Random packets on the translated simulator and on the reference interpreter; prints every difference.

    scripts/fuzz_packets.py --count 100000 --seed 1 --jobs 2
"""

import argparse
import functools
import multiprocessing
import sys
import time

from hexagon_mlir.sim.reference.compare import Difference, check

BATCH = 500
"""Packets per translated module."""


def batch(options: argparse.Namespace, done: int) -> list[Difference]:
    count = min(BATCH, options.count - done)
    return check(count, options.seed + done, options.states, options.only, options.target)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=10_000, help="number of packets")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--states", type=int, default=1, help="register states per packet")
    parser.add_argument("--only", help="regular expression on form keys and templates")
    parser.add_argument("--target", default="v75")
    parser.add_argument("--show", type=int, default=20, help="differences to print")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    options = parser.parse_args()
    start = time.perf_counter()
    wrong = 0
    with multiprocessing.get_context("spawn").Pool(options.jobs, maxtasksperchild=20) as pool:
        for found in pool.imap(functools.partial(batch, options), range(0, options.count, BATCH)):
            for difference in found[: max(0, options.show - wrong)]:
                print(difference, flush=True)
            wrong += len({difference.packet for difference in found})
    print(f"{options.count} packets, {wrong} differ, {time.perf_counter() - start:.1f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
