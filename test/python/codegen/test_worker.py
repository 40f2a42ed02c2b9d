"""The child process that runs LLVM: aborts, hangs and rejected input end in an error, and the next request works."""

import functools
import os
import select
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from hexagon_mlir import targets
from hexagon_mlir.codegen.faults.table import FAULTS
from hexagon_mlir.codegen.processes import watch
from hexagon_mlir.codegen.processes import worker as worker_module
from hexagon_mlir.codegen.processes.watch import WAITS, Watch
from hexagon_mlir.codegen.processes.worker import Aborted, Lost, Worker, Workers
from hexagon_mlir.ir import HexError
from hexagon_mlir.sim import Machine

CHIP = targets.get()
GOOD = "define i32 @f(i32 %a) {\n  %1 = add i32 %a, 42\n  ret i32 %1\n}\n"
ABORTS = """declare <32 x float> @llvm.canonicalize.v32f32(<32 x float>)
define void @f(ptr %p) {
  %v = load <32 x float>, ptr %p
  %c = call <32 x float> @llvm.canonicalize.v32f32(<32 x float> %v)
  store <32 x float> %c, ptr %p
  ret void
}
"""


def divisions(count: int) -> str:
    """What takes LLVM a tenth of a second for each."""
    return "define void @f(ptr %p, ptr %q) {\n" + "".join(
        f"  %a{i} = getelementptr <32 x float>, ptr %p, i32 {i}\n  %v{i} = load <32 x float>, ptr %a{i}\n"
        f"  %w{i} = fdiv <32 x float> %v{i}, %v{max(i - 1, 0)}\n  store <32 x float> %w{i}, ptr %a{i}\n"
        for i in range(count)) + "  ret void\n}\n"


SLOW, HALF_A_SECOND = divisions(60), divisions(6)


def header(kind="asm"):
    return {"cpu": CHIP.cpu, "features": CHIP.features, "kind": kind}


@functools.cache
def answer(text):
    """What a worker makes of ``text`` that nobody interrupts."""
    one = Worker()
    try:
        return one.request(header(), text)
    finally:
        one.stop()


@pytest.fixture
def worker():
    one = Worker()
    yield one
    one.stop()


def emits(worker):
    return b"r0 = add(r0,#42)" in worker.request(header(), GOOD)


def test_assembly(worker):
    assert emits(worker)


def test_object_is_an_elf_for_hexagon(worker):
    data = worker.request(header("obj"), GOOD)
    assert data[:4] == b"\x7fELF"
    assert data[4] == 1  # 32 bits
    assert int.from_bytes(data[18:20], "little") == 164  # EM_HEXAGON


def test_optimised_llvm_ir(worker):
    text = worker.request(header("llvm"), GOOD).decode()
    assert "add i32 %a, 42" in text and 'target triple = "hexagon' in text


@pytest.mark.parametrize(("text", "reason"), [
    ("this is not LLVM IR", "expected top-level entity"),
    ("define i32 @f() {\n  ret float 1.0\n}\n", "value doesn't match function result type"),
    ("define void @f() {\n  %1 = call i32 @nothing()\n  ret void\n}\n", "undefined value '@nothing'"),
])
def test_rejected_input(worker, text, reason):
    with pytest.raises(HexError) as caught:
        worker.request(header(), text)
    assert reason in str(caught.value) and "LLVM rejected the module" in str(caught.value)
    assert emits(worker)


def test_an_empty_module_is_fine(worker):
    assert b".globl" not in worker.request(header(), "")


def test_an_abort_is_an_error_and_the_worker_comes_back(worker):
    with pytest.raises(HexError) as caught:
        worker.request(header(), ABORTS)
    message = str(caught.value)
    assert message.startswith("hexmlir: error: codegen: LLVM aborted: ")
    assert "select" in message.lower() or "assert" in message.lower()
    assert "--emit=llvm" in message
    assert emits(worker)


def test_a_hang_is_an_error_and_the_worker_comes_back(worker):
    worker.request(header(), GOOD)
    with pytest.raises(HexError, match="LLVM did not finish in"):
        worker.request(header(), SLOW, timeout=0.05)
    assert emits(worker)


@pytest.mark.parametrize(("work", "times"), [("while :; do :; done", 1), ("exec sleep 60", WAITS)])
def test_seconds_of_work_count_and_waiting_ends_later(work, times):
    """A machine that is busy gives a child less than a core."""
    with subprocess.Popen(["sh", "-c", work], stdout=subprocess.PIPE) as child:
        start, before = time.monotonic(), os.times()
        with pytest.raises(TimeoutError):
            Watch(child, 0.1)(child.stdout, select.POLLIN)
        passed = time.monotonic() - start
        child.kill()
        child.wait()
    after = os.times()
    computed = after.children_user + after.children_system - before.children_user - before.children_system
    assert passed >= times * 0.1 and (times > 1 or computed > 0.08)  # in ticks of 10 ms


def test_a_killed_worker_is_an_error_once(worker):
    assert emits(worker)
    os.kill(worker._process.pid, signal.SIGKILL)
    worker._process.wait()
    assert emits(worker)  # seen before the request: a new one starts


def test_a_stopped_worker_starts_again(worker):
    assert emits(worker)
    first = worker._process.pid
    worker.stop()
    worker.stop()
    assert emits(worker)
    assert worker._process.pid != first


def test_threads_share_one_worker(worker):
    texts = {i: GOOD.replace("42", str(100 + i)) for i in range(8)}
    results = {}

    def ask(i):
        results[i] = worker.request(header(), texts[i])

    threads = [threading.Thread(target=ask, args=(i,)) for i in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for i in texts:
        assert f"r0 = add(r0,#{100 + i})".encode() in results[i]


def test_large_messages(worker):
    functions = "".join(GOOD.replace("@f", f"@f{i}") for i in range(500))
    assert worker.request(header(), functions).count(b"r0 = add(r0,#42)") == 500


def annotated_loop(number: int) -> str:
    """A function with a loop that LLVM is told to vectorize, and cannot: it says so on standard error."""
    return f"""define void @f{number}(ptr %p, i32 %n) {{
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr i32, ptr %p, i32 %i
  store volatile i32 %i, ptr %at
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %exit, !llvm.loop !{2 * number}
exit:
  ret void
}}
!{2 * number} = distinct !{{!{2 * number}, !{2 * number + 1}}}
!{2 * number + 1} = !{{!"llvm.loop.vectorize.enable", i1 true}}
"""


def test_llvm_may_say_more_than_a_pipe_holds(worker):
    """64 KiB; it says 200 characters of each loop."""
    text = "".join(map(annotated_loop, range(450)))
    assert worker.request(header(), text, timeout=60).count(b".globl\tf") == 450


def test_errors_show_the_last_that_llvm_said(worker):
    text = "".join(map(annotated_loop, range(5))) + ABORTS.replace("@f", "@g")
    with pytest.raises(Aborted, match="LLVM aborted: LLVM ERROR: Cannot select") as caught:
        worker.request(header(), text)
    notes = caught.value.diagnostics[0].notes
    assert 0 < len(notes) <= 3 and all(len(note) <= 200 for note in notes) and "In function: g" in notes


def while_busy(worker, number):
    """Send the child a signal while it is at work."""
    time.sleep(0.1)
    os.kill(worker._process.pid, number)


class TestSignals:
    """A child that others end or stop is replaced, and nobody waits for it."""

    @pytest.fixture
    def several(self, monkeypatch):
        monkeypatch.setattr(watch, "STOPPED_SECONDS", 0.5)
        several = Workers(1)
        assert emits(several)
        yield several
        several.stop()

    @pytest.mark.full_except("more than a pipe holds")
    @pytest.mark.parametrize("text", [GOOD, "".join(GOOD.replace("@f", f"@f{i}") for i in range(3000))],
                             ids=["small", "more than a pipe holds"])
    def test_stopped_before_a_request(self, several, text):
        one, = several.all
        first = one._process.pid
        os.kill(first, signal.SIGSTOP)
        start = time.monotonic()
        with pytest.raises(Lost, match="the process that runs LLVM was stopped"):
            one.request(header(), text)
        assert time.monotonic() - start < 30
        assert not Path(f"/proc/{first}").exists() and emits(several)

    @pytest.mark.full_except("9")
    @pytest.mark.parametrize("number", [signal.SIGSTOP, signal.SIGKILL, signal.SIGTERM])
    def test_while_at_work(self, several, number):
        """The answer is the same, not that of a cautious LLVM."""
        expected = answer(HALF_A_SECOND)
        one, = several.all
        sender = threading.Thread(target=while_busy, args=(one, number))
        sender.start()
        start, first = time.monotonic(), one._process.pid
        assert several.request(header(), HALF_A_SECOND) == expected
        sender.join()
        assert time.monotonic() - start < 60
        assert several.aborts == [] and one._process.pid != first

    def test_ended_twice(self, several, monkeypatch):
        def killed(stream, wait):
            several.all[0]._process.kill()
            raise EOFError

        monkeypatch.setattr(worker_module, "receive", killed)
        with pytest.raises(Lost, match="the process that runs LLVM was ended: Killed\n  hint: is there enough memory"):
            several.request(header(), GOOD)

    def test_time_in_which_the_parent_is_stopped_does_not_count(self):
        """As by Ctrl-Z and fg: of 3 s for which a child waits, its parent is stopped for 2.5; it may wait for 2."""
        code = ("import select, subprocess\n"
                "from hexagon_mlir.codegen.processes.watch import WAITS, Watch\n"
                "child = subprocess.Popen(['sh', '-c', 'sleep 3; echo done'], stdout=subprocess.PIPE)\n"
                "print('ready', flush=True)\n"
                "Watch(child, 2 / WAITS)(child.stdout, select.POLLIN)\n"
                "print(child.stdout.readline().decode(), flush=True)\n")
        process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(signal.SIGSTOP)
        time.sleep(2.5)
        process.send_signal(signal.SIGCONT)
        out, err = process.communicate(timeout=60)
        assert out == b"done\n\n", err

    def test_ctrl_c_leaves_no_answer_for_the_next_request(self, several, monkeypatch):
        def interrupted(stream, wait):
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(worker_module, "receive", interrupted)
            with pytest.raises(KeyboardInterrupt):
                several.request(header(), GOOD.replace("42", "7"))
        assert emits(several)

    def test_stop_ends_what_others_wait_for(self, several):
        errors = []

        def ask():
            try:
                several.request(header(), SLOW)
            except HexError as error:
                errors.append(str(error))

        thread = threading.Thread(target=ask)
        thread.start()
        time.sleep(0.3)
        several.stop()
        thread.join(timeout=10)
        assert errors == ["hexmlir: error: codegen: code generation was interrupted"]
        assert emits(several)

    @pytest.mark.full_except("15")
    @pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
    def test_a_parent_that_ends_takes_its_children_along(self, number):
        """At once, though LLVM is at work."""
        code = ("from hexagon_mlir.codegen.processes.worker import Worker\n"
                f"one = Worker(); one.request({header()}, {GOOD!r}); print(one._process.pid, flush=True)\n"
                f"one.request({header()}, {SLOW!r})\n")
        process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        child = int(process.stdout.readline())
        time.sleep(0.3)
        process.send_signal(number)
        process.wait(timeout=10)
        deadline = time.monotonic() + 4  # half of what LLVM would take
        while Path(f"/proc/{child}").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not Path(f"/proc/{child}").exists()

    def test_a_forked_process_has_workers_of_its_own(self):
        parents = worker_module.workers()
        assert emits(parents)
        pid = os.fork()
        if pid == 0:
            mine = worker_module.workers()
            good = mine is not parents and not any(one.is_alive for one in mine.all) and emits(mine)
            mine.stop()
            os._exit(0 if good else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
        assert emits(parents)


def test_the_child_imports_nothing_out_of_the_current_folder(tmp_path, monkeypatch):
    for name in ("json", "llvmlite", "hexagon_mlir"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('taken')\n")
    monkeypatch.chdir(tmp_path)
    one = Worker()
    assert emits(one)
    one.stop()


def test_workers_start_when_needed_and_count_what_they_use():
    several = Workers(2)
    try:
        assert emits(several)
        assert [one.is_alive for one in several.all] == [True, False]  # the second one is not needed yet
        alone = several.cpu_seconds
        assert alone > 0
        busy = several._idle.get()
        assert emits(several)
        assert [one.is_alive for one in several.all] == [True, True]
        several._idle.put(busy)
        threads = [threading.Thread(target=emits, args=(several,)) for _ in range(5)]  # more than there are workers
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=60)
        assert emits(several)
        assert several.cpu_seconds > alone
    finally:
        several.stop()


CONSTANT_AFTER_A_PHI = next(fault.ir for fault in FAULTS if "every phi" in fault.wrong)


def test_what_llvm_aborts_at_is_tried_without_the_passes_that_do():
    one = Workers(1)
    with pytest.raises(Aborted, match="over the backedge"):
        one.all[0].request(header(), CONSTANT_AFTER_A_PHI)
    machine = Machine(one.request(header(), CONSTANT_AFTER_A_PHI).decode(), CHIP)
    assert ["over the backedge" in reason for reason in one.aborts] == [True]
    one.stop()
    rows, start = np.arange(96, dtype=np.int32).reshape(3, 32), np.full(32, 1000, np.int32)
    at, first = (machine.alloc_ddr(array.nbytes) for array in (rows, start))
    machine.write(at, rows)
    machine.write(first, start)
    machine.run("f", [at, first, 3])
    expected = rows + np.array([[1000], [0], [0]], np.int32)
    assert np.array_equal(machine.read(at, np.int32, 96).reshape(3, 32), expected)
