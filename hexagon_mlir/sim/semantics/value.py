"""Typed LLVM IR values with Python operators: the language the instruction tables are written in.

A `Val` is an SSA name with its type; ``a + b`` emits an ``add`` and returns the new value. Python integers
and floats become constants (splats on vectors).
"""

from __future__ import annotations

import functools
import struct
from typing import NamedTuple

from hexagon_mlir.sim.semantics.float_model import PLAIN, FloatModel


class Type(NamedTuple):
    """``lanes`` elements of ``bits``; ``kind`` is 'i' or 'f'. One lane is a scalar."""

    lanes: int
    kind: str
    bits: int

    def element(self) -> str:
        if self.kind == "i":
            return f"i{self.bits}"
        return {16: "half", 32: "float", 64: "double"}[self.bits]

    def __str__(self) -> str:
        return _type_text(self)

    def mangle(self) -> str:
        """The suffix of an overloaded intrinsic name."""
        return ("" if self.lanes == 1 else f"v{self.lanes}") + f"{self.kind}{self.bits}"

    def of(self, bits: int, kind: str = "i") -> Type:
        return Type(self.lanes, kind, bits)


@functools.cache
def _type_text(ty: Type) -> str:
    return ty.element() if ty.lanes == 1 else f"<{ty.lanes} x {ty.element()}>"


I1, I8, I16, I32, I64 = (Type(1, "i", n) for n in (1, 8, 16, 32, 64))
F16, F32, F64 = (Type(1, "f", n) for n in (16, 32, 64))


class Code:
    """Lines of one LLVM function body and the declarations it needs."""

    def __init__(self, declarations: set[str], floats: FloatModel = PLAIN) -> None:
        self.floats = floats
        self.lines: list[str] = []
        self.allocas: list[str] = []
        self.declarations = declarations
        self.counter = 0
        self.sums: dict[str, tuple[Val, int]] = {}
        """An i32 name -> the value and the constant it is the sum of."""
        self.pointers: dict[tuple[str, int, int], str] = {}
        """Host pointers made since the last label, see `at` and `hostfns.guest_pointer`."""
        self.views: dict[tuple[str, Type], Val] = {}
        """What `Val.as_` gave since the last label."""
        self.conditions: dict[str, Val] = {}
        """Vector predicates made since the last label, by name: the lane results they come from, see `lanes.mask`."""
        self.sticky: list[tuple[int, Val]] | None = None
        """Bits of USR to set and their conditions, while somebody wants to know, see `isa.sticky`."""
        self.table: dict[str, int] | None = None
        """Symbols of the module to their places in the table of addresses at ``%addresses``, see `address`."""

    def name(self, hint: str = "t") -> str:
        self.counter += 1
        return f"{hint}{self.counter}"

    def put(self, line: str) -> None:
        self.lines.append("  " + line)

    def label(self, name: str) -> None:
        self.lines.append(f"{name}:")
        self.pointers.clear()
        self.views.clear()
        self.conditions.clear()

    def op(self, text: str, ty: Type) -> Val:
        name = "%" + self.name()
        self.lines.append(f"  {name} = {text}")
        return Val(self, name, ty)

    def const(self, value: int | float, ty: Type) -> Val:
        return Val(self, literal(value, ty), ty)

    def call(self, function: str, ty: Type, *args: Val) -> Val:
        self.declarations.add(f"declare {ty} @{function}({', '.join(str(a.ty) for a in args)})")
        return self.op(f"call {ty} @{function}({', '.join(f'{a.ty} {a.name}' for a in args)})", ty)

    def intrinsic(self, base: str, ty: Type, *args: Val) -> Val:
        """Call ``llvm.<base>`` overloaded on ``ty`` alone."""
        return self.call(f"llvm.{base}.{ty.mangle()}", ty, *args)

    def at(self, base: str, offset: int) -> str:
        """The pointer ``offset`` bytes past ``base``."""
        key = base, offset, 0
        if key not in self.pointers:
            self.pointers[key] = name = "%" + self.name("s")
            self.put(f"{name} = getelementptr i8, ptr {base}, i32 {offset}")
        return self.pointers[key]

    def address(self, symbol: str) -> str:
        """The pointer ``symbol``: from the table of addresses, if there is one."""
        if self.table is None:
            return symbol
        key = symbol, 0, 0
        if key not in self.pointers:
            place = self.at("%addresses", 8 * self.table.setdefault(symbol, len(self.table)))
            self.pointers[key] = name = "%" + self.name("f")
            self.put(f"{name} = load ptr, ptr {place}")
        return self.pointers[key]

    def alloca(self, ty: Type) -> str:
        name = "%" + self.name("a")
        self.allocas.append(f"  {name} = alloca {ty}, align {max(1, ty.lanes * ty.bits // 8)}")
        return name

    def load(self, pointer: str, ty: Type, align: int | None = None) -> Val:
        return self.op(f"load {ty}, ptr {pointer}" + (f", align {align}" if align else ""), ty)

    def store(self, value: Val, pointer: str, align: int | None = None) -> None:
        self.put(f"store {value.ty} {value.name}, ptr {pointer}" + (f", align {align}" if align else ""))


def literal(value: int | float, ty: Type) -> str:
    """``value`` as an LLVM constant of type ``ty``."""
    if ty.kind == "f":
        if ty.bits == 16:
            bits = struct.unpack("<H", struct.pack("<e", value))[0]
            text = f"0xH{bits:04X}"
        else:
            text = f"0x{struct.unpack('<Q', struct.pack('<d', float(value)))[0]:016X}"
    else:
        number = int(value) & ((1 << ty.bits) - 1)
        if ty.bits == 1:
            text = "true" if number else "false"
        else:
            text = str(number - (1 << ty.bits) if number >> (ty.bits - 1) else number)
    return text if ty.lanes == 1 else f"splat ({ty.element()} {text})"


class Val:
    """An SSA value."""

    __slots__ = ("code", "name", "ty")

    def __init__(self, code: Code, name: str, ty: Type) -> None:
        self.code = code
        self.name = name
        self.ty = ty

    # -- conversions ---------------------------------------------------------------------------------------
    def as_(self, ty: Type) -> Val:
        """The same bits as another type of equal size."""
        if ty == self.ty:
            return self
        views = self.code.views
        if (self.name, ty) not in views:
            made = views[self.name, ty] = self.code.op(f"bitcast {self.ty} {self.name} to {ty}", ty)
            views[made.name, self.ty] = self
        return views[self.name, ty]

    def view(self, bits: int, kind: str = "i") -> Val:
        """The same register as lanes of ``bits``."""
        return self.as_(Type(self.ty.lanes * self.ty.bits // bits, kind, bits))

    @property
    def b(self) -> Val:
        return self.view(8)

    @property
    def h(self) -> Val:
        return self.view(16)

    @property
    def w(self) -> Val:
        return self.view(32)

    @property
    def sf(self) -> Val:
        return self.view(32, "f")

    @property
    def hf(self) -> Val:
        return self.view(16, "f")

    @property
    def df(self) -> Val:
        return self.view(64, "f")

    def _cast(self, op: str, bits: int, kind: str) -> Val:
        ty = self.ty.of(bits, kind)
        return self if ty == self.ty else self.code.op(f"{op} {self.ty} {self.name} to {ty}", ty)

    def sext(self, bits: int) -> Val:
        return self._cast("sext", bits, "i")

    def zext(self, bits: int) -> Val:
        return self._cast("zext", bits, "i")

    def ext(self, bits: int, signed: bool) -> Val:
        return self.sext(bits) if signed else self.zext(bits)

    def trunc(self, bits: int) -> Val:
        return self._cast("trunc", bits, "i")

    def fpext(self, bits: int) -> Val:
        return self._cast("fpext", bits, "f")

    def fptrunc(self, bits: int) -> Val:
        return self._cast("fptrunc", bits, "f")

    def fptosi(self, bits: int) -> Val:
        """Truncated; the value must fit."""
        return self._cast("fptosi", bits, "i")

    def sitofp(self, bits: int) -> Val:
        return self._cast("sitofp", bits, "f")

    def uitofp(self, bits: int) -> Val:
        return self._cast("uitofp", bits, "f")

    # -- arithmetic ----------------------------------------------------------------------------------------
    def lift(self, other: Val | int | float) -> Val:
        return other if isinstance(other, Val) else self.code.const(other, self.ty)

    def bin(self, op: str, other: Val | int | float) -> Val:
        right = self.lift(other)
        return self.code.op(f"{op} {self.ty} {self.name}, {right.name}", self.ty)

    def _arith(self, op: str, other: Val | int | float) -> Val:
        return self.bin(("f" if self.ty.kind == "f" else "") + op, other)

    def distance(self) -> tuple[Val, int]:
        """This i32 as another value plus a constant."""
        return self.code.sums.get(self.name, (self, 0))

    def _moved(self, result: Val, constant: Val | int | float) -> Val:
        """``result``, recorded as this value plus ``constant``."""
        if isinstance(constant, int) and self.ty == I32:
            root, offset = self.distance()
            self.code.sums[result.name] = root, offset + constant
        return result

    def __add__(self, other: Val | int | float) -> Val:
        return self._moved(self._arith("add", other), other)

    def __sub__(self, other: Val | int | float) -> Val:
        return self._moved(self._arith("sub", other), -other if isinstance(other, int) else other)

    def __mul__(self, other: Val | int | float) -> Val:
        return self._arith("mul", other)

    def __and__(self, other: Val | int) -> Val:
        return self.bin("and", other)

    def __or__(self, other: Val | int) -> Val:
        return self.bin("or", other)

    def __xor__(self, other: Val | int) -> Val:
        return self.bin("xor", other)

    def __lshift__(self, other: Val | int) -> Val:
        return self.bin("shl", other)

    def __rshift__(self, other: Val | int) -> Val:
        """Arithmetic shift right."""
        return self.bin("ashr", other)

    def lshr(self, other: Val | int) -> Val:
        return self.bin("lshr", other)

    def __invert__(self) -> Val:
        return self.bin("xor", -1)

    def __neg__(self) -> Val:
        if self.ty.kind == "f":
            return self.code.op(f"fneg {self.ty} {self.name}", self.ty)
        return self.code.const(0, self.ty) - self

    def two(self, intrinsic: str, other: Val | int | float) -> Val:
        """``llvm.<intrinsic>(self, other)``, for example smax or uadd.sat."""
        return self.code.intrinsic(intrinsic, self.ty, self, self.lift(other))

    def one(self, intrinsic: str) -> Val:
        return self.code.intrinsic(intrinsic, self.ty, self)

    # -- comparison ----------------------------------------------------------------------------------------
    def icmp(self, predicate: str, other: Val | int) -> Val:
        right = self.lift(other)
        return self.code.op(f"icmp {predicate} {self.ty} {self.name}, {right.name}", self.ty.of(1))

    def fcmp(self, predicate: str, other: Val | float) -> Val:
        right = self.lift(other)
        return self.code.op(f"fcmp {predicate} {self.ty} {self.name}, {right.name}", self.ty.of(1))

    def select(self, yes: Val | int, no: Val | int) -> Val:
        """A select by this i1 (or vector of i1)."""
        left = yes if isinstance(yes, Val) else None
        right = no if isinstance(no, Val) else None
        model = left or right
        assert model is not None
        left, right = left or model.lift(yes), right or model.lift(no)
        return self.code.op(
            f"select {self.ty} {self.name}, {left.ty} {left.name}, {right.ty} {right.name}", left.ty
        )

    # -- lanes ---------------------------------------------------------------------------------------------
    def shuffle(self, other: Val | None, mask: list[int]) -> Val:
        """Lanes chosen from self (0..n-1) and other (n..2n-1)."""
        ty = Type(len(mask), self.ty.kind, self.ty.bits)
        right = "poison" if other is None else other.name
        indices = ", ".join(f"i32 {i}" for i in mask)
        return self.code.op(
            f"shufflevector {self.ty} {self.name}, {self.ty} {right}, <{len(mask)} x i32> <{indices}>", ty
        )

    def extract(self, index: Val | int) -> Val:
        where = f"i32 {index}" if isinstance(index, int) else f"{index.ty} {index.name}"
        element = Type(1, self.ty.kind, self.ty.bits)
        return self.code.op(f"extractelement {self.ty} {self.name}, {where}", element)

    def insert(self, value: Val, index: int) -> Val:
        return self.code.op(
            f"insertelement {self.ty} {self.name}, {value.ty} {value.name}, i32 {index}", self.ty
        )

    def splat(self, lanes: int) -> Val:
        """A vector with this scalar in every lane."""
        ty = Type(lanes, self.ty.kind, self.ty.bits)
        first = self.code.op(f"insertelement {ty} poison, {self.ty} {self.name}, i32 0", ty)
        return first.shuffle(None, [0] * lanes)
