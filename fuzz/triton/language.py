"""Random Triton kernels over the language: types, conversions, reductions, scans, sorting, shapes, loops, atomics.

What cannot be exact (exponentials, quotients) is stored where it is computed; `values` has the rest.
"""

from __future__ import annotations

import inspect
from math import prod

from fuzz.triton import LAUNCH
from fuzz.triton.products import FUNCTIONS, Products
from fuzz.triton.values import BITS, ELEMENTS, EXACT, TYPES, Value, halves


class LanguageGenerator(Products):
    """The source of one kernel."""

    def elementwise(self) -> Value | None:
        value = self.pick()
        assert value is not None
        kind = self.random.randrange(8)
        if kind == 0:
            return self.convert(value, self.random.choice(TYPES))
        if kind == 1 and value.shape:
            mask = self.condition(value.shape)
            other = self.partner(value)
            return self.name(f"tl.where({mask.name}, {value.name}, {other.name})", value.dtype,
                             self.joint(value, other), max(value.bound, other.bound))
        if kind == 2 and value.shape:
            return self.condition(value.shape)
        return self.float_op(value) if value.is_float else self.integer_op(value)

    def float_op(self, value: Value) -> Value:
        limit = EXACT[value.dtype]
        kind = self.random.choice(["+", "-", "*", "maximum", "minimum", "neg", "abs", "literal", "floor"])
        if kind == "neg":
            return self.name(f"-{value.name}", value.dtype, value.shape, value.bound)
        if kind == "abs":
            return self.name(f"tl.abs({value.name})", value.dtype, value.shape, value.bound)
        if kind == "floor" and value.dtype == "float32" and value.bound < 1 << 20:
            return self.name(f"tl.{self.random.choice(['floor', 'ceil'])}({value.name} * 0.25)", value.dtype,
                             value.shape, value.bound)
        if kind in ("literal", "floor"):
            value = self.small(value, limit // 2)
            return self.name(f"{value.name} + {self.literal(value.dtype)}", value.dtype, value.shape, value.bound + 5)
        other = self.partner(value)
        shape = self.joint(value, other)
        if kind in ("maximum", "minimum"):
            return self.name(f"tl.{kind}({value.name}, {other.name})", value.dtype, shape,
                             max(value.bound, other.bound))
        size = 32 if limit == 2048 else 4096
        if kind == "*":
            value, other = self.small(value, size), self.small(other, size)
            return self.name(f"{value.name} * {other.name}", value.dtype, shape, value.bound * other.bound)
        value, other = self.small(value, limit // 2), self.small(other, limit // 2)
        return self.name(f"{value.name} {kind} {other.name}", value.dtype, shape, value.bound + other.bound)

    def integer_op(self, value: Value) -> Value:
        kind = self.random.choice(["+", "-", "*", "&", "|", "^", "maximum", "minimum", "shift", "shifts", "divide",
                                   "divides", "neg", "abs", "literal"])
        same, bits = (value.dtype, value.shape), BITS[value.dtype]
        if kind == "neg":
            return self.name(f"{'~' if self.random.random() < 0.5 or value.dtype[0] == 'u' else '-'}{value.name}",
                             *same)
        if kind == "abs":
            return self.name(f"tl.abs({value.name})", *same)
        if kind == "literal":
            return self.name(f"{value.name} {self.random.choice('+*&|^')} {self.literal(value.dtype)}", *same)
        if kind == "shift":
            return self.name(f"{value.name} {self.random.choice(['<<', '>>'])} {self.random.randrange(bits)}", *same)
        if kind == "divide":
            divisor = self.random.choice([2, 3, 5, 7, 8, 10, 100, *([] if value.dtype[0] == "u" else [-3, -8])])
            return self.name(f"{value.name} {self.random.choice(['//', '%'])} {divisor}", *same)
        other = self.partner(value)
        shape = self.joint(value, other)
        if kind == "shifts":
            return self.name(f"{value.name} {self.random.choice(['<<', '>>'])} ({other.name} & {bits - 1})",
                             value.dtype, shape)
        if kind == "divides":
            return self.name(f"{value.name} {self.random.choice(['//', '%'])} (({other.name} & 15) + 1)",
                             value.dtype, shape)
        if kind in ("maximum", "minimum"):
            return self.name(f"tl.{kind}({value.name}, {other.name})", value.dtype, shape)
        return self.name(f"{value.name} {kind} {other.name}", value.dtype, shape)

    def reduce(self) -> Value | None:
        value = self.pick(lambda v: bool(v.shape))
        if value is None:
            return None
        axis = self.random.randrange(len(value.shape))
        length = value.shape[axis]
        keep = self.random.random() < 0.4
        shape = tuple(1 if d == axis else n for d, n in enumerate(value.shape) if keep or d != axis)
        kinds = ["sum", "sum", "max", "min", "argmax", "argmin", "both", *([] if value.is_float else ["xor_sum"])]
        kind = self.random.choice(kinds)
        kept = ", keep_dims=True" if keep else ""
        bound = value.bound
        if kind == "sum" and value.is_float:
            value = self.small(value, EXACT[value.dtype] // length)
            bound = value.bound * length
        if kind.startswith("arg"):
            return self.name(f"tl.{kind}({value.name}, {axis}{kept})", "int32", shape)
        if kind == "both":
            best = self.random.choice(["max", "min"])
            self.count += 1
            first, second = f"a{self.count}", f"b{self.count}"
            self.line(f"{first}, {second} = tl.{best}({value.name}, {axis}, return_indices=True{kept})")
            self.pool.append(Value(second, "int32", shape))
            return self.name(f"{first}.to(tl.{value.dtype})", value.dtype, shape, bound)
        return self.name(f"tl.{kind}({value.name}, {axis}{kept}).to(tl.{value.dtype})", value.dtype, shape, bound)

    def scan(self) -> Value | None:
        value = self.pick(lambda v: bool(v.shape))
        if value is None:
            return None
        axis = self.random.randrange(len(value.shape))
        reverse = f", reverse={self.random.random() < 0.3}"
        kind = self.random.choice(["cumsum", "cumsum", "maximum", "last"])
        if kind == "cumsum":
            bound = value.bound
            if value.is_float:
                value = self.small(value, EXACT[value.dtype] // value.shape[axis])
                bound = value.bound * value.shape[axis]
            return self.name(f"tl.cumsum({value.name}, {axis}{reverse}).to(tl.{value.dtype})", value.dtype,
                             value.shape, bound)
        return self.name(f"tl.associative_scan({value.name}, {axis}, {kind}{reverse})", value.dtype, value.shape,
                         value.bound)

    def order(self) -> Value | None:
        value = self.pick(lambda v: bool(v.shape) and v.shape[-1] > 1 and prod(v.shape) <= 256)
        if value is None:
            return None
        kind = self.random.choice(["sort", "topk", "flip", "histogram", "gather"])
        same = (value.dtype, value.shape, value.bound)
        if kind == "sort":
            return self.name(f"tl.sort({value.name}, descending={self.random.random() < 0.5})", *same)
        if kind == "topk":
            k = self.random.choice([k for k in (1, 2, 4, 8, 16) if k <= value.shape[-1]])
            return self.name(f"tl.topk({value.name}, {k}).to(tl.{value.dtype})", value.dtype, (*value.shape[:-1], k),
                             value.bound)
        if kind == "flip":
            return self.name(f"tl.flip({value.name}, {self.random.randrange(len(value.shape))})", *same)
        places = self.convert(self.pick(lambda v: v.shape == value.shape) or value,
                              "int32" if kind == "histogram" else self.random.choice(["int32", "int64"]))
        if kind == "histogram":
            bins = self.random.choice([2, 4, 16, 64, 128])
            flat = places.name if len(value.shape) == 1 else f"tl.reshape({places.name}, ({prod(value.shape)},))"
            mask = f", mask=tl.arange(0, {prod(value.shape)}) < n" if self.random.random() < 0.3 else ""
            return self.name(f"tl.histogram({flat} & {bins - 1}, {bins}{mask})", "int32", (bins,))
        axis = self.random.randrange(len(value.shape))
        return self.name(f"tl.gather({value.name}, {places.name} & {value.shape[axis] - 1}, {axis})", *same)

    def reshape(self) -> Value | None:
        value = self.pick(lambda v: bool(v.shape))
        if value is None:
            return None
        rank, size = len(value.shape), prod(value.shape)
        kind = self.random.choice(["permute", "reshape", "join", "split", "interleave", "cat", "expand", "broadcast"])
        same = (value.dtype, value.shape, value.bound)
        if kind == "permute" and rank > 1:
            order = self.random.sample(range(rank), rank)
            return self.name(f"tl.permute({value.name}, {tuple(order)})", value.dtype,
                             tuple(value.shape[d] for d in order), value.bound)
        if kind == "reshape":
            inner = self.random.choice([n for n in (1, 2, 4, 8, 16, 32, 64, 128) if n <= size])
            shape = self.random.choice([(size,), (size // inner, inner), (inner, size // inner)])
            return self.name(f"tl.reshape({value.name}, {shape})", value.dtype, shape, value.bound)
        if kind == "split" and value.shape[-1] == 2 and rank > 1:
            self.count += 1
            first, second = f"a{self.count}", f"b{self.count}"
            self.line(f"{first}, {second} = tl.split({value.name})")
            for name in (first, second):
                self.pool.append(Value(name, value.dtype, value.shape[:-1], value.bound))
            return self.pool[-1]
        if kind == "expand" and rank < 3:
            axis = self.random.randrange(rank + 1)
            return self.name(f"tl.expand_dims({value.name}, {axis})", value.dtype,
                             (*value.shape[:axis], 1, *value.shape[axis:]), value.bound)
        if kind == "broadcast" and 1 in value.shape and size <= ELEMENTS // 8:
            shape = tuple(self.random.choice([2, 4, 8]) if n == 1 and d == value.shape.index(1) else n
                          for d, n in enumerate(value.shape))
            return self.name(f"tl.broadcast_to({value.name}, {shape})", value.dtype, shape, value.bound)
        if size > ELEMENTS // 2:
            return None
        other = self.convert(self.pick(lambda v: v.shape == value.shape) or value, value.dtype)
        bound = max(value.bound, other.bound)
        if kind == "join" and rank < 3:
            return self.name(f"tl.join({value.name}, {other.name})", value.dtype, (*value.shape, 2), bound)
        if kind == "interleave":
            return self.name(f"tl.interleave({value.name}, {other.name})", value.dtype,
                             (*value.shape[:-1], 2 * value.shape[-1]), bound)
        if kind == "cat":
            axis = self.random.randrange(rank)
            return self.name(f"tl.cat({value.name}, {other.name}, dim={axis})", value.dtype,
                             tuple(2 * n if d == axis else n for d, n in enumerate(value.shape)), bound)
        return self.name(f"tl.trans({value.name})", same[0], same[1][::-1], same[2]) if rank == 2 else None

    def table(self) -> Value | None:
        """Elements at places that come from memory, or from one of two tables that a condition chooses."""
        value = self.pick(lambda v: bool(v.shape) and not v.is_float)
        if value is None:
            return None
        size = self.random.choice([8, 64, 256])
        dtype = self.random.choice(["float32", "int32", "float16", "int8", "uint8", "int16"])
        at = f"({value.name} & {min(size, 128) - 1}).to(tl.{self.random.choice(['int32', 'int32', 'int64'])})"
        first = self.tensor(dtype, size)
        kind = self.random.randrange(3)
        if kind == 0:
            return self.name(f"tl.load({first} + {at})", dtype, value.shape, 9)
        second, mask = self.tensor(dtype, size), self.condition(value.shape)
        if kind == 1:
            other = self.dims(value.shape)[-1]
            if value.shape[-1] > size:
                return None
            pointers = f"tl.where({mask.name}, {first} + {at}, {second} + {other})"
        else:
            pointers = f"tl.where({mask.name}, {first}, {second}) + {at}"
        masked = f", mask={self.condition(value.shape).name}, other=2" if self.random.random() < 0.4 else ""
        return self.name(f"tl.load({pointers}{masked})", dtype, value.shape, 9)

    def atomic(self) -> None:
        value = self.pick(lambda v: v.dtype in ("int32", "float32", "uint32") and bool(v.shape))
        if value is None:
            return
        shape = value.shape
        places = self.pick(lambda v: v.shape == shape and not v.is_float)
        where = f"(tl.zeros({value.shape}, tl.int32) + {self.dims(value.shape)[-1]})" if places is None else places.name
        kinds = ["add"] if value.is_float else ["add", "max", "min", "and", "or", "xor"]
        if value.is_float:
            value = self.small(value, (1 << 20) // ELEMENTS)
        pointer = self.output(value.dtype, 16, 3)
        mask = f", mask={self.condition(value.shape).name}" if self.random.random() < 0.5 else ""
        self.line(f"tl.atomic_{self.random.choice(kinds)}({pointer} + ({where} & 15).to(tl.int32), "
                  f"{value.name}{mask})")

    def inexact(self) -> None:
        """A function whose result is stored and used no further."""
        value = self.pick(lambda v: v.dtype == "float32" and bool(v.shape))
        if value is None:
            return
        value = self.small(value, 30)
        other = self.partner(value)
        x, y = value.name, other.name
        code = self.random.choice([f"tl.exp(-tl.abs({x}) * 0.125)", f"tl.sqrt(tl.abs({x}))", f"tl.sigmoid({x} * 0.25)",
                                   f"tl.sin({x})", f"tl.erf({x} * 0.1)", f"{x} / (tl.abs({y}) + 1)",
                                   f"tl.rsqrt(tl.abs({x}) + 1)", f"tl.log(tl.abs({y}) + 2)",
                                   f"tl.softmax({x}, {len(value.shape) - 1})"])
        shape = value.shape if y not in code else self.joint(value, other)
        if "softmax" in code and len(value.shape) < 2:
            code = f"tl.exp2({x} * 0.25)"
        result = self.name(code, "float32", shape)
        self.store(result)
        self.pool = [v for v in self.pool if v.name != result.name]

    # statements

    def branch(self) -> None:
        value = self.pick()
        assert value is not None
        result = f"r{self.count}"
        test = self.random.choice(["n > 3", "p == 0", "(n & 1) != 0", "s * 2 > n", "n + p >= 13"])
        known, bounds = list(self.pool), []
        for word in (f"if {test}:", "else:"):
            self.line(word)
            self.indent += 1
            if word == "if" and self.random.random() < 0.3:
                self.branch()
            for _ in range(self.random.randrange(3)):
                self.elementwise()
            new = self.convert(self.pick(lambda v: v.shape == value.shape) or value, value.dtype)
            self.line(f"{result} = {new.name}")
            bounds.append(new.bound)
            self.indent -= 1
            self.pool = list(known)
        self.name(f"{result} + 0" if not value.is_float else f"{result} * 1.0", value.dtype, value.shape, max(bounds))

    def loop(self) -> None:
        """A value carried through a loop, sometimes with a pointer."""
        value = self.pick(lambda v: bool(v.shape))
        if value is None:
            return
        if value.is_float:
            value = self.small(value, 64)
        carried, known = f"c{self.count}", list(self.pool)
        self.line(f"{carried} = {value.name} + 0")
        turns, pointer, step, size = self.random.choice([0, 1, 2, 3, 5]), "", 0, value.shape[-1]
        if self.random.random() < 0.6:
            step = self.random.choice([1, -1, size, 3, 8])
            first = max(0, -step * turns)
            pointer = self.tensor(value.dtype, size + abs(step) * turns + 1)
            self.line(f"q{carried} = {pointer} + {first} + {self.dims(value.shape)[-1]}")
        kind = self.random.choice(["for", "for", "while", "bound"])
        if kind == "for":
            self.line(f"for k in range({turns}):")
        elif kind == "bound":
            turns = min(turns, self.scalars["n"])
            self.line(f"for k in range(0, min(n, {turns})):")
        else:
            self.line("k = 0")
            self.line(f"while k < {turns}:")
        self.indent += 1
        inside = Value(carried, value.dtype, value.shape, 64 if value.is_float else 0)
        self.pool.append(inside)
        if pointer:
            self.name(f"tl.load(q{carried})", value.dtype, value.shape[-1:] if len(value.shape) == 1 else
                      (*(1 for _ in value.shape[:-1]), size), 9)
            self.line(f"q{carried} += {step}")
        for _ in range(self.random.randrange(1, 4)):
            self.operation(deep=False)
        new = self.convert(self.pick(lambda v: v.shape == value.shape) or inside, value.dtype)
        if value.is_float:
            new = self.small(new, 32)
            self.line(f"{carried} = {carried} * 0.5 + {new.name}" if value.dtype == "float32" and turns < 4 else
                      f"{carried} = {new.name}")
        else:
            self.line(f"{carried} = {carried} {self.random.choice('+^-')} {new.name}")
        if kind == "while":
            self.line("k += 1")
        self.indent -= 1
        self.pool = known
        if value.is_float:  # halves, quarters and eighths: whole again
            self.name(f"tl.floor({carried}.to(tl.float32)).to(tl.{value.dtype})", value.dtype, value.shape, 64)
        else:
            self.pool.append(Value(carried, value.dtype, value.shape))

    def operation(self, deep: bool = True) -> None:
        choice = self.random.random()
        if choice < 0.42:
            self.elementwise()
        elif choice < 0.54:
            self.reduce()
        elif choice < 0.60:
            self.scan()
        elif choice < 0.67:
            self.order()
        elif choice < 0.79:
            self.reshape()
        elif choice < 0.88:
            self.random.choice([self.dot, self.dot, self.table, self.table, self.scaled, self.mapped])()
        elif deep:
            self.random.choice([self.branch, self.loop, self.loop, self.atomic, self.inexact, self.asserted])()

    def block(self) -> tuple[int, ...]:
        rank = self.random.choice([1, 1, 2, 2, 3])
        if rank == 1:
            return (self.random.choice([1, 2, 8, 16, 32, 64, 128, 256, 512]),)
        shape = tuple(self.random.choice([1, 2, 4, 8, 16, 32]) for _ in range(rank - 1))
        return (*shape, self.random.choice([n for n in (1, 2, 4, 8, 16, 32, 64, 128) if prod(shape) * n <= ELEMENTS]))

    def kernel(self) -> str:
        """The whole file; its ``run()`` launches the kernel and gives all outputs as one tensor."""
        self.indent = 1
        self.line("p = tl.program_id(0)")
        for _ in range(self.random.choice([1, 1, 2])):
            self.load(self.block())
        for _ in range(self.random.randrange(3, 9)):
            self.operation()
        stored = [self.pool[-1], *self.random.sample(self.pool, min(2, len(self.pool)))]
        for value in {v.name: v for v in stored}.values():
            self.store(value)
        tensors = ", ".join(self.tensors)
        return _DRIVER.format(functions=FUNCTIONS, halves=inspect.getsource(halves),
                              names=", ".join(self.arguments), body="\n".join(self.lines), tensors=tensors,
                              launch=LAUNCH, programs=self.programs, scalars=self.scalars,
                              outputs=[int(name[1:]) for name in self.outputs])


_DRIVER = """
import os, json, torch, triton, triton.language as tl

@triton.jit
def maximum(a, b):
    return tl.maximum(a, b)

@triton.jit
def last(a, b):
    return b

{functions}
@triton.jit
def kernel({names}, n, s):
{body}

def values(size, dtype, seed):
    generator = torch.Generator().manual_seed(seed)
    if dtype.is_floating_point:
        return torch.randint(-9, 10, (size,), generator=generator).to(dtype)
    info = torch.iinfo(dtype)
    if dtype == torch.int64:
        return torch.randint(-2**62, 2**62, (size,), generator=generator)
    return torch.randint(info.min, info.max + 1, (size,), generator=generator).to(dtype)

{halves}
def run():
    tensors = [{tensors}]
    options = json.loads(os.environ.get("{launch}", "{{}}"))
    if os.environ.get("TRITON_INTERPRET") != "1":
        options["debug"] = True  # assertions are looked at
    kernel[({programs},)](*tensors, **{scalars}, **options)
    return torch.cat([half for place in {outputs} for half in halves(tensors[place])])
"""


def source(seed: int) -> str:
    """The module of one generated kernel."""
    return LanguageGenerator(seed).kernel()
