"""A small host libc for C programs in the simulator: output, strings, numbers, sorting, the end of the program.

The ABI is hexagon-linux-musl's (32-bit long and pointers). Output is collected in `Output`; there are no files and
no input. `rand` is a generator of our own. The cost of a call is in `libc_table`.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from hexagon_mlir.sim import layout
from hexagon_mlir.sim.context import Context
from hexagon_mlir.sim.host_library import libc_numbers as numbers
from hexagon_mlir.sim.host_library.libc_args import VaReader
from hexagon_mlir.sim.host_library.libc_format import MAX_TEXT, render
from hexagon_mlir.sim.host_library.libc_memory import GuestMemory
from hexagon_mlir.sim.host_library.libc_strings import STRINGS, StringFunction, token
from hexagon_mlir.sim.host_library.libc_table import PER_BYTE_CYCLES, PER_PRINTED_BYTE_CYCLES, SWAP_CYCLES
from hexagon_mlir.sim.stopping import Stopped
from hexagon_mlir.sim.translation.program import SimError

if TYPE_CHECKING:
    from hexagon_mlir.sim.machine import Machine

STDERR = 2
"""The value of ``stderr`` in a C program, see `c_start`."""
RAND_MAX = 0x7FFFFFFF
MAX_OUTPUT = 1 << 28
"""Bytes that a run may print."""
MAX_SORTED = 1 << 22
"""Elements that qsort takes."""
MAX_NUMBER = 1 << 20
"""Characters of a number that strtol and its like read."""
HostFunction = Callable[[Context], int | None]
Number = TypeVar("Number", int, float)


@dataclass
class Output:
    """What the program wrote."""

    out: bytearray = field(default_factory=bytearray)
    error: bytearray = field(default_factory=bytearray)


class Libc:
    """The library: entry points by name and the state behind them."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.reset()

    def reset(self) -> None:
        self.output = Output()
        self.at_exit: list[int] = []
        self.token = 0
        self.seed = 1

    def functions(self) -> dict[str, HostFunction]:
        table: dict[str, HostFunction] = {name: self.string(f) for name, f in STRINGS.items()}
        for name, stream, named in (("printf", False, 1), ("fprintf", True, 2)):
            table[name] = functools.partial(self.print, named=named, stream=stream, listed=False)
            table["v" + name] = functools.partial(self.print, named=named, stream=stream, listed=True)
        for name, limited, named in (("sprintf", False, 2), ("snprintf", True, 3)):
            table[name] = functools.partial(self.into, named=named, limited=limited, listed=False)
            table["v" + name] = functools.partial(self.into, named=named, limited=limited, listed=True)
        for name, bits, signed in (("strtol", 32, True), ("strtoul", 32, False), ("strtoll", 64, True),
                                   ("strtoull", 64, False)):  # fmt: skip
            table[name] = functools.partial(self.integer, bits=bits, signed=signed)
        for name, bits in (("atoi", 32), ("atol", 32), ("atoll", 64)):
            table[name] = functools.partial(self.integer, bits=bits, signed=True, plain=True)
        for name, plain, single in (("atof", True, False), ("strtod", False, False), ("strtof", False, True)):
            table[name] = functools.partial(self.floating, plain=plain, single=single)
        for name, ties_even in (("round", False), ("rint", True)):
            for prefix in ("l", "ll"):
                table[prefix + name] = functools.partial(self.rounded, ties_even=ties_even, single=False)
                table[prefix + name + "f"] = functools.partial(self.rounded, ties_even=ties_even, single=True)
        for name in ("putchar", "putc", "fputc", "_IO_putc"):
            table[name] = functools.partial(self.put_character, stream=name != "putchar")
        for name in ("exit", "_exit", "_Exit"):
            table[name] = functools.partial(self.exit, handlers=name == "exit")
        for name in ("abs", "labs"):
            table[name] = lambda c: abs(c.argument(0))
        table |= {
            "llabs": lambda c: abs(c.pair(0)),
            "puts": self.puts, "fputs": self.fputs, "fwrite": self.fwrite, "fflush": lambda c: 0,
            "strtok": self.strtok, "strtok_r": self.strtok_r, "strdup": self.duplicate, "strndup": self.duplicate_some,
            "realloc": self.realloc, "posix_memalign": self.posix_memalign,
            "qsort": self.sort, "bsearch": self.search, "rand": self.rand, "srand": self.srand,
            "frexp": self.frexp, "frexpf": self.frexpf, "modf": self.modf, "modff": self.modff,
            "ilogb": lambda c: math.frexp(numbers.f64_of(c.pair(0)))[1] - 1,
            "ilogbf": lambda c: math.frexp(numbers.f32_of(c.argument(0)))[1] - 1,
            "sincos": self.sincos, "sincosf": self.sincosf,
            "atexit": self.register, "__assert_fail": self.assertion,
            "__stack_chk_fail": self.smashed,
        }  # fmt: skip
        return table

    def memory(self, context: Context) -> GuestMemory:
        return GuestMemory(self.machine.memory, self.machine.checks, context)

    # -- output --------------------------------------------------------------------------------------------
    def write(self, context: Context, data: bytes, stream: int = 1) -> int:
        self.room(len(data))
        (self.output.error if stream == STDERR else self.output.out).extend(data)
        context.add("host_stall", len(data) * PER_BYTE_CYCLES)
        return len(data)

    def room(self, nbytes: int) -> None:
        """Raise an error if so many more bytes exceed the limit of output."""
        if len(self.output.out) + len(self.output.error) + nbytes > MAX_OUTPUT:
            raise SimError(f"the program printed more than {MAX_OUTPUT} bytes")

    def formatted(self, context: Context, named: int, listed: bool) -> bytes:
        """The text of a printf whose format is argument ``named`` (from 1)."""
        memory = self.memory(context)
        pattern = memory.string(int(context.registers[named - 1]), MAX_TEXT + 1)
        if listed:
            arguments = VaReader.of_list(memory, int(context.registers[named]))
        else:
            arguments = VaReader.of_call(memory, context, named)
        text = render(pattern, arguments)
        context.add("host_stall", len(text) * PER_PRINTED_BYTE_CYCLES)
        return text

    def print(self, context: Context, named: int, stream: bool, listed: bool) -> int:
        return self.write(context, self.formatted(context, named, listed), context.word(0) if stream else 1)

    def into(self, context: Context, named: int, limited: bool, listed: bool) -> int:
        text = self.formatted(context, named, listed)
        room = context.word(1) if limited else len(text) + 1
        if room:
            self.memory(context).write(context.word(0), text[: room - 1] + b"\0")
        return len(text)

    def put_character(self, context: Context, stream: bool) -> int:
        byte = context.word(0) & 255
        self.write(context, bytes([byte]), context.word(1) if stream else 1)
        return byte

    def puts(self, context: Context) -> int:
        text = self.memory(context).string(context.word(0), MAX_OUTPUT + 1)
        return self.write(context, text) + self.write(context, b"\n")

    def fputs(self, context: Context) -> int:
        return self.write(context, self.memory(context).string(context.word(0), MAX_OUTPUT + 1), context.word(1))

    def fwrite(self, context: Context) -> int:
        address, size, count, stream = (int(word) for word in context.registers[:4])
        self.room(size * count)
        self.write(context, self.memory(context).read(address, size * count), stream)
        return count if size else 0

    # -- strings and memory --------------------------------------------------------------------------------
    def string(self, function: StringFunction) -> HostFunction:
        def run(context: Context) -> int:
            a, b, c = (int(word) for word in context.registers[:3])
            result, nbytes = function(self.memory(context), (a, b, c))
            context.add("host_stall", nbytes * PER_BYTE_CYCLES)
            return result

        return run

    def strtok(self, context: Context) -> int:
        text = context.word(0) or self.token
        if not text:
            return 0
        start, self.token, nbytes = token(self.memory(context), text, context.word(1))
        context.add("host_stall", nbytes * PER_BYTE_CYCLES)
        return start

    def strtok_r(self, context: Context) -> int:
        memory, place = self.memory(context), context.word(2)
        text = context.word(0) or memory.word(place)
        if not text:
            return 0
        start, rest, nbytes = token(memory, text, context.word(1))
        memory.put_word(place, rest)
        context.add("host_stall", nbytes * PER_BYTE_CYCLES)
        return start

    def duplicate(self, context: Context, limit: int | None = None) -> int:
        memory = self.memory(context)
        size = memory.length(context.word(0), limit)
        address = self.machine.alloc_ddr(size + 1)
        memory.copy(address, context.word(0), size)
        memory.write(address + size, b"\0")
        context.add("host_stall", (size + 1) * PER_BYTE_CYCLES)
        return address

    def duplicate_some(self, context: Context) -> int:
        return self.duplicate(context, context.word(1))

    def realloc(self, context: Context) -> int:
        old, size = context.word(0), context.word(1)
        live = self.machine.memory.ddr.live.get(old)
        if old and live is None:
            raise SimError(f"realloc of {old:#x}, which is not an allocation")
        address = self.machine.alloc_ddr(size)
        if live:
            kept = min(live[1], size)
            self.machine.memory.move(address, old, kept)
            if self.machine.checks:
                self.machine.checks.initialise(address, kept)
            self.machine.release("DDR", old)
            context.add("host_stall", kept * PER_BYTE_CYCLES)
        return address

    def posix_memalign(self, context: Context) -> int:
        place, align, size = (int(word) for word in context.registers[:3])
        self.memory(context).put_word(place, self.machine.alloc_ddr(size, align))
        return 0

    # -- numbers -------------------------------------------------------------------------------------------
    def number(self, context: Context, read: Callable[[bytes], tuple[Number, int]], plain: bool) -> Number:
        """The value that ``read`` parses after white space, and its length in bytes; its end is stored."""
        memory, start = self.memory(context), context.word(0)
        begin = start + memory.span(start, numbers.SPACE)
        value, used = read(memory.string(begin, MAX_NUMBER))
        if used == MAX_NUMBER:
            raise SimError(f"a number of {MAX_NUMBER} characters or more")
        end = begin + used if used else start
        if not plain and context.registers[1]:
            memory.put_word(context.word(1), end)
        context.add("host_stall", (end - start) * PER_BYTE_CYCLES)
        return value

    def integer(self, context: Context, bits: int, signed: bool, plain: bool = False) -> int:
        base = 10 if plain else context.argument(2)
        return numbers.clamped(self.number(context, lambda text: numbers.integer(text, base), plain), bits, signed)

    def floating(self, context: Context, plain: bool, single: bool) -> int:
        value = self.number(context, numbers.floating, plain)
        return numbers.f32_bits(value) if single else numbers.f64_bits(value)

    def rounded(self, context: Context, ties_even: bool, single: bool) -> int:
        value = numbers.f32_of(context.argument(0)) if single else numbers.f64_of(context.pair(0))
        return numbers.rounded(value, ties_even)

    def frexp(self, context: Context) -> int:
        fraction, exponent = math.frexp(numbers.f64_of(context.pair(0)))
        self.memory(context).put_word(context.word(2), exponent)
        return numbers.f64_bits(fraction)

    def frexpf(self, context: Context) -> int:
        fraction, exponent = math.frexp(numbers.f32_of(context.argument(0)))
        self.memory(context).put_word(context.word(1), exponent)
        return numbers.f32_bits(fraction)

    def modf(self, context: Context) -> int:
        fraction, whole = math.modf(numbers.f64_of(context.pair(0)))
        self.memory(context).write(context.word(2), numbers.f64_bits(whole).to_bytes(8, "little"))
        return numbers.f64_bits(fraction)

    def modff(self, context: Context) -> int:
        fraction, whole = math.modf(numbers.f32_of(context.argument(0)))
        self.memory(context).put_word(context.word(1), numbers.f32_bits(whole))
        return numbers.f32_bits(fraction)

    def sincos(self, context: Context) -> None:
        value = numbers.f64_of(context.pair(0))
        for register, function in ((2, math.sin), (3, math.cos)):
            result = function(value) if math.isfinite(value) else math.nan
            self.memory(context).write(int(context.registers[register]), numbers.f64_bits(result).to_bytes(8, "little"))

    def sincosf(self, context: Context) -> None:
        value = numbers.f32_of(context.argument(0))
        for register, function in ((1, math.sin), (2, math.cos)):
            result = function(value) if math.isfinite(value) else math.nan
            self.memory(context).put_word(int(context.registers[register]), numbers.f32_bits(result))

    def rand(self, context: Context) -> int:
        """A 64-bit linear congruential generator; the upper bits are its output."""
        self.seed = (self.seed * 6364136223846793005 + 1442695040888963407) & ((1 << 64) - 1)
        return self.seed >> 33 & RAND_MAX

    def srand(self, context: Context) -> None:
        self.seed = context.word(0)

    # -- calls back into the guest ---------------------------------------------------------------------------
    def sort(self, context: Context) -> None:
        """qsort by merging, with the elements copied to scratch memory for the comparison function."""
        base, count, size, function = (int(word) for word in context.registers[:4])
        if count > MAX_SORTED:
            raise SimError(f"qsort of {count} elements: more than {MAX_SORTED}")
        if count < 2 or not size:
            return
        memory = self.memory(context)
        memory.bounds(base, count * size, False)
        scratch = self.machine.alloc_ddr(count * size)
        memory.copy(scratch, base, count * size)

        def order(left: int, right: int) -> int:
            self.machine.memory.stop.check()
            context.add("host_stall", SWAP_CYCLES)
            return self.machine.host.call(context, function, left, right)

        places = sorted((scratch + size * i for i in range(count)), key=functools.cmp_to_key(order))
        memory.bounds(base, count * size, True)
        for to, place in zip(range(base, base + count * size, size), places, strict=True):
            self.machine.memory.stop.check()
            self.machine.memory.mapping[to : to + size] = self.machine.memory.mapping[place : place + size]
        self.machine.release("DDR", scratch)

    def search(self, context: Context) -> int:
        key, base, count, size, function = (int(word) for word in context.registers[:5])
        low, high = 0, count
        while low < high:
            middle = (low + high) // 2
            context.add("host_stall", SWAP_CYCLES)
            place = base + size * middle & 0xFFFFFFFF
            order = self.machine.host.call(context, function, key, place)
            if order == 0:
                return place
            low, high = (low, middle) if order < 0 else (middle + 1, high)
        return 0

    # -- the end -------------------------------------------------------------------------------------------
    def register(self, context: Context) -> int:
        self.at_exit.append(context.word(0))
        return 0

    def exit(self, context: Context, handlers: bool) -> None:
        """End the program; r0 of the result is the exit code."""
        code = context.word(0)
        while handlers and self.at_exit:
            self.machine.host.call(context, self.at_exit.pop())
        context.give(code)
        context.words[layout.TRAP // 4] = layout.STOPPED
        raise Stopped

    def smashed(self, context: Context) -> None:
        raise SimError("the program wrote past an array on its stack (__stack_chk_fail)")

    def assertion(self, context: Context) -> None:
        memory = self.memory(context)
        text, file, line = (int(word) for word in context.registers[:3])
        raise SimError(f"{memory.string(file).decode('latin-1')}:{line}: assertion failed: "
                       f"{memory.string(text).decode('latin-1')}")  # fmt: skip
