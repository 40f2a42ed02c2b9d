"""`hexagon-vectorization` keeps every value: random programs, vectorized and executed on the host, against numpy."""

import numpy as np
import pytest
from batch import after, on_host
from linalg_programs import (
    NUMPY,
    RAGGED,
    Program,
    fixed_programs,
    generic,
    random_elementwise,
    random_reduction,
    random_transpose,
    run_all,
    values,
)

from hexagon_mlir import targets
from hexagon_mlir.ir import to_text
from hexagon_mlir.pass_infra import PassStep, UpstreamStep, registry
from hexagon_mlir.pipelines import BUFFERIZE

STEPS = [*[UpstreamStep(e.text, e.why, e.label) for e in BUFFERIZE],
         PassStep(registry.get("hexagon-copy-lowering")(dma_bytes=-1)),
         PassStep(registry.get("hexagon-vectorization")())]


def check_all(programs: list[Program], target: str = "v75"):
    """Check every program; returns the module after vectorization and the remarks."""
    module, context = after("".join(p.text for p in programs), STEPS, target)
    run_all(programs, on_host(module, [p.name for p in programs]))
    return module, context


def one_element_ops_only(module) -> bool:
    """True when every linalg op left works on a single element."""
    left = [line for line in to_text(module).splitlines() if "linalg.generic" in line]
    return all("iterator_types = []" in line for line in left)


@pytest.mark.parametrize("first", [0, 30, 60])
def test_random_elementwise(first):
    module, context = check_all([random_elementwise(seed) for seed in range(first, first + 30)])
    remarks = [entry.message for entry in context.log.entries]
    assert all("strided" in remark for remark in remarks), remarks  # two operands transposed in different ways
    assert to_text(module).count("linalg.generic") == len(remarks) <= 1


@pytest.mark.parametrize("first", [0, 30])
def test_random_reductions(first):
    module, context = check_all([random_reduction(seed) for seed in range(first, first + 30)])
    assert [entry.message for entry in context.log.entries] == []
    assert one_element_ops_only(module)


@pytest.mark.parametrize("target", [name for name in targets.names() if targets.get(name).vector_float])
def test_combiners_contractions_indices(target):
    module, context = check_all(fixed_programs(), target)
    assert [entry.message for entry in context.log.entries] == []
    assert one_element_ops_only(module)


@pytest.mark.parametrize("first", [0, 30])
def test_random_transposes(first):
    module, context = check_all([random_transpose(seed) for seed in range(first, first + 30)])
    assert [entry.message for entry in context.log.entries] == []
    assert one_element_ops_only(module)


@pytest.mark.parametrize("sum_is", ["%x", "%z"])
def test_a_ragged_transpose_added_in_place(sum_is):
    """Blocks may overlap only where no element is read after it was written."""
    text = f"""func.func @f(%x: memref<45x70xf32>, %y: memref<70x45xf32>, %z: memref<45x70xf32>) {{
      linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>,
                                        affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}}
          ins(%x, %y : memref<45x70xf32>, memref<70x45xf32>) outs({sum_is} : memref<45x70xf32>) {{
        ^bb0(%a: f32, %b: f32, %o: f32):
          %s = arith.addf %a, %b : f32
          linalg.yield %s : f32
      }}
      return
    }}"""
    rng = np.random.default_rng(2)
    x, y = values(rng, "f32", (45, 70), special=False), values(rng, "f32", (70, 45), special=False)
    expected = x + y.T
    module, _ = after(text, STEPS, "v75")
    z = np.zeros_like(x)
    on_host(module, ["f"])("f", [x, y, z])
    assert np.array_equal(z if sum_is == "%z" else x, expected)


def test_every_ragged_size_of_every_width():
    """One vector, one lane, one lane short, one lane over: nothing but the n elements is written."""
    programs = []
    for n in RAGGED:
        for type_ in ("f32", "i16", "i8"):
            rng = np.random.default_rng(n)
            x = values(rng, type_, (n,))
            op = "mulf" if type_ == "f32" else "muli"
            text = generic(f"square_{type_}_{n}", ["parallel"], [(x, type_, (0,))],
                           (np.zeros(n, NUMPY[type_]), type_, (0,)),
                           [f"      %s = arith.{op} %i0, %i0 : {type_}"], "%s")
            with np.errstate(all="ignore"):
                programs.append(Program(f"square_{type_}_{n}", text, [x, np.zeros(n, NUMPY[type_])], x * x))
    check_all(programs)


@pytest.mark.parametrize("type_", ["f32", "f16", "bf16"])
def test_the_number_wins_but_only_if_there_is_one(type_):
    """maxnumf of NaN alone is NaN, along the lanes and down them; a start of -inf is a number."""
    programs = []
    for start in (np.nan, -np.inf):
        for extents, reduced in (((3, 200), (1,)), ((40, 70), (0,)), ((40, 5), (1,))):
            x = np.full(extents, np.nan, NUMPY[type_])
            x[-1, -1] = -7
            kept = tuple(d for d in (0, 1) if d not in reduced)
            old = np.full([extents[d] for d in kept], start, NUMPY[type_])
            name = f"maxnum_{len(programs)}"
            text = generic(name, ["reduction" if d in reduced else "parallel" for d in (0, 1)],
                           [(x, type_, (0, 1))], (old, type_, kept),
                           [f"      %s = arith.maxnumf %i0, %o : {type_}"], "%s")
            with np.errstate(all="ignore"):
                programs.append(Program(name, text, [x, old], np.fmax(np.fmax.reduce(x, axis=reduced), old)))
    check_all(programs)


@pytest.mark.parametrize("type_", ["i64", "f64"])
def test_refused_types_still_run(type_):
    """A type without HVX lanes keeps its scalar loops, says so, and is right."""
    rng = np.random.default_rng(3)
    x, old = values(rng, type_, (5, 33)), np.zeros((5, 33), NUMPY[type_])
    op = "addf" if type_ == "f64" else "addi"
    text = generic("f", ["parallel"] * 2, [(x, type_, (0, 1))], (old, type_, (0, 1)),
                   [f"      %s = arith.{op} %i0, %i0 : {type_}"], "%s")
    with np.errstate(all="ignore"):
        _, context = check_all([Program("f", text, [x, old], x + x)])
    assert {e.message for e in context.log.entries} == {f"not vectorized: element type {type_} has no HVX lane"}
