"""The routine that sums bytes over runs of activation tiles: packets, and values on the simulator and of the host."""

import re

import numpy as np
import pytest
from scalar_packets import run

from bench import byte_tiles
from hexagon_mlir.codegen.matrix_engine.byte_run_routines import BYTE_RUN_ROUTINES
from hexagon_mlir.dialects.byte_conversions import low_word
from hexagon_mlir.exec.host_engine import HostEngine
from hexagon_mlir.isa.reader import parse
from hexagon_mlir.sim import Machine
from hexagon_mlir.sim.reference.matrix_bytes import IntegerBias, IntegerOptions, to_bytes

NAMES = [f"hexmlir_engine_ub_{kind}_runs{planes}" for kind in "bn" for planes in ("_planes", "")]
TILE, WEIGHTS, WINDOW, MOST = 2048, {"b": 1024, "n": 512}, 1 << 18, 8
PLACES = {"activations": 0x100000, "weights": 0x200000, "results": 0x300000, "tables": 0x400000}
OPERANDS = (3, 3 + (1 << 12), 3 + (2 << 12), 2 + (3 << 12))


def products(activations, weights, tiles, kind):
    first, size = 0, WEIGHTS[kind]
    while first < tiles:
        a, w = activations + first * TILE, weights + first * size
        count = min(MOST, tiles - first, (WINDOW - a % WINDOW) // TILE, (WINDOW - w % WINDOW) // size)
        yield "activation.ub=mxmem(R,R):deep:cm", a, count * TILE - 1
        yield f"weight.{kind}=mxmem(R,R)", w, count * size - 1
        first += count


def expected(name, places, tiles, runs, columns, distance):
    """What the engine is to do, from the description of the routine."""
    if min(tiles, runs, columns) <= 0:
        return []
    kind = name.split("_")[3]
    if "planes" not in name:
        done = [("mxclracc",)]
        for column in range(columns):
            done.append(("bias=mxmem2(R)", places["tables"] + 256 * column))
            for number in range(runs):
                done += products(places["activations"] + number * distance * TILE,
                                 places["weights"] + (column * runs + number) * tiles * WEIGHTS[kind], tiles, kind)
            done += [("cvt.ub=acc(R)", 0), ("mxmem(R,R):cm=cvt", places["results"] + column * TILE, 0)]
        return done
    done = [("mxclracc",), *(("bias=mxmem2(R)", places["tables"] + 257 * group) for group in range(4))]
    read_out = [[step for plane, operand in enumerate(OPERANDS) for step in (
        ("cvt.ub=acc(R)", operand), ("mxmem(R,R):cm=cvt", places["results"] + (column * 4 + plane) * TILE, 0))]
        for column in range(columns)]
    for column in range(columns):
        done.append(("mxswapacc",))
        for number in range(runs):
            done += products(places["activations"] + number * distance * TILE,
                             places["weights"] + (column * runs + number) * tiles * WEIGHTS[kind], tiles, kind)
        done += [("mxswapacc",), *read_out[column - 1]] if column else []
    return done + read_out[-1]


@pytest.mark.parametrize(("tiles", "runs", "columns", "distance"), [
    (1, 1, 1, 1), (6, 3, 2, 54), (33, 2, 1, 40), (4, 3, 3, 5), (0, 1, 1, 4), (1, 0, 1, 4), (2, 2, 0, 4)])
@pytest.mark.parametrize("name", NAMES)
def test_what_the_engine_does(name, tiles, runs, columns, distance):
    for activations, weights in ((0, 0), (WINDOW - 5 * TILE, 0), (3 * TILE, WINDOW - 7 * WEIGHTS[name.split("_")[3]])):
        places = {**PLACES, "activations": PLACES["activations"] + activations, "weights": PLACES["weights"] + weights}
        function = parse(BYTE_RUN_ROUTINES[name].assembly).functions[name]
        arguments = [places[name] for name in ("activations", "weights", "results")]
        found = run(function, *arguments, tiles + (runs << 16), columns + (distance << 16), places["tables"])[0]
        assert found == expected(name, places, tiles, runs, columns, distance)


@pytest.mark.parametrize("name", NAMES)
def test_only_registers_that_a_caller_saves(name):
    numbers = {int(number) for number in re.findall(r"\br(\d+)", BYTE_RUN_ROUTINES[name].packets)}
    assert numbers - {31} <= {*range(16), 28}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("tiles", "runs", "columns", "distance"), [(2, 3, 2, 3), (1, 2, 1, 1), (9, 1, 2, 9)])
def test_sums(name, tiles, runs, columns, distance):
    """Against a sum over the runs, maybe as bytes; the host's function too."""
    rng = np.random.default_rng(tiles)
    count = (runs - 1) * distance + tiles
    activations = rng.integers(0, 256, (count, 64, 32)).astype(np.uint8)
    least = -128 if "_b_" in name else -8
    weights = rng.integers(least, -least, (columns, runs, tiles, 8, 32, 4)).astype(np.int8)
    activations[0], weights[0, 0, 0] = 255, least
    matrices = weights.astype(np.int32).transpose(0, 1, 2, 3, 5, 4).reshape(columns, runs, tiles, 32, 32)
    exact = np.zeros((columns, 64, 32), np.int32)
    for column, number, tile in np.ndindex(columns, runs, tiles):
        exact[column] += activations[number * distance + tile].astype(np.int32) @ matrices[column, number, tile]
    if "_n_" in name:
        weights = weights[:, :, :, ::2] & 15 | weights[:, :, :, 1::2] << 4
    in_bytes = "planes" not in name
    tables = byte_tiles.plane_tables()
    if in_bytes:  # from the least sum of a column to more than the largest one
        least, spread = exact.min(1), exact.max(1) - exact.min(1)
        shifts = np.clip(np.log2(spread / 3000).astype(int), 1, 18)
        words = [[low_word(2048 + number * 32, int(shift)) for number, shift in enumerate(row)] for row in shifts]
        tables = np.stack([words, -least], 1).astype(np.int32).view(np.uint32)
    machine = Machine(BYTE_RUN_ROUTINES[name].assembly, "v75", check=True)
    results = np.zeros((columns, 1 if in_bytes else 4, 64, 32), np.uint8)
    places = []
    for data in (activations, weights, results, tables):
        places.append(machine.alloc_tcm(data.nbytes, TILE))
        machine.write(places[-1], data)
    numbers = tiles + (runs << 16), columns + (distance << 16)
    machine.run(name, [*places[:3], *numbers, places[3]])
    found = machine.read(places[2], np.uint8, results.size).reshape(results.shape)
    if in_bytes:
        for column, (low, high) in enumerate(tables.astype(np.int64)):
            wanted = to_bytes(exact[column].astype(np.int64), IntegerBias(low, high), IntegerOptions(False, True)) >> 4
            np.testing.assert_array_equal(found[column, 0], wanted)
        assert len(np.unique(found)) > 100
    else:
        np.testing.assert_array_equal(found.transpose(0, 2, 3, 1).copy().view("<i4")[..., 0], exact)
    host = HostEngine("test")
    functions = host.functions()
    functions["hexmlir_rt_engine_acquire"]()
    functions[name](*(data.ctypes.data for data in (activations, weights, results)), *numbers, tables.ctypes.data)
    functions["hexmlir_rt_engine_release"]()
    host.end()
    np.testing.assert_array_equal(results, found)
