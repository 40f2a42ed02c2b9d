"""One packet to host LLVM IR.

Every register read sees the value before the packet, except ``.new`` operands and consumers of
``.cur``/``.tmp`` loads, and every write is committed at the end. Loads run before stores unless the packet is
``:mem_noshuf``. Flow comes last.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from hexagon_mlir.sim import layout
from hexagon_mlir.sim.blocks import DecodedPacket
from hexagon_mlir.sim.cache_model import SLOW
from hexagon_mlir.sim.decode import Address, Condition, FormError, Insn, Operand
from hexagon_mlir.sim.hostfns import guest_pointer
from hexagon_mlir.sim.image import TYPES, Unit
from hexagon_mlir.sim.isa.lanes import VECTOR, blend
from hexagon_mlir.sim.isa.scalar import half, pair
from hexagon_mlir.sim.isa.value import I32, I64, Type, Val

if TYPE_CHECKING:
    from hexagon_mlir.sim.lower import FunctionLowering

SCALAR_SIZES = {"memw": 4, "memh": 2, "memuh": 2, "memb": 1, "memub": 1, "memd": 8}
MEMORY_KINDS = ("load", "store", "memop", "locked", "frame")


class PacketLowering:
    """Translates one packet."""

    def __init__(self, function: FunctionLowering, packet: DecodedPacket, block: int) -> None:
        self.function = function
        self.code = function.code
        self.image = function.image
        self.packet = packet
        self.block = block
        self.old: dict[Unit, Val] = {}
        self.writes: dict[Unit, list[tuple[Val, Val | None]]] = {}
        self.forwarded: dict[Unit, Val] = {}
        """Values of .cur and .tmp loads: what plain reads in this packet see."""
        self.forwards = {
            unit for i in packet.insns if i.mode for dest in i.dests for unit in dest.units()
        }
        self.stores: list[Callable[[], None]] = []
        self.flow: list[tuple[Insn, Val | None]] = []
        self.loops: list[tuple[str, str, Val]] = []

    # -- reading -------------------------------------------------------------------------------------------
    def old_value(self, unit: Unit) -> Val:
        if unit not in self.old:
            self.old[unit] = self.code.load(self.function.slots[unit], TYPES[unit[0]])
        return self.old[unit]

    def unit_value(self, unit: Unit, new: bool = False) -> Val:
        if new:
            return self.merged(unit)
        return self.forwarded[unit] if unit in self.forwarded else self.old_value(unit)

    def merged(self, unit: Unit) -> Val:
        """The value ``unit`` has after the writes seen so far."""
        entries = self.writes[unit]
        always = [value for value, condition in entries if condition is None]
        if unit[0] == "P" and len(always) > 1:
            result = always[0]
            for value in always[1:]:
                result = result & value
        else:
            result = always[-1] if always else self.old_value(unit)
        for value, condition in entries:
            if condition is not None:
                result = condition.select(value, result)
        return result

    def value(self, operand: Operand):
        """What an emit function gets for ``operand``."""
        if operand.cls == "I":
            return self.immediate(operand)
        units = operand.units()
        if operand.cls == "RR":
            return pair(self.unit_value(units[1], operand.new), self.unit_value(units[0], operand.new))
        if operand.cls == "VV":
            return self.unit_value(units[0], operand.new), self.unit_value(units[1], operand.new)
        return self.unit_value(units[0], operand.new)

    def immediate(self, operand: Operand) -> int:
        if operand.symbol is None:
            return operand.number
        if operand.symbol not in self.image.symbols:
            raise KeyError(operand.symbol)
        return self.image.symbols[operand.symbol] + operand.number

    def condition(self, condition: Condition | None) -> Val | None:
        """A scalar condition as i1."""
        if condition is None or condition.operand.cls != "P":
            return None
        bit = self.unit_value(("P", condition.operand.number), condition.operand.new).trunc(1)
        return ~bit if condition.negated else bit

    # -- writing -------------------------------------------------------------------------------------------
    def write(self, operand: Operand, value, condition: Val | None) -> None:
        units = operand.units()
        if operand.cls == "RR":
            wide = self.code.const(value, I64) if isinstance(value, int) else value.as_(I64)
            parts = [wide.trunc(32), wide.lshr(32).trunc(32)]
        elif operand.cls == "VV":
            parts = [part.as_(VECTOR) for part in value]
        else:
            ty = TYPES[operand.cls]
            parts = [self.code.const(value, ty) if isinstance(value, int) else value.as_(ty)]
        for unit, part in zip(units, parts, strict=True):
            self.writes.setdefault(unit, []).append((part, condition))

    # -- order ---------------------------------------------------------------------------------------------
    def ready(self, insn: Insn, earlier_memory: bool) -> bool:
        """True when everything ``insn`` takes from this packet is there."""
        operands = [*insn.sources]
        if insn.condition:
            operands.append(insn.condition.operand)
        if insn.spec is not None and insn.spec.reads_dest:
            operands.append(insn.dests[0])
        for operand in operands:
            for unit in operand.units():
                if operand.new and unit not in self.writes:
                    return False
                if not operand.new and unit in self.forwards and unit not in self.forwarded and not insn.mode:
                    return False
        return not (earlier_memory and self.packet.packet.mem_noshuf and insn.kind in MEMORY_KINDS)

    def lower(self) -> None:
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
        for store in self.stores:
            store()
        for unit in self.writes:
            self.code.store(self.merged(unit), self.function.slots[unit])
        for number, target, count in self.loops:
            slots = self.function.loop_slots
            self.code.store(count, slots["lc" + number])
            index = self.function.graph.loop_targets[number].index(target)
            self.code.store(self.code.const(index, I32), slots["sa" + number])
        self.leave()

    def insn(self, insn: Insn) -> None:
        try:
            getattr(self, "do_" + insn.kind)(insn)
        except KeyError as error:
            raise FormError(insn.line, insn.text, f"undefined symbol {error}") from error

    # -- instructions --------------------------------------------------------------------------------------
    def do_alu(self, insn: Insn) -> None:
        assert insn.spec is not None
        arguments = [self.value(operand) for operand in insn.sources]
        old = self.value(insn.dests[0]) if insn.spec.reads_dest else None
        if old is not None:
            arguments.insert(0, old)
        result = insn.spec.emit(*arguments) if arguments else insn.spec.emit()
        condition = self.condition(insn.condition)
        if insn.condition is not None and insn.condition.operand.cls == "Q":
            result = self.masked(insn, result)
        if len(insn.dests) == 1:
            self.write(insn.dests[0], result, condition)
        else:
            for dest, value in zip(insn.dests, result, strict=True):
                self.write(dest, value, condition)

    def mask_of(self, condition: Condition) -> Val:
        mask = self.value(condition.operand)
        return ~mask if condition.negated else mask

    def masked(self, insn: Insn, result):
        """Bytes outside the vector predicate keep the old destination."""
        assert insn.condition
        mask = self.mask_of(insn.condition)
        old = self.value(insn.dests[0])
        if isinstance(result, tuple):
            return tuple(blend(mask, new.w, was.w) for new, was in zip(result, old, strict=True))
        return blend(mask, result.w, old.w)

    def address(self, address: Address, condition: Val | None) -> Val:
        """The guest address (i32); also writes a post-incremented base."""
        total: Val | None = None
        if address.base is not None:
            total = self.value(address.base)
        if address.index is not None:
            scaled = self.value(address.index) << address.shift
            total = scaled if total is None else total + scaled
        if address.offset is not None:
            offset = self.immediate(address.offset) * address.scale
            if total is None:
                total = self.code.const(offset, I32)
            elif offset:
                total = total + offset
        assert total is not None
        if address.step is not None and address.base is not None:
            step = self.immediate(address.step) * address.scale
            self.write(address.base, total + step, condition)
        if address.set_base is not None:
            self.write(address.set_base, total, condition)
        return total

    def when(self, condition: Val | None, action: Callable[[], None]) -> None:
        """Run ``action`` under a scalar condition."""
        if condition is None:
            action()
            return
        do, done = self.code.name("do"), self.code.name("done")
        self.code.put(f"br i1 {condition.name}, label %{do}, label %{done}")
        self.code.label(do)
        action()
        self.code.put(f"br label %{done}")
        self.code.label(done)

    def touch(self, helper: str, address: Val, size: int | None = None) -> None:
        """Tell the memory model about an access."""
        if self.image.memory_model:
            extra = "" if size is None else f", i64 {size}"
            self.code.put(f"call {SLOW} void @{helper}(ptr %st, i32 {address.name}{extra})")

    def do_load(self, insn: Insn) -> None:
        assert insn.address
        condition = self.condition(insn.condition)
        address = self.address(insn.address, condition)
        dest = insn.dests[0]
        vector = insn.access.startswith("v")
        ty = VECTOR if vector else Type(1, "i", 8 * SCALAR_SIZES[insn.access])
        slot = self.code.alloca(ty) if condition is not None else ""
        result: list[Val] = []

        def action() -> None:
            if vector:
                aligned = insn.access == "vmem"
                where = address & -128 if aligned else address
                self.touch("mm_vload" if aligned else "mm_vloadu", where)
                loaded = self.code.load(guest_pointer(self.code, where), ty, 128 if aligned else 1)
            else:
                self.touch("mm_sload", address, SCALAR_SIZES[insn.access])
                loaded = self.code.load(guest_pointer(self.code, address), ty, 1)
            if condition is None:
                result.append(loaded)
            else:
                self.code.store(loaded, slot)

        if condition is not None:
            self.code.store(self.code.const(0, ty), slot)
        self.when(condition, action)
        value = result[0] if result else self.code.load(slot, ty)
        if dest.cls == "R":
            value = value.ext(32, "u" not in insn.access)
        if insn.mode:
            unit = dest.units()[0]
            visible = value if condition is None else condition.select(value, self.old_value(unit))
            self.forwarded[unit] = visible
        if insn.mode != "tmp":
            self.write(dest, value, condition)

    def later(self, action: Callable[[], None]) -> None:
        """A memory write: after all loads, or in place in a :mem_noshuf packet."""
        if self.packet.packet.mem_noshuf:
            action()
        else:
            self.stores.append(action)

    def do_store(self, insn: Insn) -> None:
        assert insn.address
        condition = self.condition(insn.condition)
        address = self.address(insn.address, condition)
        value = self.value(insn.sources[0])
        if insn.access.startswith("v"):
            self.vector_store(insn, address, value, condition)
            return
        size = SCALAR_SIZES[insn.access]
        if isinstance(value, int):
            value = self.code.const(value, I64)
        elif insn.op == "high":
            value = half(value, "h")
        data = value.trunc(8 * size)

        def action() -> None:
            self.touch("mm_sstore", address, size)
            self.code.store(data, guest_pointer(self.code, address), 1)

        self.later(lambda: self.when(condition, action))

    def vector_store(self, insn: Insn, address: Val, value: Val, condition: Val | None) -> None:
        mask = None
        if insn.condition is not None and insn.condition.operand.cls == "Q":
            mask = self.mask_of(insn.condition)
        aligned = insn.access == "vmem"

        def action() -> None:
            where = address & -128 if aligned else address
            helper = "mm_vstoreu" if not aligned else ("mm_vstorem" if mask is not None else "mm_vstore")
            self.touch(helper, where)
            pointer = guest_pointer(self.code, where)
            align = 128 if aligned else 1
            data = value
            if mask is not None:
                data = blend(mask, value, self.code.load(pointer, VECTOR, align))
            self.code.store(data, pointer, align)

        self.later(lambda: self.when(condition, action))

    def do_memop(self, insn: Insn) -> None:
        assert insn.address
        condition = self.condition(insn.condition)
        address = self.address(insn.address, condition)
        size = SCALAR_SIZES[insn.access]
        ty = Type(1, "i", 8 * size)
        value = self.value(insn.sources[0])
        if insn.op in ("=setbit", "=clrbit"):
            value = 1 << value if insn.op == "=setbit" else ~(1 << value)
        operand = self.code.const(value, ty) if isinstance(value, int) else value.trunc(8 * size)
        op = {"+=": "add", "-=": "sub", "&=": "and", "|=": "or", "=setbit": "or", "=clrbit": "and"}[insn.op]

        def action() -> None:
            self.touch("mm_sload", address, size)
            self.touch("mm_sstore", address, size)
            pointer = guest_pointer(self.code, address)
            self.code.store(self.code.load(pointer, ty, 1).bin(op, operand), pointer, 1)

        self.later(lambda: self.when(condition, action))

    def do_locked(self, insn: Insn) -> None:
        """A store-conditional: one thread, so it always succeeds."""
        assert insn.address
        address = self.address(insn.address, None)
        data = self.value(insn.sources[0])
        self.write(insn.dests[0], 0xFF, None)

        def action() -> None:
            self.touch("mm_sstore", address, SCALAR_SIZES[insn.access])
            self.code.store(data, guest_pointer(self.code, address), 1)

        self.later(action)

    def do_frame(self, insn: Insn) -> None:
        registers = {n: Operand("R", n) for n in (29, 30, 31)}
        condition = self.condition(insn.condition)
        if insn.op == "allocframe":
            stack = self.value(registers[29]) - 8
            saved = pair(self.value(registers[31]), self.value(registers[30]))

            def action() -> None:
                self.touch("mm_sstore", stack, 8)
                self.code.store(saved, guest_pointer(self.code, stack), 1)

            self.later(action)
            self.write(registers[30], stack, None)
            self.write(registers[29], stack - insn.sources[0].number, None)
            return
        frame = self.value(registers[30])
        slot = self.code.alloca(I64)
        self.code.store(self.code.const(0, I64), slot)

        def load() -> None:
            self.touch("mm_sload", frame, 8)
            self.code.store(self.code.load(guest_pointer(self.code, frame), I64, 1), slot)

        self.when(condition, load)
        self.write(Operand("RR", 30), self.code.load(slot, I64), condition)
        self.write(registers[29], frame + 8, condition)
        if insn.op == "dealloc_return":
            self.flow.append((insn, condition))

    def do_clock(self, insn: Insn) -> None:
        """The cycle counter pair: what the model has counted so far."""
        self.function.call("hexmlir_rt_cycles")
        slots = self.function.slots
        low, high = (self.code.load(slots[("R", n)], I32) for n in (0, 1))
        for n in (0, 1):
            self.code.store(self.old_value(("R", n)), slots[("R", n)])
        self.write(insn.dests[0], pair(high, low), self.condition(insn.condition))

    def do_dma(self, insn: Insn) -> None:
        """A user-DMA instruction: a host function of the same name."""
        slots = self.function.slots
        kept = [self.old_value(("R", n)) for n in (0, 1)]
        for n, source in enumerate(insn.sources):
            self.code.store(self.value(source), slots[("R", n)])
        self.function.call(insn.op)
        result = self.code.load(slots[("R", 0)], I32)
        for n in (0, 1):
            self.code.store(kept[n], slots[("R", n)])
        if insn.dests:
            self.write(insn.dests[0], result, self.condition(insn.condition))

    def do_system(self, insn: Insn) -> None:
        """nop, barriers and prefetch hints have no effect on values."""

    def do_loop(self, insn: Insn) -> None:
        count = self.value(insn.sources[0])
        count = self.code.const(count, I32) if isinstance(count, int) else count
        self.loops.append((insn.op, str(insn.target), count))

    def do_jump(self, insn: Insn) -> None:
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
        if insn.op == "tstbit":
            bit = left.lshr(right).trunc(1)
        else:
            bit = left.icmp({"cmp.eq": "eq", "cmp.gt": "sgt", "cmp.gtu": "ugt"}[insn.op], right)
        self.flow.append((insn, ~bit if insn.negated else bit))

    # -- leaving the packet --------------------------------------------------------------------------------
    def leave(self) -> None:
        for insn, condition in self.flow:
            if condition is None:
                self.transfer(insn)
                if insn.kind not in ("call", "callr"):
                    self.code.label(self.code.name("dead"))
                continue
            self.function.count_branch(self.block, insn, condition)
            taken, not_taken = self.code.name("taken"), self.code.name("next")
            self.code.put(f"br i1 {condition.name}, label %{taken}, label %{not_taken}")
            self.code.label(taken)
            self.transfer(insn)
            if insn.kind in ("call", "callr"):
                self.code.put(f"br label %{not_taken}")
            self.code.label(not_taken)
        for mark, number in (
            (self.packet.packet.end_loop0, "0"), (self.packet.packet.end_loop1, "1"),
        ):  # fmt: skip
            if mark:
                self.end_loop(number)

    def transfer(self, insn: Insn) -> None:
        """The taken side of a flow instruction."""
        if insn.key == "dealloc_return" or (insn.kind == "jumpr" and insn.sources[0].number == 31):
            self.function.leave()
        elif insn.kind in ("jump", "newjump"):
            self.function.goto(str(insn.target))
        elif insn.kind == "jumpr":
            assert self.function_address is not None
            self.indirect(self.function_address)
        else:
            link = self.code.const(layout.RETURN_ADDRESS, I32)
            self.code.store(link, self.function.slots[("R", 31)])
            if insn.kind == "call":
                self.function.call(str(insn.target))
            else:
                assert self.function_address is not None
                self.function.dispatch(self.function_address)

    def indirect(self, address: Val) -> None:
        """A jump through a register: a label of this function whose address is taken, or a tail call."""
        graph = self.function.graph
        labels = [label for label in sorted(self.image.address_taken) if label in graph.at_label]
        other = self.code.name("other")
        cases = " ".join(f"i32 {self.image.symbols[x]}, label %b{graph.at_label[x]}" for x in labels)
        self.code.put(f"switch i32 {address.name}, label %{other} [ {cases} ]")
        self.code.label(other)
        self.function.dispatch(address)
        self.function.leave()

    def end_loop(self, number: str) -> None:
        code = self.code
        slots = self.function.loop_slots
        targets = self.function.graph.loop_targets[number]
        if not targets:
            insn = self.packet.insns[0]
            raise FormError(insn.line, insn.text, f"endloop{number} without loop{number} in the function")
        count = code.load(slots["lc" + number], I32)
        again, done = code.name("again"), code.name("done")
        code.put(f"br i1 {count.icmp('ugt', 1).name}, label %{again}, label %{done}")
        code.label(again)
        code.store(count - 1, slots["lc" + number])
        start = code.load(slots["sa" + number], I32)
        at_label = self.function.graph.at_label
        cases = " ".join(f"i32 {i}, label %b{at_label[t]}" for i, t in enumerate(targets) if i)
        code.put(f"switch i32 {start.name}, label %b{at_label[targets[0]]} [ {cases} ]")
        code.label(done)
