"""Extension bits in the registers of the reference interpreter, and published results of Qualcomm's simulator.

The expected words with a packet around them are those that the tests of qualcomm/qemu (hvx_ext.c) quote from it.
"""

import re

import numpy as np
import pytest
from sim.forms_harness import function
from sim.reference_floats import EXTENDED, bits_of

from hexagon_mlir import targets
from hexagon_mlir.isa.blocks import DecodedPacket
from hexagon_mlir.isa.decode import decode
from hexagon_mlir.isa.form import FORMS, float_suffixes
from hexagon_mlir.isa.reader import parse
from hexagon_mlir.sim import layout
from hexagon_mlir.sim.memory_system.memory import Memory
from hexagon_mlir.sim.reference import Interpreter, Model, find, find_chip, model
from hexagon_mlir.sim.reference.arithmetic import DEFAULT_EXTENSION
from hexagon_mlir.sim.reference.compare import reference
from hexagon_mlir.sim.reference.packet import Registers, execute
from hexagon_mlir.sim.reference.random_cases import module_text, random_case
from hexagon_mlir.sim.reference.random_extensions import NEEDED, around
from hexagon_mlir.sim.reference.random_floats import SPECIALS, float_rows
from hexagon_mlir.sim.reference.random_operands import Operands
from hexagon_mlir.sim.reference.random_packets import Generator
from hexagon_mlir.sim.reference.random_state import random_state


def after(*packets, words=None, floats=EXTENDED):
    """Registers after the packets; ``words`` maps numbers of vectors to a word for all lanes, of scalars too."""
    registers = Registers()
    for name, word in (words or {}).items():
        cls, number = name[0].upper(), int(name[1:])
        registers[cls, number] = word if cls == "R" else np.full(32, word, np.uint32).view(np.uint8)
    memory = np.full(4096, 0xFF, np.uint8)
    for packet in parse(function("f", packets)).functions["f"].packets[: len(packets)]:
        execute(DecodedPacket(packet, decode(packet)), registers, memory, {}, model=floats)
    return registers


def word(registers, number):
    lanes = registers["V", number].view(np.uint32)
    assert (lanes == lanes[0]).all()
    return int(lanes[0])


ONES = {"r0": 0x11111111, "v10": 0x11111111}
ALL_SET = ["v0.x = vsetqfext(v10,r0)"]
LEGACY = Model("chip", "legacy")


# -- published results -----------------------------------------------------------------------------------------
def test_a_copy_has_the_default_bits_and_leaves_its_source():
    packets = [["v0.x = vsetqfext(v10,r0)"], ["v1.x = vsetqfext(v10,r0)"], ["v2 = vgetqfext(v0.x,r0)"],
               ["v3 = vgetqfext(v1.x,r0)"], ["v1 = v0"], ["v4 = vgetqfext(v0.x,r0)"], ["v5 = vgetqfext(v1.x,r0)"]]
    registers = after(*packets, words=ONES)
    assert [word(registers, n) for n in (2, 3, 4, 5)] == [0x11111111] * 3 + [0x11001100]


@pytest.mark.parametrize(("floats", "want"), [(LEGACY, 0x7FFFFFFF), (EXTENDED, 0x0000007F)])
def test_a_product_in_each_generation(floats, want):
    assert word(after(["v1.qf32 = vmpy(v0.qf32,v0.qf32)"], words={"v0": 0xFFFFFFFF}, floats=floats), 1) == want


@pytest.mark.parametrize(("floats", "want"), [(LEGACY, 0x3FFFFF69), (EXTENDED, 0x7FFFFF68)])
def test_a_difference_in_each_generation(floats, want):
    registers = after(
        ["v2.qf32 = vsub(v1.qf32,v0.qf32)"], words={"v0": 0xFFFFFF80, "v1": 0xFDE1D91D}, floats=floats
    )
    assert word(registers, 2) == want


@pytest.mark.parametrize("floats", [LEGACY, EXTENDED])
def test_a_copy_and_a_maximum_in_one_packet(floats):
    packets = [["v2 = v1", "v4.sf = vmax(v3.sf,v2.sf)"], ["v5.hf = v4.qf16"]]
    registers = after(*packets, words={"v1": 0xE60E31D4, "v2": 0xBAF1FA15, "v3": 0x4A777C7B}, floats=floats)
    assert word(registers, 5) == 0x5CA76FC7


def test_a_minimum_over_a_qfloat_has_the_default_bits():
    packets = [["v5.qf32 = vadd(v2.sf,v4.sf)"], ["v5.hf = vmin(v1.hf,v3.hf)"], ["v6.qf16 = vmpy(v5.qf16,r0.hf)"]]
    words = {"r0": 0x57, "v1": 0x57, "v2": 0x57, "v3": 0x2A8B9BF4, "v4": 0x2A8B9BF4}
    assert word(after(*packets, words=words), 6) == 0x0000F766


def test_a_current_load_has_the_default_bits():
    packets = [ALL_SET, ["v2 = vmerge(v0.x,v1.w)"], ["v2.cur = vmem(r1++#0)", "v3.qf32 = vsub(v2.qf32,v1.qf32)"]]
    assert word(after(*packets, words=ONES | {"v1": 0xFFFFFF80}), 3) == 0x800000E7


def test_a_temporary_load_leaves_the_bits_of_its_register():
    packets = [ALL_SET, ["v2 = vmerge(v0.x,v1.w)"],
               ["v3.tmp = vmem(r1++#0)", "v3.qf32 = vsub(v2.qf32,v1.qf32)", "v4 = v3"],
               ["v10 = vgetqfext(v3.x,r0)"]]
    registers = after(*packets, words=ONES | {"v1": 0xFFFFFF80})
    assert (word(registers, 3), word(registers, 10)) == (0x00000080, 0x00111111)
    assert word(registers, 4) == 0xFFFFFFFF  # what was loaded


def test_words_aligned_by_bytes():
    """The table that the tests of androm3da/qemu have for V6_valign4."""
    for amount, want in enumerate((0x11111111, 0x11111122, 0x11112222, 0x11222222)):
        registers = after(["v2 = valign4(v0,v1,r0)"], words={"v0": 0x11111111, "v1": 0x22222222, "r0": amount | 4})
        assert word(registers, 2) == want


# -- extension bits --------------------------------------------------------------------------------------------
def test_bits_stand_in_bytes():
    """Quarter, exponent, increment, last of word i in bytes 4 * i to 4 * i + 3, under the mask of the byte."""
    data = np.random.default_rng(1).integers(0, 256, 128).astype(np.uint8)
    registers = Registers()
    registers["V", 1], registers["R", 0], registers["R", 1] = data, 0x80402010, 0x01020408
    memory = np.zeros(128, np.uint8)
    text = function("f", [["v0.x = vsetqfext(v1,r0)"], ["v2 = vgetqfext(v0.x,r1)"], ["v3 |= vgetqfext(v0.x,r0)"]])
    registers["V", 3] = np.full(128, 1, np.uint8)
    for packet in parse(text).functions["f"].packets[:3]:
        execute(DecodedPacket(packet, decode(packet)), registers, memory, {}, model=EXTENDED)
    masks = np.tile(np.array([0x10, 0x20, 0x40, 0x80], np.uint8), 32)
    bits = data & masks != 0
    assert not registers["V", 0].any()
    np.testing.assert_array_equal(registers["X", 0], (bits.reshape(32, 4) << np.arange(4)).sum(axis=1))
    np.testing.assert_array_equal(registers["V", 2], np.where(bits, np.tile([8, 4, 2, 1], 32), 0))
    np.testing.assert_array_equal(registers["V", 3], np.where(bits, masks, 0) | 1)


WRITERS = (
    ["v0 = v5"], ["v0.w = vadd(v5.w,v6.w)"], ["v0 = vmem(r1+#0)"], ["v0 = vmux(q0,v5,v6)"], ["v1:0 = vcombine(v5,v6)"],
    ["v0.sf = v5.qf32"], ["v0 = valign(v5,v6,#1)"], ["v0 = vgetqfext(v5.x,r0)"], ["v0.sf = vadd(v5.sf,v6.sf)"],
    ["if (q0) v0.b += v5.b"], ["v0.cur = vmem(r1+#0)", "v7 = v0"],
)  # fmt: skip


@pytest.mark.parametrize("packet", WRITERS, ids=[packet[0] for packet in WRITERS])
def test_every_other_write_sets_the_default(packet):
    registers = after(ALL_SET, packet, words=ONES)
    np.testing.assert_array_equal(registers["X", 0], DEFAULT_EXTENSION)


def test_what_writes_nothing_changes_no_bits():
    registers = after(ALL_SET, ["if (p0) v0 = v5"], ["v0.tmp = vmem(r1+#0)", "v7 = v0"], words=ONES)
    assert (registers["X", 0] == 15).all()


def test_a_store_and_a_load_drop_the_bits():
    """A spill: the number comes back as the legacy meaning of its word."""
    code = ["vmem(r2+#0) = v1", "v2 = vmem(r2+#0)", "v3.sf = v1.qf32", "v4.sf = v2.qf32"]
    one = {"v0": bits_of(1.0), "v5": 0, "r2": 1024}
    registers = after(["v1.qf32 = vadd(v0.sf,v5.sf)"], *([line] for line in code), words=one)
    assert word(registers, 3) == bits_of(1.0)
    assert word(registers, 4) != word(registers, 3)
    legacy = after(["v1.qf32 = vadd(v0.sf,v5.sf)"], *([line] for line in code), words=one, floats=LEGACY)
    assert word(legacy, 3) == word(legacy, 4) == bits_of(1.0) + 1


# -- settings --------------------------------------------------------------------------------------------------
def test_the_interpreter_takes_arithmetic_and_generation():
    text = function("f", [["v0 = vmem(r0+#0)"], ["v1 = vxor(v1,v1)"], ["v2.qf32 = vadd(v0.sf,v1.sf)"],
                          ["v2.sf = v2.qf32"], ["vmem(r0+#0) = v2"]])  # fmt: skip
    for target, arithmetic, qfloat, want in (
        ("v75", "ieee", None, 0), ("v75", "chip", None, 1), ("v79", "chip", None, 0), ("v79", "chip", "legacy", 1),
        ("v75", "chip", "extended", 0),
    ):  # fmt: skip
        machine = Interpreter(text, target, arithmetic, qfloat)
        address = machine.alloc_ddr(128)
        machine.write(address, np.full(32, bits_of(1.0), np.uint32))
        machine.run("f", [address])
        assert int(machine.read(address, np.uint32, 1)[0]) == bits_of(1.0) + want


def test_settings_are_checked():
    for wrong in ({"arithmetic": "exact"}, {"qfloat": "v75"}, {"nan_order": ""}):
        with pytest.raises(ValueError, match=r"is one of \w+, \w+"):
            Model(**wrong)


def test_every_float_form_of_a_generation_has_a_rule():
    legacy, extended = (model(targets.get(name), "chip") for name in ("v75", "v79"))
    later = re.compile(r"V\.qf(32|16)=(V\.|vneg|vabs)|V\.bf=VV|V\.w=vilog2|.*R\.[sh]f|.*\(V\.(sf,V\.qf32|hf,V\.qf16)\)")
    for key in FORMS:
        if find(key) is None and ".x" not in key:
            continue  # without a rule in either arithmetic
        if not float_suffixes(key) and ".x" not in key:
            continue
        assert find_chip(key, extended) is not None, key
        assert (find_chip(key, legacy) is None) == bool(later.match(key)), key


# -- random packets --------------------------------------------------------------------------------------------
def test_qfloat_operands_get_random_bits_and_results_show_theirs():
    assert set(FORMS) >= NEEDED
    text = "\t{\n\t\tv1:0.qf32 = vmpy(v4.qf16,v5.hf)\n\t\tv7.sf = v6.qf32\n\t}\n"
    before, behind = around(text, Operands(0))
    assert [line.split("=")[0].strip() for line in "".join(before).split("\n\t\t")[1:]][2::2] == ["v4", "v6"]
    assert "vgetqfext(v0.x," in behind[0] and "vgetqfext(v1.x," in behind[1] and len(behind) == 2
    assert around("\t{\n\t\tv0.w = vadd(v1.w,v2.w)\n\t}\n", Operands(0)) == ([], [])


@pytest.mark.parametrize("kind", SPECIALS)
def test_random_lanes_cover_the_patterns_of_a_kind(kind):
    """Zeros and ends, any exponent, near one, and (qfloats) numbers with empty leading bits."""
    rows = float_rows(np.random.default_rng(3), 3000, (kind,))
    lanes = np.unique(rows.view(SPECIALS[kind].dtype))
    assert set(SPECIALS[kind].tolist()) <= set(lanes.tolist())
    if kind.startswith("qf"):
        bits, exponent_bits = 8 * lanes.itemsize, {"qf32": 8, "qf16": 5}[kind]
        mantissa = (lanes.astype(np.int64) ^ 1 << bits - 1) - (1 << bits - 1) >> exponent_bits
        lengths = np.frexp(np.where(mantissa < 0, ~mantissa, mantissa).astype(float))[1]
        assert set(range(bits - exponent_bits)) <= set(lengths.tolist())
        assert set((lanes & (1 << exponent_bits) - 1).tolist()) == set(range(1 << exponent_bits))


@pytest.mark.parametrize("name", ["v75", "v79", "v81"])
def test_the_generator_makes_the_forms_of_a_generation(name):
    floats = model(targets.get(name), "chip")
    made = set(Generator(0, model=floats, version=targets.get(name).version).keys)
    assert all(find_chip(key, floats) for key in made if float_suffixes(key) and key in FORMS)
    assert ("V.qf32=vneg(V.sf)" in made) == (name == "v81")
    assert ("V=vmerge(V.x,V.w)" in made) == (name != "v75")
    assert {"V.qf32=vadd(V.qf32,V.sf)", "VV.qf32=vmpy(V.qf16,V.hf)", "V.hf=VV.qf32"} <= made


def test_random_packets_see_random_bits():
    """Random v79 packets on the reference: every form of qfloats is met with many different extension bits."""
    floats = model(targets.get("v79"), "chip")
    generator = Generator(5, r"V\.qf|\.qf", floats)
    cases = [random_case(generator, number, floats) for number in range(len(generator.keys))]
    module, memory = parse(module_text(cases)), Memory(targets.get("v79"))
    address = layout.DATA_BASE
    results = []
    for number, case in enumerate(cases):
        assert case.before and len(case.before) % 2
        packets = [DecodedPacket(p, decode(p)) for p in module.functions[f"f{number}"].packets[: len(case.packets)]]
        before = random_state(generator.random, address, False, float_suffixes(case.text))
        after_all = reference(packets, case.jumps, before, memory, address, floats)
        assert not np.array_equal(after_all.v, before.v)
        results += [after_all.v[int(line.split("v")[1].split()[0])] for line in case.after if not case.jumps]
    shown = np.stack(results).reshape(-1, 4)
    assert all(len(np.unique(column)) == 2 for column in shown.T)  # each bit set in some lanes and not in others
    assert len({bytes(row) for row in shown}) >= 12
