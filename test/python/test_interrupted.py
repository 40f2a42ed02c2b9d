"""Ctrl-C leaves nothing behind, and processes that do the same at once do not disturb each other."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from hexagon_mlir import targets
from hexagon_mlir.interrupts import deferred, deliver
from hexagon_mlir.ir import parse
from hexagon_mlir.ir.query import find_ops
from hexagon_mlir.pass_infra import PassContext, PassStep
from hexagon_mlir.pass_infra.base import Pass
from hexagon_mlir.pass_infra.runner import run_steps

AT_WORK = 60
"""Hundredths of a second that a process has computed which has loaded LLVM: half of them on a quick machine."""
LINES = 30
"""Divisions and tangents: seconds of LLVM's."""
SLOW = """#map = affine_map<(d0) -> (d0)>
func.func @f(%x: tensor<4096xf32>, %y: tensor<4096xf32>) -> tensor<4096xf32> {
  %0 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<4096xf32>, tensor<4096xf32>) outs(%x : tensor<4096xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %e0 = arith.addf %a, %b : f32
""" + "".join(f"    %d{i} = arith.divf %e{i - 1}, %b : f32\n    %e{i} = math.tanh %d{i} : f32\n"
              for i in range(1, LINES)) + f"""    linalg.yield %e{LINES - 1} : f32
  }} -> tensor<4096xf32>
  return %0 : tensor<4096xf32>
}}
"""
QUICK = SLOW.replace("math.tanh", "math.absf").replace("arith.divf", "arith.addf")
QUICK_RESULT = 2 * (LINES + 1)
"""Of twos."""
PROFILED = "import hexagon_mlir as hx\nhx.compile('k.mlir')\n"
TWO_KERNELS = """import torch, hexagon_mlir as hx
class Model(torch.nn.Module):
    def forward(self, x):
        for _ in range(10):
            x = torch.tanh(x) / (x + 2)
        y = x.t() @ x
        for _ in range(10):
            y = torch.tanh(y) / (y + 2)
        return y
hx.compile(torch.export.export(Model(), (torch.ones(64, 64),)))
"""


def children(pid: int) -> list[int]:
    """The processes that ``pid`` started and that are alive."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state, parent = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
        except OSError:
            continue
        if int(parent) == pid and state != "Z":
            found.append(int(folder.name))
    return found


def ticks(pid: int) -> int:
    """CPU time of process ``pid``, in hundredths of a second."""
    try:
        return sum(map(int, Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]))
    except OSError:
        return 0


def wait_until(condition, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.05)
    return condition()


@pytest.fixture
def room(tmp_path, monkeypatch):
    for name in ("work", "temporary", "cache"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    monkeypatch.setenv("HEXAGON_MLIR_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "work" / "k.mlir").write_text(SLOW)
    (tmp_path / "work" / "s.py").write_text(PROFILED)
    return tmp_path


def started(room: Path, *words: str, **others) -> subprocess.Popen:
    tool = Path(sys.executable).parent / words[0]
    return subprocess.Popen([tool, *words[1:]], cwd=room / "work", stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            **others)


@pytest.mark.parametrize("threaded", [False, True])
def test_deferred(threaded):
    """Only in the main thread: signals come there alone."""
    def body():
        with deferred(), deferred():
            if not threaded:
                signal.raise_signal(signal.SIGINT)
            done.append(True)
        done.append(True)

    done = []
    before = signal.getsignal(signal.SIGINT)
    if threaded:
        thread = threading.Thread(target=body)
        thread.start()
        thread.join()
    else:
        with pytest.raises(KeyboardInterrupt):
            body()
    assert len(done) == 1 + threaded and signal.getsignal(signal.SIGINT) is before


def test_a_deferred_ctrl_c_is_delivered_once():
    with deferred():
        deliver()
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            deliver()
    deliver()


def test_ctrl_c_while_the_bindings_call_back():
    """They turn every exception into a RuntimeError."""
    class Interrupted(Pass):
        def run(self, module, context):
            find_ops(module, lambda op: signal.raise_signal(signal.SIGINT))
            seen.append(len(find_ops(module, lambda op: True)))

    seen = []
    module = parse("func.func @f() { return }")
    steps = [PassStep(Interrupted()), PassStep(Interrupted())]
    with pytest.raises(KeyboardInterrupt):
        run_steps(module, steps, PassContext(targets.get("v75")))
    assert seen == [3]


@pytest.mark.parametrize(("words", "code", "says", "everyone"), [
    pytest.param(["hexmlir-opt", "k.mlir", "--pipeline=default", "--emit=asm", "-o", "k.s"], -signal.SIGINT, b"",
                 False, marks=pytest.mark.full),
    pytest.param(["hexmlir", "compile", "k.mlir", "--emit=asm"], 130, b"hexmlir: interrupted\n", False,
                 marks=pytest.mark.full),
    (["hexmlir", "compile", "k.mlir", "--emit=asm"], 130, b"hexmlir: interrupted\n", True),
    (["hexmlir", "profile", "s.py"], 130, b"hexmlir: interrupted\n", False)])
def test_ctrl_c(words, code, says, everyone, room):
    """Sent to the tool, or as a terminal does, to its whole group."""
    before = sorted(os.listdir(room / "work"))
    process = started(room, *words, process_group=0)
    # LLVM has been loaded, and is at work
    assert wait_until(lambda: any(ticks(child) > AT_WORK for child in children(process.pid)), 60)
    workers = children(process.pid)
    (os.killpg if everyone else os.kill)(process.pid, signal.SIGINT)
    start = time.monotonic()
    _, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (code, says)
    assert time.monotonic() - start < 3
    assert wait_until(lambda: not any(Path(f"/proc/{worker}").exists() for worker in workers), 3)
    assert sorted(os.listdir(room / "work")) == before
    assert os.listdir(room / "temporary") == os.listdir(room / "cache") == []


def test_ctrl_c_while_kernels_of_a_model_are_made(room):
    pytest.importorskip("torch")
    (room / "work" / "s.py").write_text(TWO_KERNELS)
    process = started(room, "hexmlir", "profile", "s.py")
    assert wait_until(lambda: any(ticks(child) > AT_WORK for child in children(process.pid)), 90)
    process.send_signal(signal.SIGINT)
    start = time.monotonic()
    assert process.communicate(timeout=30)[1].endswith(b"hexmlir: interrupted\n")
    assert process.returncode == 130 and time.monotonic() - start < 5


def test_after_ctrl_c_the_next_compilation_is_right(room):
    """In a session that goes on, as a notebook's."""
    code = ("import os, signal, sys, threading\nimport numpy as np\nimport hexagon_mlir as hx\n"
            "for seconds in (0.05, 0.2, 0.5, 1):\n"
            "    threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
            "    try:\n        hx.compile('k.mlir')\n        sys.exit('not interrupted')\n"
            "    except KeyboardInterrupt:\n        pass\n"
            f"k = hx.compile({QUICK!r})\nx = np.full(4096, 2, np.float32)\nprint(k.run(x, x).outputs[0][0])\n")
    process = subprocess.run([sys.executable, "-c", code], cwd=room / "work", capture_output=True, timeout=120)
    assert process.returncode == 0, process.stderr.decode()
    assert abs(float(process.stdout) - QUICK_RESULT) < 1e-4 and process.stderr == b""


def test_two_processes_compile_the_same(room):
    """From an empty cache, into the same file."""
    (room / "work" / "k.mlir").write_text(QUICK)
    words = ("hexmlir", "compile", "k.mlir", "--emit=asm")
    running = [started(room, *words) for _ in range(2)]
    assert [(*each.communicate(timeout=120), each.returncode) for each in running] == [(b"k.s\n", b"", 0)] * 2
    assert sorted(os.listdir(room / "work")) == ["k.mlir", "k.s", "s.py"]
    first = (room / "work" / "k.s").read_bytes()
    again = started(room, *words)  # out of the cache they filled
    assert again.communicate(timeout=60) == (b"k.s\n", b"") and (room / "work" / "k.s").read_bytes() == first


def test_two_processes_run_the_same(room):
    (room / "work" / "k.mlir").write_text(QUICK)
    np.save(room / "work" / "x.npy", np.full(4096, 2, np.float32))
    words = ("hexmlir", "run", "k.mlir", "--args", "x.npy", "x.npy", "--out=new/out", "--report=k.html", "--trace=t")
    running = [started(room, *words) for _ in range(2)]
    results = [(*each.communicate(timeout=120), each.returncode) for each in running]
    assert [(err, code) for _, err, code in results] == [(b"", 0)] * 2
    assert len({out for out, _, _ in results}) == 1
    assert os.listdir(room / "work" / "new" / "out") == ["result0.npy"]
    result = np.load(room / "work" / "new" / "out" / "result0.npy")
    np.testing.assert_allclose(result, np.full(4096, QUICK_RESULT), rtol=1e-6)


def test_two_processes_write_pages_into_the_same_folder(room):
    (room / "work" / "k.mlir").write_text(QUICK)
    (room / "work" / "s.py").write_text(
        "import hexagon_mlir as hx, numpy as np\nx = np.ones(4096, np.float32)\nhx.compile('k.mlir').run(x, x)\n")
    running = [started(room, "hexmlir", "profile", "--report=deep/pages", "s.py") for _ in range(2)]
    results = [(*each.communicate(timeout=120), each.returncode) for each in running]
    assert [(err, code) for _, err, code in results] == [(b"", 0)] * 2
    pages = room / "work" / "deep" / "pages"
    assert {path.relative_to(pages).as_posix() for path in pages.rglob("*")} == {
        "index.html", "kernels", "kernels/f.html"}
    for page in ("index.html", "kernels/f.html"):
        assert (pages / page).read_text().rstrip().endswith("</html>")
