"""The routine that sums over runs of activation tiles: packets, and values on the simulator and of the emulation."""

import numpy as np
import pytest
from scalar_packets import run

from hexagon_mlir.codegen.matrix_engine.routines import TILES_PER_PACKET, WINDOW_BYTES
from hexagon_mlir.codegen.matrix_engine.run_routines import RUN_ROUTINES
from hexagon_mlir.exec.host_engine import HostEngine
from hexagon_mlir.isa.reader import parse
from hexagon_mlir.sim import Machine

NAME = "hexmlir_engine_hf_runs"
TILE = 2048
PLACES = {"activations": 0x100000, "weights": 0x200000, "results": 0x300000, "table": 0x400000}


def products(activations, weights, tiles):
    first = 0
    while first < tiles:
        a, w = activations + first * TILE, weights + first * TILE
        count = min(TILES_PER_PACKET, tiles - first, *((WINDOW_BYTES - x % WINDOW_BYTES) // TILE for x in (a, w)))
        yield "activation.hf=mxmem(R,R):deep", a, count * TILE - 1
        yield "weight.hf=mxmem(R,R)", w, count * TILE - 1
        first += count


def expected(places, tiles, runs, columns, distance):
    """What the engine is to do, from the description of the routine."""
    if min(tiles, runs, columns) <= 0:
        return []
    done = [("mxclracc.hf",)]
    for column in range(columns):
        done.append(("bias=mxmem2(R)", places["table"] + 256 * column))
        for number in range(runs):
            done += products(places["activations"] + number * distance * TILE,
                             places["weights"] + (column * runs + number) * tiles * TILE, tiles)
        done += [("cvt.hf=acc(R)", 2), ("mxmem(R,R)=cvt", places["results"] + column * TILE, 0)]
    return done


@pytest.mark.parametrize(("tiles", "runs", "columns", "distance"), [
    (1, 1, 1, 1), (6, 3, 2, 54), (33, 2, 1, 40), (4, 3, 3, 5), (0, 1, 1, 4), (1, 0, 1, 4), (2, 2, 0, 4)])
def test_what_the_engine_does(tiles, runs, columns, distance):
    for activations, weights in ((0, 0), (WINDOW_BYTES - 5 * TILE, 0), (3 * TILE, 2 * WINDOW_BYTES - 7 * TILE)):
        places = {**PLACES, "activations": PLACES["activations"] + activations, "weights": PLACES["weights"] + weights}
        function = parse(RUN_ROUTINES[NAME].assembly).functions[NAME]
        arguments = [places[name] for name in ("activations", "weights", "results")]
        found = run(function, *arguments, tiles + (runs << 16), columns + (distance << 16), places["table"])[0]
        assert found == expected(places, tiles, runs, columns, distance)


@pytest.mark.parametrize(("tiles", "runs", "columns", "distance"), [(2, 3, 2, 3), (1, 2, 1, 1), (3, 1, 2, 9)])
def test_sums(tiles, runs, columns, distance):
    """Whole numbers, whose sums are exact, against a sum over the runs; the host's function too."""
    rng = np.random.default_rng(tiles)
    count = (runs - 1) * distance + tiles
    activations = rng.integers(-8, 9, (count, 16, 32, 2)).astype(np.float16)
    weights = rng.integers(-8, 9, (columns, runs, tiles, 16, 32, 2)).astype(np.float16)
    table = np.zeros((columns, 2, 32), np.uint32)
    table[:, 0] = 0x3C00
    rows = activations.astype(np.float64).transpose(0, 1, 3, 2).reshape(count, 32, 32)
    matrices = weights.astype(np.float64).transpose(0, 1, 2, 3, 5, 4).reshape(columns, runs, tiles, 32, 32)
    exact = np.zeros((columns, 32, 32))
    for column, number, tile in np.ndindex(columns, runs, tiles):
        exact[column] += rows[number * distance + tile] @ matrices[column, number, tile]
    machine = Machine(RUN_ROUTINES[NAME].assembly, "v75", check=True)
    results = np.zeros((columns, 16, 32, 2), np.float16)
    places = []
    for data in (activations, weights, results, table):
        places.append(machine.alloc_tcm(data.nbytes, TILE))
        machine.write(places[-1], data)
    numbers = tiles + (runs << 16), columns + (distance << 16)
    machine.run(NAME, [*places[:3], *numbers, places[3]])
    found = machine.read(places[2], np.float16, results.size).reshape(results.shape)
    np.testing.assert_array_equal(found.transpose(0, 1, 3, 2).reshape(columns, 32, 32), exact)
    host = HostEngine("test")
    functions = host.functions()
    functions["hexmlir_rt_engine_acquire"]()
    functions[NAME](*(data.ctypes.data for data in (activations, weights, results)), *numbers, table.ctypes.data)
    functions["hexmlir_rt_engine_release"]()
    host.end()
    np.testing.assert_array_equal(results, found)
