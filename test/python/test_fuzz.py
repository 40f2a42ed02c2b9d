"""``python -m fuzz``: every kind runs a few seeds, and tells of those that fail."""

import subprocess
import sys

import pytest
from support import ROOT

from fuzz.__main__ import KINDS, main, seeds


def fuzz(*words):
    return subprocess.run([sys.executable, "-m", "fuzz", *words], cwd=ROOT, capture_output=True, text=True, timeout=240)


@pytest.mark.parametrize("kind", KINDS)
def test_kind(kind):
    done = fuzz(kind, "--seeds", "3:5")
    assert done.returncode == 0, done.stdout + done.stderr
    last = done.stdout.splitlines()[-1]
    assert last.startswith(("2 ", "programs 3 to 4 on v75: 2 agree")), last


def test_kinds_are_listed(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    text = capsys.readouterr().out
    assert all(kind in text for kind in KINDS)


def test_a_seed_is_shown():
    shown = [fuzz("triton-memory", "--seeds", "7", "--show").stdout for _ in range(2)]
    assert "@triton.jit" in shown[0] and shown[0] == shown[1]


@pytest.mark.parametrize(("text", "expected"), [("3", range(3)), ("5:7", range(5, 7)), ("0:1", range(1))])
def test_seeds(text, expected):
    assert seeds(text) == expected
