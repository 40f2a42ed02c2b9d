"""Hardware threads: the plain thread functions, MLIR's async runtime, schedule, costs, errors."""

import gc
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from sim.forms_harness import function
from sim.kernels import BODY, CALLER, assembly

from hexagon_mlir import targets
from hexagon_mlir.sim import Machine, SimError

V75 = targets.get("v75")
CREATE, JOIN = int(V75.thread_create_cycles.value), int(V75.thread_join_cycles.value)
FRAME, RETURN = ["allocframe(#8)"], ["r31:30 = dealloc_return(r30):raw"]
TASKS = (Path(__file__).parent / "async" / "tasks.ll").read_text()


def low(result):
    return result.return_value & 0xFFFFFFFF


@pytest.fixture(scope="module")
def forked():
    machine = Machine(assembly(CALLER) + BODY)

    def run(sizes):
        address = machine.alloc_ddr(64)
        machine.write(address, np.array(sizes, np.int32))
        return machine.run("f", [address, len(sizes)])

    return run


def test_create_and_join_cost_what_the_target_says(forked):
    short, long = forked([1000]), forked([5000])
    body = (long.cycles - short.cycles) / 4000
    miss = int(V75.ddr_latency_cycles.value)  # the size, read for the first time
    assert short.cycles == pytest.approx(CREATE + JOIN + miss + 1000 * body, abs=60)
    assert [t.function for t in short.threads] == ["f", "work"]
    assert short.threads[1].begin == pytest.approx(CREATE, abs=60)


def test_scaling_is_the_measured_one(forked):
    """18 tiles split 18 / 9,9 / 6,6,6 / 5,5,5,3: measured on SM8550 1.00, 1.96, 2.63, 3.09."""
    tile = 20_000
    times = {}
    for split in ([18], [9, 9], [6, 6, 6], [5, 5, 5, 3]):
        result = forked([n * tile for n in split])
        times[len(split)] = result.cycles - len(split) * CREATE
    alone = forked([tile])
    assert alone.hvx_packets / alone.threads[1].busy == pytest.approx(0.42, abs=0.01)
    scaling = {n: times[1] / t for n, t in times.items()}
    for threads, measured in {1: 1.00, 2: 1.96, 3: 2.63, 4: 3.09}.items():
        assert scaling[threads] == pytest.approx(measured, rel=0.03), scaling


def test_fifth_hvx_thread_waits_for_a_context(forked):
    result = forked([10_000] * 5)
    begins = sorted(t.begin for t in result.threads[1:])
    ends = sorted(t.end for t in result.threads[1:])
    assert begins[4] >= ends[0]
    assert begins[3] < ends[0]


def test_same_program_same_schedule(forked):
    first, second = forked([3000, 7000, 5000]), forked([3000, 7000, 5000])
    assert first == second
    assert (first.blocks, first.functions) == (second.blocks, second.functions)


BARRIER = """
@turn = global [4 x i32] zeroinitializer
@sums = global [4 x i32] zeroinitializer
define void @part(ptr %index) {
  %i = ptrtoint ptr %index to i32
  %p = getelementptr [4 x i32], ptr @turn, i32 0, i32 %i
  %v = add i32 %i, 10
  store volatile i32 %v, ptr %p
  call void @hexmlir_rt_thread_barrier(ptr @turn, i32 4)
  %a = load volatile i32, ptr @turn
  %pb = getelementptr [4 x i32], ptr @turn, i32 0, i32 1
  %b = load volatile i32, ptr %pb
  %pc = getelementptr [4 x i32], ptr @turn, i32 0, i32 2
  %c = load volatile i32, ptr %pc
  %pd = getelementptr [4 x i32], ptr @turn, i32 0, i32 3
  %d = load volatile i32, ptr %pd
  %ab = add i32 %a, %b
  %cd = add i32 %c, %d
  %s = add i32 %ab, %cd
  %id = call i32 @hexmlir_rt_thread_id()
  %t = add i32 %s, %id
  %q = getelementptr [4 x i32], ptr @sums, i32 0, i32 %i
  store volatile i32 %t, ptr %q
  ret void
}
define void @f() {
  %a = call i32 @hexmlir_rt_thread_create(ptr @part, ptr inttoptr (i32 1 to ptr))
  %b = call i32 @hexmlir_rt_thread_create(ptr @part, ptr inttoptr (i32 2 to ptr))
  %c = call i32 @hexmlir_rt_thread_create(ptr @part, ptr inttoptr (i32 3 to ptr))
  call void @part(ptr null)
  call void @hexmlir_rt_thread_join(i32 %a)
  call void @hexmlir_rt_thread_join(i32 %b)
  call void @hexmlir_rt_thread_join(i32 %c)
  ret void
}
declare void @hexmlir_rt_thread_barrier(ptr, i32)
declare i32 @hexmlir_rt_thread_id()
declare i32 @hexmlir_rt_thread_create(ptr, ptr)
declare void @hexmlir_rt_thread_join(i32)
"""


def test_barrier():
    machine = Machine(assembly(BARRIER))
    result = machine.run("f")
    np.testing.assert_array_equal(machine.read(machine.symbol("sums"), np.int32, 4), [46, 47, 48, 49])
    assert result.cycles > 3 * CREATE + 3 * JOIN + int(V75.thread_barrier_cycles.value)


def test_deadlock_is_an_error_that_names_the_waits():
    ir = BARRIER.replace("barrier(ptr @turn, i32 4)", "barrier(ptr @turn, i32 5)")
    with pytest.raises(SimError, match=r"deadlock: thread 0 'f' waits for barrier 0x[0-9a-f]+; thread 1 'part'"):
        Machine(assembly(ir)).run("f")


def test_errors_in_a_thread_end_the_run():
    text = assembly(CALLER.replace("declare void @work(ptr)", "declare void @abort()\ndefine void @work(ptr %p) {\n"
                                   "  call void @abort()\n  ret void\n}"))  # fmt: skip
    machine = Machine(text)
    address = machine.alloc_ddr(64)
    for _ in range(2):
        with pytest.raises(SimError, match="called abort"):
            machine.run("f", [address, 3])


def test_endless_thread_can_be_stopped():
    machine = Machine(assembly(CALLER) + BODY)
    address = machine.alloc_ddr(64)
    machine.write(address, np.array([-1, -1], np.int32))
    with pytest.raises(SimError, match="did not finish within"):
        machine.run("f", [address, 2], timeout=0.3)
    machine.write(address, np.array([10, 10], np.int32))
    assert machine.run("f", [address, 2]).cycles > 0


@pytest.mark.parametrize("call", ["hexmlir_rt_thread_join", "mlirAsyncRuntimeAwaitToken"])
def test_unknown_handles(call):
    with pytest.raises(SimError, match=r"no such thread|no live async token"):
        Machine(function("f", [FRAME, [f"call {call}"], RETURN])).run("f", [5])


# -- MLIR's async runtime -----------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def tasks():
    machine = Machine(assembly(TASKS), arithmetic="ieee")
    machine.n = 4096
    machine.x = np.random.default_rng(0).standard_normal(4 * machine.n).astype(np.float32)
    machine.p = machine.alloc_ddr(machine.x.nbytes)
    return machine


def test_group_of_tasks(tasks):
    tasks.write(tasks.p, tasks.x)
    result = tasks.run("tasks", [tasks.p, tasks.n])
    got = tasks.read(tasks.p, np.float32, 4 * tasks.n).reshape(4, tasks.n)
    np.testing.assert_array_equal(got, tasks.x.reshape(4, -1) * np.arange(1, 5, dtype=np.float32)[:, None])
    main, *others = result.threads
    assert len(others) == 4
    assert main.end == result.cycles > max(t.end for t in others)
    assert min(t.end for t in others) > max(t.begin for t in others)  # all at the same time
    dispatch = int(V75.task_dispatch_cycles.value)
    assert others[0].begin > dispatch
    assert result.cycles - others[-1].end < dispatch


COROUTINES = """
declare void @work(ptr)
declare ptr @mlirAsyncRuntimeCreateToken()
declare void @mlirAsyncRuntimeExecute(ptr, ptr)
declare void @mlirAsyncRuntimeEmplaceToken(ptr)
declare void @mlirAsyncRuntimeAwaitToken(ptr)
define void @scalar(ptr %frame) {
entry:
  br label %loop
loop:
  %i = phi i32 [0, %entry], [%n, %loop]
  store volatile i32 %i, ptr %frame
  %n = add i32 %i, 1
  %more = icmp slt i32 %n, 10000
  br i1 %more, label %loop, label %end
end:
  call void @done(ptr %frame)
  ret void
}
define void @vector(ptr %frame) {
  %p = getelementptr i32, ptr %frame, i32 2
  call void @work(ptr %p)
  call void @done(ptr %frame)
  ret void
}
define void @done(ptr %frame) noinline {
  %p = getelementptr i32, ptr %frame, i32 1
  %t = load ptr, ptr %p
  call void @mlirAsyncRuntimeEmplaceToken(ptr %t)
  ret void
}
define void @resume(ptr %frame) noinline {
  %f = load ptr, ptr %frame
  call void %f(ptr %frame)
  ret void
}
define void @f(ptr %frames, i32 %n, ptr %function) {
entry:
  br label %make
make:
  %i = phi i32 [0, %entry], [%i1, %make]
  %frame = getelementptr [3 x i32], ptr %frames, i32 %i
  store ptr %function, ptr %frame
  %t = call ptr @mlirAsyncRuntimeCreateToken()
  %p = getelementptr i32, ptr %frame, i32 1
  store ptr %t, ptr %p
  %q = getelementptr i32, ptr %frame, i32 2
  store i32 10000, ptr %q
  call void @mlirAsyncRuntimeExecute(ptr %frame, ptr @resume)
  %i1 = add i32 %i, 1
  %more = icmp slt i32 %i1, %n
  br i1 %more, label %make, label %join
join:
  %j = phi i32 [0, %make], [%j1, %join]
  %frame2 = getelementptr [3 x i32], ptr %frames, i32 %j
  %p2 = getelementptr i32, ptr %frame2, i32 1
  %t2 = load ptr, ptr %p2
  call void @mlirAsyncRuntimeAwaitToken(ptr %t2)
  %j1 = add i32 %j, 1
  %again = icmp slt i32 %j1, %n
  br i1 %again, label %join, label %end
end:
  ret void
}
define void @scalars(ptr %frames, i32 %n) {
  call void @f(ptr %frames, i32 %n, ptr @scalar)
  ret void
}
define void @vectors(ptr %frames, i32 %n) {
  call void @f(ptr %frames, i32 %n, ptr @vector)
  ret void
}
"""


def test_coroutines_need_a_context_only_for_hvx():
    """All are resumed by the same function, which may call any: what counts is what the frame begins with."""
    machine = Machine(assembly(COROUTINES) + BODY)
    frames = machine.alloc_ddr(64)
    program = machine.program
    assert {"work", "vector", "resume"} <= set(program.hvx_functions)
    assert not {"scalar", "done"} & set(program.hvx_functions)
    assert program.indirect_functions == ["resume"]
    count = 5
    assert count == int(V75.hvx_contexts.value) + 1 < int(V75.hardware_threads.value)
    for entry, together in (("scalars", True), ("vectors", False)):
        threads = machine.run(entry, [frames, count]).threads[1:]
        assert (max(t.begin for t in threads) < min(t.end for t in threads)) == together


def test_chain_of_tokens_and_values(tasks):
    tasks.write(tasks.p, tasks.x)
    result = tasks.run("chain", [tasks.p, tasks.n])
    assert low(result) == (tasks.n + 5) ** 2
    np.testing.assert_array_equal(tasks.read(tasks.p, np.float32, tasks.n), tasks.x[: tasks.n] * np.float32(6))
    np.testing.assert_array_equal(tasks.read(tasks.p, np.float32, 4 * tasks.n)[tasks.n :], tasks.x[tasks.n :])


def test_async_objects_are_all_released(tasks):
    before = dict(tasks.memory.ddr.live)
    tasks.run("tasks", [tasks.p, tasks.n])
    assert tasks.memory.ddr.live == before


ERRORS = """
define i32 @f() {
  %t = call ptr @mlirAsyncRuntimeCreateToken()
  %v = call ptr @mlirAsyncRuntimeCreateValue(i64 8)
  %g = call ptr @mlirAsyncRuntimeCreateGroup(i64 1)
  %rank = call i64 @mlirAsyncRuntimeAddTokenToGroup(ptr %t, ptr %g)
  %s = call ptr @mlirAsyncRuntimeGetValueStorage(ptr %v)
  store i64 5, ptr %s
  call void @mlirAsyncRuntimeEmplaceValue(ptr %v)
  call void @mlirAsyncRuntimeSetTokenError(ptr %t)
  call void @mlirAsyncRuntimeAwaitAllInGroup(ptr %g)
  call void @mlirAsyncRuntimeAwaitToken(ptr %t)
  call void @mlirAsyncRuntimeAwaitValue(ptr %v)
  %a = call i1 @mlirAsyncRuntimeIsTokenError(ptr %t)
  %b = call i1 @mlirAsyncRuntimeIsValueError(ptr %v)
  %c = call i1 @mlirAsyncRuntimeIsGroupError(ptr %g)
  %n = call i64 @mlirAsyncRuntimGetNumWorkerThreads()
  %a32 = zext i1 %a to i32
  %b32 = zext i1 %b to i32
  %c32 = zext i1 %c to i32
  %n32 = trunc i64 %n to i32
  %b2 = shl i32 %b32, 1
  %c2 = shl i32 %c32, 2
  %n2 = shl i32 %n32, 8
  %ab = or i32 %a32, %b2
  %cn = or i32 %c2, %n2
  %r = or i32 %ab, %cn
  call void @mlirAsyncRuntimeDropRef(ptr %t, i64 1)
  call void @mlirAsyncRuntimeDropRef(ptr %v, i64 1)
  call void @mlirAsyncRuntimeDropRef(ptr %g, i64 1)
  ret i32 %r
}
declare ptr @mlirAsyncRuntimeCreateToken()
declare ptr @mlirAsyncRuntimeCreateValue(i64)
declare ptr @mlirAsyncRuntimeCreateGroup(i64)
declare i64 @mlirAsyncRuntimeAddTokenToGroup(ptr, ptr)
declare ptr @mlirAsyncRuntimeGetValueStorage(ptr)
declare void @mlirAsyncRuntimeEmplaceValue(ptr)
declare void @mlirAsyncRuntimeSetTokenError(ptr)
declare void @mlirAsyncRuntimeAwaitAllInGroup(ptr)
declare void @mlirAsyncRuntimeAwaitToken(ptr)
declare void @mlirAsyncRuntimeAwaitValue(ptr)
declare i1 @mlirAsyncRuntimeIsTokenError(ptr)
declare i1 @mlirAsyncRuntimeIsValueError(ptr)
declare i1 @mlirAsyncRuntimeIsGroupError(ptr)
declare i64 @mlirAsyncRuntimGetNumWorkerThreads()
declare void @mlirAsyncRuntimeDropRef(ptr, i64)
"""


def test_errors_values_and_references():
    machine = Machine(assembly(ERRORS))
    assert low(machine.run("f")) == 1 | 4 | int(V75.hvx_contexts.value) << 8
    assert not machine.memory.ddr.live
    extra = ERRORS.replace("  ret i32 %r", "  call void @mlirAsyncRuntimeDropRef(ptr %g, i64 1)\n  ret i32 %r")
    with pytest.raises(SimError, match="no live async token"):
        Machine(assembly(extra)).run("f")
    with pytest.raises(SimError, match=r"value 0x[0-9a-f]+ is made available twice"):
        Machine(assembly(ERRORS.replace("SetTokenError(ptr %t)\n", "EmplaceValue(ptr %v)\n"))).run("f")


def test_waiting_for_a_token_nobody_makes_ready():
    with pytest.raises(SimError, match="deadlock: thread 0 'f' waits for token"):
        Machine(assembly(ERRORS.replace("  call void @mlirAsyncRuntimeSetTokenError(ptr %t)\n", "").replace(
            "AwaitAllInGroup(ptr %g)", "AwaitToken(ptr %t)"))).run("f")  # fmt: skip


def test_host_threads_end_with_their_machine():
    text = assembly(TASKS)
    before = set(threading.enumerate())
    for _ in range(5):
        machine = Machine(text)
        machine.run("tasks", [machine.alloc_ddr(16 * 4096), 4096])
        assert set(threading.enumerate()) - before
        del machine
    gc.collect()
    until = time.monotonic() + 20
    while set(threading.enumerate()) - before and time.monotonic() < until:
        time.sleep(0.01)
    assert not set(threading.enumerate()) - before
