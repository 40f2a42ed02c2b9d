"""A program's host code, loaded: quick to generate at first, fast when the program has run for long."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

from hexagon_mlir.sim import host
from hexagon_mlir.sim.cache_tags import Near
from hexagon_mlir.sim.program import Program, SimError, model_code, obtain
from hexagon_mlir.targets import Target

QUICK_PACKETS = 8_000_000
"""A program that has issued more gets fast code: by then it has cost about as much time as generating it does."""
Function = Callable[[int], None]
"""Translated code: takes the host address of a state record."""


class Code:
    """The translated functions of an assembly text. Both levels give the same values and count the same."""

    def __init__(self, text: str, target: Target, exact: bool, check: bool) -> None:
        self._source = (text, target, exact, check)
        self._models = [model_code(target)] if exact else []
        self.program = obtain(*self._source)
        self._loaded: list[host.Loaded] = []
        self._load(self.program)

    def _load(self, program: Program) -> None:
        self._loaded.append(host.Loaded(program.code, *self._models))  # a thread may stand in the one before
        self.level = program.level
        self._entries: dict[str, Function] = {}
        self._dispatch: Callable[[int, int], None] | None = None

    def earn(self, packets: Callable[[], int]) -> None:
        """Between two calls: go on in fast code after ``QUICK_PACKETS`` packets."""
        if self.level < host.FAST and packets() > QUICK_PACKETS:
            self._load(obtain(*self._source, host.FAST))

    def entry(self, name: str) -> Function:
        """The function ``name``."""
        if name not in self._entries:
            if name not in self.program.functions:
                known = ", ".join(self.program.functions)
                raise SimError(f"no function '{name}' in the program; it has: {known}")
            prototype = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
            self._entries[name] = prototype(self._address(f"g_{name}"))
        return self._entries[name]

    def dispatcher(self) -> Callable[[int, int], None]:
        """Calls the function at a guest address."""
        if self._dispatch is None:
            prototype = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint32)
            self._dispatch = prototype(self._address("g__dispatch"))
        return self._dispatch

    def near(self) -> Near:
        """The cache model's search for lines."""
        number = ctypes.c_uint32
        prototype = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, number, number, number, number)
        return prototype(self._address("mm_near"))

    def _address(self, name: str) -> int:
        return self._loaded[-1].address(name)
