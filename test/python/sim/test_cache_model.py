"""The JITted cache model, whose blocks account for their accesses together, against one access after the other."""

import numpy as np
import pytest

from hexagon_mlir import targets
from hexagon_mlir.sim import Machine, layout
from hexagon_mlir.sim.memory_system import cache_model as cache

V75 = targets.get("v75")
PASSES = 40
STREAMS, WINDOW = int(V75.ddr_streams.value), int(V75.ddr_stream_window_lines.value)


class Caches:
    """The rules of `cache_model` in Python: sets are lists, the most recent line first."""

    def __init__(self, tcm):
        self.geometry, self.tcm = cache.Geometry(V75), tcm
        self.l1, self.l2, self.dirty = {}, {}, set()
        self.streams, self.slot = [(0, 0, set())] * STREAMS, 0
        self.count = dict.fromkeys(("l2", "tcm", "ddr_q8", "ddr_read", "ddr_write", "tcm_read", "tcm_write"), 0)
        self.latency_q8 = round(float(V75.ddr_latency_cycles.value) * 256)
        self.line_q8 = round(self.geometry.l2_line / float(V75.ddr_bytes_per_cycle.value) * 256)

    def access(self, kind, address, size):
        if kind.startswith("vector") and "u" not in kind.split()[1:]:
            address &= -128
        side = "write" if "store" in kind else "read"
        if self.tcm <= address < self.tcm + int(V75.tcm_bytes.value):
            self.count[f"tcm_{side}"] += size
            if kind == "scalar load":
                self.count["tcm"] += int(V75.scalar_tcm_latency_cycles.value)
        elif kind == "scalar load":
            if not self.touch(self.l1, address >> self.geometry.l1_shift, self.geometry.l1_sets, self.geometry.l1_ways):
                hit = self.level2(address >> self.geometry.l2_shift, False, "demand")
                self.count["l2"] += int(V75.scalar_l2_latency_cycles.value) if hit else 0
        else:
            fill = "demand" if side == "read" else "none" if kind == "vector store" else "partial"
            last = (address + size - 1 if kind.startswith("vector") else address) >> self.geometry.l2_shift
            for line in sorted({address >> self.geometry.l2_shift, last}):
                self.level2(line, side == "write", fill)

    @staticmethod
    def touch(level, line, sets, ways, evicted=None):
        found = level.setdefault(line % sets, [])
        hit = line in found
        if hit:
            found.remove(line)
        found.insert(0, line)
        if len(found) > ways:
            out = found.pop()
            if evicted is not None:
                evicted.append(out)
        return hit

    def level2(self, line, write, fill):
        evicted = []
        hit = self.touch(self.l2, line, self.geometry.l2_sets, self.geometry.l2_ways, evicted)
        for out in evicted:
            if out in self.dirty:
                self.dirty.remove(out)
                self.count["ddr_write"] += self.geometry.l2_line
                self.count["ddr_q8"] += self.line_q8
        if write:
            self.dirty.add(line)
        if hit or fill == "none":
            return hit
        self.count["ddr_read"] += self.geometry.l2_line
        cost = self.line_q8
        if fill == "demand":
            cost = self.stream(line)
        self.count["ddr_q8"] += cost
        return False


    def stream(self, line):
        """What a demanded line of DDR costs; a stream is its window and the lines of it that were read."""
        for reach in (1, WINDOW):
            for slot, (low, high, read) in enumerate(self.streams):
                if not read or line in read or not low - reach <= line <= high + reach:
                    continue
                read = read | {line}
                first, last = min(low, line), max(high, line)
                most = WINDOW - 1
                low, high = (first, min(last, first + most)) if line < low else (max(first, last - most), last)
                below = sum(n not in read and n + 1 in read for n in range(first, low))
                above = sum(n not in read and n - 1 in read for n in range(high + 1, last + 1))
                self.streams[slot] = low, high, {n for n in read if low <= n <= high}
                return self.line_q8 + (below + above) * (self.latency_q8 - self.line_q8)
        late = self.left_out(*self.streams[self.slot])
        self.streams[self.slot] = line, line, {line}
        self.slot = (self.slot + 1) % STREAMS
        return self.latency_q8 + late

    def left_out(self, low, high, read):
        """What a stream owes that ends: for each stretch of lines that were not read."""
        stretches = sum(n not in read and (n == low or n - 1 in read) for n in range(low, high + 1) if read)
        return stretches * (self.latency_q8 - self.line_q8)

    def finish(self):
        self.count["ddr_q8"] += sum(self.left_out(*stream) for stream in self.streams)


KINDS = {
    "vector load": ("v0 = vmem(r{base}+#{n})", 128, 128),
    "vector load u": ("v0 = vmemu(r{base}+#{n})", 128, 128),
    "vector store": ("vmem(r{base}+#{n}) = v1", 128, 128),
    "vector store masked": ("if (q0) vmem(r{base}+#{n}) = v1", 128, 128),
    "vector store u": ("vmemu(r{base}+#{n}) = v1", 128, 128),
    "scalar load": ("r9 = memw(r{base}+#{n})", 1, 4),
    "scalar store": ("memw(r{base}+#{n}) = r9", 1, 4),
}  # fmt: skip
"""Kind -> instruction, bytes per unit of n, bytes."""


def packet(lines):
    return "\t{ " + "; ".join(lines) + " }\n"


def body(rng, bases, most):
    """Random accesses at ``bases``: instructions, and (kind, base, offset, size, under p0) of each."""
    lines, accesses = [], []
    for _ in range(rng.integers(1, most)):
        kind = rng.choice(list(KINDS))
        text, unit, size = KINDS[kind]
        base = int(rng.choice(bases))
        number = int(rng.integers(-1, 2)) if unit > 1 else 4 * int(rng.integers(0, 40))
        guarded = bool(rng.integers(4) == 0) and "if" not in text
        line = text.format(base=base, n=number)
        lines.append([f"if (p0) {line}" if guarded else line])
        accesses.append((str(kind), base, number * unit, size, guarded))
    return lines, accesses


def looped(label, lines, steps, passes):
    """Assembly of ``lines`` run ``passes`` times, with the base registers moved and p0 turned after each."""
    moves = [[f"r{base} = add(r{base},##{step})"] for base, step in steps.items() if step]
    text = packet([f"loop0({label},#{passes})"]) + f"{label}:\n"
    return text + "".join(map(packet, [*lines, *moves, ["p0 = not(p0)"]])).rstrip() + " :endloop0\n"


def check(text, first, runs):
    """``runs`` are (accesses, steps, passes) in the order in which they run; r2 to r5 start at ``first``."""
    text = "\t.text\n\t.type\tf,@function\nf:\n" + packet(["p0 = cmp.eq(r0,r0)", "q0 = vsetq(r0)"]) + text
    machine = Machine(text + packet(["jumpr r31"]))
    result = machine.run("f", [1, 0, *first.values()])
    model, p0 = Caches(machine.memory.tcm.base), True
    at = dict(first)
    for accesses, steps, passes in runs:
        for _ in range(passes):
            for kind, base, offset, size, guarded in accesses:
                if p0 or not guarded:
                    model.access(kind, at[base] + offset, size)
            at = {base: address + steps.get(base, 0) for base, address in at.items()}
            p0 = not p0
    model.finish()
    count = model.count
    got = [result.stalls.get(f"memory-{level}", 0) for level in ("l2", "tcm", "ddr")]
    assert got == [count["l2"], count["tcm"], count["ddr_q8"] // 256]
    assert (result.tcm_read_bytes, result.tcm_write_bytes) == (count["tcm_read"], count["tcm_write"])
    dirty = len(model.dirty) * model.geometry.l2_line
    assert (result.ddr_read_bytes, result.ddr_write_bytes) == (count["ddr_read"], count["ddr_write"] + dirty)


DDR, TCM, TCM_BYTES = layout.DDR_BASE, layout.TCM_BASE, int(V75.tcm_bytes.value)
GEOMETRY = cache.Geometry(V75)
CONFLICT = GEOMETRY.l2_sets * GEOMETRY.l2_line
"""Addresses this far apart share a set of L2."""


@pytest.mark.parametrize("seed", range(12))
def test_a_loop_costs_what_its_accesses_cost(seed):
    """With a stationary, a striding, an unaligned and a TCM base that may leave TCM half way."""
    rng = np.random.default_rng(seed)
    steps = {3: int(rng.choice([4, 128, 132])), 4: int(rng.choice([0, CONFLICT // 4])), 5: 128}
    lines, accesses = body(rng, [2, 3, 4, 5], 14)
    tcm = TCM + TCM_BYTES - 64 * PASSES if seed % 3 else TCM + 1024
    first = {2: DDR + 4096, 3: DDR + (1 << 24), 4: DDR + (1 << 25) + 68, 5: tcm}
    check(looped(".Lbody", lines, steps, PASSES), first, [(accesses, steps, PASSES)])


@pytest.mark.parametrize("seed", range(60))
def test_what_was_noted_is_forgotten_when_tags_change(seed):
    """In turn: a loop on lines that stay, and one that evicts some of them or makes them clean again."""
    rng = np.random.default_rng(1000 + seed)
    stay, stayed = body(rng, [[2], [2, 5], [5]][seed % 3], 6)
    evict, evicted = body(rng, [2, 3], 4)
    passes, steps = int(rng.integers(1, 2 * int(V75.l2_ways.value))), {3: CONFLICT}
    text = packet(["loop1(.Louter,#3)"]) + ".Louter:\n" + looped(".La", stay, {}, 4)
    text += looped(".Lb", evict, steps, passes) + packet(["nop"]).rstrip() + " :endloop1\n"
    first = {2: DDR + 4096, 3: DDR + 4096 + CONFLICT, 4: 0, 5: TCM + TCM_BYTES - 128}
    check(text, first, [(stayed, {}, 4), (evicted, steps, passes)] * 3)


@pytest.mark.parametrize(("row_bytes", "rows", "stride"), [(1000, 1, 0), (128, 6, 128), (60, 7, 1024), (60, 7, -1024)])
def test_a_transfer_drops_the_lines_it_overlaps(row_bytes, rows, stride):
    machine = Machine("\t.text\n\t.type\tf,@function\nf:\n" + packet(["jumpr r31"]))
    tags = machine.tags
    rng = np.random.default_rng(3)
    lines = rng.permutation(256)[:60] + (DDR >> GEOMETRY.l2_shift)
    for base in (DDR, DDR + 8191, DDR + 20_001, DDR + (1 << 20)):
        tags.reset()
        tags.l2.flat[: lines.size] = lines << 1 | lines & 1  # which set does not matter here
        tags.marks[1:] = 0, tags.geometry.l2_sets - 1, lines.min(), lines.max(), (lines & 1).sum()
        tags.l1.flat[: lines.size] = lines << 2
        bytes_ = [base + row * stride + byte for row in range(rows) for byte in range(row_bytes)]
        hit = {byte >> GEOMETRY.l2_shift for byte in bytes_} & set(lines.tolist())
        assert tags.clean(base, row_bytes, rows, stride) == GEOMETRY.l2_line * sum(line & 1 for line in hit)
        assert tags.dirty_bytes() == GEOMETRY.l2_line * int((tags.l2 & 1).sum())
        assert tags.clean(base, row_bytes, rows, stride) == 0
        assert tags.drop(base, row_bytes, rows, stride) == 0
        assert set((tags.l2[tags.l2 != 0] >> 1).tolist()) == set(lines.tolist()) - hit
        gone = {byte >> GEOMETRY.l1_shift for byte in bytes_}
        assert set((tags.l1[tags.l1 != 0] >> 1).tolist()) == set((2 * lines).tolist()) - gone


def test_the_marks_hold_every_line_that_was_cached():
    """What lies outside them is not searched for; scalar loads and vector accesses both count."""
    text = "\t.text\n\t.type\tf,@function\nf:\n" + packet(["r3 = memw(r0+#4)"]) + packet(["v0 = vmem(r1+#0)"])
    machine = Machine(text + packet(["vmem(r2+#0) = v0", "jumpr r31"]))
    low, high = DDR + 640, DDR + (1 << 24)
    for addresses in ((low, low + 4096, high), (high, low, low + 4096), (low + 4096, high, low)):
        machine.run("f", addresses)
        assert machine.tags.marks[3:].tolist() == [low >> GEOMETRY.l2_shift, high >> GEOMETRY.l2_shift, 1]
        assert machine.tags.drop(low - 1, 1, 1, 1) == machine.tags.drop(high + 128, 128, 1, 128) == 0
        assert machine.tags.drop(addresses[2], 128, 1, 128) == 128
        assert machine.tags.dirty_bytes() == 0
    machine.run("f", [TCM, TCM + 128, TCM + 256])
    assert machine.tags.drop(DDR, 1 << 25, 1, 0) == 0


@pytest.mark.parametrize(("bases", "nbytes"), [([0], 1), ([124], 8), ([8, 8], 300), ([0, CONFLICT, 0], 128)])
def test_what_was_stored_is_in_the_second_level(bases, nbytes):
    """After blocks that conflict with each other: the same lines in the same order as the rules give, all dirty."""
    machine = Machine("\t.text\n\t.type\tf,@function\nf:\n" + packet(["jumpr r31"]))
    tags = machine.tags
    expected, ways, written, known = {}, GEOMETRY.l2_ways, 0, []
    for base in [DDR + base for base in bases] + [DDR + CONFLICT * (2 + way) for way in range(ways)]:
        written += tags.store(base, nbytes)
        for line in range(base >> GEOMETRY.l2_shift, (base + nbytes - 1 >> GEOMETRY.l2_shift) + 1):
            Caches.touch(expected, line, GEOMETRY.l2_sets, ways, known)
    assert {number: (tags.l2[number] >> 1)[tags.l2[number] != 0].tolist() for number in expected} == expected
    held = [line for lines in expected.values() for line in lines]
    assert tags.dirty_bytes() == GEOMETRY.l2_line * len(held) == GEOMETRY.l2_line * int((tags.l2 & 1).sum())
    assert written == GEOMETRY.l2_line * len(known) and tags.store(DDR, 0) == 0
    assert tags.drop(DDR, 1 << 28, 1, 0) == GEOMETRY.l2_line * len(held) and not tags.dirty_bytes()


def test_arguments_on_the_stack_were_stored_by_the_caller():
    """They cost a read of the second level, not of DDR, in the first run and in each of a grid."""
    text = "\t.text\n\t.type\tf,@function\nf:\n" + packet(["r0 = memw(r29+#0)"])
    machine = Machine(text + packet(["memw(r1+#0) = r0", "jumpr r31"]))
    for run in range(2):
        result = machine.run("f", [0, DDR, 0, 0, 0, 0, 42 + run])
        assert machine.read(DDR, np.uint32, 1)[0] == 42 + run
        assert result.stalls["memory-l2"] == int(V75.scalar_l2_latency_cycles.value)
        assert result.stalls["memory-ddr"] < int(V75.ddr_latency_cycles.value)
        assert result.ddr_read_bytes == GEOMETRY.l2_line and result.ddr_write_bytes == 2 * GEOMETRY.l2_line
