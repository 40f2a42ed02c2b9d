"""A small part of ``scripts/fuzz_triton.py``: generated pointer expressions and masks against Triton's interpreter."""

import importlib.util
import sys

from support import ROOT


def test_generated_kernels(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    spec = importlib.util.spec_from_file_location("fuzz_triton", ROOT / "scripts" / "fuzz_triton.py")
    fuzz = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "fuzz_triton", fuzz)
    spec.loader.exec_module(fuzz)
    assert fuzz.differences([*range(20, 46), 40583], tmp_path, []) == {}
    assert fuzz.differences([*range(4)], tmp_path, [], "memory") == {}
