"""One packet to host LLVM IR.

Every register read sees the value before the packet, except ``.new`` operands and consumers of
``.cur``/``.tmp`` loads, and every write is committed at the end. Loads run before stores unless the packet is
``:mem_noshuf``. Flow comes last.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from hexagon_mlir.isa.blocks import DecodedPacket
from hexagon_mlir.isa.decode import COUNTERS, FIFO, GATHERED, UNPACKING, Condition, FormError, Insn, Operand
from hexagon_mlir.isa.literals import shown
from hexagon_mlir.sim.checking.check_model import ODD_STORE, access_name
from hexagon_mlir.sim.host_library.hostfns import guest_pointer
from hexagon_mlir.sim.memory_system.cache_model import CacheAccess, scalar_load, scalar_store, vector_load
from hexagon_mlir.sim.semantics.lanes import VECTOR, VECTOR_BYTES, blend
from hexagon_mlir.sim.semantics.scalar import half, pair
from hexagon_mlir.sim.semantics.sticky import USR
from hexagon_mlir.sim.semantics.tables import SEMANTICS
from hexagon_mlir.sim.semantics.value import I1, I32, I64, Type, Val
from hexagon_mlir.sim.translation import form_functions, matrix, special, vector_stores
from hexagon_mlir.sim.translation.addressing import address_of
from hexagon_mlir.sim.translation.flow import FlowLowering
from hexagon_mlir.sim.translation.followed import reads_frame
from hexagon_mlir.sim.translation.image import Unit, site_of
from hexagon_mlir.sim.translation.second_values import SecondValues
from hexagon_mlir.sim.translation.vectors import Stored

if TYPE_CHECKING:
    from hexagon_mlir.sim.translation.lower import FunctionLowering

SCALAR_SIZES = {
    "memw": 4, "memh": 2, "memuh": 2, "memb": 1, "memub": 1, "memd": 8, "membh": 2, "memubh": 2,
    "memb_fifo": 1, "memh_fifo": 2, "dczeroa": 32,
}  # fmt: skip
"""Bytes of an access; ``membh`` into a pair takes twice as many."""
COMPARES = {
    "cmp.eq": "eq", "cmp.gt": "sgt", "cmp.gtu": "ugt", "==": "eq", "!=": "ne", ">=": "sge", "<=": "sle",
}  # fmt: skip
MEMORY_KINDS = ("load", "store", "memop", "locked", "frame", "gather", "scatter", "zero")


class PacketLowering(SecondValues, FlowLowering):
    """Translates one packet."""

    def __init__(self, function: FunctionLowering, packet: DecodedPacket, block: int) -> None:
        self.function = function
        self.code = function.code
        self.image = function.image
        self.vectors = function.vectors
        self.packet = packet
        self.block = block
        self.old: dict[Unit, Val] = {}
        self.places: dict[Type, int] = {}
        self.writes: dict[Unit, list[tuple[Val, Val | None]]] = {}
        self.forwarded: dict[Unit, Val] = {}
        """Values of .cur and .tmp loads: what plain reads in this packet see."""
        self.forwards = {
            unit for i in packet.insns if i.mode for dest in i.dests for unit in dest.units()
        }
        self.stores: list[Callable[[], None]] = []
        self.sticky: Val | None = None
        """Bits of USR that the packet sets."""
        self.flow: list[tuple[Insn, Val | None]] = []
        self.loops: list[tuple[str, str, Val, int]] = []
        self.guarded: Val | None = None
        """The condition of the `when` in progress."""

    # -- order ---------------------------------------------------------------------------------------------
    def ready(self, insn: Insn, earlier_memory: bool) -> bool:
        """True when all operands of ``insn`` from this packet are available."""
        operands = [*insn.sources]
        if insn.condition:
            operands.append(insn.condition.operand)
        if insn.form is not None and insn.form.reads_dest:
            operands.append(insn.dests[0])
        for operand in operands:
            for unit in operand.units():
                if operand.new and unit not in self.writes:
                    return False
                if not operand.new and unit in self.forwards and unit not in self.forwarded and not insn.mode:
                    return False
        return not (earlier_memory and self.packet.packet.mem_noshuf and insn.kind in MEMORY_KINDS)

    def lower(self) -> None:
        self.function.site = self.packet.packet.lines[0][0]
        if self.image.sites is not None:
            self.function.site = len(self.image.sites)
            self.image.sites.append(site_of(self.function.name, self.packet.packet))
        if self.vectors is not None:
            self.vectors.begin_packet(self.packet)
        pending = list(self.packet.insns)
        while pending:
            waiting: list[Insn] = []
            for insn in pending:
                earlier_memory = any(other.kind in MEMORY_KINDS for other in waiting)
                if self.ready(insn, earlier_memory):
                    self.insn(insn)
                else:
                    waiting.append(insn)
            if len(waiting) == len(pending):
                first = waiting[0]
                raise FormError(first.line, first.text, "a .new value has no producer in the packet")
            pending = waiting
        self.move_stack("lower")
        for store in self.stores:
            store()
        if self.sticky is not None:
            before = self.merged(USR) if USR in self.writes else self.old_value(USR)
            self.writes[USR] = [(before | self.sticky, None)]
        self.move_stack("raise")
        self.function.hold({unit: self.merged(unit) for unit in self.writes if unit[0] != GATHERED.cls})
        if self.loops or self.packet.ends_block:
            self.function.flush()
        for number, target, count, stages in self.loops:
            slot = self.function.loop_slot
            self.code.store(count, slot("lc" + number))
            index = self.function.graph.loop_targets[number].index(target)
            self.code.store(self.code.const(index, I32), slot("sa" + number))
            if number == "0":
                self.code.store(self.code.const(stages, I32), slot("stages"))
        if self.packet.ends_block:
            self.function.settle()
        self.leave()

    def move_stack(self, way: str) -> None:
        """Pass a new stack pointer to the checks: before the packet's stores for a lower one, after them for a higher
        one."""
        stack = ("R", 29)
        if self.image.sites is not None and stack in self.writes:
            moved = self.merged(stack)
            self.code.put(f"call void @ck_{way}(ptr %st, i32 {self.old_value(stack).name}, i32 {moved.name})")

    def insn(self, insn: Insn) -> None:
        try:
            getattr(self, "do_" + insn.kind)(insn)
        except KeyError as error:
            raise FormError(insn.line, insn.text, f"undefined symbol '{shown(error.args[0])}'") from error

    # -- instructions --------------------------------------------------------------------------------------
    def do_alu(self, insn: Insn) -> None:
        assert insn.form is not None
        self.code.sticky = [] if self.image.sticky and not insn.hvx else None
        condition = self.condition(insn.condition)
        result = self.compute(insn, lambda: self.emit(insn), condition)
        self.set_sticky(condition)
        if insn.mode:
            parts = result if isinstance(result, tuple) else (result,)
            for unit, part in zip(insn.dests[0].units(), parts, strict=True):
                self.forwarded[unit] = part.as_(VECTOR)
        elif len(insn.dests) == 1:
            self.write(insn.dests[0], result, condition)
        else:
            for dest, value in zip(insn.dests, result, strict=True):
                self.write(dest, value, condition)

    def emit(self, insn: Insn):
        """The result of an instruction with a `Form`, with the bytes of the destination that it keeps."""
        assert insn.form is not None
        arguments = [self.value(operand) for operand in insn.sources]
        if self.image.extended and any(insn.form.extended):
            pairs = zip(insn.sources, insn.form.extended, strict=True)
            arguments = [self.extended_value(o) if has else self.value(o) for o, has in pairs]
        old = self.value(insn.dests[0]) if insn.form.reads_dest else None
        if old is not None:
            arguments.insert(0, old)
        if self.vectors is not None and insn.hvx:
            result = form_functions.apply(insn.key, self.vectors, arguments, self.vectors.targets(insn))
        else:
            result = SEMANTICS[insn.key](*arguments)
        by_lanes = insn.condition is not None and insn.condition.operand.cls == "Q"
        return self.masked(insn, result) if by_lanes else result

    def set_sticky(self, condition: Val | None) -> None:
        """Remember the bits of USR that an instruction sets."""
        for bit, met in self.code.sticky or ():
            mask = (met if condition is None else met & condition).zext(32) << bit
            self.sticky = mask if self.sticky is None else self.sticky | mask
        self.code.sticky = None

    def mask_of(self, condition: Condition) -> Val:
        mask = self.value(condition.operand)
        return ~mask if condition.negated else mask

    def masked(self, insn: Insn, result):
        """Bytes outside the vector predicate keep the old destination."""
        assert insn.condition
        old = self.value(insn.dests[0])
        if isinstance(result, tuple):
            return tuple(self.blended(insn.condition, *both) for both in zip(result, old, strict=True))
        return self.blended(insn.condition, result, old)

    def blended(self, condition: Condition, inside: Val, outside: Val, targets: Sequence[Stored] = ()) -> Val:
        """Bytes of ``inside`` where the vector predicate holds, others of ``outside``; of quick code in ``targets``."""
        if self.vectors is None:
            return blend(self.mask_of(condition), inside.w, outside.w)
        values = [outside, inside] if condition.negated else [inside, outside]
        predicate = self.value(condition.operand)
        return form_functions.apply(form_functions.BLEND, self.vectors, [predicate, *values], targets)

    def when(self, condition: Val | None, action: Callable[[], None]) -> None:
        """Run ``action`` under a scalar condition."""
        if condition is None:
            action()
            return
        self.guarded = condition
        do, done = self.code.name("do"), self.code.name("done")
        self.code.put(f"br i1 {condition.name}, label %{do}, label %{done}")
        self.code.label(do)
        action()
        self.code.put(f"br label %{done}")
        self.code.label(done)
        self.guarded = None

    def touch(self, access: CacheAccess, address: Val, mask: Val | None = None, followed: bool = False) -> str:
        """Pass an access to the checks and the memory model; returns its host pointer."""
        unit = access.bytes if access.aligned else 1
        if self.image.sites is not None:
            where = address & -unit if access.aligned else address
            extra = "" if mask is None else f", {VECTOR} {mask.name}"
            name = access_name(access, mask is not None, self.guarded is not None, followed)
            where = address if name == ODD_STORE else where
            call = f"@{name}(ptr %st, i32 {where.name}, i32 {self.function.site}{extra})"
            if followed:
                self.undefined = self.code.op(f"call i1 {call}", I1)
            else:
                self.code.put(f"call void {call}")
        if self.function.accesses is not None:
            self.function.accesses.add(access, address, self.guarded)
        return guest_pointer(self.code, address, unit)

    def do_load(self, insn: Insn) -> None:
        assert insn.address
        condition = self.condition(insn.condition)
        dest = insn.dests[0]
        vector = insn.accesses_vector
        unpack = insn.access in UNPACKING
        size = SCALAR_SIZES.get(insn.access, 0) * (2 if unpack and dest.cls == "RR" else 1)
        ty = VECTOR if vector else Type(1, "i", 8 * size)
        address = address_of(self, insn.address, size, condition)
        room = self.vectors.room(insn) if vector and self.vectors is not None else None
        slot = self.code.alloca(ty) if condition is not None and room is None else ""
        result: list[Val] = []
        followed = self.follows and (vector or (reads_frame(insn) and self.follows_unit(dest.units()[0])))
        slots = self.load_slots(ty) if followed else None

        def action() -> None:
            access = vector_load(VECTOR_BYTES, insn.access == "vmem") if vector else scalar_load(size)
            align = VECTOR_BYTES if access.aligned else 1
            pointer = self.touch(access, address, followed=followed)
            if room is None or self.vectors is None:
                loaded = self.code.load(pointer, ty, align)
            else:
                loaded = self.vectors.copy(Stored(self.code, pointer), room)
            if slots is not None:
                self.loaded(slots, address & -VECTOR_BYTES if access.aligned else address, loaded)
            if slot:
                self.code.store(loaded, slot)
            else:
                result.append(loaded)

        if slot:
            self.code.store(self.code.const(0, ty), slot)
        self.when(condition, action)
        value = result[0] if result else self.code.load(slot, ty)
        if slots is not None:
            second, origin = self.code.load(slots[0], ty), self.code.load(slots[1], I32)
            second = second.ext(32, "u" not in insn.access) if dest.cls == "R" else second
            for unit, part in zip(dest.units(), self.registers(dest, second), strict=True):
                self.set_second(unit, part, origin, condition, insn.mode)
        if unpack:
            value = value.b.ext(16, "u" not in insn.access)
        elif insn.access in FIFO:
            value = self.value(dest).lshr(8 * size) | (value.zext(64) << (64 - 8 * size))
        elif dest.cls == "R":
            value = value.ext(32, "u" not in insn.access)
        if insn.mode:
            unit = dest.units()[0]
            visible = value if condition is None else condition.select(value, self.old_value(unit))
            self.forwarded[unit] = visible
        if insn.mode != "tmp":
            self.write(dest, value, condition)

    def stay_in_frame(self, insn: Insn, address: Val, size: int, condition: Val | None) -> None:
        """Pass a store through sp or fp to the checks."""
        assert insn.address
        masked = insn.condition is not None and insn.condition.operand.cls == "Q"
        if self.image.sites is not None and insn.accesses_frame and not masked:
            address = address & -size if insn.access == "vmem" else address
            self.when(condition, lambda: self.code.put(
                f"call void @ck_above(ptr %st, i32 {address.name}, i32 {size}, i32 {self.function.site})"))

    def later(self, action: Callable[[], None]) -> None:
        """A memory write: after all loads, or in place in a :mem_noshuf packet."""
        if self.packet.packet.mem_noshuf:
            action()
        else:
            self.stores.append(action)

    def do_store(self, insn: Insn) -> None:
        assert insn.address
        condition = self.condition(insn.condition)
        address = address_of(self, insn.address, SCALAR_SIZES.get(insn.access, 0), condition)
        value = self.value(insn.sources[0])
        size = SCALAR_SIZES.get(insn.access, VECTOR_BYTES)
        self.stay_in_frame(insn, address, size, condition)
        if insn.accesses_vector:
            vector_stores.store(self, insn, address, value, condition)
            return
        if isinstance(value, int):
            value = self.code.const(value, I64)
        elif insn.op == "high":
            value = half(value, "h")
        data = value.trunc(8 * size)
        origin = self.origin(insn.sources[:1]) if self.follows else None

        def new() -> Val:
            again = self.value(insn.sources[0])
            return (half(again, "h") if insn.op == "high" else again).trunc(8 * size)

        def action() -> None:
            self.code.store(data, self.touch(scalar_store(size), address), 1)
            if origin is not None:
                self.stored(address, origin, data, new)

        self.later(lambda: self.when(condition, action))

    def do_memop(self, insn: Insn) -> None:
        assert insn.address
        condition = self.condition(insn.condition)
        address = address_of(self, insn.address, SCALAR_SIZES.get(insn.access, 0), condition)
        size = SCALAR_SIZES[insn.access]
        self.stay_in_frame(insn, address, size, condition)
        ty = Type(1, "i", 8 * size)
        value = self.value(insn.sources[0])
        if insn.op in ("=setbit", "=clrbit"):
            value = 1 << value if insn.op == "=setbit" else ~(1 << value)
        operand = self.code.const(value, ty) if isinstance(value, int) else value.trunc(8 * size)
        op = {"+=": "add", "-=": "sub", "&=": "and", "|=": "or", "=setbit": "or", "=clrbit": "and"}[insn.op]

        def action() -> None:
            self.touch(scalar_load(size), address)
            pointer = self.touch(scalar_store(size), address)
            self.code.store(self.code.load(pointer, ty, 1).bin(op, operand), pointer, 1)

        self.later(lambda: self.when(condition, action))

    def do_locked(self, insn: Insn) -> None:
        """A store-conditional: one thread, so it always succeeds."""
        assert insn.address
        address = address_of(self, insn.address, 0, None)
        data = self.value(insn.sources[0])
        self.write(insn.dests[0], 0xFF, None)

        def action() -> None:
            self.code.store(data, self.touch(scalar_store(SCALAR_SIZES[insn.access]), address), 1)

        self.later(action)

    def do_gather(self, insn: Insn) -> None:
        special.gather(self, insn)

    def do_scatter(self, insn: Insn) -> None:
        special.scatter(self, insn)

    def do_histogram(self, insn: Insn) -> None:
        special.histogram(self, insn)

    def do_zero(self, insn: Insn) -> None:
        """dczeroa: a line of 32 bytes becomes zero."""
        assert insn.address
        size = SCALAR_SIZES[insn.access]
        address = address_of(self, insn.address, size, None) & -size
        zero = self.code.const(0, Type(1, "i", 8 * size))

        def action() -> None:
            self.code.store(zero, self.touch(scalar_store(8), address), 1)

        self.later(action)

    def do_frame(self, insn: Insn) -> None:
        registers = {n: Operand("R", n) for n in (29, 30, 31)}
        condition = self.condition(insn.condition)
        if insn.op == "allocframe":
            stack = self.value(registers[29]) - 8
            saved = pair(self.value(registers[31]), self.value(registers[30]))

            def action() -> None:
                self.code.store(saved, self.touch(scalar_store(8), stack), 1)
                if self.image.sites is not None:
                    self.code.put(f"call void @ck_save(ptr %st, i32 {stack.name})")

            self.later(action)
            self.write(registers[30], stack, None)
            self.write(registers[29], stack - insn.sources[0].number, None)
            return
        frame = self.value(registers[30])
        slot = self.code.alloca(I64)
        self.code.store(self.code.const(0, I64), slot)

        def load() -> None:
            self.code.store(self.code.load(self.touch(scalar_load(8), frame), I64, 1), slot)

        self.when(condition, load)
        self.write(Operand("RR", 30), self.code.load(slot, I64), condition)
        self.write(registers[29], frame + 8, condition)
        if insn.op == "dealloc_return":
            self.flow.append((insn, condition))

    def do_clock(self, insn: Insn) -> None:
        """A pair of counters, or half of one: the model's counts so far."""
        number = int(insn.op)
        kept = [self.old_value(("R", n)) for n in (0, 1)]
        self.function.call(COUNTERS[number & ~1])
        slot = self.function.slot
        low, high = (self.code.load(slot(("R", n)), I32) for n in (0, 1))
        for n in (0, 1):
            self.code.store(kept[n], slot(("R", n)))
        result = pair(high, low) if insn.dests[0].cls == "RR" else (high if number % 2 else low)
        self.write(insn.dests[0], result, self.condition(insn.condition))

    def do_dma(self, insn: Insn) -> None:
        """A user-DMA instruction: a host function of the same name."""
        self.function.flush()
        slot = self.function.slot
        kept = [self.old_value(("R", n)) for n in (0, 1)]
        for n, source in enumerate(insn.sources):
            self.code.store(self.value(source), slot(("R", n)))
        self.function.call(insn.op)
        result = self.code.load(slot(("R", 0)), I32)
        for n in (0, 1):
            self.code.store(kept[n], slot(("R", n)))
        if insn.dests:
            self.write(insn.dests[0], result, self.condition(insn.condition))

    def do_matrix(self, insn: Insn) -> None:
        matrix.issue(self, insn)

    def do_trap(self, insn: Insn) -> None:
        """A system call or a wait for an interrupt, which nothing handles."""
        message = f"'{insn.text}' in '{self.function.name}': the simulator has no operating system"
        condition = self.condition(insn.condition)
        bad = self.code.const(1, I1) if condition is None else condition
        self.function.guard(bad, self.image.trap(message))

    def do_system(self, insn: Insn) -> None:
        """nop, barriers and prefetch hints have no effect on values."""

    def do_loop(self, insn: Insn) -> None:
        count = self.value(insn.sources[0])
        count = self.code.const(count, I32) if isinstance(count, int) else count
        stages = int(insn.access or 0)
        if stages:
            self.write(insn.dests[0], 0, None)
        self.loops.append((insn.op, str(insn.target), count, stages))

    def do_jump(self, insn: Insn) -> None:
        self.must_be_defined([insn.condition.operand] if insn.condition else [])
        self.flow.append((insn, self.condition(insn.condition)))

    do_call = do_jump

    def do_jumpr(self, insn: Insn) -> None:
        self.function_address = self.value(insn.sources[0]) if insn.sources[0].number != 31 else None
        self.flow.append((insn, self.condition(insn.condition)))

    def do_callr(self, insn: Insn) -> None:
        self.function_address = self.value(insn.sources[0])
        self.flow.append((insn, self.condition(insn.condition)))

    def do_newjump(self, insn: Insn) -> None:
        left = self.value(insn.sources[0])
        right = self.value(insn.sources[1])
        self.must_be_defined(insn.sources[:2])
        bit = left.lshr(right).trunc(1) if insn.op == "tstbit" else left.icmp(COMPARES[insn.op], right)
        self.flow.append((insn, ~bit if insn.negated else bit))
