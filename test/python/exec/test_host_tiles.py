"""The matrix engine's products mean the same at each of their three stages: as products, as tiles, as calls."""

import numpy as np
import pytest
from support import ROOT

from hexagon_mlir.codegen.matrix_engine.catalogue import ROUTINES as CATALOGUE
from hexagon_mlir.dialects.engine_tiles import IDENTITY_SCALE, PLANE_SCALES, piece_fills
from hexagon_mlir.exec.host import run_on_host
from hexagon_mlir.exec.host_engine import HostEngine
from hexagon_mlir.ir import parse
from hexagon_mlir.pass_infra import PassContext
from hexagon_mlir.pass_infra.registry import get
from hexagon_mlir.passes.engine_lowering.routines import ROUTINES
from hexagon_mlir.targets import get as target

STAGES = ("product", "tiles", "calls")
GENERATOR = np.random.default_rng(7)


def halves(*shape):
    return GENERATOR.standard_normal(shape).astype(np.float16)


def identity_tables(count):
    tables = np.zeros((count, 2, 32), np.int32)
    tables[:, 0] = IDENTITY_SCALE
    return tables


def piece_table():
    words = np.zeros(640, np.uint32)
    for fill in piece_fills():
        words[fill.first:fill.first + fill.number * fill.step:fill.step] = fill.word
    return words.view(np.int32)


def plane_tables():
    tables = np.zeros((4, 2, 32), np.int32)
    tables[:, 0] = np.array(PLANE_SCALES)[:, None]
    return tables


def small_bytes(*shape):
    return GENERATOR.integers(-128, 128, shape).astype(np.int8)


CASES = {
    "rows": (halves(3, 5, 16, 32, 2), halves(2, 5, 16, 32, 2), identity_tables(2), (3, 2, 16, 32, 2), ""),
    "one column": (halves(3, 2, 16, 32, 2), halves(1, 2, 16, 32, 2), identity_tables(3), (3, 1, 16, 32, 2), ""),
    "pieces": (halves(2, 3, 16, 32, 2), halves(2, 3, 16, 32, 2), piece_table(), (2, 2, 2, 16, 32, 2), ""),
    "windows": (halves(5, 5, 4, 16, 32, 2), halves(2, 24, 16, 32, 2), identity_tables(2), (6, 2, 16, 32, 2),
                "{hexagon.windows = array<i64: 2, 1, 1, 1, 2>}"),
    "groups": (halves(10, 5, 1, 16, 32, 2), halves(4, 6, 16, 32, 2), identity_tables(4), (12, 4, 16, 32, 2),
               "{hexagon.windows = array<i64: 4, 2, 2, 1, 2, 2>}"),
    "bytes": (small_bytes(2, 3, 64, 32), small_bytes(2, 3, 8, 32, 4), plane_tables(), (2, 2, 4, 64, 32), ""),
    "byte windows": (small_bytes(5, 5, 2, 64, 32), small_bytes(2, 12, 8, 32, 4), plane_tables(), (6, 2, 4, 64, 32),
                     "{hexagon.windows = array<i64: 2, 1, 1, 1, 2>}"),
}
NAMES = {np.dtype(np.float16): "f16", np.dtype(np.int8): "i8", np.dtype(np.int32): "i32"}


def type_of(array):
    return f"memref<{'x'.join(map(str, array.shape))}x{NAMES[array.dtype]}, 1>"


def results_at(stage, case):
    *operands, shape, windows = CASES[case]
    result = np.zeros(shape, operands[0].dtype)
    types = [type_of(array) for array in (*operands, result)]
    arguments = ", ".join(f"%{number}: {type_}" for number, type_ in enumerate(types))
    module = parse(f"""func.func @f({arguments}) {{
      "hexagon.engine_product"(%0, %1, %2, %3) {windows} : ({', '.join(types)}) -> ()
      "hexagon.engine_wait"() : () -> ()
      return
    }}""")
    for name in ("lower-engine-products", "lower-engine-tiles")[:STAGES.index(stage)]:
        get(name)().run(module, PassContext(target()))
    text = str(module)
    assert ("engine_multiply" in text, "call @hexmlir_engine" in text) == (stage == "tiles", stage == "calls")
    run_on_host(module, "f", [*(array.copy() for array in operands), result])
    return result


@pytest.mark.parametrize("case", CASES)
def test_stages_agree(case):
    product, tiles, calls = (results_at(stage, case) for stage in STAGES)
    assert np.any(product)
    if product.dtype == np.int8:
        np.testing.assert_array_equal(tiles, product)
        np.testing.assert_array_equal(calls, product)
    elif case == "pieces":  # the sums of f32 are added in another order: compare what two pieces stand for
        sums = [one.astype(np.float64)[:, :, 0] * 2**8 + one.astype(np.float64)[:, :, 1] * 2.0**-3
                for one in (product, tiles, calls)]
        np.testing.assert_allclose(sums[1], sums[0], rtol=0, atol=1e-4)
        np.testing.assert_allclose(sums[2], sums[0], rtol=0, atol=1e-4)
    else:
        np.testing.assert_allclose(tiles.astype(np.float32), product.astype(np.float32), rtol=2**-10, atol=2**-10)
        np.testing.assert_allclose(calls.astype(np.float32), product.astype(np.float32), rtol=2**-10, atol=2**-10)


def test_products_of_bytes():
    """Against numpy: planes are the bytes of the sums, lowest first."""
    activations, weights, *_ = CASES["bytes"]
    rows = activations.view(np.uint8).astype(np.int32).transpose(0, 2, 1, 3).reshape(2 * 64, 3 * 32)
    matrix = weights.astype(np.int32).transpose(1, 2, 4, 0, 3).reshape(3 * 32, 2 * 32)
    planes = results_at("tiles", "bytes").view(np.uint8)
    sums = np.ascontiguousarray(planes.transpose(0, 3, 1, 4, 2)).view("<i4")[..., 0].reshape(2 * 64, 2 * 32)
    np.testing.assert_array_equal(sums, rows @ matrix)


@pytest.mark.parametrize(("function", "columns"), [("unrolled", (0, 1)), ("shared_table", (0, 1)), ("from_one", (1,))])
def test_columns_that_are_no_loop_from_the_first_one(function, columns):
    """Columns of a row by calls for one column each: the lit tests' programs, which name the tiles one by one."""
    text = (ROOT / "test/lit/lower_engine_tiles/basic.mlir").read_text()
    module = parse(next(part for part in text.split("// -----") if f"@{function}(" in part))
    shared = function == "shared_table"
    activations, weights = halves(1, 3, 16, 32, 2), halves(2, 3, 16, 32, 2)
    tables = identity_tables(1 if shared else 2)
    tables[:, 0] += (np.arange(len(tables)) * 0x400)[:, None].astype(np.int32)  # the second one doubles
    rows = activations.astype(np.float32).transpose(0, 2, 4, 1, 3).reshape(32, 96)
    expected = np.zeros((1, 2, 16, 32, 2), np.float16)
    for column in columns:
        matrix = weights[column].astype(np.float32).transpose(0, 1, 3, 2).reshape(96, 32)
        sums = rows @ matrix * (1 if shared else 2**column)
        expected[0, column] = sums.reshape(16, 2, 32).transpose(0, 2, 1)
    for lowered in (False, True):
        if lowered:
            get("lower-engine-tiles")().run(module, PassContext(target()))
        found = np.zeros_like(expected)
        run_on_host(module, function, [activations, weights, tables[0] if shared else tables, found])
        np.testing.assert_allclose(found.astype(np.float32), expected.astype(np.float32), rtol=2**-10, atol=2**-9)


def test_routines_exist():
    """What the pass calls, the compiler's catalogue has, and this machine."""
    assert {routine.symbol for routine in ROUTINES} <= set(CATALOGUE) & set(HostEngine("test").functions())
