"""Double buffering and threads: right values, clean checks, and no wait that could be left out.

`scripts/check_combinations.py` runs every program in every combination, and attention, whose kernels are large.
"""

import numpy as np
import pytest
from sim.kernels import assembly
from waited_programs import examples, programs
from waits import recorded

from hexagon_mlir.bench.ways import COMBINATIONS
from hexagon_mlir.exec import sim

pytestmark = pytest.mark.only_values

PROGRAMS = programs()
ALL_COMBINATIONS = "vec-add 2D"
"""The others have everything on, and those with accumulators or much to wait for double buffering alone."""


@pytest.mark.parametrize(("name", "combination"), [
    *(pytest.param(name, "+MT+DB", marks=[pytest.mark.full] * (name == "GELU of linear"))
      for name in PROGRAMS if name != ALL_COMBINATIONS),
    *((name, "+DB") for name in ("softmax, rows larger than TCM", "column sums", "sum", "two groups")),
    *(pytest.param("GELU 1M", combination, marks=pytest.mark.full) for combination in COMBINATIONS[:-1]),
    *((ALL_COMBINATIONS, combination) for combination in COMBINATIONS)])
def test_linalg(name, combination):
    with recorded(combination) as launches:
        PROGRAMS[name]()
        assert launches.reports() == []
        assert launches.unneeded() == []
    assert launches.waits > 0 or "DB" not in combination or name == "gram"
    assert (launches.threads == 1) or "MT" in combination


@pytest.mark.parametrize(("name", "combination"), [
    *(pytest.param(name, "+MT+DB", marks=pytest.mark.full) for name in ("dropout", "gelu", "libdevice")),
    *((name, "+MT+DB") for name in ("vector_add", "softmax", "rms_norm", "layer_norm",
                                    "persistent_matmul", "grouped_matmul")),
    *(("matmul", combination) for combination in COMBINATIONS)])
def test_examples(name, combination, monkeypatch, tmp_path):
    pytest.importorskip("triton")
    pytest.importorskip("torch")
    from hexagon_mlir.frontend.triton import activate

    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    activate()
    with recorded(combination) as launches:
        examples()[name]()
        assert launches.by_asm
        assert launches.reports() == []
        assert launches.unneeded() == []
    assert launches.waits == {"Vec": 0, "+DB": 4, "+MT": 2, "+MT+DB": 6}[combination] or name != "matmul"


def test_waits_that_are_not_needed_are_found():
    """Two for one transfer: either can go, not both."""
    asm = assembly("""
define void @f(ptr %x, ptr %y) {
  %t = call i32 @hexmlir_rt_dma_start_2d(ptr %y, ptr %x, i32 128, i32 1, i32 128, i32 128)
  call void @hexmlir_rt_dma_wait(i32 %t)
  call void @hexmlir_rt_dma_wait(i32 %t)
  ret void
}
declare i32 @hexmlir_rt_dma_start_2d(ptr, ptr, i32, i32, i32, i32)
declare void @hexmlir_rt_dma_wait(i32)
""")
    with recorded("+DB") as launches:
        sim.launch(asm, "f", [np.arange(32, dtype=np.int32), np.zeros(32, np.int32)])
        assert launches.reports() == []
        assert len(launches.unneeded()) == 2
