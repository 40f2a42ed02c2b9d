"""ruff and mypy have nothing to say."""

import subprocess
import sys

import pytest
from support import ROOT

FOLDERS = [name for name in ("hexagon_mlir", "passes", "dialects", "test", "bench", "scripts")
           if (ROOT / name).exists()]


def complaints(*command):
    done = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True)
    return "" if done.returncode == 0 else f"{done.stdout}{done.stderr}"


def test_ruff():
    text = complaints("ruff", "check", "--output-format=concise", *FOLDERS)
    assert not text, f"\n{text}"


@pytest.mark.parametrize("folder", ["hexagon_mlir", "passes", "dialects"])
def test_mypy(folder):
    text = complaints("mypy", "--no-error-summary", f"--cache-dir={ROOT}/.mypy_cache/{folder}", folder)
    assert not text, f"\n{text}"
