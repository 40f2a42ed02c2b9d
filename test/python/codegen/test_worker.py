"""The child process that runs LLVM: aborts, hangs and rejected input end in an error, and the next request works."""

import os
import signal
import threading

import numpy as np
import pytest

from hexagon_mlir import targets
from hexagon_mlir.codegen.processes.worker import Aborted, Worker, Workers
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
SLOW = "define void @f(ptr %p, ptr %q) {\n" + "".join(
    f"  %a{i} = getelementptr <32 x float>, ptr %p, i32 {i}\n  %v{i} = load <32 x float>, ptr %a{i}\n"
    f"  %w{i} = fdiv <32 x float> %v{i}, %v{max(i - 1, 0)}\n  store <32 x float> %w{i}, ptr %a{i}\n"
    for i in range(60)) + "  ret void\n}\n"


def header(kind="asm"):
    return {"cpu": CHIP.cpu, "features": CHIP.features, "kind": kind}


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


CONSTANT_BEHIND_A_PHI = """define void @f(ptr %p, ptr %q, i32 %n) {
entry:
  %start = load <32 x i32>, ptr %q, align 128
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %c = phi <32 x i32> [ %start, %entry ], [ zeroinitializer, %loop ]
  %at = getelementptr <32 x i32>, ptr %p, i32 %i
  %old = load <32 x i32>, ptr %at, align 128
  %new = add <32 x i32> %old, %c
  store <32 x i32> %new, ptr %at, align 128
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
"""


def test_what_llvm_aborts_at_is_tried_without_the_passes_that_do():
    one = Workers(1)
    with pytest.raises(Aborted, match="over the backedge"):
        one.all[0].request(header(), CONSTANT_BEHIND_A_PHI)
    machine = Machine(one.request(header(), CONSTANT_BEHIND_A_PHI).decode(), CHIP)
    assert ["over the backedge" in reason for reason in one.aborts] == [True]
    one.stop()
    rows, start = np.arange(96, dtype=np.int32).reshape(3, 32), np.full(32, 1000, np.int32)
    at, first = (machine.alloc_ddr(array.nbytes) for array in (rows, start))
    machine.write(at, rows)
    machine.write(first, start)
    machine.run("f", [at, first, 3])
    expected = rows + np.array([[1000], [0], [0]], np.int32)
    assert np.array_equal(machine.read(at, np.int32, 96).reshape(3, 32), expected)
