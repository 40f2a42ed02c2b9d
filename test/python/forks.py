"""Tools and scripts as forks of one process that has imported PyTorch, Triton and the compiler: to import them takes
four seconds. Exit code, streams, folder and environment are as in a process of its own.
"""

from __future__ import annotations

import importlib
import json
import os
import runpy
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Mapping
from pathlib import Path

from support import ROOT, Outcome

TOOLS = {"fuzz": "fuzz.__main__", "hexmlir": "hexagon_mlir.cli.hexmlir", "hexmlir-opt": "hexagon_mlir.cli.opt"}
SECONDS = 240
"""After these a command is ended."""


class Forks:
    """A process that `run` forks for each command."""

    def __init__(self) -> None:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(Path(__file__).parent)])}
        self._process = subprocess.Popen([sys.executable, "-P", __file__], env=environment, stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE, text=True)

    def run(self, *words: str | Path, cwd: Path = ROOT, environment: Mapping[str, str] = os.environ) -> Outcome:
        """The command ``words``: a tool of the package, ``fuzz``, or ``python`` with a script."""
        assert self._process.stdin and self._process.stdout
        print(json.dumps([list(map(str, words)), str(cwd), dict(environment)]), file=self._process.stdin, flush=True)
        return Outcome(*json.loads(self._process.stdout.readline()))

    def close(self) -> None:
        """End the process."""
        with self._process:
            assert self._process.stdin
            self._process.stdin.close()


def _call(words: list[str]) -> object:
    """Do what a process does that is started with ``words``; the exit code."""
    if words[0] == "python":
        sys.argv = words[1:]
        sys.path.insert(0, str(Path(sys.argv[0]).resolve().parent))
        runpy.run_path(sys.argv[0], run_name="__main__")
        return 0
    sys.argv = words
    return importlib.import_module(TOOLS[words[0]]).main()


def _become(words: list[str], cwd: str, environment: dict[str, str], out: int, err: int) -> None:
    """Run a command in this child; never returns."""
    code: object = 1
    try:
        for stream, number in ((os.open(os.devnull, os.O_RDONLY), 0), (out, 1), (err, 2)):
            os.dup2(stream, number)
        os.chdir(cwd)
        os.environ.clear()
        os.environ.update(environment)
        signal.alarm(SECONDS)
        code = _call(words)
    except SystemExit as end:
        code = end.code
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code if isinstance(code, int) else code is not None)


def _serve() -> None:
    """Answer each line, a command, by its exit code and what it printed."""
    for module in ("hexagon_mlir.cli.hexmlir", "hexagon_mlir.cli.drive", "hexagon_mlir.frontend.torch",
                   "hexagon_mlir.frontend.triton", "hexagon_mlir.exec.sim", "torch", "triton"):
        importlib.import_module(module)
    for line in sys.stdin:
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            child = os.fork()
            if not child:
                _become(*json.loads(line), out.fileno(), err.fileno())
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            printed = []
            for file in (out, err):
                file.seek(0)
                printed.append(file.read().decode(errors="replace"))
        print(json.dumps([code, *printed]), flush=True)


if __name__ == "__main__":
    _serve()
