"""Random linalg programs through the whole default pipeline and the simulator, against numpy."""

import re

import pytest
from batch import on_simulator
from linalg_programs import Program, fixed_programs, random_elementwise, random_reduction, run_all

from hexagon_mlir import targets


def check_all(programs: list[Program], target: str = "v75", pipeline: str = "default") -> str:
    """Check every program; returns the assembly of all of them."""
    call, asm = on_simulator("".join(p.text for p in programs), pipeline, target)
    run_all(programs, call)
    return asm


@pytest.mark.ieee_arithmetic
@pytest.mark.parametrize("first", [0, *(pytest.param(seed, marks=pytest.mark.full) for seed in (10, 20, 30))])
def test_random_elementwise(first):
    check_all([random_elementwise(seed) for seed in range(first, first + 10)])


@pytest.mark.ieee_arithmetic
@pytest.mark.parametrize("first", [0, *(pytest.param(seed, marks=pytest.mark.full) for seed in (10, 20))])
def test_random_reductions(first):
    check_all([random_reduction(seed) for seed in range(first, first + 10)])


@pytest.mark.ieee_arithmetic
@pytest.mark.parametrize("target", [pytest.param(name, marks=[pytest.mark.full] * (name not in ("v67", "v79")))
                                    for name in targets.names()])
def test_combiners_contractions_indices(target):
    """A third of them on each target; those that have the arithmetic of v75 are `full`."""
    which = targets.names().index(target)
    check_all(fixed_programs()[which % 3::3], target)


@pytest.mark.ieee_arithmetic
@pytest.mark.parametrize("every", [10, pytest.param(3, marks=pytest.mark.full)])
@pytest.mark.parametrize(("pipeline", "first"), [("scalar", 0), ("auto-vectorized", 1)])
def test_baselines(pipeline, first, every):
    # LLVM 22 loses the NaN of vector minima and maxima, which its vectorizer makes: a baseline shows what LLVM does
    unlike = r"bf16|m(in|ax)imumf" if pipeline == "auto-vectorized" else "bf16"
    programs = [p for p in fixed_programs()[first::every] if not re.search(unlike, p.text)]
    asm = check_all(programs + [random_elementwise(seed) for seed in range(1, 12 // every)], pipeline=pipeline)
    assert ("vmem(" in asm) == (pipeline == "auto-vectorized")


@pytest.mark.ieee_arithmetic
@pytest.mark.parametrize("make", [
    lambda: random_elementwise(107), lambda: random_reduction(144), lambda: random_elementwise(271),
    lambda: random_elementwise(235),
    lambda: random_elementwise(76), lambda: random_elementwise(140), lambda: random_elementwise(197),
    lambda: random_elementwise(302), lambda: random_elementwise(1001), lambda: random_elementwise(1042),
], ids=["e107", "r144", "e271", "e235", "e76", "e140", "e197", "e302", "e1001", "e1042"])
def test_programs_that_found_bugs(make):
    check_all([make()])
