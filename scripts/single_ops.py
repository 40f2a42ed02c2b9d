"""Compiles and runs every module of `bench/single_ops.py`; prints those that differ from eager or are refused.

``python scripts/single_ops.py [WORD]`` takes only cases whose name holds WORD.
"""

import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.single_ops import cases, difference
from hexagon_mlir import HexError


def main() -> int:
    """Exit code 1 when a result differs; a refusal is printed and allowed."""
    warnings.simplefilter("ignore")
    word = sys.argv[1] if len(sys.argv) > 1 else ""
    wrong = refused = total = 0
    for case in cases():
        if word not in case.name:
            continue
        total += 1
        try:
            problem = difference(case)
        except HexError as error:
            refused += 1
            print(f"refused  {case.name}: {str(error).splitlines()[0]}", flush=True)
            continue
        if problem:
            wrong += 1
            print(f"WRONG    {case.name}: {problem}", flush=True)
    print(f"{total} cases, {wrong} differ, {refused} refused")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
