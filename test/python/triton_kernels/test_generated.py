"""A small part of ``python -m fuzz triton-...``: generated pointer expressions and masks against the interpreter."""

import importlib

import pytest

from hexagon_mlir.codegen.processes import worker
from hexagon_mlir.exec import sim


@pytest.fixture
def fuzz():
    return importlib.import_module("fuzz.triton.run")


@pytest.mark.parametrize("seeds", [(*range(20, 33), 40583), pytest.param(range(33, 46), marks=pytest.mark.full)])
def test_generated_kernels(fuzz, tmp_path, seeds):
    assert fuzz.differences(seeds, tmp_path, []) == {}


@pytest.mark.parametrize("seeds", [range(2), pytest.param(range(2, 4), marks=pytest.mark.full)])
def test_generated_kernels_of_other_kinds(fuzz, tmp_path, seeds):
    assert fuzz.differences(seeds, tmp_path, [], "memory") == {}
    assert fuzz.differences([20200198, 20210369, 22110009], tmp_path, [], "language") == {}


def test_an_abort_of_llvm_fails_its_kernel_only(fuzz, tmp_path, monkeypatch):
    class Aborting(worker.Worker):
        def request(self, header, body, timeout=1.0):
            assert header["patience"] == 0
            if not header.get("cautious"):
                raise worker.Aborted.plain("LLVM aborted: a test", origin="codegen")
            return super().request(header, body)

    several = worker.Workers(1)
    several.all = (Aborting(),)
    several._idle.get()
    several._idle.put(several.all[0])
    monkeypatch.setattr(worker, "_workers", several)
    monkeypatch.setattr(sim, "Machine", sim.Machine)
    monkeypatch.setattr(sim.SESSION, "checked", sim.SESSION.checked)
    monkeypatch.setenv("HEXMLIR_EXECUTOR", "sim")
    monkeypatch.setenv("HEXAGON_MLIR_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    reports = []
    fuzz.hurry(False, reports)
    found = fuzz.differences([20, 21], tmp_path, reports)
    several.stop()
    assert [*found] == [20, 21]
    assert all("LLVM aborted: a test" in text for text in found.values())
