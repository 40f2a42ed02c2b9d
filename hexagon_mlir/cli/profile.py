"""``hexmlir profile SCRIPT``: runs a Python script with the simulated NPU as Triton's device, then reports."""

from __future__ import annotations

import importlib.util
import runpy
import sys
import traceback
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path

from hexagon_mlir.cli.arguments import UsageError
from hexagon_mlir.cli.errors import nobody_reads_output
from hexagon_mlir.cli.inputs import read_bytes
from hexagon_mlir.ir.diagnostics import HexError

HINT = "hexmlir profile --help"
USAGE = """usage: hexmlir profile [--report=FOLDER] [--check] [--arithmetic=NAME] SCRIPT [--] [ARGS]

Runs a Python script with the simulated NPU as Triton's device and prints what every kernel launch cost; kernels of
compiled PyTorch models and of hexagon_mlir.compile count too.

  --report=FOLDER  write index.html, which lists the kernels with their shares of the cycles, and a page for each of
                   them, as hexmlir report does
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
    prepare(script)
    from hexagon_mlir.exec import sim
    from hexagon_mlir.report import text
    from hexagon_mlir.report.folder import write_report
    from hexagon_mlir.report.recording import Recording, recording

    with (sim.SESSION.recording() as records, sim.checking(check) as reports, sim.computing(arithmetic),
          recording(traced=bool(folder)) if folder or check else nullcontext(Recording((), ())) as recorded):
        code = run_script(script, arguments)
    sys.stdout.flush()
    for path in write_report(Path(folder), Path(script).name, recorded) if folder else ():
        print(path)
    sys.stdout.write("\n" + text.launches(records))
    if check:
        sys.stdout.write("\n" + text.faults(reports))
    return code or int(any(report.certain for report in reports))


def prepare(script: str) -> None:
    """Make the simulated NPU Triton's device; raises `HexError` unless ``script`` is text."""
    if not Path(script).is_file():
        raise HexError.plain("cannot read: no such script", file=script)
    data = read_bytes(script)
    if b"\0" in data:
        raise HexError.plain("no Python script: it holds a NUL character", file=script)
    try:
        importlib.util.decode_source(data)
    except (SyntaxError, UnicodeDecodeError) as error:
        raise HexError.plain(f"no Python script: {error}", file=script) from None
    if importlib.util.find_spec("triton") is not None:
        from hexagon_mlir.frontend.triton import activate

        activate()


def run_script(script: str, arguments: Sequence[str]) -> int:
    """Run it as Python would; the exit code."""
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
