"""The runtime functions a compiled kernel calls, memory, the cache of translations, errors."""

import subprocess
import sys

import numpy as np
import pytest
from sim.forms_harness import function

from hexagon_mlir import targets
from hexagon_mlir.isa.reader import unquote
from hexagon_mlir.sim import Machine, SimError
from hexagon_mlir.sim.memory_system.memory import GUARD_BYTES, Allocator, OutOfMemory
from hexagon_mlir.sim.translation.translate import translate

V75 = targets.get("v75")
FRAME = ["allocframe(#8)"]
RETURN = ["r31:30 = dealloc_return(r30):raw"]


def caller(name, own="f"):
    """A function that calls ``name`` with its own arguments."""
    return function(own, [FRAME, [f"call {name}"], RETURN])


def word(result):
    return result.return_value & 0xFFFFFFFF


def test_tcm_allocation():
    machine = Machine(caller("hexmlir_rt_tcm_alloc") + caller("hexmlir_rt_tcm_free", "g"))
    first = machine.run("f", [1000, 128])
    second = machine.run("f", [64, 4096])
    assert machine.memory.in_tcm(word(first))
    assert word(first) % int(V75.tcm_alignment.value) == 0
    assert word(second) % 4096 == 0
    assert second.tcm_high_water >= 1064
    machine.run("g", [word(first)])
    with pytest.raises(SimError, match="not a TCM allocation"):
        machine.run("g", [word(first)])
    with pytest.raises(SimError, match="TCM: no room"):
        machine.run("f", [int(V75.tcm_bytes.value), 128])
    machine.reset()
    assert word(machine.run("f", [int(V75.tcm_bytes.value), 128])) == word(first)


def copy(machine, *arguments):
    return machine.run("f", list(arguments))


def test_copy_2d_moves_and_costs():
    machine = Machine(caller("hexmlir_rt_copy_2d"))
    source = np.arange(64 * 100, dtype=np.uint8).reshape(64, 100)
    src, dst = machine.alloc_ddr(source.nbytes), machine.alloc_tcm(64 * 128)
    machine.write(src, source)
    result = copy(machine, dst, src, 50, 64, 128, 100)
    np.testing.assert_array_equal(machine.read(dst, np.uint8, 64 * 128).reshape(64, 128)[:, :50], source[:, :50])
    expected = float(V75.dma_start_cycles.value) + 3200 / float(V75.dma_bytes_per_cycle.value)
    assert result.stalls["copy"] == pytest.approx(expected, abs=1)
    assert result.tcm_write_bytes == 3200
    assert result.ddr_read_bytes >= 3200


@pytest.mark.parametrize(("row", "rows"), [(0, 5), (-4, 5), (5, 0), (5, -1)])
def test_empty_copy_is_nothing(row, rows):
    machine = Machine(caller("hexmlir_rt_copy_2d"))
    result = copy(machine, 0x40000000, 0x40001000, row, rows, 5, 5)
    assert "copy" not in result.stalls


def test_copy_invalidates_cached_lines():
    read = [["v0 = vmem(r16+#0)"]]
    text = function("f", [FRAME, ["r16 = r0"], *read, ["call hexmlir_rt_copy_2d"], *read, RETURN])
    machine = Machine(text)
    dst, src = machine.alloc_ddr(128), machine.alloc_tcm(128)
    result = machine.run("f", [dst, src, 128, 1, 128, 128])
    # two misses of the same line, and the frame's line
    assert result.ddr_read_bytes == 3 * 128


def test_memcpy_memmove_memset():
    names = ("memcpy", "memmove", "memset")
    machine = Machine("".join(caller(name, name[3:]) for name in names))
    data = np.arange(300, dtype=np.uint8)
    address = machine.alloc_ddr(1000)
    machine.write(address, data)
    result = machine.run("cpy", [address + 400, address, 300])
    np.testing.assert_array_equal(machine.read(address + 400, np.uint8, 300), data)
    assert result.stalls["host-call"] == 20 + 4 * 3
    assert word(result) == address + 400
    machine.run("move", [address + 1, address, 300])
    np.testing.assert_array_equal(machine.read(address + 1, np.uint8, 300), data)
    machine.run("set", [address, 0x1AB, 10])
    assert (machine.read(address, np.uint8, 10) == 0xAB).all()


def test_malloc_and_free():
    text = function("f", [FRAME, ["call malloc"], ["r16 = r0"], ["memw(r0+#0) = #7"], ["call free"],
                          ["r0 = r16"], RETURN])  # fmt: skip
    machine = Machine(text)
    addresses = {word(machine.run("f", [100])) for _ in range(5)}
    assert len(addresses) == 1


def test_double_free_is_an_error():
    machine = Machine(caller("free"))
    with pytest.raises(SimError, match="not an allocation"):
        machine.run("f", [0x40000000])
    machine.run("f", [0])


def test_abort_and_unknown_symbol_and_bad_pointer():
    with pytest.raises(SimError, match="called abort"):
        Machine(caller("abort")).run("f")
    with pytest.raises(SimError, match="unknown symbol 'nobody' in 'f'"):
        Machine(caller("nobody")).run("f")
    with pytest.raises(SimError, match="no function: 0x1234"):
        Machine(function("f", [FRAME, ["callr r0"], RETURN])).run("f", [0x1234])
    with pytest.raises(SimError, match="null page"):
        Machine(function("f", [["memw(r0+#0) = r0", "r0 = #1"]]).replace("= r0\n", "= r1\n")).run("f", [0, 5])
    with pytest.raises(SimError, match="no function 'g'"):
        Machine(function("f", [["nop"]])).run("g")


@pytest.mark.parametrize(
    ("name", "a", "b", "want"),
    [("__hexagon_divsi3", -7, 2, -3), ("__hexagon_udivsi3", 7, 2, 3), ("__hexagon_modsi3", -7, 2, -1),
     ("__hexagon_umodsi3", 7, 4, 3), ("__hexagon_divsi3", 5, 0, 0)],
)  # fmt: skip
def test_division(name, a, b, want):
    assert word(Machine(caller(name)).run("f", [a, b])) == want & 0xFFFFFFFF


def test_half_conversions():
    machine = Machine(caller("__truncsfhf2"))
    assert word(machine.run("f", [1.5])) == 0x3E00
    assert word(Machine(caller("__extendhfsf2")).run("f", [0x3E00])) == 0x3FC00000


def test_grid_appends_six_words():
    # stores its own number at out[number]: the words after one argument are nx ny nz x y z, z on the stack
    text = function("f", [["r6 = addasl(r4,r5,#2)", "r7 = memw(r29+#0)"], ["r7 = add(r6,mpyi(#12,r7))"],
                          ["memw(r0+r7<<#2) = r7"]])  # fmt: skip
    machine = Machine(text)
    out = machine.alloc_ddr(128)
    result = machine.run("f", [out], grid=(4, 3, 2))
    assert machine.read(out, np.int32, 24).tolist() == list(range(24))
    assert result.packets == 24 * 4


def test_cycle_counter_grows():
    text = function("f", [["r3:2 = c15:14"], ["r9 = add(r9,#1)"], ["r5:4 = c15:14"], ["r0 = sub(r4,r2)"]])
    assert word(Machine(text).run("f")) == 2, "two packets from read to read"


def test_reading_a_counter_leaves_other_registers_alone():
    text = function("f", [["jump .Lread"], ["@"], ["r3:2 = c15:14"], ["nop"]]).replace("\t{\n\t\t@\n\t}\n", ".Lread:\n")
    assert Machine(text).run("f", [12, 34]).return_value == 12 | 34 << 32


def test_packet_counter_and_timer():
    packets = [["r3:2 = c19:18"], ["r9 = add(r9,#1)"], ["r9 = add(r9,#1)"], ["r4 = pktcountlo"], ["r0 = sub(r4,r2)"]]
    assert word(Machine(function("f", packets)).run("f")) == 3
    assert word(Machine(function("f", [["r0 = pktcounthi"]])).run("f")) == 0
    text = function("f", [["loop0(.Lagain,##100000)"], ["@"], ["nop"], ["r1:0 = c31:30"]])
    text = text.replace("\t{\n\t\t@\n\t}\n", ".Lagain:\n").replace("nop\n\t}", "nop\n\t}  :endloop0")
    ticks = Machine(text, "v73").run("f").return_value
    assert ticks == int(100_001 * 19.2e6 / 1.4e9), "1.4 GHz and 19.2 MHz"


def test_memory_guard_and_views():
    machine = Machine(function("f", [["nop"]]))
    first, second = machine.alloc_ddr(100), machine.alloc_ddr(100)
    assert second - first >= 100 + GUARD_BYTES
    machine.view(first, 4)[:] = [1, 2, 3, 4]
    assert machine.read(first, np.uint32, 1)[0] == 0x04030201
    machine.reset()
    assert machine.read(first, np.uint32, 1)[0] == 0
    assert machine.alloc_ddr(100) == first


def test_allocator_reuses_and_joins_free_blocks():
    heap = Allocator("heap", 0x1000, 4096)
    blocks = [heap.allocate(1024, 16) for _ in range(4)]
    with pytest.raises(OutOfMemory):
        heap.allocate(1, 16)
    for block in (blocks[1], blocks[3], blocks[2]):
        assert heap.free(block)
    assert heap.allocate(3072, 16) == blocks[1]
    assert not heap.free(12345)
    assert heap.high_water == 4096


def test_translation_is_kept_on_disk(tmp_path, monkeypatch):
    monkeypatch.setenv("HEXAGON_MLIR_CACHE_DIR", str(tmp_path))
    text = function("f", [["r0 = add(r0,#41)"]])
    assert word(Machine(text).run("f", [1])) == 42
    files = list(tmp_path.rglob("sim/*"))
    assert len(files) == 1
    stamp = files[0].stat().st_mtime_ns
    assert word(Machine(text).run("f", [2])) == 43
    assert files[0].stat().st_mtime_ns == stamp
    files[0].write_bytes(b"broken")
    assert word(Machine(text).run("f", [3])) == 44


def test_importing_the_simulator_is_light():
    code = "import sys, hexagon_mlir.sim; print('llvmlite' in sys.modules, 'numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


@pytest.mark.parametrize("name", [
    "_dispatch", "branch", "$f.1", '"a b"', '"x(void); int y"', '"%st"', "\u00fc."])
def test_names_of_functions_are_no_code(name):
    """They reach no LLVM IR, and any name can be called."""
    text = (f"\t.text\n\t.type\t{name},@function\n{name}:\n\t{{\n\t\tr0 = add(r0,#5)\n\t\tjumpr r31\n\t}}\n"
            + (caller(name) if name[1:].isidentifier() else ""))
    machine = Machine(text, V75)
    own = unquote(name)
    assert word(machine.run(own, [1])) == 6
    if name[1:].isidentifier():
        assert word(machine.run("f", [1])) == 6
    ir, _ = translate(text, V75, True)
    assert "int y" not in ir


@pytest.mark.parametrize("name", [
    '"\\22"', '"f\\""',
    '"x\\" (ptr %st) { ret void } define void @evil(ptr %st) { ret void } define void @z(ptr %st) { ;"'])
def test_names_with_quotes_are_refused(name):
    with pytest.raises(SimError, match="a quote or backslash in a name"):
        Machine(f"\t.text\n\t.type\t{name},@function\n{name}:\n\t{{\n\t\tjumpr r31\n\t}}\n", V75)
