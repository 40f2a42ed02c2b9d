"""Host functions in Python that need no threads: allocation, printing, the clock."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from hexagon_mlir.sim import layout
from hexagon_mlir.sim.checking.rules import Rule
from hexagon_mlir.sim.context import Context
from hexagon_mlir.sim.host_library.kernel_output import AssertionFailed, printed
from hexagon_mlir.sim.host_library.libc_args import VaReader
from hexagon_mlir.sim.host_library.libc_memory import GuestMemory
from hexagon_mlir.sim.translation.program import SimError

if TYPE_CHECKING:
    from hexagon_mlir.sim.machine import Machine


class HostCalls:
    """Entry points by name; each gets the calling thread's context and returns r0 (or r1:0), or nothing."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine

    def reset(self) -> None:
        """Nothing to reset: calls keep no state."""

    def functions(self) -> dict[str, Callable[[Context], int | None]]:
        return {
            "malloc": lambda c: self.machine.alloc_ddr(c.word(0)),
            "calloc": self.calloc,
            "aligned_alloc": self.aligned,
            "memalign": self.aligned,
            "free": self.free,
            "abort": self.abort,
            "hexmlir_rt_tcm_alloc": lambda c: self.machine.alloc_tcm(c.argument(0), c.argument(1)),
            "hexmlir_rt_tcm_free": self.tcm_free,
            "hexmlir_rt_cycles": lambda c: self.machine.cycles(),
            "hexmlir_rt_packets": lambda c: c.packets(),
            "hexmlir_rt_ticks": lambda c: int(self.machine.cycles() * self.machine.target.ticks_per_cycle),
            "hexmlir_rt_print_i32": lambda c: print(c.argument(0)),
            "hexmlir_rt_print_f32": lambda c: print(float(c.registers[:1].view(np.float32)[0])),
            "hexmlir_rt_print": self.print,
            "hexmlir_rt_assert_failed": self.assert_failed,
            "hexmlir_rt_pointer": self.pointer,
        }

    def aligned(self, context: Context) -> int:
        return self.machine.alloc_ddr(context.word(1), max(context.word(0), 8))

    def calloc(self, context: Context) -> int:
        size = context.word(0) * context.word(1)
        address = self.machine.alloc_ddr(size)
        self.machine.memory.view(address, size)[:] = 0
        return address

    def free(self, context: Context) -> None:
        address = context.word(0)
        if address and not self.machine.release("DDR", address):
            self.machine.fault(Rule.DOUBLE_FREE, address, f"free of {address:#x}, which is not an allocation")

    def tcm_free(self, context: Context) -> None:
        address = context.word(0)
        if not self.machine.release("TCM", address):
            message = f"hexmlir_rt_tcm_free of {address:#x}, which is not a TCM allocation"
            self.machine.fault(Rule.DOUBLE_FREE, address, message)

    def print(self, context: Context) -> None:
        z = VaReader.of_call(self._memory(context), context, 6).word()
        value, program = context.pair(0), [context.argument(4), context.argument(5), z]
        print(printed(self._text(context, 2), value, context.argument(3), program))

    def assert_failed(self, context: Context) -> None:
        raise AssertionFailed(self._text(context, 0), [context.argument(n) for n in (1, 2, 3)])

    def pointer(self, context: Context) -> int:
        """Guest address of an integer that is one, or that is an address of the host's memory."""
        address = context.pair(0) & (1 << 64) - 1
        if address < layout.SPACE_BYTES:
            return address
        return self.machine.host.resolve(address, context)

    def _memory(self, context: Context) -> GuestMemory:
        return GuestMemory(self.machine.memory, self.machine.checks, context)

    def _text(self, context: Context, register: int) -> str:
        return self._memory(context).string(int(context.registers[register])).decode()

    def abort(self, context: Context) -> None:
        raise SimError("the program called abort")
