"""The examples of PyTorch models, as programs; `elf.test_examples` calls their functions."""

import re
import runpy

import pytest
import torch
from support import ROOT

pytestmark = pytest.mark.only_values


@pytest.mark.full_except("exported_model-2")
@pytest.mark.parametrize(("name", "errors"), [("torch_compile", 2), ("exported_model", 2)])
def test_example(name, errors, capsys):
    torch.compiler.reset()
    runpy.run_path(str(ROOT / "examples" / "pytorch" / f"{name}.py"), run_name="__main__")
    found = [float(error) for error in re.findall(r"max error (\S+?),?\s", capsys.readouterr().out)]
    assert len(found) == errors and all(error < 5e-3 for error in found)
    assert found[0] < 1e-5
