"""Double-buffered loops on the host, where data arrives at the wait only: right values, and no wait too many or few."""

import itertools
import math

import numpy as np
import pytest

import hexagon_mlir as hx
from hexagon_mlir import targets
from hexagon_mlir.dialects.double_buffering import STAGES
from hexagon_mlir.exec.host import HostFunction
from hexagon_mlir.ir import HexError, ir, parse, set_index_bits
from hexagon_mlir.pass_infra import PassContext
from hexagon_mlir.pass_infra.pipeline_text import parse_pipeline
from hexagon_mlir.pass_infra.runner import run_steps
from hexagon_mlir.passes.double_buffering.decide import Tile, choose_buffers, fitting_buffers
from hexagon_mlir.passes.lib.dma_transfers import Shape, cut
from hexagon_mlir.targets.dma import Engine

pytestmark = pytest.mark.only_values

ENGINE = Engine.of(targets.get())


def double_buffered(text, buffers, stages="s1,s2"):
    module = parse(text)
    set_index_bits(module)
    steps = [f"hexagon-double-buffer-generic-s1{{buffers={buffers}}}"]
    if "s2" in stages:
        steps.append("hexagon-double-buffer-generic-s2")
    run_steps(module, parse_pipeline(",".join(steps)), PassContext(targets.get()))
    assert f"hexagon.db_pong_stage = {buffers - 1}" in str(module)
    return module


def ops_named(module, name):
    found = []

    def visit(op):
        if op.name == name:
            found.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return found


ADD = """func.func @f(%x: memref<{n}xf32>, %z: memref<{n}xf32>, %y: memref<{n}xf32>) {{
  %c0 = arith.constant 0 : index
  %n = arith.constant {n} : index
  %s = arith.constant {tile} : index
  scf.for %i = %c0 to %n step %s {{
    %m = affine.min affine_map<(d0) -> ({tile}, -d0 + {n})>(%i)
    %xs = memref.subview %x[%i] [%m] [1] : memref<{n}xf32> to memref<?xf32, strided<[1], offset: ?>>
    %xt = memref.alloc(%m) : memref<?xf32, 1>
    memref.copy %xs, %xt : memref<?xf32, strided<[1], offset: ?>> to memref<?xf32, 1>
    %zs = memref.subview %z[%i] [%m] [1] : memref<{n}xf32> to memref<?xf32, strided<[1], offset: ?>>
    %zt = memref.alloc(%m) : memref<?xf32, 1>
    memref.copy %zs, %zt : memref<?xf32, strided<[1], offset: ?>> to memref<?xf32, 1>
    %yt = memref.alloc(%m) : memref<?xf32, 1>
    linalg.add ins(%xt, %zt : memref<?xf32, 1>, memref<?xf32, 1>) outs(%yt : memref<?xf32, 1>)
    %ys = memref.subview %y[%i] [%m] [1] : memref<{n}xf32> to memref<?xf32, strided<[1], offset: ?>>
    memref.copy %yt, %ys : memref<?xf32, 1> to memref<?xf32, strided<[1], offset: ?>>
  }}
  return
}}
"""
IN_PLACE = """func.func @f(%y: memref<11x40xf32>) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %n = arith.constant 11 : index
  scf.for %i = %c0 to %n step %c3 {
    %m = affine.min affine_map<(d0) -> (3, -d0 + 11)>(%i)
    %v = memref.subview %y[%i, 4] [%m, 32] [1, 1] : memref<11x40xf32> to memref<?x32xf32, strided<[40, 1], offset: ?>>
    %t = memref.alloc(%m) : memref<?x32xf32, 1>
    memref.copy %v, %t : memref<?x32xf32, strided<[40, 1], offset: ?>> to memref<?x32xf32, 1>
    linalg.add ins(%t, %t : memref<?x32xf32, 1>, memref<?x32xf32, 1>) outs(%t : memref<?x32xf32, 1>)
    memref.copy %t, %v : memref<?x32xf32, 1> to memref<?x32xf32, strided<[40, 1], offset: ?>>
  }
  return
}
"""
CARRIED = """func.func @f(%x: memref<1xf32>, %y: memref<64xf32>, %n: i32, %m: i32, %stride: i32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %last = arith.index_cast %n : i32 to index
  %valid = arith.index_cast %m : i32 to index
  %hop = arith.index_cast %stride : i32 to index
  linalg.fill ins(%zero : f32) outs(%y : memref<64xf32>)
  %r:2 = scf.for %i = %c0 to %last step %c1 iter_args(%at = %c0, %count = %zero) -> (index, f32) {
    %b = memref.alloc() : memref<64xf32, 1>
    linalg.fill ins(%zero : f32) outs(%b : memref<64xf32, 1>)
    %xs = memref.reinterpret_cast %x to offset: [%at], sizes: [64], strides: [1]
      : memref<1xf32> to memref<64xf32, strided<[1], offset: ?>>
    %xm = memref.subview %xs[0] [%valid] [1]
      : memref<64xf32, strided<[1], offset: ?>> to memref<?xf32, strided<[1], offset: ?>>
    %bm = memref.subview %b[0] [%valid] [1] : memref<64xf32, 1> to memref<?xf32, strided<[1]>, 1>
    memref.copy %xm, %bm : memref<?xf32, strided<[1], offset: ?>> to memref<?xf32, strided<[1]>, 1>
    %acc = memref.alloc() : memref<64xf32>
    linalg.add ins(%b, %b : memref<64xf32, 1>, memref<64xf32, 1>) outs(%acc : memref<64xf32>)
    linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
        ins(%acc : memref<64xf32>) outs(%sums : memref<64xf32, 1>) {
      ^bb0(%a: f32, %o: f32):
        %s = arith.addf %o, %a : f32
        linalg.yield %s : f32
    }
    %one = arith.constant 1.0 : f32
    %more = arith.addf %count, %one : f32
    %next = arith.addi %at, %hop : index
    scf.yield %next, %more : index, f32
  }
  memref.copy %sums, %y : memref<64xf32, 1> to memref<64xf32>
  return %r#1 : f32
}
""".replace("  %r:2 = scf.for", "  %sums = memref.alloc() : memref<64xf32, 1>\n"
            "  linalg.fill ins(%zero : f32) outs(%sums : memref<64xf32, 1>)\n  %r:2 = scf.for")
CHAINED = """func.func @f(%x: memref<{n}x64xf32>, %z: memref<{m}x64xf32>, %y: memref<{m}x64xf32>, %given: i32) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = arith.constant {n} : index
  %m = arith.constant {m} : index
  %any = arith.index_cast %given : i32 to index
  %sums = memref.alloc() : memref<64xf32, 1>
  linalg.fill ins(%zero : f32) outs(%sums : memref<64xf32, 1>)
  scf.for %i = %c0 to %{count} step %c1 {{
    %v = memref.subview %x[%i, 0] [1, 64] [1, 1] : memref<{n}x64xf32> to memref<64xf32, strided<[1], offset: ?>>
    %b = memref.alloc() : memref<64xf32, 1>
    memref.copy %v, %b : memref<64xf32, strided<[1], offset: ?>> to memref<64xf32, 1>
    linalg.add ins(%b, %sums : memref<64xf32, 1>, memref<64xf32, 1>) outs(%sums : memref<64xf32, 1>)
  }}
  scf.for %i = %c0 to %m step %c1 {{
    %v = memref.subview %z[%i, 0] [1, 64] [1, 1] : memref<{m}x64xf32> to memref<64xf32, strided<[1], offset: ?>>
    %b = memref.alloc() : memref<64xf32, 1>
    memref.copy %v, %b : memref<64xf32, strided<[1], offset: ?>> to memref<64xf32, 1>
    %t = memref.alloc() : memref<64xf32, 1>
    linalg.add ins(%b, %sums : memref<64xf32, 1>, memref<64xf32, 1>) outs(%t : memref<64xf32, 1>)
    %w = memref.subview %y[%i, 0] [1, 64] [1, 1] : memref<{m}x64xf32> to memref<64xf32, strided<[1], offset: ?>>
    memref.copy %t, %w : memref<64xf32, 1> to memref<64xf32, strided<[1], offset: ?>>
  }}
  return
}}
"""
HANDED_ON = """func.func @f(%x: memref<9x64xf32>, %y: memref<2x64xf32>, %n: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %low = arith.constant -2.0 : f32
  %last = arith.index_cast %n : i32 to index
  %start = memref.alloc() : memref<64xf32>
  linalg.fill ins(%low : f32) outs(%start : memref<64xf32>)
  %rises = memref.subview %y[1, 0] [1, 64] [1, 1] : memref<2x64xf32> to memref<64xf32, strided<[1], offset: 64>>
  %r:2 = scf.for %i = %c0 to %last step %c1 iter_args(%old = %start, %at = %c0) -> (memref<64xf32>, index) {
    %b = memref.alloc() : memref<64xf32, 1>
    %v = memref.subview %x[%i, 0] [1, 64] [1, 1] : memref<9x64xf32> to memref<64xf32, strided<[1], offset: ?>>
    memref.copy %v, %b : memref<64xf32, strided<[1], offset: ?>> to memref<64xf32, 1>
    %new = memref.alloc() : memref<64xf32>
    linalg.max ins(%old, %b : memref<64xf32>, memref<64xf32, 1>) outs(%new : memref<64xf32>)
    linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
                    iterator_types = ["parallel"]}
        ins(%old, %new : memref<64xf32>, memref<64xf32>) outs(%rises : memref<64xf32, strided<[1], offset: 64>>) {
      ^bb0(%a: f32, %c: f32, %o: f32):
        %d = arith.subf %c, %a : f32
        %e = arith.mulf %d, %d : f32
        %s = arith.addf %o, %e : f32
        linalg.yield %s : f32
    }
    %next = arith.addi %at, %c1 : index
    scf.yield %new, %next : memref<64xf32>, index
  }
  %first = memref.subview %y[0, 0] [1, 64] [1, 1] : memref<2x64xf32> to memref<64xf32, strided<[1]>>
  memref.copy %r#0, %first : memref<64xf32> to memref<64xf32, strided<[1]>>
  return
}
"""
CUBES = """func.func @f(%x: memref<5x9x40xf32>, %y: memref<5x9x40xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c9 = arith.constant 9 : index
  scf.for %i = %c0 to %c9 step %c2 {
    %m = affine.min affine_map<(d0) -> (2, -d0 + 9)>(%i)
    %v = memref.subview %x[0, %i, 3] [5, %m, 32] [1, 1, 1]
      : memref<5x9x40xf32> to memref<5x?x32xf32, strided<[360, 40, 1], offset: ?>>
    %t = memref.alloc(%m) : memref<5x?x32xf32, 1>
    memref.copy %v, %t : memref<5x?x32xf32, strided<[360, 40, 1], offset: ?>> to memref<5x?x32xf32, 1>
    %u = memref.alloc(%m) : memref<5x?x32xf32, 1>
    linalg.exp ins(%t : memref<5x?x32xf32, 1>) outs(%u : memref<5x?x32xf32, 1>)
    %w = memref.subview %y[0, %i, 3] [5, %m, 32] [1, 1, 1]
      : memref<5x9x40xf32> to memref<5x?x32xf32, strided<[360, 40, 1], offset: ?>>
    memref.copy %u, %w : memref<5x?x32xf32, 1> to memref<5x?x32xf32, strided<[360, 40, 1], offset: ?>>
  }
  return
}
"""


def add_case(n, tile):
    x, z, y = (np.random.default_rng(seed).normal(0, 1, n).astype(np.float32) for seed in (n, n + 1, n + 2))
    return ADD.format(n=n, tile=tile), [x, z, y], 2, x + z


def in_place_case():
    y = np.random.default_rng(0).normal(0, 1, (11, 40)).astype(np.float32)
    expected = y.copy()
    expected[:, 4:36] *= 2
    return IN_PLACE, [y], 0, expected


def carried_case(count, valid, stride):
    x = np.random.default_rng(count).normal(0, 1, 1000).astype(np.float32)
    expected = np.zeros(64, np.float32)
    for i in range(count):
        expected[:valid] += 2 * x[i * stride:i * stride + valid]
    return CARRIED, [x, np.zeros(64, np.float32), count, valid, stride], 1, expected


def loop_carried_case(count):
    """The running maximum, and the squares of how much it rose each time."""
    x = np.random.default_rng(count).normal(0, 1, (9, 64)).astype(np.float32)
    maximum, rises = np.full(64, -2, np.float32), np.zeros(64, np.float32)
    for row in x[:count]:
        rises += (np.maximum(maximum, row) - maximum) ** 2
        maximum = np.maximum(maximum, row)
    return HANDED_ON, [x, np.zeros((2, 64), np.float32), count], 1, np.stack([maximum, rises])


def cubes_case():
    x = np.random.default_rng(1).normal(0, 1, (5, 9, 40)).astype(np.float32)
    expected = np.ones_like(x)
    expected[:, :, 3:35] = np.exp(x[:, :, 3:35])
    return CUBES, [x, np.ones_like(x)], 1, expected


def chained_case(n, m, given=None):
    """Two loops, of which the second starts to fetch in the first one; that of ``given`` iterations, of these only."""
    x, z = (np.random.default_rng(n).normal(0, 1, (count, 64)).astype(np.float32) for count in (n, m))
    text = CHAINED.format(n=n, m=m, count="n" if given is None else "any")
    return text, [x, z, np.zeros_like(z), given or 0], 2, z + x[:given].sum(0, dtype=np.float64).astype(np.float32)


CASES = {
    **{f"one after the other, {n} and {m}": chained_case(n, m) for n, m in ((2, 5), (5, 2), (7, 4))},
    "one after the other, known at run time": chained_case(5, 3, 3), "the first may not run": chained_case(5, 3, 0),
    "ragged": add_case(1000, 96), "even": add_case(1024, 256), "two tiles": add_case(130, 128),
    "in place": in_place_case(), "carried": carried_case(7, 50, 70), "carried, one tile": carried_case(1, 64, 3),
    "carried, no tile": carried_case(0, 64, 3), "carried, overlapping tiles": carried_case(9, 64, 10),
    "three dimensions": cubes_case(), **{f"carried, {n} tiles": loop_carried_case(n) for n in (0, 1, 2, 7)},
}


def run(module, arguments, out):
    arguments = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
    HostFunction(module, "f")(arguments)
    return arguments[out]


@pytest.mark.each_value
@pytest.mark.parametrize("buffers", [2, 3, 4])
@pytest.mark.parametrize("name", CASES)
def test_values(name, buffers):
    text, arguments, out, expected = CASES[name]
    for stages in ("s1", "s1,s2"):
        module = double_buffered(text, buffers, stages)
        assert bool(ops_named(module, "memref.dma_start")) == ("s2" in stages)
        np.testing.assert_allclose(run(module, arguments, out), expected, rtol=1e-5, err_msg=f"{name} after {stages}")


@pytest.mark.parametrize("name", ["ragged", "in place", "carried", "three dimensions", "carried, 7 tiles"])
@pytest.mark.parametrize("lost", STAGES)
def test_a_stage_that_lost_its_mark(name, lost):
    """As upstream patterns that rebuild an scf.if lose it: its loop keeps its copies, which wait."""
    text, arguments, out, expected = CASES[name]
    module = double_buffered(text, 2, "s1")
    for stage in ops_named(module, "scf.if"):
        if lost in stage.attributes:
            del stage.attributes[lost]
    context = PassContext(targets.get())
    run_steps(module, parse_pipeline("hexagon-double-buffer-generic-s2"), context)
    assert ["has lost its mark" in entry.message for entry in context.log.entries] == [True]
    assert not ops_named(module, "memref.dma_start")
    np.testing.assert_allclose(run(module, arguments, out), expected, rtol=1e-5)


def test_the_next_loop_starts_in_the_last_iteration():
    """Where that is known: a loop that may not run would not start it."""
    for name, inside in (("one after the other, 7 and 4", True), ("the first may not run", False)):
        module = double_buffered(CASES[name][0], 2, "s1")
        first, second = ops_named(module, "scf.for")
        found = [op for op in ops_named(first, "memref.copy") if next(iter(op.attributes["hexagon.db_fetch"])) == 1]
        assert len(found) == 2 * inside, "one for each of the stages, one of which is the last"
        assert all(str(op.attributes["hexagon.db_fetch"]) == "array<i64: 1, 0, 0>" for op in found)
        assert len(ops_named(second, "memref.copy")) == 4


@pytest.mark.parametrize("name", ["ragged", "in place", "carried", "three dimensions", "carried, 7 tiles",
                                  "one after the other, 7 and 4"])
def test_no_wait_can_be_left_out(name):
    text, arguments, out, expected = CASES[name]
    waits = len(ops_named(double_buffered(text, 2), "memref.dma_wait"))
    assert waits >= 2
    for number in range(waits):
        module = double_buffered(text, 2)
        wait = ops_named(module, "memref.dma_wait")[number]
        wait.erase()
        try:
            wrong = not np.allclose(run(module, arguments, out), expected, rtol=1e-5)
        except HexError as error:
            wrong = "never waited for" in str(error) or "not under way" in str(error)
        assert wrong, f"wait {number} of {waits} is not needed"


@pytest.mark.parametrize("name", ["ragged", "in place", "carried", "three dimensions"])
def test_no_wait_can_come_earlier_than_its_start(name):
    text, arguments, _, _ = CASES[name]
    module = double_buffered(text, 2)
    start = ops_named(module, "memref.dma_start")[0]
    start.erase()  # its wait finds nothing under way
    with pytest.raises(HexError, match="not under way"):
        run(module, arguments, 0)


@pytest.mark.parametrize("taken", [True, False])
def test_a_loop_in_a_block_of_its_own(taken):
    """Early returns are branches: the loop's function has several blocks."""
    kernel = hx.compile("""func.func @k(%x: tensor<65536xf32>, %c: i1) -> tensor<65536xf32> {
      cf.cond_br %c, ^a, ^b
    ^a:
      %e = tensor.empty() : tensor<65536xf32>
      %0 = linalg.negf ins(%x : tensor<65536xf32>) outs(%e : tensor<65536xf32>) -> tensor<65536xf32>
      return %0 : tensor<65536xf32>
    ^b:
      return %x : tensor<65536xf32>
    }""", tcm_bytes=1 << 16)
    x = np.arange(65536, dtype=np.float32)
    np.testing.assert_array_equal(kernel.run(x, taken).outputs[0], -x if taken else x)


def test_large_work_becomes_a_function():
    text, arguments, out, _ = CASES["ragged"]
    many = "\n".join(f"        %v{i} = arith.addf %v{i - 1}, %b : f32" for i in range(1, 20))
    add = "    linalg.add ins(%xt, %zt : memref<?xf32, 1>, memref<?xf32, 1>) outs(%yt : memref<?xf32, 1>)"
    assert add in text
    text = text.replace(add, f"""
    linalg.generic {{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
                     iterator_types = ["parallel"]}}
        ins(%xt, %zt : memref<?xf32, 1>, memref<?xf32, 1>) outs(%yt : memref<?xf32, 1>) {{
      ^bb0(%v0: f32, %b: f32, %o: f32):
{many}
        linalg.yield %v19 : f32
    }}""")
    module = double_buffered(text, 2)
    assert len(ops_named(module, "func.call")) == 2  # one for ping, one for pong
    np.testing.assert_allclose(run(module, arguments, out), arguments[0] + 19 * arguments[1], rtol=1e-4, atol=1e-4)


# -- decisions -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("tile", "trips", "most", "buffers"), [
    (Tile((1 << 20,), (1 << 20,), 50_000.0), 8, 4, 2),   # balanced
    (Tile((16384,), (), 100.0), 100, 4, 2),              # the engine never rests
    (Tile((16384,), (), 700.0), 100, 4, 4),              # it does, and its latency is longer than the work
    (Tile((16384,), (), 700.0), 100, 3, 3),
    (Tile((16384,), (), 5000.0), 100, 4, 2),             # longer work hides it
    (Tile((128,), (), 100.0), 100, 4, 1),                # the core copies faster
    (Tile((1 << 20,), (), None), None, 4, 2),            # unknown work
    (Tile((1 << 20,), (), 1000.0), 1, 4, 1),
    (Tile((), (), 1000.0), 10, 4, 1),
    (Tile((1 << 20,), (), 1000.0), 10, 1, 1),
])
def test_choose_buffers(tile, trips, most, buffers):
    assert choose_buffers(tile, trips, ENGINE, most) == buffers


def test_double_buffering_tends_to_the_ideal():
    """With a fraction m of the time in memory the speed-up is 1 / max(m, 1 - m), up to the start of a transfer."""
    nbytes = 1 << 20
    for memory in (0.1, 0.3, 0.5, 0.7, 0.9):
        transfer = ENGINE.waited_for(nbytes)
        tile = Tile((nbytes,), (), transfer * (1 - memory) / memory)
        assert math.isclose(tile.alone(ENGINE) / tile.overlapped(ENGINE, 2), 1 / max(memory, 1 - memory), rel_tol=0.1)


@pytest.mark.parametrize(("sizes", "free", "count"), [([100, 100], 399, 1), ([100, 100], 400, 2), ([1], 100, 4),
                                                      ([], 0, 4), ([10], -5, 0)])
def test_fitting_buffers(sizes, free, count):
    assert fitting_buffers(sizes, free, 4) == count


PACKED, ROWS = Shape(0, False), Shape(0, True)


@pytest.mark.parametrize(("sizes", "strides", "width", "bits", "shape"), [
    ([64], [[1], [1]], 4, 24, PACKED),
    ([8, 64], [[64, 1], [64, 1]], 4, 24, PACKED),               # contiguous on both sides
    ([8, 64], [[100, 1], [64, 1]], 4, 24, ROWS),
    ([3, 8, 64], [[6400, 100, 1], [512, 64, 1]], 4, 24, Shape(1, True)),
    ([3, 8, 64], [[6400, 64, 1], [512, 64, 1]], 4, 24, ROWS),   # the last two are one row
    ([3, 8, 64], [[800, 100, 1], [512, 64, 1]], 4, 24, Shape(0, 2)),  # all rows at one distance
    ([2, 3, 8, 64], [[9999, 800, 100, 1], [1536, 512, 64, 1]], 4, 24, Shape(1, 2)),
    ([3, 8, 64], [[800, 100, 1], [640, 64, 1]], 4, 24, Shape(1, 1)),
    ([3, 32768, 64], [[3276800, 100, 1], [2097152, 64, 1]], 4, 24, Shape(1, 1)),  # 16 bits of rows
    ([None, 8, 64], [[800, 100, 1], [512, 64, 1]], 4, 24, Shape(1, 1)),
    ([8, 64], [[16384, 1], [64, 1]], 4, 16, Shape(1, False)),   # 65,536 bytes do not fit 16 bits
    ([8, 64], [[16383, 1], [64, 1]], 4, 16, ROWS),
    ([65536, 64], [[100, 1], [64, 1]], 4, 24, Shape(1, False)),  # 16 bits of rows
    ([64], [[2], [1]], 4, 24, None),
    ([1 << 22], [[1], [1]], 4, 24, None),                       # 24 bits of length
    ([None, 64], [[64, 1], [64, 1]], 4, 24, PACKED),
    ([8, None], [[100, 1], [None, 1]], 4, 24, ROWS),
    ([], [[], []], 4, 24, PACKED),
])
def test_cut(sizes, strides, width, bits, shape):
    assert cut(sizes, strides, width, bits) == shape


def test_cut_covers_every_element():
    """Every shape moves all elements: loops x rows x contiguous run."""
    for sizes in itertools.product([1, 3, 7], repeat=3):
        for pitch in (sizes[2], sizes[2] + 5):
            plane = pitch * sizes[1] + 2
            shape = cut(sizes, [[plane, pitch, 1], [sizes[1] * sizes[2], sizes[2], 1]], 4, 24)
            assert shape is not None
            assert shape.loops + shape.rows <= 2
