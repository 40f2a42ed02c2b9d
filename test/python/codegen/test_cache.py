"""Results on disk: found again, never trusted when damaged, never in the way."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from hexagon_mlir import disk_cache, targets
from hexagon_mlir.codegen import cache, emit
from hexagon_mlir.codegen.processes.worker import workers

PACKAGE = Path(cache.__file__).parents[1]
IR = "define i32 @f(i32 %a) {\n  %1 = add i32 %a, 77\n  ret i32 %1\n}\n"


@pytest.fixture
def requests(monkeypatch):
    """Counts requests to LLVM."""
    seen = []
    request = workers().request
    monkeypatch.setattr(workers(), "request", lambda *given, **named: (seen.append(given), request(*given, **named))[1])
    return seen


def test_second_time_needs_no_llvm(empty_cache, requests):
    first = emit(IR, targets.get())
    assert emit(IR, targets.get()) == first and "add(r0,#77)" in first
    assert len(requests) == 1
    assert len(list(empty_cache.iterdir())) == 1


def test_everything_that_decides_is_in_the_key(empty_cache, requests):
    emit(IR, targets.get("v75"))
    emit(IR, targets.get("v68"))
    emit(IR, targets.get("v75"), "llvm")
    emit(IR, targets.get("v75"), pipeline="scalar")
    emit(IR.replace("77", "78"), targets.get("v75"))
    assert len(requests) == 5
    assert len(list(empty_cache.iterdir())) == 5


def test_the_compiler_is_in_the_key(empty_cache, requests, monkeypatch):
    emit(IR, targets.get())
    monkeypatch.setattr(cache, "compiler", lambda: "another")
    emit(IR, targets.get())
    assert len(requests) == 2


def test_all_that_generates_code_is_in_the_compiler():
    """What a worker imports is among the sources that `cache.compiler` hashes, or in the request (the target)."""
    script = ("import sys, hexagon_mlir.codegen.processes.serve\n"
              "print(*(name for name in sys.modules if name.startswith('hexagon_mlir.')))")
    done = subprocess.run([sys.executable, "-P", "-c", script], capture_output=True, text=True, check=True)
    assert {name.split(".")[1] for name in done.stdout.split()} == {"codegen", "isa", "llvmir", "targets"}
    assert {file.relative_to(PACKAGE).parts[0] for file in cache.sources()} == {"codegen", "isa", "llvmir"}


def test_objects_are_bytes(empty_cache):
    data = emit(IR, targets.get(), "obj")
    assert isinstance(data, bytes) and data == emit(IR, targets.get(), "obj")


def test_unwritable_folder(tmp_path, monkeypatch, requests):
    blocker = tmp_path / "file"
    blocker.write_text("a file where the folder should be")
    monkeypatch.setenv(disk_cache.ENVIRONMENT, str(blocker / "cache"))
    assert "add(r0,#77)" in emit(IR, targets.get())
    assert "add(r0,#77)" in emit(IR, targets.get())
    assert len(requests) == 2


@pytest.mark.parametrize("damage", [b"", b"\xff\xfe\x00garbage", b"\t.text\n\t.globl\tf"])
def test_damaged_entry(empty_cache, requests, damage):
    whole = emit(IR, targets.get())
    entry, = empty_cache.iterdir()
    entry.write_bytes(damage)
    assert emit(IR, targets.get()) == whole
    assert len(requests) == 2
    assert emit(IR, targets.get()) == whole
    assert len(requests) == 2  # repaired


def test_no_temporary_files_stay(empty_cache):
    for i in range(5):
        cache.store(f"x{i}", b"data")
    assert sorted(p.name for p in empty_cache.iterdir()) == [f"x{i}" for i in range(5)]


def test_key_separates_its_parts():
    assert cache.key("ab", "c") != cache.key("a", "bc")
    assert cache.key("a", "b") != cache.key("b", "a")
    assert cache.key("a") == cache.key(b"a")


def test_two_threads_store_whole_entries(empty_cache):
    blocks = [bytes([65 + i]) * 200_000 for i in range(2)]

    def write(block):
        for _ in range(50):
            cache.store("same", block)

    threads = [threading.Thread(target=write, args=(b,)) for b in blocks]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        assert cache.load("same") in (None, *blocks)
    for thread in threads:
        thread.join()
    assert cache.load("same") in blocks
