"""The C runtime: its unit tests on the host under sanitizers and under QEMU; its DMA engine on the simulator."""

import os
import re
import shutil
import subprocess
import sys
from functools import cache

import pytest
from binaries import hexagon_compiler, needs_linker, needs_qemu
from support import ROOT

from hexagon_mlir.codegen.artifacts import link
from hexagon_mlir.isa.decode import COUNTERS
from hexagon_mlir.sim import Machine
from hexagon_mlir.sim.host_library.c_start import ENTRY, with_start
from hexagon_mlir.sim.host_library.hostfns import CALLBACKS

RUNTIME = ROOT / "runtime"
UNITS = ("tcm", "dma", "engine", "async", "forks", "threads", "weights")
FAULTS = {
    "exhausted": "TCM exhausted: 6291456 bytes asked, 6291456 of 8388608 in use", "alignment": "no power of two",
    "double-free": "freed twice?", "tag": "no transfer has tag 77", "twice": "made available twice",
    "group": "more tokens than it was made for",
    "assert": "k.py:3:5: assertion failed: n is negative (program (1, 2, 3))",
    "no-weights": "cannot open the weights file /no/such/file", "other-file": "failures is no weights file",
    "join": "no thread 99", "barrier": "barrier of 0 threads",
    "engine-twice": "engine_acquire: thread 0 holds the matrix engine",
    "engine-release": "engine_release: thread 0 does not hold the matrix engine",
}
CC = shutil.which("cc")
needs_cc = pytest.mark.skipif(CC is None, reason="no C compiler on this machine")
SANITIZERS = {"plain": [], "address": ["-fsanitize=address,undefined"], "thread": ["-fsanitize=thread"]}


def sources() -> list[str]:
    return [str(file) for file in link.runtime_sources()]


@pytest.fixture(scope="module")
def build(tmp_path_factory):
    """A function that makes the program of test ``name`` for this machine; the runtime is compiled once for each of
    `SANITIZERS`.
    """
    flags = ["-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", f"-I{RUNTIME / 'include'}", "-pthread"]

    def run(*words, cwd):
        done = subprocess.run([str(CC), *flags, *words], capture_output=True, text=True, cwd=cwd)
        assert done.returncode == 0, done.stderr

    @cache
    def objects(sanitizer: str) -> list[str]:
        folder = tmp_path_factory.mktemp(sanitizer)
        run(*SANITIZERS[sanitizer], "-c", *sources(), cwd=folder)
        return [str(file) for file in sorted(folder.glob("*.o"))]

    def program(name: str, folder, sanitizer: str = "plain") -> str:
        test = str(RUNTIME / "test" / f"test_{name}.c")
        run(*SANITIZERS[sanitizer], test, *objects(sanitizer), "-o", name, cwd=folder)
        return str(folder / name)

    return program


def run(command: list[str], **environment: str) -> subprocess.CompletedProcess:
    return subprocess.run(command, capture_output=True, text=True, timeout=120, env={**os.environ, **environment})


@needs_cc
@pytest.mark.parametrize("sanitizer", SANITIZERS)
class TestOnTheHost:
    @pytest.mark.parametrize("name", UNITS)
    def test_unit(self, name, sanitizer, build, tmp_path):
        program = build(name, tmp_path, sanitizer)
        for workers in ("1", "4", "7") if name in ("async", "forks") else ("4",):
            done = run([program], HEXMLIR_RT_THREADS=workers)
            assert (done.returncode, done.stdout, done.stderr) == (0, f"{name}: ok\n", "")

    def test_failures_end_the_process_with_one_line(self, sanitizer, build, tmp_path):
        program = build("failures", tmp_path, sanitizer)
        for fault, message in FAULTS.items():
            done = run([program, fault])
            assert done.returncode == 86 and done.stderr.count("\n") == 1, (fault, done.stderr)
            assert done.stderr.startswith("hexmlir_rt: ") and message in done.stderr
        assert run([program, "none"]).returncode == 0


@needs_cc
def test_wrong_settings(build, tmp_path):
    program = build("async", tmp_path)
    for value in ("0", "-1", "many", "99999999999"):
        done = run([program], HEXMLIR_RT_THREADS=value)
        assert done.returncode == 86 and f"HEXMLIR_RT_THREADS={value} is not a positive" in done.stderr


@pytest.fixture(scope="module")
def units_for_qemu(tmp_path_factory):
    """One program of all units, which runs the one that its argument names."""
    folder = tmp_path_factory.mktemp("qemu")
    for name in UNITS:
        (folder / f"{name}.c").write_text(f'#define main unit_{name}\n#include "test_{name}.c"\n')
    units = "".join(f"int unit_{name}(void);\n" for name in UNITS)
    calls = "".join(f'  if (!strcmp(words[1], "{name}")) return unit_{name}();\n' for name in UNITS)
    (folder / "main.c").write_text(
        f"#include <string.h>\n{units}int main(int count, char **words) {{\n  (void)count;\n{calls}  return 1;\n}}\n")
    command = [*hexagon_compiler(), f"-I{RUNTIME / 'include'}", f"-I{RUNTIME / 'test'}", "main.c",
               *(f"{name}.c" for name in UNITS), *sources(), "-o", "units"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stderr
    return str(folder / "units")


@needs_qemu
@pytest.mark.parametrize("name", UNITS)
def test_unit_under_qemu(name, units_for_qemu):
    for workers in ("1", "4", "7") if name in ("async", "forks") else ("4",):
        done = run(["qemu-hexagon", "-cpu", "v67", "-E", f"HEXMLIR_RT_THREADS={workers}", units_for_qemu, name])
        assert (done.returncode, done.stdout, done.stderr) == (0, f"{name}: ok\n", "")


def test_the_simulator_and_the_library_have_the_same_functions():
    """What compiled code calls links and simulates; the library has more, for programs written in C."""
    counters = set(COUNTERS.values())  # the simulator's names for control registers
    simulated = {name for name in CALLBACKS if name.startswith(("hexmlir_rt_", "mlirAsync"))} - counters
    header = (RUNTIME / "include" / "hexmlir_rt.h").read_text()
    declared = set(re.findall(r"\b(?:hexmlir_rt_|mlirAsync)\w+(?=\()", header))
    assert simulated <= declared, simulated - declared
    own = declared - simulated - counters
    assert own == {f"hexmlir_rt_{name}" for name in ("dma_pending", "shutdown", "tcm_high_water", "tcm_use", "tcm_used",
                                                     "weights", "workers")}


ENGINE = r"""
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "dma.h"
_Noreturn void hexmlir_rt_fail(const char *format, ...) { puts(format); __builtin_trap(); }
void *hexmlir_rt_own_alloc(size_t bytes) { extern void *malloc(size_t); return malloc(bytes); }
static unsigned char source[1 << 18], target[1 << 18];
static void check(const char *name, uint32_t row_bytes, uint32_t rows, int32_t to, int32_t from) {
  memset(target, 0, sizeof target);
  Transfer one = {0, (char *)target, (const char *)source, row_bytes, rows, to, from, 1, 0};
  hexmlir_rt_dma_begin(&one, 0);
  hexmlir_rt_dma_complete(&one);
  uint32_t wrong = 0;
  for (uint32_t row = 0; row < rows; row++)
    wrong += memcmp(target + (int64_t)row * to, source + (int64_t)row * from, row_bytes) != 0;
  printf("%s %u\n", name, (unsigned)wrong);
}
int main(void) {
  for (size_t i = 0; i < sizeof source; i++) source[i] = (unsigned char)(i * 7 + (i >> 8));
  check("linear", 1000, 1, 0, 0);
  check("packed", 128, 64, 128, 128);
  check("block", 100, 33, 256, 300);
  check("wide stride", 100, 3, 70000, 80000);
  check("repeated row", 64, 8, 64, 0);
  Transfer first = {0, (char *)target, (const char *)source, 100, 1, 0, 0, 1, 0}, second = first;
  second.dst += 1000, second.src += 500;
  hexmlir_rt_dma_begin(&first, 0);
  hexmlir_rt_dma_begin(&second, &first);
  hexmlir_rt_dma_complete(&first);
  hexmlir_rt_dma_complete(&second);
  printf("linked %d\n", memcmp(target + 1000, source + 500, 100) || memcmp(target, source, 100));
  return 0;
}
"""


@needs_linker
@pytest.mark.parametrize(("cpu", "descriptors"), [("v68", 16), ("v75", 14)])  # v75 has fields for the wide stride
def test_the_dma_engine_on_the_simulator(tmp_path, cpu, descriptors):
    """dmstart, dmlink and dmpoll with real descriptors: what QEMU lacks."""
    (tmp_path / "engine.c").write_text(ENGINE + (RUNTIME / "src" / "dma_engine.c").read_text())
    command = [sys.executable, "-m", "ziglang", "cc", "-target", link.TRIPLE, f"-mcpu=hexagon{cpu}", "-O2", "-g0",
               "-fno-sanitize=all", "-fno-stack-protector", "-fno-unwind-tables", f"-I{RUNTIME / 'include'}",
               f"-I{RUNTIME / 'src'}", "-S", "-o", "engine.s", "engine.c"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    machine = Machine(with_start((tmp_path / "engine.s").read_text("latin-1")), "v75", check=True)
    result = machine.run(ENTRY, [])
    assert machine.output.decode() == "linear 0\npacked 0\nblock 0\nwide stride 0\nrepeated row 0\nlinked 0\n"
    assert [str(report) for report in result.reports] == []
    assert len(machine.dma.transfers) == descriptors
