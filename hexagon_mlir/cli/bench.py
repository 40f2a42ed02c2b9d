"""``hexmlir bench``: cycles of the corpus in every combination, their bounds, and what changed since an older file."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from hexagon_mlir.cli.arguments import UsageError

if TYPE_CHECKING:
    from hexagon_mlir.bench.corpus.entry import Entry
    from hexagon_mlir.bench.models import ModelEntry
    from hexagon_mlir.bench.results import Results
    from hexagon_mlir.targets import Target

HINT = "hexmlir bench --help"
USAGE = """usage: hexmlir bench [KERNEL ...] [options]

Compiles and runs the kernels and models of a fixed corpus (all, or those whose names hold one of the words) on the
simulator, checks their values, and prints a table in Markdown: cycles of

  LLVM      the same linalg, fused, by LLVM -O3 with its own vectorizers for HVX
  C         the same kernel in plain C by clang -O3 with the vectorizers for HVX and the options that suit it best;
            functions of math.h are plain C, too (extra hexagon-mlir[elf])
  scalar    the same linalg, fused, without vectors
  Vec       vectorized on one thread, every tile waited for
  +DB, +MT  with double buffering, with threads, with both
  +ME       with both and the matrix engine (products of f16 and i8; of models those of f32, in pieces of f16)

then how many times the cycles of others are the fewest of ours, the bound, which is what the busiest needs for these of
issue slots, vector units, loads and stores (of full packets), DDR (by DMA) and the matrix engine, and its share of
them. Operands start in DDR.

  --target=NAME     the chip, see 'hexmlir targets' (default v75)
  --against=FILE.s  assembly to compare with, a column for each such file: functions called as the kernels are, with _
                    for spaces, that take the addresses of arguments and result ('vector add': vector_add(x, y, out))
  --json=FILE       write the numbers, after each kernel
  --resume          keep what FILE of --json has already
  --markdown=FILE   write the table
  --plots=FOLDER    draw speed-ups and shares of the bound for light and for dark pages (extra hexagon-mlir[bench])
  --compare=FILE    print what changed since FILE, written by --json; a change of more than 2 % is significant
  --list            the kernels and their sizes
"""
_VALUES = ("--target", "--json", "--markdown", "--compare", "--plots")


@dataclass
class _Options:
    names: list[str] = field(default_factory=list)
    values: dict[str, str] = field(default_factory=dict)
    against: list[str] = field(default_factory=list)
    listing: bool = False
    resume: bool = False

    def file(self, flag: str) -> Path | None:
        return Path(self.values[flag]) if flag in self.values else None


def bench(words: Sequence[str]) -> int:
    """The exit code of ``hexmlir bench`` with ``words`` after it."""
    if "--help" in words or "-h" in words:
        sys.stdout.write(USAGE)
        return 0
    options = _read(words)
    from hexagon_mlir.bench.corpus import ENTRIES
    from hexagon_mlir.bench.models import MODELS

    names = options.names
    everything: list[Entry | ModelEntry] = [*ENTRIES, *MODELS]
    entries = [entry for entry in everything if not names or any(name in entry.name for name in names)]
    if not entries:
        raise UsageError(f"no kernel is called {' or '.join(names)}", "hexmlir bench --list")
    if options.listing:
        sys.stdout.write("".join(f"{entry.name:32}{entry.size}\n" for entry in entries))
        return 0
    from hexagon_mlir import targets
    from hexagon_mlir.bench import plots, results
    from hexagon_mlir.pipelines import target_of
    from hexagon_mlir.whole_files import write_files

    target = target_of(options.values.get("--target", targets.DEFAULT))
    before = _older(options.file("--compare"), target.name)  # a wrong file is said at once
    json, folder = options.file("--json"), options.file("--plots")
    kept = _older(json, target.name) if options.resume and json is not None and json.exists() else None
    if folder is not None:
        plots.check()
    found = _measured(entries, target, _hand_written(options.against), kept, json)
    table = results.markdown(found)
    if (markdown := options.file("--markdown")) is not None:
        write_files({markdown: table.encode()})
    if folder is not None:
        write_files(plots.of_results(found, folder), folders=[folder])
    sys.stdout.write(table)
    if before is not None:
        sys.stdout.write("\n" + results.difference(results.compared(before, found)))
    return 0


def _older(file: Path | None, target: str) -> Results | None:
    """The results in ``file``, which are of ``target``; raises `UsageError`."""
    if file is None:
        return None
    from hexagon_mlir.bench import results

    found = results.read(file)
    if found.target != target:
        raise UsageError(f"the older results are of {found.target}, not {target}", f"--target={found.target}")
    return found


def _hand_written(files: Sequence[str]) -> dict[str, str]:
    """The assembly of ``files`` by the name of its column."""
    from hexagon_mlir.bench.ways import WAYS
    from hexagon_mlir.cli.inputs import read_text

    found = {}
    for file in files:
        name = Path(file).stem
        if name in WAYS or name in found:
            raise UsageError(f"two columns are called {name}", "name the file of --against differently")
        found[name] = read_text(file, "assembly is text; is this an object?")
    return found


def _measured(entries: Sequence[Entry | ModelEntry], target: Target, hand_written: Mapping[str, str],
              kept: Results | None, json: Path | None) -> Results:
    """What is measured of ``entries`` now or ``kept``; ``json`` gets it after each."""
    from hexagon_mlir.bench.measure import measure
    from hexagon_mlir.bench.models import ModelEntry, measure_model
    from hexagon_mlir.bench.results import Results, encoded
    from hexagon_mlir.whole_files import write_files

    found = Results(target.name, {})
    for number, entry in enumerate(entries, 1):
        print(f"{number} of {len(entries)}: {entry.name}", file=sys.stderr, flush=True)
        old = kept.kernels.get(entry.name) if kept is not None else None
        if old is not None and old.size == entry.size:
            found.kernels[entry.name] = old
        elif isinstance(entry, ModelEntry):
            found.kernels[entry.name] = measure_model(entry, target)
        else:
            found.kernels[entry.name] = measure(entry, target, hand_written)
        if json is not None:
            write_files({json: encoded(found)})
    return found


def _read(words: Sequence[str]) -> _Options:
    """The command line; raises `UsageError`."""
    options, rest = _Options(), list(words)
    while rest:
        word = rest.pop(0)
        flag, equals, value = word.partition("=")
        if not word.startswith("-"):
            options.names.append(word)
        elif word == "--list":
            options.listing = True
        elif word == "--resume":
            options.resume = True
        elif flag in (*_VALUES, "--against"):
            value = value if equals else rest.pop(0) if rest else ""
            if not value:
                raise UsageError(f"{flag} needs a value", HINT)
            if flag == "--against":
                options.against.append(value)
            else:
                options.values[flag] = value
        else:
            raise UsageError(f"unknown option {word}", HINT)
    if options.resume and "--json" not in options.values:
        raise UsageError("--resume needs the file that --json writes", HINT)
    return options
