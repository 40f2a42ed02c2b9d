"""A guest function to host LLVM IR.

A guest function becomes ``void @g_<number>(ptr state)``. Every register has a slot, which is up to date between blocks.
In fast code it is an alloca that scalar replacement turns into SSA values; they are written to the state record before
calls and returns. In quick code it is the register's place in the state record.
"""

from __future__ import annotations

from collections.abc import Mapping, Set

from hexagon_mlir.isa.blocks import Block, Graph
from hexagon_mlir.isa.decode import Insn
from hexagon_mlir.sim import layout
from hexagon_mlir.sim.checking.check_model import COPIES
from hexagon_mlir.sim.host_library.hostfns import CALLBACKS, INLINE
from hexagon_mlir.sim.host_library.libc_table import CALL_BACK
from hexagon_mlir.sim.semantics.sticky import USR
from hexagon_mlir.sim.semantics.value import I1, I32, I64, Code, Type, Val
from hexagon_mlir.sim.translation.accesses import BlockAccesses
from hexagon_mlir.sim.translation.followed import followed
from hexagon_mlir.sim.translation.image import MAX_DEPTH, ORIGIN, SECOND, TYPES, Image, Unit, state_offset
from hexagon_mlir.sim.translation.liveness import ALL
from hexagon_mlir.sim.translation.packet import PacketLowering
from hexagon_mlir.sim.translation.vectors import CLASSES, Stored, Vectors

LOOP_REGISTERS = {"sa0": 0, "lc0": 1, "sa1": 2, "lc1": 3}
"""Numbers of the control registers of the hardware loops."""
ADDRESSES = "@addresses"
"""Quick code's table of addresses: LLVM's fast instruction selection has no calls of far symbols."""
STAGES = "stages"
"""What a pipelined loop counts until p3 becomes true."""
ARGUMENTS = {("R", n) for n in (0, 1, 2, 3, 4, 5, 29)}
"""What a host function may read: argument registers and the stack pointer."""
RESULTS = {("R", 0), ("R", 1)}
HOT_RUNS = 1 << 13
"""Quick code asks for fast code whenever a block that is jumped back to has run so many times more."""
ASK = f"""define internal i1 @ask(ptr %st, i32 %block) noinline {{
  %where = getelementptr i8, ptr %st, i32 {layout.HOT}
  store i32 %block, ptr %where
  %pointer = getelementptr i8, ptr %st, i32 {layout.CALLBACK}
  %callback = load ptr, ptr %pointer
  call void %callback(i32 {layout.HOT_CALLBACK})
  %now = load i32, ptr %where
  %moved = icmp eq i32 %now, {layout.MOVED}
  ret i1 %moved
}}"""
BRANCH_BYTES = 24
"""A conditional branch's counters in the state record, see `layout.BRANCHES`."""
BRANCH = """define internal void @branch(ptr %times, i1 %condition) alwaysinline {
  %wrong = getelementptr i64, ptr %times, i32 1
  %direction = getelementptr i64, ptr %times, i32 2
  %taken = zext i1 %condition to i64
  %t0 = load i64, ptr %times
  %t1 = add i64 %t0, %taken
  store i64 %t1, ptr %times
  %state = load i64, ptr %direction
  %predicted = icmp sge i64 %state, 0
  %differ = xor i1 %predicted, %condition
  %more = zext i1 %differ to i64
  %w0 = load i64, ptr %wrong
  %w1 = add i64 %w0, %more
  store i64 %w1, ptr %wrong
  %twice = shl i64 %taken, 1
  %step = sub i64 %twice, 1
  %moved = add i64 %state, %step
  %low = icmp sgt i64 %moved, -2
  %above = select i1 %low, i64 %moved, i64 -2
  %high = icmp slt i64 %above, 1
  %kept = select i1 %high, i64 %above, i64 1
  store i64 %kept, ptr %direction
  ret void
}"""


class FunctionLowering:
    """Translates one function."""

    def __init__(
        self, graph: Graph, first_block: int, image: Image, declarations: set[str], returned: Set[Unit]
    ) -> None:
        self.graph = graph
        self.returned = returned
        """Vector registers to be seen by whoever reads the state record after a return."""
        self.name = graph.function.name
        self.first_block = first_block
        self.site = 0
        """Of the packet in progress: its number in a checked build, else the line of its text."""
        self.image = image
        self.code = Code(declarations, image.floats)
        self.allocas: dict[Unit, str] = {}
        """The slots of fast code."""
        self.loop_allocas: dict[str, str] = {}
        """Slots of the loop registers that the function does not name, and of the stage of a pipelined loop."""
        self.held: dict[Unit, Val] = {}
        """Register values known in the block in progress."""
        self.unstored: set[Unit] = set()
        """Registers whose slot is older than the value held."""
        self.accesses = BlockAccesses(self.code, image.model, image.quick) if image.model else None
        self.written: set[Unit] = set()
        self.code.table = image.addresses if image.quick else None
        self.vectors = Vectors(self.code, image, self.slot) if image.quick else None
        """Of quick code: its vector registers."""
        self.places: dict[Type, list[str]] = {}
        """What packets keep second values in, see `second_values`."""
        self.followed: set[Unit] = set()
        """Scalar registers of a checked build with second values."""
        self.collect()

    # -- registers -----------------------------------------------------------------------------------------
    def collect(self) -> None:
        """Find the registers the function names, and those it writes."""
        read: set[Unit] = {("R", 29), ("R", 31)}
        written: set[Unit] = {("R", 31)} if self.makes_calls() else set()
        for block in self.graph.blocks:
            for packet in block.packets:
                for insn in packet.insns:
                    for operand in insn.sources:
                        read.update(operand.units())
                    for operand in insn.dests:
                        written.update(operand.units())
                    if insn.condition:
                        read.update(insn.condition.operand.units())
                    if insn.address:
                        for part in insn.address.registers():
                            read.update(part.units())
                        if insn.address.written:
                            written.update(insn.address.written.units())
                    if insn.kind == "frame":
                        written.update((("R", 29), ("R", 30), ("R", 31)))
                    if insn.kind == "matrix":
                        read.add(USR)
        if self.image.sticky:
            read.add(USR)
            written.add(USR)
        if self.image.extended:
            for units in (read, written):
                units.update([("X", number) for cls, number in units if cls == "V"])
        if self.image.sites is not None:
            self.followed = followed(self.graph)
            vectors = {unit for unit in read | written if unit[0] in ("V", "Q")}
            found = {(kind[cls], n) for cls, n in vectors | self.followed for kind in (SECOND, ORIGIN)}
            read, written = read | found, written | found
        if self.makes_calls():
            read.update(("R", n) for n in range(6))
            written.update((("R", 0), ("R", 1)))
        loops = [i for b in self.graph.blocks for p in b.packets for i in p.insns if i.kind == "loop"]
        self.pipelined = any(insn.access for insn in loops)
        # the registers of the hardware loops it sets
        self.counted = {name + insn.op for insn in loops for name in ("sa", "lc")}
        if self.pipelined:
            self.counted.add(STAGES)
        self.written = {unit for unit in written if unit[0] in TYPES}
        self.units = sorted(unit for unit in read | written if unit[0] in TYPES)

    def makes_calls(self) -> bool:
        return any(
            insn.kind in ("call", "callr") or (insn.kind == "jump" and insn.target not in self.graph.at_label)
            or (insn.kind == "jumpr" and insn.sources[0].number != 31) or insn.kind in ("clock", "dma", "matrix")
            for block in self.graph.blocks for packet in block.packets for insn in packet.insns
        )  # fmt: skip

    def state_pointer(self, offset: int) -> str:
        return self.code.at("%st", offset)

    def slot(self, unit: Unit) -> str:
        """Pointer to the register's slot."""
        return self.state_pointer(state_offset(unit)) if self.image.quick else self.allocas[unit]

    def loop_slot(self, name: str) -> str:
        """The same for a loop register (see `LOOP_REGISTERS`), or the stage of a pipelined loop."""
        return self.loop_allocas[name] if name in self.loop_allocas else self.slot(("C", LOOP_REGISTERS[name]))

    def spill(self, vectors: Set[Unit] = ALL) -> None:
        """Write changed registers to the state record, of the vector registers only ``vectors``."""
        for unit in self.allocas:
            if unit in self.written and (unit in vectors or unit not in ALL):
                ty = TYPES[unit[0]]
                self.code.store(
                    self.code.load(self.allocas[unit], ty), self.state_pointer(state_offset(unit)), _align(ty)
                )

    def fill(self) -> None:
        """Read registers from the state record."""
        for unit in self.allocas:
            ty = TYPES[unit[0]]
            value = self.code.load(self.state_pointer(state_offset(unit)), ty, _align(ty))
            self.code.store(value, self.allocas[unit])

    def held_value(self, unit: Unit) -> Val:
        if self.vectors is not None and unit[0] in CLASSES:
            return self.vectors.register(unit)
        if unit not in self.held:
            self.held[unit] = self.code.load(self.slot(unit), TYPES[unit[0]])
        return self.held[unit]

    def peek(self, unit: Unit) -> Val:
        """The same, not to be known after the IR block in progress."""
        if self.vectors is not None and unit[0] in CLASSES:
            return self.vectors.register(unit)
        return self.held[unit] if unit in self.held else self.code.load(self.slot(unit), TYPES[unit[0]])

    def hold(self, values: Mapping[Unit, Val]) -> None:
        """Set registers; slots are written lazily, see `flush`, but those of vectors of quick code."""
        if self.vectors is not None:
            self.vectors.commit({unit: value for unit, value in values.items() if unit[0] in CLASSES})
            values = {unit: value for unit, value in values.items() if unit[0] not in CLASSES}
        self.held.update(values)
        self.unstored.update(values)

    def chosen(self, condition: Val, yes: Val, no: Val) -> Val:
        """One of two values of a register, by a scalar condition."""
        if self.vectors is not None and (isinstance(yes, Stored) or isinstance(no, Stored)):
            return self.vectors.chosen(condition, yes, no)
        return condition.select(yes, no)

    def flush(self) -> None:
        """Bring the slots up to date: before a block ends, a call, and code that uses slots."""
        for unit in sorted(self.unstored):
            self.code.store(self.held[unit], self.slot(unit))
        self.unstored.clear()

    def settle(self) -> None:
        """Account for the block's accesses so far."""
        if self.accesses is not None:
            self.accesses.settle()

    # -- the function --------------------------------------------------------------------------------------
    def lower(self, hot: int | None = None) -> str:
        """The function's IR text; with ``hot``, of ``r_<hot>``: entered from quick code before that block."""
        code = self.code
        if not self.image.quick:
            self.allocas = {unit: code.alloca(TYPES[unit[0]]) for unit in self.units}
        named = {name for name, number in LOOP_REGISTERS.items() if ("C", number) in self.units}
        self.loop_allocas = {name: code.alloca(I32) for name in (*LOOP_REGISTERS, STAGES) if name not in named}
        for slot in self.loop_allocas.values():
            code.store(code.const(0, I32), slot)
        if self.image.quick:
            code.put(f"store ptr {ADDRESSES}, ptr %table")
            code.put("%addresses = load ptr, ptr %table")
        code.put("%base = load ptr, ptr %st")
        for name, offset in (("counts", layout.BLOCK_COUNTS), ("branches", layout.BRANCHES)):
            code.put(f"%{name} = load ptr, ptr {self.state_pointer(offset)}")
        self.fill()
        if hot is None:
            self.enter()
        else:
            self.image.trap(f"stack overflow in '{self.name}'")  # messages keep their numbers
            for pointer, slot in self.loop_words():
                code.store(code.load(pointer, I32), slot)
        code.put(f"br label %b{(hot or self.first_block) - self.first_block}")
        for index, block in enumerate(self.graph.blocks):
            self.block(index, block)
        roots = [self.accesses.storage()] if self.accesses else []
        if self.image.quick:
            roots.append("  %table = alloca ptr")
        body = "\n".join([*code.allocas, *roots, *code.lines])
        name = f"g_{self.image.guest_functions[self.name]}" if hot is None else f"r_{hot}"
        return f'define void @{name}(ptr %st) {{\nentry:\n{body}\n}}'

    def loop_words(self) -> list[tuple[str, str]]:
        """Word of the state record and slot of each of `loop_allocas` that the function sets."""
        return [
            (self.state_pointer(layout.LOOPS + 4 * number), slot)
            for number, (name, slot) in enumerate(self.loop_allocas.items()) if name in self.counted
        ]

    def enter(self) -> None:
        """Count the call depth and check the stack pointer."""
        code = self.code
        pointer = self.state_pointer(layout.DEPTH)
        depth = code.load(pointer, I32) + 1
        code.store(depth, pointer)
        limit = code.load(self.state_pointer(layout.STACK_LIMIT), I32)
        stack = code.load(self.slot(("R", 29)), I32)
        low = stack.icmp("ult", limit)
        bad = low | depth.icmp("ugt", MAX_DEPTH)
        self.guard(bad, self.image.trap(f"stack overflow in '{self.name}'"))
        if self.image.sites is not None:
            code.put(f"call void @ck_enter(ptr %st, i32 {stack.name})")
        self.forget_seconds()

    def forget_seconds(self) -> None:
        """Scalar registers have one value at the entry and after calls."""
        for cls, number in sorted(self.followed):
            self.held.pop((ORIGIN[cls], number), None)
            self.code.store(self.code.const(0, I32), self.slot((ORIGIN[cls], number)))

    def guard(self, bad: Val, trap: int, argument: Val | None = None) -> None:
        """Leave with ``trap`` when ``bad`` (i1)."""
        fail, go = self.code.name("fail"), self.code.name("go")
        self.code.put(f"br i1 {bad.name}, label %{fail}, label %{go}")
        self.code.label(fail)
        self.trap(trap, argument)
        self.code.label(go)

    def trap(self, trap: int, argument: Val | None = None) -> None:
        if argument is not None:
            self.code.store(argument, self.state_pointer(layout.ARGUMENT))
        self.code.store(self.code.const(trap, I32), self.state_pointer(layout.TRAP))
        self.code.put("ret void")

    def block(self, index: int, block: Block) -> None:
        code = self.code
        code.label(f"b{index}")
        self.held = {}
        pointer = "%" + code.name("n")
        code.put(f"{pointer} = getelementptr i64, ptr %counts, i32 {self.first_block + index}")
        runs = code.load(pointer, I64)
        repeated = any(predecessor >= index for predecessor in block.predecessors)
        if repeated and self.image.quick:
            self.ask_for_fast_code(index, runs)
        code.store(runs + 1, pointer)
        if repeated:
            self.check_trap()  # lets an endless loop be stopped from outside
        for packet in block.packets:
            PacketLowering(self, packet, index).lower()
        self.fall_through(index)

    def ask_for_fast_code(self, index: int, runs: Val) -> None:
        """Request fast code periodically; after it has run to the function's end, return."""
        code = self.code
        ask, moved, stay = code.name("ask"), code.name("moved"), code.name("stay")
        hot = (runs & HOT_RUNS - 1).icmp("eq", HOT_RUNS - 1)
        code.put(f"br i1 {hot.name}, label %{ask}, label %{stay}")
        code.label(ask)
        for pointer, slot in self.loop_words():
            code.store(code.load(slot, I32), pointer)
        code.declarations.add(ASK)
        done = code.op(f"call i1 @ask(ptr %st, i32 {self.first_block + index})", I1)
        code.put(f"br i1 {done.name}, label %{moved}, label %{stay}")
        code.label(moved)
        code.put("ret void")
        code.label(stay)

    def fall_through(self, index: int) -> None:
        self.flush()
        self.settle()
        if index + 1 < len(self.graph.blocks):
            self.code.put(f"br label %b{index + 1}")
        else:
            self.trap(self.image.trap(f"control ran past the end of '{self.name}'"))

    # -- calls ---------------------------------------------------------------------------------------------
    def call(self, name: str) -> None:
        """Call a guest or host function, or trap when there is none."""
        code = self.code
        self.flush()
        self.settle()
        self.note_site()
        if name in self.image.guest_functions:
            self.spill()
            code.put(f"call void @g_{self.image.guest_functions[name]}(ptr %st)")
            self.check_trap()
            self.fill()
            self.forget_seconds()
        elif name in INLINE or name in CALLBACKS:
            self.image.host_used.add(name)
            if name in CALL_BACK:
                self.spill()
            self.spill_arguments()
            code.put(f'call void @"h_{name}"(ptr %st)')
            if name in CALLBACKS or name in COPIES:
                self.check_trap()
            for unit in self.allocas:
                if unit in RESULTS:
                    code.store(code.load(self.state_pointer(state_offset(unit)), I32), self.allocas[unit])
            self.forget_seconds()
        else:
            fail = self.image.trap(f"call of unknown symbol '{name}' in '{self.name}'")
            self.guard(code.const(1, I1), fail)

    def spill_arguments(self) -> None:
        """Write the `ARGUMENTS` to the state record."""
        for unit in self.allocas:
            if unit in ARGUMENTS:
                self.code.store(self.code.load(self.allocas[unit], I32), self.state_pointer(state_offset(unit)))

    def check_trap(self) -> None:
        pointer = self.state_pointer(layout.TRAP)
        trapped = self.code.op(f"load volatile i32, ptr {pointer}", I32).icmp("ne", 0)
        fail, go = self.code.name("fail"), self.code.name("go")
        self.code.put(f"br i1 {trapped.name}, label %{fail}, label %{go}")
        self.code.label(fail)
        self.code.put("ret void")
        self.code.label(go)

    def note_site(self) -> None:
        """Where a function was called from, for messages and reports."""
        self.code.store(self.code.const(self.site, I32), self.state_pointer(layout.SITE))

    def dispatch(self, address: Val) -> None:
        """Indirect call."""
        self.flush()
        self.settle()
        self.note_site()
        self.spill()
        self.code.put(f"call void @g__dispatch(ptr %st, i32 {address.name})")
        self.check_trap()
        self.fill()
        self.forget_seconds()

    def count_branch(self, block: int, insn: Insn, condition: Val) -> None:
        """Two-bit direction predictor per branch; counts taken and mispredicted, see `BRANCH`."""
        site = len(self.image.branches)
        label = self.graph.blocks[block].label
        self.image.branches.append((self.name, label, bool(insn.taken_hint)))
        self.code.declarations.add(BRANCH)
        function, times = self.code.address("@branch"), self.code.at("%branches", BRANCH_BYTES * site)
        self.code.put(f"call void {function}(ptr {times}, i1 {condition.name})")

    def leave(self) -> None:
        """Return to the caller."""
        self.spill(self.returned)
        pointer = self.state_pointer(layout.DEPTH)
        self.code.store(self.code.load(pointer, I32) - 1, pointer)
        self.code.put("ret void")

    def goto(self, target: str) -> None:
        """Jump to a label here, or tail-call a function."""
        if target in self.graph.at_label:
            self.code.put(f"br label %b{self.graph.at_label[target]}")
        else:
            self.call(target)
            self.leave()


def _align(ty: Type) -> int:
    return ty.lanes * ty.bits // 8
