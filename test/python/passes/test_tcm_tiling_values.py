"""Groups of ops tiled into a small TCM: the IR runs on the host after tiling and at the end of the pipeline."""

import numpy as np
import pytest
from tiled_programs import CASES, gelu_of_linear, layer_norm, rms_norm_residual, small_target, softmax

import hexagon_mlir as hx
from hexagon_mlir import pipelines, targets
from hexagon_mlir.codegen import compile_module
from hexagon_mlir.exec.host import HostFunction
from hexagon_mlir.exec.sim import launch
from hexagon_mlir.ir import parse, set_index_bits
from hexagon_mlir.pass_infra import PassContext
from hexagon_mlir.pass_infra.runner import run_steps

V75 = targets.get()


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
        function = HostFunction(module, "f", level=0)
        given = [a.copy() for a in arguments]
        if len(function.program.arguments) > len(given):
            result = np.zeros(expected.shape, np.float32)
            function([*given, result])
        else:
            result = function(given)[0]
        check(result, expected, f"{name} after {steps[stage].title}")
        assert "scf.for" in str(module), "nothing was tiled"
    assert "memref.dma_start" in str(module) or name in ("two groups", "gram", "GELU of linear"), "no double buffering"


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


def test_rows_whose_number_is_known_at_run_time():
    """Any number of them, from none to several tiles and a part of one, in much less time than straight from DDR."""
    kernel = hx.compile("""
#matrix = affine_map<(d0, d1) -> (d0, d1)>
func.func @f(%x: tensor<?x200xf32>, %b: tensor<200xf32>) -> tensor<?x200xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x200xf32>
  %e = tensor.empty(%n) : tensor<?x200xf32>
  %0 = linalg.generic {indexing_maps = [#matrix, affine_map<(d0, d1) -> (d1)>, #matrix],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : tensor<?x200xf32>, tensor<200xf32>) outs(%e : tensor<?x200xf32>) {
    ^bb0(%p: f32, %q: f32, %o: f32):
      %s = arith.mulf %p, %q : f32
      linalg.yield %s : f32
  } -> tensor<?x200xf32>
  %1 = linalg.add ins(%0, %x : tensor<?x200xf32>, tensor<?x200xf32>) outs(%e : tensor<?x200xf32>) -> tensor<?x200xf32>
  return %1 : tensor<?x200xf32>
}
""")
    b = np.random.default_rng(0).normal(size=200).astype(np.float32)
    for rows in (0, 1, 3, 130, 701):
        x = np.random.default_rng(rows).normal(size=(rows, 200)).astype(np.float32)
        run = kernel.run(x, b)
        np.testing.assert_allclose(run.outputs[0], x * b + x, rtol=1e-6, atol=1e-6)
    assert run.cycles < x.size  # straight from DDR more than five cycles per element
    assert len(run.profile.threads) > 1
