"""The accesses of a basic block, passed to the cache model together where control leaves the block.

Accesses at constant distances from one address form a *group*. A group is *free* when

* all of it stands in TCM: one range check; its bytes and stalls are constants, or
* it is one or two accesses that each hit the most recent way of their set, a store a dirty line: no cost, and no
  tag changes, or
* its address is the one noted when its block was last replayed without a change of tags, and none has changed since:
  the tags' *epoch* counts their changes.

When all groups of a block are free no other code runs. Otherwise `mm_replay` passes the accesses of groups outside TCM
to the model one by one, in program order. Free accesses do not change the tags, so cycles and bytes are those of a call
per access. Quick code does not test groups and replays all accesses.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, field

from hexagon_mlir.sim import layout
from hexagon_mlir.sim.memory_system.cache_model import SKIPPED, SLOW, CacheAccess, Geometry
from hexagon_mlir.sim.semantics.value import I1, I32, I64, Code, Val
from hexagon_mlir.targets import Target

CHECKED_BY_TAG = 2
"""Larger groups are compared with what was noted."""


class AccessModel:
    """The state shared by the blocks of a program."""

    def __init__(self, target: Target) -> None:
        self.geometry = Geometry(target)
        self.tcm_bytes = int(target.tcm_bytes.value)
        self.tcm_latency = int(target.scalar_tcm_latency_cycles.value)
        self.tables: list[str] = []
        self.memos = 0
        """Groups that are noted, over all blocks."""

    def numbered_from(self, memos: int) -> AccessModel:
        """The same model for a function that has been lowered: its groups keep their numbers."""
        other = copy.copy(self)
        other.memos = memos
        return other


@dataclass
class Group:
    """Accesses at ``root`` plus constants, all under one condition."""

    root: Val
    condition: Val | None
    members: list[tuple[CacheAccess, int]] = field(default_factory=list)

    @property
    def noted(self) -> bool:
        return len(self.members) > CHECKED_BY_TAG or any(access.straddles for access, _ in self.members)

    def sums(self, latency: int) -> dict[str, int]:
        """The group's increments of each counter when it is in TCM."""
        return {
            "tcm_read_bytes": sum(a.bytes for a, _ in self.members if not a.write),
            "tcm_write_bytes": sum(a.bytes for a, _ in self.members if a.write),
            "tcm_stall": latency * sum(a.scalar_load for a, _ in self.members),
        }


class BlockAccesses:
    """Collects the accesses of the block in progress of one function."""

    def __init__(self, code: Code, model: AccessModel, quick: bool) -> None:
        self.code = code
        self.model = model
        self.quick = quick
        self.groups: dict[tuple[str, str], Group] = {}
        self.order: list[tuple[Group, CacheAccess, int]] = []
        self.widest = 0

    def add(self, access: CacheAccess, address: Val, condition: Val | None) -> None:
        root, offset = address.distance()
        key = root.name, condition.name if condition else ""
        group = self.groups.setdefault(key, Group(root, condition))
        group.members.append((access, offset))
        self.order.append((group, access, offset))

    def settle(self) -> None:
        """Account for the collected accesses; control continues in a new block of IR."""
        if not self.order:
            return
        groups = sorted(self.groups.values(), key=lambda group: not group.noted)
        noted = sum(group.noted for group in groups)
        if self.quick:
            self._replay(groups, [None] * len(groups), "null", 0)
        else:
            self._ask(groups, noted)
        self.model.memos += noted
        self.widest = max(self.widest, len(groups))
        self.groups, self.order = {}, []

    def _ask(self, groups: list[Group], noted: int) -> None:
        """Replay the groups that are not free."""
        memo = self._memo(self.model.memos) if noted else "null"
        resident = [self._in_tcm(group) for group in groups]
        self._count(groups, resident)
        free = self.code.const(1, I1)
        for index, (group, inside) in enumerate(zip(groups, resident, strict=True)):
            good = inside | (self._remembered(group, memo, index) if group.noted else self._hits(group))
            if group.condition is not None:
                good = good | ~group.condition
            free = free & good
        replay, go = self.code.name("replay"), self.code.name("go")
        self.code.put(f"br i1 {free.name}, label %{go}, label %{replay}")
        self.code.label(replay)
        self._replay(groups, [*resident], memo, noted)
        self.code.put(f"br label %{go}")
        self.code.label(go)

    def storage(self) -> str:
        """The function's array of group addresses, when it has any."""
        return f"  %roots = alloca [{self.widest} x i64]" if self.widest else ""

    # -- is a group free? ----------------------------------------------------------------------------------
    def _in_tcm(self, group: Group) -> Val:
        offsets = [offset for _, offset in group.members]
        low, span = min(offsets), max(offsets) - min(offsets)
        start = self._plus(group.root, low - layout.TCM_BASE)
        return start.icmp("ult", max(self.model.tcm_bytes - span, 0))

    def _count(self, groups: list[Group], resident: list[Val]) -> None:
        """Bytes and stalls of the groups in TCM."""
        totals: dict[str, Val] = {}
        for group, inside in zip(groups, resident, strict=True):
            runs = inside if group.condition is None else inside & group.condition
            for name, amount in group.sums(self.model.tcm_latency).items():
                if amount:
                    term = runs.select(self.code.const(amount, I64), 0)
                    totals[name] = totals[name] + term if name in totals else term
        for name, total in totals.items():
            pointer = self._state(layout.counter(name))
            self.code.store(self.code.load(pointer, I64) + total, pointer)

    def _hits(self, group: Group) -> Val:
        """Every member hits the most recent way, and no tag changes."""
        geometry = self.model.geometry
        good = self.code.const(1, I1)
        for access, offset in group.members:
            address = self._plus(group.root, offset)
            if access.aligned and geometry.l2_line < access.bytes:
                address = address & -access.bytes
            ways, sets, shift, tags = (
                (geometry.l1_ways, geometry.l1_sets, geometry.l1_shift, layout.L1_TAGS) if access.scalar_load
                else (geometry.l2_ways, geometry.l2_sets, geometry.l2_shift, layout.L2_TAGS)
            )  # fmt: skip
            line = address.lshr(shift)
            base = self.code.op(f"load ptr, ptr {self._state(tags)}", I64)
            pointer = self._at(base.name, (line & sets - 1) * ways, 4)
            tag, key = self.code.load(pointer, I32), line << 1
            if access.write:
                key = key | 1
            elif not access.scalar_load:
                tag = tag & -2
            good = good & tag.icmp("eq", key)
        return good

    def _remembered(self, group: Group, memo: str, index: int) -> Val:
        """The group's address and the epoch are those that were noted."""
        root = self.code.load(self._at(memo, index, 16), I64)
        epoch = self.code.load(self._at(memo, 2 * index + 1, 8), I64)
        now = self.code.load(self.code.op(f"load ptr, ptr {self._state(layout.EPOCH)}", I64).name, I64)
        return root.icmp("eq", group.root.zext(64)) & epoch.icmp("eq", now)

    # -- the slow side -------------------------------------------------------------------------------------
    def _replay(self, groups: list[Group], counted: Sequence[Val | None], memo: str, noted: int) -> None:
        """All groups but those accounted for, under the conditions in ``counted``."""
        code = self.code
        numbers = {id(group): number for number, group in enumerate(groups)}
        words = [access.word(numbers[id(group)], offset) for group, access, offset in self.order]
        table = f"@accesses{len(self.model.tables)}"
        self.model.tables.append(
            f"{table} = internal constant [{len(words)} x i64] [{', '.join(f'i64 {word}' for word in words)}]"
        )
        for number, (group, skip) in enumerate(zip(groups, counted, strict=True)):
            if group.condition is not None:
                skip = ~group.condition if skip is None else skip | ~group.condition
            root = group.root.zext(64)
            code.store(root if skip is None else skip.select(SKIPPED, root), self._at("%roots", number, 8))
        function = f"void {code.address('@mm_account')}" if self.quick else f"{SLOW} void @mm_replay"
        words_at = code.address(table)
        code.put(f"call {function}(ptr %st, ptr {words_at}, i32 {len(words)}, ptr %roots, ptr {memo}, i32 {noted})")

    # -- pointers ------------------------------------------------------------------------------------------
    def _plus(self, root: Val, offset: int) -> Val:
        return self.code.op(f"add i32 {root.name}, {offset}", I32)

    def _memo(self, first: int) -> str:
        base = self.code.op(f"load ptr, ptr {self._state(layout.MEMOS)}", I64)
        return self._at(base.name, first, 16)

    def _state(self, offset: int) -> str:
        return self._at("%st", offset, 1)

    def _at(self, base: str, index: Val | int, step: int) -> str:
        name = "%" + self.code.name("s")
        number = f"i32 {index}" if isinstance(index, int) else f"{index.ty} {index.name}"
        self.code.put(f"{name} = getelementptr [{step} x i8], ptr {base}, {number}")
        return name
