"""``hexmlir`` on files of exported programs: dynamic sizes, numerics, what is printed."""

import contextlib
import itertools
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.export import Dim

import hexagon_mlir as hx
from hexagon_mlir.cli.hexmlir import main

pytestmark = pytest.mark.only_values


@pytest.fixture
def dynamic(tmp_path, monkeypatch):
    """A file of a program with one dynamic size, in the current folder."""
    monkeypatch.chdir(tmp_path)
    module = torch.nn.Sequential(torch.nn.Linear(20, 7), torch.nn.Softmax(-1)).eval()
    program = torch.export.export(module, (torch.randn(4, 20),), dynamic_shapes=({0: Dim("n", max=8)},))
    torch.export.save(program, "m.pt2")
    return module


def test_dynamic_sizes(dynamic, capsys):
    assert main(["compile", "m.pt2", "-o", "dir", "--shapes=3x20"]) == 0
    x = torch.randn(3, 20)
    torch.testing.assert_close(hx.load("dir")(x), dynamic(x), rtol=0, atol=1e-5)
    capsys.readouterr()
    for words, message in (([], "hint: say which: --shapes="), (["--shapes=9x20"], "the program does not take 9x20"),
                           (["--shapes=3x20,3"], "1 tensors as inputs, 2 shapes are given"),
                           (["--shapes=3x"], "cannot read '3x' in --shapes")):
        assert main(["compile", "m.pt2", "-o", "other", *words]) == 1
        error = capsys.readouterr().err
        assert message in error and "Traceback" not in error


def test_numerics_of_a_run(dynamic, capsys):
    x = torch.randn(2, 20)
    np.save("x.npy", x.numpy())
    errors = {}
    for numerics in ("f32", "mixed"):
        assert main(["run", "m.pt2", "--args", "x.npy", f"--numerics={numerics}", "--out=out"]) == 0
        errors[numerics] = np.abs(np.load("out/result0.npy") - dynamic(x).detach().numpy()).max()
    assert errors["f32"] < 1e-5 < errors["mixed"] < 4e-3
    capsys.readouterr()
    assert main(["run", "m.pt2", "--args", "x.npy", "--numerics=f8"]) == 1
    assert "unknown numerics 'f8'" in capsys.readouterr().err
    Path("k.mlir").write_text("func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }")
    assert main(["run", "k.mlir", "--args", "x.npy", "--numerics=mixed"]) == 1
    assert "--numerics is for whole models" in capsys.readouterr().err


def test_interrupted_save(tmp_path, monkeypatch):
    """A folder whose files are of two models is never taken for one of them."""
    x = torch.randn(3, 8)
    modules = [torch.nn.Sequential(*[torch.nn.Linear(8, 8) for _ in range(layers)]).eval() for layers in (2, 3)]
    old, new = (hx.compile(torch.export.export(module, (x,))) for module in modules)
    replace, refused = os.replace, 0
    for stop in range(6):
        left = itertools.count()

        def interrupted(source, target, left=left, stop=stop):
            if next(left) == stop:
                raise KeyboardInterrupt
            replace(source, target)

        folder = tmp_path / str(stop)
        old.save(folder)
        with monkeypatch.context() as patched, contextlib.suppress(KeyboardInterrupt):
            patched.setattr(os, "replace", interrupted)
            new.save(folder)
        try:
            got = hx.load(folder)(x)
        except hx.HexError as error:
            refused += 1
            assert "save" in str(error) or "compile" in str(error)
        else:
            assert any(torch.equal(got, model(x)) for model in (old, new))
        assert not [file for file in folder.rglob(".*")]
    assert 0 < refused < 6


def test_nothing_is_printed_but_the_report(dynamic):
    """PyTorch's warnings about its own code are not the user's."""
    words = [sys.executable, "-m", "hexagon_mlir.cli.hexmlir", "compile", "m.pt2", "-o", "dir", "--shapes=2x20"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
