"""The emulated routine for two pieces of each sum against the simulator, which runs its packets."""

import shutil
import subprocess

import numpy as np
import pytest
from binaries import compiled, hexagon_compiler, needs_qemu

from bench.piece_products import piece_table
from hexagon_mlir.codegen.artifacts import link
from hexagon_mlir.codegen.matrix_engine.piece_routines import PIECE_ROUTINES
from hexagon_mlir.sim import Machine

NAME = "hexmlir_engine_hf_pieces"
TILE = 1024
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
  int32_t *sizes = take(8), tiles = sizes[0], columns = sizes[1];
  void *activations = take(2048u * tiles), *weights = take(2048u * tiles * columns), *pieces = take(2560);
  void *results = malloc(4096u * columns);
  hexmlir_engine_hf_pieces(activations, weights, results, tiles, columns, pieces);
  fwrite(results, 1, 4096u * columns, stdout);
  free(sizes), free(activations), free(weights), free(pieces), free(results);
  return 0;
}
"""


@pytest.fixture(scope="module", params=[
    pytest.param("host", marks=pytest.mark.skipif(CC is None, reason="no C compiler on this machine")),
    pytest.param("qemu", marks=needs_qemu)])
def emulation(request, tmp_path_factory):
    """The emulation as a function of activations, weights and table: one row of tiles."""
    on_host = request.param == "host"
    compiler = [CC, "-fsanitize=address,undefined", "-fno-sanitize-recover", "-g"] if on_host else hexagon_compiler()
    program = compiled(compiler, tmp_path_factory.mktemp(request.param), MAIN, *map(str, link.runtime_sources()),
                       "-pthread")
    command = [program] if on_host else ["qemu-hexagon", "-cpu", "v67", program]

    def run(activations, weights, table):
        tiles = activations.size // TILE
        sizes = np.array([tiles, weights.size // TILE // tiles], np.int32)
        data = b"".join(x.tobytes() for x in (sizes, activations, weights, table))
        done = subprocess.run(command, input=data, capture_output=True, timeout=300)
        assert done.returncode == 0, done.stderr
        return np.frombuffer(done.stdout, np.uint16)

    return run


def simulated(activations, weights, table):
    tiles = activations.size // TILE
    columns = weights.size // TILE // tiles
    machine = Machine(PIECE_ROUTINES[NAME].assembly, "v75")
    places = []
    for data in (activations, weights, np.zeros(columns * 2 * TILE, np.uint16), table):
        places.append(machine.alloc_tcm(data.nbytes, 2048))
        machine.write(places[-1], data)
    machine.run(NAME, [*places[:3], tiles, columns, places[3]])
    return machine.read(places[2], np.uint16, columns * 2 * TILE)


@pytest.mark.parametrize(("kind", "tiles", "columns"), [
    ("normal", 1, 1), ("normal", 3, 4), ("wide", 2, 3), ("wide", 33, 1), ("bits", 1, 2), ("bits", 2, 2)])
def test_random_operands(emulation, kind, tiles, columns):
    """Values around 1, values of all magnitudes, or any bits, also of the tables and of the tile that subtracts."""
    rng = np.random.default_rng(tiles * 10 + columns)
    shape = (tiles * TILE,), (tiles * columns * TILE,)
    table = piece_table()
    if kind == "bits":
        operands = [rng.integers(0, 1 << 16, s).astype(np.uint16) for s in shape]
        table = rng.integers(0, 1 << 32, table.size).astype(np.uint32)
    else:
        spread = 12 if kind == "wide" else 0
        operands = [(rng.standard_normal(s) * 2.0 ** rng.integers(-2 * spread, spread + 1, s)).astype(np.float16)
                    for s in shape]
    found = emulation(*operands, table)
    np.testing.assert_array_equal(found, simulated(*operands, table))
    assert np.count_nonzero(found.reshape(columns, 2, TILE)[:, 1]) > TILE * columns // 2  # second pieces
