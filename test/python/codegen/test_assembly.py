"""The parts of a program through LLVM: what is asked for, in which order, and what where there is no right answer."""

import json
import threading
import time

import pytest

from hexagon_mlir import targets
from hexagon_mlir.codegen.assembly import Assembly
from hexagon_mlir.codegen.backend import optimize_and_emit
from hexagon_mlir.codegen.processes.task_queue import Task, TaskQueue
from hexagon_mlir.codegen.processes.worker import Aborted
from hexagon_mlir.isa.concatenation import concatenated

CHIP = targets.get()
REQUEST = {"cpu": CHIP.cpu, "features": CHIP.features, "kind": "asm"}


class InThisProcess:
    """Workers of one process; ``answers`` by kind take the place of LLVM's."""

    def __init__(self, **answers):
        self.asked, self.answers = [], answers

    def request(self, header, body):
        self.asked.append((header, body))
        if header["kind"] in self.answers:
            return self.answers[header["kind"]](header, body)
        return optimize_and_emit(body, **header)


def loop(name):
    return f"""define void @{name}(ptr %p, i32 %n) {{
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr <32 x float>, ptr %p, i32 %i
  %old = load <32 x float>, ptr %at, align 128
  %new = fmul <32 x float> %old, %old
  store <32 x float> %new, ptr %at, align 128
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}}
"""


def assembled(parts, workers, among_many=False):
    line = TaskQueue(0)
    assembly = Assembly(parts, REQUEST, workers, line, among_many=among_many)
    line.finish()
    return assembly.text()


PARTS = [loop("a") + "define i32 @one() {\n  ret i32 1\n}\n", loop("b") + loop("c")]


def test_functions_apart_are_the_code_of_whole_parts():
    workers = InThisProcess()
    whole = sum(map(len, PARTS))
    alone = [optimize_and_emit(part, **REQUEST, share=len(part) / whole).decode() for part in PARTS]
    assert assembled(PARTS, workers) == concatenated(alone)
    assert sorted(header["kind"] for header, _ in workers.asked) == ["function"] * 4 + ["functions"] * 2


def test_short_parts_among_many_are_one_request_each(monkeypatch):
    monkeypatch.setattr("hexagon_mlir.codegen.assembly.SHORT", len(PARTS[1]))
    workers = InThisProcess()
    assert assembled(PARTS, workers, among_many=True) == assembled(PARTS, InThisProcess())
    assert sorted(header["kind"] for header, _ in workers.asked) == ["asm", "function", "function", "functions"]


def test_one_part_has_functions_too():
    workers = InThisProcess()
    assert assembled(PARTS[:1], workers) == optimize_and_emit(PARTS[0], **REQUEST).decode()
    assert [header["kind"] for header, _ in workers.asked] == ["functions", "function", "function"]


def test_one_function_is_one_request():
    workers = InThisProcess()
    assert assembled([loop("b")], workers) == optimize_and_emit(loop("b"), **REQUEST).decode()
    assert [header["kind"] for header, _ in workers.asked] == ["functions"]


def test_functions_know_how_long_their_program_is():
    for share in (0.25, 1.0):
        optimized = optimize_and_emit(PARTS[0], CHIP.cpu, CHIP.features, "llvm")
        answer = optimize_and_emit(PARTS[0], CHIP.cpu, CHIP.features, "functions", share=share)
        functions = json.loads(answer)["functions"]
        assert len(functions) == 2
        assert [len(text) / part for part, text in functions] == pytest.approx([len(optimized) / share] * 2)


def test_a_part_with_a_function_that_spills_is_asked_for_without_chains():
    workers = InThisProcess(function=lambda header, body: b"" if "@b(" in body else b"\t.text\n")
    unchained = optimize_and_emit(PARTS[1], **REQUEST, qfloat=False).decode()
    assert assembled(PARTS, workers).endswith(concatenated(["", unchained]).removeprefix("\t.text\n"))
    header, body = workers.asked[-1]
    assert (header["kind"], header["attempt"], body) == ("asm", 1, PARTS[1])


def test_a_part_with_a_function_that_llvm_aborts_at_is_asked_for_cautiously():
    def aborts(header, body):
        raise Aborted.plain("LLVM aborted", origin="codegen")

    workers = InThisProcess(function=aborts)
    assembly = assembled(PARTS, workers)
    assert all(f"{name}:" in assembly for name in ("a", "one", "b", "c"))
    assert [header.get("cautious") for header, _ in workers.asked] == [None] * 4 + [True] * 2


def finished(tasks, helpers=0):
    line = TaskQueue(helpers)
    line.add(tasks)
    line.finish()


def test_the_largest_task_runs_first():
    ran = []

    def task(size, more=()):
        return Task(size, lambda: (ran.append(size), more)[1])

    finished([task(3, [task(1), task(9)]), task(5), task(4)])
    assert ran == [5, 4, 3, 9, 1]


def test_tasks_run_side_by_side_and_one_that_fails_ends_them():
    meeting = threading.Barrier(2, timeout=30)

    def meet():
        meeting.wait()
        return []

    finished([Task(1, lambda: [Task(1, meet), Task(1, meet)])], helpers=1)
    ran = []

    def fails():
        raise ValueError("no")

    for helpers in (0, 1):
        with pytest.raises(ValueError, match="no"):
            finished([Task(2, fails), Task(1, lambda: time.sleep(0.05) or [Task(1, lambda: ran.append(1) or [])])],
                     helpers)
    assert ran == []


def test_a_helper_works_on_what_is_there_before_the_line_is_finished():
    line, ran = TaskQueue(1), threading.Event()
    line.add([Task(1, lambda: ran.set() or [])])
    assert ran.wait(30)
    line.finish()


def test_threads_of_a_line_that_is_only_closed_end():
    before = set(threading.enumerate())
    line, go = TaskQueue(2), threading.Event()
    line.add([Task(1, lambda: go.wait(30) and [])])
    started = set(threading.enumerate()) - before
    line.close()
    go.set()
    for thread in started:
        thread.join(30)
    assert len(started) == 2 and not any(thread.is_alive() for thread in started)
