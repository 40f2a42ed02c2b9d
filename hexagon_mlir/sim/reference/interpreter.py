"""Whole functions on the reference interpreter, with the interface of `Machine` (without cycles).

Only one hardware thread; a host call costs nothing; reading the cycle counter gives the packets run so far.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hexagon_mlir import targets
from hexagon_mlir.isa.blocks import DecodedPacket
from hexagon_mlir.isa.decode import FormError, decode
from hexagon_mlir.isa.reader import AsmError, Function, parse
from hexagon_mlir.sim import Arg64, layout
from hexagon_mlir.sim.arithmetic import DEFAULT_ARITHMETIC
from hexagon_mlir.sim.host_library.hostfns import CALLBACKS, INLINE
from hexagon_mlir.sim.memory_system.memory import Allocator, Memory, OutOfMemory
from hexagon_mlir.sim.reference.arithmetic import model
from hexagon_mlir.sim.reference.host import Host
from hexagon_mlir.sim.reference.matrix_engine import MatrixEngine
from hexagon_mlir.sim.reference.packet import Outcome, Registers, Transfer, execute
from hexagon_mlir.sim.translation.image import MAX_DEPTH
from hexagon_mlir.sim.translation.link import SimError, assign_addresses, data_image
from hexagon_mlir.targets import Target

STACK_ALIGN = 128


@dataclass
class Result:
    """What a run did."""

    packets: int
    hvx_packets: int
    return_value: int
    """r1:0 at the end, unsigned."""


@dataclass
class Frame:
    """A running function: the next packet and its hardware loops (number -> [start packet, count, stages])."""

    function: Function
    packet: int
    loops: dict[str, list[int]]


class Interpreter:
    """One hardware thread that runs a program packet by packet.

    ``arithmetic`` "ieee" or "chip" and ``qfloat`` "legacy" or "extended" are those of `Model`; without ``qfloat`` it is
    the target's.
    """

    def __init__(
        self, asm_text: str, target: str | Target = targets.DEFAULT, arithmetic: str = DEFAULT_ARITHMETIC,
        qfloat: str | None = None,
    ) -> None:
        self.target = targets.get(target) if isinstance(target, str) else target
        self.model = model(self.target, arithmetic, qfloat)
        try:
            self.module = parse(asm_text)
        except AsmError as error:
            raise SimError(error.reason, error.line) from error
        self.symbols, self._bases, _ = assign_addresses(self.module)
        self._data = data_image(self.module, self.symbols, self._bases)
        self._at = {address: name for name, address in self.symbols.items() if address < layout.DATA_BASE}
        self._decoded: dict[tuple[str, int], DecodedPacket] = {}
        self.memory = Memory(self.target)
        self.registers = Registers()
        tcm = self.memory.tcm
        self.engine = MatrixEngine(self.target.version, tcm.base, tcm.base + tcm.size)
        self._host = Host(self.memory, self.registers)
        self.reset()

    # -- memory --------------------------------------------------------------------------------------------
    def alloc_ddr(self, nbytes: int, align: int = 128) -> int:
        """Guest address of ``nbytes`` of DDR."""
        return _allocate(self.memory.ddr, nbytes, align)

    def alloc_tcm(self, nbytes: int, align: int | None = None) -> int:
        """Guest address of ``nbytes`` of TCM."""
        return _allocate(self.memory.tcm, nbytes, max(align or 1, int(self.target.tcm_alignment.value)))

    def write(self, address: int, data: np.ndarray) -> None:
        """Copy ``data`` to guest memory."""
        self.memory.write(address, data)

    def read(self, address: int, dtype: np.typing.DTypeLike, count: int) -> np.ndarray:
        """A copy of ``count`` elements at ``address``."""
        return self.memory.read(address, np.dtype(dtype), count)

    def symbol(self, name: str) -> int:
        """Guest address of a data symbol or function."""
        if name not in self.symbols:
            raise SimError(f"no symbol '{name}' in the program")
        return self.symbols[name]

    def reset(self) -> None:
        """Free every guest allocation, restore initial data and clear the matrix engine."""
        self.memory.reset()
        self.engine.reset()
        for address, text in self._data:
            self.memory.write(address, bytes.fromhex(text))

    # -- running -------------------------------------------------------------------------------------------
    def run(
        self, entry: str, args: Sequence[int | float | Arg64] = (), max_packets: int = 100_000_000
    ) -> Result:
        """Call ``entry``; see `Machine.run` for arguments. More than ``max_packets`` is an error."""
        if entry not in self.module.functions:
            known = ", ".join(self.module.functions) or "none"
            raise SimError(f"no function '{entry}' in the program; it has: {known}")
        self.place(args)
        self.frames = [Frame(self.module.functions[entry], 0, {})]
        self.packets = self.hvx_packets = 0
        while self.frames:
            if self.packets >= max_packets:
                raise SimError(f"the program did not finish within {max_packets} packets")
            self.step()
        value = self.registers["R", 0] | self.registers["R", 1] << 32
        return Result(self.packets, self.hvx_packets, value)

    def place(self, args: Sequence[int | float | Arg64]) -> None:
        """Arguments after the Hexagon ABI: r0..r5 (64-bit ones in even pairs), then the stack."""
        registers, stack = [0] * 6, bytearray()
        used = 0
        for argument in args:
            if isinstance(argument, (float, np.floating)):
                argument = int(np.float32(argument).view(np.uint32))
            size = 8 if isinstance(argument, Arg64) else 4
            value = argument.value if isinstance(argument, Arg64) else argument
            used += used % 2 if size == 8 and used < 6 else 0
            if used + size // 4 <= 6:
                for part in range(size // 4):
                    registers[used + part] = value >> 32 * part & 0xFFFFFFFF
                used += size // 4
            else:
                used = 6
                stack += bytes(-len(stack) % size) + (value & ((1 << 8 * size) - 1)).to_bytes(size, "little")
        top = layout.STACK_BASE + int(self.target.stack_bytes.value)
        pointer = (top - len(stack) - STACK_ALIGN) & -STACK_ALIGN
        self.memory.write(pointer, bytes(stack))
        for number, value in enumerate(registers):
            self.registers["R", number] = value
        for number, value in ((29, pointer), (30, 0), (31, layout.RETURN_ADDRESS)):
            self.registers["R", number] = value

    def step(self) -> None:
        """Run the next packet."""
        frame = self.frames[-1]
        name = frame.function.name
        if frame.packet >= len(frame.function.packets):
            raise SimError(f"control ran past the end of '{name}'")
        try:
            packet = self.decoded(frame.function, frame.packet)
            outcome = execute(
                packet, self.registers, self.memory.bytes, self.symbols, self.packets, self.model, self.engine
            )
        except FormError as error:
            raise SimError(f"{error.reason} in function '{name}'", error.line) from error
        except KeyError as error:
            raise SimError(f"undefined symbol {error} in function '{name}'") from error
        self.packets += 1
        self.hvx_packets += packet.hvx
        frame.packet += 1
        for number, (label, count, stages) in outcome.loops.items():
            frame.loops[number] = [frame.function.labels[label], count, stages]
        self.leave(frame, packet, outcome)

    def decoded(self, function: Function, index: int) -> DecodedPacket:
        key = function.name, index
        if key not in self._decoded:
            packet = function.packets[index]
            self._decoded[key] = DecodedPacket(packet, decode(packet))
        return self._decoded[key]

    def leave(self, frame: Frame, packet: DecodedPacket, outcome: Outcome) -> None:
        """The first taken transfer, else the end of a hardware loop."""
        for transfer in outcome.transfers:
            self.transfer(frame, transfer)
            if transfer.insn.kind not in ("call", "callr"):
                return
        for mark, number in ((packet.packet.end_loop0, "0"), (packet.packet.end_loop1, "1")):
            if not mark:
                continue
            if number not in frame.loops:
                frame.loops[number] = [0, 0, 0]
            start, count, stages = frame.loops[number]
            if stages and number == "0":
                frame.loops[number][2] = stages - 1
                if stages == 1:  # spNloop0: the prologue of a software pipeline is over
                    self.registers["P", 3] = 0xFF
            if count > 1:
                frame.loops[number][1] = count - 1
                frame.packet = start
                return

    def transfer(self, frame: Frame, transfer: Transfer) -> None:
        insn = transfer.insn
        if insn.key == "dealloc_return" or (insn.kind == "jumpr" and insn.sources[0].number == 31):
            self.frames.pop()
        elif insn.kind in ("jump", "newjump"):
            self.go(frame, str(insn.target))
        elif insn.kind == "jumpr":
            self.go(frame, self.name_at(transfer.address))
        else:
            self.registers["R", 31] = layout.RETURN_ADDRESS
            self.call(str(insn.target) if insn.kind == "call" else self.name_at(transfer.address))

    def name_at(self, address: int) -> str:
        if address not in self._at:
            raise SimError(f"call of an address that is no function: {address:#x}")
        return self._at[address]

    def go(self, frame: Frame, target: str) -> None:
        """A label here, or a tail call."""
        if target in frame.function.labels:
            frame.packet = frame.function.labels[target]
        else:
            self.frames.pop()
            self.call(target)

    def call(self, name: str) -> None:
        if name in self.module.functions:
            if len(self.frames) >= MAX_DEPTH:
                raise SimError(f"stack overflow in '{name}'")
            self.frames.append(Frame(self.module.functions[name], 0, {}))
        elif name in INLINE or name in CALLBACKS:
            self._host.call(name)
        else:
            raise SimError(f"call of unknown symbol '{name}'")


def _allocate(allocator: Allocator, nbytes: int, align: int) -> int:
    try:
        return allocator.allocate(nbytes, align)
    except OutOfMemory as error:
        raise SimError(str(error)) from error
