"""The DMA engine: instructions and descriptors, queueing, cost, arrival at the wait, field limits."""

import numpy as np
import pytest
from sim.forms_harness import function

from hexagon_mlir import targets
from hexagon_mlir.sim import Machine, SimError
from hexagon_mlir.sim.memory_system.descriptors import DONE, Block, count

V75 = targets.get("v75")
START, NEXT = float(V75.dma_start_cycles.value), float(V75.dma_descriptor_cycles.value)
RATE = float(V75.dma_bytes_per_cycle.value)
FRAME = ["allocframe(#8)"]
RETURN = ["r31:30 = dealloc_return(r30):raw"]
TAIL = [["r17:16 = memd(r29+#0)"], RETURN]


def calling(*packets):
    return function("f", [["allocframe(#16)"], ["memd(r29+#0) = r17:16"], *packets, *TAIL])


def linear(src, dst, nbytes, following=0):
    return np.array([following, nbytes, src, dst], np.uint32)


def block(src, dst, width, rows, src_stride, dst_stride, offsets=0):
    return np.array([0, 1 << 24, src, dst, 0, rows << 16 | width, dst_stride << 16 | src_stride, offsets], np.uint32)


def wide(src, dst, width, rows, src_stride, dst_stride, offset=0, type_=9):
    words = [0, 1 << 24 | dst_stride, src, dst, type_, (rows & 255) << 24 | width, src_stride << 8 | rows >> 8, offset]
    return np.array(words, np.uint32)


def low(result):
    return result.return_value & 0xFFFFFFFF


@pytest.fixture
def filled():
    """A machine running ``text``, 4096 source bytes in DDR, room in TCM, a descriptor place."""

    def make(text, target="v75"):
        machine = Machine(text, target)
        machine.src, machine.dst = machine.alloc_ddr(4096), machine.alloc_tcm(4096)
        machine.descriptor = machine.alloc_ddr(64)
        machine.data = np.random.default_rng(0).integers(0, 256, 4096).astype(np.uint8)
        machine.write(machine.src, machine.data)
        return machine

    return make


START_AND_READ = function("f", [["dmstart(r0)"], ["r2 = memw(r1+#0)"], ["r0 = dmwait"], ["r3 = memw(r1+#0)"],
                                ["memd(r4+#0) = r3:2"]])  # fmt: skip


def test_data_arrives_at_the_wait(filled):
    machine = filled(START_AND_READ)
    machine.write(machine.descriptor, linear(machine.src, machine.dst, 400))
    out = machine.alloc_ddr(8)
    result = machine.run("f", [machine.descriptor, machine.dst, 0, 0, out])
    before, after = machine.read(out, np.uint32, 2)
    assert before == 0 and after == machine.data[:4].view(np.uint32)[0]
    np.testing.assert_array_equal(machine.read(machine.dst, np.uint8, 400), machine.data[:400])
    assert machine.read(machine.descriptor + 4, np.uint32, 1)[0] & DONE
    assert low(result) == 0
    assert result.tcm_write_bytes == 400
    # the read in between hides a little of the transfer
    whole = START + 400 / RATE
    assert whole - 60 < result.stalls["copy"] < whole


def test_without_a_wait_nothing_arrives(filled):
    machine = filled(function("f", [["dmstart(r0)"]]))
    machine.write(machine.descriptor, linear(machine.src, machine.dst, 400))
    result = machine.run("f", [machine.descriptor])
    assert not machine.read(machine.dst, np.uint8, 400).any()
    assert "copy" not in result.stalls


def test_two_dimensional_descriptor(filled):
    machine = filled(function("f", [["dmstart(r0)"], ["r0 = dmwait"]]))
    machine.write(machine.descriptor, block(machine.src, machine.dst, 24, 10, 64, 32, offsets=8 << 16 | 4))
    machine.run("f", [machine.descriptor])
    got = machine.read(machine.dst, np.uint8, 32 * 10).reshape(10, 32)
    np.testing.assert_array_equal(got[:, 8:], machine.data[: 640].reshape(10, 64)[:, 4:28])
    assert not got[:, :8].any()


@pytest.mark.parametrize("target", ["v75", "v79"])
def test_fields_of_24_bits(filled, target):
    """Strides and rows beyond 16 and 8 bits; the cost is that of one descriptor."""
    machine = filled(function("f", [["dmstart(r0)"], ["r0 = dmwait"]]), target)
    far, rows = machine.alloc_ddr(1 << 20), 300
    data = np.random.default_rng(1).integers(0, 256, (rows, 3000)).astype(np.uint8)
    machine.write(far, data)
    machine.write(machine.descriptor, wide(far, machine.dst, 7, rows, 3000, 13))
    machine.run("f", [machine.descriptor])
    got = machine.read(machine.dst, np.uint8, 13 * rows).reshape(rows, 13)
    np.testing.assert_array_equal(got[:, :7], data[:, :7])
    assert not got[:, 7:].any()
    machine.write(machine.descriptor, wide(far, machine.dst, 100, 8, 100_000, 128))
    copy = machine.run("f", [machine.descriptor]).stalls["copy"]
    np.testing.assert_array_equal(machine.read(machine.dst, np.uint8, 1024).reshape(8, 128)[:, :100],
                                  np.pad(data.reshape(-1), (0, 100_000)).reshape(10, 100_000)[:8, :100])
    chip = targets.get(target)
    assert copy == pytest.approx(chip.dma_start_cycles.value + 800 / chip.dma_bytes_per_cycle.value, abs=3)


@pytest.mark.parametrize("target", ["v68", "v73"])
def test_fields_of_24_bits_are_an_error_before_v75(filled, target):
    machine = filled(function("f", [["dmstart(r0)"]]), target)
    machine.write(machine.descriptor, wide(machine.src, machine.dst, 64, 2, 64, 64))
    with pytest.raises(SimError, match=r"DMA descriptor at 0x\w+: type 9 \(24-bit fields\) needs v75 or later"):
        machine.run("f", [machine.descriptor])


def test_a_cache_policy_is_no_other_type(filled):
    machine = filled(function("f", [["dmstart(r0)"], ["r0 = dmwait"]]))
    words = block(machine.src, machine.dst, 64, 2, 64, 64)
    words[4] = 3  # allocate for reads and writes
    machine.write(machine.descriptor, words)
    machine.run("f", [machine.descriptor])
    np.testing.assert_array_equal(machine.read(machine.dst, np.uint8, 128), machine.data[:128])


def test_chain_and_link_cost_less_than_two_starts(filled):
    machine = filled(function("f", [["dmstart(r0)"], ["dmlink(r0,r1)"], ["r0 = dmwait"]]))
    first, second = machine.descriptor, machine.descriptor + 16
    machine.write(first, linear(machine.src, machine.dst, 1000))
    machine.write(second, linear(machine.src + 1000, machine.dst + 1000, 1000))
    result = machine.run("f", [first, second])
    np.testing.assert_array_equal(machine.read(machine.dst, np.uint8, 2000), machine.data[:2000])
    assert result.stalls["copy"] == pytest.approx(START + NEXT + 2000 / RATE, abs=3)
    assert machine.read(first, np.uint32, 1)[0] == second
    machine.write(first, linear(machine.src, machine.dst, 500, second))
    again = machine.run("f", [first, 0])
    assert again.stalls["copy"] == pytest.approx(START + NEXT + 1500 / RATE, abs=3)


def test_poll_says_when_and_lets_the_data_in(filled):
    text = function("f", [["dmstart(r0)"], ["r2 = #0"], ["loop0(.LL,r1)"]])
    text = text.replace("\t{\n\t\tjumpr r31\n\t}\n", "") + (
        ".LL:\n\t{\n\t\tr3 = dmpoll\n\t}\n\t{\n\t\tp0 = cmp.eq(r3,#0)\n\t}\n\t{\n\t\tif (!p0) r2 = add(r2,#1)\n"
        "\t} :endloop0\n\t{\n\t\tr0 = r2\n\t}\n\t{\n\t\tjumpr r31\n\t}\n"
    )
    machine = filled(text)
    machine.write(machine.descriptor, linear(machine.src, machine.dst, 400))
    few = machine.run("f", [machine.descriptor, 50])
    assert low(few) == 50
    assert not machine.read(machine.dst, np.uint8, 400).any()
    machine.write(machine.descriptor, linear(machine.src, machine.dst, 400))
    many = machine.run("f", [machine.descriptor, 2000])
    assert 200 < low(many) < 1700
    np.testing.assert_array_equal(machine.read(machine.dst, np.uint8, 400), machine.data[:400])


def test_pause_and_resume(filled):
    machine = filled(function("f", [["dmstart(r0)"], ["r1 = dmpause"], ["r2 = dmwait"], ["memw(r4+#0) = r1"],
                                    ["dmresume(r1)"], ["r0 = dmwait"]]).replace("dmresume(r1)", "dmresume(r5)"))
    first, second = machine.descriptor, machine.descriptor + 16
    machine.write(first, linear(machine.src, machine.dst, 1000, second))
    machine.write(second, linear(machine.src + 1000, machine.dst + 1000, 1000))
    out = machine.alloc_ddr(8)
    machine.run("f", [first, 0, 0, 0, out, first])
    assert int(machine.read(out, np.uint32, 1)[0]) & ~15 == first
    np.testing.assert_array_equal(machine.read(machine.dst, np.uint8, 2000), machine.data[:2000])


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (linear(0x40000000, 0xD8000000, 0), "length is 0"),
        (block(0x40000000, 0xD8000000, 65, 2, 64, 128), "65 bytes per row at offset 0 do not fit the source stride 64"),
        (block(0x40000000, 0xD8000000, 64, 2, 64, 64, 1 << 16), "do not fit the destination stride 64"),
        (block(0x40000000, 0xD8000000, 0, 2, 64, 64), "empty region"),
        (np.array([0, 1 << 26 | 4, 0, 0], np.uint32), "compressed"),
        (np.array([0, 3 << 24 | 4, 0, 0], np.uint32), "size 3 is unknown: 0 is linear, 1 is 2-D"),
        (wide(0x40000000, 0xD8000000, 64, 2, 64, 64, type_=8), "type 8 of a 2-D descriptor is unknown"),
        (wide(0x40000000, 0xD8000000, 70_000, 2, 69_999, 70_000), "do not fit the source stride 69999"),
        (wide(0x40000000, 0xD8000000, 64, 2, 64, 63), "do not fit the destination stride 63"),
        (wide(0x40000000, 0xD8000000, 64, 0, 64, 64), "empty region"),
        (wide(0x40000000, 0xD8000000, 64, 2, 64, 64, offset=5), "offset 5 of a descriptor of type 9"),
        (wide(0x40000000, 0xD8000000, 64, 2, 64, 64, type_=0x109), "word 4 of a descriptor of type 9 is 0x109"),
        (wide(0x40000000, 0xD8000000, 64, 2, 64, 64, type_=9 | 1 << 28), "word 4 .* is 0x10000009"),
        (np.array([8, 4, 0, 0], np.uint32), "next descriptor 0x8 is not aligned"),
    ],
)
def test_misfits_are_errors(filled, words, why):
    machine = filled(function("f", [["dmstart(r0)"]]))
    machine.write(machine.descriptor, words)
    with pytest.raises(SimError, match=why):
        machine.run("f", [machine.descriptor])


def test_unaligned_and_endless_chains(filled):
    machine = filled(function("f", [["dmstart(r0)"]]))
    with pytest.raises(SimError, match="not aligned to 16"):
        machine.run("f", [machine.descriptor + 4])
    machine.write(machine.descriptor, linear(machine.src, machine.dst, 4, machine.descriptor))
    with pytest.raises(SimError, match="chain of more than"):
        machine.run("f", [machine.descriptor])


ASYNC = calling(
    ["r17:16 = combine(r0,r1)"], ["call hexmlir_rt_dma_start_2d"], ["r16 = r0"],
    ["r0 = #1000", "loop0(.LW,#1000)"], ["call hexmlir_rt_dma_wait", "r0 = r16"],
).replace("\t{\n\t\tcall hexmlir_rt_dma_wait", ".LW:\n\t{\n\t\tnop\n\t} :endloop0\n\t{\n\t\tcall hexmlir_rt_dma_wait")


def test_runtime_transfer_overlaps_with_work(filled):
    machine = filled(ASYNC)
    result = machine.run("f", [machine.dst, machine.src, 50, 64, 64, 60])
    got = machine.read(machine.dst, np.uint8, 64 * 64).reshape(64, 64)[:, :50]
    np.testing.assert_array_equal(got, machine.data[: 64 * 60].reshape(64, 60)[:, :50])
    # 1000 packets, the 20 cycles of the call and a few more run while the engine works
    assert START + 3200 / RATE - 1060 < result.stalls["copy"] < START + 3200 / RATE - 1000


def test_several_in_flight_and_waits_in_any_order(filled):
    machine = filled(calling(
        ["r17:16 = combine(r0,r1)"], ["call hexmlir_rt_dma_start_2d"],
        ["r0 = add(r17,#1024)", "r1 = add(r16,#1024)"], ["r2 = #1000"], ["r3 = #1"], ["r16 = r2"],
        ["call hexmlir_rt_dma_start_2d"], ["call hexmlir_rt_dma_wait"], ["r0 = #1"], ["call hexmlir_rt_dma_wait"],
    ))  # fmt: skip
    result = machine.run("f", [machine.dst, machine.src, 1000, 1, 1000, 1000])
    np.testing.assert_array_equal(machine.read(machine.dst, np.uint8, 1000), machine.data[:1000])
    np.testing.assert_array_equal(machine.read(machine.dst + 1024, np.uint8, 1000), machine.data[1024:2024])
    assert START + NEXT + 2000 / RATE - 60 < result.stalls["copy"] < START + NEXT + 2000 / RATE


def test_unknown_tag():
    machine = Machine(calling(["call hexmlir_rt_dma_wait"]))
    with pytest.raises(SimError, match=r"hexmlir_rt_dma_wait\(7\): no such transfer"):
        machine.run("f", [7])


@pytest.mark.parametrize(
    ("shape", "bits", "want"),
    [
        (Block(0, 0, 64, 10, 64, 64), 16, 1),  # packed: linear
        (Block(0, 0, 1 << 25, 1, 0, 0), 16, 3),
        (Block(0, 0, 64, 10, 128, 100), 16, 1),
        (Block(0, 0, 64, 70000, 128, 100), 16, 2),
        (Block(0, 0, 64, 10, 70000, 100), 16, 10),  # the stride needs more than 16 bits
        (Block(0, 0, 64, 10, 70000, 100), 24, 1),
        (Block(0, 0, 64, 10, -64, 100), 24, 10),
    ],
)
def test_descriptors_needed(shape, bits, want):
    assert count(shape, bits) == want


def test_wide_strides_cost_row_by_row_before_v75(filled):
    text = function("f", [FRAME, ["call hexmlir_rt_copy_2d"], RETURN])
    cost = {}
    for name in ("v73", "v75"):
        machine = filled(text, name)
        far = machine.alloc_ddr(1 << 20)
        cost[name] = machine.run("f", [machine.dst, far, 64, 8, 64, 1 << 17]).stalls["copy"]
    v73 = targets.get("v73")
    more = 7 * v73.dma_descriptor_cycles.value
    assert cost["v73"] == pytest.approx(v73.dma_start_cycles.value + more + 512 / v73.dma_bytes_per_cycle.value, abs=1)
    assert cost["v75"] == pytest.approx(START + 512 / RATE, abs=1)


def test_bandwidth_is_shared_with_the_core(filled):
    """The core reads DDR while the engine works: the transfer takes longer than on a quiet core."""
    read = [".LR:", "\t{\n\t\tv0 = vmem(r4++#1)\n\t} :endloop0", ""]
    text = function("f", [["dmstart(r0)"], ["loop0(.LR,r1)"], ["HERE"], ["r0 = dmwait"]])
    text = text.replace("\t{\n\t\tHERE\n\t}\n", "\n".join(read))
    machine = filled(text)
    big, room = machine.alloc_ddr(1 << 20), machine.alloc_tcm(1 << 20)
    ends, results = {}, {}
    for vectors in (1, 4096):
        machine.write(machine.descriptor, linear(big, room, 1 << 20))
        results[vectors] = machine.run("f", [machine.descriptor, vectors, 0, 0, machine.alloc_ddr(128 * 4096)])
        ends[vectors] = machine.dma.transfers[0].finish / 256
    assert ends[1] == pytest.approx(START + (1 << 20) / RATE, rel=0.01)
    core = 4096 * 128 / (results[4096].cycles - results[4096].stalls.get("copy", 0))
    slowed = float(V75.ddr_peak_bytes_per_cycle.value) - core
    assert ends[4096] == pytest.approx(START + (1 << 20) / slowed, rel=0.01)
    assert ends[4096] > 1.05 * ends[1]
