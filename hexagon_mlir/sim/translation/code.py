"""A program's host code, loaded: quick to generate at first, fast after the program has run for long.

A long call switches in its middle. Between blocks the registers of quick code are in the state record, and a loop
requests fast code periodically (`lower.HOT_RUNS`): its function is translated a second time, entered at that loop and
run to its end; then the quick code returns.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable

from hexagon_mlir.sim.arithmetic import Arithmetic
from hexagon_mlir.sim.memory_system.cache_tags import Near
from hexagon_mlir.sim.semantics.float_model import FloatModel
from hexagon_mlir.sim.translation import host
from hexagon_mlir.sim.translation.cached import check_code, model_code, obtain, routine_code
from hexagon_mlir.sim.translation.program import Program, SimError
from hexagon_mlir.targets import Target

QUICK_PACKETS = 8_000_000
"""A program that has issued more gets fast code: by then it has cost about as much time as generating it does."""
Function = Callable[[int], None]
"""Translated code: takes the host address of a state record."""
FUNCTION = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Code:
    """The translated functions of an assembly text. Both levels give the same values and count the same."""

    def __init__(self, text: str, target: Target, exact: bool, check: bool, arithmetic: Arithmetic) -> None:
        self._source = functools.partial(obtain, text, target, exact, check, arithmetic=arithmetic)
        self._models = [model_code(target)] * exact + [check_code(target)] * check
        self._floats = FloatModel.of(target, arithmetic)
        self.program = self._source()
        self._loaded: list[host.Loaded] = []
        self._hot: dict[int, Function] = {}
        """Fast code that quick code has gone on in, by the number of the block it stood before."""
        self._next_hot = QUICK_PACKETS
        self._load(self.program)

    def _load(self, program: Program) -> None:
        routines = [routine_code(self._floats)] if program.routines else []
        try:
            # a thread may be executing the previous one
            self._loaded.append(host.Loaded(program.code, *self._models, *routines))
        except host.UnresolvedError as error:
            raise SimError(f"this machine has no function '{error.names[0]}', which translated code calls") from None
        self.level = program.level
        self._entries: dict[str, Function] = {}
        self._dispatch: Callable[[int, int], None] | None = None

    def earn(self, packets: Callable[[], int]) -> None:
        """Between two calls: continue in fast code after ``QUICK_PACKETS`` packets."""
        if self.level < host.FAST and packets() > QUICK_PACKETS:
            self._load(self._source(host.FAST))

    def goes_on(self, block: int, packets: Callable[[], int]) -> Function | None:
        """Fast code for quick code that stands before ``block``, when that has been earned: by all packets so far for
        the first such block, by as many again for each one more."""
        if block not in self._hot:
            if packets() <= self._next_hot:
                return None
            program = self._source(host.FAST, block)
            self._load(program)
            self._next_hot = packets() + QUICK_PACKETS
            self._hot[block] = FUNCTION(self._address(f"r_{block}"))
        return self._hot[block]

    def entry(self, name: str) -> Function:
        """The function ``name``."""
        if name not in self._entries:
            if name not in self.program.functions:
                known = ", ".join(self.program.functions) or "none"
                raise SimError(f"no function '{name}' in the program; it has: {known}")
            self._entries[name] = FUNCTION(self._address(f"g_{self.program.functions.index(name)}"))
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
