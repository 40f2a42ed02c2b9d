"""Names of functions, globals and arguments: words in what is generated, whatever MLIR, Triton or a model call them."""

import dataclasses
import re
import subprocess
import sys

import numpy as np
import pytest
import torch
from binaries import needs_linker

import hexagon_mlir as hx
from hexagon_mlir.cli.hexmlir import main
from hexagon_mlir.codegen.artifacts import link
from hexagon_mlir.codegen.artifacts.c_interface import Function, Parameter, header
from hexagon_mlir.codegen.artifacts.c_names import c_name, is_c_name
from hexagon_mlir.codegen.symbols import check_symbols
from hexagon_mlir.ir import parse, to_text

EVIL = "x(void); int pwned; void y"
NAMES = [EVIL, "a b", 'a\\22b', "a\\0Ab", "../x", "a/b", "\\C3\\BC", "a:", "*/", "1", "", ";", "@x", "a,b", "-x"]
TEXT = """func.func @"%s"(%%x: tensor<300xi32>) -> tensor<300xi32> {
  %%e = tensor.empty() : tensor<300xi32>
  %%r = linalg.add ins(%%x, %%x : tensor<300xi32>, tensor<300xi32>) outs(%%e : tensor<300xi32>) -> tensor<300xi32>
  return %%r : tensor<300xi32>
}
"""
LLVM = """llvm.func @"%s"(%%x: i32) -> i32 { llvm.return %%x : i32 }
llvm.mlir.global internal constant @"g %s"(7 : i32) : i32
llvm.func @f() -> i32 {
  %%a = llvm.mlir.addressof @"g %s" : !llvm.ptr
  %%b = llvm.load %%a : !llvm.ptr -> i32
  llvm.return %%b : i32
}
"""


@pytest.mark.parametrize("name", [name for name in NAMES if name])
def test_functions_that_are_called_from_outside_are_refused(tmp_path, monkeypatch, capsys, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "k.mlir").write_text(TEXT % name)
    np.save("x.npy", np.ones(300, np.int32))
    for words in (["compile", "k.mlir"], ["compile", "k.mlir", "--emit=asm", "-o", "k.s"],
                  ["run", "k.mlir", "--args", "x.npy"]):
        assert main(words) == 1
        first, *rest = capsys.readouterr().err.splitlines()
        assert re.match(r"k\.mlir:1:\d+: error: symbols: the name '.*' is not an identifier of assembly and C", first)
        assert any("hint: letters, digits and _" in line for line in rest)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["k.mlir", "x.npy"]


@pytest.mark.parametrize("kind", ["llvm", "asm", "obj"])
def test_opt_refuses_them(tmp_path, kind):
    (tmp_path / "k.mlir").write_text(LLVM % (EVIL, "", ""))
    words = [sys.executable, "-Pm", "hexagon_mlir.cli.opt", str(tmp_path / "k.mlir"), f"--emit={kind}"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 1 and "k.mlir:1:" in done.stderr and "symbols: the name" in done.stderr
    assert done.stdout == ""


def test_private_symbols_get_names_that_are_words():
    module = parse((LLVM % ("plain", EVIL, EVIL)).replace("internal", "private"))
    check_symbols(module)
    text = to_text(module)
    assert "pwned;" not in text and text.count("@_g_x_void___int_pwned__void_y") == 2


def test_private_functions_are_called_by_their_new_names():
    text = f"""
func.func private @"{EVIL}"(%x: tensor<8xi32>) -> tensor<8xi32> attributes {{no_inline}} {{
  %r = linalg.add ins(%x, %x : tensor<8xi32>, tensor<8xi32>) outs(%x : tensor<8xi32>) -> tensor<8xi32>
  return %r : tensor<8xi32>
}}
func.func private @"{EVIL.replace(';', ' ')}"(%x: tensor<8xi32>) -> tensor<8xi32> {{ return %x : tensor<8xi32> }}
func.func @f(%x: tensor<8xi32>) -> tensor<8xi32> {{
  %r = func.call @"{EVIL}"(%x) : (tensor<8xi32>) -> tensor<8xi32>
  %s = func.call @"{EVIL.replace(';', ' ')}"(%r) : (tensor<8xi32>) -> tensor<8xi32>
  return %s : tensor<8xi32>
}}
"""
    x = np.arange(8, dtype=np.int32)
    kernel = hx.compile(text)
    np.testing.assert_array_equal(kernel.run(x).outputs[0], 2 * x)
    assert "pwned;" not in kernel.asm + kernel.llvm_ir and '"' not in "".join(re.findall(r"@\S+", kernel.llvm_ir))


@pytest.mark.parametrize("name", ["f.1", "a$b", "int", "class", "main", "uint8_t", "hexmlir_rt_copy"])
def test_words_that_are_no_names_in_c(tmp_path, monkeypatch, capsys, name):
    """They are what assembly may have, and can be run."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "k.mlir").write_text(TEXT % name)
    np.save("x.npy", np.ones(300, np.int32))
    assert main(["run", "k.mlir", "--args", "x.npy", "--out=o"]) == 0
    assert np.load("o/result0.npy").tolist() == [2] * 300
    capsys.readouterr()
    assert main(["compile", "k.mlir"]) == 1
    assert f"error: link: a function of C cannot be called '{name}'" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["int", "class", "a b", "1a", "ü", "", "main", "uint8_t", "x*/ int y; /*", "_Bool",
                                  "hexmlir_rt_weights", "bool", "a\nb", "char"])
def test_names_of_arguments(text):
    assert not is_c_name(text) and is_c_name(c_name(text))


class Keywords(torch.nn.Module):
    def forward(self, new, uint8_t, int_, operator):
        return new + uint8_t * int_ - operator


@needs_linker
def test_arguments_of_a_model_in_c_and_in_cpp(tmp_path):
    """A header that both languages read."""
    arguments = tuple(torch.full((4,), float(n)) for n in range(4))
    binary = hx.compile(torch.export.export(Keywords(), arguments), target="v67").binary("class")
    text = binary.header
    assert "class_(" in text and "*new_" in text and "*uint8_t_" in text and "*operator_" in text
    for name in ("user.c", "user.cpp"):
        (tmp_path / name).write_text(text)
        command = [sys.executable, "-Pm", "ziglang", "c++" if name.endswith("pp") else "cc", "-target", link.TRIPLE,
                   "-c", name, "-o", "user.o"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


def test_header_of_a_weird_function_is_never_written():
    function = Function(c_name(EVIL), "v75", (Parameter(c_name(EVIL), "f32", (4,), False),))
    assert "pwned;" not in header(function, 128)


@pytest.mark.parametrize(("kernel", "page"), [("../../x", ".._.._x.html"), ("..", "...html"), ("/etc/x", "_etc_x.html"),
                                              ("", "_.html"), ("a\0b", "a_b.html")])
def test_pages_of_a_report_stay_in_their_folder(kernel, page, tmp_path):
    from hexagon_mlir.report.folder import write_report
    from hexagon_mlir.report.recording import Recording, recording

    x = np.ones(300, np.int32)
    with recording() as recorded:
        hx.compile(TEXT % "f").run(x)
    record = dataclasses.replace(recorded.launches[0], kernel=kernel)
    folder = tmp_path / "pages"
    index, path = write_report(folder, "a title", Recording(recorded.compiled, [record]))
    assert (index, path) == (folder / "index.html", folder / "kernels" / page)
    assert {one for one in tmp_path.rglob("*") if one.is_file()} == {index, path}
