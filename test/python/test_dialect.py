"""What is said of the dialect `hexagon` in several places is the same."""

import re

import pytest

from hexagon_mlir import levels
from hexagon_mlir.dialects import OPERATIONS, PREFIX, engine_tiles
from hexagon_mlir.dialects.engine_windows import Windows
from hexagon_mlir.ir import HexError, engine_operations, hexagon_dialect, parse


def test_verified_shapes_are_those_of_tiles():
    assert list(engine_operations.HALF_TILE) == engine_tiles.tiled_shape(1, 1)[2:]
    assert list(engine_operations.BYTE_TILE) == engine_tiles.byte_tiled_shape(1, 1)[2:]
    assert list(engine_operations.BYTE_WEIGHTS) == engine_tiles.byte_weights_shape(1, 1)[2:]
    assert engine_tiles.plane_shape(1, 1)[2] == engine_operations.PLANES
    assert list(engine_operations.TABLE) == list(engine_tiles.COLUMN_TABLE)
    assert engine_tiles.piece_fills()[0].number == engine_operations.PIECE_WORDS


def test_every_operation_is_explained():
    assert {PREFIX + name for name in re.findall(r"irdl.operation @(\w+)", hexagon_dialect._IRDL)} == set(OPERATIONS)


def test_levels_know_the_operations():
    module = parse('func.func @f() { "hexagon.engine_wait"() : () -> () return }')
    levels.check(module, "buffer", "test")
    with pytest.raises(HexError, match=r"level 'runtime' does not allow 'hexagon\.engine_wait'"):
        levels.check(module, "runtime", "test")


@pytest.mark.parametrize("windows", ["array<i8: 4, 2, 2, 1, 2, 1>", "array<i64: 4, 2>", "array<i64: 0, 2, 2, 1, 2>",
                                     "7", "array<i64: 4, 2, 2, 1, 0>", "array<i64: 4, 2, -1, 1, 2>", "array<i64>",
                                     "array<i64: 4, 2, 2, 1, 2, -1>", "array<i64: 4, 2, 2, 1, 2, 1, 1>"])
def test_windows_that_are_none(windows):
    module = parse(f"module attributes {{hexagon.windows = {windows}}} {{}}")
    assert Windows.of(module.operation) is None


@pytest.mark.parametrize("numbers", [(4, 2, 2, 1, 2, 1), (1, 1, 0, 2, 1)])
def test_windows_are_read_as_noted(numbers):
    module = parse("module {}")
    Windows(*numbers).note(module.operation)
    assert Windows.of(module.operation) == Windows(*numbers)
