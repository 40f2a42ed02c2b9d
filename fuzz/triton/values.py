"""The variables of a random Triton kernel: blocks of every type, conversions, loads and stores.

Floating-point values are small whole numbers, so that every order of operations gives the same; integers wrap. What
cannot be exact (exponentials, quotients) is stored where it is computed. Every tensor holds exactly the range of
elements that its load or store may touch.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import prod

BITS = {"int8": 8, "int16": 16, "int32": 32, "int64": 64, "uint8": 8, "uint16": 16, "uint32": 32}
EXACT = {"float16": 2048, "bfloat16": 256, "float32": 1 << 24}
"""Whole numbers up to this are exact."""
TYPES = (*BITS, *EXACT)
ELEMENTS = 1024
"""Of a block."""


@dataclass(frozen=True)
class Value:
    """A variable of the kernel. ``bound``: of its size, for floating-point types."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    bound: int = 0

    @property
    def is_float(self) -> bool:
        return self.dtype in EXACT


def top(dtype: str) -> int:
    """The largest number of an integer type."""
    return 2 ** (BITS[dtype] - (not dtype.startswith("u"))) - 1


class Values:
    """The variables, arguments and lines of a kernel that grows."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.indent = 0
        self.count = 0
        self.pool: list[Value] = []
        self.tensors: list[str] = []  # code that makes each argument
        self.arguments: list[str] = []
        self.outputs: list[str] = []
        self.programs = self.random.choice([1, 1, 2, 3])
        self.scalars = {"n": self.random.choice([0, 1, 2, 3, 5, 13, 31, 40]), "s": self.random.choice([1, 2, 3, 5])}

    # values

    def line(self, text: str) -> None:
        self.lines.append("    " * self.indent + text)

    def name(self, code: str, dtype: str, shape: tuple[int, ...], bound: int = 0) -> Value:
        self.count += 1
        value = Value(f"v{self.count}", dtype, shape, bound)
        self.line(f"{value.name} = {code}")
        self.pool.append(value)
        return value

    def pick(self, fits: Callable[[Value], bool] = lambda value: True) -> Value | None:
        """A value that fits, later ones more often."""
        fitting = [value for value in self.pool if value.dtype != "int1" and fits(value)]
        if not fitting:
            return None
        return fitting[-1 - min(int(self.random.expovariate(0.4)), len(fitting) - 1)]

    def literal(self, dtype: str) -> int:
        if dtype in EXACT:
            return self.random.choice([-3, -1, 0, 1, 2, 5])
        if dtype.startswith("u"):
            return self.random.choice([0, 1, 2, 7, 100])
        return self.random.choice([-100, -3, -1, 0, 1, 2, 7, 100])

    def small(self, value: Value, limit: int) -> Value:
        """``value``, a float, with a size of at most ``limit``."""
        if value.bound <= limit:
            return value
        code = f"tl.maximum(tl.minimum({value.name}, {limit}.0), -{limit}.0)"
        return self.name(code, value.dtype, value.shape, limit)

    def convert(self, value: Value, dtype: str) -> Value:
        if value.dtype == dtype:
            return value
        name, bound = value.name, 0
        if dtype in EXACT and value.is_float:
            value = self.small(value, EXACT[dtype])
            name, bound = value.name, value.bound
            if dtype == "bfloat16":  # the interpreter cuts fractions off, which scaled products have
                name = f"tl.floor({name}.to(tl.float32))"
        elif dtype in EXACT:
            limit = min(EXACT[dtype], 50)
            if value.dtype == "int1":
                bound = 1
            elif self.random.random() < 0.4 and BITS[value.dtype] == 8:
                bound = 256
            else:
                name, bound = f"({name} % {limit})", limit
        elif value.is_float:
            limit = top(dtype)
            value = self.small(value, min(limit, EXACT[value.dtype]))
            name = f"tl.abs({value.name})" if dtype.startswith("u") else value.name
        if dtype == "bfloat16":
            return self.name(f"{name}.to(tl.float32).to(tl.bfloat16).to(tl.float32)", "float32", value.shape, bound)
        return self.name(f"{name}.to(tl.{dtype})", dtype, value.shape, bound)

    def as_bool(self, code: str, shape: tuple[int, ...]) -> Value:
        return self.name(code, "int1", shape)

    # memory

    def dims(self, shape: tuple[int, ...]) -> list[str]:
        names = []
        for place, size in enumerate(shape):
            spread = ", ".join(":" if d == place else "None" for d in range(len(shape)))
            names.append(f"tl.arange(0, {size})" + (f"[{spread}]" if len(shape) > 1 else ""))
        return names

    def load(self, shape: tuple[int, ...], dtype: str | None = None) -> Value:
        """A block with strides of either sign, its last elements perhaps masked off by argument ``n``."""
        dtype = dtype or self.random.choice(TYPES)
        dims, code, low, high = self.dims(shape), [], 0, 0
        dense, mask = 1, []
        for place in reversed(range(len(shape))):
            stride = self.random.choice([dense, dense, dense, -dense, 2, 3, -1, -2, 0, 1, 4, 5, 8, -8, 7])
            size = shape[place]
            if self.random.random() < 0.3:
                size = min(size, self.scalars["n"])
                mask.append(f"({dims[place]} < n)")
            if size:
                low, high = low + min(0, stride * (size - 1)), high + max(0, stride * (size - 1))
            code.append(f"{dims[place]} * {stride}")
            dense *= shape[place] + self.random.choice([0, 0, 1, 3])
        step = self.random.choice([0, 1, dense])
        high += step * (self.programs - 1)
        pointer = self.tensor(dtype, high - low + 1)
        other = self.random.choice([0, 0, 1, 3]) if dtype != "bfloat16" else 0  # the interpreter takes it as bits
        masked = f", mask={' & '.join(mask)}, other={other}" if mask else ""
        value = self.name(f"tl.load({pointer} + ({' + '.join(code)} + (p * {step} + {-low})){masked})", dtype, shape, 9)
        if dtype == "bfloat16":  # the interpreter computes with its bits
            self.pool.pop()
            return self.convert(value, "float32")
        return value

    def tensor(self, dtype: str, size: int) -> str:
        name = f"x{len(self.arguments)}"
        self.arguments.append(name)
        self.tensors.append(f"values({size}, torch.{dtype}, {self.random.randrange(1000)})")
        return name

    def output(self, dtype: str, size: int, fill: int = 7) -> str:
        name = f"x{len(self.arguments)}"
        self.arguments.append(name)
        self.tensors.append(f"torch.full(({size},), {fill}, dtype=torch.{dtype})")
        self.outputs.append(name)
        return name

    def store(self, value: Value) -> None:
        dtype = value.dtype
        if dtype == "int1":
            value = self.convert(value, "int8")
            dtype = "int8"
        elif dtype == "float32" and 0 < value.bound <= EXACT["bfloat16"] and self.random.random() < 0.3:
            dtype = "bfloat16"
            value = replace(value, name=f"tl.floor({value.name})")  # the interpreter cuts fractions off
        size = prod(value.shape)
        pointer = self.output(dtype, self.programs * size)
        if not value.shape:
            self.line(f"tl.store({pointer} + p, {value.name})")
            return
        dims, code, flat, mask = self.dims(value.shape), [], 1, []
        for place in reversed(range(len(value.shape))):
            name = dims[place] if self.random.random() < 0.8 else f"({value.shape[place] - 1} - {dims[place]})"
            code.append(f"{name} * {flat}")
            flat *= value.shape[place]
            if self.random.random() < 0.25:
                mask.append(f"({dims[place]} {self.random.choice(['<', '>=', '!='])} n)")
        if self.random.random() < 0.15:
            mask.append(self.condition(value.shape).name)
        masked = f", mask={' & '.join(mask)}" if mask else ""
        self.line(f"tl.store({pointer} + ({' + '.join(code)} + p * {size}), {value.name}{masked})")

    # of two values

    def partner(self, value: Value) -> Value:
        """A value of the type of ``value`` that broadcasts with it."""
        def fits(other: Value) -> bool:
            if len(other.shape) != len(value.shape):
                return other.shape == () or value.shape == ()
            joint = [max(a, b) for a, b in zip(value.shape, other.shape, strict=True)]
            return prod(joint) <= ELEMENTS and all(1 in (a, b) or a == b
                                                   for a, b in zip(value.shape, other.shape, strict=True))

        other = self.pick(fits)
        if other is None or self.random.random() < 0.25:
            other = self.load(value.shape) if value.shape else value
        return self.convert(other, value.dtype)

    def joint(self, a: Value, b: Value) -> tuple[int, ...]:
        if a.shape == () or b.shape == ():
            return a.shape or b.shape
        return tuple(max(x, y) for x, y in zip(a.shape, b.shape, strict=True))

    def condition(self, shape: tuple[int, ...]) -> Value:
        """A mask of ``shape``, or of what broadcasts to it."""
        value = self.pick(lambda v: v.shape == shape) or self.load(shape)
        kind = self.random.randrange(8)
        if kind < 3 and not value.is_float:
            bit = self.random.choice([1, 2, 4, 64, 3])
            return self.as_bool(f"({value.name} & {bit}) {self.random.choice(['!=', '=='])} 0", shape)
        if kind == 3 and value.shape:
            return self.as_bool(f"({value.name} > {self.literal(value.dtype)}) {self.random.choice('&|^')} "
                                f"({self.random.choice(self.dims(shape))} < {self.random.choice(['n', '3', '5 + p'])})",
                                shape)
        if kind == 4:
            other = self.partner(value)
            if self.joint(value, other) == shape:
                return self.as_bool(f"{value.name} {self.random.choice(['<', '<=', '==', '!=', '>', '>='])} "
                                    f"{other.name}", shape)
        if kind == 5:
            other = self.condition(shape)
            joined = f"{other.name} {self.random.choice('&|^')}"
            return self.as_bool(f"{joined} ({value.name} < {self.literal(value.dtype)})", shape)
        if kind == 6:
            return self.as_bool(f"~({value.name} >= {self.literal(value.dtype)})", shape)
        return self.as_bool(f"{value.name} {self.random.choice(['<', '>='])} {self.literal(value.dtype)}", shape)


def halves(x):
    """The elements as doubles, integers in pieces of 16 bits."""
    import torch

    if x.dtype.is_floating_point:
        return [x.double()]
    bits = torch.iinfo(x.dtype).bits
    x = x.to(torch.int64)
    return [((x >> shift) & 0xffff).double() for shift in range(0, bits, 16)]
