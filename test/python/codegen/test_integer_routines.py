"""Routines of the matrix engine for bytes: packets, words of objects, and values on the simulator against numpy."""

import re

import elf32
import numpy as np
import pytest
from scalar_packets import run

from bench import byte_tiles
from hexagon_mlir import targets
from hexagon_mlir.codegen import emit
from hexagon_mlir.codegen.matrix_engine.catalogue import ROUTINES
from hexagon_mlir.codegen.matrix_engine.integer_routines import INTEGER_ROUTINES, WEIGHT_BYTES
from hexagon_mlir.ir import HexError
from hexagon_mlir.isa.assembler import assemble
from hexagon_mlir.isa.reader import parse
from hexagon_mlir.sim import Machine

TILE, WINDOW, MOST = 2048, 1 << 18, 8
PLACES = {"activations": 0x100000, "weights": 0x200000, "results": 0x300000, "bias": 0x400000}
DECLARATION = "declare void @{0}(ptr, ptr, ptr, i32, i32, ptr)"
CALLER = DECLARATION + """
define void @f(ptr %a, ptr %w, ptr %o, i32 %k, i32 %n, ptr %t) {{
  call void @{0}(ptr %a, ptr %w, ptr %o, i32 %k, i32 %n, ptr %t)
  ret void
}}
"""
BITS = {"b": 8, "n": 4}


def products(weight, tiles, column, places):
    """The packets of one column, from the description of the routine."""
    size, first = WEIGHT_BYTES[weight], 0
    while first < tiles:
        a, w = places["activations"] + first * TILE, places["weights"] + (column * tiles + first) * size
        count = min(MOST, tiles - first, (WINDOW - a % WINDOW) // TILE, (WINDOW - w % WINDOW) // size)
        yield "activation.ub=mxmem(R,R):deep:cm", a, count * TILE - 1
        yield f"weight.{weight}=mxmem(R,R)", w, count * size - 1
        first += count


def expected(weight, planes, tiles, columns, places):
    """What the engine is to do."""
    if tiles <= 0 or columns <= 0:
        return []
    done = [("mxclracc",)]
    if planes:
        done += [("bias=mxmem2(R)", places["bias"] + 257 * group) for group in range(4)]
    operands = (3, 3 + (1 << 12), 3 + (2 << 12), 2 + (3 << 12)) if planes else (0,)
    read_out = [[step for plane, operand in enumerate(operands) for step in (
        ("cvt.ub=acc(R)", operand),
        ("mxmem(R,R):cm=cvt", places["results"] + (column * len(operands) + plane) * TILE, 0))]
        for column in range(columns)]
    for column in range(columns):
        if planes:
            done += [("mxswapacc",), *products(weight, tiles, column, places)]
            done += [("mxswapacc",), *read_out[column - 1]] if column else []
        else:
            done += [("bias=mxmem2(R)", places["bias"] + 256 * column), *products(weight, tiles, column, places),
                     *read_out[column]]
    return done + (read_out[-1] if planes else [])


def both(name):
    """The routine as its text and as the words in an object."""
    words, weak = elf32.function(emit(CALLER.format(name), targets.get("v75"), "obj"), name)
    assert weak
    lines = "".join(f"\t.word\t{word}\n" for word in words)
    return [parse(text).functions[name] for text in
            (ROUTINES[name].assembly, f"\t.type {name},@function\n{name}:\n{lines}")]


@pytest.mark.parametrize("planes", [False, True])
@pytest.mark.parametrize("weight", WEIGHT_BYTES)
def test_what_the_engine_does(weight, planes):
    name = f"hexmlir_engine_ub_{weight}{'_planes' * planes}"
    text, words = both(name)
    assert assemble(words, 75) == assemble(text, 75)
    for function in (text, words):
        for tiles, columns in ((1, 1), (8, 2), (9, 1), (16, 3), (37, 2), (0, 1), (1, 0), (-1, 2), (2, -(1 << 31))):
            for a, w in ((0, 0), (WINDOW - 5 * TILE, 0), (3 * TILE, WINDOW - 11 * WEIGHT_BYTES[weight])):
                places = {**PLACES, "activations": PLACES["activations"] + a, "weights": PLACES["weights"] + w}
                arguments = [places[each] for each in ("activations", "weights", "results")]
                done = run(function, *arguments, tiles, columns, places["bias"])[0]
                assert done == expected(weight, planes, tiles, columns, places)


def test_only_registers_that_a_caller_saves():
    for routine in INTEGER_ROUTINES.values():
        numbers = {int(number) for number in re.findall(r"\br(\d+)", routine.packets)}
        assert numbers - {31} <= {*range(16), 28}


def on_engine(name, left, right, tables, chip="v75", shift=0):
    """Result bytes of the whole product, row of tiles by row of tiles, and the last run. ``shift``: of the operands."""
    weight = name.split("_")[3]
    a, w = byte_tiles.activations(left), byte_tiles.weights(right, BITS[weight])
    machine = Machine(emit(CALLER.format(name), targets.get(chip)), chip, check=True)
    rows, tiles, columns = *a.shape[:2], w.shape[0]
    results = np.zeros((rows, columns * (4 if "planes" in name else 1), TILE), np.uint8)
    places = [machine.alloc_tcm(data.nbytes + shift, WINDOW) + shift for data in (a, w)]
    places += [machine.alloc_tcm(data.nbytes, TILE) for data in (results, tables)]
    for address, data in zip(places, (a, w, results, tables), strict=True):
        machine.write(address, data)
    for row in range(rows):
        run_ = machine.run("f", [places[0] + row * tiles * TILE, places[1], places[2] + row * results[0].nbytes, tiles,
                                 columns, places[3]])
        assert not run_.reports
    return machine.read(places[2], np.uint8, results.size).reshape(results.shape), run_


@pytest.mark.parametrize(("rows", "reduction", "columns", "shift"), [
    (64, 32, 64, 0), (37, 45, 50, 0), (130, 300, 200, 0), (64, 1024, 128, WINDOW - 5 * TILE), (1, 2100, 1, TILE)])
@pytest.mark.parametrize("weight", BITS)
def test_exact_sums(weight, rows, reduction, columns, shift):
    left, right = byte_tiles.random_operands(rows, rows, reduction, columns, BITS[weight])
    results, _ = on_engine(f"hexmlir_engine_ub_{weight}_planes", left, right, byte_tiles.plane_tables(), shift=shift)
    found = np.concatenate([byte_tiles.sums(row) for row in results])[:rows, :columns]
    np.testing.assert_array_equal(found, left.astype(np.int32) @ right.astype(np.int32))


def test_planes_of_biased_sums_wrap():
    """The same bias in all four tables: sum and bias modulo 2**32."""
    left, right = byte_tiles.random_operands(5, 64, 64, 64, 8)
    tables = byte_tiles.plane_tables()
    bias = np.array([0x7FFFFFFF, -0x80000000, -1, 0x123456] * 8, np.int64)
    tables[:, 1] = bias.astype(np.int32).view(np.uint32)
    results, _ = on_engine("hexmlir_engine_ub_b_planes", left, right, tables)
    exact = left.astype(np.int64) @ right.astype(np.int64) + np.tile(bias, 2)
    np.testing.assert_array_equal(byte_tiles.sums(results[0]), exact.astype(np.uint32).view(np.int32))


def requantization(rng, columns):
    """Tables for random powers of two and points of zero; exponent, zero point and bias of each column."""
    exponents, zeros = rng.integers(6, 12, columns), rng.integers(0, 256, columns)
    bias = rng.integers(-5000, 5000, columns)
    # scale 2048 * 2**(e - 35) is 2**-exponent; half of the last place is added before rounding down
    low = (24 - exponents) << 10 | (16 * zeros + 8) << 19
    low = low & 0x7FFFFFFF
    tables = np.zeros((columns // 32, 2, 32), np.uint32)
    tables[:, 0], tables[:, 1] = low.reshape(-1, 32), bias.astype(np.int32).view(np.uint32).reshape(-1, 32)
    return tables, exponents, zeros, bias


@pytest.mark.parametrize("chip", ["v73", "v75", "v79"])
@pytest.mark.parametrize("weight", BITS)
def test_requantized(weight, chip):
    left, right = byte_tiles.random_operands(3, 100, 96, 128, BITS[weight])
    tables, exponents, zeros, bias = requantization(np.random.default_rng(1), 128)
    results, _ = on_engine(f"hexmlir_engine_ub_{weight}", left, right, tables, chip)
    found = results.reshape(2, 4, 64, 32).transpose(0, 2, 1, 3).reshape(128, 128)[:100]
    exact = left.astype(np.int64) @ right.astype(np.int64) + bias
    rounded = np.floor(exact * 2.0**-exponents + zeros + 0.5)
    np.testing.assert_array_equal(found, np.clip(rounded, 0, 255))
    assert 0.2 < np.mean((found > 0) & (found < 255)) < 0.98  # inside of the range, and limited on both sides
    assert found.min() == 0 and found.max() == 255


@pytest.mark.parametrize("name", INTEGER_ROUTINES)
def test_time_of_array_and_converter(name):
    """Packets of eight tiles; four conversions of a tile run beside the products of the next."""
    left, right = byte_tiles.random_operands(3, 64, 1024, 256, BITS[name.split("_")[3]])
    _, result = on_engine(name, left, right, np.zeros((8, 64), np.uint32))
    assert result.matrix.macs == 64 * 1024 * 256
    assert result.matrix.array_cycles == 8 * 4 * (8 * 4 + 3)
    bound = 8 * 4 * (24 + 16) if "planes" in name else result.matrix.array_cycles
    assert bound < result.cycles < bound + 500


def test_chips_that_cannot():
    with pytest.raises(HexError, match="v73 has no matrix engine that can do hexmlir_engine_ub_b_planes"):
        emit(CALLER.format("hexmlir_engine_ub_b_planes"), targets.get("v73"))
    with pytest.raises(KeyError):  # undefined: the runtime has an emulation
        elf32.function(emit(CALLER.format("hexmlir_engine_ub_b_planes"), targets.get("v73"), "obj"),
                       "hexmlir_engine_ub_b_planes")
