"""Host functions for the reference interpreter: integer division, C math, memory, the runtime's basics."""

from __future__ import annotations

import ctypes
import ctypes.util
import functools
import re
import struct
from typing import Any

from hexagon_mlir.sim.host_library.hostfns import INLINE
from hexagon_mlir.sim.memory_system.memory import Memory, OutOfMemory
from hexagon_mlir.sim.reference.exact import DOUBLE, HALF, SINGLE, multiply_add, rounded, value
from hexagon_mlir.sim.reference.packet import Registers
from hexagon_mlir.sim.reference.rules import signed
from hexagon_mlir.sim.translation.program import SimError

_DIVISION = re.compile(r"__(?:hexagon_)?(u?)(div|mod)(s|d)i3$")
_LIBRARY_NAME = {
    "__hexagon_sqrtf": "sqrtf", "__hexagon_sqrtdf2": "sqrt", "__hexagon_fmadf4": "fma",
}  # fmt: skip
_COPY = "__hexagon_memcpy_likely_aligned_min32bytes_mult8bytes"


@functools.cache
def _library() -> ctypes.CDLL:
    return ctypes.CDLL(ctypes.util.find_library("m"))


def divide(name: str, a: int, b: int, bits: int, is_signed: bool) -> int:
    """Rounds toward zero; by zero the quotient is 0 and the remainder the dividend."""
    if is_signed:
        a, b = signed(a, bits), signed(b, bits)
    if b == 0:
        return 0 if name == "div" else a
    quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return quotient if name == "div" else a - quotient * b


class Host:
    """Calls on the guest's registers and memory."""

    def __init__(self, memory: Memory, registers: Registers) -> None:
        self.memory = memory
        self.registers = registers

    def word(self, number: int) -> int:
        return self.registers["R", number]

    def result(self, number: int, bits: int = 32) -> None:
        self.registers["R", 0] = number & 0xFFFFFFFF
        if bits == 64:
            self.registers["R", 1] = number >> 32 & 0xFFFFFFFF

    def call(self, name: str) -> None:
        """Run host function ``name``."""
        method = getattr(self, "do_" + name, None)
        if method is not None:
            method()
        elif found := _DIVISION.match(name):
            unsigned, operation, size = found.groups()
            bits = 32 if size == "s" else 64
            a, b = (self.wide(0), self.wide(2)) if bits == 64 else (self.word(0), self.word(1))
            self.result(divide(operation, a, b, bits, not unsigned), bits)
        elif name in INLINE:
            self.math(name, INLINE[name].signature)
        else:
            raise SimError(f"the reference interpreter has no host function '{name}'")

    def wide(self, register: int) -> int:
        return self.word(register + 1) << 32 | self.word(register)

    # -- mathematics ---------------------------------------------------------------------------------------
    def math(self, name: str, signature: str) -> None:
        """C library functions on f32 (f) and f64 (d) arguments."""
        register = 0
        patterns = []
        for letter in signature[1:]:
            if letter == "d":
                register += register % 2
                patterns.append(self.wide(register))
                register += 2
            else:
                patterns.append(self.word(register))
                register += 1
        if found := re.match(r"__hexagon_(div|add|sub|mul)(s|d)f3$", name):
            self.soft(found.group(1), SINGLE if found.group(2) == "s" else DOUBLE, patterns)
            return
        types = {"f": ctypes.c_float, "d": ctypes.c_double}
        try:
            function = getattr(_library(), _LIBRARY_NAME.get(name, name))
        except AttributeError as error:
            raise SimError(f"the reference interpreter has no host function '{name}'") from error
        function.restype = types[signature[0]]
        function.argtypes = [types[letter] for letter in signature[1:]]
        values = [
            struct.unpack("<f" if letter == "f" else "<d", pattern.to_bytes(4 if letter == "f" else 8, "little"))[0]
            for letter, pattern in zip(signature[1:], patterns, strict=True)
        ]
        answer = function(*values)
        code, bits = ("<f", 32) if signature[0] == "f" else ("<d", 64)
        self.result(int.from_bytes(struct.pack(code, answer), "little"), bits)

    def soft(self, name: str, f, patterns: list[int]) -> None:
        a, b = patterns
        one = f.bias << f.fraction_bits
        if name == "div":
            bits = self._quotient(a, b, f)
        elif name == "mul":
            bits = multiply_add(a, b, (a ^ b) & f.sign, f)
        else:
            bits = multiply_add(a, one, b ^ f.sign if name == "sub" else b, f)
        self.result(bits, f.bits)

    @staticmethod
    def _quotient(a: int, b: int, f) -> int:
        size_a, size_b, sign = a & ~f.sign, b & ~f.sign, (a ^ b) & f.sign
        nan = f.infinity | 1 << f.fraction_bits - 1
        if max(size_a, size_b) > f.infinity or size_a == size_b == f.infinity or size_a == size_b == 0:
            return nan
        if size_a == f.infinity or size_b == 0:
            return sign | f.infinity
        if size_b == f.infinity:
            return sign
        return rounded(value(a, f) / value(b, f), f, int(sign != 0))

    def _round(self, pattern: int, source, result) -> int:
        """Narrow or widen a float pattern."""
        size, sign = pattern & ~source.sign, result.sign if pattern & source.sign else 0
        if size > source.infinity:
            return sign | result.infinity | 1 << result.fraction_bits - 1
        if size == source.infinity:
            return sign | result.infinity
        return rounded(value(pattern, source), result, int(sign != 0))

    def do___extendhfsf2(self) -> None:
        self.result(self._round(self.word(0) & 0xFFFF, HALF, SINGLE))

    def do___truncsfhf2(self) -> None:
        self.result(self._round(self.word(0), SINGLE, HALF))

    def do___truncdfhf2(self) -> None:
        self.result(self._round(self.wide(0), DOUBLE, HALF))

    def do___truncsfbf2(self) -> None:
        bits = self.word(0)
        size = bits & ~SINGLE.sign
        self.result(bits >> 16 | 0x40 if size > SINGLE.infinity else bits + 0x7FFF + (bits >> 16 & 1) >> 16)

    # -- memory --------------------------------------------------------------------------------------------
    def do_memcpy(self) -> None:
        to, source, count = (self.word(n) for n in range(3))
        self.memory.bytes[to : to + count] = self.memory.bytes[source : source + count].copy()

    do_memmove = do_memcpy

    def do_memset(self) -> None:
        to, byte, count = (self.word(n) for n in range(3))
        self.memory.bytes[to : to + count] = byte & 0xFF

    def _allocate(self, allocator: Any, size: int, align: int) -> None:
        try:
            self.result(allocator.allocate(size, align))
        except OutOfMemory as error:
            raise SimError(str(error)) from error

    def do_malloc(self) -> None:
        self._allocate(self.memory.ddr, self.word(0), 128)

    def do_aligned_alloc(self) -> None:
        self._allocate(self.memory.ddr, self.word(1), max(self.word(0), 8))

    do_memalign = do_aligned_alloc

    def do_calloc(self) -> None:
        size = self.word(0) * self.word(1)
        self._allocate(self.memory.ddr, size, 128)
        self.memory.view(self.word(0), size)[:] = 0

    def do_free(self) -> None:
        if self.word(0) and not self.memory.ddr.free(self.word(0)):
            raise SimError(f"free of {self.word(0):#x}, which is not an allocation")

    def do_hexmlir_rt_tcm_alloc(self) -> None:
        align = max(self.word(1), int(self.memory.target.tcm_alignment.value))
        self._allocate(self.memory.tcm, self.word(0), align)

    def do_hexmlir_rt_tcm_free(self) -> None:
        if not self.memory.tcm.free(self.word(0)):
            raise SimError(f"hexmlir_rt_tcm_free of {self.word(0):#x}, which is not a TCM allocation")

    def do_hexmlir_rt_copy_2d(self) -> None:
        to, source = self.word(0), self.word(1)
        row_bytes, rows, to_stride, source_stride = (signed(self.word(n), 32) for n in range(2, 6))
        block = [self.memory.view(source + i * source_stride, row_bytes).copy() for i in range(max(rows, 0))]
        for i, row in enumerate(block):
            self.memory.write(to + i * to_stride, row)

    def do_abort(self) -> None:
        raise SimError("the program called abort")


setattr(Host, "do_" + _COPY, Host.do_memcpy)
