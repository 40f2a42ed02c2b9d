"""Compiles and runs every module of `bench/corpus/single_ops.py`; prints those that differ from eager or are refused.

``python scripts/single_ops.py [WORD]`` takes only cases whose name holds WORD. A table of all of them ends the output.
"""

import sys
import warnings
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from rich.console import Console
from rich.table import Table

from bench.corpus.single_ops import SHAPES, cases, difference
from hexagon_mlir import HexError


def main() -> int:
    """Exit code 1 when a result differs; a refusal is printed and allowed."""
    warnings.simplefilter("ignore")
    word = sys.argv[1] if len(sys.argv) > 1 else ""
    counts: dict[str, Counter[str]] = {}
    for case in cases():
        if word not in case.name:
            continue
        outcome = "equal"
        try:
            if problem := difference(case):
                outcome = "wrong"
                print(f"WRONG    {case.name}: {problem}", flush=True)
        except HexError as error:
            outcome = "refused"
            print(f"refused  {case.name}: {str(error).splitlines()[0]}", flush=True)
        counts.setdefault(_operation(case.name), Counter())[outcome] += 1
    table = Table("operation", "equal", "wrong", "refused")
    for name, found in counts.items():
        table.add_row(name, *(str(found[outcome] or "") for outcome in ("equal", "wrong", "refused")))
    Console(width=80).print(table)
    total = sum(counts.values(), Counter())
    print(f"{total.total()} cases of {len(counts)} operations, {total['wrong']} differ, {total['refused']} refused")
    return 1 if total["wrong"] else 0


def _operation(name: str) -> str:
    """The case's name without its shape."""
    for shape in SHAPES:
        name = name.split(f" {shape}")[0]
    return name


if __name__ == "__main__":
    sys.exit(main())
