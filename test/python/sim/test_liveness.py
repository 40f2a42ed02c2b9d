"""Vector registers after a return: kept where the program can read them, whatever the calling convention."""

import numpy as np
import pytest

from hexagon_mlir.isa.blocks import build
from hexagon_mlir.isa.reader import parse
from hexagon_mlir.sim import Machine
from hexagon_mlir.sim.translation.liveness import ALL, read_after_return


def assembly(**functions):
    text = "\t.text\n"
    for name, lines in functions.items():
        text += f"\t.type\t{name},@function\n{name}:\n"
        text += "".join(f"{line}\n" if line.endswith(":") else f"\t{{ {line} }}\n" for line in lines)
    return text


CALLER = ["allocframe(#8)", "r16 = r0", "v5 = vxor(v5,v5)", "call callee", "vmem(r16+#0) = v5", "dealloc_return"]
CALLEE = ["v5 = vsplat(r1)", "v6 = vsplat(r1)", "jumpr r31"]
TAIL = ["v7 = vsplat(r1)", "jump last"]
CONDITIONAL = ["p0 = cmp.eq(r1,#0)", "if (p0) jump:nt .Lout", "v5 = vsplat(r1)", ".Lout:", "jumpr r31"]
PROGRAMS = {
    "direct call": assembly(f=CALLER, callee=CALLEE),
    "through a tail call": assembly(f=CALLER, callee=TAIL, last=CALLEE),
    "through a register": assembly(
        f=["allocframe(#8)", "r16 = r0; r2 = ##callee", "callr r2", "vmem(r16+#0) = v5", "dealloc_return"],
        callee=CALLEE),
    "on one path": assembly(f=CALLER, callee=CONDITIONAL),
    "past another call": assembly(
        f=[*CALLER[:4], "call other", *CALLER[4:]], callee=CALLEE, other=["v6 = vxor(v6,v6)", "jumpr r31"]),
    "past a host call": assembly(f=[*CALLER[:4], "r0 = #8", "call malloc", *CALLER[4:]], callee=CALLEE),
    "a pair and a predicate": assembly(
        f=["allocframe(#8)", "r16 = r0", "call callee", "v5 = vmux(q1,v8,v9)", "vmem(r16+#0) = v5", "dealloc_return"],
        callee=["v9:8 = vcombine(v3,v3)", "v8 = vsplat(r1)", "q1 = vcmp.eq(v8.w,v8.w)", "jumpr r31"]),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_caller_sees_what_its_callee_left(name):
    machine = Machine(PROGRAMS[name])
    out = machine.alloc_ddr(128)
    machine.run("f", [out, 1234])
    np.testing.assert_array_equal(machine.read(out, np.uint32, 32), 1234)


def needed(text):
    return read_after_return([build(function, set()) for function in parse(text).functions.values()])


def test_what_nobody_reads_is_not_kept():
    assert needed(PROGRAMS["direct call"]) == {"f": set(), "callee": {("V", 5)}}
    assert needed(PROGRAMS["through a tail call"]) == {"f": set(), "callee": {("V", 5)}, "last": {("V", 5)}}
    assert needed(PROGRAMS["past another call"]) == {"f": set(), "callee": ALL, "other": {("V", 5)}}
    assert needed(PROGRAMS["past a host call"])["callee"] == {("V", 5)}
    assert needed(PROGRAMS["a pair and a predicate"])["callee"] == {("V", 8), ("V", 9), ("Q", 1)}
    recursive = assembly(f=[*CALLER[:3], "call f", *CALLER[4:]])
    assert needed(recursive) == {"f": {("V", 5)}}


def test_a_callers_vectors_survive_a_host_call_that_runs_the_program():
    text = assembly(
        f=["allocframe(#8)", "r16 = r0; r17 = r1", "v5 = vsplat(r1)",
           "r0 = r2; r1 = #2; r2 = #4; r3 = ##order", "call qsort", "vmem(r16+#0) = v5", "dealloc_return"],
        order=["v5 = vxor(v5,v5)", "r0 = memw(r0+#0); r1 = memw(r1+#0)", "r0 = sub(r0,r1)", "jumpr r31"],
    )  # fmt: skip
    machine = Machine(text)
    out, data = machine.alloc_ddr(128), machine.alloc_ddr(128)
    machine.write(data, np.array([9, 3], np.int32))
    machine.run("f", [out, 77, data])
    np.testing.assert_array_equal(machine.read(data, np.int32, 2), [3, 9])
    np.testing.assert_array_equal(machine.read(out, np.uint32, 32), 77)
