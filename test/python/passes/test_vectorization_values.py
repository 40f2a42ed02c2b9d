"""`hexagon-vectorization` keeps every value: random programs, vectorized and executed on the host, against numpy."""

import numpy as np
import pytest
from batch import after, on_host, on_simulator
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
from tiled_programs import softmax

import hexagon_mlir as hx
from hexagon_mlir import targets
from hexagon_mlir.ir import to_text
from hexagon_mlir.pass_infra import PassStep, UpstreamStep, registry
from hexagon_mlir.pipelines import BUFFERIZE

pytestmark = pytest.mark.only_values

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


@pytest.mark.parametrize("first", [0, *(pytest.param(seed, marks=pytest.mark.full) for seed in (15, 30, 45, 60, 75))])
def test_random_elementwise(first):
    module, context = check_all([random_elementwise(seed) for seed in range(first, first + 15)])
    remarks = [entry.message for entry in context.log.entries]
    assert all("strided" in remark for remark in remarks), remarks  # two operands transposed in different ways
    assert to_text(module).count("linalg.generic") == len(remarks) <= 1


@pytest.mark.parametrize("first", [0, pytest.param(30, marks=pytest.mark.full)])
def test_random_reductions(first):
    module, context = check_all([random_reduction(seed) for seed in range(first, first + 30)])
    assert [entry.message for entry in context.log.entries] == []
    assert one_element_ops_only(module)


@pytest.mark.parametrize("target", [pytest.param(name, marks=[] if name in ("v68", "v75") else pytest.mark.full)
                                    for name in targets.names() if targets.get(name).vector_float])
def test_combiners_contractions_indices(target):
    module, context = check_all(fixed_programs(), target)
    assert [entry.message for entry in context.log.entries] == []
    assert one_element_ops_only(module)


@pytest.mark.parametrize("first", [0, pytest.param(30, marks=pytest.mark.full)])
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


@pytest.mark.each_value
@pytest.mark.parametrize(("type_", "side"), [("f32", 32), ("f16", 64), ("i16", 64), ("i8", 128)])
@pytest.mark.parametrize("promise", ["{llvm.noalias}", ""])
def test_a_square_of_vectors_is_transposed_where_it_goes(type_, side, promise):
    """What waits in the output is not what the body reads there: the sum may be one of the terms."""
    square, add = f"memref<{side}x{side}x{type_}, 1>", "addf" if type_[0] == "f" else "addi"
    text = "".join(f"""func.func @{name}(%x: {square} {promise}, %y: {square} {promise}, %z: {square} {promise}) {{
      linalg.generic {{indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>,
                                        affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}}
          ins(%x, %y : {square}, {square}) outs({out} : {square}) {{
        ^bb0(%a: {type_}, %b: {type_}, %o: {type_}):
          %s = arith.{add} %a, %b : {type_}
          linalg.yield %s : {type_}
      }}
      return
    }}
    func.func @{name}_alone(%x: {square} {promise}, %y: {square} {promise}, %z: {square} {promise}) {{
      linalg.transpose ins(%x : {square}) outs({out} : {square}) permutation = [1, 0]
      return
    }}
    """ for name, out in (("apart", "%z"), ("own", "%y")))
    rng = np.random.default_rng(side)
    module, _ = after(text, STEPS, "v75")
    run = on_host(module, names := ["apart", "apart_alone", "own", "own_alone"])
    for name in names:
        x, y, z = (values(rng, type_, (side, side), special=False) for _ in range(3))
        with np.errstate(over="ignore"):
            expected = x.T if name.endswith("alone") else x.T + y
        run(name, [x, y, z])
        assert np.array_equal(z if name.startswith("apart") else y, expected), name


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


@pytest.mark.ieee_arithmetic
@pytest.mark.parametrize("execute", [on_host, on_simulator])
def test_rows_reduced_together_keep_apart(execute):
    """Four rows at a time and what is left of seven; every row has its own sum and maximum, NaN included."""
    programs = []
    for type_, combiner in (("f32", "addf"), ("f32", "maxnumf"), ("f16", "maximumf"), ("i16", "addi"), ("i8", "maxsi"),
                            ("i32", "xori")):
        for rows, columns in ((7, 256), (2, 640)):
            rng = np.random.default_rng(columns)
            x = values(rng, type_, (rows, columns), special=False)
            if type_ == "f32":
                x = np.rint(x)  # sums in any order are exact
                x[1, 3], x[0, 5] = (np.nan, -np.inf) if combiner == "maxnumf" else (np.inf, 3)
            old = values(rng, type_, (rows,), special=False)
            old = np.rint(old) if type_ == "f32" else old
            function = {"addf": np.add, "addi": np.add, "maxnumf": np.fmax, "maximumf": np.maximum, "maxsi": np.maximum,
                        "xori": np.bitwise_xor}[combiner]
            name = f"{combiner}_{type_}_{rows}"
            text = generic(name, ["parallel", "reduction"], [(x, type_, (0, 1))], (old, type_, (0,)),
                           [f"      %s = arith.{combiner} %i0, %o : {type_}"], "%s")
            programs.append(Program(name, text, [x, old], function(function.reduce(x, axis=1, dtype=x.dtype), old)))
    if execute is on_host:
        check_all(programs)
    else:
        run_all(programs, on_simulator("".join(p.text for p in programs))[0])


@pytest.mark.ieee_arithmetic
@pytest.mark.parametrize("execute", [on_host, on_simulator])
def test_a_vectors_worth_of_rows_reduced_together(execute, sample):
    """Whole blocks of rows and what is left of them, rows that end anywhere, more than one loop around them."""
    functions = {"addf": np.add, "addi": np.add, "maxnumf": np.fmax, "maximumf": np.maximum, "maxsi": np.maximum}
    programs = []
    for type_, combiner, sizes in (("f32", "addf", [(33, 20), (64, 64), (70, 100), (37, 300)]),
                                   ("f32", "maxnumf", [(16, 33), (38, 200)]), ("f32", "maximumf", [(3, 45, 40)]),
                                   ("f16", "maximumf", [(100, 70), (131, 400)]),
                                   ("i16", "addi", [(67, 130)]), ("i8", "maxsi", [(129, 200)])):
        for size in sizes:
            rng = np.random.default_rng(size[-1])
            x = values(rng, type_, size, special=False)
            if type_ == "f32":
                x = np.rint(x)  # sums in any order are exact
                x[..., 0, 3], x[..., -1, -1], x[..., 1, 2] = np.nan, np.inf, -np.inf
            old = values(rng, type_, size[:-1], special=False)
            old = np.rint(old) if type_ == "f32" else old
            name = f"{combiner}_{type_}_{'_'.join(map(str, size))}"
            loops = tuple(range(len(size)))
            text = generic(name, ["parallel"] * (len(size) - 1) + ["reduction"], [(x, type_, loops)],
                           (old, type_, loops[:-1]), [f"      %s = arith.{combiner} %i0, %o : {type_}"], "%s")
            function = functions[combiner]
            programs.append(Program(name, text, [x, old], function(function.reduce(x, axis=-1, dtype=x.dtype), old)))
    if execute is on_host:
        check_all(programs)
    else:
        programs = sample(programs, ("addf_f32_33_20", "addf_f32_37_300", "maxnumf_f32_16_33", "maximumf_f32_3_45_40",
                                     "maximumf_f16_100_70", "addi_i16_67_130", "maxsi_i8_129_200"))
        run_all(programs, on_simulator("".join(p.text for p in programs))[0])


def test_a_softmax_of_rows_of_several_vectors_is_little_code():
    """Straight code for a vector's worth of rows was 690 kB of LLVM IR, and LLVM took more than two minutes."""
    text, (x,), expected = softmax(37, 300)
    kernel = hx.compile(text)
    run = kernel.run(x)
    np.testing.assert_allclose(run.outputs[0], expected, rtol=4e-6)
    assert len(kernel.llvm_ir) < 150_000


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


@pytest.mark.each_value
@pytest.mark.parametrize("execute", [on_host, on_simulator])
@pytest.mark.parametrize("type_", ["f32", "f16", "bf16"])
def test_extremes_of_rows_and_columns_are_found_among_integers(type_, execute):
    """NaN of both signs, infinities, the smallest and the largest numbers: as the float operation orders them."""
    functions = {"maxnumf": np.fmax, "minnumf": np.fmin, "maximumf": np.maximum, "minimumf": np.minimum}
    bits = {"f32": np.uint32, "f16": np.uint16, "bf16": np.uint16}[type_]
    least, top = np.ones(1, bits).view(NUMPY[type_])[0], np.iinfo(bits).max >> 1
    largest = (np.array(np.inf, NUMPY[type_]).view(bits) - bits(1)).view(NUMPY[type_])
    nans = np.array([top, np.iinfo(bits).max], bits).view(NUMPY[type_])
    special = np.array([np.inf, -np.inf, largest, -largest, least, -least, 1.5, -1.5, *nans], NUMPY[type_])
    x = np.random.default_rng(5).choice(special, (len(special) + 3, 150))
    for row, value in enumerate(special):  # rows of one value, of it and each NaN
        x[row] = value
        x[row, 40:50], x[row, 140:145] = nans[0], nans[1]
    programs = []
    for combiner, function in functions.items():
        for kept in (0, 1):
            old = np.full(x.shape[kept], nans[0] if combiner.endswith("numf") else special[6], NUMPY[type_])
            name = f"{combiner}_{kept}"
            loops = ["parallel", "reduction"] if kept == 0 else ["reduction", "parallel"]
            text = generic(name, loops, [(x, type_, (0, 1))], (old, type_, (kept,)),
                           [f"      %s = arith.{combiner} %i0, %o : {type_}"], "%s")
            with np.errstate(all="ignore"):
                expected = function(function.reduce(x, axis=1 - kept), old)
            programs.append(Program(name, text, [x, old], expected))
    if execute is on_simulator:
        run_all(programs, on_simulator("".join(p.text for p in programs))[0])
        return
    module, _ = check_all(programs)
    lines = [line for line in to_text(module).splitlines() if "vector<" in line]
    assert any("arith.maxsi" in line for line in lines) and any("arith.minsi" in line for line in lines)
    assert not any("numf" in line or "imumf" in line for line in lines)


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


def test_rows_of_a_table():
    """Neighbours at computed places: rows that an input names, from a column on that a scalar says, with a tail."""
    text = """
#i = affine_map<(d0, d1) -> (d0)>
#x = affine_map<(d0, d1) -> (d0, d1)>
func.func @rows(%t: memref<9x101xf32>, %i: memref<6xi32>, %n: memref<6xi16>, %y: memref<6x70xf32>) {
  %three = arith.constant 3 : index
  linalg.generic {indexing_maps = [#i, #i, #x], iterator_types = ["parallel", "parallel"]}
      ins(%i, %n : memref<6xi32>, memref<6xi16>) outs(%y : memref<6x70xf32>) {
    ^bb0(%row: i32, %start: i16, %old: f32):
      %r = arith.index_cast %row : i32 to index
      %s = arith.index_cast %start : i16 to index
      %j = linalg.index 1 : index
      %k = arith.addi %j, %three : index
      %at = arith.addi %s, %k : index
      %v = memref.load %t[%r, %at] : memref<9x101xf32>
      %w = arith.mulf %v, %old : f32
      linalg.yield %w : f32
  }
  return
}
func.func @sums(%t: memref<9x101xf32>, %i: memref<6xi32>, %y: memref<101xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%i : memref<6xi32>) outs(%y : memref<101xf32>) {
    ^bb0(%row: i32, %old: f32):
      %r = arith.index_cast %row : i32 to index
      %j = linalg.index 0 : index
      %v = memref.load %t[%r, %j] : memref<9x101xf32>
      %w = arith.addf %v, %old : f32
      linalg.yield %w : f32
  }
  return
}
"""
    module, context = after(text, [PassStep(registry.get("hexagon-vectorization")())])
    assert [entry.message for entry in context.log.entries] == [] and "linalg.generic" not in to_text(module)
    call = on_host(module, ["rows", "sums"])
    rng = np.random.default_rng(0)
    table = values(rng, "f32", (9, 101), special=False)
    rows, starts = np.array([8, 0, 8, 3, 1, 2], np.int32), np.array([0, 28, 5, 7, 1, 0], np.int16)
    old = values(rng, "f32", (6, 70), special=False)
    result = old.copy()
    call("rows", [table, rows, starts, result])
    expected = np.stack([table[r, s + 3:s + 73] for r, s in zip(rows, starts, strict=True)]) * old
    np.testing.assert_array_equal(result, expected)
    total = np.ones(101, np.float32)
    call("sums", [table, rows, total])
    np.testing.assert_allclose(total, 1 + table[rows].sum(axis=0), rtol=1e-5, atol=1e-5)


def test_elements_that_data_places_stay_scalar():
    """Places that change from lane to lane, columns of a table, and reads of what the op writes."""
    remarks = []
    for place, of, extent in (("%r, %r", "%t", 9), ("%j, %r", "%t", 9), ("%r, %j", "%y", 9)):
        text = f"""
func.func @f(%t: memref<9x9xf32>, %i: memref<9x9xi32>, %y: memref<9x9xf32>) {{
  linalg.generic {{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
                  iterator_types = ["parallel", "parallel"]}}
      ins(%i : memref<9x9xi32>) outs(%y : memref<9x9xf32>) {{
    ^bb0(%row: i32, %old: f32):
      %r = arith.index_cast %row : i32 to index
      %j = linalg.index 1 : index
      %v = memref.load {of}[{place}] : memref<{extent}x9xf32>
      linalg.yield %v : f32
  }}
  return
}}"""
        module, context = after(text, [PassStep(registry.get("hexagon-vectorization")())])
        assert "linalg.generic" in to_text(module)
        remarks += [entry.message for entry in context.log.entries]
    assert len(remarks) == 3 and "strided" in remarks[0] and "strided" in remarks[1]
    assert "reads elsewhere in what it writes" in remarks[2]
