"""Cycles of small packets computed by hand, and the invariants of every result."""

import numpy as np
import pytest
from sim.forms_harness import function

from hexagon_mlir import targets
from hexagon_mlir.sim import Machine

V75 = targets.get("v75")


def cost(packets, args=(), target="v75"):
    return Machine(function("f", packets), target).run("f", list(args))


def stalls(packets, **keywords):
    """Stalls apart from the final return's branch cycle."""
    found = dict(cost(packets, **keywords).stalls)
    found["branch"] -= int(V75.taken_branch_cycles.value)
    return {cause: cycles for cause, cycles in found.items() if cycles}


def test_scalar_packets_take_one_cycle():
    result = cost([["r2 = add(r0,r1)"], ["r3 = add(r0,r1)"], ["r4 = add(r2,r3)"]])
    assert (result.packets, result.hvx_packets) == (4, 0)
    assert result.cycles == 4 + int(V75.taken_branch_cycles.value)


@pytest.mark.parametrize("count", (1, 2, 10))
def test_hvx_packets_issue_every_second_cycle(count):
    packets = [[f"v{i} = vxor(v20,v21)"] for i in range(count)]
    assert stalls(packets).get("hvx-issue", 0) == count - 1


def test_scalar_packet_fills_the_gap():
    packets = [["v0 = vxor(v20,v21)"], ["r2 = add(r0,r1)"], ["v1 = vxor(v20,v21)"]]
    assert stalls(packets) == {}


@pytest.mark.parametrize(
    ("consumer", "extra"),
    [
        ("v1.w = vadd(v0.w,v0.w)", 0),  # late operand
        ("v1.sf = v0.qf32", 2),  # shift class reads early
        ("v1.qf32 = vadd(v0.qf32,v5.sf)", 2),
        ("v1.qf32 = vmpy(v0.sf,v5.sf)", 2),
        ("v1 = vror(v0,r0)", 2),
        ("v0.w += vrmpy(v5.b,v6.b)", 0),  # the accumulator is read late
        ("v1.w = vrmpy(v0.b,v6.b)", 2),
        ("vmem(r0+#0) = v0", 0),
        ("vmemu(r0+#0) = v0", 2),
        ("q0 = vcmp.gt(v0.w,v5.w)", 0),
    ],
)
def test_interlock_of_a_dependent_packet(consumer, extra):
    text = function("f", [["v0 = vxor(v20,v21)"], [consumer]])
    machine = Machine(text)
    result = machine.run("f", [machine.alloc_tcm(256)])
    assert result.stalls.get("hvx-issue") == 1
    assert result.stalls.get("hvx-interlock", 0) == extra


def test_one_packet_between_hides_the_interlock():
    packets = [["v0 = vxor(v20,v21)"], ["v2 = vxor(v20,v21)"], ["v1 = vror(v0,r0)"]]
    assert stalls(packets) == {"hvx-issue": 2}


def test_new_and_cur_do_not_wait():
    text = function("f", [["v0.qf32 = vadd(v8.sf,v8.sf)", "v8.cur = vmem(r0+#0)"],
                          ["v1 = vxor(v20,v21)", "vmem(r0+#1) = v1.new"]])  # fmt: skip
    machine = Machine(text)
    result = machine.run("f", [machine.alloc_tcm(256)])
    assert result.stalls == {"branch": 1, "hvx-issue": 1}
    assert (result.tcm_read_bytes, result.tcm_write_bytes) == (128, 128)


@pytest.mark.parametrize(
    ("producer", "consumer", "wait"),
    [
        ("r2 = add(r0,r1)", "r3 = add(r2,r1)", 0),
        ("r2 = add(r0,r1)", "r3 = mpyi(r2,r1)", 1),
        ("r2 = mpyi(r0,r1)", "r3 = add(r2,r1)", 1),
        ("r2 = mpyi(r0,r1)", "r3 = mpyi(r2,r1)", 2),
        ("r2 = sfadd(r0,r1)", "r3 = add(r2,r1)", 2),
        ("r2 = sfadd(r0,r1)", "r3 = sfmpy(r2,r1)", 3),
        ("r2 = max(r0,r1)", "r3 = add(r2,r1)", 1),
        ("r2 = memw(r29+#0)", "r3 = add(r2,r1)", 1),
        ("r2 = memw(r29+#0)", "r3 = memw(r2+#0)", 2),
        ("r2 = add(r0,r1)", "memw(r29+#0) = r2", 0),
        ("p0 = cmp.eq(r0,r1)", "if (p0) r3 = #1", 0),
        ("r2 = add(r0,r1)", "v0 = vsplat(r2)", 0),
        ("r2 = memw(r29+#0)", "v0 = vsplat(r2)", 1),
    ],
)
def test_scalar_latency(producer, consumer, wait):
    assert cost([[producer], [consumer]], [0x40000000, 0]).stalls.get("scalar-latency", 0) == wait


def test_vextract_is_a_drain():
    found = cost([["r2 = vextract(v0,r0)"], ["r3 = add(r2,r2)"]]).stalls
    assert found["hvx-interlock"] == int(V75.vextract_cycles.value) - 1


def loop(body, count):
    text = function("f", [["loop0(.Ltop,r1)"], *body])
    first = "\t{\n\t\t" + body[0][0]
    text = text.replace(first, ".Ltop:\n" + first)
    last = f"\t\t{body[-1][-1]}\n\t}}"
    return text.replace(last, last + " :endloop0"), count


def test_self_loop_is_charged_its_steady_state():
    text, count = loop([["v0.qf32 = vadd(v0.qf32,v1.sf)"], ["v2.w = vadd(v2.w,v3.w)"]], 100)
    result = Machine(text).run("f", [0, count])
    # two HVX packets in four cycles; the dependent add is two packets away: no interlock
    block = next(b for b in result.blocks if b.label == ".Ltop")
    assert (block.count, block.cycles) == (100, 400)


def test_dependent_chain_in_a_loop():
    text, count = loop([["v0.qf32 = vadd(v0.qf32,v1.sf)"]], 50)
    result = Machine(text).run("f", [0, count])
    block = next(b for b in result.blocks if b.label == ".Ltop")
    assert block.cycles == 50 * int(V75.hvx_early_latency_cycles.value)


def test_branches_are_predicted():
    text = function("f", [["r2 = #0"], ["r2 = add(r2,#1)"], ["p0 = cmp.gt(r1,r2)"], ["if (p0) jump:t .Ltop"]])
    text = text.replace("\t{\n\t\tr2 = add(r2,#1)", ".Ltop:\n\t{\n\t\tr2 = add(r2,#1)")
    result = Machine(text).run("f", [0, 10])
    taken, wrong = int(V75.taken_branch_cycles.value), int(V75.mispredict_cycles.value)
    assert result.stalls["branch"] == 9 * taken + wrong + taken


def walk(kind, nbytes, step):
    """Cycles of memory of one pass over ``nbytes`` with one load per packet."""
    instruction = {"vector": "v0 = vmem(r0++#1)", "scalar": f"r2 = memw(r0++#{step})"}[kind]
    text, count = loop([[instruction]], nbytes // step)
    machine = Machine(text)
    address = machine.alloc_ddr(nbytes)
    return machine.run("f", [address, count])


def test_streaming_costs_bandwidth():
    lines = 64
    result = walk("vector", lines * 128, 128)
    latency = float(V75.ddr_latency_cycles.value)
    per_line = 128 / float(V75.ddr_bytes_per_cycle.value)
    assert result.stalls["memory-ddr"] == pytest.approx(latency + (lines - 1) * per_line, abs=1)
    assert result.ddr_read_bytes == lines * 128


def test_scalar_loads_hit_the_first_level():
    result = walk("scalar", 1024, 4)
    per_l2_line = 128 // int(V75.l1d_line_bytes.value)
    assert result.stalls["memory-l2"] == (per_l2_line - 1) * 8 * int(V75.scalar_l2_latency_cycles.value)
    assert result.ddr_read_bytes == 1024


def test_scalar_access_to_tcm_is_slow():
    machine = Machine(function("f", [["r1 = memw(r0+#0)"]]))
    result = machine.run("f", [machine.alloc_tcm(128)])
    assert result.stalls["memory-tcm"] == int(V75.scalar_tcm_latency_cycles.value)
    assert (result.tcm_read_bytes, result.ddr_read_bytes) == (4, 0)


def test_write_back_counts_bytes():
    machine = Machine(function("f", [["vmem(r0+#0) = v0"], ["vmem(r0+#1) = v0"]]))
    result = machine.run("f", [machine.alloc_ddr(256)])
    assert (result.ddr_read_bytes, result.ddr_write_bytes) == (0, 256)


def test_a_block_larger_than_the_cache_is_evicted():
    nbytes = 3 * int(V75.l2_bytes.value)
    text, count = loop([["vmem(r0++#1) = v0"]], nbytes // 128)
    machine = Machine(text)
    result = machine.run("f", [machine.alloc_ddr(nbytes), count])
    assert result.ddr_write_bytes == nbytes
    evicted = nbytes - int(V75.l2_bytes.value)
    expected = evicted / float(V75.ddr_bytes_per_cycle.value)
    assert result.stalls["memory-ddr"] == pytest.approx(expected, rel=0.01)


def test_same_input_same_cycles():
    runs = [walk("vector", 4096, 128) for _ in range(2)]
    assert runs[0] == runs[1]


@pytest.mark.parametrize("target", targets.names())
def test_cycles_are_packets_plus_stalls(target):
    result = cost([["v0 = vxor(v1,v2)"], ["v1 = vror(v0,r0)"], ["r1 = mpyi(r0,r0)"], ["r2 = mpyi(r1,r1)"]],
                  target=target)
    assert result.cycles == result.packets + sum(result.stalls.values())
    assert sum(result.functions.values()) == result.cycles


def test_without_profile_values_stay_the_same():
    text, count = loop([["r2 = memw(r0++#4)"], ["r3 = add(r3,r2)"]], 16)
    text = text.replace("\t\tjumpr r31", "\t\tr0 = r3\n\t\tjumpr r31")
    values = []
    for profile in (True, False):
        machine = Machine(text, profile=profile)
        address = machine.alloc_ddr(64)
        machine.write(address, np.arange(16, dtype=np.uint32))
        values.append(machine.run("f", [address, count, 0, 0]).return_value & 0xFFFFFFFF)
    assert values == [120, 120]
