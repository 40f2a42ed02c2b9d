"""Every step of the pipelines keeps the meaning: the IR after it runs on the host, and the result is compared.

What a step makes wrong stays wrong: by default the IR runs after every tenth change and after the last one. Where the
result is wrong it runs after each, to name the step; so do the cases with the mark ``full``.
"""

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


@pytest.mark.parametrize("every", [10, pytest.param(1, marks=pytest.mark.full)])
@pytest.mark.parametrize("pipeline", ["default", "scalar"])
@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_every_step(case, pipeline, every):
    try:
        checked_steps(case, pipeline, every)
    except Exception:
        checked_steps(case, pipeline, 1)
        raise


def test_other_pipelines_have_the_same_steps():
    def titles(name):
        return [step.title for step in pipelines.get(name, targets.get())]

    assert {tuple(titles(name)) for name in pipelines.names()} == {tuple(titles("default")), tuple(titles("scalar"))}


def checked_steps(case: Case, pipeline: str, every: int) -> None:
    """Run ``pipeline`` with a check of the result after each ``every`` changes, and at the end."""
    module = parse(case.text())
    set_index_bits(module)
    before = to_text(module, elide=False)

    def checked(text: str, current, stage: str) -> None:
        if (case.name, text) not in CHECKED:
            check(case, on_host(case, current), stage)
            CHECKED.add((case.name, text))

    checked(before, module, "no step")
    ran = []

    def run_stage(index, step, when, current):
        nonlocal before
        if when != "after":
            return
        text = to_text(current, elide=False)
        halfway = "unrealized_conversion_cast" in text  # the next step completes the conversion
        if text != before and not halfway:
            ran.append(step.title)
            if len(ran) % every == 0:
                checked(text, current, f"step {index}, {step.title}")
        before = text

    steps = [replace(step, instance=replace(step.instance, always=True)) if step.title in case.always else step
             for step in pipelines.get(pipeline, targets.get(), case.settings)]
    run_steps(module, steps, PassContext(targets.get()), RunOptions(verify_levels=True, observers=[run_stage]))
    levels.check(module, "llvm", "the end of the pipeline")
    checked(to_text(module, elide=False), module, "the last step")
    assert len(ran) >= 6, ran
    if pipeline == "default":
        assert {"hexagon-vectorization", "hexagon-memory-lowering", *case.changed_by} <= set(ran)
        engine = {"hexagon-matrix-engine", "hexagon-engine-convolution"}
        into_tcm = {"hexagon-tcm-tiling", *engine} if case.grid is None else {"hexagon-tcm-placement"}
        assert into_tcm & set(ran)


def test_the_step_that_is_wrong_is_named(monkeypatch):
    """Although the IR does not run after it at first."""
    case, right = CASES[0], on_host

    def wrong(case, module):
        return right(case, module) + ("vector<" in str(module))

    monkeypatch.setitem(globals(), "on_host", wrong)
    monkeypatch.setitem(globals(), "CHECKED", set())
    with pytest.raises(AssertionError, match=r"after step .*hexagon-vectorization"):
        test_every_step(case, "default", 5)


ON_TARGETS = [*(("default", name) for name in targets.names()), ("scalar", "v68"), ("scalar", "v75")]
"""Scalar code is the same for the later targets."""


def on_targets() -> list:
    """Each case with all of `ON_TARGETS`; by default on v75 and, in turn, on one of the others."""
    others = [each for each in ON_TARGETS if each != ("default", targets.DEFAULT)]
    found = []
    for number, case in enumerate(SIMULATED):
        chosen = ("default", targets.DEFAULT), others[number % len(others)]
        for pipeline, target in ON_TARGETS:
            marks = [] if (pipeline, target) in chosen else [pytest.mark.full]
            found.append(pytest.param(case, pipeline, target, id=f"{case.name}-{pipeline}-{target}", marks=marks))
    return found


@pytest.mark.ieee_arithmetic
@pytest.mark.only_values
@pytest.mark.parametrize(("case", "pipeline", "target"), on_targets())
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
