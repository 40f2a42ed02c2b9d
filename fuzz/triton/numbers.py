"""Random Triton kernels over numbers at the edge: NaN, infinities, zeros, denormals, ends of integer types; and over
combiners of tuples, element-wise functions, random numbers, data-dependent loops.

Each statement stores what it computes, so that what one function makes of a NaN does not hide in another.
"""

from __future__ import annotations

import inspect
import random
from math import prod

from fuzz.triton import LAUNCH
from fuzz.triton.values import halves

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
STATEMENTS = 4


class NumbersGenerator:
    """The source of one kernel."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.tensors: list[str] = []
        self.outputs: list[int] = []
        self.references: list[str] = []
        rank = self.random.choice([1, 1, 2, 2, 3])
        sizes = {1: [1, 2, 16, 64, 128, 256], 2: [1, 2, 4, 8, 32], 3: [1, 2, 4, 8]}[rank]
        self.shape = tuple(self.random.choice(sizes) for _ in range(rank))
        self.flat = " + ".join(self._dim(place) for place in range(rank))
        self.scalars = {"n": self.random.choice([0, 1, 3, 7, 13]), "s": self.random.choice([1, 2, 5])}

    def _dim(self, place: int) -> str:
        spread = ", ".join(":" if d == place else "None" for d in range(len(self.shape)))
        index = f"tl.arange(0, {self.shape[place]})" + (f"[{spread}]" if len(self.shape) > 1 else "")
        return f"{index} * {prod(self.shape[place + 1:])}"

    def load(self, dtype: str, kind: str = "edge") -> str:
        """A variable with a block of ``dtype``, every element loaded."""
        name = f"x{len(self.tensors)}"
        self.tensors.append(f"{kind}({prod(self.shape)}, torch.{dtype}, {self.random.randrange(1000)})")
        self.lines.append(f"v{name} = tl.load({name} + {self.flat})")
        return f"v{name}"

    def store(self, value: str, dtype: str, shape: tuple[int, ...] | None = None) -> None:
        shape = self.shape if shape is None else shape
        name = f"x{len(self.tensors)}"
        self.outputs.append(len(self.tensors))
        self.tensors.append(f"torch.full(({prod(shape)},), 7, dtype=torch.{dtype})")
        saved, self.shape = self.shape, shape
        place = " + ".join(self._dim(d) for d in range(len(shape))) or "0"
        self.shape = saved
        self.lines.append(f"tl.store({name} + {place}, {value})")

    def floats(self) -> None:
        dtype = self.random.choice(["float32", "float32", "float16"])
        a, b, c = self.load(dtype), self.load(dtype), self.load(dtype)
        nan = f"propagate_nan=tl.PropagateNan.{self.random.choice(['ALL', 'NONE'])}"
        wide = [f"tl.floor({a})", f"tl.ceil({a})", f"tl.math.div_rn({a}, {b})", f"tl.sqrt_rn({a})"]
        code = self.random.choice([
            f"tl.maximum({a}, {b}, {nan})", f"tl.minimum({a}, {b}, {nan})", f"{a} + {b}", f"{a} - {b}", f"{a} * {b}",
            f"-{a}", f"tl.abs({a})", f"tl.where({a} {self.random.choice(['<', '<=', '>', '>=', '==', '!='])} {b}, {c}, "
            f"{b})", f"tl.where(({a} < {b}) | ({b} != {b}), {a}, {c})",
            f"tl.clamp({a}, tl.minimum({b}, 1.0), tl.maximum({b}, 2.0), {nan})", f"tl.where({a} == {a}, {a}, 3.0)",
            f"tl.fdiv({a}, {b} * 0 + 2)", *(wide if dtype == "float32" else [])])
        self.store(code, dtype)

    def converted(self) -> None:
        """Between floats. What Triton's interpreter rounds wrongly, bf16 and 8-bit floats, is PyTorch's."""
        a = self.load("float32")
        tensor = f"tensors[{len(self.tensors) - 1}]"
        kind = self.random.choice(["float16", "float32", "bfloat16", "float8e5", "float8e4nv"])
        if kind == "float16":
            self.store(f"{a}.to(tl.float16)", "float16")
        elif kind == "float32":
            self.store(f"{self.load('float16')}.to(tl.float32)", "float32")
        else:
            torch_name = {"bfloat16": "bfloat16", "float8e5": "float8_e5m2", "float8e4nv": "float8_e4m3fn"}[kind]
            limit = {"bfloat16": "float('inf')", "float8e5": "6e4", "float8e4nv": "440"}[kind]
            kept = f"torch.where({tensor}.abs() <= {limit}, {tensor}, 0.0)"
            self.store(f"tl.where(tl.abs({a}) <= {limit}, {a}, 0.0).to(tl.{kind}).to(tl.float32)", "float32")
            self.references.append(f"tensors[{self.outputs[-1]}].copy_({kept}.to(torch.{torch_name}).float())")

    def rounded(self) -> None:
        """Floats in range as integers, and integers as floats."""
        dtype = self.random.choice(INTEGERS)
        bits, unsigned = int(dtype.strip("uint")), dtype.startswith("u")
        low, high = (0 if unsigned else -(2.0 ** (bits - 1))), 2.0 ** (bits - (not unsigned))
        a = self.load("float32")
        inside = f"({a} >= {low}) & ({a} < {high})"
        if self.random.random() < 0.5:
            self.store(f"tl.where({inside}, {a}, 0.0).to(tl.{dtype})", dtype)
        else:
            self.store(f"{self.load(dtype)}.to(tl.float32)", "float32")

    def integers(self) -> None:
        dtype = self.random.choice(INTEGERS)
        bits, unsigned = int(dtype.strip("uint")), dtype.startswith("u")
        a, b = self.load(dtype), self.load(dtype)
        divisor = f"tl.where({b} == 0, 3, {b})" if unsigned else f"tl.where(({b} == 0) | ({b} == -1), 3, {b})"
        shift = f"({b} & {bits - 1})"
        other = self.random.choice(INTEGERS)
        code, result = self.random.choice([
            (f"{a} // ({divisor}).to(tl.{dtype})", dtype), (f"{a} % ({divisor}).to(tl.{dtype})", dtype),
            (f"{a} << {shift}", dtype), (f"{a} >> {shift}", dtype), (f"{a} * {b}", dtype),
            (f"tl.maximum({a}, {b})", dtype), (f"tl.minimum({a}, {b})", dtype), (f"{a}.to(tl.{other})", other),
            (f"({a} < {b}).to(tl.int32) + ({a} >= {b}).to(tl.int32) * 2", "int32"), (f"~{a} ^ {b}", dtype),
            (f"tl.cdiv({a} >> 2, 7)", dtype)])
        if dtype in ("uint32", "uint64") and self.random.random() < 0.3:
            code, result = f"tl.umulhi({a}, {b})", dtype
        self.store(f"({code}).to(tl.{result})", result)

    def combined(self) -> None:
        """Reductions and scans of tuples."""
        axis = self.random.randrange(len(self.shape))
        left = tuple(n for d, n in enumerate(self.shape) if d != axis)
        a, b = self.load("int32"), self.load(self.random.choice(["int32", "uint8"]))
        kind = self.random.choice(["affine", "smaller", "largest"])
        if kind == "affine":
            call = f"tl.associative_scan(({a}, {b}.to(tl.int32)), {axis}, affine, reverse={self.random.random() < 0.5})"
            shape, names = self.shape, ("f", "g")
        elif kind == "smaller":
            call = f"tl.reduce(({a}, {b}.to(tl.int32)), {axis}, smaller)"
            shape, names = left, ("f", "g")
        else:
            call = f"tl.reduce(({a}, {b}.to(tl.int32), {a} * 0 + 1), {axis}, largest)"
            shape, names = left, ("f", "g", "h")
        at = len(self.tensors)
        names = tuple(f"{name}{at}" for name in names)
        self.lines.append(f"{', '.join(names)} = {call}")
        for name in names:
            self.store(name, "int32", shape)

    def ordered(self) -> None:
        """Extremes and orders, also of NaN."""
        dtype = self.random.choice(["float32", "float32", "float16", "float16", *INTEGERS])
        a = self.load(dtype, self.random.choice(["edge", "number"]) if dtype.startswith("f") else "edge")
        axis = self.random.randrange(len(self.shape))
        left = tuple(n for d, n in enumerate(self.shape) if d != axis)
        kind = self.random.choice(["max", "min", "argmax", "argmin", "both", "sort", "topk", "cummax"])
        last = self.shape[-1]
        if kind == "sort" and last > 1:
            self.store(f"tl.sort({a}, descending={self.random.random() < 0.5})", dtype)
        elif kind == "topk" and last > 1:
            self.store(f"tl.topk({a}, 2)", dtype, (*self.shape[:-1], 2))
        elif kind.startswith("arg"):
            self.store(f"tl.{kind}({a}, {axis}, tie_break_left=True)", "int32", left)
        elif kind == "both":
            best, place = f"b{len(self.tensors)}", f"i{len(self.tensors)}"
            self.lines.append(f"{best}, {place} = tl.{self.random.choice(['max', 'min'])}({a}, {axis}, "
                              "return_indices=True)")
            self.store(best, dtype, left)
            self.store(place, "int32", left)
        elif kind == "cummax":
            self.store(f"tl.associative_scan({a}, {axis}, greater, reverse={self.random.random() < 0.5})", dtype)
        elif kind in ("max", "min"):
            self.store(f"tl.{kind}({a}, {axis}).to(tl.{dtype})", dtype, left)

    def drawn(self) -> None:
        """Random numbers, exact as integers."""
        seed, place = self.random.randrange(1 << 30), f"({self.flat} + p)"
        if self.random.random() < 0.5:
            self.store(f"tl.randint({seed}, {place}).to(tl.int32, bitcast=True)", "int32")
            return
        names = [f"r{len(self.tensors)}_{k}" for k in range(4)]
        self.lines.append(f"{', '.join(names)} = tl.randint4x({seed}, {place})")
        self.store(f"({names[self.random.randrange(4)]}).to(tl.int32, bitcast=True)", "int32")

    def looped(self) -> None:
        """A loop that ends by its data, one that is unrolled, a function of a function, swizzled numbers."""
        a = self.load("int32")
        name = f"w{len(self.tensors)}"
        kind = self.random.choice(["while", "static", "nested", "swizzle"])
        if kind == "while":
            every = f"tl.reshape({a} & 15, ({prod(self.shape)},))"
            self.lines += [f"{name} = tl.sum({every}, 0)", f"t{name} = 0",
                           f"while ({name} > 1) & (t{name} < 20):",
                           f"    {name} = tl.where({name} % 2 == 0, {name} // 2, 3 * {name} + 1)",
                           f"    t{name} += 1"]
            self.store(f"{a} + t{name} * 1000 + {name}", "int32")
        elif kind == "static":
            self.lines += [f"{name} = {a}", f"for k in tl.static_range({self.random.randrange(5)}):",
                           f"    {name} = {name} * 3 + k"]
            self.store(name, "int32")
        elif kind == "nested":
            self.store(f"outer({a}, s, {self.random.choice([0, 1, 2])})", "int32")
        else:
            self.lines.append(f"{name}, t{name} = tl.swizzle2d(({a} & 7) % 4, ({a} & 7) % 3, 4, 3, 2)")
            self.store(f"{name} * 100 + t{name}", "int32")

    def kernel(self) -> str:
        self.lines.append("p = tl.program_id(0)")
        kinds = [self.floats, self.floats, self.converted, self.rounded, self.integers, self.integers, self.combined,
                 self.ordered, self.drawn, self.looped]
        for _ in range(STATEMENTS):
            self.random.choice(kinds)()
        names = ", ".join(f"x{k}" for k in range(len(self.tensors)))
        if not self.outputs:
            self.floats()
            names = ", ".join(f"x{k}" for k in range(len(self.tensors)))
        return _DRIVER.format(halves=inspect.getsource(halves),
                              names=names, body="\n".join(f"    {line}" for line in self.lines), launch=LAUNCH,
                              tensors=", ".join(self.tensors), scalars=self.scalars, outputs=self.outputs,
                              references="; ".join(self.references) or "pass")


_DRIVER = """
import os, json, torch, triton, triton.language as tl

@triton.jit
def greater(a, b):
    return tl.maximum(a, b)

@triton.jit
def affine(a, b, c, d):
    return a * c, b * c + d

@triton.jit
def smaller(a, b, c, d):
    first = (a < c) | ((a == c) & (b < d))
    return tl.where(first, a, c), tl.where(first, b, d)

@triton.jit
def largest(a, b, n, c, d, m):
    return tl.maximum(a, c), b ^ d, n + m

@triton.jit
def inner(x, s, KIND: tl.constexpr):
    if KIND == 0:
        return x + s
    return x * s if KIND == 1 else x - s

@triton.jit
def outer(x, s, KIND: tl.constexpr):
    return inner(inner(x, s, KIND), s + 1, (KIND + 1) % 3)

@triton.jit
def kernel({names}, n, s):
{body}

EDGES = [0.0, -0.0, 1.0, -1.0, 1.5, 2.5, -2.5, float("inf"), -float("inf"), float("nan"), 1e-40, -1e-45, 6e-8, 3.4e38,
         -3.4e38, 65504.0, -65520.0, 2147483648.0, 4294967040.0, 16777217.0, 0.1, -7.0, 300.0, 1e-3]

def edge(size, dtype, seed):
    generator = torch.Generator().manual_seed(seed)
    if dtype.is_floating_point:
        picked = torch.tensor(EDGES)[torch.randint(0, len(EDGES), (size,), generator=generator)]
        drawn = torch.randn(size, generator=generator) * 100
        return torch.where(torch.rand(size, generator=generator) < 0.6, picked, drawn).to(dtype)
    info = torch.iinfo(dtype)
    any_bits = torch.randint(-2**63, 2**63 - 1, (size,), generator=generator)
    small = torch.randint(-3, 4, (size,), generator=generator)
    ends = torch.tensor([0, 1, info.max if dtype != torch.uint64 else -1, info.min])
    ends = ends[torch.randint(0, 4, (size,), generator=generator)]
    which = torch.rand(size, generator=generator)
    return torch.where(which < 0.4, any_bits, torch.where(which < 0.7, small, ends)).to(dtype)

def number(size, dtype, seed):
    x = edge(size, dtype, seed)
    return torch.nan_to_num(x) if dtype.is_floating_point else x

{halves}
def run():
    tensors = [{tensors}]
    options = json.loads(os.environ.get("{launch}", "{{}}"))
    kernel[(1,)](*tensors, **{scalars}, **options)
    if os.environ.get("TRITON_INTERPRET") == "1":
        {references}
    return torch.cat([half for place in {outputs} for half in halves(tensors[place])])
"""


def source(seed: int) -> str:
    """The module of one generated kernel."""
    return NumbersGenerator(seed).kernel()
