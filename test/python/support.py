"""What every test may use: paths, names of passes, and calls of ``hexmlir-opt``, in this process or not."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Outcome:
    """What a tool did: exit code and both streams."""

    code: int
    out: str
    err: str


def call_opt(*argv: str, stdin: bytes = b"") -> Outcome:
    """``hexmlir-opt`` with ``argv`` in this process; the same code as the binary, without its start."""
    from hexagon_mlir.cli import opt

    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    previous, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(stdin), "utf-8")
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = opt.main(list(argv))
    finally:
        sys.stdin = previous
    out.flush()
    return Outcome(code, out.buffer.getvalue().decode(errors="replace"), err.getvalue())


def pass_names() -> list[str]:
    """The passes of this project (not those of plug-ins), for parametrised tests."""
    files = (ROOT / "passes").glob("*.py")
    return sorted(p.stem.replace("_", "-") for p in files if not p.stem.startswith("_"))


def run_opt(*argv: str, stdin: bytes = b"", tool: str = "hexmlir-opt", cwd: Path = ROOT) -> Outcome:
    """The real binary in its own process, as users start it: with its bytecode kept. A negative code means that a
    signal ended it.
    """
    command = [str(Path(sys.executable).parent / tool), *argv]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(command, input=stdin, capture_output=True, cwd=cwd, env=environment, timeout=60)
    out, err = (stream.decode(errors="replace") for stream in (done.stdout, done.stderr))
    return Outcome(done.returncode, out, err)
