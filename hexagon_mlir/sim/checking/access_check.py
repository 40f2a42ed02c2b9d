"""The check of one kind of access in a checked build: its bytes against their flags in the shadow memory."""

from __future__ import annotations

from dataclasses import dataclass

from hexagon_mlir.sim import layout
from hexagon_mlir.sim.checking.check_model import SCALAR_BYTES, code
from hexagon_mlir.sim.checking.rules import (
    ADDRESSABLE,
    DEAD,
    DMA_DESTINATION,
    DMA_SOURCE,
    INITIALISED,
    READ_ONLY,
    READABLE,
    SAVED,
    Rule,
)
from hexagon_mlir.sim.semantics.function import Function
from hexagon_mlir.sim.semantics.value import I1, I8, I32, Type, Val


@dataclass(frozen=True)
class AccessKind:
    """The accesses that one of the checks covers."""

    name: str
    size: int
    """Bytes."""
    write: bool
    align: int
    """Bytes; with an ``align`` of vectors the access ignores lower bits of its address."""
    lenient: bool = False
    """A rule fires only when all bytes break it."""
    masked: bool = False
    """The check gets a mask of the bytes that are stored."""
    matters: bool = True
    """The loaded value is used."""
    followed: bool = False
    """The check gives whether a byte has no value (`second_values`)."""


class AccessCheck:
    """Writes @<name>(st, address, site) or, masked, @<name>(st, address, site, mask)."""

    def __init__(self, kind: AccessKind, declarations: set[str]) -> None:
        self.kind = kind
        self.bytes, self.words = Type(kind.size, "i", 8), Type(kind.size // 4, "i", 32)
        result = "i1" if kind.followed else "void"
        mask = f", {self.words} %mask" if kind.masked else ""
        self.f = f = Function(f"internal {result} @{kind.name}(ptr %st, i32 %raw, i32 %site{mask})", "noinline",
                              declarations)
        self.raw = f.argument("raw", I32)
        self.ignores_bits = kind.align > SCALAR_BYTES
        self.address = self.raw & -kind.size if self.ignores_bits else self.raw
        self.place = f.element(f.pointer(layout.SHADOW), self.address.zext(64), I8)
        self.stored = f.load(self.place, self.bytes, align=1)
        self.selected = f.argument("mask", self.words).as_(self.bytes).icmp("ne", 0) if kind.masked else None
        self._summarise()

    def _summarise(self) -> None:
        """The flags of any byte of the access (``any``), of all bytes, and of all bytes in an allocation
        (``inside``)."""
        f, flags, strict = self.f, self.stored, self.stored
        if self.selected is not None:
            flags = self.selected.select(self.stored, 0)
            strict = self.selected.select(self.stored, ADDRESSABLE | INITIALISED)
        self.known = (flags & ADDRESSABLE).icmp("ne", 0)
        self.any = f.reduced("or", flags)
        self.all = f.reduced("and", strict)
        self.inside = f.reduced("and", self.known.select(flags, -1))
        self.every, self.some = (self.any, self.inside) if self.kind.lenient else (self.all, self.any)

    def text(self) -> str:
        """Report the broken rule, if any; then mark stored bytes, and check for races."""
        f, kind = self.f, self.kind
        misaligned = self._code(Rule.MISALIGNED_STORE if self.ignores_bits else Rule.MISALIGNED)
        rule = self._broken_rule(misaligned)
        where = rule.icmp("eq", misaligned).select(self.raw, self.address)
        with f.when(rule.icmp("ne", -1), "report", "fine"):
            f.put(f"call void @ck_report(ptr %st, i32 {rule.name}, i32 {where.name}, i32 %site)")
        if kind.write:
            self._mark()
        if kind.matters:
            self._check_race()
        if kind.followed:
            f.put(f"ret i1 {(self.all & INITIALISED).icmp('eq', 0).name}")
        else:
            f.put("ret void")
        return f.text()

    def _code(self, rule: Rule) -> int:
        return code(rule, self.kind.size, self.kind.write)

    def _broken_rule(self, misaligned: int) -> Val:
        """The rule word, -1 for none; of several broken rules, the last one here."""
        kind = self.kind
        own = self._has(self.any, ADDRESSABLE) if kind.lenient else self.f.const(1, I1)
        certain = own & ~self._found_after_data() if kind.lenient and not kind.write else own
        bound = ADDRESSABLE | READABLE if kind.lenient else ADDRESSABLE
        broken = [(self._code(Rule.SOURCE_CHANGED), certain & self._has(self.some, DMA_SOURCE)) if kind.write
                  else (self._code(Rule.UNINITIALISED), certain & self._uninitialised())]
        if kind.matters:
            broken.append((self._code(Rule.USE_BEFORE_WAIT), certain & self._has(self.some, DMA_DESTINATION)))
        broken += [(misaligned, (self.raw & (kind.align - 1)).icmp("ne", 0)),
                   (self._code(Rule.OUT_OF_BOUNDS), ~self._has(self.every, bound)),
                   (self._code(Rule.READ_ONLY if kind.write else Rule.CALLER_FRAME), self._forbidden() & own)]
        rule = self.f.const(-1, I32)
        for word, condition in broken:
            rule = condition.select(self.f.const(word, I32), rule)
        return rule

    def _has(self, flags: Val, wanted: int) -> Val:
        """Whether one of the ``wanted`` flags is set (i1)."""
        return (flags & wanted).icmp("ne", 0)

    def _found_after_data(self) -> Val:
        """Whether an aligned vector load is right after readable data (i1): its value may be unused."""
        f, size = self.f, self.kind.size
        before = f.load(f.element(self.place, f.const(-size, Type(1, "i", 64)), I8), self.bytes, align=1)
        readable = ADDRESSABLE | INITIALISED
        ready = (before & (readable | DMA_DESTINATION)).icmp("eq", readable)
        return f.reduced("or", ready) & (self.address & (size - 1)).icmp("eq", 0)

    def _uninitialised(self) -> Val:
        """Whether the bytes have no value (i1): on a stack, where part of a load may have a value, none of them."""
        if self.kind.followed:
            return self.f.const(0, I1)
        on_stack = (self.address - layout.STACK_BASE).icmp("ult", layout.DDR_BASE - layout.STACK_BASE)
        return on_stack.select(~self._has(self.any, INITIALISED), ~self._has(self.every, INITIALISED))

    def _forbidden(self) -> Val:
        """Whether a store hits read-only bytes, or a load bytes of a function that has returned (i1)."""
        if self.kind.write:
            return self._has(self.any, READ_ONLY | SAVED)
        return self._has(self.some, DEAD) if self.kind.matters else self.f.const(0, I1)

    def _mark(self) -> None:
        """Mark stored bytes as defined, and as belonging to a running function."""
        living = self.stored & (~DEAD & 0xFF)
        if self.selected is not None:
            living = self.selected.select(living, self.stored)
        valued = self.known.select(self.f.const(INITIALISED, self.bytes), 0)
        self.f.store(living | valued, self.place, align=1)

    def _check_race(self) -> None:
        """In a run with several threads, the check of races."""
        f, kind, mask = self.f, self.kind, "@ck_every_word"
        with f.when(f.word(layout.SEGMENT).icmp("ne", 0), "race", "done"):
            if kind.masked:
                mask = f.alloca(self.words)
                f.store(f.argument("mask", self.words), mask)
            f.put(f"call void @ck_race_{'write' if kind.write else 'read'}(ptr %st, i32 {self.address.name}, "
                  f"i32 {kind.size}, i1 {int(kind.lenient)}, i32 %site, ptr {mask})")
