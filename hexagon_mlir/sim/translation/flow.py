"""How a packet ends: jumps, calls, returns, hardware loops."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hexagon_mlir.isa.blocks import DecodedPacket
from hexagon_mlir.isa.decode import FormError, Insn
from hexagon_mlir.sim import layout
from hexagon_mlir.sim.semantics.value import I32, Code, Val
from hexagon_mlir.sim.translation.image import TYPES, Image

if TYPE_CHECKING:
    from hexagon_mlir.sim.translation.lower import FunctionLowering


class FlowLowering:
    """The part of `PacketLowering` that runs after all commits."""

    function: FunctionLowering
    code: Code
    image: Image
    packet: DecodedPacket
    block: int
    flow: list[tuple[Insn, Val | None]]
    function_address: Val | None = None

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
            if self.image.sites is not None:
                to = self.code.load(self.function.slot(("R", 31)), I32)
                self.code.put(f"call void @ck_return(ptr %st, i32 {to.name}, i32 {self.function.site})")
            self.function.leave()
        elif insn.kind in ("jump", "newjump"):
            self.function.goto(str(insn.target))
        elif insn.kind == "jumpr":
            assert self.function_address is not None
            self.indirect(self.function_address)
        else:
            link = self.code.const(layout.RETURN_ADDRESS, I32)
            self.code.store(link, self.function.slot(("R", 31)))
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

    def advance_stage(self) -> None:
        """spNloop0: p3 becomes true at the end of the Nth pass."""
        code, last, left = self.code, self.function.slot(("P", 3)), self.function.loop_slot("stages")
        stages = code.load(left, I32)
        code.store(stages.icmp("eq", 1).select(-1, code.load(last, TYPES["P"])), last)
        code.store(stages.icmp("eq", 0).select(0, stages - 1), left)

    def end_loop(self, number: str) -> None:
        code = self.code
        slot = self.function.loop_slot
        targets = self.function.graph.loop_targets[number]
        if not targets:
            insn = self.packet.insns[0]
            raise FormError(insn.line, insn.text, f"endloop{number} without loop{number} in the function")
        count = code.load(slot("lc" + number), I32)
        if number == "0" and self.function.pipelined:
            self.advance_stage()
        again, done = code.name("again"), code.name("done")
        code.put(f"br i1 {count.icmp('ugt', 1).name}, label %{again}, label %{done}")
        code.label(again)
        code.store(count - 1, slot("lc" + number))
        at_label = self.function.graph.at_label
        if len(targets) > 1:
            start = code.load(slot("sa" + number), I32)
            cases = " ".join(f"i32 {i}, label %b{at_label[t]}" for i, t in enumerate(targets) if i)
            code.put(f"switch i32 {start.name}, label %b{at_label[targets[0]]} [ {cases} ]")
        else:
            code.put(f"br label %b{at_label[targets[0]]}")
        code.label(done)
