"""The machine executes bytecode: values of operations and groups at ragged sizes, in the simulator."""

from math import erf

import numpy as np
import pytest
from bytecode.groups import (
    gelu_chain,
    gelu_reference,
    layer_norm,
    layer_norm_reference,
    softmax_reference,
)

from hexagon_mlir import targets
from hexagon_mlir.bench.size_groups import add, softmax
from hexagon_mlir.bytecode.encode import Encoder
from hexagon_mlir.bytecode.group import Group
from hexagon_mlir.bytecode.machine import Machine
from hexagon_mlir.exec.sim import checking
from hexagon_mlir.ir import HexError

TARGET = targets.get()
MACHINE = Machine()


def run(group, *inputs, machine=MACHINE):
    """The outputs of ``group``, and the header of its program."""
    encoder = Encoder(group, targets.get(machine.target))
    shapes = [x.shape for x in inputs]
    program = machine.load(encoder.encode(shapes))
    halves = [half for _, half in encoder.group.outputs]
    outputs = [np.full(shape, 77, np.float16 if half else np.float32)
               for shape, half in zip(encoder.output_shapes(encoder.sizes(shapes)), halves, strict=True)]
    machine.run(program, *inputs, *outputs)
    return outputs, program.header


def numbers(*shape, dtype=np.float32):
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(dtype)


def close(got, expected, bound=2e-6):
    assert np.abs(got - expected).max(initial=0) <= bound * max(1.0, np.abs(expected).max(initial=0))


@pytest.mark.parametrize("sizes", [(1, 1), (3, 33), (257, 130), (40, 2500)])
@pytest.mark.parametrize(("group", "reference", "inputs"), [
    (add(), np.add, lambda m, n: [(m, n), (m, n)]),
    (gelu_chain(), gelu_reference, lambda m, n: [(m, n)]),
    (softmax(), softmax_reference, lambda m, n: [(m, n)]),
    (layer_norm(), layer_norm_reference, lambda m, n: [(m, n), (n,), ()]),
], ids=["add", "gelu", "softmax", "layer-norm"])
def test_groups(group, reference, inputs, sizes):
    arrays = [numbers(*shape) if shape else np.array(0.25, np.float32) for shape in inputs(*sizes)]
    with checking() as reports:
        (got,), _ = run(group, *arrays)
    assert list(map(str, reports)) == []
    close(got, reference(*(array.astype(np.float64) for array in arrays)), 1e-5)


@pytest.mark.full
@pytest.mark.parametrize("target", ["v68", "v73", "v79", "v81"])
def test_targets(target):
    arrays = numbers(300, 130), numbers(130), np.array(0.25, np.float32)
    (got,), _ = run(layer_norm(), *arrays, machine=Machine(target))
    close(got, layer_norm_reference(*(array.astype(np.float64) for array in arrays)), 1e-5)


@pytest.mark.parametrize(("target", "message"), [("v67", "no floating point"), ("v1", "unknown target")])
def test_no_machine(target, message):
    with pytest.raises(HexError, match=message):
        Machine(target)


@pytest.mark.parametrize("sizes", [(0, 5), (5, 0)])
def test_nothing(sizes):
    (got,), header = run(add(), numbers(*sizes), numbers(*sizes))
    assert got.shape == sizes
    assert header["row_tiles"] * header["column_tiles"] == 0


UNARY = {
    "copy": lambda x: x, "neg": np.negative, "abs": np.abs, "exp": np.exp, "log": np.log, "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x), "tanh": np.tanh, "erf": np.vectorize(erf),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)), "reciprocal": lambda x: 1 / x, "square": np.square,
    "gelu": gelu_reference, "silu": lambda x: x / (1 + np.exp(-x)),
}
BINARY = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "max": np.maximum, "min": np.minimum,
    "lt": np.less, "le": np.less_equal, "eq": np.equal, "gt": np.greater, "ge": np.greater_equal, "ne": np.not_equal,
}
REDUCED = {"reduce_sum": np.sum, "reduce_max": np.max, "reduce_min": np.min}


def values_of(names, operands, reference, *arrays):
    """Compare each operator of ``names`` on ``operands``, made of a group's inputs, six of them in a program."""
    for first in range(0, len(names), 6):
        group = Group()
        inputs = [group.input(*("mn" if array.ndim == 2 and array.shape[1] > 1 else ("m", 1) if array.ndim == 2
                                else "n")) for array in arrays]
        for name in names[first:first + 6]:
            group.output(group.apply(name, *operands(*inputs)))
        outputs, _ = run(group, *arrays)
        for name, got in zip(names[first:first + 6], outputs, strict=True):
            with np.errstate(all="ignore"):
                expected = reference(name, *(array.astype(np.float64) for array in arrays))
            np.testing.assert_allclose(got, expected, 1e-5, 1e-6, err_msg=name)


def test_unary():
    x = numbers(7, 45)
    x[0, :4] = [np.nan, 0.5, 1e-3, 30]
    values_of([*UNARY], lambda x: [x], lambda name, x: UNARY[name](x), x)


@pytest.mark.parametrize("second", [(7, 45), (7, 1), (45,)], ids=["tile", "column", "row"])
def test_binary(second):
    x, y = numbers(7, 45), numbers(*second)
    y.reshape(-1)[3] = x.reshape(-1)[3]
    values_of([*BINARY], lambda x, y: [x, y], lambda name, x, y: BINARY[name](x, y), x, y)
    values_of([*BINARY], lambda x, y: [y, x], lambda name, x, y: BINARY[name](y, x), x, y)


def test_numbers():
    x = numbers(7, 45)
    x[0, 0] = 0.75
    values_of([*BINARY], lambda x: [x, 0.75], lambda name, x: BINARY[name](x, 0.75), x)
    values_of([*BINARY], lambda x: [-0.75, x], lambda name, x: BINARY[name](-0.75, x), x)


def test_reductions():
    x = numbers(7, 45)
    values_of([*REDUCED], lambda x: [x], lambda name, x: REDUCED[name](x, -1, keepdims=True), x)
    values_of([*REDUCED], lambda x: [x], lambda name, x: REDUCED[name](x, -1, keepdims=True), -np.abs(x))


def test_select():
    group = Group()
    x, column, row = group.input("m", "n"), group.input("m", 1), group.input("n")
    group.output(group.apply("select", group.apply("lt", x, 0.0), column, row))
    arrays = numbers(7, 45), numbers(7, 1), numbers(45)
    group.output(group.apply("select", column, 2.0, -3.0))
    (got, of_numbers), _ = run(group, *arrays)
    np.testing.assert_array_equal(got, np.where(arrays[0] < 0, arrays[1], arrays[2]))
    np.testing.assert_array_equal(of_numbers, np.full((7, 1), 2.0))


def test_a_row_and_a_scalar():
    """Their sum is computed as a tile, and so is what is made of it."""
    group = Group()
    x, row, scalar = group.input("m", "n"), group.input("n"), group.input()
    group.output(group.apply("sub", group.apply("square", group.apply("add", row, scalar)), x))
    arrays = numbers(7, 45), numbers(45), np.array(0.25, np.float32)
    (got,), _ = run(group, *arrays)
    close(got, (arrays[1] + 0.25) ** 2 - arrays[0])


@pytest.mark.parametrize(("number", "nearest"), [(1e300, np.inf), (-np.inf, -np.inf), (np.nan, np.nan)])
def test_numbers_beyond_f32(number, nearest):
    group = Group()
    group.output(group.apply("max", group.input("n"), number))
    (got,), _ = run(group, numbers(45))
    np.testing.assert_array_equal(got, np.maximum(numbers(45), np.float32(nearest)))


def test_reduction_of_one_element():
    group = Group()
    x, column = group.input("m", "n"), group.input("m", 1)
    group.output(group.apply("add", x, group.apply("reduce_sum", column)))
    arrays = numbers(7, 45), numbers(7, 1)
    (got,), _ = run(group, *arrays)
    close(got, arrays[0] + arrays[1])


def test_halves():
    group = Group()
    x, y = group.input("m", "n", half=True), group.input("m", 1)
    group.output(group.apply("mul", x, y), half=True)
    arrays = numbers(9, 77, dtype=np.float16), numbers(9, 1)
    (got,), _ = run(group, *arrays)
    close(got, (arrays[0].astype(np.float32) * arrays[1]).astype(np.float16), 1e-3)


def test_four_loops():
    """Broadcast along every other dimension: no two loops are one."""
    group = Group()
    x, y = group.input("a", "b", "c", "d"), group.input("b", 1, "d")
    group.output(group.apply("sub", y, x))
    arrays = numbers(3, 2, 5, 37), numbers(2, 1, 37)
    (got,), header = run(group, *arrays)
    assert [header[name] for name in ("outer", "inner", "rows", "columns")] == [3, 2, 5, 37]
    close(got, arrays[1] - arrays[0])


def test_arrays_are_checked():
    program = MACHINE.load(Encoder(add(), TARGET).encode([(2, 3), (2, 3)]))
    x, out = numbers(2, 3), np.zeros((2, 3), np.float32)
    for arrays, message in [((x, x), "2 arrays"), ((x, x.astype(np.float64), out), "float64"),
                            ((x, numbers(2, 4), out), "8 elements"), ((x, x, x), "overlaps"),
                            ((x, x[:, ::-1], out), "contiguous")]:
        with pytest.raises(HexError, match=message):
            MACHINE.run(program, *arrays)
