"""What is chosen for a whole compilation, by the same names from Python, the tools, a Triton launch and torch."""

import contextlib
import inspect
import io
from dataclasses import fields

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from support import run_opt

import hexagon_mlir as hx
from hexagon_mlir.cli import arguments, build, hexmlir
from hexagon_mlir.cli.build_options import Options
from hexagon_mlir.cli.options import read_options
from hexagon_mlir.frontend.torch import dynamo
from hexagon_mlir.frontend.triton import activate
from hexagon_mlir.frontend.triton.compiler import HexagonOptions
from hexagon_mlir.ir import HexError
from hexagon_mlir.settings import Settings

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


def names(kind):
    return {field.name for field in fields(kind)}


def test_one_set_of_names_everywhere():
    """Each way in has the target, the pipeline and all settings, with the same defaults."""
    everywhere = {"target": hx.targets.DEFAULT, "pipeline": "default"} | {f.name: f.default for f in fields(Settings)}
    called = {name: p.default for name, p in inspect.signature(hx.compile).parameters.items()}
    torch_options = {f.name: f.default for f in fields(dynamo.TorchSettings)}
    launch = {f.name: f.default for f in fields(HexagonOptions)}
    launch["target"] = launch["arch"]  # Triton's word
    for given in (called, torch_options, launch):
        assert {name: given[name] for name in everywhere} == everywhere
    assert set(build.SETTINGS) == set(everywhere) and {"target", "pipeline"} <= names(build.Options)
    flags = {flag.name.replace("-", "_") for flag in arguments.FLAGS}
    assert set(everywhere) <= flags
    assert torch_options["numerics"] == called["numerics"] and "numerics" in names(build.Options)
    help_texts = (build.COMPILE_USAGE, compile_usage(), arguments.help_text())
    assert all(f"--{name.replace('_', '-')}" in text for name in everywhere for text in help_texts)


def test_the_tools_read_each_setting():
    given = {"threads": 3, "accuracy": "fast", "qfloat": False, "line_info": True, "tcm_bytes": 4096,
             "matrix_engine": False, "f32_split": True, "requantization": "engine", "search": "all"}
    words = [f"--{name.replace('_', '-')}={str(value).lower()}" for name, value in given.items()]
    assert names(Settings) == set(given) and all(given[f.name] != f.default for f in fields(Settings))
    assert arguments.parse_arguments(["--pipeline=default", *words]).settings == given
    assert read_options(Options(), ["k.mlir", *words], build.SETTINGS, "").settings == given


def compile_usage():
    from hexagon_mlir.cli import compile

    return compile.USAGE


class TestTcm:
    """``tcm_bytes`` bounds what is planned."""

    def test_kernel(self):
        whole, half = hx.compile(EXP, threads=1), hx.compile(EXP, threads=1, tcm_bytes=8192)
        assert "hexagon-tcm-tiling" in half.stages and whole.asm != half.asm
        assert error(half.run(X).outputs[0]) < ACCURATE
        with pytest.raises(HexError, match="16777216 bytes of TCM, v75 has 8388608"):
            hx.compile(EXP, tcm_bytes=16 << 20)

    def test_model(self):
        program = torch.export.export(torch.nn.Softmax(-1), (torch.randn(64, 64),))
        bytes_planned = [hx.compile(program, threads=1, tcm_bytes=n).result.tcm_bytes for n in (0, 8192)]
        assert 0 < bytes_planned[1] <= 8192 < bytes_planned[0]


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

    @pytest.mark.parametrize(("given", "message"), [
        ({"threads": "4"}, "threads is a whole number, not '4'"), ({"threads": 1.5}, "not 1.5"),
        ({"threads": True}, "not True"), ({"tcm_bytes": "1M"}, "tcm_bytes is a whole number, not '1M'"),
        ({"qfloat": "no"}, "qfloat is True or False, not 'no'"), ({"line_info": 1}, "line_info is True or False")])
    def test_values_of_another_type(self, given, message):
        with pytest.raises(HexError, match=message):
            hx.compile(EXP, **given)


class TestTools:
    def call(self, *words):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = hexmlir.main(list(words))
        return code, out.getvalue(), err.getvalue()

    def test_opt(self, tmp_path):
        path = tmp_path / "exp.mlir"
        path.write_text(EXP)
        conversions, packets = {}, {}
        for words in ((), ("--accuracy=fast",), ("--qfloat=false",)):
            result = run_opt(str(path), "--pipeline=default", "--threads=1", "--emit=asm", *words)
            assert result.code == 0
            conversions[words], packets[words] = result.out.count(".sf = v"), result.out.count("{")
        assert packets["--accuracy=fast",] < packets[()]
        assert conversions[()] < conversions["--qfloat=false",]
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
