"""``hexmlir profile SCRIPT``: runs a Python script with the simulated NPU as Triton's device, then reports."""

from __future__ import annotations

import importlib.util
import runpy
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from hexagon_mlir.ir.diagnostics import HexError


def profile(script: str, arguments: Sequence[str]) -> int:
    """Run ``script`` as ``python script arguments`` would and print its launches; returns its exit code."""
    if not Path(script).is_file():
        raise HexError.plain("cannot read: no such script", file=script)
    from hexagon_mlir.exec import sim
    from hexagon_mlir.report import text

    if importlib.util.find_spec("triton") is not None:
        from hexagon_mlir.frontend.triton import activate

        activate()
    first = len(sim.history)
    code = _run(script, arguments)
    sys.stdout.flush()
    sys.stdout.write("\n" + text.launches(sim.history[first:]))
    return code


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
        frames = [f for f in traceback.extract_tb(error.__traceback__)
                  if f.filename != __file__ and "runpy" not in f.filename]
        print("Traceback (most recent call last):", file=sys.stderr)
        print("".join((*traceback.format_list(frames), *traceback.format_exception_only(error))), end="",
              file=sys.stderr)
        return 1
    finally:
        sys.argv, sys.path[:] = argv, path
