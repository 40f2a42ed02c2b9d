"""``hexmlir sweep``: programs over targets, settings and sizes, in one table that a further run goes on with."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from hexagon_mlir.cli.arguments import UsageError, whole_number
from hexagon_mlir.settings import DEFAULTS, flags

if TYPE_CHECKING:
    from hexagon_mlir.sweep.measure import Row
    from hexagon_mlir.sweep.points import Point, Program, Value
    from hexagon_mlir.sweep.table import SweepTable

HINT = "hexmlir sweep --help"
TABLE = "sweep.sqlite"
_NAMES = ", ".join(f"--{name}" for name, _, _ in flags())
USAGE = f"""usage: hexmlir sweep PROGRAM ... [-o TABLE] [options]

Compiles and runs each PROGRAM for every combination of targets, settings and sizes, and keeps cycles, packets and bytes
in TABLE, a SQLite file. What TABLE has already is not measured again, so a sweep that was interrupted goes on; points
that failed are tried again.

PROGRAM is
  FILE.mlir      a kernel, whose arguments are made up; $NAME or ${{NAME}} in it stands for a size
  FILE.py        a script; sizes are its arguments --NAME=N, and all its launches count
  corpus         the kernels of hexmlir bench, with their values checked; corpus:WORD those whose names hold WORD

  -o TABLE            ({TABLE})
  --target=A,B        the chips (default v75); a script chooses its own
  --size NAME=A,B     values of a size, also --size=NAME=A,B; once for each name
  {_NAMES}:
                      settings as in 'hexmlir compile --help', with several values: --threads=1,4
  --jobs=N            processes (default: the processors of this machine)
  --scheduler=ADDRESS the workers of a Dask cluster instead, such as tcp://host:8786 (extra hexagon-mlir[cluster])
  --plot=FILE.svg     cycles over the first size, a line for everything else (extra hexagon-mlir[bench])
"""


@dataclass
class _Options:
    programs: list[str] = field(default_factory=list)
    table: str = TABLE
    targets: list[str] = field(default_factory=list)
    settings: dict[str, list[Value]] = field(default_factory=dict)
    sizes: dict[str, list[int]] = field(default_factory=dict)
    jobs: int = 0
    scheduler: str = ""
    plot: str = ""


def sweep(words: Sequence[str]) -> int:
    """The exit code of ``hexmlir sweep`` with ``words`` after it: 1 where a point failed."""
    if not words or "--help" in words or "-h" in words:
        sys.stdout.write(USAGE)
        return 0
    options = _read(words)
    from hexagon_mlir import targets
    from hexagon_mlir.pipelines import target_of
    from hexagon_mlir.sweep.points import points
    from hexagon_mlir.sweep.table import SweepTable

    programs = [program for word in options.programs for program in _programs(word)]
    if any(program.kind == "script" for program in programs) and (options.targets or options.settings):
        raise UsageError("a script chooses its target and settings itself", HINT)
    chips = [target_of(name).name for name in options.targets or [targets.DEFAULT]]
    wanted = points(programs, chips, options.settings, options.sizes)
    table = SweepTable(Path(options.table))
    try:
        rows = _measured(wanted, table, options)
    finally:
        table.close()
    from hexagon_mlir.sweep.results import markdown, plot

    sys.stdout.write(markdown(wanted, rows))
    if options.plot:
        plot(wanted, rows, Path(options.plot))
    failed = sum(bool(rows[point.key].error) for point in wanted)
    return int(failed > 0)


def _measured(wanted: Sequence[Point], table: SweepTable, options: _Options) -> dict[str, Row]:
    """The rows of all points, by key: those of the table, and the others measured, with progress."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from hexagon_mlir.sweep.workers import on_cluster, on_processes

    rows = {key: row for key, row in table.known(point.key for point in wanted).items() if not row.error}
    left = list({point.key: point for point in wanted if point.key not in rows}.values())
    if not left:
        return rows
    jobs = min(options.jobs or os.cpu_count() or 1, len(left))
    found = on_cluster(left, options.scheduler) if options.scheduler else on_processes(left, jobs)
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("sweep", total=len(left))
        for point, row in found:
            table.add(point, row)
            rows[point.key] = row
            progress.update(task, advance=1, description=point.label[:60])
    return rows


def _programs(word: str) -> list[Program]:
    """What ``word`` names; raises `UsageError`."""
    import hashlib

    from hexagon_mlir.cli.inputs import read_bytes
    from hexagon_mlir.sweep.points import Program

    name, _, part = word.partition(":")
    if name == "corpus":
        from hexagon_mlir.bench.corpus import ENTRIES

        found = [Program(f"corpus:{entry.name}", "corpus", entry.name) for entry in ENTRIES if part in entry.name]
        if not found:
            raise UsageError(f"no kernel of the corpus is called {part}", "hexmlir bench --list")
        return found
    path = Path(word)
    if path.suffix not in (".mlir", ".py"):
        raise UsageError(f"'{word}' is no kernel (.mlir), no script (.py), and not the corpus", HINT)
    data = read_bytes(word)
    if path.suffix == ".py":
        return [Program(path.name, "script", str(path.resolve()), hashlib.sha256(data).hexdigest())]
    try:
        return [Program(path.name, "kernel", data.decode())]
    except UnicodeDecodeError:
        raise UsageError(f"'{word}' is no text") from None


def _read(words: Sequence[str]) -> _Options:
    """The options; raises `UsageError`."""
    options, rest = _Options(), list(words)
    while rest:
        word = rest.pop(0)
        if not word.startswith("-"):
            options.programs.append(word)
            continue
        flag, equals, value = word.partition("=")
        name = flag.removeprefix("--").replace("-", "_")
        if flag not in ("-o", "--target", "--size", "--jobs", "--scheduler", "--plot") and name not in DEFAULTS:
            raise UsageError(f"unknown option {word}", HINT)
        if not equals:
            value = rest.pop(0) if rest else ""
        if not value:
            raise UsageError(f"{flag} needs a value", HINT)
        _set(options, flag, name, value)
    if not options.programs:
        raise UsageError("no program is named", HINT)
    if options.plot and not options.sizes:
        raise UsageError("--plot shows cycles over a size, and there is none", "--size NAME=A,B")
    return options


def _set(options: _Options, flag: str, name: str, value: str) -> None:
    values = value.split(",")
    if flag == "-o":
        options.table = value
    elif flag == "--target":
        options.targets = values
    elif flag == "--size":
        size, equals, numbers = value.partition("=")
        if not equals or not size.isidentifier():
            raise UsageError(f"--size {value} names no size", "--size NAME=A,B")
        if size in options.sizes:
            raise UsageError(f"--size {size} is given twice", "--size NAME=A,B")
        options.sizes[size] = [whole_number(f"--size {size}", one, "--size NAME=A,B") for one in numbers.split(",")]
    elif flag == "--jobs":
        options.jobs = whole_number(flag, value, "--jobs=N")
    elif flag in ("--scheduler", "--plot"):
        setattr(options, name, value)
    else:
        options.settings[name] = [_setting(flag, DEFAULTS[name], one) for one in values]


def _setting(flag: str, default: Value, word: str) -> Value:
    if isinstance(default, bool):
        if word not in ("true", "false"):
            raise UsageError(f"{flag} is true or false, not '{word}'", HINT)
        return word == "true"
    return whole_number(flag, word, HINT) if isinstance(default, int) else word
