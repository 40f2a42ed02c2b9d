"""Whole models as binaries: under QEMU they give what the simulator gives, with their weights mapped from a file."""

import os
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest
from binaries import files_of_at_most, needs_linker, needs_qemu

import hexagon_mlir as hx
from hexagon_mlir.cli.hexmlir import main
from hexagon_mlir.codegen.artifacts import link
from hexagon_mlir.exec import qemu
from hexagon_mlir.ir import HexError

torch = pytest.importorskip("torch")
pytestmark = [pytest.mark.filterwarnings("ignore:QEMU"), pytest.mark.filterwarnings("ignore::FutureWarning")]


class Perceptron(torch.nn.Module):
    """Two layers, and a residual from the input: the input is read again after the first kernel."""

    def __init__(self):
        super().__init__()
        self.first, self.second = torch.nn.Linear(20, 64), torch.nn.Linear(64, 20)

    def forward(self, x):
        return x + self.second(torch.relu(self.first(x)))


class LeNet(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = torch.nn.Conv2d(1, 4, 5, padding=2), torch.nn.Conv2d(4, 8, 5)
        self.head = torch.nn.Sequential(torch.nn.Linear(32, 30), torch.nn.ReLU(), torch.nn.Linear(30, 10))

    def forward(self, x):
        x = torch.nn.functional.max_pool2d(torch.relu(self.first(x)), 2)
        x = torch.nn.functional.max_pool2d(torch.relu(self.second(x)), 2)
        return self.head(x.flatten(1))


class Layer(torch.nn.Module):
    """A transformer layer."""

    def __init__(self, width=32, heads=2):
        super().__init__()
        self.heads = heads
        self.qkv, self.out = torch.nn.Linear(width, 3 * width), torch.nn.Linear(width, width)
        self.norm, self.mlp = torch.nn.LayerNorm(width), torch.nn.Linear(width, width)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = (y.view(batch, length, self.heads, -1).transpose(1, 2) for y in self.qkv(self.norm(x)).chunk(3, -1))
        y = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(batch, length, width))
        return x + torch.nn.functional.gelu(self.mlp(x))


class Integers(torch.nn.Module):
    """Integer arithmetic, a table, a result that is also an input of the next kernel, and one that is the input."""

    def __init__(self):
        super().__init__()
        self.register_buffer("table", torch.arange(-60, 60, dtype=torch.int32).reshape(12, 10))

    def forward(self, int):
        doubled = int * 2 + self.table
        return doubled, doubled.sum(0, dtype=torch.int32) * 3, int


class Counter(torch.nn.Module):
    """Changes a buffer in each run."""

    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(40))

    def forward(self, x):
        self.total.add_(x)
        return self.total * 2


CASES = {
    "perceptron": (Perceptron, lambda: torch.randn(5, 20)), "lenet": (LeNet, lambda: torch.randn(1, 1, 16, 16)),
    "layer": (Layer, lambda: torch.randn(1, 9, 32)),
    "integers": (Integers, lambda: torch.randint(-2**31, 2**31, (12, 10), dtype=torch.int32)),
}


def exported(name):
    torch.manual_seed(3)
    make, example = CASES[name]
    module, x = make().eval(), example()
    return module, x, torch.export.export(module, (x,))


@needs_qemu
@pytest.mark.parametrize("name", CASES)
def test_values(name):
    module, x, program = exported(name)
    model = hx.compile(program, target="v67")
    before = x.clone()
    simulated, emulated = (model.run(x, executor=executor) for executor in ("sim", "qemu"))
    assert torch.equal(x, before)
    counters = model.last_run.counters
    assert counters.packets > 0 and (counters.tcm_in_use, counters.dma_pending) == (0, 0)
    several = isinstance(simulated, tuple)
    for a, b, c in zip(*((r if several else [r]) for r in (simulated, emulated, module(x))), strict=True):
        if a.dtype.is_floating_point:
            torch.testing.assert_close(b, a, rtol=1e-5, atol=1e-5)
            torch.testing.assert_close(b, c, rtol=1e-4, atol=1e-4)
        else:
            assert torch.equal(b, a) and torch.equal(b, c)
    if name == "integers":  # one number of the schedule: QEMU's counters against the simulator's packets
        model.run(x)
        packets = sum(launch.result.packets for launch in model.last_run.launches)
        assert counters.packets == pytest.approx(packets, abs=200)  # the C that calls the kernels counts too


@needs_qemu
def test_a_later_chip_says_what_runs_and_state_is_kept():
    torch.manual_seed(0)
    x = torch.randn(40)
    model = hx.compile(torch.export.export(Counter(), (x,)))
    assert model.target == "v75"
    with pytest.warns(UserWarning, match="no HVX floating point") if qemu.runs("v75")[1] else nullcontext():
        torch.testing.assert_close(model.run(x, executor="qemu"), 2 * x)
    torch.testing.assert_close(model.run(x, executor="qemu"), 4 * x)
    with pytest.raises(HexError, match="no clock"):
        model.last_run.cycles  # noqa: B018


@needs_qemu
def test_files(tmp_path, monkeypatch, capsys):
    """The whole way of a user: export, compile, build the example with a C compiler, run it; and ``hexmlir run``."""
    module, x, program = exported("perceptron")
    monkeypatch.chdir(tmp_path)
    torch.export.save(program, "my-model.pt2")
    contents = []
    for folder in ("one", "two"):
        monkeypatch.setenv("HEXAGON_MLIR_CACHE_DIR", str(tmp_path / f"cache-{folder}"))
        assert main(["compile", "my-model.pt2", "--emit=obj", "--target=v67", "-o", folder]) == 0
        contents.append({name: (tmp_path / folder / name).read_bytes() for name in os.listdir(folder)})
    assert contents[0] == contents[1]
    assert sorted(contents[0]) == [f"my_model{end}" for end in (".c", ".h", ".o", ".weights", "_example.c")]
    assert b"void my_model(const float *x, float *result0, const void *weights);" in \
        contents[0]["my_model.h"]
    example = (tmp_path / "one" / "my_model_example.c").read_text()
    assert 'puts("done");' in example
    test = example.replace('puts("done");', 'fwrite(result0, 1, sizeof result0, stdout);').replace(
        "  const char *path", "  fread(x, 1, sizeof x, stdin);\n  const char *path")
    (tmp_path / "one" / "test.c").write_text(test)
    command = [sys.executable, "-m", "ziglang", "cc", "-target", link.TRIPLE, f"-mcpu={link.CPU}", *link.FLAGS, "-Wall",
               "-Werror", "-Wno-unused-result", "-static", "-s", f"-I{link.runtime_folder() / 'include'}", "test.c",
               "my_model.o", *map(str, link.runtime_sources()), "-o", "program"]
    done = subprocess.run(command, capture_output=True, text=True, cwd="one")
    assert done.returncode == 0, done.stderr
    emulator = [qemu.emulator(), "-cpu", "v67", "./program"]
    done = subprocess.run(emulator, input=x.numpy().tobytes(), capture_output=True, cwd="one")
    assert (done.returncode, done.stderr) == (0, b"")
    result = np.frombuffer(done.stdout, np.float32).reshape(5, 20)
    np.testing.assert_allclose(result, module(x).detach(), rtol=1e-4, atol=1e-5)
    weights = tmp_path / "one" / "my_model.weights"
    data = weights.read_bytes()
    for wrong, message in ((data[:-1], b"bytes instead of"), (data[:8] + b"\1" + data[9:], b"of another build"),
                           (b"", b"no weights file"), (b"x" * 200, b"no weights file")):
        weights.write_bytes(wrong)
        done = subprocess.run(emulator, input=b"", capture_output=True, cwd="one")
        assert done.returncode == qemu.RUNTIME_FAILED and message in done.stderr and done.stderr.count(b"\n") == 1
    np.save("x.npy", x.numpy())
    capsys.readouterr()
    for executor in ("sim", "qemu"):
        assert main(["run", "my-model.pt2", "--args", "x.npy", f"--executor={executor}", f"--out={executor}"]) == 0
        np.testing.assert_allclose(np.load(f"{executor}/result0.npy"), result, rtol=1e-4, atol=1e-5)
        assert (" on v" if executor == "sim" else "packets") in capsys.readouterr().out


@needs_linker
@pytest.mark.parametrize("kind", ["asm", "ll", "so", "elf"])
def test_kinds(kind, tmp_path, monkeypatch, capsys):
    _, _, program = exported("integers")
    monkeypatch.chdir(tmp_path)
    torch.export.save(program, "m.pt2")
    assert main(["compile", "m.pt2", f"--emit={kind}", "-o", "out"]) == 0
    written = [line for line in capsys.readouterr().out.splitlines() if line.startswith("out/")]
    assert sorted(os.path.basename(path) for path in written) == sorted(os.listdir("out"))
    code = Path(written[0]).read_bytes()
    if kind in ("so", "elf"):
        assert int.from_bytes(code[18:20], "little") == 164  # EM_HEXAGON
        assert {"out/m.c", "out/m.h", "out/m_example.c", "out/m.weights"} < set(written)
        assert os.access(written[0], os.X_OK)
    else:
        assert (b".globl" if kind == "asm" else b"define void") in code


@pytest.mark.parametrize(("words", "message"), [
    (["m.pt2"], "a model and a folder are needed"), (["m.pt2", "-o", "out", "--emit=exe"], "unknown kind 'exe'"),
    (["none.pt2", "-o", "out", "--emit=asm"], "cannot read an exported program"),
    (["m.pt2", "-o", "out", "--target=v99"], "unknown target 'v99'"), (["m.pt2", "-o"], "needs a value"),
    (["m.pt2", "-o", "m.pt2/x", "--emit=asm"], "cannot write the file"), (["m.pt2", "-o", "m.pt2/x"], "cannot write")])
def test_wrong_words(words, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    torch.export.save(torch.export.export(torch.nn.ReLU(), (torch.randn(3),)), "m.pt2")
    assert main(["compile", *words]) == 1
    error = capsys.readouterr().err
    assert message in error and "Traceback" not in error
    assert os.listdir() == ["m.pt2"]


@pytest.mark.parametrize("words", [[], ["--emit=ll"]])
def test_a_disk_that_gets_full_while_writing(words, tmp_path, monkeypatch, capsys):
    _, _, program = exported("integers")
    monkeypatch.chdir(tmp_path)
    torch.export.save(program, "m.pt2")
    with files_of_at_most(400):
        assert main(["compile", "m.pt2", *words, "-o", "new/out"]) == 1
    error = capsys.readouterr().err.splitlines()
    assert "error: cannot write the file: File too large" in error[-1]
    assert os.listdir() == ["m.pt2"]


@needs_linker
def test_a_loaded_model_has_no_objects(tmp_path):
    module, x, program = exported("integers")
    hx.compile(program, target="v67").save(tmp_path / "model")
    loaded = hx.load(tmp_path / "model")
    assert torch.equal(loaded(x)[0], module(x)[0])
    with pytest.raises(HexError, match="no objects"):
        loaded.run(x, executor="qemu")
    with pytest.raises(HexError, match="unknown executor 'phone'"):
        loaded.run(x, executor="phone")
