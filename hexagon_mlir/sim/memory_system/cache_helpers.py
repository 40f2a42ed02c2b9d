"""The helpers of `cache_model` as IR text."""

from __future__ import annotations

from hexagon_mlir.sim import layout
from hexagon_mlir.sim.memory_system import streams
from hexagon_mlir.sim.memory_system.cache_model import NEAR_STEP, SLOW, Geometry, ddr_costs
from hexagon_mlir.sim.memory_system.cache_replay import Replay
from hexagon_mlir.sim.memory_system.cache_sets import TagSet, add_to_counter, in_tcm, look_up_l2
from hexagon_mlir.sim.semantics.function import Function
from hexagon_mlir.sim.semantics.value import I1, I32, I64, Type, Val
from hexagon_mlir.targets import Target


def helpers(target: Target) -> str:
    """The model as a module of its own: one per target, whatever the program."""
    g = Geometry(target)
    count, window = int(target.ddr_streams.value), int(target.ddr_stream_window_lines.value)
    declarations: set[str] = set()
    pieces = [streams.helper(count, window, *ddr_costs(g, target), declarations), _l2(g, target, declarations),
              _l1(g, target, declarations), Replay(g, target).text(), _account(), _range(g, target), _near()]
    return "\n".join([*sorted(declarations), *pieces])


def _l2(g: Geometry, target: Target, declarations: set[str]) -> str:
    """@mm_l2(st, line, write, fill) -> i1 hit. fill: 0 none, 1 demanded, 2 allocated by a partial store."""
    f = Function(f"internal {SLOW} i1 @mm_l2(ptr %st, i32 %line, i32 %write, i32 %fill)", "cold noinline",
                 declarations)
    line, write = f.argument("line", I32), f.argument("write", I32)
    base, number, key = f.pointer(layout.L2_TAGS), line & (g.l2_sets - 1), line << 1
    tags = TagSet(f, base, number, g.l2_ways, key)
    old_dirty = tags.old_tag() & 1
    dirty = tags.hit.select(old_dirty, 0) | write
    epoch = tags.move_to_front(key | dirty)
    _note_use(f, epoch, number, line, dirty - old_dirty)
    f.branch(tags.hit, "done", "miss")
    f.label("miss")
    _fill(f, g.l2_line, ddr_costs(g, target)[0], old_dirty)
    f.put(f"ret i1 {tags.hit.name}")
    return f.text()


def _note_use(f: Function, marks: str, number: Val, line: Val, more_dirty: Val) -> None:
    """Update the marks of `cache_tags` after a line of L2, in set ``number``, was used: the lowest and highest set and
    line, and how many lines are dirty."""
    extremes = (("slt", number), ("sgt", number), ("slt", line), ("sgt", line))
    for place, (beyond, used) in enumerate(extremes, 1):
        mark, wide = f.element(marks, place, I64), used.zext(64)
        old = f.load(mark, I64)
        f.store(wide.icmp(beyond, old).select(wide, old), mark)
    f.count(f.element(marks, len(extremes) + 1, I64), more_dirty.sext(64))


def _fill(f: Function, line_bytes: int, line_cost: int, old_dirty: Val) -> None:
    """After a miss: write back the evicted line, then read the new one by ``%fill``."""
    size, cost = f.const(line_bytes, I64), f.const(line_cost, I64)
    with f.when(old_dirty.icmp("ne", 0), "evict", "fetch"):
        add_to_counter(f, "ddr_write_bytes", size)
        add_to_counter(f, "ddr_stall_q8", cost)
    f.put("switch i32 %fill, label %done [ i32 1, label %demand i32 2, label %allocate ]")
    f.label("allocate")
    add_to_counter(f, "ddr_read_bytes", size)
    add_to_counter(f, "ddr_stall_q8", cost)
    f.jump("done")
    f.label("demand")
    add_to_counter(f, "ddr_read_bytes", size)
    add_to_counter(f, "ddr_stall_q8", f.op("call i64 @mm_stream(ptr %st, i32 %line)", I64))
    f.begin("done")


def _l1(g: Geometry, target: Target, declarations: set[str]) -> str:
    """@mm_l1(st, address): a scalar load that missed the most recent way."""
    f = Function(f"internal {SLOW} void @mm_l1(ptr %st, i32 %address)", "cold noinline", declarations)
    address = f.argument("address", I32)
    line = address.lshr(g.l1_shift)
    key = line << 1
    tags = TagSet(f, f.pointer(layout.L1_TAGS), line & (g.l1_sets - 1), g.l1_ways, key)
    tags.move_to_front(key)
    f.branch(tags.hit, "done", "miss")
    f.label("miss")
    latency = f.const(int(target.scalar_l2_latency_cycles.value), I64)
    hit = look_up_l2(f, address.lshr(g.l2_shift), f.const(0, I32), f.const(1, I32))
    add_to_counter(f, "l2_stall", hit.select(latency, 0))
    f.begin("done")
    f.put("ret void")
    return f.text()


def _range(g: Geometry, target: Target) -> str:
    """@mm_range(st, address, bytes, write): every line of a block touched by a copy loop."""
    f = Function("void @mm_range(ptr %st, i32 %address, i32 %bytes, i1 %write)", "noinline")
    address, size, write = f.argument("address", I32), f.argument("bytes", I32), f.argument("write", I1)
    f.branch(size.icmp("eq", 0), "done", "start")
    f.label("start")
    f.branch(in_tcm(address, target), "tcm", "cached")
    f.label("tcm")
    f.branch(write, "tcm_write", "tcm_read")
    for label in ("tcm_write", "tcm_read"):
        f.label(label)
        add_to_counter(f, f"{label}_bytes", size.zext(64))
        f.put("ret void")
    f.label("cached")
    last = (address + (size + -1)).lshr(g.l2_shift)
    line, = f.loop("loop", [address.lshr(g.l2_shift)])
    look_up_l2(f, line, write.zext(32), write.select(f.const(0, I32), 1))
    f.repeat("loop", line.icmp("ult", last), [line + 1], "done")
    f.put("ret void")
    return f.text()


def _account() -> str:
    """@mm_account: mm_replay for quick code. LLVM's fast instruction selection has no calls that keep all registers."""
    words = ("ptr %st", "ptr %table", "i32 %count", "ptr %roots", "ptr %memo", "i32 %memos")
    f = Function(f"void @mm_account({', '.join(words)})")
    f.put(f"call {SLOW} void @mm_replay({', '.join(words)})")
    f.put("ret void")
    return f.text()


def _near() -> str:
    """@mm_near(tags, count, mask, first, span): has a tag with a bit of ``mask`` one of the lines first..first+span?"""
    f = Function("i1 @mm_near(ptr %tags, i32 %count, i32 %mask, i32 %first, i32 %span)")
    mask, first, span = (f.argument(name, I32).splat(NEAR_STEP) for name in ("mask", "first", "span"))
    number, found = f.loop("loop", [f.const(0, I32), f.const(0, Type(NEAR_STEP, "i", 1))])
    tags = f.load(f.element("%tags", number, I32), Type(NEAR_STEP, "i", 32))
    inside = (tags.lshr(1) - first).icmp("ule", span)
    found = found | (inside & (tags & mask).icmp("ne", 0))
    number = number + NEAR_STEP
    f.repeat("loop", number.icmp("ult", f.argument("count", I32)), [number, found], "done")
    f.put(f"ret i1 {found.as_(Type(1, 'i', NEAR_STEP)).icmp('ne', 0).name}")
    return f.text()
