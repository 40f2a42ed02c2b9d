"""Common code of the cache model's helpers: one set of tags, counters, and the region of an address."""

from __future__ import annotations

from hexagon_mlir.sim import layout
from hexagon_mlir.sim.memory_system.cache_model import SLOW
from hexagon_mlir.sim.semantics.function import STATE, Function
from hexagon_mlir.sim.semantics.value import I1, I8, Type, Val
from hexagon_mlir.targets import Target

TAG_BYTES = 4


def add_to_counter(f: Function, name: str, amount: Val) -> None:
    """Add ``amount`` (i64) to a counter of the state record."""
    f.count(f.at(STATE, layout.counter(name)), amount)


def note_change(f: Function, changes: Val) -> str:
    """Add ``changes`` (i64) to the epoch; its place."""
    epoch = f.pointer(layout.EPOCH)
    f.count(epoch, changes)
    return epoch


def in_tcm(address: Val, target: Target) -> Val:
    """Whether an address is in TCM (i1)."""
    return (address - layout.TCM_BASE).icmp("ult", int(target.tcm_bytes.value))


def set_place(f: Function, base: str, number: Val, ways: int) -> str:
    """The first tag of set ``number``."""
    return f.element(base, number * (TAG_BYTES * ways), I8)


def look_up_l2(f: Function, line: Val, write: Val, fill: Val) -> Val:
    """Whether @mm_l2 hits (i1)."""
    return f.op(f"call {SLOW} i1 @mm_l2(ptr %st, i32 {line.name}, i32 {write.name}, i32 {fill.name})", I1)


class TagSet:
    """The set in which a line is looked up: its tags, most recently used first."""

    def __init__(self, f: Function, base: str, number: Val, ways: int, key: Val) -> None:
        """``key`` is the tag of the line when clean."""
        self.f, self.ways = f, ways
        self.place = set_place(f, base, number, ways)
        self.tags = f.load(self.place, Type(ways, "i", TAG_BYTES * 8))
        bits = Type(1, "i", ways)
        hits = (self.tags & -2).icmp("eq", key.splat(ways)).as_(bits)
        self.hit = hits.icmp("ne", 0)
        first = f.call(f"llvm.cttz.{bits}", bits, hits, f.const(0, I1))
        first = first.zext(32) if ways < 32 else first.trunc(32)
        self.way = self.hit.select(first, ways - 1)
        """The way that hits, else the one to evict."""

    def old_tag(self) -> Val:
        """The tag in ``way``."""
        return self.tags.extract(self.way)

    def move_to_front(self, tag: Val) -> str:
        """Store the set with ``tag`` first then those used since; the place of the epoch, which moves on if a tag has
        changed."""
        f, ways = self.f, self.ways
        front = f.op(f"insertelement {self.tags.ty} poison, i32 {tag.name}, i32 0", self.tags.ty)
        moved = self.tags.shuffle(front, [ways, *range(ways - 1)])
        number = Val(f, "<" + ", ".join(f"i32 {way}" for way in range(ways)) + ">", self.tags.ty)
        after = number.icmp("ule", self.way.splat(ways)).select(moved, self.tags)
        f.store(after, self.place)
        changed = self.tags.icmp("ne", after).as_(Type(1, "i", ways)).icmp("ne", 0)
        return note_change(f, changed.zext(64))
