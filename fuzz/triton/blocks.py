"""Variables of a random Triton kernel with their elements: what each program holds is known as its code is written.

So the generator knows which elements a masked load or store touches, and makes its tensor just as large.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32")
FLOATS = ("float16", "bfloat16", "float32")
SIZES = {"int8": 1, "uint8": 1, "int16": 2, "uint16": 2, "float16": 2, "bfloat16": 2, "int32": 4, "uint32": 4,
         "float32": 4, "int64": 8}
"""Bytes of an element."""
BIG = (5 << 32) + 12
"""An argument beyond 32 bits, which offsets and masks add on both sides."""


def numpy_type(dtype: str) -> Any:
    return np.dtype("float32" if dtype == "bfloat16" else dtype)


def contents(size: int, dtype: str, seed: int) -> np.ndarray:
    """The elements of a tensor: small whole numbers, exact in every type and in sums of some hundred."""
    low = 0 if dtype.startswith("u") else -9
    return np.random.RandomState(seed).randint(low, 10, size).astype(numpy_type(dtype))


def _quotient(a: Any, b: Any) -> Any:
    """C's division: towards zero."""
    return (a - np.fmod(a, b)) // b


OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": np.add, "-": np.subtract, "*": np.multiply, "//": _quotient, "%": np.fmod, "&": np.bitwise_and,
    "|": np.bitwise_or, "^": np.bitwise_xor, "<": np.less, "<=": np.less_equal, ">": np.greater,
    ">=": np.greater_equal, "==": np.equal, "!=": np.not_equal, "<<": np.left_shift, ">>": np.right_shift}


@dataclass(frozen=True)
class Block:
    """A variable: its code, and its elements (programs, *shape), right where ``known``."""

    code: str
    data: np.ndarray
    dtype: str
    known: bool = True

    @property
    def shape(self) -> tuple[int, ...]:
        return self.data.shape[1:]

    def aligned(self, rank: int) -> np.ndarray:
        return self.data.reshape(len(self.data), *[1] * (rank - len(self.shape)), *self.shape)


def binary(operator: str, a: Block, b: Block | int) -> Block:
    """``a operator b``, wrapped to the wider type; a literal takes the type of ``a``."""
    code = f"({a.code} {operator} {b.code if isinstance(b, Block) else b})"
    with np.errstate(all="ignore"):
        if isinstance(b, int):
            data, known = OPERATORS[operator](a.data, b), a.known
        else:
            rank = max(len(a.shape), len(b.shape))
            data, known = OPERATORS[operator](a.aligned(rank), b.aligned(rank)), a.known and b.known
    return Block(code, data, "int1" if data.dtype == np.bool_ else str(data.dtype), known)


def where(mask: Block, a: Block, b: Block) -> Block:
    rank = max(len(v.shape) for v in (mask, a, b))
    data = np.where(mask.aligned(rank), a.aligned(rank), b.aligned(rank))
    return Block(f"tl.where({mask.code}, {a.code}, {b.code})", data, str(data.dtype),
                 mask.known and a.known and b.known)


def convert(a: Block, dtype: str) -> Block:
    if a.dtype == dtype:
        return a
    return replace(a, code=f"{a.code}.to(tl.{dtype})", data=a.data.astype(numpy_type(dtype)), dtype=dtype)


def total(parts: Sequence[Block]) -> Block:
    joint = parts[0]
    for part in parts[1:]:
        joint = binary("+", joint, part)
    return joint


class Writer:
    """The lines, arguments and integer expressions of a kernel that grows."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.grid = self.random.choice([(1,), (1,), (2,), (3,), (2, 2)])
        self.programs = int(np.prod(self.grid))
        self.active = np.ones(self.programs, bool)  # those that get to the next line
        self.indent, self.count = 1, 0
        self.lines: list[str] = []
        self.arguments: list[str] = []
        self.tensors: list[str] = []
        self.outputs: list[str] = []
        self.values: list[Block] = []
        self.numbers = {"n": self.random.choice([0, 1, 2, 5, 7, 13, 31, 40]), "s": self.random.choice([0, 1, 2, 3, 17]),
                        "w": self.random.choice([1, 2, 3, 7, 8, 16]), "low": self.random.choice([-3, 0, 2, 9]),
                        "big": BIG}
        self.line("p = tl.program_id(0)" if len(self.grid) == 1 else
                  f"p = tl.program_id(0) * {self.random.choice([str(self.grid[1]), 'tl.num_programs(1)'])} "
                  "+ tl.program_id(1)")
        self.program = Block("p", np.arange(self.programs, dtype=np.int32), "int32")
        self.scalars = [self.program, *(self.argument(name) for name in self.numbers if name != "big")]

    def argument(self, name: str) -> Block:
        dtype = "int64" if name == "big" else "int32"
        return Block(name, np.full(self.programs, self.numbers[name], dtype), dtype)

    def line(self, text: str) -> None:
        self.lines.append("    " * self.indent + text)

    def fresh(self, letter: str = "v") -> str:
        self.count += 1
        return f"{letter}{self.count}"

    def name(self, value: Block) -> Block:
        named = replace(value, code=self.fresh())
        self.line(f"{named.code} = {value.code}")
        return named

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def tensor(self, dtype: str, size: int) -> tuple[str, np.ndarray]:
        """A new argument with ``size`` elements: its name and its elements."""
        name, seed = f"x{len(self.arguments)}", self.random.randrange(1000)
        self.arguments.append(name)
        self.tensors.append(f"values({size}, '{dtype}', {seed})")
        return name, contents(size, dtype, seed)

    def output(self, dtype: str, size: int) -> str:
        name, _ = self.tensor(dtype, size)
        self.outputs.append(name)
        return name

    # integers

    def dims(self, shape: tuple[int, ...]) -> list[Block]:
        """The places along each dimension, each of the rank of ``shape``."""
        blocks = []
        for place, size in enumerate(shape):
            spread = ", ".join(":" if d == place else "None" for d in range(len(shape)))
            data = np.arange(size, dtype=np.int32).reshape(1, *[size if d == place else 1 for d in range(len(shape))])
            code = f"tl.arange(0, {size})" + (f"[{spread}]" if len(shape) > 1 else "")
            blocks.append(Block(code, np.repeat(data, self.programs, 0), "int32"))
        return [self.name(block) if self.chance(0.5) else block for block in blocks]

    def scalar(self) -> Block | int:
        if self.chance(0.4):
            return self.random.choice([1, 2, 7, -1, 3, 5])
        return self.random.choice(self.scalars)

    def index(self, dim: Block, depth: int) -> Block:
        """An integer expression of ``dim``."""
        if depth == 0:
            return dim
        divisors: list[Block | int] = [3, 4, 8, 5, self.argument("w")]
        a, positive = self.index(dim, depth - 1), self.random.choice(divisors)
        kind = self.random.randrange(15)
        if kind < 3:
            a = binary("+-*"[kind], a, self.scalar())
        elif kind < 5:
            a = binary("%" if kind == 3 else "//", a, positive)
        elif kind == 5:
            a = binary("-", self.random.choice(self.scalars), a)
        elif kind < 8:
            bound, name = self.random.choice(self.scalars), "minimum" if kind == 6 else "maximum"
            apply = np.minimum if kind == 6 else np.maximum
            a = Block(f"tl.{name}({a.code}, {bound.code})", apply(a.data, bound.aligned(len(a.shape))), a.dtype)
        elif kind == 8:
            a = where(binary(self.random.choice(["<", ">="]), dim, self.scalar()), a, self.index(dim, depth - 1))
        elif kind == 9:
            a = binary("+", binary("%", a, positive), binary("*", binary("//", a, positive), self.scalar()))
        elif kind == 10:
            a = binary(self.random.choice(["+", "-", "^"]), a, self.index(dim, depth - 1))
        elif kind == 11:
            a = binary(self.random.choice(["<<", ">>"]), a, self.random.choice([0, 1, 2]))
        elif kind == 12:
            a = replace(a, code=f"tl.abs({a.code})", data=np.abs(a.data))
        elif kind == 13:  # in a narrow type, which may wrap
            a = convert(binary(self.random.choice("+*"), convert(a, self.random.choice(["int8", "int16"])),
                               self.random.choice([1, 5, 17, 100])), "int32")
        else:
            a = binary(self.random.choice("&^|"), a, self.random.choice([1, 2, 3, 5, 6]))
        return self.hinted(self.name(convert(a, "int32") if a.dtype != "int64" else a))

    def hinted(self, a: Block) -> Block:
        """With a hint that holds."""
        if not a.shape or self.chance(0.8):
            return a
        step = next((k for k in (16, 8, 4, 2) if not np.any(a.data % k)), 1)
        name = "multiple_of"
        values = [step] * len(a.shape)
        if step == 1:
            name = "max_contiguous"
            values = [size if size > 1 and np.all(np.diff(a.data, axis=d + 1) == 1) else 1
                      for d, size in enumerate(a.shape)]
        return self.name(replace(a, code=f"tl.{name}({a.code}, {values})"))

    # masks

    def condition(self, dims: Sequence[Block], depth: int = 2) -> Block:
        """A mask over some of ``dims``."""
        kind = self.random.randrange(12)
        if kind < 4 and depth:
            operator = self.random.choice("&&|^")
            return self.name(binary(operator, self.condition(dims, depth - 1), self.condition(dims, depth - 1)))
        if kind == 4 and depth:
            inner = self.condition(dims, depth - 1)
            return replace(inner, code=f"(~{inner.code})", data=~inner.data)
        compare = self.random.choice(["<", "<", "<=", ">", ">=", "==", "!="])
        if kind in (5, 6):  # of loaded values
            shape = tuple(max(d.shape[place] for d in dims) for place in range(len(dims)))
            loaded = [v for v in self.values if v.known and (v.shape == shape or v.shape == ())]
            if loaded:
                value = self.random.choice(loaded)
                if not value.shape and dims:  # the interpreter spreads values, not truth values
                    value = binary("+", convert(value, "float32"), convert(binary("*", dims[0], 0), "float32"))
                return binary(compare, value, self.random.choice([0, 1, 3]))
        left = self.index(self.random.choice(dims) if dims else self.program, self.random.choice([0, 0, 1]))
        if kind == 7:
            return binary(compare, binary("+", convert(left, "int64"), self.argument("big")),
                          binary("+", self.argument("big"), self.scalar()))
        if kind == 8 and len(dims) > 1:
            return binary(compare, left, self.index(self.random.choice(dims), 0))
        if kind == 9:
            return binary(compare, binary("%", left, self.random.choice([2, 3, 4])), self.random.choice([0, 1]))
        return binary(compare, left, self.scalar())
