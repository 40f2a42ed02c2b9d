"""Every step of the pipelines keeps the meaning: after each one the IR runs on the host, and the result is compared."""

from dataclasses import replace

import numpy as np
import pytest
from stage_cases import Case, linalg_cases, triton_cases

from hexagon_mlir import levels, pipelines, targets
from hexagon_mlir.codegen import compile_module
from hexagon_mlir.exec.host import HostFunction
from hexagon_mlir.exec.sim import launch
from hexagon_mlir.ir import parse, set_index_bits, to_text
from hexagon_mlir.pass_infra import PassContext
from hexagon_mlir.pass_infra.runner import RunOptions, run_steps

CASES = [*triton_cases(), *linalg_cases()]
NAMES = [case.name for case in CASES]
SIMULATED = [case for case in CASES if not case.always]  # as they are compiled
CHECKED: set[tuple[str, str]] = set()
"""Names of cases and IR whose result was right: pipelines begin alike."""


@pytest.fixture(scope="module", autouse=True)
def triton_cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRITON_CACHE_DIR", str(tmp_path_factory.mktemp("triton")))
        yield


def check(case: Case, result: np.ndarray, stage: str) -> None:
    scale = 1 + np.abs(case.expected).max()
    np.testing.assert_allclose(result.astype(np.float64), case.expected, rtol=0, atol=case.tolerance * scale,
                               err_msg=f"{case.name} after {stage}")


def on_host(case: Case, module) -> np.ndarray:
    """The result of ``module``, at any stage, run on this machine."""
    function = HostFunction(module, case.entry, level=0)
    arguments = [a.copy() if isinstance(a, np.ndarray) else a for a in case.arguments]
    if case.grid is not None:
        function(arguments, case.grid)
        return arguments[case.out]
    if len(function.program.arguments) > len(arguments):  # results have become arguments
        result = np.zeros(case.expected.shape, np.int32 if case.expected.dtype == np.int32 else np.float32)
        function([*arguments, result])
        return result
    return function(arguments)[0]


@pytest.mark.parametrize("pipeline", pipelines.names())
@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_every_step(case, pipeline):
    module = parse(case.text())
    set_index_bits(module)
    before = to_text(module, elide=False)
    if (case.name, before) not in CHECKED:
        check(case, on_host(case, module), "no step")
        CHECKED.add((case.name, before))
    ran = []

    def run_stage(index, step, when, current):
        nonlocal before
        text = to_text(current, elide=False)
        halfway = "unrealized_conversion_cast" in text  # the next step completes the conversion
        if when == "after" and text != before and not halfway:
            if (case.name, text) not in CHECKED:
                check(case, on_host(case, current), f"step {index}, {step.title}")
                CHECKED.add((case.name, text))
            ran.append(step.title)
        before = text

    steps = [replace(step, instance=replace(step.instance, always=True)) if step.title in case.always else step
             for step in pipelines.get(pipeline, targets.get(), case.settings)]
    run_steps(module, steps, PassContext(targets.get()), RunOptions(verify_levels=True, observers=[run_stage]))
    levels.check(module, "llvm", "the end of the pipeline")
    assert len(ran) >= 6, ran
    if pipeline == "default":
        assert {"hexagon-vectorization", "hexagon-memory-lowering", *case.changed_by} <= set(ran)
        engine = {"hexagon-matrix-engine", "hexagon-engine-convolution"}
        into_tcm = {"hexagon-tcm-tiling", *engine} if case.grid is None else {"hexagon-tcm-placement"}
        assert into_tcm & set(ran)


# scalar code is the same for the later targets
@pytest.mark.ieee_arithmetic
@pytest.mark.parametrize(("pipeline", "target"), [*(("default", name) for name in targets.names()),
                                                  ("scalar", "v68"), ("scalar", "v75")])
@pytest.mark.parametrize("case", SIMULATED, ids=[case.name for case in SIMULATED])
def test_on_the_simulator(case, pipeline, target):
    compiled = compile_module(parse(case.text()), target, pipeline)
    arguments = [a.copy() if isinstance(a, np.ndarray) else a for a in case.arguments]
    if case.grid is None:
        dtype = np.int32 if case.expected.dtype == np.int32 else np.float32
        arguments.append(np.zeros(case.expected.shape, dtype))
    result = launch(compiled.asm, case.entry, arguments, case.grid, target)
    check(case, arguments[case.out], f"code generation for {target}")
    assert 0 < result.packets <= result.cycles * max(1, len(result.threads))
    if targets.get(target).vector_float:  # without, integers alone make vectors
        assert (result.hvx_packets > 0) == (pipeline == "default")
