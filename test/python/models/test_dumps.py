"""``dump_dir`` of a model: the IR of each kernel in a folder of its name, and that of the whole in ``model``."""

import re

import pytest
import torch

import hexagon_mlir as hx
from hexagon_mlir.cli.hexmlir import main

pytestmark = pytest.mark.only_values


def _exported(**options):
    torch.manual_seed(1)
    model = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.ReLU(), torch.nn.Linear(64, 8)).eval()
    return torch.export.export(model, (torch.randn(3, 32),), **options)


def _check(folder, kernels):
    """The folders are the model's and its kernels', and each of them begins with what it is compiled from."""
    assert sorted(part.name for part in folder.iterdir()) == sorted([*(kernel.name for kernel in kernels), "model"])
    whole = (folder / "model" / "00-canonicalize-cse.before.mlir").read_text()
    assert len(re.findall(r"linalg\.\w*matmul", whole)) == 2
    for kernel in kernels:
        steps = sorted((folder / kernel.name).iterdir())
        assert f"@{kernel.name}(" in steps[1].read_text()
        assert steps[-1].name.endswith(".before.mlir")
        assert "llvm.func" in (folder / kernel.name / steps[-1].name.replace("before", "after")).read_text()
        assert len({step.name.split("-")[0] for step in steps}) * 2 == len(steps)  # before and after each


def test_of_a_model(tmp_path):
    model = hx.compile(_exported(), dump_dir=tmp_path)
    _check(tmp_path, model.schedule.kernels)


def test_of_a_model_of_any_sizes(tmp_path):
    model = hx.compile(_exported(dynamic_shapes=({0: torch.export.Dim("n", max=100)},)), dump_dir=tmp_path)
    x = torch.randn(5, 32)
    assert model(x).shape == (5, 8)
    _check(tmp_path, model.specialize_to([(5, 32)]).schedule.kernels)


def test_of_the_command(tmp_path, capsys):
    file, folder = tmp_path / "m.pt2", tmp_path / "dumps"
    torch.export.save(_exported(), file)
    assert main(["compile", str(file), "-o", str(tmp_path / "saved"), f"--dump-ir={folder}"]) == 0
    _check(folder, hx.load(tmp_path / "saved").schedule.kernels)


@pytest.mark.parametrize("name, value", [("entry", "main"), ("signature", {"x": "*fp32"}), ("constants", {"B": 1})])
def test_what_is_said_of_kernels_is_refused(name, value):
    with pytest.raises(hx.HexError, match=f"{name} is for kernels"):
        hx.compile(_exported(), **{name: value})
