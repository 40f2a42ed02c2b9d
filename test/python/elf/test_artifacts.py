"""``hexmlir compile`` and ``hexmlir run``: what they write, and that nothing is ever half-written."""

import errno
import importlib.util
import os
import subprocess
import sys

import numpy as np
import pytest
from binaries import needs_linker, needs_qemu

from hexagon_mlir.cli.hexmlir import main
from hexagon_mlir.codegen import link
from hexagon_mlir.exec import qemu

SOURCE = """
func.func @scale(%x: tensor<1000xi32>, %y: tensor<1000xf32>) -> (tensor<1000xi32>, tensor<1000xf32>) {
  %0 = linalg.mul ins(%x, %x : tensor<1000xi32>, tensor<1000xi32>) outs(%x : tensor<1000xi32>) -> tensor<1000xi32>
  %1 = linalg.add ins(%y, %y : tensor<1000xf32>, tensor<1000xf32>) outs(%y : tensor<1000xf32>) -> tensor<1000xf32>
  return %0, %1 : tensor<1000xi32>, tensor<1000xf32>
}
"""
PROTOTYPE = "void scale(const int32_t *arg0, const float *arg1, int32_t *result0, float *result1);"


@pytest.fixture
def kernel(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "k.mlir").write_text(SOURCE)
    return tmp_path


def elf_machine(data: bytes) -> int:
    assert data[:4] == b"\x7fELF"
    return int.from_bytes(data[18:20], "little")


HEXAGON = 164


class TestCompile:
    @pytest.mark.parametrize(("kind", "file"), [("asm", "k.s"), ("ll", "k.ll"), ("obj", "k.o"),
                                                pytest.param("so", "k.so", marks=needs_linker),
                                                pytest.param("elf", "k", marks=needs_linker)])
    def test_kinds_are_whole_and_reproducible(self, kernel, kind, file, monkeypatch, capsys):
        contents = []
        for cache in ("one", "two"):
            monkeypatch.setenv("HEXAGON_MLIR_CACHE_DIR", str(kernel / cache))
            assert main(["compile", "k.mlir", f"--emit={kind}"]) == 0
            contents.append((kernel / file).read_bytes())
        assert contents[0] == contents[1]
        assert capsys.readouterr().out.splitlines()[0] == file
        if kind in ("obj", "so", "elf"):
            assert elf_machine(contents[0]) == HEXAGON
            assert b"scale" in contents[0] or kind == "elf"
        if kind in ("obj", "so"):
            assert PROTOTYPE in (kernel / "k.h").read_text()
        assert os.access(kernel / file, os.X_OK) == (kind in ("so", "elf"))

    @needs_linker
    def test_the_example_compiles_against_the_header_and_links(self, kernel):
        assert main(["compile", "k.mlir", "-o", "out.o"]) == 0
        command = [sys.executable, "-m", "ziglang", "cc", "-target", link.TRIPLE, f"-mcpu={link.CPU}", *link.FLAGS,
                   "-Wall", "-Werror", "-static", "-s", f"-I{link.runtime_folder() / 'include'}", "out_example.c",
                   "out.o", *map(str, link.runtime_sources()), "-o", "example"]
        done = subprocess.run(command, capture_output=True, text=True, cwd=kernel)
        assert done.returncode == 0, done.stderr
        assert elf_machine((kernel / "example").read_bytes()) == HEXAGON

    def test_a_full_disk_leaves_the_old_file(self, kernel, monkeypatch, capsys):
        (kernel / "k.o").write_bytes(b"old")
        real = os.replace

        def full(source, target):
            if str(target).endswith("k.o"):
                raise OSError(errno.ENOSPC, "No space left on device")
            real(source, target)

        monkeypatch.setattr(os, "replace", full)
        before = sorted(os.listdir(kernel))
        assert main(["compile", "k.mlir"]) == 1
        assert capsys.readouterr().err.startswith("k.o: error: cannot write the file: No space left on device")
        assert (kernel / "k.o").read_bytes() == b"old"
        assert sorted(os.listdir(kernel)) == before

    def test_no_linker(self, kernel, monkeypatch, capsys):
        monkeypatch.setenv("HEXAGON_MLIR_CACHE_DIR", str(kernel / "cache"))
        found = importlib.util.find_spec
        monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "ziglang" else found(name))
        assert main(["compile", "k.mlir", "--emit=elf"]) == 1
        error = capsys.readouterr().err
        assert "ziglang" in error and "pip install 'hexagon-mlir[elf]'" in error
        assert not (kernel / "k").exists()

    @pytest.mark.parametrize(("words", "message"), [
        (["k.mlir", "--emit=exe"], "unknown kind 'exe'"), (["k.mlir", "-o", "k.mlir"], "would replace"),
        (["none.mlir"], "cannot read the file"), (["k.mlir", "--target=v99"], "unknown target 'v99'"),
        (["k.mlir", "--color"], "unknown option --color"), (["k.mlir", "-o"], "needs a value"),
        (["k.mlir", "b.mlir"], "one file at a time"), (["k.mlir", "-o", "no/such/k.o"], "cannot write the file")])
    def test_wrong_words(self, kernel, words, message, capsys):
        assert main(["compile", *words]) == 1
        error = capsys.readouterr().err
        assert message in error and "Traceback" not in error


class TestRun:
    ARGUMENTS = ["--args", "x.npy", "y.npy"]

    @pytest.fixture(autouse=True)
    def data(self, kernel):
        np.save("x.npy", np.arange(-500, 500, dtype=np.int32))
        np.save("y.npy", np.linspace(-1, 1, 1000, dtype=np.float32))

    @pytest.mark.parametrize("executor", ["sim", pytest.param("qemu", marks=needs_qemu)])
    def test_results(self, kernel, executor, capsys):
        assert main(["run", "k.mlir", *self.ARGUMENTS, f"--executor={executor}", "--out=results"]) == 0
        np.testing.assert_array_equal(np.load("results/result0.npy"), np.arange(-500, 500, dtype=np.int32) ** 2)
        np.testing.assert_array_equal(np.load("results/result1.npy"), 2 * np.load("y.npy"))
        out, err = capsys.readouterr()
        assert ("cycles" if executor == "sim" else "hvx instructions") in out
        assert ("no HVX floating point" in err) == (executor == "qemu" and bool(qemu.runs("v75")[1]))

    @pytest.mark.parametrize(("words", "message"), [
        (["--args", "x.npy"], "takes 2 arguments, 1 given"), (["--args", "x.npy", "x.npy"], "elements of type int32"),
        (["--args", "x.npy", "none.npy"], "cannot read"), (["--args", "x.npy", "y"], "cannot read 'y' as a number"),
        ([*ARGUMENTS, "--executor=phone"], "unknown executor 'phone'"), ([*ARGUMENTS, "--grid=a"], "cannot read 'a'")])
    def test_wrong_words(self, kernel, words, message, capsys):
        assert main(["run", "k.mlir", *words]) == 1
        error = capsys.readouterr().err
        assert message in error and "Traceback" not in error
