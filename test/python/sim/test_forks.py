"""Forks on the simulator: values, what queuing costs, how workers take the tasks, and faults."""

import numpy as np
import pytest
from sim.kernels import assembly

from hexagon_mlir import targets
from hexagon_mlir.passes.async_lowering.frames import RUNTIME_BYTES
from hexagon_mlir.sim import Machine, SimError
from hexagon_mlir.sim.checking.rules import Rule

V75 = targets.get("v75")
POLL, DISPATCH, QUEUE = (int(getattr(V75, name).value)
                         for name in ("poll_cycles", "task_dispatch_cycles", "task_queue_cycles"))
CODE = 60
"""The most cycles of the code around a call of the runtime."""
PROGRAM = f"""
declare void @hexmlir_rt_fork(ptr, ptr, i32, i32)
declare void @hexmlir_rt_join(ptr)
define void @task(ptr %frame, i32 %number) {{
  %out = getelementptr i8, ptr %frame, i32 {RUNTIME_BYTES}
  %at = getelementptr i32, ptr %out, i32 %number
  %old = load i32, ptr %at
  %seven = mul i32 %number, 7
  %new = add i32 %old, %seven
  store i32 %new, ptr %at
  ret void
}}
define void @leaves(ptr %frame, i32 %first, i32 %end) {{
  call void @hexmlir_rt_fork(ptr %frame, ptr @task, i32 %first, i32 %end)
  ret void
}}
define void @joins(ptr %frame) {{
  call void @hexmlir_rt_join(ptr %frame)
  ret void
}}
define i32 @once(ptr %frame, i32 %first, i32 %end) {{
  call void @hexmlir_rt_fork(ptr %frame, ptr @task, i32 %first, i32 %end)
  call void @hexmlir_rt_join(ptr %frame)
  %at = getelementptr i8, ptr %frame, i32 {RUNTIME_BYTES + 4}
  %r = load i32, ptr %at
  ret i32 %r
}}
define i32 @twice(ptr %frame, i32 %first, i32 %end) {{
  %a = call i32 @once(ptr %frame, i32 %first, i32 %end)
  %b = call i32 @once(ptr %frame, i32 %first, i32 %end)
  ret i32 %b
}}
define void @again(ptr %frame) {{
  call void @hexmlir_rt_fork(ptr %frame, ptr @task, i32 0, i32 1)
  call void @hexmlir_rt_fork(ptr %frame, ptr @task, i32 0, i32 1)
  ret void
}}
define i32 @early(ptr %frame) {{
  call void @hexmlir_rt_fork(ptr %frame, ptr @task, i32 1, i32 2)
  %at = getelementptr i8, ptr %frame, i32 {RUNTIME_BYTES + 4}
  %r = load i32, ptr %at
  call void @hexmlir_rt_join(ptr %frame)
  ret i32 %r
}}
define void @outer(ptr %frame, i32 %number) {{
  %own = alloca [{RUNTIME_BYTES + 64} x i8], align 8
  %out = getelementptr i8, ptr %own, i32 {RUNTIME_BYTES}
  call void @llvm.memset.p0.i32(ptr align 8 %out, i8 0, i32 64, i1 false)
  %sum = call i32 @once(ptr %own, i32 0, i32 3)
  %result = getelementptr i8, ptr %frame, i32 {RUNTIME_BYTES}
  %at = getelementptr i32, ptr %result, i32 %number
  store i32 %sum, ptr %at
  ret void
}}
define void @nested(ptr %frame, i32 %end) {{
  call void @hexmlir_rt_fork(ptr %frame, ptr @outer, i32 0, i32 %end)
  call void @hexmlir_rt_join(ptr %frame)
  ret void
}}
declare void @llvm.memset.p0.i32(ptr, i8, i32, i1)
"""
NUMBERS = 16


@pytest.fixture(scope="module", params=[False, True], ids=["fast", "checked"])
def machine(request):
    return Machine(assembly(PROGRAM), check=request.param)


def run(machine, entry, *numbers):
    """The result, and what the tasks wrote."""
    machine.reset()
    frame = machine.alloc_ddr(RUNTIME_BYTES + 4 * NUMBERS)
    machine.write(frame, np.zeros(RUNTIME_BYTES // 4 + NUMBERS, np.int32))
    result = machine.run(entry, [frame, *numbers])
    assert [report for report in result.reports if report.rule is not Rule.RACE] == []
    return result, machine.read(frame + RUNTIME_BYTES, np.int32, NUMBERS)


@pytest.mark.parametrize(("first", "end"), [(0, 1), (1, 4), (0, NUMBERS), (3, 3), (5, 2), (7, 9)])
def test_every_task_runs_once(machine, first, end):
    for entry, times in (("once", 1), ("twice", 2)):
        result, out = run(machine, entry, first, end)
        expected = np.where((np.arange(NUMBERS) >= first) & (np.arange(NUMBERS) < end), 7 * np.arange(NUMBERS), 0)
        np.testing.assert_array_equal(out, times * expected)
        assert len(result.threads) == (1 + times * (end - first) if first < end else 0)
        assert not result.reports


def test_all_are_queued_at_once(machine):
    """They begin together, on workers that sleep the first time and poll the second time."""
    tasks = run(machine, "twice", 1, 4)[0].threads[1:]
    assert len({task.begin for task in tasks[:3]}) == len({task.begin for task in tasks[3:]}) == 1
    assert QUEUE + DISPATCH <= tasks[0].begin <= QUEUE + DISPATCH + CODE
    assert 2 * POLL + QUEUE <= tasks[3].begin - tasks[0].end <= 2 * POLL + QUEUE + 2 * CODE


def test_tasks_fork(machine):
    result, out = run(machine, "nested", 5)
    np.testing.assert_array_equal(out, [7] * 5 + [0] * (NUMBERS - 5))
    assert len(result.threads) == 1 + 5 + 5 * 3


def test_a_task_that_nobody_joined_in_time_is_a_race(machine):
    result, out = run(machine, "early")
    assert out[1] == 7
    if machine.checks:
        assert Rule.RACE in {report.rule for report in result.reports}


@pytest.mark.parametrize(("entry", "message"), [("joins", "nothing was forked"), ("again", "have not been joined")])
def test_faults(machine, entry, message):
    with pytest.raises(SimError, match=message):
        run(machine, entry)


def test_tasks_end_after_the_main_thread(machine):
    _, out = run(machine, "leaves", 2, 4)
    np.testing.assert_array_equal(out, [0, 0, 14, 21] + [0] * (NUMBERS - 4))
