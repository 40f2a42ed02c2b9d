"""Accuracy and qfloat chaining, chosen for a whole compilation: from Python, both tools, a Triton launch and torch."""

import contextlib
import io

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from support import run_opt

import hexagon_mlir as hx
from hexagon_mlir.cli import hexmlir
from hexagon_mlir.frontend.torch import dynamo
from hexagon_mlir.frontend.triton import activate
from hexagon_mlir.ir import HexError

SIZE = 4096
EXP = f"""func.func @f(%x: tensor<{SIZE}xf32>) -> tensor<{SIZE}xf32> {{
  %e = tensor.empty() : tensor<{SIZE}xf32>
  %r = linalg.exp ins(%x : tensor<{SIZE}xf32>) outs(%e : tensor<{SIZE}xf32>) -> tensor<{SIZE}xf32>
  return %r : tensor<{SIZE}xf32>
}}
"""
X = np.linspace(-80, 80, SIZE, dtype=np.float32)
EXPECTED = np.exp(X.astype(np.float64))
ACCURATE, FAST = 2**-22, 2**-17  # relative: some 2 and 64 ulp


def error(values) -> float:
    return float(np.max(np.abs(np.asarray(values, np.float64) - EXPECTED) / EXPECTED))


@triton.jit
def exp_kernel(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.exp(tl.load(x + i)))


@pytest.fixture(scope="module")
def runs():
    return {(accuracy, qfloat): hx.compile(EXP, accuracy=accuracy, qfloat=qfloat, threads=1).run(X)
            for accuracy in ("accurate", "fast") for qfloat in (True, False)}


class TestApi:
    def test_errors_are_those_of_the_level(self, runs):
        for (accuracy, _), run in runs.items():
            assert error(run.outputs[0]) < (ACCURATE if accuracy == "accurate" else FAST)
            assert accuracy == "accurate" or error(run.outputs[0]) > ACCURATE  # else the test could not tell

    def test_each_saves_packets(self, runs):
        packets = {kind: run.profile.packets for kind, run in runs.items()}
        assert packets["fast", True] < 0.7 * packets["accurate", True]
        assert packets["accurate", True] < 0.8 * packets["accurate", False]
        assert packets["fast", True] < 0.8 * packets["fast", False]

    def test_accurate_with_qfloat_is_the_default(self):
        kernel = hx.compile(EXP)
        assert (kernel.settings.accuracy, kernel.settings.qfloat) == ("accurate", True)
        assert kernel.asm == hx.compile(EXP, accuracy="accurate", qfloat=True).asm

    def test_unknown_accuracy(self):
        with pytest.raises(HexError, match=r"unknown accuracy 'exact'\s+hint: one of accurate, fast"):
            hx.compile(EXP, accuracy="exact")


class TestTools:
    def call(self, *words):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = hexmlir.main(list(words))
        return code, out.getvalue(), err.getvalue()

    def test_opt(self, tmp_path):
        path = tmp_path / "exp.mlir"
        path.write_text(EXP)
        conversions = {}
        for words in ((), ("--accuracy=fast",), ("--qfloat=false",)):
            result = run_opt(str(path), "--pipeline=default", "--threads=1", "--emit=asm", *words)
            assert result.code == 0
            conversions[words] = result.out.count(".sf = v")
        assert conversions["--accuracy=fast",] < conversions[()] < conversions["--qfloat=false",]
        assert "hexagon-math-expansion{accuracy=fast}" in run_opt("--print-pipeline=default", "--accuracy=fast").out
        result = run_opt(str(path), "--pipeline=default", "--accuracy=exact")
        assert result.code == 1 and "unknown accuracy 'exact'" in result.err

    def test_run_and_compile(self, tmp_path):
        path = tmp_path / "exp.mlir"
        path.write_text(EXP)
        np.save(tmp_path / "x.npy", X)
        code, _, err = self.call("run", str(path), "--args", str(tmp_path / "x.npy"), "--accuracy=fast",
                                   f"--out={tmp_path}")
        assert (code, err) == (0, "") and ACCURATE < error(np.load(tmp_path / "result0.npy")) < FAST
        asm = {}
        for words in ((), ("--accuracy=fast",), ("--qfloat=false",)):
            target = tmp_path / f"k{len(asm)}.s"
            assert self.call("compile", str(path), "--emit=asm", "-o", str(target), *words)[0] == 0
            asm[words] = target.read_text()
        assert len(set(asm.values())) == 3
        for word in ("--accuracy=exact", "--qfloat=maybe"):
            code, _, err = self.call("compile", str(path), word)
            assert code == 1 and word.partition("=")[2] in err


def test_triton_launch(monkeypatch):
    activate()
    monkeypatch.setenv("HEXMLIR_EXECUTOR", "sim")
    x = torch.from_numpy(X)
    for options, low, high in (({}, 0.0, ACCURATE), ({"accuracy": "fast"}, ACCURATE, FAST),
                               ({"qfloat": False}, 0.0, ACCURATE)):
        out = torch.empty_like(x)
        exp_kernel[(1,)](x, out, BLOCK=SIZE, **options)
        assert low <= error(out) < high, options


def test_torch_compile():
    dynamo.models.clear()
    x = torch.from_numpy(X)
    packets = []
    for options in ({}, {"accuracy": "fast"}):
        torch._dynamo.reset()
        compiled = torch.compile(torch.exp, backend="hexagon", options={**options, "fallback": "error"})
        with torch.no_grad():
            assert error(compiled(x)) < (FAST if options else ACCURATE)
        packets.append(sum(launch.result.packets for launch in dynamo.models[-1].last_run.launches))
    assert packets[1] < 0.7 * packets[0]
