"""What golden files cannot show: region ends, traps, temporary moves, control registers."""

import numpy as np
import pytest
from sim.forms_harness import function

from hexagon_mlir.sim import Machine, SimError

VECTOR = 128


def machine_of(*packets):
    return Machine(function("f", packets), profile=False)


def vectors(machine, *values):
    """Guest address of vectors one after another in TCM."""
    address = machine.alloc_tcm(4096)
    machine.write(address, np.concatenate([np.asarray(v).view(np.uint8) for v in values]))
    return address


GATHER = [["m0 = r2"], ["v0 = vmem(r1+#0)"], ["vtmp.w = vgather(r0,m0,v0.w).w", "vmem(r3+#0) = vtmp.new"]]
SCATTER = [["m0 = r2"], ["v0 = vmem(r1+#0)"], ["v1 = vmem(r1+#1)"], ["vscatter(r0,m0,v0.w).w = v1"]]
OFFSETS = np.array([0, 4, 124, 128, 60, 1 << 20, 8, 0xFFFFFFFC] * 4, np.uint32)
REGION = 128


def test_gather_leaves_what_lies_past_the_region():
    machine = machine_of(*GATHER)
    table = np.arange(100, 164, dtype=np.uint32)
    region = vectors(machine, table)
    offsets = vectors(machine, OFFSETS)
    target = vectors(machine, np.full(32, 7, np.uint32))
    machine.run("f", [region, offsets, REGION - 1, target])
    inside = OFFSETS < REGION
    expected = np.where(inside, table[np.where(inside, OFFSETS // 4, 0)], 7)
    np.testing.assert_array_equal(machine.read(target, np.uint32, 32), expected)


def test_scatter_drops_what_lies_past_the_region():
    machine = machine_of(*SCATTER)
    region = vectors(machine, np.zeros(64, np.uint32))
    data = np.arange(1, 33, dtype=np.uint32)
    offsets = vectors(machine, OFFSETS, data)
    machine.run("f", [region, offsets, REGION - 1])
    expected = np.zeros(64, np.uint32)
    for offset, value in zip(OFFSETS.tolist(), data.tolist(), strict=True):
        if offset < REGION:
            expected[offset // 4] = value
    np.testing.assert_array_equal(machine.read(region, np.uint32, 64), expected)


@pytest.mark.parametrize(("packets", "name"), [(GATHER, "gather"), (SCATTER, "scatter")])
def test_only_tcm(packets, name):
    machine = machine_of(*packets)
    region = machine.alloc_ddr(4096)
    offsets = vectors(machine, np.zeros(32, np.uint32), np.zeros(32, np.uint32))
    with pytest.raises(SimError, match=f"{name} outside TCM at {region:#x} in 'f'"):
        machine.run("f", [region, offsets, REGION - 1, offsets])


def test_temporary_move_is_not_committed():
    machine = machine_of(["v0 = vmem(r0+#0)"], ["v1 = vmem(r0+#1)"], ["v1.tmp = v0", "v2.w = vadd(v1.w,v0.w)"],
                         ["vmem(r0+#2) = v1"], ["vmem(r0+#3) = v2"])  # fmt: skip
    a, b = np.arange(32, dtype=np.int32), np.arange(32, dtype=np.int32) * 100
    address = vectors(machine, a, b)
    machine.run("f", [address])
    np.testing.assert_array_equal(machine.read(address + 2 * VECTOR, np.int32, 32), b)
    np.testing.assert_array_equal(machine.read(address + 3 * VECTOR, np.int32, 32), 2 * a)


def test_reversed_pair():
    machine = machine_of(["v0 = vmem(r0+#0)"], ["v1 = vmem(r0+#1)"], ["v2:3 = vcombine(v1,v0)"],
                         ["vmem(r0+#2) = v2"], ["vmem(r0+#3) = v3"])  # fmt: skip
    a, b = np.full(32, 1, np.int32), np.full(32, 2, np.int32)
    address = vectors(machine, a, b)
    machine.run("f", [address])
    assert machine.read(address + 2 * VECTOR, np.int32, 64).tolist() == [2] * 32 + [1] * 32


@pytest.mark.parametrize(
    "text", ["trap0(#1)", "trap1(r0,#2)", "wait(r3)"],
)  # fmt: skip
def test_system_calls_end_the_run(text):
    machine = machine_of([text])
    with pytest.raises(SimError, match="has no operating system"):
        machine.run("f", [])


def test_control_registers_keep_values_across_calls():
    other = function("g", [["m1 = r1"], ["r0 = add(r0,#1)"]]).replace("\t.text\n", "")
    caller = [["r17 = r31"], ["m0 = r0"], ["cs0 = r2"], ["call g"], ["r1 = m0"], ["r2 = m1"], ["r3 = cs0"],
              ["r0 = add(r1,r2)"], ["r0 = add(r0,r3)"], ["r31 = r17"]]  # fmt: skip
    machine = Machine(function("f", caller) + other, profile=False)
    assert machine.run("f", [1000, 30, 5]).return_value & 0xFFFFFFFF == 1035


def test_loop_count_can_be_read():
    text = function("f", [["loop0(.Lbody,#5)"], ["@"], ["r1 = lc0"], ["r0 = add(r0,r1)"]])
    text = text.replace("\t{\n\t\t@\n\t}\n", ".Lbody:\n").replace("add(r0,r1)\n\t}", "add(r0,r1)\n\t}  :endloop0")
    assert Machine(text, profile=False).run("f", [0]).return_value & 0xFFFFFFFF == 5 + 4 + 3 + 2 + 1


@pytest.mark.parametrize("text", ["r0 = pc", "r1:0 = c9:8"])
def test_the_program_counter_is_no_value(text):
    with pytest.raises(SimError, match="control register pc is not modelled"):
        machine_of([text])


def test_address_relative_to_the_program_counter():
    data = "\t.data\ntable:\n\t.word\t11\n\t.word\t22\n"
    text = function("f", [["r1 = add(pc,##table@PCREL)"], ["r0 = memw(r1+#4)"]]) + data
    assert Machine(text, profile=False).run("f", []).return_value & 0xFFFFFFFF == 22


def test_zeroing_a_line():
    machine = machine_of(["dczeroa(r0)"])
    address = vectors(machine, np.full(32, -1, np.int32))
    machine.run("f", [address + 40])
    expected = [-1] * 8 + [0] * 8 + [-1] * 16
    assert machine.read(address, np.int32, 32).tolist() == expected
