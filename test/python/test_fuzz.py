"""``python -m fuzz``: every kind runs a few seeds, and tells of those that fail."""

import json
import subprocess
import sys

import pytest
from support import ROOT

from fuzz.__main__ import KINDS, main, seeds


def fuzz(*words):
    return subprocess.run([sys.executable, "-m", "fuzz", *words], cwd=ROOT, capture_output=True, text=True, timeout=240)


FORKS = """
import importlib, json, os, signal, sys, tempfile
from fuzz.__main__ import KINDS, main
for module, _ in KINDS.values():
    importlib.import_module(module)
for line in sys.stdin:
    with tempfile.TemporaryFile() as printed:
        child = os.fork()
        if not child:
            os.dup2(printed.fileno(), 1)
            os.dup2(printed.fileno(), 2)
            signal.alarm(240)
            code = 70
            try:
                code = main(json.loads(line))
            finally:
                sys.stdout.flush()
                os._exit(code)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        printed.seek(0)
        print(json.dumps([code, printed.read().decode()]), flush=True)
"""
"""Runs each line of words in a process that has imported PyTorch and Triton already."""


@pytest.fixture(scope="module")
def forks():
    with subprocess.Popen([sys.executable, "-c", FORKS], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True) as process:
        yield process
        process.stdin.close()


@pytest.mark.parametrize("seed", [3, pytest.param(4, marks=pytest.mark.full)])
@pytest.mark.parametrize("kind", [
    pytest.param(kind, marks=[pytest.mark.full] * (kind in ("triton-pointers", "triton-memory"))) for kind in KINDS])
def test_kind(kind, seed, forks):
    print(json.dumps([kind, "--seeds", f"{seed}:{seed + 1}"]), file=forks.stdin, flush=True)
    code, text = json.loads(forks.stdout.readline())
    assert code == 0, text
    last = text.splitlines()[-1]
    assert last.startswith(("1 ", f"programs {seed} to {seed} on v75: 1 agree")), last


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
