"""Linked kernels under qemu-hexagon: the same values as on the simulator, the same packets, every failure an error."""

import os
import signal
import stat
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from binaries import PARALLEL, needs_qemu

import hexagon_mlir as hx
from hexagon_mlir.exec import qemu
from hexagon_mlir.ir import HexError

pytestmark = needs_qemu


def elementwise(op: str, element: str, size: int) -> str:
    tensor = f"tensor<{size}x{element}>"
    return f"""
func.func @f(%x: {tensor}, %y: {tensor}) -> {tensor} {{
  %0 = linalg.{op} ins(%x, %y : {tensor}, {tensor}) outs(%x : {tensor}) -> {tensor}
  return %0 : {tensor}
}}
"""


class TestValues:
    @pytest.mark.parametrize(("op", "element", "size"), [("mul", "i32", 100_003), ("add", "i16", 280_003),
                                                         ("max", "i8", 262_145), ("sub", "i32", 31)])
    def test_integers_bit_for_bit_and_packet_for_packet(self, op, element, size):
        kernel = hx.compile(elementwise(op, element, size), target="v67", threads=1)  # QEMU counts the main thread
        dtype = np.dtype(f"int{element[1:]}")
        limits = np.iinfo(dtype)
        random = np.random.default_rng(size)
        x, y = (random.integers(limits.min, limits.max, size, dtype, endpoint=True) for _ in range(2))
        simulated, emulated = kernel.run(x, y), kernel.run(x, y, executor="qemu")
        np.testing.assert_array_equal(emulated.outputs[0], simulated.outputs[0])
        counters = emulated.result
        if size > 1000:  # below, the counting itself shows
            assert counters.packets == pytest.approx(simulated.profile.packets, rel=0.01)
            assert counters.hvx_instructions > simulated.profile.hvx_packets > 0
        assert (counters.tcm_in_use, counters.dma_pending) == (0, 0)

    def test_a_float_kernel_for_a_later_chip_says_what_runs(self):
        kernel = hx.compile(elementwise("div", "f32", 1001), target="v75")
        x, y = np.linspace(-5, 5, 1001, dtype=np.float32), np.linspace(2, -3, 1001, dtype=np.float32)
        y[7], x[8], y[9] = 0, np.nan, np.inf
        with pytest.warns(UserWarning, match="no HVX floating point"):
            run = kernel.run(x, y, executor="qemu")
        with np.errstate(divide="ignore", invalid="ignore"):
            np.testing.assert_allclose(run.outputs[0], x / y, rtol=1e-6)
        with pytest.raises(HexError, match="no clock"):
            run.cycles  # noqa: B018

    @pytest.mark.parametrize("threads", [1, 2, 4, 7])
    def test_threads(self, threads):
        """scripts/stress_threads.py does this 200 times."""
        kernel = hx.compile(PARALLEL, target="v67")
        assert "hexmlir_rt_fork" in kernel.asm
        program = kernel.program()
        x = np.arange(-50_000, 50_003, dtype=np.int32)
        for _ in range(5):
            out = np.zeros_like(x)
            counters = qemu.run(program, "v67", [x, np.zeros_like(x), out], threads=threads)
            np.testing.assert_array_equal(out, x * x)
            assert (counters.tcm_in_use, counters.dma_pending) == (0, 0)

    def test_sizes_known_at_the_call(self):
        kernel = hx.compile(elementwise("sub", "i32", 31).replace("31", "?"), target="v67")
        for size in (0, 1, 33, 1000):
            x, y = np.arange(size, dtype=np.int32), np.full(size, -7, np.int32)
            simulated, emulated = kernel.run(x, y), kernel.run(x, y, executor="qemu")
            np.testing.assert_array_equal(emulated.outputs[0], x + 7)
            np.testing.assert_array_equal(simulated.outputs[0], x + 7)

    def test_wide_and_float_scalars(self):
        source = """
func.func @f(%a: i32, %b: i64, %c: f32, %d: f64, %out: memref<4xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %0 = arith.sitofp %a : i32 to f64
  %1 = arith.sitofp %b : i64 to f64
  %2 = arith.extf %c : f32 to f64
  memref.store %0, %out[%c0] : memref<4xf64>
  memref.store %1, %out[%c1] : memref<4xf64>
  memref.store %2, %out[%c2] : memref<4xf64>
  memref.store %d, %out[%c3] : memref<4xf64>
  return
}
"""
        out = np.zeros(4)
        hx.compile(source, target="v67").run(-7, -(1 << 40), -2.5, 1e300, out, executor="qemu")
        np.testing.assert_array_equal(out, [-7, -(1 << 40), -2.5, 1e300])


def fake_emulator(folder, monkeypatch, script: str) -> None:
    """Put a program called qemu-hexagon first on the path."""
    path = folder / "qemu-hexagon"
    path.write_text(f"#!/bin/sh\n[ \"$1\" = --version ] && echo 'qemu-hexagon version 7.2.0' && exit\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def emulators() -> list[int]:
    """The emulators that this process started."""
    children = [number for file in Path("/proc/self/task").glob("*/children") for number in file.read_text().split()]
    return [int(number) for number in children if "qemu-hexagon" in Path("/proc", number, "comm").read_text()]


class TestFailures:
    ARGUMENTS = (np.arange(100, dtype=np.int32), np.arange(100, dtype=np.int32), np.full(100, 7, np.int32))

    def fails(self, message, program=None, **options):
        """The run raises ``message`` and leaves the results as they were."""
        program = program if program is not None else hx.compile(elementwise("mul", "i32", 100), target="v67").program()
        arguments = [a.copy() for a in self.ARGUMENTS]
        with pytest.raises(HexError, match=message):
            qemu.run(program, "v67", arguments, **options)
        for now, before in zip(arguments, self.ARGUMENTS, strict=True):
            np.testing.assert_array_equal(now, before)

    def test_killed_half_way(self, tmp_path, monkeypatch):
        fake_emulator(tmp_path, monkeypatch, "kill -9 $$")
        self.fails("ended by SIGKILL")

    def test_the_emulator_is_killed_from_outside(self):
        """QEMU itself, in a kernel that takes minutes."""
        program = hx.compile("""
func.func @f(%x: memref<4xi32>, %n: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = arith.index_cast %n : i32 to index
  scf.for %i = %c0 to %end step %c1 {
    %v = memref.load %x[%c0] : memref<4xi32>
    %w = arith.muli %v, %n : i32
    %u = arith.xori %w, %v : i32
    memref.store %u, %x[%c0] : memref<4xi32>
  }
  return
}
""", target="v67").program()
        x = np.arange(4, dtype=np.int32)
        with ThreadPoolExecutor(1) as pool:
            run = pool.submit(qemu.run, program, "v67", [x, 0x7FFFFFFF])
            while not (children := emulators()):
                time.sleep(0.01)
            os.kill(children[0], signal.SIGKILL)
            with pytest.raises(HexError, match="ended by SIGKILL"):
                run.result(timeout=60)
        np.testing.assert_array_equal(x, np.arange(4))

    def test_never_ends(self, tmp_path, monkeypatch):
        fake_emulator(tmp_path, monkeypatch, "exec sleep 60")
        self.fails("did not finish in 0.2 s", timeout=0.2)

    def test_ends_without_running_the_kernel(self, tmp_path, monkeypatch):
        fake_emulator(tmp_path, monkeypatch, "exit 0")
        self.fails("ended before the kernel did")

    def test_exit_code(self, tmp_path, monkeypatch):
        fake_emulator(tmp_path, monkeypatch, "echo something is wrong >&2; exit 3")
        self.fails("exit code 3: something is wrong")

    def test_no_emulator(self, monkeypatch):
        program = hx.compile(elementwise("mul", "i32", 100), target="v67").program()
        monkeypatch.setenv("PATH", "")
        self.fails("qemu-hexagon is not installed", program)

    def test_not_a_program(self):
        self.fails("exit code", b"#!/bin/false\n")

    def test_a_chip_the_emulator_does_not_know(self):
        if qemu.version()[0] >= qemu.VECTOR_FLOAT_SINCE:
            pytest.skip("this QEMU knows every chip")
        program = hx.compile(elementwise("mul", "i32", 100), target="v67").program()
        with pytest.raises(HexError, match="does not know"):
            qemu.run(program, "v75", [a.copy() for a in self.ARGUMENTS])

    def test_tcm_exhausted(self, monkeypatch):
        monkeypatch.setenv("QEMU_SET_ENV", "HEXMLIR_RT_TCM_BYTES=1024")
        size = 10_000
        program = hx.compile(elementwise("mul", "i32", size), target="v67").program()
        with pytest.raises(HexError, match=r"TCM exhausted: \d+ bytes asked, 0 of 2048 in use"):
            qemu.run(program, "v67", [np.zeros(size, np.int32)] * 3)

    def test_the_kernel_crashes(self):
        source = """
func.func @f(%x: memref<4xi32>, %i: i32) {
  %0 = arith.index_cast %i : i32 to index
  memref.store %i, %x[%0] : memref<4xi32>
  return
}
"""
        program = hx.compile(source, target="v67").program()
        with pytest.raises(HexError, match=r"SIGSEGV|Segmentation"):
            qemu.run(program, "v67", [np.zeros(4, np.int32), 0x0FFFFFF0])

    def test_unknown_executor(self):
        kernel = hx.compile(elementwise("mul", "i32", 100), target="v67")
        with pytest.raises(HexError, match="unknown executor 'qemo'"):
            kernel.run(*self.ARGUMENTS[:2], executor="qemo")
