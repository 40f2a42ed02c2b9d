"""``hexmlir compile`` and ``hexmlir run``: what they write, and that nothing is ever half-written."""

import errno
import importlib.util
import os
import subprocess
import sys

import numpy as np
import pytest
from binaries import PARALLEL, files_of_at_most, needs_linker, needs_qemu

from hexagon_mlir.cli.hexmlir import main
from hexagon_mlir.codegen import cache
from hexagon_mlir.codegen.artifacts import link
from hexagon_mlir.exec import qemu
from hexagon_mlir.ir import HexError

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
        for folder in ("one", "two"):
            monkeypatch.setenv("HEXAGON_MLIR_CACHE_DIR", str(kernel / folder))
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

    @needs_qemu
    def test_large_constants_are_mapped(self, kernel, capsys):
        """A kernel with a table of 64 KiB, one of 1 KiB that stays in its code, and a splat."""
        random = np.random.default_rng(5)
        large, small = random.integers(-9, 9, (128, 128), np.int32), random.integers(-9, 9, (2, 128), np.int32)
        x = random.integers(-1000, 1000, (2, 128), np.int32)
        (kernel / "w.mlir").write_text(f"""
func.func @product(%x: tensor<2x128xi32> {{bufferization.writable = true}}) -> tensor<2x128xi32> {{
  %w = arith.constant dense<"0x{large.tobytes().hex()}"> : tensor<128x128xi32>
  %b = arith.constant dense<"0x{small.tobytes().hex()}"> : tensor<2x128xi32>
  %s = arith.constant dense<7> : tensor<128x128xi32>
  %t = arith.addi %w, %s : tensor<128x128xi32>
  %0 = linalg.matmul ins(%x, %t : tensor<2x128xi32>, tensor<128x128xi32>) outs(%b : tensor<2x128xi32>)
    -> tensor<2x128xi32>
  return %0 : tensor<2x128xi32>
}}
""")
        expected = x @ (large + 7) + small
        np.save("x.npy", x)
        for executor in ("sim", "qemu"):
            assert main(["run", "w.mlir", "--target=v67", "--args", "x.npy", f"--executor={executor}", "--out=o"]) == 0
            np.testing.assert_array_equal(np.load("o/result0.npy"), expected)
        contents = []
        for _ in range(2):
            assert main(["compile", "w.mlir", "--target=v67"]) == 0
            contents.append({end: (kernel / f"w{end}").read_bytes() for end in (".o", ".h", ".weights", "_example.c")})
        assert contents[0] == contents[1]
        weights = contents[0][".weights"]
        assert weights[128 : 128 + large.nbytes] == large.tobytes() and len(weights) == 128 + large.nbytes + 256
        assert len(contents[0][".o"]) < large.nbytes // 2 and small.tobytes() in contents[0][".o"]
        header = contents[0][".h"].decode()
        assert "void product(int32_t *arg0, const int32_t *weight0, int32_t *result0);" in header
        assert "weight0: 128x128 i32, at byte 128 of the weights file" in header
        assert "PRODUCT_WEIGHTS_KEY" in header and "hexmlir_rt_weights" in contents[0]["_example.c"].decode()

    @needs_linker
    def test_objects_of_several_kernels_link(self, kernel):
        """Threads bring helpers of the same names: each kernel's are its own."""
        for name in ("first", "second"):
            (kernel / f"{name}.mlir").write_text(PARALLEL.replace("@f(", f"@{name}("))
            assert main(["compile", f"{name}.mlir"]) == 0
            assert b"_thread_task" in (kernel / f"{name}.o").read_bytes()
        linked = link.relocatable({f"{name}.o": (kernel / f"{name}.o").read_bytes() for name in ("first", "second")})
        assert b"first.first_thread_task" in linked and b"second.second_thread_task" in linked

    def test_a_full_disk_leaves_the_old_file(self, kernel, monkeypatch, capsys):
        (kernel / "k.o").write_bytes(b"old")
        real = os.replace

        def full(source, target, **folders):  # the cache of code names folders
            if str(target).endswith("k.o"):
                raise OSError(errno.ENOSPC, "No space left on device")
            real(source, target, **folders)

        monkeypatch.setattr(os, "replace", full)
        before = sorted(os.listdir(kernel))
        assert main(["compile", "k.mlir"]) == 1
        assert capsys.readouterr().err.startswith("k.o: error: cannot write the file: No space left on device")
        assert (kernel / "k.o").read_bytes() == b"old"
        assert sorted(os.listdir(kernel)) == before

    @pytest.mark.parametrize("words", [
        ["compile", "k.mlir", "--emit=asm", "-o", "out.s"],
        ["run", "k.mlir", "--args", "x.npy", "y.npy", "--out=new/results"]])
    def test_a_disk_that_gets_full_while_writing(self, words, kernel, capsys):
        np.save("x.npy", np.arange(-500, 500, dtype=np.int32))
        np.save("y.npy", np.linspace(-1, 1, 1000, dtype=np.float32))
        assert main(["compile", "k.mlir", "--emit=asm", "-o", "all.s"]) == 0
        before = sorted(os.listdir(kernel))
        with files_of_at_most(3000):
            assert main(words) == 1
        error = capsys.readouterr().err
        assert "error: cannot write the file: File too large" in error and error.count("\n") == 1
        assert sorted(os.listdir(kernel)) == before

    def test_a_full_disk_leaves_no_rest_in_the_cache(self, kernel, monkeypatch):
        monkeypatch.setenv("HEXAGON_MLIR_CACHE_DIR", str(kernel / "cache"))
        with files_of_at_most(100):
            cache.store("large", bytes(1000))
        cache.store("small", b"1")
        assert os.listdir(kernel / "cache" / "code") == ["small"] and cache.load("large") is None

    @needs_linker
    def test_an_object_of_another_machine(self):
        """What LLVM makes for the host."""
        import llvmlite.binding as llvm

        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        machine = llvm.Target.from_default_triple().create_target_machine()
        foreign = machine.emit_object(llvm.parse_assembly("define void @kernel() { ret void }"))
        with pytest.raises(HexError, match=r"zig cc: .*kernel\.o is incompatible"):
            link.relocatable({"kernel.o": foreign})

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
        *((["k.mlir", "-o", folder, f"--emit={kind}"], "error: cannot write the file: it is a folder")
          for folder in (".", "..", "/", "./") for kind in ("obj", "asm", "elf")),
        (["none.mlir"], "cannot read the file"), (["."], ".: error: cannot read the file: Is a directory"),
        (["k.mlir", "--target=v99"], "unknown target 'v99'"),
        (["k.mlir", "--color"], "unknown option --color"), (["k.mlir", "-o"], "needs a value"),
        (["k.mlir", "b.mlir"], "one file at a time"), (["k.mlir", "-o", "no/such/k.o"], "cannot write the file")])
    def test_wrong_words(self, kernel, words, message, capsys):
        assert main(["compile", *words]) == 1
        error = capsys.readouterr().err
        assert message in error and "Traceback" not in error

    def test_no_output_replaces_the_input(self, kernel, capsys):
        before = (kernel / "k.mlir").read_bytes()
        (kernel / "link").symlink_to("k.mlir")
        for words in (["compile", "-o"], ["compile", "--emit=asm", "-o"], ["run", "--report"], ["run", "--trace"]):
            for name in ("./k.mlir", "link", str(kernel / "k.mlir")):
                assert main([words[0], "k.mlir", *words[1:], name]) == 1
                assert "the output would replace k.mlir" in capsys.readouterr().err
        assert (kernel / "k.mlir").read_bytes() == before


class TestRun:
    ARGUMENTS = ["--args", "x.npy", "y.npy"]

    @pytest.fixture(autouse=True)
    def data(self, kernel):
        np.save("x.npy", np.arange(-500, 500, dtype=np.int32))
        np.save("y.npy", np.linspace(-1, 1, 1000, dtype=np.float32))

    @pytest.mark.ieee_arithmetic
    @pytest.mark.parametrize("executor", ["sim", pytest.param("qemu", marks=needs_qemu)])
    def test_results(self, kernel, executor, capsys):
        assert main(["run", "k.mlir", *self.ARGUMENTS, f"--executor={executor}", "--out=results"]) == 0
        np.testing.assert_array_equal(np.load("results/result0.npy"), np.arange(-500, 500, dtype=np.int32) ** 2)
        np.testing.assert_array_equal(np.load("results/result1.npy"), 2 * np.load("y.npy"))
        assert sorted(os.listdir("results")) == ["result0.npy", "result1.npy"]  # no argument was changed
        out, err = capsys.readouterr()
        assert ("cycles" if executor == "sim" else "hvx instructions") in out
        assert ("no HVX floating point" in err) == (executor == "qemu" and bool(qemu.runs("v75")[1]))

    @pytest.mark.parametrize(("words", "message"), [
        (["--args", "x.npy"], "takes 2 arguments, 1 given"), (["--args", "x.npy", "x.npy"], "elements of type int32"),
        (["--args", "x.npy", "none.npy"], "cannot read"), (["--args", "x.npy", "y"], "cannot read 'y' as a number"),
        ([*ARGUMENTS, "--executor=phone"], "unknown executor 'phone'"), ([*ARGUMENTS, "--grid=a"], "a number, not 'a'"),
        ([*ARGUMENTS, "--grid=2"], "is no Triton kernel"), ([*ARGUMENTS, "--qfloat=no"], "true or false, not 'no'"),
        ([*ARGUMENTS, "--threads=two"], "--threads is a number, not 'two'")])
    def test_wrong_words(self, kernel, words, message, capsys):
        assert main(["run", "k.mlir", *words]) == 1
        error = capsys.readouterr().err
        assert message in error and "Traceback" not in error
