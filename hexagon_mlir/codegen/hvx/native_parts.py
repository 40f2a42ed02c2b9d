"""Native parts of vector values and the instructions that make them: formats, lane strides, widths."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from hexagon_mlir.codegen.hvx.half_conversions import widened_pair, widened_words
from hexagon_mlir.codegen.hvx.half_narrowing import operands
from hexagon_mlir.codegen.hvx.split_plan import BITS, VECTOR_BITS
from hexagon_mlir.codegen.hvx.value_forms import constant
from hexagon_mlir.llvmir import Instruction
from hexagon_mlir.llvmir.types import lanes_of, vector_type

FORMATS = {"float": ("sf", "qf32"), "half": ("hf", "qf16")}
_ONE_HALF_TWICE = 0x3C003C00
_NARROWING = {(16, True): "vpackeb", (32, True): "vpackeh", (16, False): "vshuffeb", (32, False): "vshufeh"}
"""(bits, in memory order) -> the instruction that keeps the low halves of two vectors."""


@dataclass
class Value:
    """A split vector. ``parts[i]`` holds native part i in IEEE format (or integers), ``qfloats[i]`` in qfloat; part
    ``group * lane_stride + residue`` has the lanes ``residue + lane_stride * n`` of its group."""

    element: str
    lanes: int
    bits: int
    lane_stride: int
    block: str
    parts: list[str] = field(default_factory=list)
    qfloats: list[str] = field(default_factory=list)
    normal: bool = True
    splat: bool = False
    from_half: bool = False
    """``qfloats`` are f16 numbers times one, one unit in the last place too large; see `half_conversions`."""
    specials: bool = True
    """The bits of a value ``from_half`` are used: infinity and NaN must be correct."""

    @property
    def native(self) -> str:
        """LLVM type of one part."""
        return f"<{VECTOR_BITS // self.bits} x {self.element}>"

class PartBuilder:
    """Appends instructions to ``out`` and caches conversions by block.

    ``definitions`` are the function's instructions by result; ``declared`` collects declarations.
    """

    def __init__(self, definitions: Mapping[str, Instruction], qfloat: bool, declared: dict[str, str],
                 narrowing_order: str):
        self.definitions, self.qfloat, self.declared = definitions, qfloat, declared
        self.narrowing_order = narrowing_order
        self.values: dict[str, Value] = {}
        self.out: list[str] = []
        self.cache: dict[tuple[str, str, str], list[str]] = {}
        self.made_of: dict[str, str] = {}
        """Native part -> the words of which it is a bitcast."""
        self.counter = 0
        self.block, self.debug = "", ""

    def emit(self, right: str) -> str:
        """Append ``%new = right`` and return the name."""
        self.counter += 1
        name = f"%h{self.counter}"
        self.out.append(f"  {name} = {right}{self.debug}")
        return name

    def intrinsic(self, name: str, type_: str, *arguments: tuple[str, str]) -> str:
        """A call of Hexagon intrinsic ``name``; arguments are (type, value)."""
        full = f"@llvm.hexagon.V6.{name}.128B"
        self.declared[full] = f"declare {type_} {full}({', '.join(t for t, _ in arguments)})"
        return self.emit(f"call {type_} {full}({', '.join(f'{t} {v}' for t, v in arguments)})")

    def words(self, value: str, native: str) -> str:
        """A native part as ``<32 x i32>``."""
        if native == "<32 x i32>":
            return value
        known = self.made_of.get(value) or constant_words(value)
        return known or self.cached(value, "words", "", lambda: [
            self.emit(f"bitcast {native} {value} to <32 x i32>")])[0]

    def as_type(self, words: str, native: str) -> str:
        """``<32 x i32>`` as the native type ``native``."""
        if native == "<32 x i32>":
            return words
        typed = self.emit(f"bitcast <32 x i32> {words} to {native}")
        self.made_of[typed] = words
        return typed

    def recast(self, value: str, before: str, after: str) -> str:
        """The bits of a part of native type ``before`` as type ``after``."""
        if "<32 x i32>" not in (before, after) and value not in self.made_of:
            return self.emit(f"bitcast {before} {value} to {after}")
        return self.as_type(self.words(value, before), after)

    def value(self, operand: str, type_: str, bits: int = 0) -> Value:
        """``operand`` as a split value; constants and whole values are split here."""
        if operand in self.values:
            return self.values[operand]
        vector = vector_type(type_)
        assert vector is not None
        lanes, element = vector
        bits = bits or BITS.get(element, 0)
        native = VECTOR_BITS // bits
        count = lanes // native
        constants = lanes_of(operand, lanes)
        if constants is not None:
            splat = len(set(constants)) == 1
            found = Value(element, lanes, bits, 1, "", splat=splat)
            if splat:
                found.parts = [operand] * count
            else:
                found.parts = [f"<{', '.join(f'{element} {c}' for c in constants[k:k + native])}>"
                               for k in range(0, lanes, native)]
            return found
        definition = self.definitions.get(operand)
        found = Value(element, lanes, bits, 1, definition.block if definition is not None else "")
        if count == 1:
            found.parts = [operand]
        else:
            found.parts = self.cached(operand, "slice", found.block, lambda: [
                self.emit(f"shufflevector {type_} {operand}, {type_} poison, <{native} x i32> "
                          f"<{', '.join(f'i32 {k}' for k in range(start, start + native))}>")
                for start in range(0, lanes, native)])
        return found

    def cached(self, name: str, kind: str, home: str, make: Callable[[], list[str]]) -> list[str]:
        """The result of ``make``, emitted once per block, or once for all blocks when that is the value's own block."""
        for block in (home, self.block):
            if (name, kind, block) in self.cache:
                return self.cache[name, kind, block]
        self.cache[name, kind, self.block] = made = make()
        return made

    def ieee(self, operand: str, value: Value) -> list[str]:
        """The parts in IEEE format."""
        if value.parts:
            return value.parts
        ieee, qfloat = FORMATS[value.element]

        def converted() -> list[str]:
            made = [self.intrinsic(f"vconv.{ieee}.{qfloat}", "<32 x i32>", ("<32 x i32>", c)) for c in value.qfloats]
            if value.from_half and value.specials and len(made) % 2 == 0:
                made = [part for two in zip(made[::2], made[1::2], strict=True) for part in widened_pair(self, two)]
            elif value.from_half:
                made = [widened_words(self, words, value.specials) for words in made]
            return [self.as_type(words, value.native) for words in made]

        return self.cached(operand, "ieee", value.block, converted)

    def as_qfloat(self, operand: str, value: Value, normal: bool = False) -> list[str]:
        """The parts in qfloat, normalised on request: a sum with zero does both, within one unit in the last place.

        An IEEE value is converted by subtracting zero, which keeps the sign of zero and rounds both signs alike.
        """
        if value.qfloats and (value.normal or not normal):
            return value.qfloats
        ieee, qfloat = FORMATS[value.element]
        zero = ("<32 x i32>", "zeroinitializer")
        if value.qfloats:
            return self.cached(operand, "normal", value.block, lambda: [
                self.intrinsic(f"vadd.{qfloat}.mix", "<32 x i32>", ("<32 x i32>", c), zero) for c in value.qfloats])

        def lift(part: str) -> str:
            return self.intrinsic(f"vsub.{ieee}", "<32 x i32>", ("<32 x i32>", self.words(part, value.native)), zero)

        if value.splat:  # at its use: in the entry block it would be live across calls
            name = operand if value.block else f"{value.element} {value.parts[0]}"
            return self.cached(name, "qfloat", value.block, lambda: [lift(value.parts[0])]) * len(value.parts)
        return self.cached(operand, "qfloat", value.block, lambda: [lift(p) for p in value.parts])

    def with_stride(self, operand: str, value: Value, stride: int) -> list[str]:
        """The IEEE parts with lane stride ``stride``."""
        parts = self.ieee(operand, value)
        if value.splat or value.lane_stride == stride:
            return parts
        return self.cached(operand, f"stride {stride}", value.block, lambda: self._restrided(parts, value, stride))

    def _restrided(self, parts: list[str], value: Value, stride: int) -> list[str]:
        if value.element == "i1":
            return self._restrided_masks(parts, value, stride)
        now = value.lane_stride
        while now != stride:
            step, name = (now // 2, "vshuffvdd") if now > stride else (now, "vdealvdd")
            new = list(parts)
            for group in range(0, len(parts), 2 * step):
                for r in range(step):
                    # parts r and r + step of stride 2 * step interleave to two consecutive ones of stride step
                    even, odd = group + r, group + r + step
                    low, high = self.pair(name, parts[even], parts[odd], value)
                    new[even], new[odd] = low, high
            parts, now = new, (now // 2 if now > stride else now * 2)
        return parts

    def pair(self, name: str, low: str, high: str, value: Value) -> tuple[str, str]:
        """The two vectors that ``name``, an instruction on pairs of ``value``'s lanes, makes from two."""
        pair = self.intrinsic(name, "<64 x i32>", ("<32 x i32>", self.words(high, value.native)),
                              ("<32 x i32>", self.words(low, value.native)), ("i32", str(-(value.bits // 8))))
        return (self.as_type(self.half("lo", pair), value.native), self.as_type(self.half("hi", pair), value.native))

    def half(self, which: str, pair: str) -> str:
        """The ``lo`` or ``hi`` vector of a pair."""
        return self.intrinsic(which, "<32 x i32>", ("<64 x i32>", pair))

    def _restrided_masks(self, parts: list[str], value: Value, stride: int) -> list[str]:
        element = f"i{value.bits}"
        lanes = VECTOR_BITS // value.bits
        whole = Value(element, value.lanes, value.bits, value.lane_stride, value.block)
        numbers = [self.emit(f"select <{lanes} x i1> {p}, {whole.native} splat ({element} 1), "
                             f"{whole.native} zeroinitializer") for p in parts]
        return [self.emit(f"icmp ne {whole.native} {n}, zeroinitializer")
                for n in self._restrided(numbers, whole, stride)]

    def widened(self, opcode: str, parts: list[str], bits: int, stride: int) -> list[str]:
        """Each part as two: its even and its odd lanes in twice the width."""
        new = [""] * (2 * len(parts))
        before = f"<{VECTOR_BITS // bits} x {'half' if opcode == 'fpext' else f'i{bits}'}>"
        after = "<32 x i32>" if opcode == "fpext" else f"<{VECTOR_BITS // bits // 2} x i{2 * bits}>"
        for number, part in enumerate(parts):
            words = self.words(part, before)
            if opcode == "fpext":
                one = ("<32 x i32>", f"splat (i32 {_ONE_HALF_TWICE})")
                pair = (self.intrinsic("vmpy.qf32.hf", "<64 x i32>", ("<32 x i32>", words), one) if self.qfloat else
                        self.intrinsic("vcvt.sf.hf", "<64 x i32>", ("<32 x i32>", words)))
            else:
                name = {"sext": "vs", "zext": "vz"}[opcode] + {8: "b", 16: "h"}[bits]
                pair = self.intrinsic(name, "<64 x i32>", ("<32 x i32>", words))
            group, residue = divmod(number, stride)
            place = group * 2 * stride + residue
            new[place] = self.as_type(self.half("lo", pair), after)
            new[place + stride] = self.as_type(self.half("hi", pair), after)
        return new

    def narrowed(self, floats: bool, parts: list[str], bits: int, stride: int,
                 finish: Callable[[str, int, int], str] | None = None) -> tuple[list[str], int]:
        """Two parts as one of half the width: even and odd lanes, or two halves in memory order.

        ``finish`` is called with the words of f16 converted from qfloat and the indices of their two source parts.
        """
        new = []
        step = max(stride // 2, 1)
        before, after = f"<{VECTOR_BITS // bits} x i{bits}>", f"<{2 * VECTOR_BITS // bits} x i{bits // 2}>"
        for group in range(0, len(parts), 2 * step):
            for r in range(step):
                low, high = parts[group + r], parts[group + r + step]
                if floats and self.qfloat:
                    pair = self.intrinsic("vcombine", "<64 x i32>", ("<32 x i32>", high), ("<32 x i32>", low))
                    made = self.intrinsic("vconv.hf.qf32", "<32 x i32>", ("<64 x i32>", pair))
                    new.append(finish(made, group + r, group + r + step) if finish is not None else made)
                    continue
                kind = "<32 x float>" if floats else before
                first, second = operands(low, high, self.narrowing_order) if floats else (high, low)
                two = (("<32 x i32>", self.words(first, kind)), ("<32 x i32>", self.words(second, kind)))
                name = "vcvt.hf.sf" if floats else _NARROWING[bits, stride == 1]
                made = self.intrinsic(name, "<32 x i32>", *two)
                new.append(made if floats else self.as_type(made, after))
        return new, step if stride > 1 else 1

    def offset(self, pointer: str, part: int) -> str:
        if not part:
            return pointer
        return self.emit(f"getelementptr inbounds i8, ptr {pointer}, i32 {part * VECTOR_BITS // 8}")

    def concatenated(self, parts: list[str], value: Value) -> str:
        lanes = VECTOR_BITS // value.bits
        while len(parts) > 1:
            type_ = f"<{lanes} x {value.element}>"
            mask = ", ".join(f"i32 {k}" for k in range(2 * lanes))
            parts = [self.emit(f"shufflevector {type_} {a}, {type_} {b}, <{2 * lanes} x i32> <{mask}>")
                     for a, b in zip(parts[::2], parts[1::2], strict=True)]
            lanes *= 2
        return parts[0]


def constant_words(value: str) -> str:
    """A constant part as ``<32 x i32>``; "" for a value and for constants that are no splats of numbers."""
    if value in ("zeroinitializer", "poison"):
        return value
    number = constant(value)
    if number is None or math.isnan(number):
        return ""
    if value.startswith("splat (half"):
        return f"splat (i32 {int.from_bytes(2 * struct.pack('<e', number), 'little', signed=True)})"
    return f"splat (i32 {int.from_bytes(struct.pack('<f', number), 'little', signed=True)})"
