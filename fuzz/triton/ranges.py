"""Which offsets a generated Triton kernel touches: its body run on numpy arrays, with C's division."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np


class Array:
    """Integers or floats with Triton's operators."""

    __array_priority__ = 1000

    def __init__(self, values: Any):
        self.values = np.asarray(values.values if isinstance(values, Array) else values)

    def __getitem__(self, key: Any) -> Array:
        return Array(self.values[key])

    def __mod__(self, other: Any) -> Array:
        return Array(np.fmod(self.values, raw(other)))

    def __floordiv__(self, other: Any) -> Array:
        a, b = self.values.astype(np.int64), np.asarray(raw(other)).astype(np.int64)
        return Array(np.sign(a) * np.sign(b) * (np.abs(a) // np.abs(b)))


def _operator(name: str) -> None:
    def apply(self: Array, other: Any) -> Array:
        return Array(getattr(self.values, name)(raw(other)))

    setattr(Array, name, apply)


for _name in ("add", "sub", "mul", "lshift", "and", "or"):
    _operator(f"__{_name}__")
    _operator(f"__r{_name}__")
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    _operator(f"__{_name}__")


def raw(value: Any) -> Any:
    return value.values if isinstance(value, Array) else value


class Pointer:
    """A pointer, or an array of them, to elements of ``memory``; remembers the offsets that were accessed."""

    def __init__(self, memory: np.ndarray | None, touched: list[np.ndarray], offsets: Any = 0):
        self.memory, self.touched, self.offsets = memory, touched, np.asarray(raw(offsets))

    def __add__(self, other: Any) -> Pointer:
        return Pointer(self.memory, self.touched, self.offsets + raw(other))


def _access(pointer: Pointer, *_: Any, mask: Any = True, other: Any = 0) -> Array:
    offsets, chosen = np.broadcast_arrays(pointer.offsets, raw(mask))
    pointer.touched.append(offsets[chosen])
    if pointer.memory is None:
        return Array(np.zeros(offsets.shape, np.float32))
    return Array(pointer.memory[np.where(chosen, offsets, 0)])


def touched(body: str, arguments: dict[str, int], programs: int, table: np.ndarray) -> tuple[range, range]:
    """The least range of offsets of ``x`` and of ``out`` that the kernel ``body`` accesses."""
    reads: list[np.ndarray] = []
    writes: list[np.ndarray] = []
    for program in range(programs):
        language = SimpleNamespace(
            arange=lambda a, b: Array(np.arange(a, b)), zeros=lambda shape, dtype: Array(np.zeros(shape, dtype)),
            int32=np.int64, float32=np.float32, program_id=lambda axis, p=program: Array(p), load=_access,
            store=_access, minimum=lambda a, b: Array(np.minimum(raw(a), raw(b))),
            maximum=lambda a, b: Array(np.maximum(raw(a), raw(b))), abs=lambda a: Array(np.abs(raw(a))),
            where=lambda c, a, b: Array(np.where(raw(c), raw(a), raw(b))))
        space: dict[str, Any] = {"tl": language}
        exec("def kernel(x, table, out, n, s, w, low):\n" + body, space)
        numbers = {name: Array(value) for name, value in arguments.items()}
        space["kernel"](Pointer(None, reads), Pointer(table, []), Pointer(None, writes), **numbers)
    return _range(reads), _range(writes)


def _range(offsets: list[np.ndarray]) -> range:
    every = np.concatenate([o.reshape(-1) for o in offsets])
    return range(int(every.min()), int(every.max()) + 1) if len(every) else range(0, 1)
