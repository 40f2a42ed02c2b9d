"""Every operation with every type through every pass: each succeeds, or refuses with its name and a reason.

``python scripts/walk_ops.py [pass|pipeline] [--every N] [--from K] [--word WORD] [--target T]`` takes every N-th
program from number K on, of those with WORD in their names. Prints what is wrong, equal errors once with how often and
an example, and returns 1 when there is something.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "test" / "python"))

from op_programs import programs
from op_walk import walk


def main() -> int:
    """Walk; print errors by step and text."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", nargs="?", default="pass", choices=("pass", "pipeline"))
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--from", dest="first", type=int, default=0)
    parser.add_argument("--target", default="v75")
    parser.add_argument("--word", default="", help="part of a program's name")
    options = parser.parse_args()
    everything = list(programs())
    chosen = [number for number, (name, _, _) in enumerate(everything) if options.word in name]
    numbers = chosen[options.first::options.every]
    found: dict[tuple[str, str], list[int]] = defaultdict(list)
    for number, step, wrong in walk(numbers, options.kind, options.target):
        if not found[step, wrong]:
            print(f"{step}: {everything[number][0]}: {wrong}", flush=True)
        found[step, wrong].append(number)
    for (step, wrong), where in found.items():
        print(f"{len(where)} x {step}: {wrong}\n    e.g. {everything[where[0]][0]}")
    print(f"{len(numbers)} of {len(everything)} programs, {len(found)} errors")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
