"""The tools of the tests as forks of the process that runs lit: nothing is imported again for each command."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from filecheck.main import main as filecheck

from hexagon_mlir import pass_names
from hexagon_mlir.cli import opt
from hexagon_mlir.pass_infra import registry

TOOLS: dict[str, Callable[[], int | None]] = {opt.TOOL: opt.main, "filecheck": filecheck}
_MOST_FILES = 1024


def load() -> None:
    """Import the bindings and every pass, so that no fork has to."""
    importlib.import_module("hexagon_mlir.cli.drive")
    for name in pass_names.names():
        registry.get(name)


class Popen(subprocess.Popen):
    """A process of any program; one of `TOOLS` does not start Python. Streams and exit codes are the same."""

    def __init__(self, args: list[str], *, env: dict[str, str], **options: Any):
        tool = TOOLS.get(Path(args[0]).name)
        if tool is not None:
            options["preexec_fn"] = lambda: _become(tool, args, env)
        super().__init__(args, env=env, **options)


def _become(tool: Callable[[], int | None], args: list[str], env: dict[str, str]) -> None:
    """Run ``tool`` in this child, whose first three descriptors are the command's; never returns."""
    os.closerange(3, _MOST_FILES)  # with them the one that tells the parent, by its end, that a program has started
    code: Any = 1
    try:
        os.environ.clear()
        os.environ.update(env)
        sys.argv = args
        sys.stdin, sys.stdout, sys.stderr = os.fdopen(0), os.fdopen(1, "w"), os.fdopen(2, "w", 1)
        code = tool()
        sys.stdout.flush()
    except SystemExit as end:
        sys.stdout.flush()
        code = end.code
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code or 0)
