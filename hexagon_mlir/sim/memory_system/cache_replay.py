"""The helper that replays many accesses."""

from __future__ import annotations

from hexagon_mlir.sim import layout
from hexagon_mlir.sim.memory_system.cache_model import (
    ALIGNED,
    BYTES_SHIFT,
    FILL_SHIFT,
    GROUP_MASK,
    OFFSET_SHIFT,
    SCALAR_LOAD,
    SKIPPED,
    SLOW,
    STRADDLES,
    WRITE,
    Geometry,
)
from hexagon_mlir.sim.memory_system.cache_sets import add_to_counter, in_tcm, look_up_l2, note_change, set_place
from hexagon_mlir.sim.semantics.function import STATE, Function
from hexagon_mlir.sim.semantics.value import I32, I64, Val
from hexagon_mlir.targets import Target


class Replay:
    """Writes @mm_replay(st, table, count, roots, memo, memos): the accesses of ``table`` (see `CacheAccess`) in order.

    ``roots`` has the address of every group, or `SKIPPED`. If no access changed a tag or was in TCM, the first
    ``memos`` roots are recorded in ``memo`` as {root, epoch}: the same accesses will cost nothing.
    """

    def __init__(self, g: Geometry, target: Target) -> None:
        self.g, self.target = g, target
        self.vector_bytes = int(target.vector_bytes.value)
        self.f = f = Function(f"{SLOW} void @mm_replay(ptr %st, ptr %table, i32 %count, ptr %roots, ptr %memo, "
                              "i32 %memos)", "cold noinline")
        self.epoch = f.pointer(layout.EPOCH)
        self.before = f.load(self.epoch, I64)
        self.l1, self.l2 = f.pointer(layout.L1_TAGS), f.pointer(layout.L2_TAGS)

    def text(self) -> str:
        """A loop over the accesses, which ends in block ``step``, then the note."""
        f = self.f
        number, = f.loop("loop", [f.const(0, I32)])
        word = f.load(f.element("%table", number, I64), I64)
        root = f.load(f.element("%roots", word & GROUP_MASK, I64), I64)
        f.branch(root.icmp("uge", SKIPPED), "step", "access")
        f.label("access")
        self._access(word, root)
        following = number + 1
        f.repeat("loop", following.icmp("ult", f.argument("count", I32)), [following], "finish")
        self._note()
        f.put("ret void")
        return f.text()

    def _access(self, word: Val, root: Val) -> None:
        """One access: of TCM, of L1D, or of L2; what follows is in block ``step``."""
        f = self.f
        start, flags = (root + word.lshr(OFFSET_SHIFT)).trunc(32), word.trunc(32)
        address = start & self._flag(flags, ALIGNED).select(f.const(-self.vector_bytes, I32), -1)
        write = flags.lshr(WRITE.bit_length() - 1) & 1
        scalar = self._flag(flags, SCALAR_LOAD)
        f.branch(in_tcm(address, self.target), "intcm", "cached")
        f.label("intcm")
        self._tcm(flags, write, scalar)
        f.label("cached")
        f.branch(scalar, "byl1", "byl2")
        f.label("byl1")
        self._by_l1(address)
        f.label("byl2")
        self._by_l2(address, flags, write)

    def _flag(self, flags: Val, flag: int) -> Val:
        """Whether ``flag`` is set (i1)."""
        return (flags & flag).icmp("ne", 0)

    def _tcm(self, flags: Val, write: Val, scalar: Val) -> None:
        """Count the bytes, and the latency of a scalar load."""
        f = self.f
        read, written = layout.counter("tcm_read_bytes"), layout.counter("tcm_write_bytes")
        side = write.icmp("ne", 0).select(f.const(written, I32), read)
        f.count(f.element(STATE, side, "i8"), flags.lshr(BYTES_SHIFT).zext(64))
        latency = f.const(int(self.target.scalar_tcm_latency_cycles.value), I64)
        add_to_counter(f, "tcm_stall", scalar.select(latency, 0))
        note_change(f, f.const(1, I64))
        f.jump("step")

    def _by_l1(self, address: Val) -> None:
        """A scalar load: nothing to do when it hits the way used last."""
        f, g = self.f, self.g
        line = address.lshr(g.l1_shift)
        tag = f.load(set_place(f, self.l1, line & (g.l1_sets - 1), g.l1_ways), I32)
        f.branch(tag.icmp("eq", line << 1), "step", "slow1")
        f.label("slow1")
        f.put(f"call {SLOW} void @mm_l1(ptr %st, i32 {address.name})")
        f.jump("step")

    def _by_l2(self, address: Val, flags: Val, write: Val) -> None:
        """The one or two lines of an access: nothing to do for one in the way used last, for a store if it is dirty."""
        f, g = self.f, self.g
        fill, compared = flags.lshr(FILL_SHIFT) & 3, write - 2  # the dirty bit counts when it writes
        first = address.lshr(g.l2_shift)
        end = (address + (self.vector_bytes - 1)).lshr(g.l2_shift)
        last = self._flag(flags, STRADDLES).select(end, first)
        line, = f.loop("line", [first])
        tag = f.load(set_place(f, self.l2, line & (g.l2_sets - 1), g.l2_ways), I32)
        f.branch((tag & compared).icmp("eq", (line << 1) | write), "more", "slow2")
        f.label("slow2")
        look_up_l2(f, line, write, fill)
        f.begin("more")
        f.repeat("line", line.icmp("ne", last), [last], "step")

    def _note(self) -> None:
        """Note the roots if the epoch is still the same."""
        f = self.f
        memos, now = f.argument("memos", I32), f.load(self.epoch, I64)
        with f.when(now.icmp("eq", self.before) & memos.icmp("ne", 0), "note", "done"):
            number, = f.loop("save", [f.const(0, I32)])
            root = f.load(f.element("%roots", number, I64), I64)
            memo = f.element("%memo", number, f"[2 x {I64}]")
            f.store(root, memo)
            f.store(now, f.element(memo, 1, I64))
            following = number + 1
            f.repeat("save", following.icmp("ult", memos), [following], "saved")
