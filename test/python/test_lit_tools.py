"""The tools that lit runs as forks: streams, exit codes and signals are those of processes."""

import importlib.util
import os
import signal
import subprocess
import sys

import pytest
from support import ROOT, run_opt

spec = importlib.util.spec_from_file_location("forked_tools", ROOT / "test" / "forked_tools.py")
forked_tools = importlib.util.module_from_spec(spec)
spec.loader.exec_module(forked_tools)
TEXT = "func.func @f() {\n  return\n}\n"


def much():
    print("x" * (1 << 20))
    raise SystemExit(3)


def arguments():
    print(sys.argv, os.environ["WORD"], sys.stdin.read(), file=sys.stderr)


def wrong():
    raise ValueError("no such thing")


def ended():
    signal.signal(signal.SIGSEGV, signal.SIG_DFL)  # pytest's handler, which a fork has too, may wait for ever there
    os.kill(os.getpid(), signal.SIGSEGV)


def outcome(*args, stdin=""):
    process = forked_tools.Popen(list(args), env={**os.environ, "WORD": "seven"}, stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, close_fds=True)
    out, err = process.communicate(stdin)
    return process.returncode, out, err


@pytest.fixture(autouse=True)
def tools(monkeypatch):
    for tool in (much, arguments, wrong, ended):
        monkeypatch.setitem(forked_tools.TOOLS, tool.__name__, tool)


def test_streams_and_codes():
    assert outcome("/bin/much") == (3, "x" * (1 << 20) + "\n", "")
    assert outcome("arguments", "a", stdin="text") == (0, "", "['arguments', 'a'] seven text\n")
    assert outcome("sh", "-c", "echo $WORD; exit 5") == (5, "seven\n", "")
    assert outcome("ended") == (-signal.SIGSEGV, "", "")
    code, out, err = outcome("wrong")
    assert (code, out) == (1, "") and err.endswith("ValueError: no such thing\n")


@pytest.mark.parametrize("words", [["-", "--canonicalize"], ["-", "--no-such-pass"]])
def test_it_is_the_binary(words):
    binary = run_opt(*words, stdin=TEXT.encode())
    assert outcome("hexmlir-opt", *words, stdin=TEXT) == (binary.code, binary.out, binary.err)
    assert binary.code == (words[1] != "--canonicalize")


def test_what_does_not_match_fails(tmp_path):
    wanted = tmp_path / "wanted.mlir"
    wanted.write_text("// CHECK: return\n// CHECK-NOT: call\n")
    assert outcome("filecheck", str(wanted), stdin=TEXT)[0] == 0
    assert outcome("filecheck", str(wanted), stdin=TEXT + "call\n")[0] == 1
    assert outcome("filecheck", str(wanted), stdin="func.func")[0] == 1
