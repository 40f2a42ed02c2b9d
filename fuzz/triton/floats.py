"""Random Triton kernels of floating-point arithmetic against float64, under error bounds of the chip's arithmetic.

    python -m fuzz triton-floats --seeds 1000 --target v75
    python -m fuzz triton-floats --seeds 17:18 --show

Each variable of a kernel is computed in float64 while the kernel is written, with a bound of what the machine's value
may be away from it: that of the operands, carried through the operation, and the operation's own (`Machine`; functions:
the bounds of docs/maths.md). The simulator runs the kernel in the chip's arithmetic, and no element may be further off.
"""

from __future__ import annotations

import argparse
import faulthandler
import os
import random
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bench.corpus.math_functions import BY_NAME

Array = np.ndarray
SHAPES = ((1, 32), (4, 64), (16, 16), (16, 32), (8, 128), (2, 512), (32, 32))
RESULTS = 3
"""The last variables are stored."""
LARGE, NEAR_ZERO, TINY = 1e4, 0.05, 2.0**-118
"""What values may reach, how near to zero divisors may come, and what may vanish."""
FUNCTIONS: dict[str, tuple[str, Callable[[Array], Array], float, float]] = {
    "exp": ("tl.exp", np.exp, -30, 8), "exp2": ("tl.exp2", np.exp2, -40, 12), "log": ("tl.log", np.log, 0.01, LARGE),
    "log2": ("tl.log2", np.log2, 0.01, LARGE), "sqrt": ("tl.sqrt", np.sqrt, 0.001, LARGE),
    "rsqrt": ("tl.rsqrt", lambda x: 1 / np.sqrt(x), 0.001, LARGE), "sin": ("tl.sin", np.sin, -1000, 1000),
    "cos": ("tl.cos", np.cos, -1000, 1000), "erf": ("tl.erf", BY_NAME["erf"].reference, -LARGE, LARGE),
    "sigmoid": ("tl.sigmoid", lambda x: 1 / (1 + np.exp(-x)), -60, 60),
    "tanh": ("libdevice.tanh", np.tanh, -LARGE, LARGE), "log1p": ("libdevice.log1p", np.log1p, -0.9, LARGE),
    "expm1": ("libdevice.expm1", np.expm1, -20, 8), "atan": ("libdevice.atan", np.arctan, -LARGE, LARGE),
    "asinh": ("libdevice.asinh", np.arcsinh, -LARGE, LARGE), "cbrt": ("libdevice.cbrt", np.cbrt, -LARGE, LARGE),
}
"""Its name in Triton, in float64, and the range of arguments."""


@dataclass(frozen=True)
class Machine:
    """What operations of f32 vectors may be wrong by, in units in the last place (2^-23 of the magnitude).

    Legacy qfloat (v68 to v75): a sum by one unit of its largest operand, twice that where this has an empty bit. A
    product by one, and by two for each empty bit of its factors: one by rounding, and the two (`MOST_EMPTY`) that the
    code generator leaves there. Others: half a unit by rounding, and products of sums left unnormalised with two bits.
    """

    target: str

    @property
    def legacy(self) -> bool:
        return self.target in ("v68", "v73", "v75")

    @property
    def sum(self) -> float:
        return 2 if self.legacy else 0.5

    @property
    def product(self) -> float:
        return 2.0 ** (2 + 2) if self.legacy else 2

    @property
    def denormal_unit(self) -> float:
        """Four units of a denormal f16 number, which legacy qfloat takes as it is, with the least normal exponent -14:
        of the other factor for a product, and of a sum. Each operand and the operation may be wrong by one.
        """
        return 2.0 ** (-14 - 23 + 2) if self.legacy else 0

    def function(self, name: str, kind: str = "float32") -> float:
        """The bound of docs/maths.md, in units of ``kind``."""
        found, element = BY_NAME[name], {"float32": "f32", "float16": "f16", "bfloat16": "bf16"}[kind]
        return found.legacy.get(element, found.ulp[element]) if self.legacy else found.ulp[element]


@dataclass(frozen=True)
class Number:
    """A variable: its float64 values, and how far the machine's may be away. Both have two dimensions."""

    name: str
    value: Array
    error: Array

    @property
    def exact(self) -> bool:
        return not self.error.any()

    def size(self) -> Array:
        return np.abs(self.value) + self.error


def _away(function: Callable[[Array], Array], x: Number) -> Array:
    """How far function(x) moves when x moves by its error; for functions that are monotone or of slope 1 at most."""
    with np.errstate(all="ignore"):
        ends = [np.abs(function(x.value + side * x.error) - function(x.value)) for side in (-1, 1)]
    return np.maximum(*ends)


class Generator:
    """The kernel of one seed, and what it gives."""

    def __init__(self, seed: int, machine: Machine):
        self.random, self.numpy, self.machine = random.Random(seed), np.random.default_rng(seed), machine
        self.rows, self.columns = self.random.choice(SHAPES)
        self.live = (self.random.choice([self.rows, max(self.rows - 1, 1)]),
                     self.random.choice([self.columns, self.columns - 3, self.columns // 2 + 1]))
        self.lines = [f"i = tl.arange(0, {self.rows})[:, None]", f"j = tl.arange(0, {self.columns})[None, :]",
                      f"inside = (i < {self.live[0]}) & (j < {self.live[1]})"]
        self.inside = (np.arange(self.rows)[:, None] < self.live[0]) & (np.arange(self.columns)[None] < self.live[1])
        self.floor = TINY
        self.tensors: list[Array] = []
        self.pool: list[Number] = []
        self.functions: dict[str, str] = {}  # variable -> the function that made it
        for _ in range(self.random.choice([2, 3])):
            self.pool.append(self.load())
        steps = self.random.randrange(3, 12)
        for _ in range(8 * steps):
            steps -= self.step()
            if not steps:
                break
        self.results = [self.whole(x) for x in self.pool[-RESULTS:]]
        for number, result in enumerate(self.results):
            place = f"{number * self.inside.size} + i * {self.columns} + j"
            self.lines.append(f"tl.store(out + {place}, {result.name}, mask=inside)")

    # values

    def name(self, value: str) -> str:
        self.lines.append(f"v{len(self.lines)} = {value}")
        return f"v{len(self.lines) - 1}"

    def made(self, text: str, value: Array, error: Array) -> bool:
        """Append a variable unless it would be too large or too uncertain; tells whether it did."""
        size = np.max(np.abs(value) + error)
        if not np.isfinite(size) or size > LARGE or np.max(error) > 0.02 * max(1.0, float(np.max(np.abs(value)))):
            return False
        self.pool.append(Number(self.name(text), value, error))
        return True

    def rounding(self, units: float, *sizes: Array) -> Array:
        largest = sizes[0]
        for size in sizes[1:]:
            largest = np.maximum(largest, size)
        return units * 2.0**-23 * largest + self.floor

    def whole(self, x: Number) -> Number:
        shape = self.inside.shape
        if x.value.shape == shape:
            return x
        name = self.name(f"{x.name} + tl.zeros(({self.rows}, {self.columns}), tl.float32)")
        value, error = np.broadcast_to(x.value, shape), np.broadcast_to(x.error, shape)
        return Number(name, value, error + self.rounding(self.machine.sum, np.abs(value) + error))

    def load(self) -> Number:
        """A tensor argument; outside of the mask its elements are 1."""
        number, kind = len(self.tensors), self.random.choice(["f4", "f4", "f2"])
        scale = self.random.choice([1.0, 1.0, 3.0, 0.1, 10.0])
        data = (self.numpy.standard_normal(self.inside.shape) * scale).astype(kind)
        if self.random.random() < 0.2:
            data = np.abs(data) + data.dtype.type(0.25)
        if self.random.random() < 0.15:
            data = np.rint(data)
        self.tensors.append(data)
        if kind == "f2":
            self.floor = max(TINY, self.machine.denormal_unit)
        cast = ".to(tl.float32)" if kind == "f2" else ""
        name = self.name(f"tl.load(x{number} + i * {self.columns} + j, mask=inside, other=1.0){cast}")
        value = np.where(self.inside, data.astype(np.float64), 1.0)
        return Number(name, value, np.zeros_like(value))

    def pick(self) -> Number:
        return self.random.choice(self.pool[-4:] if self.random.random() < 0.7 else self.pool)

    # operations

    def step(self) -> bool:
        kinds = [*[self.binary] * 3, *[self.function] * 2, self.with_constant, self.reduction, self.choice, self.half,
                 self.loop, self.softmax, self.dot, self.sign, self.places]
        return self.random.choice(kinds)()

    def binary(self) -> bool:
        a, b, kind = self.pick(), self.pick(), self.random.choice("+-*/mM*+-f")
        x, y = np.broadcast_arrays(a.value, b.value)
        ex, ey = np.broadcast_arrays(a.error, b.error)
        if kind in "+-":
            value = x + y if kind == "+" else x - y
            error = ex + ey + self.rounding(self.machine.sum, a.size(), b.size(), np.abs(value) + ex + ey)
            return self.made(f"{a.name} {kind} {b.name}", value, error)
        if kind == "*":
            return self.made(f"{a.name} * {b.name}", x * y, self.product(a, b))
        if kind == "f":
            c = self.pick()
            product = self.product(a, b)
            value = x * y + c.value
            error = product + c.error
            error = error + self.rounding(self.machine.sum, np.abs(x * y) + product, c.size(), np.abs(value) + error)
            return self.made(f"tl.fma({a.name}, {b.name}, {c.name})" if value.shape == x.shape == a.value.shape
                             == b.value.shape == c.value.shape else f"{a.name} * {b.name} + {c.name}", value, error)
        if kind == "/":
            least = np.min(np.abs(y) - ey)
            if least < NEAR_ZERO:
                return False
            value = x / y
            error = (ex + np.abs(value) * ey) / (np.abs(y) - ey)
            return self.made(f"{a.name} / {b.name}", value,
                             error + self.rounding(self.machine.function("division"), np.abs(value) + error))
        name, function = ("minimum", np.minimum) if kind == "m" else ("maximum", np.maximum)
        return self.made(f"tl.{name}({a.name}, {b.name})", function(x, y), np.maximum(ex, ey))

    def product(self, a: Number, b: Number) -> Array:
        error = np.abs(a.value) * b.error + np.abs(b.value) * a.error + a.error * b.error
        return error + self.rounding(self.machine.product, a.size() * b.size()) + self.floor * (a.size() + b.size())

    def with_constant(self) -> bool:
        a, c = self.pick(), self.random.choice([1.0, 2.0, -1.0, 0.1, 0.5, 3.0, 100.0, -7.25, 1e-3])
        constant = Number(repr(c), np.full((1, 1), np.float64(np.float32(c))), np.zeros((1, 1)))
        if self.random.random() < 0.5:
            return self.made(f"{a.name} * {c!r}", a.value * constant.value, self.product(a, constant))
        value = a.value + constant.value
        return self.made(f"{a.name} + {c!r}", value,
                         a.error + self.rounding(self.machine.sum, a.size(), constant.size(), np.abs(value) + a.error))

    def function(self) -> bool:
        a, name = self.pick(), self.random.choice(list(FUNCTIONS))
        spelling, function, low, high = FUNCTIONS[name]
        if np.min(a.value - a.error) < low or np.max(a.value + a.error) > high:
            return False
        away = np.minimum(a.error, 2) if name in ("sin", "cos") else _away(function, a)
        value = function(a.value)
        if not self.made(f"{spelling}({a.name})", value,
                         away + self.rounding(self.machine.function(name), np.abs(value) + away)):
            return False
        self.functions[self.pool[-1].name] = name
        return True

    def sign(self) -> bool:
        a = self.pick()
        return (self.made(f"tl.abs({a.name})", np.abs(a.value), a.error) if self.random.random() < 0.5
                else self.made(f"-{a.name}", -a.value, a.error))

    def places(self) -> bool:
        """Integers as floats, which is exact."""
        scale, shift = self.random.choice([1, 3, -5]), self.random.choice([0, 7, -100])
        value = np.arange(self.columns)[None] * float(scale) + shift
        return self.made(f"(j * {scale} + {shift}).to(tl.float32)", value, np.zeros_like(value))

    def choice(self) -> bool:
        """Chosen by numbers that are exact, so that the choice is known."""
        exact = [x for x in self.pool if x.exact]
        a, b, x, y = self.pick(), self.pick(), self.random.choice(exact), self.random.choice(exact)
        mask = x.value > y.value
        value, error = np.where(mask, a.value, b.value), np.where(mask, a.error, b.error)
        return self.made(f"tl.where({x.name} > {y.name}, {a.name}, {b.name})", value, error)

    def half(self) -> bool:
        a, (kind, bits) = self.pick(), self.random.choice([("float16", 11), ("bfloat16", 8)])
        made_by = self.functions.get(a.name)  # a function that is only rounded to 16 bits has a shorter formula
        units = self.machine.function(made_by, kind) if made_by else 0.5
        error = a.error + a.size() * units * 2.0 ** (1 - bits) + 2.0**-24
        return self.made(f"{a.name}.to(tl.{kind}).to(tl.float32)", a.value, error)

    def total(self, x: Array, error: Array, axis: int, terms: int) -> tuple[Array, Array]:
        """A sum in any order: each of its partial sums is at most the sum of magnitudes."""
        size, carried = np.sum(np.abs(x), axis, keepdims=True), np.sum(error, axis, keepdims=True)
        return np.sum(x, axis, keepdims=True), carried + self.rounding(self.machine.sum * (terms + 8), size + carried)

    def reduction(self) -> bool:
        a, axis = self.whole(self.pick()), self.random.choice([0, 1])
        keep = "[:, None]" if axis else "[None, :]"
        if self.random.random() < 0.6:
            value, error = self.total(a.value, a.error, axis, a.value.shape[axis])
            return self.made(f"tl.sum({a.name}, {axis}){keep}", value, error)
        name, function = self.random.choice([("max", np.max), ("min", np.min)])
        return self.made(f"tl.{name}({a.name}, {axis}){keep}", function(a.value, axis, keepdims=True),
                         np.max(a.error, axis, keepdims=True))

    def loop(self) -> bool:
        """acc = acc * factor + x, some times."""
        start, x, factor = self.whole(self.pick()), self.whole(self.pick()), self.random.choice([0.5, -0.25, 0.9])
        times, constant = self.random.choice([2, 3, 5]), np.float64(np.float32(factor))
        acc = start
        for _ in range(times):
            scaled = Number("", acc.value * constant,
                            self.product(acc, Number("", np.full((1, 1), constant), np.zeros((1, 1)))))
            value, carried = scaled.value + x.value, scaled.error + x.error
            acc = Number("", value, carried + self.rounding(self.machine.sum, scaled.size(), x.size(),
                                                            np.abs(value) + carried))
        if np.max(acc.size()) > LARGE or np.max(acc.error) > 0.02 * max(1.0, float(np.max(np.abs(acc.value)))):
            return False
        name = self.name(start.name)
        self.lines += [f"for k in range({times}):", f"    {name} = {name} * {factor} + {x.name}"]
        self.pool.append(Number(name, acc.value, acc.error))
        return True

    def softmax(self) -> bool:
        """Of a row with a mask of minus infinity, chosen or added."""
        a = self.whole(self.pick())
        if np.max(a.size()) > 60:
            return False
        seen = self.inside if self.random.random() < 0.7 else np.ones_like(self.inside)
        mask = "inside" if seen is self.inside else "j >= 0"
        if not seen.any(axis=1).all():
            return False
        added = self.random.random() < 0.5
        text = (f"{a.name} + tl.where({mask}, 0.0, -float('inf'))" if added
                else f"tl.where({mask}, {a.name}, -float('inf'))")
        error = a.error + (self.rounding(self.machine.sum, a.size()) if added else 0)
        value = np.where(seen, a.value, -np.inf)
        highest = np.max(value, 1, keepdims=True)
        less = error + np.max(error, 1, keepdims=True)
        less = less + self.rounding(2 * self.machine.sum, np.where(seen, a.size(), 0) + np.abs(highest) + less)
        power = np.exp(value - highest)
        power_error = np.where(seen, power * np.expm1(less)
                               + self.rounding(self.machine.function("exp"), power * np.exp(less)), 0)
        total, total_error = self.total(power, power_error, 1, self.columns)
        if np.any(total_error >= total):  # it may be zero
            return False
        result = power / total
        error = (power_error + result * total_error) / (total - total_error)
        names = self.name(text), self.name(f"tl.max(v{len(self.lines) - 1}, 1)[:, None]")
        up = self.name(f"tl.exp({names[0]} - {names[1]})")
        return self.made(f"{up} / tl.sum({up}, 1)[:, None]", result,
                         error + self.rounding(self.machine.function("division"), result + error))

    def dot(self) -> bool:
        a, b = self.whole(self.pick()), self.whole(self.pick())
        depth = self.columns
        if min(self.rows, depth) < 16 or depth > 32:
            return False
        x, y, ey = a.value, b.value.T, b.error.T
        size = a.size() @ (np.abs(y) + ey)
        error = np.abs(x) @ ey + a.error @ np.abs(y) + a.error @ ey
        error = error + self.rounding(self.machine.product + self.machine.sum * (depth + 8), size)
        value = x @ y
        if value.shape != self.inside.shape:
            value, error = np.sum(value, 1, keepdims=True), np.sum(error, 1, keepdims=True) + self.rounding(
                self.machine.sum * (self.rows + 8), np.sum(size, 1, keepdims=True))
            return self.made(f"tl.sum(tl.dot({a.name}, tl.trans({b.name}), input_precision='ieee'), 1)[:, None]", value,
                             error)
        return self.made(f"tl.dot({a.name}, tl.trans({b.name}), input_precision='ieee')", value, error)

    def source(self) -> str:
        pointers = ", ".join(f"x{number}" for number in range(len(self.tensors)))
        body = "\n".join(f"    {line}" for line in self.lines)
        return ("import triton, triton.language as tl\nfrom triton.language.extra import libdevice\n\n\n@triton.jit\n"
                f"def kernel({pointers}, out):\n{body}\n")


def difference(seed: int, machine: Machine, folder: Path) -> tuple[str, float]:
    """What is wrong with the kernel of ``seed``, and the largest error as a share of its bound."""
    import importlib.util

    import torch

    generator = Generator(seed, machine)
    path = folder / f"floats_{seed}.py"
    path.write_text(generator.source())
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    out = torch.zeros(len(generator.results), *generator.inside.shape)
    try:
        module.kernel[(1,)](*(torch.from_numpy(data.copy()) for data in generator.tensors), out, arch=machine.target)
    except Exception as error:
        return f"{type(error).__name__}: {error}", 0.0
    expected, bound = (np.stack([getattr(x, field) for x in generator.results]) for field in ("value", "error"))
    with np.errstate(invalid="ignore", divide="ignore"):
        away = np.abs(out.numpy().astype(np.float64) - expected)
        share = np.where(generator.inside, np.where(np.isnan(away), np.inf, away / np.maximum(bound, TINY)), 0)
    worst = np.unravel_index(int(np.argmax(share)), share.shape)
    if share[worst] <= 1:
        return "", float(share[worst])
    return (f"at {tuple(map(int, worst))}: {out[worst].item()}, expected {expected[worst]} within {bound[worst]:.3g}",
            float(share[worst]))


def add_options(parser: argparse.ArgumentParser) -> None:
    """Those of this kind."""
    parser.add_argument("--target", default="v75")
    parser.add_argument("--show", action="store_true", help="print the kernel of the first seed")


def run(options: argparse.Namespace) -> int:
    """A kernel for each seed."""
    machine = Machine(options.target)
    if options.show:
        print(Generator(options.seeds.start, machine).source())
        return 0
    from fuzz.triton.run import hurry
    from hexagon_mlir.frontend.triton import activate

    os.environ["HEXMLIR_EXECUTOR"] = "sim"
    activate()
    faulthandler.enable()
    hurry(False, [])
    failed, shares = 0, []
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TRITON_CACHE_DIR"] = os.environ["HEXAGON_MLIR_CACHE_DIR"] = folder
        for seed in options.seeds:
            text, share = difference(seed, machine, Path(folder))
            shares.append(share)
            if text:
                failed += 1
                print(f"seed {seed}: {text}", flush=True)
    print(f"{len(options.seeds)} kernels on {options.target}, {failed} failed; error / bound: median "
          f"{np.median(shares):.2g}, largest {max(shares):.2g}")
    return 1 if failed else 0
