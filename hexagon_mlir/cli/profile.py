"""``hexmlir profile SCRIPT``: runs a Python script with the simulated NPU as Triton's device, then reports."""

from __future__ import annotations

import importlib.util
import os
import re
import runpy
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from hexagon_mlir.cli.arguments import UsageError
from hexagon_mlir.cli.errors import nobody_reads_output
from hexagon_mlir.cli.inputs import read_bytes
from hexagon_mlir.ir.diagnostics import HexError

if TYPE_CHECKING:
    from hexagon_mlir.codegen import Compiled
    from hexagon_mlir.exec.session import LaunchRecord


_NO_CACHE = "TRITON_ALWAYS_COMPILE"
HINT = "hexmlir profile --help"
USAGE = """usage: hexmlir profile [--report=FOLDER] [--check] [--arithmetic=NAME] SCRIPT [--] [ARGS]

Runs a Python script with the simulated NPU as Triton's device and prints what every kernel launch cost; kernels of
compiled PyTorch models and of hexagon_mlir.compile count too.

  --report=FOLDER  write KERNEL.html for each kernel: what every pass changed, the assembly with the cycles of each
                   packet, the timeline of its first launch
  --check          find faults in every launch (slower): bounds, uninitialised memory, DMA, races, leaks, ...; exit
                   code 1 if there are any
  --arithmetic=A   of the simulator's HVX floating point: chip (as the target computes it) or ieee

What follows SCRIPT is the script's. Where it has a flag of these names, too, '--' says so.
"""


def profile(words: Sequence[str]) -> int:
    """The exit code of ``hexmlir profile`` with ``words`` after it: the script's own."""
    rest, check = list(words), False
    values = {"--report": "", "--arithmetic": ""}
    while rest and rest[0].startswith("-"):
        name, equals, value = rest.pop(0).partition("=")
        if name in ("--help", "-h"):
            sys.stdout.write(USAGE)
            return 0
        if name == "--":
            break
        if name == "--debug" and not equals:  # heard by the tool
            continue
        if name == "--check" and not equals:
            check = True
            continue
        if name not in values:
            raise UsageError(f"unknown option {name}", HINT)
        if not equals and not rest:
            raise UsageError(f"{name} needs a value", HINT)
        values[name] = value if equals else rest.pop(0)
    if not rest:
        raise UsageError("no script", HINT)
    arguments = _script_arguments(rest[0], rest[1:], "--" in words[:-len(rest)])
    return _profile(rest[0], arguments, values["--report"], check, values["--arithmetic"])


def _script_arguments(script: str, words: list[str], separated: bool) -> list[str]:
    """Those of ``words``, which follow ``script``, that it gets; raises `UsageError` for what may be meant for us."""
    if separated:
        return words
    end = words.index("--") if "--" in words else len(words)
    for word in words[:end]:
        if word.partition("=")[0] in ("--check", "--report", "--arithmetic"):
            ours = "--report=FOLDER" if word == "--report" else word
            raise UsageError(f"{word} after the script's name", f"hexmlir profile {ours} {script}; for the script: "
                             f"hexmlir profile {script} -- {word}")
    return words[:end] + words[end + 1:]


def _profile(script: str, arguments: Sequence[str], folder: str, check: bool, arithmetic: str) -> int:
    _check(script)
    from hexagon_mlir.exec import sim
    from hexagon_mlir.report import text

    if importlib.util.find_spec("triton") is not None:
        from hexagon_mlir.frontend.triton import activate

        activate()
    explained = _explained(traced=bool(folder)) if folder or check else nullcontext(())
    with (sim.SESSION.recording() as records, sim.checking(check) as reports, sim.computing(arithmetic),
          explained as compiled):
        code = _run(script, arguments)
    sys.stdout.flush()
    for path in _write_pages(Path(folder), records, compiled) if folder else ():
        print(path)
    sys.stdout.write("\n" + text.launches(records))
    if check:
        sys.stdout.write("\n" + text.faults(reports))
    return code or int(any(report.certain for report in reports))


def _check(script: str) -> None:
    """Raise `HexError` unless ``script`` is text."""
    if not Path(script).is_file():
        raise HexError.plain("cannot read: no such script", file=script)
    data = read_bytes(script)
    if b"\0" in data:
        raise HexError.plain("no Python script: it holds a NUL character", file=script)
    try:
        importlib.util.decode_source(data)
    except (SyntaxError, UnicodeDecodeError) as error:
        raise HexError.plain(f"no Python script: {error}", file=script) from None


@contextmanager
def _explained(traced: bool) -> Iterator[Sequence[Compiled]]:
    """Compilations keep stages and line info, launches their traces; nothing comes out of Triton's own cache."""
    from hexagon_mlir.codegen.compile import explaining
    from hexagon_mlir.exec.sim import SESSION

    before = os.environ.get(_NO_CACHE)
    os.environ[_NO_CACHE] = "1"
    try:
        with explaining() as compiled, SESSION.running(traced=traced):
            yield compiled
    finally:
        del os.environ[_NO_CACHE]
        if before is not None:
            os.environ[_NO_CACHE] = before


def _write_pages(folder: Path, records: Sequence[LaunchRecord], compiled: Sequence[Compiled]) -> list[Path]:
    """A page for each kernel, of its first launch; a number tells those of one name apart."""
    from hexagon_mlir.report.page import kernel_page
    from hexagon_mlir.whole_files import Content, write_files

    by_asm = {each.asm: each for each in compiled}
    launched: dict[tuple[str, str], LaunchRecord] = {}
    for record in records:
        launched.setdefault((record.kernel, record.asm), record)
    pages: dict[Path, Content] = {}
    for record in launched.values():
        name = re.sub(r"[^\w.$-]", "_", record.kernel)  # a kernel may be called anything
        path = folder / f"{name}.html"
        number = 1
        while path in pages:
            number += 1
            path = folder / f"{name}-{number}.html"
        page = kernel_page(record.kernel, by_asm[record.asm], record.result, record.trace)
        pages[path] = page.encode()
    write_files(pages, folders=[folder])
    return sorted(pages)


def _run(script: str, arguments: Sequence[str]) -> int:
    argv, path = sys.argv, list(sys.path)
    sys.argv = [script, *arguments]
    sys.path.insert(0, str(Path(script).resolve().parent))
    try:
        runpy.run_path(script, run_name="__main__")
        return 0
    except SystemExit as leave:
        if isinstance(leave.code, str):
            print(leave.code, file=sys.stderr)
        return leave.code if isinstance(leave.code, int) else int(leave.code is not None)
    except HexError as error:
        print(error, file=sys.stderr)
        return 1
    except Exception as error:  # the script's own mistake: show it as Python would, without our frames
        if isinstance(error, BrokenPipeError) and nobody_reads_output():
            raise
        frames = [f for f in traceback.extract_tb(error.__traceback__)
                  if f.filename != __file__ and "runpy" not in f.filename]
        print("Traceback (most recent call last):", file=sys.stderr)
        print("".join((*traceback.format_list(frames), *traceback.format_exception_only(error))), end="",
              file=sys.stderr)
        return 1
    finally:
        sys.argv, sys.path[:] = argv, path
