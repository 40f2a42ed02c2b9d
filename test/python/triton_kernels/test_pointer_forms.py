"""The kernels of `pointer_forms` and `pointer_choices` against Triton's own interpreter."""

import os
import subprocess
import sys

import pointer_choices
import pointer_forms
import pytest
import torch
from support import ROOT

CASES = [*pointer_forms.CASES, *pointer_choices.CASES]

_INTERPRETED = """
import sys, torch
sys.path.insert(0, sys.argv[1])
import pointer_choices, pointer_forms
cases = [*pointer_forms.CASES, *pointer_choices.CASES]
torch.save({case.__name__: case() for case in cases}, sys.argv[2])
"""


@pytest.fixture(scope="module")
def interpreted(tmp_path_factory):
    """What the interpreter computes for each case, in a process of its own."""
    file = tmp_path_factory.mktemp("interpreted") / "results.pt"
    subprocess.run([sys.executable, "-c", _INTERPRETED, str(ROOT / "test/python"), str(file)], check=True, timeout=300,
                   env={**os.environ, "TRITON_INTERPRET": "1"})
    return torch.load(file)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_as_the_interpreter(case, interpreted):
    torch.testing.assert_close(case(), interpreted[case.__name__], rtol=1e-5, atol=1e-5)
