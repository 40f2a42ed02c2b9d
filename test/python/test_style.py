"""ruff and mypy have nothing to say."""

import subprocess
import sys

from support import ROOT

FOLDERS = [name for name in ("hexagon_mlir", "passes", "dialects", "test", "bench", "scripts", "fuzz")
           if (ROOT / name).exists()]


def complaints(*command):
    done = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True)
    return "" if done.returncode == 0 else f"{done.stdout}{done.stderr}"


def test_ruff():
    text = complaints("ruff", "check", "--output-format=concise", *FOLDERS)
    assert not text, f"\n{text}"


def test_mypy():
    """In one process: most of its time goes to the types of PyTorch and numpy."""
    text = complaints("mypy", "--no-error-summary", "hexagon_mlir", "passes", "dialects")
    assert not text, f"\n{text}"
