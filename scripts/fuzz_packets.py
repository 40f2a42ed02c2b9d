#!/usr/bin/env python3
"""Random packets on the translated simulator and on the reference interpreter; prints every difference.

    scripts/fuzz_packets.py --count 100000 --seed 1
"""

import argparse
import sys
import time

from hexagon_mlir.sim.reference.compare import check

BATCH = 500
"""Packets per translated module."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=10_000, help="number of packets")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--states", type=int, default=1, help="register states per packet")
    parser.add_argument("--only", help="regular expression on form keys")
    parser.add_argument("--target", default="v75")
    parser.add_argument("--show", type=int, default=20, help="differences to print")
    options = parser.parse_args()
    start = time.perf_counter()
    done = wrong = 0
    while done < options.count:
        batch = min(BATCH, options.count - done)
        found = check(batch, options.seed + done, options.states, options.only, options.target)
        for difference in found[: max(0, options.show - wrong)]:
            print(difference)
        wrong += len({difference.packet for difference in found})
        done += batch
    print(f"{done} packets, {wrong} differ, {time.perf_counter() - start:.1f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
