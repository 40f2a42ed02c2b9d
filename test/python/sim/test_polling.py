"""Threads that poll for what they wait for: how soon they go on, when they sleep, and who gets their place."""

import numpy as np
import pytest
from sim.kernels import assembly

from hexagon_mlir import targets
from hexagon_mlir.sim import Machine
from hexagon_mlir.sim.threading.polling import Polling
from hexagon_mlir.sim.trace import timeline

V75 = targets.get("v75")
POLL, SLOWLY, DISPATCH, SHORT, LIMIT = (
    int(getattr(V75, name).value)
    for name in ("poll_cycles", "poll_slowly_cycles", "task_dispatch_cycles", "poll_short_limit_cycles",
                 "poll_limit_cycles"))
CODE = 150
"""The most cycles of the code between two events, and of queuing a task."""
TWICE = """
declare ptr @mlirAsyncRuntimeCreateToken()
declare void @mlirAsyncRuntimeExecute(ptr, ptr)
declare void @mlirAsyncRuntimeEmplaceToken(ptr)
declare void @mlirAsyncRuntimeAwaitToken(ptr)
define void @count(ptr %at, i32 %n) noinline {
entry:
  br label %loop
loop:
  %i = phi i32 [0, %entry], [%i1, %loop]
  store volatile i32 %i, ptr %at
  %i1 = add i32 %i, 1
  %more = icmp slt i32 %i1, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}
define void @resume(ptr %frame) {
  %pn = getelementptr i32, ptr %frame, i32 1
  %n = load i32, ptr %pn
  call void @count(ptr %frame, i32 %n)
  %pt = getelementptr i32, ptr %frame, i32 2
  %t = load ptr, ptr %pt
  call void @mlirAsyncRuntimeEmplaceToken(ptr %t)
  ret void
}
define void @once(ptr %frame) noinline {
  %t = call ptr @mlirAsyncRuntimeCreateToken()
  %pt = getelementptr i32, ptr %frame, i32 2
  store ptr %t, ptr %pt
  call void @mlirAsyncRuntimeExecute(ptr %frame, ptr @resume)
  call void @mlirAsyncRuntimeAwaitToken(ptr %t)
  ret void
}
define void @twice(ptr %frame, i32 %n, i32 %between) {
  %pn = getelementptr i32, ptr %frame, i32 1
  store i32 %n, ptr %pn
  call void @once(ptr %frame)
  %p = getelementptr i32, ptr %frame, i32 32
  call void @count(ptr %p, i32 %between)
  call void @once(ptr %frame)
  ret void
}
"""


@pytest.fixture(scope="module")
def twice():
    machine = Machine(assembly(TWICE))
    machine.frame = machine.alloc_ddr(256)
    return machine


@pytest.mark.parametrize(("waited", "expected"), [
    (0, POLL), (SHORT - 1, POLL), (SHORT, SLOWLY), (LIMIT - 1, SLOWLY), (LIMIT, DISPATCH), (10 * LIMIT, DISPATCH),
])
def test_a_thread_takes_longer_to_go_on_the_longer_it_has_waited(waited, expected):
    assert Polling.of(V75).handover(256 * waited) == 256 * expected
    assert POLL < SLOWLY < DISPATCH < SHORT < LIMIT


@pytest.mark.parametrize(("cycles", "handover"), [(1000, POLL), (5000, SLOWLY), (2 * LIMIT, DISPATCH)])
def test_the_main_thread_goes_on_when_a_task_ends(twice, cycles, handover):
    """It polls, and after long it is woken; the values are those of both tasks."""
    machine = twice
    result = machine.run("twice", [machine.frame, cycles, 0])
    first, second = result.threads[1:]
    assert second.end - second.begin >= cycles
    assert handover <= result.cycles - second.end <= handover + CODE
    assert first.begin >= DISPATCH  # no worker polls at first
    polled = sum(s.end - s.begin for s in machine.scheduler.slices if s.what == "poll") / 256
    if handover == DISPATCH:
        assert polled == 2 * LIMIT  # and then it has released its hardware thread
    else:
        assert polled >= 2 * cycles


@pytest.mark.parametrize(("between", "handover"), [(0, POLL), (5000, SLOWLY), (2 * LIMIT, DISPATCH)])
def test_a_worker_without_a_task_polls_for_the_next(twice, between, handover):
    """The main thread goes on, counts, and queues the next task, which the worker of the last one takes."""
    count = 10_000
    idle = twice.run("twice", [twice.frame, count, between]).threads[1:]
    counting = between * (idle[0].end - idle[0].begin) / count
    assert idle[1].begin - idle[0].end == pytest.approx(SLOWLY + counting + handover, abs=CODE)


def test_the_timeline_shows_it(twice):
    machine = twice
    machine.run("twice", [machine.frame, 3000, 0], trace=True)
    names = [event["name"] for event in timeline(machine)["traceEvents"] if event["ph"] == "X"]
    assert names.count("twice: polls") == 2


@pytest.mark.parametrize(("between", "handover"), [(0, POLL), (4000, SLOWLY), (LIMIT, DISPATCH)])
def test_workers_go_on_polling_in_the_next_run(twice, between, handover):
    """A run without tasks in between adds its cycles to their waits."""
    twice.write(twice.frame + 4, np.array([1000], np.int32))
    first = twice.run("once", [twice.frame])
    waited = sum(first.idle_q8) // 256
    assert len(first.idle_q8) == 1 and 0 < waited < CODE + SLOWLY
    idle = first.idle_q8
    if between:
        alone = twice.run("count", [twice.frame, between], idle_q8=idle)
        assert not alone.threads
        assert alone.idle_q8 == (tuple(waited + 256 * alone.cycles for waited in idle) if handover < DISPATCH else ())
        idle = alone.idle_q8
    following = twice.run("once", [twice.frame], idle_q8=idle)
    queued = twice.run("once", [twice.frame]).threads[1].begin - DISPATCH
    assert following.threads[1].begin == queued + handover


def test_one_worker_for_each_hardware_thread_but_the_main_ones(twice):
    """Those that ended a task last take the next ones."""
    workers = int(V75.hardware_threads.value) - 1
    result = twice.run("once", [twice.frame], idle_q8=[256 * 100 * number for number in range(2 * workers)])
    assert len(result.idle_q8) == workers
    assert result.idle_q8[0] < 256 * (CODE + SLOWLY)
    waited = [waited - 256 * result.cycles for waited in result.idle_q8[1:]]
    assert waited == [256 * 100 * number for number in range(1, workers)]
