"""The plug-in: light, quiet, cached by content, and exact about which memory a kernel sees."""

import os
import subprocess
import sys

import pytest
import torch
import triton
import triton.language as tl

from hexagon_mlir.exec import sim
from hexagon_mlir.exec.session import REMEMBERED
from hexagon_mlir.frontend.triton import compiler, lower
from hexagon_mlir.frontend.triton.kernel import from_kernel
from hexagon_mlir.ir import HexError
from hexagon_mlir.settings import Settings


@triton.jit
def copy_kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n), mask=i < n)


def python(code, **environment):
    return subprocess.run([sys.executable, "-W", "error::UserWarning", "-c", code], capture_output=True, text=True,
                          env={**os.environ, **environment}, timeout=120)


def test_import_of_triton_stays_light():
    done = python("import triton, sys\n"
                  "heavy = {'torch_mlir', 'llvmlite', 'numpy', 'triton.language.extra.cuda'} & set(sys.modules)\n"
                  "print(sorted(m for m in heavy if m in ('torch_mlir', 'llvmlite')))")
    assert done.stdout.strip() == "[]", done.stderr
    assert done.stderr == ""


KERNEL_FILE = """
import torch, triton, triton.language as tl
@triton.jit
def copy_kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n), mask=i < n)
x, out = torch.arange(20.0), torch.zeros(20)
copy_kernel[(1,)](x, out, 20, BLOCK=32)
print(torch.equal(x, out))
"""


def test_chosen_by_environment_and_silent(tmp_path):
    file = tmp_path / "kernel.py"
    file.write_text(KERNEL_FILE)
    done = python(f"import runpy; runpy.run_path({str(file)!r})", TRITON_DEFAULT_BACKEND="hexagon",
                  HEXMLIR_EXECUTOR="host", TRITON_CACHE_DIR=str(tmp_path / "cache"))
    assert done.stdout.strip() == "True", done.stderr
    assert done.stderr == ""


def test_stages_are_kept():
    kernel = copy_kernel.warmup(torch.float32, torch.float32, 32, BLOCK=16, grid=(1,))
    assert "tt.func" in kernel.asm["ttir"]
    assert "func.func @copy_kernel" in kernel.asm["linalg"]
    assert kernel.metadata.name == "copy_kernel"
    assert kernel.metadata.compile_seconds > 0


def test_kept_linalg_compiles_to_the_same_code(monkeypatch):
    """The module goes on to the last stage once, as it is; from then on the text counts."""
    monkeypatch.setenv("HEXMLIR_EXECUTOR", "sim")
    module = lower.to_linalg(from_kernel(copy_kernel, {"x": "*fp32", "out": "*fp32", "n": "i32"}, {"BLOCK": 64}))
    text = lower.PrintedText.of(module)
    kept = str(text)
    from_module = lower.to_binary(text, "v75", "default", Settings())
    assert text.take() is None
    assert text == kept
    assert lower.to_binary(text, "v75", "default", Settings()) == from_module
    assert lower.to_binary(kept, "v75", "default", Settings()) == from_module
    assert b"copy_kernel" in from_module


def test_hash_follows_the_sources(monkeypatch):
    backend = compiler.HexagonBackend(compiler.GPUTarget("hexagon", "v75", 1))
    assert compiler.source_hash() in backend.hash()
    other = compiler.HexagonBackend(compiler.GPUTarget("hexagon", "v79", 1))
    assert other.hash() != backend.hash()
    host = backend.hash()
    monkeypatch.setenv("HEXMLIR_EXECUTOR", "sim")
    assert backend.hash() != host


def test_options_are_part_of_the_key():
    options = compiler.HexagonOptions()
    assert options.hash() != compiler.HexagonOptions(pipeline="scalar").hash()
    assert options.hash() == compiler.HexagonOptions().hash()


def test_empty_tensor():
    out = torch.zeros(0)
    copy_kernel[(1,)](torch.zeros(0), out, 0, BLOCK=16)
    assert out.numel() == 0


def test_a_pointer_must_be_a_tensor():
    with pytest.raises((HexError, TypeError)):
        copy_kernel[(1,)](torch.zeros(4), [1.0], 4, BLOCK=16)


@triton.jit
def tuple_kernel(pair, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(pair[0] + i) * pair[1])


def test_tuple_arguments():
    x, out = torch.arange(16.0), torch.zeros(16)
    tuple_kernel[(1,)]((x, 3), out, BLOCK=16)
    assert torch.equal(out, x * 3)


@triton.autotune([triton.Config({"BLOCK": 16}), triton.Config({"BLOCK": 32})], key=["n"])
@triton.jit
def tuned_kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)


def test_autotune():
    x, out = torch.arange(50.0), torch.zeros(50)
    tuned_kernel[lambda meta: (triton.cdiv(50, meta["BLOCK"]),)](x, out, 50)
    assert torch.equal(out, x + 1)
    assert tuned_kernel.best_config.kwargs["BLOCK"] in (16, 32)


class TestSimulator:
    """The same through code generation and the simulator."""

    @pytest.fixture(autouse=True)
    def on_simulator(self, monkeypatch):
        monkeypatch.setenv("HEXMLIR_EXECUTOR", "sim")

    def test_launch_is_recorded(self):
        with sim.SESSION.recording() as seen:
            x, out = torch.arange(100.0), torch.zeros(100)
            copy_kernel[(4,)](x, out, 100, BLOCK=32)
        assert torch.equal(x, out)
        record, = seen
        assert sim.history[-1] is record and len(sim.history) <= REMEMBERED
        assert (record.kernel, record.grid, record.shapes) == ("copy_kernel", (4, 1, 1), ((100,), (100,)))
        assert record.result.cycles > 0
        assert record.milliseconds > 0

    def test_cycles_repeat(self):
        x, out = torch.arange(1000.0), torch.zeros(1000)
        with sim.SESSION.recording() as records:
            for _ in range(3):
                copy_kernel[(1,)](x, out, 1000, BLOCK=1024)
        first, *others = [record.result.cycles for record in records]
        assert others == [first, first]

    def test_views_of_one_storage_share_memory(self):
        whole = torch.arange(64.0)
        copy_kernel[(1,)](whole[:20], whole[40:], 20, BLOCK=32)
        assert torch.equal(whole[40:60], torch.arange(20.0))
        assert torch.equal(whole[20:40], torch.arange(20.0, 40.0))

    def test_rest_of_the_storage_is_untouched(self):
        whole = torch.full((50,), 7.0)
        copy_kernel[(1,)](torch.zeros(10), whole[20:30], 10, BLOCK=16)
        assert (whole[:20] == 7).all()
        assert (whole[20:30] == 0).all()
        assert (whole[30:] == 7).all()

    def test_64_bit_arguments(self):
        out = torch.zeros(1, dtype=torch.int64)
        wide_kernel[(1,)](out, 2**40 + 3, 2.5, -(2**35))
        assert out.item() == 2**40 + 3 + 2 - 2**35

    def test_meta_tensor_is_refused(self):
        with pytest.raises(HexError, match="device 'meta'"):
            sim.launch("", "f", [torch.zeros(3, device="meta")])


@triton.jit
def wide_kernel(out, a, b, c):
    tl.store(out, a + c + b.to(tl.int32))
