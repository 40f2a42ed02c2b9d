"""The encoder: what it decides before it knows sizes, tiles for sizes, and what it refuses."""

import random
import time
from math import prod
from statistics import median

import pytest
from bytecode.groups import gelu_chain, layer_norm

from hexagon_mlir import targets
from hexagon_mlir.bench.size_groups import GROUPS, add, softmax
from hexagon_mlir.bytecode.check import check
from hexagon_mlir.bytecode.encode import Encoder
from hexagon_mlir.bytecode.group import Group, Inverse
from hexagon_mlir.bytecode.lowering import lower
from hexagon_mlir.bytecode.operations import Kind
from hexagon_mlir.bytecode.shape import Shape
from hexagon_mlir.bytecode.tiles import Costs, Room, Tiles, choose
from hexagon_mlir.ir import HexError

TARGET = targets.get()
SHAPE = Shape.of(TARGET)


def mixed():
    """Halves, and values broadcast along other loops each."""
    group = Group()
    x, y, z = group.input("a", "b", "c", half=True), group.input("b", 1), group.input("a", 1, "c")
    group.output(group.apply("max", group.apply("sub", z, x), y), half=True)
    return group


@pytest.mark.parametrize("target", ["v73", "v75", "v79"])
def test_programs_pass_the_checker(target):
    """For sizes from none to more than TCM holds; rows that are reduced must fit."""
    chosen, shape = random.Random(7), Shape.of(targets.get(target))
    encoders = [(Encoder(group, targets.get(target)), whole) for group, whole in (
        (add(), False), (gelu_chain(), False), (mixed(), False), (softmax(), True), (layer_norm(), True))]
    for encoder, whole in encoders:
        for _ in range(150):
            sizes = {symbol: int(2 ** chosen.uniform(0, 9 if symbol == "b" else 13)) for symbol in
                     ("m", "n", "rows", "columns", "a", "b", "c")}
            sizes[chosen.choice([*sizes])] = chosen.choice((0, 1, 31, 33, 8192 if whole else 1 << 20))
            shapes = [tuple(sizes[dim] if isinstance(dim, str) else dim for dim in value.dims)
                      for value, _ in encoder.group.inputs]
            elements = prod(sizes[symbol] for loop in encoder.lowered.loops for symbol in loop)
            if elements < 1 << 24 and not (whole and 0 in sizes.values()):
                check(encoder.encode(shapes), shape)


def test_loops():
    """Neighbouring dimensions that all have are one loop; a dimension of 1 is none."""
    assert lower(add()).loops == (("rows", "columns"),)
    assert lower(softmax()).loops == (("rows",), ("columns",))
    assert lower(mixed()).loops == (("a",), ("b",), ("c",))
    group = Group()
    group.output(group.apply("exp", group.input(1, "m", 1)))
    assert lower(group).loops == (("m",),)


def test_operations():
    """A product and a sum with numbers are one; a column is exchanged with a tile; values share slots."""
    names = [code.operation.name for code in lower(gelu_chain()).code]
    assert names == ["mul_number", "erf", "add_number", "mul_number", "mul"]
    group = Group()
    x, column = group.input("m", "n"), group.input("m", 1)
    scaled = group.apply("add", group.apply("mul", x, 2.0), 1.0)
    group.output(group.apply("lt", 3.0, group.apply("div", column, scaled)))
    code = lower(group).code
    assert [one.operation.name for one in code] == ["scale_shift", "rdiv_column", "gt_number"]
    assert code[0].numbers == (2.0, 1.0)
    assert [(slot.kind, slot.doubled) for slot in Encoder(group, TARGET).slots] == [
        (Kind.TILE, True), (Kind.COLUMN, True), (Kind.TILE, True)]


def test_unused_operators_are_left_out():
    group = Group()
    x = group.input("n")
    unused = group.apply("exp", x)
    group.apply("neg", unused)
    group.output(group.apply("abs", x))
    assert [code.operation.name for code in lower(group).code] == ["abs"]


def test_a_value_of_two_uses_is_not_fused():
    group = Group()
    product = group.apply("mul", group.input("n"), 2.0)
    group.output(group.apply("add", product, 1.0))
    group.output(product)
    assert [code.operation.name for code in lower(group).code] == ["mul_number", "add_number"]


ROOM, COSTS = Room(8192, 4, 0, 0), Costs(7.5, 300, 73, 240)


@pytest.mark.parametrize(("arguments", "tiles"), [
    ((1, 1, 0, False), Tiles(1, 1, 1)), ((1, 1, 32, False), Tiles(1, 32, 1)), ((1, 1, 128, False), Tiles(1, 32, 4)),
    ((1, 0, 100, True), Tiles(1, 100, 1)), ((1, 100, 0, True), Tiles(1, 1, 1)),
    ((1, 8, 100, True), Tiles(2, 100, 4)), ((1, 3, 100, True), Tiles(1, 100, 4)),
    ((4, 8, 100, True), Tiles(8, 100, 4)), ((1, 1, 2048 * 32, True), Tiles(1, 2048 * 32, 4)),
    ((1, 1, 2048 * 32 + 1, True), None)])
def test_tiles(arguments, tiles):
    assert choose(*arguments, 5, ROOM, COSTS, 4) == tiles


def test_tiles_fit():
    for rows, columns, whole in [(1, 1 << 24, False), (1 << 20, 33, True), (5000, 5000, True), (3, 1 << 20, False)]:
        found = choose(1, rows, columns, whole, 5, ROOM, COSTS, 4)
        assert found.rows * -(-found.columns // 32) * 4 <= 8192


def wrong_operator(group, x):
    group.apply("cosh", x)


def wrong_count(group, x):
    group.apply("exp", x, x)


def no_mask(group, x):
    group.apply("select", 1.0, x, x)


def wrong_number(group, x):
    group.apply("exp", 2.0)


def wrong_dims(group, x):
    group.apply("add", x, group.input("m", "k"))


def wrong_size(group, x):
    group.input("m", 3)


def no_output(group, x):
    Encoder(group, TARGET)


def row_output(group, x):
    group.output(group.apply("exp", group.input("n")))
    group.output(x)
    Encoder(group, TARGET)


def five_loops(group, x):
    group = Group()
    a, b = group.input("a", "b", "c", "d", "e"), group.input("a", 1, "c", 1, "e")
    group.output(group.apply("add", a, b))
    Encoder(group, TARGET)


def unknown_symbol(group, x):
    group.output(group.apply("mul", x, Inverse("k")))
    Encoder(group, TARGET)


def many_tensors(group, x):
    for _ in range(15):
        x = group.apply("add", x, group.input("m", "n"))
    group.output(x)
    Encoder(group, TARGET)


@pytest.mark.parametrize(("wrong", "message"), [
    (wrong_operator, "no operator 'cosh'"), (wrong_count, "exp of 2 operands"), (wrong_number, "exp of 1 operands"),
    (no_mask, "select of 3 operands"),
    (wrong_dims, "sizes k and n meet"), (wrong_size, "a size of 3"), (no_output, "without outputs"),
    (row_output, "without elements for each row"), (five_loops, "5 loops"), (unknown_symbol, "has the size 'k'"),
    (many_tensors, "17 tensors")], ids=lambda value: getattr(value, "__name__", ""))
def test_refused_groups(wrong, message):
    group = Group()
    with pytest.raises(HexError, match=message):
        wrong(group, group.input("m", "n"))


@pytest.mark.parametrize(("shapes", "message"), [
    ([(3, 4)], "inputs of shapes"), ([(3, 4), (3,)], "inputs of shapes"), ([(3, 4), (3, 5)], "input 1 has 5 elements"),
    ([(-3, 4), (-3, 4)], "has -3 elements"), ([(1 << 16, 1 << 14)] * 2, "less than 2 GiB|elements")])
def test_refused_shapes(shapes, message):
    with pytest.raises(HexError, match=message):
        Encoder(add(), TARGET).encode(shapes)


def test_rows_of_no_elements():
    with pytest.raises(HexError, match="rows of no elements"):
        Encoder(softmax(), TARGET).encode([(2, 0)])


def test_a_row_that_does_not_fit():
    with pytest.raises(HexError, match="rows of 1000000 elements"):
        Encoder(softmax(), TARGET).encode([(2, 1_000_000)])


@pytest.mark.timed
@pytest.mark.parametrize("name", GROUPS)
def test_time(name):
    """At most a tenth of a millisecond, the median of a thousand shapes."""
    chosen, encoder, taken = random.Random(3), Encoder(GROUPS[name](), TARGET), []
    for _ in range(1000):
        shape = chosen.randrange(1, 2000), chosen.randrange(1, 2000)
        begin = time.perf_counter()
        encoder.encode([shape] * len(encoder.group.inputs))
        taken.append(time.perf_counter() - begin)
    assert median(taken) < 1e-4
