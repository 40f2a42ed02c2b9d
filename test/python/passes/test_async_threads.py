"""Parallel loops as tasks: values, schedules and checks on the simulator, the same IR on the host."""

import numpy as np
import pytest

from hexagon_mlir import targets
from hexagon_mlir.codegen import emit, translate_to_llvm_ir
from hexagon_mlir.exec.host import HostFunction
from hexagon_mlir.ir import HexError, ir, parse, set_index_bits
from hexagon_mlir.ir.query import find_ops, ops_named
from hexagon_mlir.pass_infra import PassContext, PassStep
from hexagon_mlir.pass_infra.options import build
from hexagon_mlir.pass_infra.registry import get
from hexagon_mlir.pass_infra.runner import RunOptions, run_steps
from hexagon_mlir.passes.lib.thread_cost import ForkCost
from hexagon_mlir.pipelines import TO_LLVM, _step
from hexagon_mlir.sim import Machine

pytestmark = pytest.mark.only_values

V75 = targets.get("v75")

# y[i][j] = 2 x[i][j] for i below n; rows go over threads, and then a second parallel loop reads what the first wrote
ROWS = """func.func @f(%x: memref<40x32xf32>, %y: memref<40x32xf32>, %n: index) {
  %t = memref.alloc(%n) : memref<?x32xf32, 1>
  scf.forall (%i) in (%n) {
    %a = memref.subview %x[%i, 0] [1, 32] [1, 1] : memref<40x32xf32> to memref<1x32xf32, strided<[32, 1], offset: ?>>
    %b = memref.subview %t[%i, 0] [1, 32] [1, 1]
        : memref<?x32xf32, 1> to memref<1x32xf32, strided<[32, 1], offset: ?>, 1>
    linalg.add ins(%a, %a : memref<1x32xf32, strided<[32, 1], offset: ?>>,
                            memref<1x32xf32, strided<[32, 1], offset: ?>>)
        outs(%b : memref<1x32xf32, strided<[32, 1], offset: ?>, 1>)
  }
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = arith.subi %n, %c1 : index
  scf.forall (%i, %j) = (0, 0) to (%n, 32) step (1, 16) {
    %r = arith.subi %last, %i : index
    %a = memref.subview %t[%r, %j] [1, 16] [1, 1]
        : memref<?x32xf32, 1> to memref<1x16xf32, strided<[32, 1], offset: ?>, 1>
    %b = memref.subview %y[%i, %j] [1, 16] [1, 1] : memref<40x32xf32> to memref<1x16xf32, strided<[32, 1], offset: ?>>
    linalg.copy ins(%a : memref<1x16xf32, strided<[32, 1], offset: ?>, 1>)
        outs(%b : memref<1x16xf32, strided<[32, 1], offset: ?>>)
  }
  memref.dealloc %t : memref<?x32xf32, 1>
  return
}
"""


def steps(threads):
    vectors = [PassStep(build(get("form-async-threads"), f"threads={threads}")),
               PassStep(get("hexagon-vectorization")())]
    return [*vectors, *[_step(entry) for entry in TO_LLVM]]


def lowered(threads=0, cut="", observers=()):
    """The module at the llvm level; ``cut`` names operations that are dropped right after the tasks are formed."""

    def observe(index, step, when, module):
        if when == "after" and index == 0 and cut:
            dropped = find_ops(module, lambda op: op.name == cut)
            assert dropped
            for op in dropped:
                op.erase()

    module = parse(ROWS)
    set_index_bits(module)
    run_steps(module, steps(threads), PassContext(V75),
              RunOptions(verify_levels=True, observers=[observe, *observers]))
    return module


def arrays(n):
    x = np.random.default_rng(0).normal(size=(40, 32)).astype(np.float32)
    expected = np.full((40, 32), -1, np.float32)
    expected[:n] = 2 * x[:n][::-1]
    return x, np.full((40, 32), -1, np.float32), expected


@pytest.fixture(scope="module")
def assembly():
    made = {}

    def of(threads=0, cut=""):
        if (threads, cut) not in made:
            made[threads, cut] = emit(translate_to_llvm_ir(lowered(threads, cut)), V75)
        return made[threads, cut]

    return of


def simulate(asm, n, check=True):
    machine = Machine(asm, "v75", check=check)
    x, y, expected = arrays(n)
    places = [machine.alloc_ddr(a.nbytes) for a in (x, y)]
    machine.write(places[0], x)
    machine.write(places[1], y)
    result = machine.run("f", [*places, n])
    return result, machine.read(places[1], np.float32, y.size).reshape(y.shape), expected


@pytest.mark.each_value
@pytest.mark.ieee_arithmetic
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 7, 39, 40])
@pytest.mark.parametrize("threads", [0, 7])
def test_ragged_ranges(assembly, n, threads):
    """Every length below, at and above the number of tasks: right values, no race, nothing leaks, all take part."""
    result, y, expected = simulate(assembly(threads), n)
    np.testing.assert_array_equal(y, expected)
    assert not result.reports, [str(report) for report in result.reports]
    limit = threads or int(V75.hvx_contexts.value)
    tasks = (min(n, limit) - 1) + (min(2 * n, limit) - 1)
    assert len(result.threads) == 1 + tasks


def test_nothing_to_do(assembly):
    """An empty range makes no task, and the group of none is not waited for in vain."""
    result, y, expected = simulate(assembly(), 0)
    np.testing.assert_array_equal(y, expected)
    assert len(result.threads) <= 1 and not result.reports


@pytest.mark.ieee_arithmetic
def test_one_thread_makes_no_tasks(assembly):
    assert "hexmlir_rt_fork" not in assembly(1)
    result, y, expected = simulate(assembly(1), 40)
    np.testing.assert_array_equal(y, expected)
    assert not result.reports


def test_removing_the_wait_fails(assembly):
    """Without its await_all the main thread goes on, and frees the buffer, while others still work on it."""
    rules = {str(report.rule) for report in simulate(assembly(cut="async.await_all"), 40)[0].reports}
    assert "race" in rules, rules
    module = lowered(cut="async.await_all")
    with pytest.raises(HexError, match="never waited for"):
        HostFunction(module, "f")([*arrays(40)[:2], 40])


@pytest.mark.parametrize("n", [0, 1, 5, 40])
def test_every_stage_on_the_host(n):
    ran = []

    def run(index, step, when, module):
        if when == "before" and "unrealized_conversion_cast" not in str(module):
            x, y, expected = arrays(n)
            HostFunction(module, "f")([x, y, n])
            np.testing.assert_array_equal(y, expected, err_msg=f"before {step.title}")
            ran.append(step.title)

    module = lowered(observers=[run])
    x, y, expected = arrays(n)
    HostFunction(module, "f")([x, y, n])
    np.testing.assert_array_equal(y, expected)
    assert {"form-async-threads", "hexagon-async-lowering"} <= set(ran)


def test_forks_allocate_nothing():
    """What tasks read is in the frame of the function that starts them."""
    module = lowered()
    with module.context:
        callees = [ir.FlatSymbolRefAttr(op.attributes["callee"]).value for op in ops_named(module, "llvm.call")
                   if "callee" in op.attributes]
        assert callees.count("hexmlir_rt_fork") == callees.count("hexmlir_rt_join") > 0
        assert not {"aligned_alloc", "malloc"} & set(callees)
        assert len(ops_named(module, "llvm.alloca")) == callees.count("hexmlir_rt_fork")


# y[i] = 2 x[i] for all rows, which are said to take so many cycles each
SHARED = """func.func @f(%x: memref<40x32xf32>, %y: memref<40x32xf32>) {{
  scf.forall (%i) in ({rows}) {{
    %a = memref.subview %x[%i, 0] [1, 32] [1, 1] : memref<40x32xf32> to memref<1x32xf32, strided<[32, 1], offset: ?>>
    %b = memref.subview %y[%i, 0] [1, 32] [1, 1] : memref<40x32xf32> to memref<1x32xf32, strided<[32, 1], offset: ?>>
    linalg.add ins(%a, %a : memref<1x32xf32, strided<[32, 1], offset: ?>>,
                            memref<1x32xf32, strided<[32, 1], offset: ?>>)
        outs(%b : memref<1x32xf32, strided<[32, 1], offset: ?>>)
  }} {{hexagon.iteration_cycles = {cycles} : i64}}
  return
}}
"""


@pytest.mark.ieee_arithmetic
@pytest.mark.parametrize("rows", [1, 2, 3, 4, 5, 11, 40])
@pytest.mark.parametrize("cycles", [1, 500, 100_000])
def test_shares_of_the_main_thread(rows, cycles):
    """Whatever share the main thread has, each row is written once, and the others are dealt the rest."""
    module = parse(SHARED.format(rows=rows, cycles=cycles))
    set_index_bits(module)
    run_steps(module, steps(0), PassContext(V75), RunOptions(verify_levels=True))
    machine = Machine(emit(translate_to_llvm_ir(module), V75), "v75", check=True)
    x = np.random.default_rng(0).normal(size=(40, 32)).astype(np.float32)
    y = np.full((40, 32), -1, np.float32)
    places = [machine.alloc_ddr(a.nbytes) for a in (x, y)]
    for place, array in zip(places, (x, y), strict=True):
        machine.write(place, array)
    result = machine.run("f", places)
    expected = y.copy()
    expected[:rows] = 2 * x[:rows]
    np.testing.assert_array_equal(machine.read(places[1], np.float32, y.size).reshape(y.shape), expected)
    assert not result.reports
    shares = ForkCost.of(V75).shares(rows, 4, float(cycles))
    assert max(len(result.threads), 1) == 1 + shares.others
