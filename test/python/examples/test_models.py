"""The examples of PyTorch models, run as a user would."""

import re
import subprocess
import sys

import pytest
from support import ROOT


@pytest.mark.parametrize(("name", "errors"), [("torch_compile", 2), ("exported_model", 2)])
def test_example(name, errors):
    path = ROOT / "examples" / "pytorch" / f"{name}.py"
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    found = [float(error) for error in re.findall(r"max error (\S+?),?\s", done.stdout)]
    assert len(found) == errors and all(error < 5e-3 for error in found)
    assert found[0] < 1e-5
