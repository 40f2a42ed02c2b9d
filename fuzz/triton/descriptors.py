"""Tensor descriptors in a random Triton kernel: made in the kernel or by the host, loads, stores, reductions, rows."""

from __future__ import annotations

from dataclasses import replace
from math import prod

import numpy as np

from fuzz.triton.blocks import SIZES, Block, Writer, convert

ELEMENTS = 512
"""Of a block."""


class Descriptors(Writer):
    """Statements with a descriptor."""

    def keep(self, value: Block) -> None:
        if value.dtype == "bfloat16":  # the interpreter computes with its bits
            value = self.name(replace(value, code=f"{value.code}.to(tl.float32)", dtype="float32"))
        self.values.append(value)
        if value.shape == () and value.known and value.dtype in ("int8", "int16", "int32"):
            self.scalars.append(self.name(convert(value, "int32")))

    def described(self, dtype: str, part: str) -> tuple[str, tuple[int, ...], str]:
        """A descriptor of ``dtype``: its name, its block, an offset in it that may stick out on any side.

        ``part``: of the tensor that each program has, "own" to be written, "shared" to be written, or else "read".
        """
        align = 16 // SIZES[dtype]
        rank = self.random.choice([1, 2, 2, 2, 3, 4])
        while True:
            block = tuple(self.random.choice([1, 2, 4, 8]) for _ in range(rank - 1))
            block = (*block, align * self.random.choice([1, 1, 2, 4]))
            if prod(block) <= ELEMENTS:
                break
        sizes = [self.random.choice([1, 2, 3, 5, 7, 9, 17]) for _ in block]
        sizes[-1] = self.random.choice([1, 3, align, align + 1, 2 * align + 3, 4 * align])
        strides, dense = [1], -(-sizes[-1] // align) * align + align * self.random.choice([0, 0, 1])
        for size in reversed(sizes[1:-1] if rank > 1 else []):
            strides.insert(0, dense)
            dense *= size
        if rank > 1:
            strides.insert(0, dense)
        length = sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True)) + 1
        starts = [self.random.choice(["0", "0", "1", "-1", "2", "n", "s - 1"]) for _ in block]
        starts[-1] = self.random.choice(["0", "0", str(align), str(-align), f"n * {align}"])
        name, base = self.fresh("d"), ""
        by_host = self.chance(0.4) and (part != "own" or self.programs == 1)
        if part == "own" and not by_host:
            base, length = f" + p * {-(-length // align) * align}", -(-length // align) * align * self.programs
        x = self.tensor(dtype, length)[0] if part == "read" else self.output(dtype, length)
        if by_host:
            name = x
            self.tensors[-1] = f"TensorDescriptor({self.tensors[-1]}, {sizes}, {strides}, {list(block)})"
        else:
            self.line(f"{name} = tl.make_tensor_descriptor({x}{base}, {sizes}, {strides}, {list(block)})")
        return name, block, f"[{', '.join(starts)}]"

    def descriptor(self, writes: bool) -> None:
        """A block at an offset that may stick out of the tensor on any side."""
        dtype = self.random.choice(["float32", "float16", "int32", "int8", "uint8", "int16", "bfloat16"])
        name, block, at = self.described(dtype, "own" if writes else "read")
        if not writes:
            data = np.zeros((self.programs, *block), numpy_name(dtype))
            self.keep(self.name(Block(f"{name}.load({at})", data, dtype, False)))
            return
        if dtype == "bfloat16":
            value = f"({self.values_of(block)}).to(tl.float32).to(tl.bfloat16)"
        else:
            value = f"tl.minimum(tl.maximum({self.values_of(block)}, 0), 100).to(tl.{dtype})"
        self.line(f"{name}.store({at}, {value})")

    def reduction(self) -> None:
        """A block combined with what is there, by every program with the same."""
        dtype = self.random.choice(["int32", "int32", "uint32", "float32", "float16", "int64"])
        bits = ["min", "max", "and", "or", "xor"]
        kinds = {"int32": ["add", *bits], "uint32": ["add", *bits], "int64": bits}.get(dtype, ["add"])
        kind = self.random.choice(kinds)  # one: others do not commute
        name, block, at = self.described(dtype, "shared")
        for _ in range(self.random.choice([1, 1, 2])):
            value = f"tl.minimum(tl.maximum({self.values_of(block)}, 0), 20).to(tl.{dtype})"
            self.line(f"{name}.atomic_{kind}({at}, {value})")

    def values_of(self, block: tuple[int, ...]) -> str:
        fitting = [v for v in self.values if v.shape == block]
        value = self.random.choice(fitting) if fitting and self.chance(0.7) else None
        dims = self.dims(block)
        return value.code if value else " + ".join(f"{dim.code} * {k + 3}" for k, dim in enumerate(dims)) + " + p"

    def rows(self) -> None:
        """Gather some rows of a table, or scatter to them."""
        dtype = self.random.choice(["float32", "float16", "int8", "int32"])
        columns = max(32 // SIZES[dtype], 8) * self.random.choice([1, 2])
        count, rows = self.random.choice([8, 16]), self.random.choice([8, 11, 20])
        wide = columns * self.random.choice([1, 2]) + self.random.choice([0, 0, 1, 5])
        align = 16 // SIZES[dtype]
        stride, name = -(-wide // align) * align, self.fresh("d")
        column = self.random.choice(["0", "0", str(align), f"s * {align}"])
        places = self.index(self.dims((count,))[0], self.random.choice([0, 1]))
        if self.chance(0.5):
            x, _ = self.tensor(dtype, (rows - 1) * stride + wide)
            self.line(f"{name} = tl.make_tensor_descriptor({x}, [{rows}, {wide}], [{stride}, 1], [1, {columns}])")
            data = np.zeros((self.programs, count, columns), dtype)
            self.keep(self.name(Block(f"{name}.gather({convert(places, 'int32').code}, {column})", data, dtype,
                                      False)))
            return
        size = -(-((rows - 1) * stride + wide) // align) * align
        x = self.output(dtype, size * self.programs)
        self.line(f"{name} = tl.make_tensor_descriptor({x} + p * {size}, [{rows}, {wide}], [{stride}, 1], "
                  f"[1, {columns}])")
        order = self.random.choice(["{}", f"{count - 1} - {{}}", "{} ^ 5", "{} + s", "{} - 3", "{} * 2"])
        self.line(f"{name}.scatter(({self.values_of((count, columns))}).to(tl.{dtype}), "
                  f"{order.format(f'tl.arange(0, {count})')}, {column})")


def numpy_name(dtype: str) -> str:
    return "float32" if dtype == "bfloat16" else dtype
