"""ruff and mypy have nothing to say."""

import subprocess
import sys

from support import ROOT

FOLDERS = [name for name in ("hexagon_mlir", "passes", "dialects", "test", "bench", "scripts", "fuzz")
           if (ROOT / name).exists()]


TYPED = ("hexagon_mlir", "passes", "dialects")
UNTYPED = ("bench", "fuzz")
MISSING = ("[attr-defined]", "[import-not-found]", "[name-defined]")
"""What mypy calls names that do not exist."""


def complaints(*command):
    done = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True)
    return "" if done.returncode == 0 else f"{done.stdout}{done.stderr}"


def test_ruff():
    text = complaints("ruff", "check", "--output-format=concise", *FOLDERS)
    assert not text, f"\n{text}"


def test_mypy():
    """In one process: most of its time goes to the types of PyTorch and numpy.

    Benchmarks and fuzzers run rarely. The names they import and use must exist; their other types are not checked.
    """
    lines = complaints("mypy", "--no-error-summary", "--explicit-package-bases", *TYPED, *UNTYPED).splitlines()
    text = "\n".join(line for line in lines if not line.startswith(UNTYPED) or line.endswith(MISSING))
    assert not text, f"\n{text}"
