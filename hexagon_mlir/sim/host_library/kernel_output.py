"""The output of kernels: printed values and failed assertions, as ``triton-to-linalg`` encodes them."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from hexagon_mlir.sim.translation.program import SimError


class AssertionFailed(SimError):
    """A kernel's own assertion; ``file``, ``line`` and ``column`` are the kernel's."""

    def __init__(self, text: str, program: Sequence[int]):
        place, _, message = text.partition("\n")
        self.file, line, column = place.rsplit(":", 2)
        self.line, self.column = int(line), int(column)
        self.message = f"assertion failed{': ' if message else ''}{message} (program {_tuple(program)})"
        super().__init__(f"{place}: {self.message}")


def printed(text: str, value: int, index: int, program: Sequence[int]) -> str:
    """One line of output: program, position in the tensor, prefix, value (64 bits).

    ``text`` holds the kind (i, u, x or f and the width; n for none), the shape and the prefix, a line each.
    """
    kind, shape, prefix = text.split("\n", 2)
    line = f"pid {_tuple(program)}"
    if shape:
        line += f" idx {_tuple(_position(index, [int(n) for n in shape.split('x')]))}"
    return line + prefix + _shown(value & (1 << 64) - 1, kind)


def _shown(value: int, kind: str) -> str:
    letter, width = kind[0], int(kind[1:])
    if letter == "n":
        return ""
    if letter == "f":
        return f"{struct.unpack('<d', struct.pack('<Q', value))[0]:g}"
    if letter == "x":
        return f"0x{value & (1 << width) - 1:0{width // 4}x}"
    if letter == "i" and value >> 63:
        value -= 1 << 64
    return str(value)


def _position(index: int, shape: Sequence[int]) -> list[int]:
    position: list[int] = []
    for size in reversed(shape):
        position.insert(0, index % size)
        index //= size
    return position


def _tuple(numbers: Sequence[int]) -> str:
    return f"({', '.join(map(str, numbers))})"
