"""A routine of the matrix engine, packet by packet: scalar instructions are computed, the engine's are listed."""

import operator

from hexagon_mlir.isa.decode import decode

COMPUTE = {
    "R=R": lambda a: a, "R=I": lambda a: a, "R=add(R,R)": operator.add, "R=add(R,I)": operator.add,
    "R=and(R,I)": operator.and_, "R=asl(R,I)": lambda a, b: a << b & 0xFFFFFFFF, "R=min(R,R)": min,
    "R=max(R,R)": max, "R=sub(R,R)": operator.sub,
    "R=lsr(R,I)": lambda a, b: (a & 0xFFFFFFFF) >> b, "P=cmp.gt(R,I)": operator.gt,
}


def run(function, *arguments):
    """(text, registers of its operands) of each instruction for the engine, and the number of packets."""
    registers = dict(enumerate(arguments))
    predicates, loops, trace, at, packets = {}, {}, [], 0, 0
    while at < len(function.packets):
        packets += 1
        packet, read, written, to = function.packets[at], dict(registers), {}, at + 1
        assert packets < 10_000
        for insn in sorted(decode(packet), key=lambda insn: insn.target is not None or insn.kind == "jumpr"):
            values = [read[o.number] if o.cls == "R" and o.number in read else o.number for o in insn.sources]
            if insn.kind == "matrix":
                assert all(o.number in read for o in insn.sources), insn.text
                trace.append((insn.key, *values))
            elif insn.kind == "loop":
                loops[insn.op] = [function.labels[insn.target], values[0]]
            elif insn.kind in ("jump", "jumpr"):
                condition = insn.condition
                if condition is None or predicates[condition.operand.number] != condition.negated:
                    to = len(function.packets) if insn.kind == "jumpr" else function.labels[insn.target]
            elif insn.key == "nop":
                pass
            elif insn.dests[0].cls == "P":
                predicates[insn.dests[0].number] = COMPUTE[insn.key](*values)
            else:
                written[insn.dests[0].number] = COMPUTE[insn.key](*values)
        registers |= written
        for number, ends in (("0", packet.end_loop0), ("1", packet.end_loop1)):
            if ends:
                loops[number][1] -= 1
                to = loops[number][0] if loops[number][1] > 0 else to
        at = to
    assert all(number in (*range(16), 28) for number in registers)
    return trace, packets
