"""What the project promises about speed: of the code it generates, in cycles, and of the compiler, in seconds."""

import importlib
import sys
import time

import numpy as np
import pytest
from support import ROOT

import hexagon_mlir as hx
from hexagon_mlir.codegen import cache, compile_module
from hexagon_mlir.codegen.worker import workers
from hexagon_mlir.frontend.triton import activate
from hexagon_mlir.ir import parse

PROMISED = {("GELU", "16384 f32"): 16, ("GELU", "16384 f16"): 30, ("vector add 2D", "64x16384 f32"): 8}
ERRORS = {"f32": 5e-5, "f16": 2e-3}  # absolute, values of the cases lie within +-40


@pytest.fixture(scope="module")
def demo():
    activate()
    sys.path.insert(0, str(ROOT))
    return importlib.import_module("bench.demo")


def test_vector_code_beats_scalar_code(demo):
    cases = [case for case in demo.cases() if (case.name, case.shape) in PROMISED]
    assert len(cases) == len(PROMISED)
    for case in cases:
        scalar_error, scalar = demo.measure(case, pipeline="scalar")
        error, vector = demo.measure(case)
        assert max(error, scalar_error) <= ERRORS[case.shape.split()[1]]
        assert scalar / vector >= PROMISED[case.name, case.shape], f"{case.name} {case.shape}: {scalar / vector:.1f}x"


def test_chains_are_kept_where_registers_are_short():
    """Of all ways to generate the code of an accurate sine, two need no qfloat value on the stack."""
    kernel = hx.compile("""func.func @f(%x: tensor<8192xf32>) -> tensor<8192xf32> {
      %0 = math.sin %x : tensor<8192xf32>
      return %0 : tensor<8192xf32>
    }""")
    x = np.linspace(-9, 9, 8192, dtype=np.float32)
    run = kernel.run(x)
    np.testing.assert_allclose(run.outputs[0], np.sin(x.astype(np.float64)), rtol=3e-7, atol=1e-12)
    assert run.profile.packets / 256 < 100  # without chains 141


def test_same_kernel_same_cycles(demo):
    case = next(case for case in demo.cases() if case.name == "softmax")
    assert demo.measure(case) == demo.measure(case)


@pytest.mark.timed
def test_softmax_compiles_within_half_a_second(tmp_path, monkeypatch):
    from examples.softmax import softmax
    from hexagon_mlir.frontend.triton.ttir import from_kernel

    text = from_kernel(softmax, {"x": "*fp32", "out": "*fp32", "columns": "i32", "stride": "i32",
                                 "BLOCK": "constexpr"}, {"BLOCK": 1024})
    backend = workers()
    backend.request({"cpu": "hexagonv75", "features": "", "kind": "llvm"}, "")  # LLVM is loaded

    def cpu() -> float:
        """Seconds of both processes."""
        return time.process_time() + backend.cpu_seconds

    seconds = []
    for attempt in range(10):
        monkeypatch.setenv(cache.ENVIRONMENT, str(tmp_path / str(attempt)))  # nothing is cached
        start, used = time.perf_counter(), cpu()
        compile_module(parse(text))
        # On a busy machine the compiler waits for its turn; what it used up does not depend on that.
        seconds.append(min(time.perf_counter() - start, cpu() - used))
        if seconds[-1] < 0.5:
            break
    assert min(seconds) < 0.5, f"{min(seconds):.2f} s"
