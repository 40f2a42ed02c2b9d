"""Groups of ops tiled into a small TCM: the IR runs on the host after tiling and at the end of the pipeline."""

from dataclasses import replace

import numpy as np
import pytest

from hexagon_mlir import pipelines, targets
from hexagon_mlir.codegen import compile_module
from hexagon_mlir.exec.host import HostFunction
from hexagon_mlir.exec.sim import launch
from hexagon_mlir.ir import parse, set_index_bits
from hexagon_mlir.pass_infra import PassContext
from hexagon_mlir.pass_infra.runner import run_steps
from hexagon_mlir.pipelines import Settings
from hexagon_mlir.sim import Machine
from hexagon_mlir.sim.check_model import Rule

V75 = targets.get()


def small_target(tcm_bytes):
    """v75 with little TCM, so that small tensors are tiled."""
    return replace(V75, tcm_bytes=replace(V75.tcm_bytes, value=tcm_bytes))


HEADER = """#map = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>
"""


def reduce_rows(name, source, init, op, rows, columns):
    return f"""
  %{name}_e = tensor.empty() : tensor<{rows}xf32>
  %{name}_i = linalg.fill ins(%{init} : f32) outs(%{name}_e : tensor<{rows}xf32>) -> tensor<{rows}xf32>
  %{name} = linalg.reduce ins(%{source} : tensor<{rows}x{columns}xf32>) outs(%{name}_i : tensor<{rows}xf32>)
    dimensions = [1] (%{name}_a: f32, %{name}_b: f32) {{
      %{name}_c = arith.{op} %{name}_a, %{name}_b : f32
      linalg.yield %{name}_c : f32
    }}"""


def pointwise(name, inputs, maps, body, rows, columns):
    shapes = {"map": f"tensor<{rows}x{columns}xf32>", "row": f"tensor<{rows}xf32>", "column": f"tensor<{columns}xf32>"}
    arguments = ", ".join(f"%{chr(97 + i)}: f32" for i in range(len(inputs)))
    return f"""
  %{name}_e = tensor.empty() : {shapes['map']}
  %{name} = linalg.generic {{indexing_maps = [{', '.join('#' + m for m in maps)}, #map],
                            iterator_types = ["parallel", "parallel"]}}
      ins({', '.join('%' + i for i in inputs)} : {', '.join(shapes[m] for m in maps)})
      outs(%{name}_e : {shapes['map']}) {{
    ^bb0({arguments}, %o: f32):
{body}
  }} -> {shapes['map']}"""


def softmax(rows, columns):
    text = (HEADER + f"func.func @f(%x: tensor<{rows}x{columns}xf32>) -> tensor<{rows}x{columns}xf32> {{\n"
            "  %low = arith.constant 0xFF800000 : f32\n  %zero = arith.constant 0.0 : f32"
            + reduce_rows("m", "x", "low", "maximumf", rows, columns)
            + pointwise("e", ["x", "m"], ["map", "row"],
                        "      %u = arith.subf %a, %b : f32\n      %t = math.exp %u : f32\n      linalg.yield %t : f32",
                        rows, columns)
            + reduce_rows("s", "e", "zero", "addf", rows, columns)
            + pointwise("r", ["e", "s"], ["map", "row"],
                        "      %y = arith.divf %a, %b : f32\n      linalg.yield %y : f32", rows, columns)
            + f"\n  return %r : tensor<{rows}x{columns}xf32>\n}}\n")
    x = np.random.default_rng(rows).normal(0, 3, (rows, columns)).astype(np.float32)
    e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    return text, [x], e / e.sum(1, keepdims=True)


def layer_norm(rows, columns):
    text = (HEADER + f"func.func @f(%x: tensor<{rows}x{columns}xf32>, %w: tensor<{columns}xf32>, "
            f"%b: tensor<{columns}xf32>) -> tensor<{rows}x{columns}xf32> {{\n"
            f"  %zero = arith.constant 0.0 : f32\n  %n = arith.constant {columns}.0 : f32\n"
            "  %eps = arith.constant 1.0e-5 : f32"
            + reduce_rows("s", "x", "zero", "addf", rows, columns)
            + pointwise("d", ["x", "s"], ["map", "row"],
                        "      %m = arith.divf %b, %n : f32\n      %s1 = arith.subf %a, %m : f32\n"
                        "      linalg.yield %s1 : f32", rows, columns).replace("%b: f32", "%bb: f32").replace(
                            "divf %b,", "divf %bb,")
            + pointwise("q", ["d"], ["map"], "      %s2 = arith.mulf %a, %a : f32\n      linalg.yield %s2 : f32",
                        rows, columns)
            + reduce_rows("v", "q", "zero", "addf", rows, columns)
            + pointwise("r", ["d", "v", "w", "b"], ["map", "row", "column", "column"],
                        "      %m = arith.divf %b1, %n : f32\n      %t = arith.addf %m, %eps : f32\n"
                        "      %u = math.rsqrt %t : f32\n      %p = arith.mulf %a, %u : f32\n"
                        "      %z = arith.mulf %p, %c : f32\n      %y = arith.addf %z, %d1 : f32\n"
                        "      linalg.yield %y : f32", rows, columns).replace("%b: f32", "%b1: f32").replace(
                            "%d: f32", "%d1: f32")
            + f"\n  return %r : tensor<{rows}x{columns}xf32>\n}}\n")
    rng = np.random.default_rng(columns)
    x, w, b = (rng.normal(0, 2, s).astype(np.float32) for s in ((rows, columns), columns, columns))
    d = x.astype(np.float64) - x.mean(1, keepdims=True, dtype=np.float64)
    return text, [x, w, b], d / np.sqrt((d ** 2).mean(1, keepdims=True) + 1e-5) * w + b


def rms_norm_residual(rows, columns):
    text = (HEADER + f"func.func @f(%x: tensor<{rows}x{columns}xf32>, %y: tensor<{rows}x{columns}xf32>, "
            f"%w: tensor<{columns}xf32>) -> tensor<{rows}x{columns}xf32> {{\n"
            f"  %zero = arith.constant 0.0 : f32\n  %n = arith.constant {columns}.0 : f32\n"
            + pointwise("h", ["x", "y"], ["map", "map"],
                        "      %s1 = arith.addf %a, %b : f32\n      linalg.yield %s1 : f32", rows, columns)
            + pointwise("q", ["h"], ["map"], "      %s2 = arith.mulf %a, %a : f32\n      linalg.yield %s2 : f32",
                        rows, columns)
            + reduce_rows("v", "q", "zero", "addf", rows, columns)
            + pointwise("r", ["h", "v", "w"], ["map", "row", "column"],
                        "      %m = arith.divf %b, %n : f32\n      %u = math.rsqrt %m : f32\n"
                        "      %p = arith.mulf %a, %u : f32\n      %z = arith.mulf %p, %c : f32\n"
                        "      linalg.yield %z : f32", rows, columns)
            + f"\n  return %r : tensor<{rows}x{columns}xf32>\n}}\n")
    rng = np.random.default_rng(columns)
    x, y, w = (rng.normal(0, 2, s).astype(np.float32) for s in ((rows, columns), (rows, columns), columns))
    h = x.astype(np.float64) + y
    return text, [x, y, w], h / np.sqrt((h ** 2).mean(1, keepdims=True)) * w


def gelu_of_linear(rows, depth, columns):
    text = HEADER + f"""func.func @f(%x: tensor<{rows}x{depth}xf32>, %w: tensor<{depth}x{columns}xf32>,
    %b: tensor<{columns}xf32>) -> tensor<{rows}x{columns}xf32> {{
  %zero = arith.constant 0.0 : f32
  %k = arith.constant -1.702 : f32
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<{rows}x{columns}xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<{rows}x{columns}xf32>) -> tensor<{rows}x{columns}xf32>
  %m = linalg.matmul ins(%x, %w : tensor<{rows}x{depth}xf32>, tensor<{depth}x{columns}xf32>)
    outs(%f : tensor<{rows}x{columns}xf32>) -> tensor<{rows}x{columns}xf32>""" + pointwise(
        "r", ["m", "b"], ["map", "column"],
        "      %s = arith.addf %a, %b1 : f32\n      %t = arith.mulf %s, %k : f32\n      %u = math.exp %t : f32\n"
        "      %v = arith.addf %u, %one : f32\n      %y = arith.divf %s, %v : f32\n      linalg.yield %y : f32",
        rows, columns).replace("%b: f32", "%b1: f32") + f"\n  return %r : tensor<{rows}x{columns}xf32>\n}}\n"
    rng = np.random.default_rng(depth)
    x, w, b = (rng.normal(0, 0.3, s).astype(np.float32) for s in ((rows, depth), (depth, columns), columns))
    h = x.astype(np.float64) @ w + b
    return text, [x, w, b], h / (1 + np.exp(-1.702 * h))


def gram(rows, columns):
    """x x^T: two different slices of one input."""
    text = f"""func.func @f(%x: tensor<{rows}x{columns}xf32>) -> tensor<{rows}x{rows}xf32> {{
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<{rows}x{rows}xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<{rows}x{rows}xf32>) -> tensor<{rows}x{rows}xf32>
  %r = linalg.generic {{indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>,
                                        affine_map<(d0, d1, d2) -> (d0, d1)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}}
      ins(%x, %x : tensor<{rows}x{columns}xf32>, tensor<{rows}x{columns}xf32>)
      outs(%f : tensor<{rows}x{rows}xf32>) {{
    ^bb0(%a: f32, %b: f32, %o: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %o, %p : f32
      linalg.yield %s : f32
  }} -> tensor<{rows}x{rows}xf32>
  return %r : tensor<{rows}x{rows}xf32>
}}
"""
    x = np.random.default_rng(3).normal(0, 1, (rows, columns)).astype(np.float32)
    return text, [x], x.astype(np.float64) @ x.T


def indices(n):
    """The body computes with its index, and the output is read as well."""
    text = f"""func.func @f(%x: tensor<{n}xf32>, %y: tensor<{n}xf32>) -> tensor<{n}xf32> {{
  %r = linalg.generic {{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
                       iterator_types = ["parallel"]}}
      ins(%x : tensor<{n}xf32>) outs(%y : tensor<{n}xf32>) {{
    ^bb0(%a: f32, %o: f32):
      %i = linalg.index 0 : index
      %j = arith.index_cast %i : index to i32
      %k = arith.sitofp %j : i32 to f32
      %s = arith.addf %a, %k : f32
      %t = arith.addf %s, %o : f32
      linalg.yield %t : f32
  }} -> tensor<{n}xf32>
  return %r : tensor<{n}xf32>
}}
"""
    x, y = (np.random.default_rng(s).normal(0, 1, n).astype(np.float32) for s in (1, 2))
    return text, [x, y], x.astype(np.float64) + y + np.arange(n)


def two_groups(rows, columns):
    """The column sums need every row of what the rows' sums gave: two loops, what is between them in TCM."""
    text = (HEADER + f"func.func @f(%x: tensor<{rows}x{columns}xf32>) -> tensor<{columns}xf32> {{\n"
            "  %zero = arith.constant 0.0 : f32"
            + reduce_rows("s", "x", "zero", "addf", rows, columns)
            + pointwise("d", ["x", "s"], ["map", "row"],
                        "      %t = arith.subf %a, %b : f32\n      linalg.yield %t : f32", rows, columns)
            + f"""
  %c_e = tensor.empty() : tensor<{columns}xf32>
  %c_i = linalg.fill ins(%zero : f32) outs(%c_e : tensor<{columns}xf32>) -> tensor<{columns}xf32>
  %c = linalg.reduce ins(%d : tensor<{rows}x{columns}xf32>) outs(%c_i : tensor<{columns}xf32>) dimensions = [0]
    (%p: f32, %q: f32) {{
      %u = arith.addf %p, %q : f32
      linalg.yield %u : f32
    }}
  return %c : tensor<{columns}xf32>
}}
""")
    x = np.random.default_rng(9).normal(0, 1, (rows, columns)).astype(np.float32)
    wide = x.astype(np.float64)
    return text, [x], (wide - wide.sum(1, keepdims=True)).sum(0)


def column_sums(rows, columns):
    """The rows do not fit: their sums so far go from tile to tile."""
    text = HEADER + f"""func.func @f(%x: tensor<{rows}x{columns}xf32>) -> tensor<{columns}xf32> {{
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<{columns}xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<{columns}xf32>) -> tensor<{columns}xf32>
  %s = linalg.generic {{indexing_maps = [#map, #column], iterator_types = ["reduction", "parallel"]}}
      ins(%x : tensor<{rows}x{columns}xf32>) outs(%i : tensor<{columns}xf32>) {{
    ^bb0(%a: f32, %o: f32):
      %b = math.absf %a : f32
      %t = arith.addf %o, %b : f32
      linalg.yield %t : f32
  }} -> tensor<{columns}xf32>
  return %s : tensor<{columns}xf32>
}}
"""
    x = np.random.default_rng(columns).normal(0, 1, (rows, columns)).astype(np.float32)
    return text, [x], np.abs(x.astype(np.float64)).sum(0)


def total(n):
    """One sum, in tiles."""
    text = f"""func.func @f(%x: tensor<{n}xf32>) -> tensor<f32> {{
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %s = linalg.reduce {{ arith.addf }} ins(%x : tensor<{n}xf32>) outs(%i : tensor<f32>) dimensions = [0]
  return %s : tensor<f32>
}}
"""
    x = np.random.default_rng(n).normal(0, 1, n).astype(np.float32)
    return text, [x], x.astype(np.float64).sum()


CASES = {
    "softmax": (softmax(37, 300), 64 << 10), "softmax, rows larger than TCM": (softmax(3, 9001), 32 << 10),
    "layer norm, rows larger than TCM": (layer_norm(2, 9001), 32 << 10),
    "column sums": (column_sums(3001, 70), 32 << 10), "sum": (total(40007), 32 << 10),
    "layer norm": (layer_norm(50, 513), 64 << 10), "RMS norm + residual": (rms_norm_residual(41, 257), 48 << 10),
    "GELU of linear": (gelu_of_linear(70, 40, 65), 48 << 10),
    "GELU of linear, weights larger than TCM": (gelu_of_linear(9, 45, 333), 40 << 10), "gram": (gram(66, 70), 48 << 10),
    "indices": (indices(10007), 32 << 10), "two groups": (two_groups(30, 200), 24 << 10),
}


def check(result, expected, name):
    scale = 1 + np.abs(expected).max()
    np.testing.assert_allclose(result, expected, rtol=0, atol=2e-5 * scale, err_msg=name)


@pytest.mark.parametrize("name", CASES)
def test_on_the_host(name):
    (text, arguments, expected), tcm = CASES[name]
    target = small_target(tcm)
    module = parse(text)
    set_index_bits(module)
    steps = pipelines.get("default", target)
    stages = [i for i, s in enumerate(steps) if s.title in ("hexagon-tcm-tiling", "hexagon-double-buffer-generic-s1",
                                                            "hexagon-double-buffer-generic-s2")]
    begin = 0
    for stage in stages:
        run_steps(module, steps[begin:stage + 1], PassContext(target))
        begin = stage + 1
        function = HostFunction(module, "f")
        given = [a.copy() for a in arguments]
        if len(function.program.arguments) > len(given):
            result = np.zeros(expected.shape, np.float32)
            function([*given, result])
        else:
            result = function(given)[0]
        check(result, expected, f"{name} after {steps[stage].title}")
        assert "scf.for" in str(module), "nothing was tiled"
    assert "memref.dma_start" in str(module) or name in ("two groups", "gram", "GELU of linear"), "no double buffering"


@pytest.mark.parametrize("threads", [0, 1])
@pytest.mark.parametrize("name", CASES)
def test_on_the_simulator_with_checks(name, threads):
    (text, arguments, expected), tcm = CASES[name]
    compiled = compile_module(parse(text), small_target(tcm), settings=Settings(threads))
    result = np.zeros(expected.shape, np.float32)
    machine = Machine(compiled.asm, "v75", check=True)
    addresses = []
    for array in (*arguments, result):
        addresses.append(machine.alloc_ddr(array.nbytes, 128))
        machine.view(addresses[-1], array.nbytes)[:] = np.frombuffer(array.tobytes(), np.uint8)
    run = machine.run("f", addresses)
    # FLOAT_KIND is a lint of LLVM's own qfloat code. A store may meet what another thread's vector load read beyond its
    # own rows: the checks cannot tell that such lanes are thrown away.
    ignored = {Rule.FLOAT_KIND, Rule.RACE} if threads != 1 else {Rule.FLOAT_KIND}
    reports = [r for r in run.reports if r.rule not in ignored]
    assert not reports, reports
    got = np.frombuffer(bytes(machine.view(addresses[-1], result.nbytes)), np.float32).reshape(result.shape)
    check(got, expected, name)
    assert run.tcm_high_water <= tcm


@pytest.mark.parametrize(("name", "make"), [
    ("softmax", lambda: softmax(256, 1024)), ("layer norm", lambda: layer_norm(256, 1024)),
    ("RMS norm + residual", lambda: rms_norm_residual(256, 1024)),
    ("GELU of linear", lambda: gelu_of_linear(512, 128, 512)),
])
def test_each_element_crosses_ddr_once(name, make):
    text, arguments, expected = make()
    compiled = compile_module(parse(text), V75)
    result = np.zeros(expected.shape, np.float32)
    run = launch(compiled.asm, "f", [*arguments, result])
    check(result, expected, name)
    read, written = sum(a.nbytes for a in arguments), result.nbytes
    assert run.ddr_read_bytes <= 1.02 * read
    assert run.ddr_write_bytes <= 1.02 * written


def convolution(taps, columns):
    """Two loops carry an accumulator that the work inside sees in another shape, as convolutions leave it."""
    text = f"""
#in = affine_map<(d0, d1) -> (d1)>
#w = affine_map<(d0, d1) -> (d1, d0)>
#o = affine_map<(d0, d1) -> (d0)>
func.func @f(%x: tensor<{taps}x{taps}x48xf32>, %w: tensor<{taps}x{taps}x48x{columns}xf32>, %b: tensor<{columns}xf32>)
    -> tensor<1x{columns}xf32> {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant {taps} : index
  %start = tensor.expand_shape %b [[0, 1]] output_shape [1, {columns}]
      : tensor<{columns}xf32> into tensor<1x{columns}xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%u = %start) -> tensor<1x{columns}xf32> {{
    %s = scf.for %j = %c0 to %n step %c1 iter_args(%v = %u) -> tensor<1x{columns}xf32> {{
      %a = tensor.extract_slice %x[%i, %j, 0] [1, 1, 48] [1, 1, 1] : tensor<{taps}x{taps}x48xf32> to tensor<48xf32>
      %m = tensor.extract_slice %w[%i, %j, 0, 0] [1, 1, 48, {columns}] [1, 1, 1, 1]
          : tensor<{taps}x{taps}x48x{columns}xf32> to tensor<48x{columns}xf32>
      %flat = tensor.collapse_shape %v [[0, 1]] : tensor<1x{columns}xf32> into tensor<{columns}xf32>
      %p = linalg.generic {{indexing_maps = [#in, #w, #o], iterator_types = ["parallel", "reduction"]}}
          ins(%a, %m : tensor<48xf32>, tensor<48x{columns}xf32>) outs(%flat : tensor<{columns}xf32>) {{
      ^bb0(%c: f32, %d: f32, %o: f32):
        %e = arith.mulf %c, %d : f32
        %g = arith.addf %o, %e : f32
        linalg.yield %g : f32
      }} -> tensor<{columns}xf32>
      %q = tensor.expand_shape %p [[0, 1]] output_shape [1, {columns}]
          : tensor<{columns}xf32> into tensor<1x{columns}xf32>
      scf.yield %q : tensor<1x{columns}xf32>
    }}
    scf.yield %s : tensor<1x{columns}xf32>
  }}
  return %r : tensor<1x{columns}xf32>
}}
"""
    random = np.random.default_rng(taps)
    x, w, b = (random.normal(0, 1, shape).astype(np.float32)
               for shape in ((taps, taps, 48), (taps, taps, 48, columns), (columns,)))
    return text, [x, w, b], (b + np.einsum("ijk,ijkn->n", x.astype(np.float64), w))[None]


@pytest.mark.parametrize("columns", [64, 77])
def test_accumulators_that_loops_carry_in_other_shapes(columns):
    text, arguments, expected = convolution(3, columns)
    compiled = compile_module(parse(text), V75)
    result = np.zeros(expected.shape, np.float32)
    run = launch(compiled.asm, "f", [*arguments, result])
    check(result, expected, f"{columns} columns")
    read = sum(a.nbytes for a in arguments)  # the accumulator does not go to DDR and back with every tap
    assert run.ddr_read_bytes <= 1.1 * read
    assert run.ddr_write_bytes <= 6 * result.nbytes  # 9 taps; the stack is in DDR as well
