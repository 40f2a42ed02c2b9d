"""The emulated routines of the matrix engine for bytes against numpy and the simulator, which runs their packets."""

import shutil
import subprocess

import numpy as np
import pytest
from binaries import compiled, hexagon_compiler, needs_qemu

from bench import byte_tiles
from hexagon_mlir.codegen.artifacts import link
from hexagon_mlir.codegen.matrix_engine.catalogue import ROUTINES
from hexagon_mlir.codegen.matrix_engine.integer_routines import INTEGER_ROUTINES, WEIGHT_BYTES
from hexagon_mlir.sim import Machine

CC = shutil.which("cc")
NAMES = list(INTEGER_ROUTINES)
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
  int32_t *sizes = take(20), tiles = sizes[0], columns = sizes[1];
  void *activations = take(2048u * tiles), *weights = take(sizes[3] * tiles * columns), *bias = take(sizes[4]);
  unsigned planes = sizes[2] % 2 ? 4 : 1;
  void *results = malloc(2048u * planes * columns);
  void (*routines[])(const void *, const void *, void *, int32_t, int32_t, const void *) = {ROUTINES};
  routines[sizes[2]](activations, weights, results, tiles, columns, bias);
  fwrite(results, 1, 2048u * planes * columns, stdout);
  free(sizes), free(activations), free(weights), free(bias), free(results);
  return 0;
}
""".replace("ROUTINES", ", ".join(NAMES))


@pytest.fixture(scope="module", params=[
    pytest.param("host", marks=pytest.mark.skipif(CC is None, reason="no C compiler on this machine")),
    pytest.param("qemu", marks=needs_qemu)])
def emulation(request, tmp_path_factory):
    """The emulation as a function of a routine's name and its operands: one row of tiles."""
    on_host = request.param == "host"
    compiler = [CC, "-fsanitize=address,undefined", "-fno-sanitize-recover", "-g"] if on_host else hexagon_compiler()
    program = compiled(compiler, tmp_path_factory.mktemp(request.param), MAIN, *map(str, link.runtime_sources()),
                       "-pthread")
    command = [program] if on_host else ["qemu-hexagon", "-cpu", "v67", program]

    def run(name, a, w, tables):
        assert "planes" not in name or NAMES.index(name) % 2
        sizes = [a.size // 2048, w.shape[0], NAMES.index(name), WEIGHT_BYTES[name.split("_")[3]], tables.nbytes]
        data = np.array(sizes, np.int32).tobytes() + b"".join(x.tobytes() for x in (a, w, tables))
        done = subprocess.run(command, input=data, capture_output=True, timeout=300)
        assert done.returncode == 0, done.stderr
        return np.frombuffer(done.stdout, np.uint8)

    return run


def simulated(name, a, w, tables):
    """The routine on the simulator."""
    machine = Machine(ROUTINES[name].assembly, "v75")
    size = w.shape[0] * 2048 * (4 if "planes" in name else 1)
    places = [machine.alloc_tcm(nbytes, 1 << 18) for nbytes in (a.nbytes, w.nbytes, size, tables.nbytes)]
    for address, data in zip([*places[:2], places[3]], (a, w, tables), strict=True):
        machine.write(address, data)
    machine.run(name, [*places[:3], a.size // 2048, w.shape[0], places[3]])
    return machine.read(places[2], np.uint8, size)


@pytest.mark.parametrize(("reduction", "columns"), [(32, 64), (45, 30), (290, 130)])
@pytest.mark.parametrize("bits", [8, 4])
def test_exact_sums(emulation, bits, reduction, columns):
    left, right = byte_tiles.random_operands(reduction, 64, reduction, columns, bits)
    name = f"hexmlir_engine_ub_{'b' if bits == 8 else 'n'}_planes"
    found = emulation(name, byte_tiles.activations(left), byte_tiles.weights(right, bits), byte_tiles.plane_tables())
    exact = left.astype(np.int32) @ right.astype(np.int32)
    np.testing.assert_array_equal(byte_tiles.sums(found)[:, :columns], exact)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("seed", "tiles", "columns"), [(0, 1, 1), (1, 3, 2), (2, 17, 1)])
def test_any_tables(emulation, name, seed, tiles, columns):
    """All shapes, scales and exponents, sums and biases of all magnitudes: as the simulator, bit for bit."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 256, (tiles, 2048)).astype(np.uint8)
    w = rng.integers(0, 256, (columns, tiles, WEIGHT_BYTES[name.split("_")[3]])).astype(np.uint8)
    tables = rng.integers(0, 1 << 32, (4 if "planes" in name else columns, 2, 32)).astype(np.uint32)
    biases = tables[:, 1].astype(np.int32) >> rng.integers(0, 31, tables[:, 1].shape).astype(np.int32)
    tables[:, 1] = biases.astype(np.uint32)
    found = emulation(name, a, w, tables)
    np.testing.assert_array_equal(found, simulated(name, a, w, tables))
    assert len(set(found)) > 50


@pytest.mark.parametrize("name", NAMES)
def test_sums_of_zero_and_extremes(emulation, name):
    """Sums and biases whose total is 0, or does not fit 32 bits, with every shape."""
    a = np.zeros((1, 2048), np.uint8)
    w = np.zeros((1, 1, WEIGHT_BYTES[name.split("_")[3]]), np.uint8)
    tables = np.zeros((4, 2, 32), np.uint32)
    for column in range(32):
        shape, exponent = column % 8, (0, 3, 24, 31)[column // 8]
        tables[:, 0, column] = 0x2FF | exponent << 10 | (shape & 3) << 17 | shape >> 2 << 15 | 0x123 << 19
    for group, value in enumerate((0, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)):
        tables[group, 1] = value
    tables = tables if "planes" in name else tables[1:2]
    np.testing.assert_array_equal(emulation(name, a, w, tables), simulated(name, a, w, tables))


def test_nothing_to_do(emulation):
    a, w = np.zeros((0, 2048), np.uint8), np.zeros((0, 0, 2048), np.uint8)
    assert emulation("hexmlir_engine_ub_b", a, w, np.zeros((0, 2, 32), np.uint32)).size == 0
