"""The matrix engine's instructions: the table, decoding, what may share a packet, chips, and what they take."""

import re
from collections import Counter

import matrix_golden
import pytest

from hexagon_mlir import targets
from hexagon_mlir.isa import blocks
from hexagon_mlir.isa.decode import FormError, Operand, decode, decode_one
from hexagon_mlir.isa.form import FORMS, Form, read
from hexagon_mlir.isa.listing import rows
from hexagon_mlir.isa.matrix import OPERATIONS, Kind, operation
from hexagon_mlir.isa.reader import parse
from hexagon_mlir.isa.resources import needed_packets, occupied_by
from hexagon_mlir.isa.timing import Model
from hexagon_mlir.isa.unit import Unit
from hexagon_mlir.sim.translation.program import SimError
from hexagon_mlir.sim.translation.translate import translate

KINDS = {Kind.ACTIVATION: 20, Kind.WEIGHT: 60, Kind.LOAD_BIAS: 2, Kind.STORE_BIAS: 2, Kind.CONVERT: 7, Kind.STORE: 7,
         Kind.CONVERT_STORE: 40, Kind.CLEAR: 2, Kind.SWAP: 2, Kind.SHIFT: 1}
"""How many forms of a kind hmx_hexagon_protos.h has, 143 in all."""
ACTIVATION, WEIGHT = "activation.hf = mxmem(r0,r1):deep", "weight.hf = mxmem(r2,r3)"


def packet(*lines):
    text = "\n".join(("{", *lines, "}"))
    return parse(f"\t.type f,@function\nf:\n{text}\n").functions["f"].packets[0]


def test_every_form_of_the_header():
    assert Counter(one.kind for one in OPERATIONS.values()) == KINDS
    assert not OPERATIONS.keys() & FORMS.keys()


@pytest.mark.parametrize(("key", "kind", "element", "modes"), [
    ("activation.ub=mxmem(R,R):deep:cm", Kind.ACTIVATION, "ub", {"deep", "cm"}),
    ("weight.n=mxmem(R,R):2x:drop", Kind.WEIGHT, "n", {"2x", "drop"}),
    ("mxmem(R,R):after:retain:cm:sat.ub=acc", Kind.CONVERT_STORE, "ub", {"after", "retain", "cm", "sat"}),
    ("mxmem(R,R):before.uh=acc:2x2", Kind.CONVERT_STORE, "uh", {"before", "2x2"}),
    ("mxmem(R,R):cm:deep=cvt", Kind.STORE, "", {"cm", "deep"}),
    ("mxmem(R,R).f8=cvt", Kind.STORE, "f8", set()),
    ("cvt.ub=acc(R):sc1", Kind.CONVERT, "ub", {"sc1"}),
    ("mxclracc.hf", Kind.CLEAR, "hf", set()),
    ("mxswapacc", Kind.SWAP, "", set()),
    ("acc=mxshl(acc,I)", Kind.SHIFT, "", set()),
])
def test_operations(key, kind, element, modes):
    one = operation(key)
    assert (one.kind, one.element, one.modes) == (kind, element, modes)
    assert one.form.template == key


def test_facts_that_are_not_in_the_type():
    assert {key: one.bias_words for key, one in OPERATIONS.items() if one.bias_words} == {
        "bias=mxmem2(R)": 2, "bias=mxmem(R)": 1, "mxmem2(R)=bias": 2, "mxmem(R)=bias": 1}
    assert {one.element for one in OPERATIONS.values() if one.floating} == {"hf", "f8"}
    assert {one.kind for one in OPERATIONS.values() if one.product} == {Kind.ACTIVATION, Kind.WEIGHT}
    assert all(one.form.dests == () for one in OPERATIONS.values())


def test_a_row():
    assert read("matrix acc=mxshl(acc,I) a6e00017 v68 last=v75") == Form(
        "acc=mxshl(acc,I)", Unit.MATRIX, (), ("I",), since=68, last=75, opcode=0xA6E00017)
    assert operation("mxmem(R,R)=cvt").form.sources == ("R", "R")


@pytest.mark.parametrize("asm", matrix_golden.packets())
def test_golden_packets_decode(asm):
    insns = decode(packet(*asm.strip("{} ").split("; ")))
    assert [insn.kind for insn in insns] == ["matrix"] * len(insns)

    wanted = [int(number) for number in re.findall(r"r(\d)", asm)]
    assert [source for insn in insns for source in insn.sources] == [Operand("R", number) for number in wanted]
    assert [insn.key for insn in insns] == [re.sub(r"r\d", "R", text.replace(" ", ""))
                                            for text in asm.strip("{} ").split("; ")]


@pytest.mark.parametrize("text", ["activation.hf=mxmem(r0,r1):deep", "  activation.hf  =  mxmem( r0 , r1 ) : deep"])
def test_blanks_do_not_matter(text):
    insn = decode_one(1, text.strip())
    assert (insn.key, insn.unit, insn.hvx) == ("activation.hf=mxmem(R,R):deep", Unit.MATRIX, False)
    assert (insn.dests, insn.sources) == ([], [Operand("R", 0), Operand("R", 1)])


@pytest.mark.parametrize(("text", "why"), [
    ("activation.hf = mxmem(r0,r1):deep:cm", "unknown instruction form"),
    ("weight.ub = mxmem(r0,r1)", "unknown instruction form"),
    ("bias = mxmem2(r0,r1)", "unknown instruction form"),
    ("cvt.hf = acc(r32)", "no register r32"),
    ("acc = mxshl(acc,#8)", "shifted by 16 bits only"),
    ("if (p0) mxclracc", "have no condition"),
    ("if (!p0.new) cvt.hf = acc(r2)", "have no condition"),
    ("cvt.hf = acc(r2.new)", "no .new operands"),
])
def test_texts_that_are_refused(text, why):
    with pytest.raises(FormError, match=why):
        decode_one(1, text)


def test_the_shift_of_accumulators_is_known():
    assert decode_one(1, "acc = mxshl(acc,#16)").key == "acc=mxshl(acc,I)"


@pytest.mark.parametrize("lines", [
    (ACTIVATION, WEIGHT), (WEIGHT, ACTIVATION),
    (ACTIVATION, WEIGHT, "r0 = add(r0,r4)", "r2 = add(r2,#64)"),
    (ACTIVATION, WEIGHT, "if (r5!=#0) jump:t f", "nop"),
    (ACTIVATION, WEIGHT, "p0 = cmp.eq(r5,#0); if (p0.new) jump:t f"),
    ("cvt.hf = acc(r6)", "r1 = add(r1,#1)", "r2 = add(r2,#1)", "jumpr r31"),
    ("mxclracc.hf", "r1 = #0"), ("bias = mxmem2(r0)", "loop0(f,r3)"), ("r1 = memw(r2+#0)", "memw(r3+#0) = r4"),
])
def test_packets_that_are_taken(lines):
    assert len(decode(packet(*lines))) >= 2


@pytest.mark.parametrize(("lines", "why"), [
    ((ACTIVATION,), "needs a weight"), ((WEIGHT,), "needs an activation"),
    ((ACTIVATION, "cvt.hf = acc(r6)"), "needs a weight"),
    ((ACTIVATION, ACTIVATION), "needs a weight"), ((WEIGHT, WEIGHT), "needs an activation"),
    ((ACTIVATION, WEIGHT, WEIGHT), "one activation and one weight"),
    ((ACTIVATION, WEIGHT, "mxclracc.hf"), "one activation and one weight"),
    ((ACTIVATION, WEIGHT, "r5 = memw(r6+#0)"), "no slot"), ((ACTIVATION, WEIGHT, "memw(r6+#0) = r5"), "no slot"),
    ((ACTIVATION, WEIGHT, "v0 = vmem(r6+#0)"), "no slot"), ((ACTIVATION, WEIGHT, "allocframe(#8)"), "no slot"),
    ((ACTIVATION, WEIGHT, "memw(r6+#0) += #1"), "no slot"), ((ACTIVATION, WEIGHT, "dmstart(r6)"), "no slot"),
    ((ACTIVATION, WEIGHT, "r5 = #0", "if (cmp.eq(r5.new,#0)) jump:t f"), "no slot"),
    ((ACTIVATION, WEIGHT, "r5 = #0", "r6 = #0", "r7 = #0"), "more than 4 instructions"),
    (("cvt.hf = acc(r6)", "mxmem(r0,r1) = cvt"), "slot 0 is taken by 'cvt.hf = acc"),
    (("mxclracc", "mxclracc.hf"), "slot 0 is taken"),
    (("bias = mxmem2(r0)", "memw(r6+#0) = r5"), "no slot beside 'bias"),
    (("mxmem(r0,r1) = cvt", "barrier"), "no slot"), (("mxclracc", "vmem(r0+#0) = v1"), "no slot"),
])
def test_packets_that_are_refused(lines, why):
    with pytest.raises(FormError, match=why):
        decode(packet(*lines))


@pytest.mark.parametrize(("text", "chip", "why"), [
    ("cvt.hf = acc(r6)", "v68", "exists from v73 on, not on v68"), ("mxclracc", "v67", "exists from v68 on"),
    ("mxmem(r0,r1):deep = cvt", "v75", "exists from v79 on"), ("cvt.f8 = acc(r6)", "v79", "exists from v81 on"),
    ("acc = mxshl(acc,#16)", "v79", "exists up to v75, not on v79"),
    ("acc = mxshl(acc,#16)", "v81", "exists up to v75"),
])
def test_chips_that_lack_a_form(text, chip, why):
    with pytest.raises(SimError, match=why):
        translate(f"\t.type f,@function\nf:\n\t{text}\n\tjumpr r31\n", targets.get(chip), memory_model=False)


def test_what_they_take_of_a_packet():
    halves = [occupied_by(ACTIVATION), occupied_by(WEIGHT)]
    assert halves == [Counter(slot=1, load=1), Counter(slot=1, store=1)]
    assert occupied_by("cvt.hf = acc(r6)") == Counter(slot=1, load=1, store=1)
    assert needed_packets([*halves, *halves, occupied_by("mxmem(r0,r1) = cvt")])["store"] == 3


def test_they_issue_in_a_cycle_and_wait_for_their_registers():
    text = "\t.type f,@function\nf:\n\tr0 = memw(r5+#0)\n{ " + f"{ACTIVATION}; {WEIGHT} }}\n"
    text += "\tcvt.hf = acc(r6)\n\tmxmem(r8,r9) = cvt\n\tjumpr r31\n"
    module = parse(text)
    target = targets.get("v75")
    stalls = [stall for block in Model(target).steps(blocks.build(module.functions["f"], set())) for stall in block]
    waited = int(target.scalar_load_result_stage.value) - int(target.scalar_early_operand_stage.value) - 1
    assert stalls[:4] == [{}, {"scalar-latency": waited}, {}, {}]


def test_the_list_of_forms_has_them():
    listed = {row.template: (row.unit, row.range) for row in rows() if row.unit == "matrix"}
    assert listed.keys() == OPERATIONS.keys()
    assert listed["acc=mxshl(acc,I)"] == ("matrix", "v68-v75")
    assert listed["mxmem(R,R)=cvt"] == ("matrix", "v73+")
    assert listed["mxclracc"] == ("matrix", "all")
