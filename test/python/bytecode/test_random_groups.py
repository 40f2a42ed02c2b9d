"""Random groups, compared with numpy: kinds, broadcasts, exchanged operands, slots that values share."""

import random

import numpy as np
import pytest

from hexagon_mlir import targets
from hexagon_mlir.bytecode.encode import Encoder
from hexagon_mlir.bytecode.group import Group, Value, broadcast
from hexagon_mlir.bytecode.machine import Machine
from hexagon_mlir.exec.sim import checking
from hexagon_mlir.ir import HexError

UNARY = {"neg": np.negative, "abs": np.abs, "tanh": np.tanh, "copy": lambda x: x,
         "sigmoid": lambda x: 1 / (1 + np.exp(-x)), "square": np.square}
BINARY = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "max": np.maximum, "min": np.minimum,
          "div": lambda x, y: x / y}
EXACT = {"lt": np.less, "le": np.less_equal, "eq": np.equal, "gt": np.greater, "ge": np.greater_equal,
         "ne": np.not_equal}
"""Of inputs alone: a rounded operand may be on the other side."""
REDUCED = {"reduce_max": np.max, "reduce_min": np.min, "reduce_sum": np.mean}


class RandomGroup:
    """A group, and its values in f64. Numbers stay small: divisors and sums are scaled."""

    def __init__(self, chosen: random.Random) -> None:
        self.chosen, self.group = chosen, Group()
        rank = chosen.randint(1, 4)
        symbols = "abcd"[4 - rank:]
        self.sizes = {symbol: chosen.choice((1, 2, 3, 5, 33, 70) if symbol in "cd" else (1, 2, 3))
                      for symbol in symbols}
        self.values: list[tuple[Value, np.ndarray]] = []
        self.inputs = [self._input([*symbols])]
        while len(self.inputs) < 3:
            dims = [symbol if chosen.random() < 0.6 else 1 for symbol in symbols]
            self.inputs.append(self._input(dims[chosen.randint(0, rank):]))
        for _ in range(chosen.randint(1, 12)):
            self._step()
        self.outputs = [one for one in self.values[3:] if self._is_output(one[0])][-4:]
        for value, _ in self.outputs:
            self.group.output(value)

    def _input(self, dims: list) -> np.ndarray:
        value = self.group.input(*dims)
        shape = [self.sizes.get(dim, 1) for dim in dims]
        array = np.random.default_rng(self.chosen.randrange(1 << 30)).uniform(-1, 1, shape).astype(np.float32)
        self.values.append((value, array.astype(np.float64)))
        return array

    def _is_output(self, value: Value) -> bool:
        """Whether it has elements for each row."""
        rank = len(self.sizes)
        return len(value.dims) == rank and all(dim != 1 for dim in value.dims[:-1])

    def _step(self) -> None:
        chosen = self.chosen
        (a, x), (b, y) = chosen.choice(self.values), chosen.choice(self.values)
        number = chosen.uniform(-1, 1)
        match chosen.randrange(7):
            case 0:
                name = chosen.choice([*UNARY])
                self._add(name, UNARY[name](x), a)
            case 1 | 2:
                name = chosen.choice([*BINARY][:5])
                self._add(name, BINARY[name](x, y), a, b)
            case 3:
                name, exchanged = chosen.choice([*BINARY][:5]), chosen.random() < 0.5
                self._add(name, BINARY[name](*((number, x) if exchanged else (x, number))),
                          *((number, a) if exchanged else (a, number)))
            case 4:
                (a, x), (b, y) = chosen.choice(self.values[:3]), chosen.choice(self.values[:3])
                name = chosen.choice([*EXACT])
                self._add(name, EXACT[name](x, y).astype(float), a, b)
                self._add("select", np.where(self.values[-1][1] != 0, x, number), self.values[-1][0], a, number)
            case 5 if a.dims:
                name = chosen.choice([*REDUCED])
                self._add(name, REDUCED[name](x, -1, keepdims=True) * (x.shape[-1] if "sum" in name else 1), a)
                if "sum" in name:
                    self._add("mul", self.values[-1][1] / x.shape[-1], self.values[-1][0], 1 / x.shape[-1])
            case _:
                self._add("square", y * y, b)
                self._add("add", self.values[-1][1] + 1, self.values[-1][0], 1.0)
                self._add("div", x / self.values[-1][1], a, self.values[-1][0])

    def _add(self, name: str, value: np.ndarray, *operands: Value | float) -> None:
        self.values.append((self.group.apply(name, *operands), value))


@pytest.mark.parametrize("seeds", [range(25), pytest.param(range(25, 600), marks=pytest.mark.full)], ids=len)
def test_values(seeds):
    machine, ran = Machine(), 0
    for seed in seeds:
        one = RandomGroup(random.Random(seed))
        if not one.outputs:
            continue
        try:
            encoder = Encoder(one.group, targets.get())
        except HexError as error:
            assert "values at a time" in str(error) or "tensors" in str(error), f"seed {seed}"
            continue
        shapes = [array.shape for array in one.inputs]
        program = machine.load(encoder.encode(shapes))
        results = [np.full(shape, 77, np.float32) for shape in encoder.output_shapes(encoder.sizes(shapes))]
        with checking(seed % 5 == 0) as reports:
            machine.run(program, *one.inputs, *results)
        assert list(map(str, reports)) == []
        for got, (value, expected) in zip(results, one.outputs, strict=True):
            whole = np.broadcast_to(expected, got.shape)
            np.testing.assert_allclose(got, whole, 1e-4, 1e-5 * max(1, np.abs(whole).max()), err_msg=f"seed {seed}")
            assert broadcast([value.dims]) == value.dims
        ran += 1
    assert ran > len(seeds) / 2
