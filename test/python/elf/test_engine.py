"""The emulated routines of the matrix engine against golden cases and the simulator, which runs their packets."""

import shutil
import subprocess

import numpy as np
import pytest
from binaries import compiled, hexagon_compiler, needs_qemu

from bench.engine_golden import cases
from hexagon_mlir import targets
from hexagon_mlir.codegen import emit
from hexagon_mlir.codegen.artifacts import link
from hexagon_mlir.codegen.matrix_engine.routines import ROUTINES
from hexagon_mlir.sim import Machine

TILE, TABLE = 2048, 256
CC = shutil.which("cc")
MAIN = r"""
#include <stdio.h>
#include <stdlib.h>
#include "hexmlir_rt.h"
static void *take(size_t bytes) {
  void *data = malloc(bytes);
  if (fread(data, 1, bytes, stdin) != bytes) abort();
  return data;
}
int main(void) {
  int32_t *sizes = take(12), tiles = sizes[0], columns = sizes[1];
  void *activations = take(2048u * tiles), *weights = take(2048u * tiles * columns), *bias = take(256u * columns);
  void *results = malloc(2048u * columns);
  (sizes[2] ? hexmlir_engine_hf_relu : hexmlir_engine_hf)(activations, weights, results, tiles, columns, bias);
  fwrite(results, 1, 2048u * columns, stdout);
  free(sizes), free(activations), free(weights), free(bias), free(results);
  return 0;
}
"""


@pytest.fixture(scope="module", params=[
    pytest.param("host", marks=pytest.mark.skipif(CC is None, reason="no C compiler on this machine")),
    pytest.param("qemu", marks=needs_qemu)])
def emulation(request, tmp_path_factory):
    """The emulation as a function of activations, weights, bias tables (as bytes), and whether negatives become 0."""
    on_host = request.param == "host"
    compiler = [CC, "-fsanitize=address,undefined", "-g"] if on_host else hexagon_compiler()
    program = compiled(compiler, tmp_path_factory.mktemp(request.param), MAIN, *map(str, link.runtime_sources()),
                       "-pthread")
    command = [program] if on_host else ["qemu-hexagon", "-cpu", "v67", program]

    def run(activations, weights, bias, relu):
        tiles, columns = activations.size // TILE, bias.size // TABLE
        data = np.array([tiles, columns, relu], np.int32).tobytes() + b"".join(
            x.tobytes() for x in (activations, weights, bias))
        done = subprocess.run(command, input=data, capture_output=True, timeout=300)
        assert done.returncode == 0, done.stderr
        return np.frombuffer(done.stdout, np.uint8)

    return run


def simulated(activations, weights, bias, relu, chip="v75"):
    """The routine on the simulator, and the machine's result."""
    machine = Machine(ROUTINES[f"hexmlir_engine_hf{'_relu' * relu}"].assembly, chip)
    places = []
    for data in (activations, weights, np.zeros(TILE * (bias.size // TABLE), np.uint8), bias):
        places.append(machine.alloc_tcm(data.nbytes, 1 << 18))
        machine.write(places[-1], data)
    a, w, out, table = places
    result = machine.run(f"hexmlir_engine_hf{'_relu' * relu}",
                         [a, w, out, activations.size // TILE, bias.size // TABLE, table])
    return machine.read(out, np.uint8, TILE * (bias.size // TABLE)), result


def bytes_of(*words):
    return np.concatenate([np.asarray(word).reshape(-1).view(np.uint8) for word in words])


def random_case(seed, tiles, columns, kind):
    """Operands as bytes: values around 1, values of all magnitudes, or any bits, also of the bias tables."""
    rng = np.random.default_rng(seed)
    shape = (tiles * 1024,), (tiles * columns * 1024,)
    if kind == "normal":
        operands = [rng.standard_normal(s).astype(np.float16) for s in shape]
        bias = np.repeat(np.array([[0x3C00, 0]] * columns, np.uint32), 32, axis=1)
        return *map(bytes_of, operands), bytes_of(bias)
    if kind == "wide":
        operands = [(rng.standard_normal(s) * 2.0 ** rng.integers(-24, 12, s)).astype(np.float16) for s in shape]
    else:
        operands = [rng.integers(0, 1 << 16, s).astype(np.uint16) for s in shape]
        operands[0][rng.random(shape[0]) < 0.3] = 0
        operands[1].reshape(-1, 64)[rng.random(shape[1][0] // 64) < 0.3] &= 0x8000
    return *map(bytes_of, operands), bytes_of(rng.integers(0, 1 << 32, columns * 64).astype(np.uint32))


def golden():
    """Cases that a routine can do: name, operands, whether negatives become 0, result."""
    found = {}
    for case in cases():
        registers = [step["regs"] for step in case["steps"]]
        products = [r for r in registers if "r1" in r]
        conversion = {r["r7"] for r in registers if "r7" in r} or {2}
        whole = sum(r["r1"] + 1 for r in products) == len(case["in"][0][1])
        whole = whole and all(r["r1"] == r["r3"] for r in products)
        plain = all(r.get("r9", 0) == 0 for r in registers) and "hf" in case["name"] and len(case["in"]) == 3
        if (case["chip"], case["usr"]) == ("v75", 0) and whole and plain and conversion <= {0, 2}:
            found[case["name"]] = (*(data for _, data in case["in"]), 0 in conversion, case["out"][0][1])
    return found


@pytest.mark.parametrize("name", golden())
def test_golden_cases(emulation, name):
    *operands, relu, expected = golden()[name]
    np.testing.assert_array_equal(emulation(*operands, relu), expected)
    np.testing.assert_array_equal(simulated(*operands, relu)[0], expected)


def test_enough_golden_cases():
    assert len(golden()) >= 12
    assert {"hf any bits", "hf denormals", "hf overflow", "hf relu", "hf all bias fields"} <= set(golden())


@pytest.mark.parametrize(("seed", "kind", "tiles", "columns"), [
    (1096, "wide", 1, 2), (1256, "bits", 1, 3), (1453, "wide", 2, 2), (1632, "bits", 1, 1), (2173, "wide", 2, 2)])
def test_sums_and_biases_that_cancel(emulation, seed, kind, tiles, columns):
    """An exact sum with a bias, instead of one with a sticky bit in the units of the larger, would differ here."""
    operands = random_case(seed, tiles, columns, kind)
    np.testing.assert_array_equal(emulation(*operands, False), simulated(*operands, False)[0])


@pytest.mark.parametrize("relu", [False, True])
@pytest.mark.parametrize(("kind", "tiles", "columns"), [
    ("normal", 3, 2), ("normal", 33, 1), ("wide", 2, 3), ("wide", 65, 1), ("bits", 1, 3), ("bits", 4, 2),
    ("bits", 34, 2)])
def test_random_operands(emulation, kind, tiles, columns, relu):
    operands = random_case(tiles * 10 + columns, tiles, columns, kind)
    np.testing.assert_array_equal(emulation(*operands, relu), simulated(*operands, relu)[0])


def test_the_routine_multiplies_matrices():
    rng = np.random.default_rng(1)
    a, b = rng.integers(-9, 10, (32, 40 * 32)), rng.integers(-9, 10, (40 * 32, 64))
    rows = a.astype(np.float16).reshape(16, 2, 40, 32).transpose(2, 0, 3, 1)
    columns = b.astype(np.float16).reshape(40, 16, 2, 2, 32).transpose(3, 0, 1, 4, 2)
    bias = np.repeat(np.array([[0x3000, 0]] * 2, np.uint32), 32, axis=1)  # times 1/8
    out, result = simulated(bytes_of(np.ascontiguousarray(rows)), bytes_of(np.ascontiguousarray(columns)),
                            bytes_of(bias), False)
    found = out.view(np.float16).reshape(2, 16, 32, 2).transpose(1, 3, 0, 2).reshape(32, 64)
    np.testing.assert_array_equal(found, (a @ b / 8).astype(np.float16))
    assert result.matrix.macs == 32 * 64 * 40 * 32
    assert result.matrix.array_cycles == 2 * (40 * 8 + 2 * 3)


CALLER = """
declare void @hexmlir_engine_hf(ptr, ptr, ptr, i32, i32, ptr)
define void @f(ptr %a, ptr %w, ptr %o, ptr %t) {
  call void @hexmlir_engine_hf(ptr %a, ptr %w, ptr %o, i32 1, i32 1, ptr %t)
  ret void
}
"""
PROGRAM = r"""
#include <stdio.h>
#include "hexmlir_rt.h"
void f(void *, void *, void *, void *);
static _Alignas(2048) uint16_t a[1024], w[1024], o[1024];
static uint32_t bias[64];
int main(void) {
  for (int i = 0; i < 1024; i++) a[i] = w[i] = 0x3C00;
  for (int i = 0; i < 32; i++) bias[i] = 0x3C00;
  f(a, w, o, bias);
  printf("%x %x\n", o[0], o[1023]);
  return 0;
}
"""


@needs_qemu
@pytest.mark.parametrize("chip", ["v67", "v73"])
def test_programs_call_the_emulation(tmp_path, chip):
    """Objects for v67 declare the routine; v73's define it, but weakly, and QEMU would stop at the engine's packets."""
    (tmp_path / "kernel.o").write_bytes(emit(CALLER, targets.get(chip), "obj"))
    program = compiled(hexagon_compiler(), tmp_path, PROGRAM, "kernel.o", *map(str, link.runtime_sources()))
    done = subprocess.run(["qemu-hexagon", "-cpu", "v67", program], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "5000 5000\n")  # 32.0
    clear = (0xA6E0C013).to_bytes(4, "little")  # mxclracc.hf
    assert (clear in (tmp_path / "kernel.o").read_bytes()) == (chip == "v73")
