"""Random Triton kernels over memory: every way to form a pointer and a mask, descriptors, atomics, updates in place.

Every tensor holds exactly the elements that its accesses may touch, and whole numbers small enough for every sum to be
exact, so that results are compared bit by bit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from fuzz.triton import LAUNCH
from fuzz.triton.blocks import FLOATS, INTEGERS, OPERATORS, Block, binary, contents, convert, total
from fuzz.triton.descriptors import ELEMENTS, Descriptors

REACH = 1 << 16
"""The farthest element; what would go beyond is masked."""


class MemoryGenerator(Descriptors):
    """The source of one kernel."""

    # loads

    def shape(self) -> tuple[int, ...]:
        rank = self.random.choice([0, 1, 1, 1, 2, 2, 2, 3, 3, 4])
        while True:
            shape = tuple(self.random.choice([1, 2, 4, 8, 16, 32, 64, 128] if rank < 3 else [1, 2, 4, 8, 16])
                          for _ in range(rank))
            if prod(shape) <= ELEMENTS:
                return shape

    def parts(self, dims: Sequence[Block]) -> list[Block]:
        """Summands of an offset: one of each dimension, and a scalar."""
        parts, dense = [], 1
        for dim in reversed(dims):
            part = self.index(dim, self.random.choice([0, 0, 1, 2]))
            loaded = [v for v in self.values if v.known and v.dtype in INTEGERS and v.shape == part.shape]
            if loaded and self.chance(0.3):
                chosen = self.random.choice(loaded)
                part = convert(replace(chosen, code=f"tl.abs({chosen.code})", data=np.abs(chosen.data)),
                               self.random.choice(["int32", "int32", "int64"]))
            stride = self.random.choice([dense, dense, dense, -dense, 1, 2, -1, 16, 33, 0])
            part = binary("*", part, stride) if stride != 1 else part
            parts.append(convert(part, "int64") if self.chance(0.15) else part)
            dense *= dim.data.size // self.programs
        scalar = binary("*", self.program, self.random.choice([0, dense, 1, 3, -2]))
        if self.chance(0.3):
            scalar = binary("+", scalar, self.random.choice(self.scalars))
        if self.chance(0.1):
            big = self.argument("big")
            scalar = binary("-", binary("+", convert(scalar, "int64"), big), big)
        return [scalar, *reversed(parts)]

    def mask(self, dims: Sequence[Block], offsets: Block) -> Block | None:
        """A mask, or none; what is too far away is always masked."""
        mask = self.condition(dims) if self.chance(0.75) else None
        if np.abs(offsets.data.astype(np.int64)).max(initial=0) >= REACH:
            near = binary("&", binary(">", offsets, -REACH), binary("<", offsets, REACH))
            mask = binary("&", mask, near) if mask else near
        return self.name(mask) if mask else None

    def touched(self, offsets: Block, mask: Block | None) -> np.ndarray:
        """Offsets of the accesses that happen."""
        happens = self.active.reshape(-1, *[1] * len(offsets.shape))
        rank = len(offsets.shape)
        return offsets.data[np.broadcast_to(happens & (mask.aligned(rank) if mask else True), offsets.data.shape)]

    def pointer(self, base: str, parts: Sequence[Block], shape: tuple[int, ...]) -> str:
        """The name of a pointer to the sum of ``parts`` from ``base``, formed in one of many ways."""
        kind, name = self.random.randrange(9), self.fresh("q")
        joint, codes = total(parts).code, [part.code for part in parts]
        if kind < 2 or not shape:
            self.line(f"{name} = {base} + {joint}")
        elif kind == 2:  # one dimension after the other
            self.line(f"{name} = {base} + {' + '.join(codes)}")
        elif kind == 3:
            self.line(f"{name} = tl.broadcast_to({base} + {codes[0]} + {codes[1]}, {shape}) + {total(parts[1:]).code}")
            self.line(f"{name} = {name} - {codes[1]}")
        elif kind == 4 and len(shape) > 1:
            order = self.random.sample(range(len(shape)), len(shape))
            inverse = tuple(int(place) for place in np.argsort(order))
            self.line(f"{name} = tl.permute(tl.permute({base} + {joint}, {tuple(order)}), {inverse})")
        elif kind == 5:  # carried by a loop, which goes ahead
            turns, step = self.random.choice([0, 1, 2, 5]), self.random.choice([1, -3, 16])
            self.line(f"{name} = {base} + {joint} - {turns * step}")
            self.line(f"for k in range({turns}):")
            self.line(f"    {name} += {step}")
        elif kind == 6:  # of a tuple
            self.line(f"t{name} = ({base} + {codes[0]}, {total(parts[1:]).code})")
            self.line(f"{name} = t{name}[0] + t{name}[1]")
        elif kind == 7:
            self.line(f"{name} = shifted(({base}, {codes[0]}), {total(parts[1:]).code})")
        else:
            test = self.random.choice(["n > 3", "p == 0", "w < s"])
            self.line(f"if {test}:")
            self.line(f"    {name} = {base} + {joint}")
            self.line("else:")
            self.line(f"    {name} = {base} + {codes[0]} + ({total(parts[1:]).code})")
        return name

    def load(self, shape: tuple[int, ...] | None = None) -> None:
        shape = self.shape() if shape is None else shape
        dtype = self.random.choice([*INTEGERS, *FLOATS, "int32", "float32"])
        dims = self.dims(shape)
        parts = self.parts(dims)
        offsets = total(parts)
        mask = self.mask(dims, offsets)
        touched = self.touched(offsets, mask)
        low, high = (int(touched.min()), int(touched.max())) if touched.size else (0, 0)
        x, elements = self.tensor(dtype, high - low + 1)
        parts[0] = binary("+", parts[0], -low)
        pointer = self.pointer(x, parts, shape)
        self.loaded(pointer, offsets, elements, low, mask, dtype)

    def loaded(self, pointer: str, offsets: Block, elements: np.ndarray, low: int, mask: Block | None,
               dtype: str) -> None:
        """Load what is at ``offsets``, and keep it."""
        places = np.clip(offsets.data.astype(np.int64) - low, 0, len(elements) - 1)
        data, masked = elements[places], ""
        if mask:
            chosen = np.broadcast_to(mask.aligned(len(offsets.shape)), data.shape)
            others = [0, 1, 3] if dtype.startswith("u") else [0, 1, -3]
            if dtype == "bfloat16":  # the interpreter takes another as bits
                others = [0]
            other: Any = self.random.choice(others)
            text = f"{other}.0" if dtype in FLOATS and self.chance(0.5) else str(other)
            if dtype == "float32" and self.chance(0.15):
                other, text = np.float32(np.inf), "float('inf')"
            data = np.where(chosen, data, np.array(other, data.dtype))
            masked = f", mask={mask.code}, other={text}"
        value = self.name(Block(f"tl.load({pointer}{masked})", data, dtype))
        self.keep(value)

    def pick(self, shape: tuple[int, ...] | None = None) -> Block:
        """A value of ``shape``, loaded if there is none."""
        fitting = [v for v in self.values if shape is None or v.shape == shape]
        if not fitting:
            self.load(shape)
            fitting = self.values[-1:]
        return self.random.choice(fitting[-4:])

    def combine(self) -> None:
        a = self.pick()
        b = self.pick(a.shape)
        operator = self.random.choice("+-")
        left, right = (self.as_float(v) for v in (a, b))
        with np.errstate(all="ignore"):
            data = OPERATORS[operator](left.data, right.data)
        if np.isfinite(data).all():
            self.values.append(self.name(Block(f"({left.code} {operator} {right.code})", data, "float32",
                                               a.known and b.known)))

    def as_float(self, value: Block) -> Block:
        return convert(value, "float32")

    # stores

    def places(self, dims: Sequence[Block]) -> tuple[Block, int]:
        """Offsets no two of which are the same in all programs, and how many there may be."""
        flat, parts = 1, []
        for dim in self.random.sample(dims, len(dims)) if self.chance(0.3) else list(reversed(dims)):
            size, kind = prod(dim.shape), self.random.randrange(6)
            if kind == 0:
                dim = binary("+", binary("*", dim, -1), size - 1)
            elif kind == 1 and size > 1:
                dim = binary("^", dim, self.random.randrange(size))
            elif kind == 2:
                dim = binary("%", binary("+", dim, self.random.randrange(9)), size)
            parts.append(binary("*", dim, flat))
            flat *= size * self.random.choice([1, 1, 1, 2])
        parts = [binary("*", self.program, flat), *parts]
        if self.chance(0.2):
            parts[0] = convert(parts[0], "int64")
        return total(parts), flat * self.programs

    def store(self, value: Block | None = None) -> None:
        value = value or self.pick()
        dtype = value.dtype
        if dtype == "float32" and self.chance(0.3) and np.isfinite(value.data).all():
            dtype = self.random.choice(["bfloat16", "float16"])
        dims = self.dims(value.shape)
        places, size = self.places(dims)
        out = self.output(dtype, size)
        masked = f", mask={self.name(self.condition(dims)).code}" if self.chance(0.5) else ""
        self.line(f"tl.store({self.pointer(out, [places, *self.nothing(dims)], value.shape)}, {value.code}{masked})")

    def nothing(self, dims: Sequence[Block]) -> list[Block]:
        """Summands of no weight, which give the offset its shape."""
        return [binary("*", dim, 0) for dim in dims[:1]]

    def update(self) -> None:
        """A tensor that is read and written, at the same places or at others of the same program."""
        shape, dtype = self.shape(), self.random.choice(["float32", "int32", "int16", "uint8", "float16"])
        dims = self.dims(shape)
        flat = prod(shape)
        x = self.output(dtype, flat * self.programs + 8)
        shift = self.random.choice([0, 0, 0, 1, 3, 8])
        if self.programs > 1:
            shift = 0  # what another program reads
        for turn in range(self.random.choice([1, 1, 2])):
            read, write = (self.dense(dims, flat) for _ in range(2))
            if self.chance(0.5):
                write = read
            read, write = (binary("+", v, shift) if self.chance(0.5) else v for v in (read, write))
            mask = f", mask={self.name(self.condition(dims)).code}" if self.chance(0.6) else ""
            value = self.fresh()
            self.line(f"{value} = tl.load({self.pointer(x, [read, *self.nothing(dims)], shape)}"
                      f"{mask}{', other=2' if mask else ''})")
            change = self.random.choice([f"{value} * 2 + 1", f"{value} + {turn + 1}", f"tl.maximum({value}, 3)"])
            self.line(f"{value}w = ({change}).to(tl.{dtype})")
            if self.chance(0.5):
                mask = f", mask={self.name(self.condition(dims)).code}"
            self.line(f"tl.store({self.pointer(x, [write, *self.nothing(dims)], shape)}, {value}w"
                      f"{mask if self.chance(0.7) else ''})")
            if self.chance(0.4):
                data = np.zeros((self.programs, *shape), dtype)
                self.values.append(Block(value, data, dtype, False))

    def dense(self, dims: Sequence[Block], flat: int) -> Block:
        """The program's part of a tensor, in some order."""
        parts, stride = [binary("*", self.program, flat)], 1
        for dim in self.random.sample(dims, len(dims)) if self.chance(0.3) else list(reversed(dims)):
            size = prod(dim.shape)
            if self.chance(0.3):
                dim = binary("+", binary("*", dim, -1), size - 1)
            parts.append(binary("*", dim, stride))
            stride *= size
        return total(parts)

    # atomics

    def atomic(self) -> None:
        dtype = self.random.choice(["int32", "int32", "uint32", "float32", "int64", "float16"])
        value = self.pick()
        dims = self.dims(value.shape)
        kinds = ["add", "add"] if dtype in FLOATS else ["add", "max", "min", "and", "or", "xor"]
        if dtype == "float32":
            kinds += ["max", "min"]
        unique = self.chance(0.4)
        if unique:
            places, size = self.places(dims)
            kinds += [] if dtype in FLOATS else ["xchg"]
        else:  # equal addresses, of one program and of several
            size = self.random.choice([1, 2, 5, 16, 40])
            chosen = self.random.choice([self.index(dim, 1) for dim in dims] or [self.program])
            places = binary("+", binary("%", replace(chosen, code=f"tl.abs({chosen.code})", data=np.abs(chosen.data)),
                                        size), 0)
        masked = f", mask={self.name(self.condition(dims)).code}" if self.chance(0.6) else ""
        zeros = f" + tl.zeros({value.shape}, tl.int32)" if dims else ""
        kind = self.random.choice(kinds)
        if kind in ("max", "min") and dtype in FLOATS and not np.isfinite(value.data).all():
            kind = "add"
        pointer, result = f"{self.output(dtype, size)} + ({places.code}{zeros})", self.fresh()
        operand = f"({value.code}).to(tl.{dtype})"
        if dtype == "float16" or (dtype in INTEGERS and value.dtype == "float32"):
            operand = f"(tl.maximum(tl.minimum({value.code}, 1), 0)).to(tl.{dtype})"
        if dtype == "uint32" and value.dtype in FLOATS:
            operand = f"(tl.abs({operand.removesuffix('.to(tl.uint32)')})).to(tl.uint32)"
        if unique and dtype in ("int32", "int64") and self.chance(0.3):
            self.line(f"{result} = tl.atomic_cas({pointer}, {operand} % 3, {operand})")
            masked = ""
        else:
            self.line(f"{result} = tl.atomic_{kind}({pointer}, {operand}{masked})")
        if unique and not masked and self.chance(0.6):  # else nobody can tell what it returns
            self.values.append(Block(result, np.zeros((self.programs, *value.shape), dtype), dtype, False))

    # control

    def loop(self) -> None:
        """Pointers of a load and of a store carried through a loop in a tuple, masks that depend on its turn."""
        size, turns = self.random.choice([8, 16, 32, 64, 128]), self.random.choice([0, 1, 2, 3, 4])
        dtype = self.random.choice(["float32", "int32", "float16", "int8", "uint8"])
        step = self.random.choice([size, size, -size, 1, 3, -1])
        used = max(size, abs(step)) * max(turns, 1) + size
        x, _ = self.tensor(dtype, used * self.programs)
        out = self.output(dtype, size * max(turns, 1) * self.programs)
        total_, mask, pair = self.fresh(), self.fresh(), self.fresh("t")
        first = -step * max(turns - 1, 0) if step < 0 else 0
        lane = f"tl.arange(0, {size})"
        self.line(f"{pair} = ({x} + p * {used} + {first} + {lane}, {out} + p * {size * max(turns, 1)} + {lane})")
        self.line(f"{total_} = tl.zeros(({size},), tl.float32)")
        test = self.random.choice([f"{lane} + k * {size} < n", f"{lane} != k", f"(k * 3 + {lane}) % 4 != 1",
                                   f"k * {size} + {lane} < n * 3"])
        counted = self.chance(0.7)
        if not counted:
            self.line("k = 0")
            self.line(f"while k < {turns}:")
        else:
            self.line(f"for k in range({self.random.choice([turns, f'0, {turns}'])}):")
        self.indent += 1
        self.line(f"{mask} = {test}")
        self.line(f"b = tl.load({pair}[0]{f', mask={mask}, other=1' if self.chance(0.7) else ''})")
        self.line(f"{total_} += b.to(tl.float32) * (k + 1)")
        self.line(f"tl.store({pair}[1], (b + {self.random.choice(['b', '1'])}).to(tl.{dtype})"
                  f"{f', mask={mask}' if self.chance(0.5) else ''})")
        self.line(f"{pair} = ({pair}[0] + {step}, {pair}[1] + {size})")
        if not counted:
            self.line("k += 1")
        self.indent -= 1
        self.values.append(Block(total_, np.zeros((self.programs, size), np.float32), "float32", False))

    def leave(self) -> None:
        """Some programs go no further."""
        test = self.scalar_condition()
        self.line(f"if {test.code}:")
        self.line("    return")
        self.active = self.active & ~test.data

    def scalar_condition(self) -> Block:
        number = self.random.choice([s for s in self.scalars if s.known])
        return binary(self.random.choice(["<", ">", "==", "!="]), binary("+", self.program, number),
                      self.random.choice([0, 1, 2, 5, 9]))

    def branch(self) -> None:
        """Statements of some programs only."""
        test, active = self.scalar_condition(), self.active
        values, scalars = list(self.values), list(self.scalars)
        self.line(f"if {test.code}:")
        self.active = self.active & test.data
        self.indent += 1
        statements: list[Callable[[], None]] = [self.store, self.load, self.update, self.atomic]
        self.random.choice(statements)()
        if self.chance(0.5):
            self.store()
        self.indent -= 1
        self.active, self.values, self.scalars = active, values, scalars

    def kernel(self) -> str:
        """The whole file; its ``run()`` launches the kernel and gives all outputs as one tensor."""
        self.load()
        statements: list[Callable[[], None]] = [self.load] * 4
        statements += [self.combine, self.store, self.update, self.atomic, self.atomic, self.rows,
                       self.loop, self.branch, lambda: self.descriptor(False), lambda: self.descriptor(True),
                       self.reduction]
        for _ in range(self.random.randrange(1, 5)):
            self.random.choice(statements)()
        if self.chance(0.2):
            self.leave()
        for value in self.values[-3:]:
            self.store(value)
        return _DRIVER.format(names=", ".join(self.arguments), body="\n".join(self.lines), launch=LAUNCH,
                              tensors=", ".join(self.tensors), grid=self.grid, scalars=self.numbers,
                              outputs=[int(name[1:]) for name in self.outputs])


_DRIVER = """
import os, json, torch, triton, triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor
from fuzz.triton.memory import values
from fuzz.triton.values import halves

@triton.jit
def shifted(pair, offsets):
    return pair[0] + pair[1] + offsets

@triton.jit
def kernel({names}, n, s, w, low, big):
{body}

def run():
    tensors = [{tensors}]
    options = json.loads(os.environ.get("{launch}", "{{}}"))
    kernel[{grid}](*tensors, **{scalars}, **options)
    tensors = [x.base if isinstance(x, TensorDescriptor) else x for x in tensors]
    return torch.cat([half for place in {outputs} for half in halves(tensors[place])])
"""


def values(size, dtype, seed):
    """The tensor argument of these parameters."""
    import torch

    tensor = torch.from_numpy(contents(size, dtype, seed))
    return tensor.bfloat16() if dtype == "bfloat16" else tensor


def source(seed: int) -> str:
    """The module of one generated kernel."""
    return MemoryGenerator(seed).kernel()
