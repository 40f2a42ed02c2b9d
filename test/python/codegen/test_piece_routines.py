"""The routine whose results are two pieces of each sum: packets, and values on the simulator against exact sums."""

import elf32
import numpy as np
import pytest
from scalar_packets import run

from bench import piece_products
from hexagon_mlir import targets
from hexagon_mlir.codegen import emit
from hexagon_mlir.codegen.matrix_engine.piece_routines import PIECE_ROUTINES
from hexagon_mlir.codegen.matrix_engine.routines import TILES_PER_PACKET, WINDOW_BYTES
from hexagon_mlir.ir import HexError
from hexagon_mlir.isa.assembler import assemble
from hexagon_mlir.isa.reader import parse

NAME = "hexmlir_engine_hf_pieces"
TILE = 2048
PLACES = {"activations": 0x100000, "weights": 0x200000, "results": 0x300000, "table": 0x400000}
CALLER = f"""
declare void @{NAME}(ptr, ptr, ptr, i32, i32, ptr)
define void @f(ptr %a, ptr %w, ptr %o, i32 %k, i32 %n, ptr %t) {{
  call void @{NAME}(ptr %a, ptr %w, ptr %o, i32 %k, i32 %n, ptr %t)
  ret void
}}
"""


def products(tiles, column, places):
    first = 0
    while first < tiles:
        a, w = places["activations"] + first * TILE, places["weights"] + (column * tiles + first) * TILE
        count = min(TILES_PER_PACKET, tiles - first, *((WINDOW_BYTES - x % WINDOW_BYTES) // TILE for x in (a, w)))
        yield "activation.hf=mxmem(R,R):deep", a, count * TILE - 1
        yield "weight.hf=mxmem(R,R)", w, count * TILE - 1
        first += count


def expected(tiles, columns, places):
    """What the engine is to do, from the description of the routine."""
    if tiles <= 0 or columns <= 0:
        return []
    table = places["table"] + TILE
    done = [("mxclracc.hf",), ("bias=mxmem2(R)", table), ("bias=mxmem2(R)", table + 256 + 1)]
    for column in range(columns + 1):
        first, before = (places["results"] + 2 * TILE * each for each in (column, column - 1))
        if column < columns:
            done += [*products(tiles, column, places), ("cvt.hf=acc(R)", 3), ("mxmem(R,R)=cvt", first, 0)]
        if column:
            done += [("mxswapacc.hf",), ("activation.hf=mxmem(R,R):deep", before, TILE - 1),
                     ("weight.hf=mxmem(R,R)", places["table"], TILE - 1), ("cvt.hf=acc(R)", 2 + (1 << 12)),
                     ("mxmem(R,R)=cvt", before + TILE, 0)]
        if column < columns:
            done.append(("mxswapacc.hf",))
    return done


@pytest.mark.parametrize(("tiles", "columns"), [
    (1, 1), (1, 3), (32, 2), (33, 3), (65, 1), (0, 1), (1, 0), (-1, 2), (2, -1)])
def test_what_the_engine_does(tiles, columns):
    for activations, weights in ((0, 0), (WINDOW_BYTES - 5 * TILE, 0), (3 * TILE, 2 * WINDOW_BYTES - 40 * TILE)):
        places = {**PLACES, "activations": PLACES["activations"] + activations, "weights": PLACES["weights"] + weights}
        function = parse(PIECE_ROUTINES[NAME].assembly).functions[NAME]
        arguments = [places[name] for name in ("activations", "weights", "results")]
        assert run(function, *arguments, tiles, columns, places["table"])[0] == expected(tiles, columns, places)


def test_words_in_objects_are_the_text():
    words, weak = elf32.function(emit(CALLER, targets.get("v75"), "obj"), NAME)
    assert weak
    assert list(words) == list(assemble(parse(PIECE_ROUTINES[NAME].assembly).functions[NAME], 75))


def test_chips_whose_bias_registers_hold_one_table():
    with pytest.raises(HexError, match=f"v73 has no matrix engine that can do {NAME}"):
        emit(CALLER, targets.get("v73"))


def results(left, right, chip="v75"):
    """The two pieces of each sum, as tiles of the routine, from whole rows of tiles of the factors."""
    return piece_products.on_tiles(left, right, chip)


@pytest.mark.parametrize("chip", ["v75", "v79", "v81"])
def test_no_rule_is_broken(chip):
    rng = np.random.default_rng(7)
    left, right = (rng.standard_normal(shape).astype(np.float16) for shape in ((32, 64), (64, 96)))
    found, result = piece_products.on_tiles(left, right, chip, check=True)
    assert result.reports == []
    np.testing.assert_allclose(found, left.astype(np.float64) @ right.astype(np.float64), rtol=0, atol=2**-17)


@pytest.mark.parametrize(("reduction", "spread"), [(32, 0), (96, 4), (1056, 0), (512, 8)])
@pytest.mark.parametrize("scale", [2.0**-12, 2.0**-5, 1.0, 8.0])
def test_sums_have_22_bits(reduction, spread, scale):
    """Half a unit in the 22nd place of the sum, or of 2**-27, and what the accumulators lose of the magnitudes."""
    rng = np.random.default_rng(reduction)
    left, right = (rng.standard_normal(shape) * 2.0 ** rng.integers(-spread, spread + 1, shape)
                   for shape in ((32, reduction), (reduction, 64)))
    left, right = left.astype(np.float16), (right * scale).astype(np.float16)
    exact = left.astype(np.float64) @ right.astype(np.float64)
    sizes = np.abs(left).astype(np.float64) @ np.abs(right)
    bound = np.maximum(2.0**-22 * np.abs(exact), 2.0**-28) + 2.0**-23 * sizes
    found = results(left, right)[0]
    assert (np.abs(found - exact) <= bound).all()
    assert np.abs(found - exact).max() > 0


def test_sums_of_22_bits_are_exact():
    rng = np.random.default_rng(3)
    left = rng.integers(-1000, 1001, (32, 64)).astype(np.float16)
    right = (rng.integers(0, 4, (64, 64)) - 1).astype(np.float16)
    np.testing.assert_array_equal(results(left, right)[0], left.astype(np.float64) @ right)


def test_cancellation_leaves_exact_differences():
    """(x + 1)(x - 1) - x * x, whose terms have 22 bits."""
    x = np.arange(1024, 2047, 32, dtype=np.float16)
    left, right = np.zeros((32, 32), np.float16), np.zeros((32, 32), np.float16)
    left[:, 0], left[:, 1] = x, x + 1
    right[0], right[1] = -x, x - 1
    exact = left.astype(np.float64) @ right
    assert (np.diag(exact) == -1).all()
    np.testing.assert_array_equal(results(left, right)[0], exact)


def test_sums_beyond_the_range():
    """First pieces beyond 65,504 have exponent 31: the engine counts on up to 131,008, readers see no finite number."""
    left, right = np.zeros((32, 32), np.float16), np.zeros((32, 32), np.float16)
    left[:4, 0] = 511, 512, -512, 65504
    right[0] = 32768
    with np.errstate(invalid="ignore"):
        found = results(left, right)[0]
    np.testing.assert_array_equal(found[0], 511 * 32768)
    assert not np.isfinite(found[1:4]).any()
    np.testing.assert_array_equal(found[4:], 0)


def test_denormal_pieces():
    """Sums below 2**-6: first pieces are denormal; the smallest product is 2**-28, half of the smallest piece."""
    left = np.zeros((32, 32), np.float16)
    left[:, 0] = np.arange(32) * 2.0**-24
    right = np.full((32, 32), 1.0, np.float16)
    right[0, :8] = 2.0 ** np.arange(-6, 2)
    exact = left.astype(np.float64) @ right
    np.testing.assert_allclose(results(left, right)[0], exact, rtol=0, atol=2.0**-28)
    whole = exact % 2.0**-27 == 0
    assert whole.sum() > 100
    np.testing.assert_array_equal(results(left, right)[0][whole], exact[whole])


def test_a_row_of_tiles_hides_the_second_pieces():
    """From 448 steps of the reduction on, each column takes what the array does, with one more tile."""
    def cycles(columns):
        rng = np.random.default_rng(1)
        return results(*(rng.standard_normal(x).astype(np.float16) for x in ((32, 448), (448, 32 * columns))))[1].cycles

    assert cycles(8) - cycles(4) == 4 * (14 * 8 + 3 + 8 + 3)
