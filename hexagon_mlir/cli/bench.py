"""``hexmlir bench``: cycles of the corpus in every combination, their bounds, and what changed since an older file."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from hexagon_mlir.cli.arguments import UsageError

HINT = "hexmlir bench --help"
USAGE = """usage: hexmlir bench [KERNEL ...] [options]

Compiles and runs the kernels of a fixed corpus (all, or those whose names hold one of the words) on the simulator,
checks their values, and prints a table in Markdown: cycles of

  LLVM      the same linalg, fused, by LLVM -O3 with its own vectorizers for HVX
  Vec       vectorized on one thread, every tile waited for
  +DB, +MT  with double buffering, with threads, with both
  +ME       with both and the matrix engine (products of f16 and i8)

then the bound, which is what the busiest of HVX issue, DDR and the matrix engine needs for the fastest of ours, and its
share of that.

  --target=NAME     the chip, see 'hexmlir targets' (default v75)
  --json=FILE       write the numbers
  --markdown=FILE   write the table
  --compare=FILE    print what changed since FILE, written by --json; a change of more than 2 % is significant
  --list            the kernels and their sizes
"""
_VALUES = ("--target", "--json", "--markdown", "--compare")


def bench(words: Sequence[str]) -> int:
    """The exit code of ``hexmlir bench`` with ``words`` after it."""
    if "--help" in words or "-h" in words:
        sys.stdout.write(USAGE)
        return 0
    names, values, listing = _read(words)
    from hexagon_mlir.bench.corpus import ENTRIES

    entries = [entry for entry in ENTRIES if not names or any(name in entry.name for name in names)]
    if not entries:
        raise UsageError(f"no kernel is called {' or '.join(names)}", "hexmlir bench --list")
    if listing:
        sys.stdout.write("".join(f"{entry.name:32}{entry.size}\n" for entry in entries))
        return 0
    from hexagon_mlir import targets
    from hexagon_mlir.bench import results
    from hexagon_mlir.bench.measure import WAYS, measure
    from hexagon_mlir.pipelines import target_of
    from hexagon_mlir.whole_files import write_files

    target = target_of(values.get("--target", targets.DEFAULT))
    before = results.read(Path(values["--compare"])) if "--compare" in values else None  # a wrong file is said at once
    if before is not None and before.target != target.name:
        raise UsageError(f"the older results are of {before.target}, not {target.name}", f"--target={before.target}")
    measured = {}
    for number, entry in enumerate(entries, 1):
        print(f"{number} of {len(entries)}: {entry.name}", file=sys.stderr, flush=True)
        measured[entry.name] = measure(entry, target)
    found = results.Results(target.name, measured)
    table = results.markdown(found, WAYS)
    contents = {"--json": results.encoded(found), "--markdown": table.encode()}
    write_files({Path(values[flag]): content for flag, content in contents.items() if flag in values})
    sys.stdout.write(table)
    if before is not None:
        sys.stdout.write("\n" + results.difference(results.compared(before, found)))
    return 0


def _read(words: Sequence[str]) -> tuple[list[str], dict[str, str], bool]:
    """Names, values of options, whether to list; raises `UsageError`."""
    rest, names, listing = list(words), [], False
    values: dict[str, str] = {}
    while rest:
        word = rest.pop(0)
        flag, equals, value = word.partition("=")
        if not word.startswith("-"):
            names.append(word)
        elif word == "--list":
            listing = True
        elif flag in _VALUES:
            values[flag] = value if equals else rest.pop(0) if rest else ""
            if not values[flag]:
                raise UsageError(f"{flag} needs a value", HINT)
        else:
            raise UsageError(f"unknown option {word}", HINT)
    return names, values, listing
