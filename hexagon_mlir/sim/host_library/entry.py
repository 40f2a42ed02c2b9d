"""The entry from translated code to the host: host functions, reports of a checked build, requests for fast code."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from hexagon_mlir.sim import layout
from hexagon_mlir.sim.checking import check_model
from hexagon_mlir.sim.context import Context
from hexagon_mlir.sim.host_library.libc_memory import GuestMemory
from hexagon_mlir.sim.host_library.services import HostFunction
from hexagon_mlir.sim.stopping import Stopped
from hexagon_mlir.sim.translation.program import SimError

if TYPE_CHECKING:
    from hexagon_mlir.sim.machine import Machine

MAX_NESTED = 32
"""Most nested callbacks to the guest, as of a comparison function that sorts: each takes host stack."""


class HostEntry:
    """The callback of a machine's code. An exception becomes a trap, and is raised again after the code has
    returned."""

    def __init__(self, machine: Machine, functions: list[HostFunction]) -> None:
        self.machine = machine
        self.functions = functions
        """By number; their names are the program's ``callbacks``."""
        self.error: BaseException | None = None
        """The first one of a run."""
        self.inside: dict[int, int] = {}
        """Number of a state record -> number of the host function that its code is in."""
        self.nested: Counter[int] = Counter()
        """Number of a state record -> calls back to the guest that have not returned."""

    def begin(self) -> None:
        self.error = None
        self.inside.clear()
        self.nested.clear()

    def enter(self, index: int) -> None:
        """Called by translated code."""
        context = self.machine.scheduler.current.context
        assert context is not None
        if index == layout.HOT_CALLBACK:
            self._go_on_in_fast_code(context)
            return
        self.inside[context.index] = index
        try:
            if index < 0:
                self._handle_callback(index, context)
            elif (result := self.functions[index](context)) is not None:
                context.give(result)
        except BaseException as error:
            self._fail(error, context)
        self.inside.pop(context.index, None)

    def _fail(self, error: BaseException, context: Context) -> None:
        if not isinstance(error, Stopped) and self.error is None:
            line = self.machine.line(context)
            self.error = SimError(error.reason, line, error.hint) if type(error) is SimError and line else error
        if not context.words[layout.TRAP // 4]:
            context.words[layout.TRAP // 4] = 1

    def _go_on_in_fast_code(self, context: Context) -> None:
        """Quick code asks at the start of a block; if fast code runs the function to its end, it returns."""
        function = self.machine.fast_code(context.cells[layout.HOT // 4])
        if function is not None:
            function(context.address)
            context.cells[layout.HOT // 4] = layout.MOVED

    def _handle_callback(self, index: int, context: Context) -> None:
        """Handle callbacks that are no host functions: a fault or a copy of a checked build, a large copy."""
        checks = self.machine.checks
        if index in (layout.LARGE_COPY, layout.LARGE_FILL):
            memory = GuestMemory(self.machine.memory, None, context)
            memory.bounds(context.word(0), context.word(2), True)
            if index == layout.LARGE_COPY:
                memory.bounds(context.word(1), context.word(2), False)
        elif checks and index == check_model.REPORT_CALLBACK:
            checks.access_fault(context)
        elif checks and index == check_model.USED_CALLBACK:
            checks.undefined.used(context, checks.site(context))
        elif checks and index == check_model.STORED_CALLBACK:
            checks.undefined.stored_some(context, checks.site(context))
        elif checks and index == check_model.ABOVE_CALLBACK:
            checks.stored_above(context)
        elif checks and index == check_model.RETURN_CALLBACK:
            checks.frames.returned(context)
        elif checks:
            checks.copied(context, index == check_model.FILL_CALLBACK)

    # -- back to the guest -----------------------------------------------------------------------------------
    def call(self, context: Context, address: int, *arguments: int) -> int:
        """Call the guest function at ``address`` from within a host function, which keeps registers; its r0, signed."""
        if self.nested[context.index] == MAX_NESTED:
            raise SimError(f"library functions and functions they call are nested more than {MAX_NESTED} deep")
        self.nested[context.index] += 1
        kept = [part.copy() for part in context.all_registers]
        context.registers[: len(arguments)] = arguments
        context.registers[31] = layout.RETURN_ADDRESS
        within = self.inside.pop(context.index)
        self.machine.dispatch(context, address)
        self.inside[context.index] = within
        self.nested[context.index] -= 1
        if context.words[layout.TRAP // 4]:
            raise Stopped
        result = context.argument(0)
        for part, old in zip(context.all_registers, kept, strict=True):
            part[:] = old
        return result

    def resolve(self, address: int, context: Context) -> int:
        """Guest address of an address in host memory; allocations for it belong to the host, not to the program."""
        pointer = self.machine.host_pointer
        if pointer is None:
            raise SimError(f"{address:#x} is no address of the simulated machine")
        within = self.inside.pop(context.index)
        try:
            return pointer(address)
        finally:
            self.inside[context.index] = within

    @property
    def caller(self) -> Context | None:
        """The running thread's state record while it is in a host function."""
        context = self.machine.scheduler.current.context
        return context if context is not None and context.index in self.inside else None

    def where(self) -> tuple[str, int]:
        """A host function that code is in and the line it was called in, for messages; none: ""."""
        for number, index in list(self.inside.items()):
            name = self.machine.program.callbacks[index] if index >= 0 else "a copy"
            return name, self.machine.line(self.machine.contexts[number])
        return "", 0
