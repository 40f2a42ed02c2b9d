"""How much faster the simulator runs integer kernels than ``qemu-hexagon``, on the same assembly.

The kernels are C, compiled and linked, without a C library, by ``zig cc`` (the ``elf`` extra). Both sides run a
kernel few times and many times; the difference is the kernel without what stands round it.
"""

from __future__ import annotations

import importlib.util
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from hexagon_mlir.sim import Machine, RunResult

QEMU = "qemu-hexagon"
ZIG = [sys.executable, "-Pm", "ziglang", "cc", "-target", "hexagon-linux-musl"]
HVX = "-mcpu=hexagonv67+hvxv66+hvx_length128b"
"""The newest level qemu-hexagon 7.2 knows."""
FLAGS = [HVX, "-O2", "-g0", "-ffreestanding", "-fno-builtin", "-fno-sanitize=all", "-fno-stack-protector",
         "-fno-unroll-loops", "-w"]  # fmt: skip
START = """\t.text
\t.globl _start
\t.type _start,@function
_start:
\t{{ r0 = ##{times} }}
\t{{ call kernel }}
\t{{ r0 = #0; r6 = #94 }}
\t{{ trap0(#1) }}
"""
"""Runs the kernel and leaves by the system call exit_group."""
VECTORS = """typedef int vec __attribute__((vector_size(128), aligned(128)));
vec a[64], b[64], c[64];
"""
KERNELS = {
    "scalar hash of 4 KB": """unsigned data[1024];
int kernel(int times) {
  unsigned h = 2166136261u;
  for (int t = 0; t < times; t++)
    for (int i = 0; i < 1024; i++) h = ((h ^ data[i]) * 16777619u) + (h >> 15);
  return h;
}
""",
    "scalar sieve of 4 KB": """unsigned char marks[4096];
int kernel(int times) {
  int count = 0;
  for (int t = 0; t < times; t++) {
    for (int i = 0; i < 4096; i++) marks[i] = 0;
    for (int i = 2; i < 4096; i++) {
      count += !marks[i];
      if (!marks[i]) for (int j = 2 * i; j < 4096; j += i) marks[j] = 1;
    }
  }
  return count;
}
""",
    "HVX i32 arithmetic, 8 KB": VECTORS + """int kernel(int times) {
  for (int t = 0; t < times; t++)
    for (int i = 0; i < 64; i++) c[i] = ((a[i] + b[i]) ^ (c[i] << 3)) - (a[i] & b[i]);
  return c[0][0];
}
""",
    "HVX u8 dot product (vrmpy), 8 KB": VECTORS + """int kernel(int times) {
  vec sum = a[0];
  for (int t = 0; t < times; t++)
    for (int i = 0; i < 64; i++) sum = __builtin_HEXAGON_V6_vrmpyubv_acc_128B(sum, a[i], b[i]);
  return sum[0];
}
""",
}
FEW, MANY = 10, 2_010


@dataclass(frozen=True)
class Comparison:
    """User seconds of the same packets."""

    name: str
    exact: float
    fast: float
    qemu: float
    packets: int
    """Packets that took this long."""


def missing() -> str:
    """Why the comparison cannot be made, or ''."""
    if shutil.which(QEMU) is None:
        return f"{QEMU} is not on the path"
    if importlib.util.find_spec("ziglang") is None:
        return "zig is missing (pip install 'hexagon-mlir[elf]')"
    return ""


def _qemu_seconds(assembly: Path, times: int) -> float:
    program = assembly.with_name(f"run{times}")
    if not program.exists():
        start = assembly.with_name(f"start{times}.s")
        start.write_text(START.format(times=times))
        subprocess.run([*ZIG, HVX, "-g0", "-nostdlib", "-static", "-o", program, start, assembly], check=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run([QEMU, "-cpu", "v67", program], check=True, timeout=300)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def _simulator(assembly: str, memory: str) -> tuple[Callable[[int], float], Callable[[], int]]:
    machine = Machine(assembly, "v68", memory=memory)
    results: list[RunResult] = []

    def seconds(times: int) -> float:
        start = time.process_time()
        results.append(machine.run("kernel", [times]))
        return time.process_time() - start

    return seconds, lambda: max(r.packets for r in results) - min(r.packets for r in results)


def _difference(seconds: Callable[[int], float], attempts: int = 4) -> float:
    few = min(seconds(FEW) for _ in range(attempts))
    return max(min(seconds(MANY) for _ in range(attempts)) - few, 1e-9)


def compare(name: str) -> Comparison:
    """Both simulators on one kernel."""
    with tempfile.TemporaryDirectory() as folder:
        source, assembly = Path(folder) / "kernel.c", Path(folder) / "kernel.s"
        source.write_text(KERNELS[name])
        subprocess.run([*ZIG, *FLAGS, "-S", "-o", assembly, source], check=True)
        text = assembly.read_text("latin-1")
        exact, packets = _simulator(text, "exact")
        fast, _ = _simulator(text, "fast")
        qemu = _difference(lambda times: _qemu_seconds(assembly, times))
        return Comparison(name, _difference(exact), _difference(fast), qemu, packets())
