"""Packet rules: parallel reads, order of memory, .cur, .tmp, .new, hardware loops, vector predicates."""

import numpy as np
import pytest
from sim.forms_harness import function

from hexagon_mlir.sim import Machine


def run(packets, args=(), memory=None):
    """The machine and r0 after the packets; r0..r5 are ``args``, ``memory`` fills an allocation in r0."""
    machine = Machine(function("f", packets), profile=False)
    values = list(args)
    if memory is not None:
        address = machine.alloc_ddr(memory.nbytes)
        machine.write(address, memory)
        values.insert(0, address)
    return machine, machine.run("f", values).return_value & 0xFFFFFFFF, values


def test_every_read_sees_the_value_before_the_packet():
    _, r0, _ = run([["r0 = r1", "r1 = r0"], ["r0 = sub(r0,r1)"]], [5, 7])
    assert r0 == 2


def test_store_takes_the_old_value():
    memory = np.array([1, 2, 3, 4], np.uint32)
    machine, _, (address, *_) = run([["r1 = add(r1,#10)", "memw(r0+#0) = r1"]], [5], memory)
    assert machine.read(address, np.uint32, 1)[0] == 5


def test_new_store_takes_the_new_value():
    memory = np.array([1, 2, 3, 4], np.uint32)
    machine, _, (address, *_) = run([["r1 = add(r1,#10)", "memw(r0+#0) = r1.new"]], [5], memory)
    assert machine.read(address, np.uint32, 1)[0] == 15


def packet(lines, mark):
    return function("f", [lines]).replace("\t}\n", f"\t}} {mark}\n", 1)


@pytest.mark.parametrize(("mark", "loaded"), [("", 1), (":mem_noshuf", 9)])
def test_load_before_store_unless_noshuf(mark, loaded):
    machine = Machine(packet(["memw(r0+#0) = r1", "r0 = memw(r0+#0)"], mark), profile=False)
    address = machine.alloc_ddr(16)
    machine.write(address, np.array([1], np.uint32))
    assert machine.run("f", [address, 9]).return_value & 0xFFFFFFFF == loaded


def test_cur_consumer_may_stand_before_the_load():
    memory = np.arange(64, dtype=np.uint32)
    machine, _, (address, *_) = run(
        [["v8 = vxor(v8,v8)"], ["v0.w = vadd(v8.w,v8.w)", "v8.cur = vmem(r0+#1)"],
         ["vmem(r0+#0) = v0"], ["vmem(r0+#1) = v8"]], [], memory)  # fmt: skip
    np.testing.assert_array_equal(machine.read(address, np.uint32, 32), memory[32:] * 2)
    np.testing.assert_array_equal(machine.read(address + 128, np.uint32, 32), memory[32:])


def test_tmp_does_not_reach_the_register():
    memory = np.arange(64, dtype=np.uint32)
    machine, _, (address, *_) = run(
        [["v8 = vxor(v8,v8)"], ["v8.tmp = vmem(r0+#1)", "v0.w = vadd(v8.w,v8.w)"],
         ["vmem(r0+#0) = v0"], ["vmem(r0+#1) = v8"]], [], memory)  # fmt: skip
    np.testing.assert_array_equal(machine.read(address, np.uint32, 32), memory[32:] * 2)
    np.testing.assert_array_equal(machine.read(address + 128, np.uint32, 32), 0)


def test_vector_store_under_a_predicate():
    memory = np.arange(64, dtype=np.uint32)
    machine, _, (address, *_) = run(
        [["r1 = #20"], ["q0 = vsetq(r1)", "v0 = vmem(r0+#1)"], ["if (q0) vmem(r0+#0) = v0"]], [], memory)
    want = np.concatenate([memory[32:37], memory[5:32]])
    np.testing.assert_array_equal(machine.read(address, np.uint32, 32), want)


def test_aligned_access_ignores_low_bits_and_unaligned_does_not():
    memory = np.arange(256, dtype=np.uint8)
    for instruction, start in (("v0 = vmem(r1+#0)", 0), ("v0 = vmemu(r1+#0)", 5)):
        machine, _, (address, *_) = run(
            [["r1 = add(r0,#5)"], [instruction], ["vmem(r0+#1) = v0"]], [], memory)
        np.testing.assert_array_equal(machine.read(address + 128, np.uint8, 128), memory[start : start + 128])


def test_post_increment_counts_vectors():
    memory = np.arange(96, dtype=np.uint32)
    machine, r0, (address, *_) = run(
        [["r1 = r0"], ["v0 = vmem(r1++#2)"], ["v1 = vmem(r1+#0)"], ["vmem(r0+#0) = v1"], ["r0 = sub(r1,r0)"]],
        [], memory)  # fmt: skip
    assert r0 == 256
    np.testing.assert_array_equal(machine.read(address, np.uint32, 32), memory[64:])


@pytest.mark.parametrize("count", (0, 1, 2, 7))
def test_hardware_loop_runs_count_times(count):
    text = function("f", [["loop0(.Ltop,r1)", "r2 = #0"], ["r2 = add(r2,#3)"], ["r0 = r2"]])
    text = text.replace("\t{\n\t\tr2 = add(r2,#3)\n\t}\n", ".Ltop:\n\t{\n\t\tr2 = add(r2,#3)\n\t} :endloop0\n")
    result = Machine(text).run("f", [0, count])
    assert result.return_value & 0xFFFFFFFF == 3 * max(count, 1)


def test_nested_hardware_loops():
    body = ("\t{\n\t\tloop1(.Louter,#3)\n\t\tr0 = #0\n\t}\n.Louter:\n\t{\n\t\tloop0(.Linner,#4)\n\t}\n"
            ".Linner:\n\t{\n\t\tr0 = add(r0,#1)\n\t} :endloop0\n\t{\n\t\tr0 = add(r0,#100)\n\t} :endloop1\n")
    text = function("f", []).replace("f:\n\n", "f:\n" + body)
    assert Machine(text).run("f").return_value & 0xFFFFFFFF == 312


def test_frame_saves_and_restores():
    text = function("g", [["allocframe(r29,#16):raw"], ["memw(r29+#4) = r1", "r30 = r30"],
                          ["r0 = memw(r29+#4)", "r31:30 = dealloc_return(r30):raw"]])  # fmt: skip
    text += function("f", [["allocframe(#8)"], ["call g", "r1 = #42"], ["deallocframe"]])
    assert Machine(text).run("f", [0, 1]).return_value & 0xFFFFFFFF == 42


def test_memops():
    memory = np.array([10, 0b1000], np.uint32)
    machine, _, (address, *_) = run(
        [["memw(r0+#0) += #5"], ["memw(r0+#0) -= r1"], ["memb(r0+#4) = clrbit(#3)"],
         ["memw(r0+#4) = setbit(#9)"]], [3], memory)  # fmt: skip
    assert machine.read(address, np.uint32, 2).tolist() == [12, 512]


def test_predicated_memory_and_new_value_jump():
    text = function("f", [["r3 = #5"], ["r2 = add(r1,#1)", "if (cmp.eq(r2.new,#8)) jump:nt ##.Lyes"],
                          ["p0 = cmp.eq(r1,#1)", "if (!p0.new) r3 = #7", "if (p0.new) memw(r0+#0) = r1"],
                          ["jump .Lend"], ["r3 = #99"], ["r0 = r3"]])  # fmt: skip
    text = text.replace("\t{\n\t\tr3 = #99", ".Lyes:\n\t{\n\t\tr3 = #99")
    text = text.replace("\t{\n\t\tr0 = r3", ".Lend:\n\t{\n\t\tr0 = r3")
    machine = Machine(text)
    address = machine.alloc_ddr(4)
    machine.write(address, np.array([55], np.uint32))
    got = [machine.run("f", [address, value]).return_value & 0xFFFFFFFF for value in (7, 2)]
    assert got == [99, 7]
    assert machine.read(address, np.uint32, 1)[0] == 55
    assert machine.run("f", [address, 1]).return_value & 0xFFFFFFFF == 5
    assert machine.read(address, np.uint32, 1)[0] == 1
