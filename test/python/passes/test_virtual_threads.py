"""Work spread over threads: values against numpy on the host and the simulator, checks clean, all threads used."""

from dataclasses import replace
from math import erf

import numpy as np
import pytest
from batch import on_host
from linalg_programs import contraction, fixed_programs, random_elementwise, random_reduction
from stage_cases import linalg_cases

import hexagon_mlir as hx
from hexagon_mlir import pipelines, targets
from hexagon_mlir.codegen.emission import emit
from hexagon_mlir.codegen.translate import translate_to_llvm_ir
from hexagon_mlir.exec.host import HostFunction
from hexagon_mlir.ir import parse, set_index_bits
from hexagon_mlir.ir.query import ops_named
from hexagon_mlir.pass_infra import PassContext, PassStep
from hexagon_mlir.pass_infra.options import build
from hexagon_mlir.pass_infra.registry import get
from hexagon_mlir.pass_infra.runner import RunOptions, run_steps
from hexagon_mlir.passes.virtual_threads import nests
from hexagon_mlir.settings import Settings
from hexagon_mlir.sim import Machine

pytestmark = pytest.mark.only_values

V75 = targets.get("v75")
ELEMENTWISE = """func.func @f(%x: tensor<{shape}xf32>) -> tensor<{shape}xf32> {{
  %e = tensor.empty() : tensor<{shape}xf32>
  %y = linalg.mul ins(%x, %x : tensor<{shape}xf32>, tensor<{shape}xf32>) outs(%e : tensor<{shape}xf32>)
      -> tensor<{shape}xf32>
  %z = linalg.add ins(%y, %x : tensor<{shape}xf32>, tensor<{shape}xf32>) outs(%e : tensor<{shape}xf32>)
      -> tensor<{shape}xf32>
  %w = linalg.div ins(%z, %y : tensor<{shape}xf32>, tensor<{shape}xf32>) outs(%e : tensor<{shape}xf32>)
      -> tensor<{shape}xf32>
  return %w : tensor<{shape}xf32>
}}
"""


def forced(threads=4):
    """The default pipeline with threads wherever they are possible."""
    step = PassStep(build(get("form-virtual-threads"), f"min-cycles=1 threads={threads}"))
    return [step if s.title == "form-virtual-threads" else s
            for s in pipelines.get("default", V75, Settings(threads))]


def compiled(text, threads):
    """Assembly of ``text`` with threads wherever they are possible."""
    module = parse(text)
    set_index_bits(module)
    run_steps(module, forced(threads), PassContext(V75))
    return emit(translate_to_llvm_ir(module), V75)


def checked(asm, arrays, result):
    """Outputs and report of a checked run of function f of ``asm``."""
    machine = Machine(asm, V75, check=True)
    places = []
    for array in (*arrays, result):
        places.append(machine.alloc_ddr(array.nbytes))
        machine.write(places[-1], array)
    run = machine.run("f", places)
    return machine.read(places[-1], result.dtype, result.size).reshape(result.shape), run


@pytest.mark.parametrize(("shape", "threads"), [
    ((100003,), 0), ((100003,), 7), ((63, 1024), 0), ((5, 1000), 0),
    *(pytest.param(*case, marks=pytest.mark.full) for case in (((63, 16384), 7), ((4096,), 2)))])
def test_ragged_elementwise(shape, threads):
    x = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    kernel = hx.compile(ELEMENTWISE.format(shape="x".join(map(str, shape))), threads=threads)
    got, run = checked(kernel.asm, [x], np.zeros_like(x))
    np.testing.assert_allclose(got, (x * x + x) / (x * x), rtol=1e-5, atol=1e-6)
    assert not run.reports, [str(report) for report in run.reports]
    tasks = threads or int(V75.hvx_contexts.value)  # the main thread's is one; there may be more for the next tile
    assert len(run.threads) >= tasks
    busy = [thread.busy for thread in run.threads[1:tasks]]
    assert min(busy) > 0.5 * max(busy)


@pytest.mark.only_values(False)
@pytest.mark.parametrize("n", [256, 3000, 33333, pytest.param(1024, marks=pytest.mark.full)])
def test_never_slower(n):
    """From nothing to gain to much to gain: with threads as fast as without, or faster."""
    x = np.random.default_rng(0).normal(size=n).astype(np.float32)
    text = ELEMENTWISE.format(shape=n)
    cycles = [hx.compile(text, threads=threads).run(x).cycles for threads in (1, 0)]
    assert cycles[1] <= cycles[0]


CAST = """func.func @f(%x: tensor<{n}x{given}>) -> tensor<{n}x{made}> {{
  %e = tensor.empty() : tensor<{n}x{made}>
  %y = linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}} ins(%x : tensor<{n}x{given}>) outs(%e : tensor<{n}x{made}>) {{
  ^bb0(%a: {given}, %o: {made}):
    %b = arith.{cast} %a : {given} to {made}
    linalg.yield %b : {made}
  }} -> tensor<{n}x{made}>
  return %y : tensor<{n}x{made}>
}}
"""


@pytest.mark.only_values(False)
@pytest.mark.parametrize(("cast", "given", "made"), [("extf", "f16", "f32"), ("truncf", "f32", "f16")])
def test_casts_between_floats_are_spread(cast, given, made):
    """51,200 take one thread 7,300 cycles, estimated as 8,300. NaN and infinities stay."""
    types = {"f16": np.float16, "f32": np.float32}
    text = CAST.format(n=51200, cast=cast, given=given, made=made)
    module = parse(text)
    set_index_bits(module)
    run_steps(module, [PassStep(get("form-virtual-threads")())], PassContext(V75))
    assert "scf.forall" in str(module)
    x = np.random.default_rng(0).normal(size=51200).astype(np.float16).astype(types[given])
    x[:5] = np.nan, np.inf, -np.inf, -0.0, 65504
    runs = [hx.compile(text, threads=threads).run(x) for threads in (1, 0)]
    assert runs[1].cycles < 1.05 * runs[0].cycles  # 15,000 with 7,700 of transfers
    for run in runs:
        np.testing.assert_array_equal(run.outputs[0], x.astype(types[made]))


WIDENED_PRODUCT = """func.func @f(%q: tensor<64x64xf32>, %k: tensor<16x64xi16>) -> tensor<64x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x16xf32>
  %s = linalg.fill ins(%zero : f32) outs(%e : tensor<64x16xf32>) -> tensor<64x16xf32>
  %t = tensor.empty() : tensor<64x16xf32>
  %w = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%k : tensor<16x64xi16>) outs(%t : tensor<64x16xf32>) {
  ^bb0(%a: i16, %o: f32):
    %b = arith.sitofp %a : i16 to f32
    linalg.yield %b : f32
  } -> tensor<64x16xf32>
  %p = linalg.matmul ins(%q, %w : tensor<64x64xf32>, tensor<64x16xf32>) outs(%s : tensor<64x16xf32>)
      -> tensor<64x16xf32>
  %y = linalg.exp ins(%p : tensor<64x16xf32>) outs(%e : tensor<64x16xf32>) -> tensor<64x16xf32>
  return %y : tensor<64x16xf32>
}
"""


def test_lanes_of_the_heaviest_member():
    """A product's columns are half a vector: what transposes them before it has no lanes there, but they stay whole."""
    module = parse(WIDENED_PRODUCT)
    set_index_bits(module)
    run_steps(module, [PassStep(get("form-virtual-threads")())], PassContext(V75))
    assert "tensor<64x4xf32>" not in str(module)
    random = np.random.default_rng(0)
    q, k = random.normal(size=(64, 64)).astype(np.float32) / 32, random.integers(-9, 9, (16, 64)).astype(np.int16)
    run = hx.compile(module).run(q, k)
    np.testing.assert_allclose(run.outputs[0], np.exp(q @ k.T.astype(np.float32)), rtol=1e-4)


@pytest.mark.parametrize(("rows", "columns", "depth", "shared"), [
    (4, 128, 512, "(0) to (128) step (32)"),  # rows share the loaded right ones
    (8, 64, 512, "(0, 0) to (8, 64) step (4, 32)"),
    (3, 64, 512, "in (4)"),  # of the reduction
    (3, 64, 333, "(0) to (64) step (32)"),  # no equal parts of the reduction in whole vectors
    (9, 333, 100, "(0) to (333) step (84)")])  # no equal parts of four rows at least
def test_few_rows_times_rows_in_threads(rows, columns, depth, shared):
    """Each thread has all rows of a block; only the number of columns may be known at run time alone."""
    product = contraction("f", "matmul_transpose_b", 0, "f32", "f32", (rows, columns, depth))
    module = parse(product.text)
    set_index_bits(module)
    run_steps(module, [PassStep(get("form-virtual-threads")())], PassContext(V75))
    assert f"scf.forall (%arg3) {shared}" in str(module).replace("(%arg3, %arg4) =", "(%arg3)").replace(") = (", ") (")


def test_infinities_and_nans_stay_in_their_row_and_column():
    """Columns that fill up a vector count as the last one; chunks have other numbers of columns."""
    product = contraction("f", "matmul_transpose_b", 0, "f32", "f32", (3, 333, 500))
    left, right, start = product.arguments
    left[1, 499], right[332, 7], right[83, 0] = np.inf, np.nan, -np.inf
    (found,) = hx.compile(product.text).run(left, right, start).outputs
    rest = np.ix_([0, 2], [column for column in range(333) if column not in (83, 332)])
    assert (np.abs(found[rest] - product.expected[rest]) <= product.error[rest]).all()


@pytest.mark.parametrize(("rows", "operations", "shared"), [
    (197, 60, "(0) to (197) step (50)"), (197, 6, "(0) to (256) step (64)"), (6, 60, "(0) to (256) step (64)")])
def test_whole_rows_of_long_bodies(rows, operations, shared):
    """Rows that are split nearly as evenly as columns are whole: vector code joins them."""
    type_, map_ = f"tensor<{rows}x256xf16>", "affine_map<(i, j) -> (i, j)>"
    body = "\n".join(f"%v{n + 1} = arith.mulf %v{n}, %v{n} : f16" for n in range(operations))
    module = parse(f"""func.func @f(%x: {type_}, %y: {type_}) -> {type_} {{
      %r = linalg.generic {{indexing_maps = [{map_}, {map_}], iterator_types = ["parallel", "parallel"]}}
          ins(%x : {type_}) outs(%y : {type_}) {{
        ^bb0(%v0: f16, %o: f16):
          {body}
          linalg.yield %v{operations} : f16
      }} -> {type_}
      return %r : {type_}
    }}""")
    set_index_bits(module)
    run_steps(module, [PassStep(get("form-virtual-threads")())], PassContext(V75))
    assert shared in str(module)


def test_columns_join_rows_in_whole_vectors_only():
    """The scales of 128 columns take no part in chunks of 32 rows, those of 512 columns do."""
    for size, shared in ((128, False), (512, True)):
        types = [f"tensor<{size}x256xf16>", f"tensor<256x{size}xf16>", f"tensor<{size}xf16>"]
        maps = ["affine_map<(i, j) -> (i, j)>", "affine_map<(i, j) -> (i)>", "affine_map<(i, j) -> (j)>"]
        sums = "".join(f"""
          %{name} = linalg.generic {{indexing_maps = [{maps[0]}, {maps[1 + number]}], iterator_types = [{kinds}]}}
              ins(%x{number} : {types[number]}) outs(%z : {types[2]}) {{
            ^bb0(%a: f16, %o: f16):
              %m = arith.maximumf %a, %o : f16
              linalg.yield %m : f16
          }} -> {types[2]}""" for number, (name, kinds) in enumerate(
              (("rows", '"parallel", "reduction"'), ("columns", '"reduction", "parallel"'))))
        module = parse(f"""func.func @f(%x0: {types[0]}, %x1: {types[1]}, %z: {types[2]})
            -> ({types[2]}, {types[2]}) {{{sums}
          return %rows, %columns : {types[2]}, {types[2]}
        }}""")
        set_index_bits(module)
        run_steps(module, [PassStep(get("form-virtual-threads")())], PassContext(V75))
        foralls = str(module).split("scf.forall (")[1:]
        assert any(all(f"[{kind}]" in one for kind in ('"parallel", "reduction"', '"reduction", "parallel"'))
                   for one in foralls) == shared


@pytest.mark.full_except(
    "scaled_exp-10", "matmul_relu-10", "attention-10", "convolution-10", "convolution_bytes-10", "convolution_f16-10",
    "convolution_groups-10", "split-10")
@pytest.mark.parametrize("every", [10, 1])
@pytest.mark.parametrize("case", linalg_cases(), ids=[case.name for case in linalg_cases()])
def test_every_step(case, every):
    """The small cases of the stages tests, with threads forced on them, as in `test_stages`, from there on."""
    try:
        checked_steps(case, every)
    except Exception:
        checked_steps(case, 1)
        raise


def checked_steps(case, every):
    """Run the pipeline with a check of the result after each ``every`` changes since threads, and at the end."""
    ran = []

    def check(module, stage):
        function = HostFunction(module, case.entry, level=0)
        arguments = [a.copy() if isinstance(a, np.ndarray) else a for a in case.arguments]
        result = np.zeros(case.expected.shape, np.int32 if case.expected.dtype == np.int32 else np.float32)
        more = len(function.program.arguments) > len(arguments)
        got = function([*arguments, result] if more else arguments)
        scale = 1 + np.abs(case.expected).max()
        np.testing.assert_allclose(result if more else got[0], case.expected, rtol=0, atol=case.tolerance * scale,
                                   err_msg=stage)

    def run(index, step, when, module):
        nonlocal threads
        threads |= step.title == "form-virtual-threads"
        if not threads or when != "after":
            return
        if ran[-1:] != [text := str(module)] and "unrealized_conversion_cast" not in text:
            ran.append(text)
            if len(ran) % every == 1 or every == 1:  # the first is that of the threads
                check(module, step.title)

    threads = False
    module = parse(case.text())
    set_index_bits(module)
    run_steps(module, forced(), PassContext(V75), RunOptions(verify_levels=True, observers=[run]))
    check(module, "the last step")
    assert any("scf.forall" in text for text in ran)


def test_random_programs_on_the_host():
    """Every op that can be split is split, in every way the pass knows; small and odd sizes."""
    programs = [*fixed_programs(), *map(random_elementwise, range(10)), *map(random_reduction, range(10))]
    named = {program.name: program for program in programs}
    steps = forced()
    steps = steps[:[s.title for s in steps].index("form-virtual-threads") + 1]
    foralls = 0
    texts = list(named.values())
    for first in range(0, len(texts), 16):
        part = texts[first:first + 16]
        module = parse("\n".join(program.text for program in part))
        set_index_bits(module)
        run_steps(module, steps, PassContext(V75), RunOptions(verify_levels=True))
        foralls += str(module).count("scf.forall (")
        call = on_host(module, [program.name for program in part])
        for program in part:
            program.check(call(program.name, [a.copy() for a in program.arguments])[0])
    assert foralls > 20


def test_threads_option_reaches_the_passes():
    steps = pipelines.get("default", V75, Settings(3))
    given = {s.title: s.instance.threads for s in steps if isinstance(s, PassStep) and hasattr(s.instance, "threads")}
    assert given == dict.fromkeys(
        ("hexagon-tcm-tiling", "hexagon-tcm-placement", "form-virtual-threads", "share-tcm-copies",
         "hexagon-tcm-allocation", "lower-engine-products", "form-async-threads"), 3)
    assert "hexmlir_rt_fork" not in hx.compile(ELEMENTWISE.format(shape=100003), threads=1).asm


def test_more_contexts_more_threads():
    """v79 has six."""
    text = ELEMENTWISE.format(shape=1 << 16)
    x = np.random.default_rng(0).normal(size=1 << 16).astype(np.float32)
    run = hx.compile(text, target="v79").run(x)
    tasks = int(targets.get("v79").hvx_contexts.value) - 1
    assert len(run.profile.threads) % tasks == 1
    np.testing.assert_allclose(run.outputs[0], (x * x + x) / (x * x), rtol=1e-5, atol=1e-6)


def test_costly_threads_are_not_used():
    """The same kernel on a chip whose tasks start a thousand times slower stays with one thread."""
    slow = replace(V75, task_dispatch_cycles=replace(V75.task_dispatch_cycles, value=600_000))
    module = parse(ELEMENTWISE.format(shape=1 << 16))
    set_index_bits(module)
    context = PassContext(slow)
    run_steps(module, [PassStep(get("form-virtual-threads")())], context)
    assert "scf.forall" not in str(module)
    assert any("do not pay for threads" in entry.message for entry in context.log.entries)


def reduction(shape, dims, body, element, start, inputs=1, more=""):
    """A kernel that reduces ``dims`` of its inputs: ``body`` computes %s of %a (and %b) and what there is, %o."""
    kept = [str(n) for dim, n in enumerate(shape) if dim not in dims]
    x, y = f"tensor<{'x'.join(map(str, shape))}x{element}>", f"tensor<{'x'.join([*kept, more or element])}>"
    loops = [f"d{dim}" for dim in range(len(shape))]
    results = [name for dim, name in enumerate(loops) if dim not in dims]
    maps = [f"affine_map<({', '.join(loops)}) -> ({', '.join(to)})>" for to in [loops] * inputs + [results]]
    kinds = ['"reduction"' if dim in dims else '"parallel"' for dim in range(len(shape))]
    names = ["%x", "%y"][:inputs]
    return f"""func.func @f({', '.join(f'{n}: {x}' for n in names)}) -> {y} {{
  %c = arith.constant {start} : {more or element}
  %e = tensor.empty() : {y}
  %i = linalg.fill ins(%c : {more or element}) outs(%e : {y}) -> {y}
  %r = linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types = [{', '.join(kinds)}]}}
      ins({', '.join(names)} : {', '.join([x] * inputs)}) outs(%i : {y}) {{
    ^bb0({', '.join(f'%{n}: {element}' for n in "ab"[:inputs])}, %o: {more or element}):
      {body}
      linalg.yield %s : {more or element}
  }} -> {y}
  return %r : {y}
}}
"""


SUM = "%s = arith.addf %a, %o : f32"
HALVES = "%w = arith.extf %a : f16 to f32\n %s = arith.addf %w, %o : f32"
POSITIONS = "%n = linalg.index 0 : index\n %m = arith.index_cast %n : index to i32\n" \
    "%p = arith.muli %m, %a : i32\n %s = arith.addi %p, %o : i32"
REDUCTIONS = {  # shape, dims, body, element, start, expected of float64 or int32 values; threads
    "sum": ((100003,), (0,), SUM, "f32", "2.5", lambda x: x.sum() + 2.5, 0),
    "sum, one block is short": ((4097,), (0,), SUM, "f32", "0.0", lambda x: x.sum(), 7),
    "sum of f16": ((30001,), (0,), HALVES, "f16", "0.0", lambda x: x.sum(), 4),
    "rows": ((2, 50001), (1,), SUM, "f32", "1.0", lambda x: x.sum(1) + 1, 4),
    "columns": ((5001, 3), (0,), SUM, "f32", "0.0", lambda x: x.sum(0), 4),
    "two loops": ((3, 2, 20001), (0, 2), SUM, "f32", "0.0", lambda x: x.sum((0, 2)), 4),
    "product": ((1000,), (0,), "%s = arith.muli %a, %o : i32", "i32", "3",
                lambda x: 3 * x.prod(dtype=np.int32), 4),
    "positions": ((10007,), (0,), POSITIONS, "i32", "-1",
                  lambda x: (np.arange(x.size, dtype=np.int32) * x).sum(dtype=np.int32) - 1, 7),
    "least": ((10007,), (0,), "%s = arith.minsi %a, %o : i32", "i32", "2147483647", lambda x: x.min(), 4),
    "NaN wins": ((9999,), (0,), "%s = arith.maximumf %a, %o : f32", "f32", "0xFF800000", lambda x: np.nan, 4),
    "NaN loses": ((9999,), (0,), "%s = arith.maxnumf %a, %o : f32", "f32", "0xFF800000", np.nanmax, 7),
    "NaN and a start": ((9999,), (0,), "%s = arith.minnumf %a, %o : f32", "f32", "-100.0", lambda x: -100.0, 4),
    "bytes": ((10007,), (0,), "%s = arith.maxui %a, %o : i8", "i8", "0",
              lambda x: x.view(np.uint8).max().view(np.int8), 4),
}


@pytest.mark.parametrize("name", REDUCTIONS)
def test_split_reductions(name):
    """One result, or fewer than threads: parts are reduced beside each other and combined; all start once."""
    shape, dims, body, element, start, expected, threads = REDUCTIONS[name]
    rng = np.random.default_rng(1)
    dtype = {"f32": np.float32, "f16": np.float16, "i32": np.int32, "i8": np.int8}[element]
    x = rng.normal(1, 1, shape).astype(dtype) if element in ("f32", "f16") else rng.integers(-99, 99, shape, dtype)
    if "NaN" in name:
        x[5000:] = np.nan  # all that some threads see
    text = reduction(shape, dims, body, element, start, more="f32" if element == "f16" else "")
    want = np.asarray(expected(x.astype(np.float64) if x.dtype.kind == "f" else x))
    asm = compiled(text, threads or 4)
    assert "hexmlir_rt_join" in asm
    got, run = checked(asm, [x], np.zeros(want.shape, np.float32 if x.dtype.kind == "f" else dtype))
    assert not run.reports, [str(report) for report in run.reports]
    assert len(run.threads) >= (threads or 4)
    np.testing.assert_allclose(got, want, rtol=1e-5 if x.dtype.kind == "f" else 0)


@pytest.mark.only_values(False)
def test_split_reductions_pay():
    """One long vector: a sum behind an exponential over four threads; short ones are never slower."""
    body = "%v = math.exp %a : f32\n %s = arith.addf %v, %o : f32"
    for n in (300, 4096, 9000, 1 << 17):
        x = np.random.default_rng(0).normal(size=n).astype(np.float32)
        text = reduction((n,), (0,), body, "f32", "0.0")
        runs = [hx.compile(text, threads=threads).run(x) for threads in (1, 0)]
        assert runs[1].cycles <= runs[0].cycles, n
        np.testing.assert_allclose(runs[1].outputs[0], np.exp(x.astype(np.float64)).sum(), rtol=1e-5)
    assert runs[0].cycles > 2.5 * runs[1].cycles


GELU = """func.func @f(%x: tensor<{n}xf32>) -> tensor<{n}xf32> {{
  %e = tensor.empty() : tensor<{n}xf32>
  %half = arith.constant dense<0.70710678> : tensor<{n}xf32>
  %one = arith.constant dense<1.0> : tensor<{n}xf32>
  %s = linalg.mul ins(%x, %half : tensor<{n}xf32>, tensor<{n}xf32>) outs(%e : tensor<{n}xf32>) -> tensor<{n}xf32>
  %t = linalg.erf ins(%s : tensor<{n}xf32>) outs(%e : tensor<{n}xf32>) -> tensor<{n}xf32>
  %u = linalg.add ins(%t, %one : tensor<{n}xf32>, tensor<{n}xf32>) outs(%e : tensor<{n}xf32>) -> tensor<{n}xf32>
  %v = linalg.mul ins(%u, %s : tensor<{n}xf32>, tensor<{n}xf32>) outs(%e : tensor<{n}xf32>) -> tensor<{n}xf32>
  %w = linalg.mul ins(%v, %half : tensor<{n}xf32>, tensor<{n}xf32>) outs(%e : tensor<{n}xf32>) -> tensor<{n}xf32>
  return %w : tensor<{n}xf32>
}}
"""
SOFTMAX = """func.func @f(%x: tensor<5x{n}xf32>) -> tensor<5x{n}xf32> {{
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5xf32>
  %t = tensor.empty() : tensor<5x{n}xf32>
  %l = linalg.fill ins(%low : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
  %m = linalg.reduce {{ arith.maximumf }} ins(%x : tensor<5x{n}xf32>) outs(%l : tensor<5xf32>) dimensions = [1]
  %b = linalg.broadcast ins(%m : tensor<5xf32>) outs(%t : tensor<5x{n}xf32>) dimensions = [1]
  %d = linalg.sub ins(%x, %b : tensor<5x{n}xf32>, tensor<5x{n}xf32>) outs(%t : tensor<5x{n}xf32>) -> tensor<5x{n}xf32>
  %p = linalg.exp ins(%d : tensor<5x{n}xf32>) outs(%t : tensor<5x{n}xf32>) -> tensor<5x{n}xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
  %s = linalg.reduce {{ arith.addf }} ins(%p : tensor<5x{n}xf32>) outs(%z : tensor<5xf32>) dimensions = [1]
  %c = linalg.broadcast ins(%s : tensor<5xf32>) outs(%t : tensor<5x{n}xf32>) dimensions = [1]
  %r = linalg.div ins(%p, %c : tensor<5x{n}xf32>, tensor<5x{n}xf32>) outs(%t : tensor<5x{n}xf32>) -> tensor<5x{n}xf32>
  return %r : tensor<5x{n}xf32>
}}
"""


def softmax(x):
    powers = np.exp(x - x.max(1, keepdims=True))
    return powers / powers.sum(1, keepdims=True)


def gelu(x):
    return x / 2 * (1 + np.vectorize(erf)(x / np.sqrt(2)))


ODD = {"elementwise": (ELEMENTWISE.replace("{shape}", "{n}"), (), lambda x: (x * x + x) / (x * x)),
       "gelu": (GELU, (), gelu), "softmax": (SOFTMAX, (5,), softmax)}


@pytest.mark.each_value
@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize(("n", "threads"), [(77, 7), (1000, 4), (4097, 7)])
def test_small_odd_sizes(n, threads, name):
    """Forced on little work that divides by nothing: right values, and nothing for the checks to report."""
    text, rows, expected = ODD[name]
    x = np.random.default_rng(n).normal(0, 2, (*rows, n)).astype(np.float32)
    got, run = checked(compiled(text.format(n=n), threads), [x], np.zeros_like(x))
    assert not run.reports, [str(report) for report in run.reports]
    assert len(run.threads) > 1
    np.testing.assert_allclose(got, expected(x.astype(np.float64)), rtol=2e-5, atol=2e-6)


PACKED = """func.func @f(%x: tensor<18x1216xf16>, %e: tensor<6x8x4x4x32x2xf16>) -> tensor<6x8x4x4x32x2xf16> {
  %0 = linalg.generic {indexing_maps = [
      affine_map<(r, t, h, w, c, p) -> (r + h * 4, t * 32 + (w * 2 + p) * 128 + c)>,
      affine_map<(r, t, h, w, c, p) -> (r, t, h, w, c, p)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%x : tensor<18x1216xf16>) outs(%e : tensor<6x8x4x4x32x2xf16>) {
    ^bb0(%in: f16, %out: f16):
      BODY
      linalg.yield %in : f16
  } -> tensor<6x8x4x4x32x2xf16>
  return %0 : tensor<6x8x4x4x32x2xf16>
}
"""


def test_tiles_are_copied_in_whole_vectors():
    """768 vectors of 4 cycles, of which all is certain; with anything else in its body it is an op like others."""
    found = []
    for body in ("", "%n = arith.negf %in : f16"):
        module = parse(PACKED.replace("BODY", body))
        with module.context:
            found.append(nests.read(ops_named(module, "linalg.generic")[0], V75))
    copied, other = found
    assert (copied.cycles, copied.certain) == (768 * 4, 1)
    assert other.cycles > 10 * copied.cycles and other.certain < 1
