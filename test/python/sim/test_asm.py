"""The assembly reader and the decoder."""

import pytest
from sim.forms_harness import function

from hexagon_mlir.isa import reader as asm
from hexagon_mlir.isa.decode import FormError, decode, tokenize
from hexagon_mlir.sim import Machine, SimError

TEXT = """
	.text
	.file	1 "/src" "kernel.py"
	.globl	f
	.p2align	4
	.type	f,@function
f:                                      // @f
	.loc	1 12 3 prologue_end             // kernel.py:12:3
	{
		p0 = cmp.gt(r3,#31); if (!p0.new) jump:t .LBB0_2
		memw(r29+#104) = r15
		r15 = memw(r11+#4)
	} :mem_noshuf
.LBB0_1:
	.loc	1 13 3
	{
		r4 = #32 ; jump .LBB0_2
	}
	{
		nop
	} :endloop0 :endloop1
.LBB0_2:
	{
		jumpr r31
	}
.Lfunc_end0:
	.size	f, .Lfunc_end0-f
	.section	.rodata.str1.1,"aMS",@progbits,1
.Lstr:
	.string	"a\\"b//\\n\\001"
	.data
	.p2align	3
words:
	.word	1
	.half	-2
	.byte	3, 4
	.quad	0x1122334455667788
	.word	.Lstr+4
	.space	3
	.lcomm	zeros,256,128
	.section	.debug_info,"",@progbits
	.uleb128 5
	.section	".note.GNU-stack","",@progbits
"""


def test_packets():
    module = asm.parse(TEXT)
    packets = module.functions["f"].packets
    assert [len(p.lines) for p in packets] == [3, 1, 1, 1]
    assert packets[0].mem_noshuf
    assert packets[2].end_loop0
    assert packets[2].end_loop1
    assert [p.loc for p in packets[:2]] == [("/src/kernel.py", 12), ("/src/kernel.py", 13)]
    assert module.functions["f"].labels[".LBB0_2"] == 3


def test_empty_packets():
    """An assembler makes nothing of empty braces, and a nop of those that end a loop."""
    module = asm.parse("f:\n\tloop0(.L1,#3)\n.L1:\n\t{\n\t}\n\t{ r0 = add(r0,#1) }\n\t{\n\t} :endloop0\n\tjumpr r31\n")
    assert [[text for _, text in packet.lines] for packet in module.functions["f"].packets] == [
        ["loop0(.L1,#3)"], ["r0 = add(r0,#1)"], ["nop"], ["jumpr r31"]]


def test_compounds_are_two_instructions():
    packets = asm.parse(TEXT).functions["f"].packets
    assert [i.key for i in decode(packets[0])][:2] == ["P=cmp.gt(R,I)", "jump"]
    assert [i.kind for i in decode(packets[1])] == ["alu", "jump"]


def test_data():
    sections = {s.name: s for s in asm.parse(TEXT).sections}
    assert bytes(sections[".rodata.str1.1"].data) == b'a"b//\n\x01\0'
    data = sections[".data"]
    assert bytes(data.data[:16]) == b"\1\0\0\0\xfe\xff\3\4" + bytes.fromhex("8877665544332211")
    assert [(r.offset, r.symbol, r.addend) for r in data.relocations] == [(16, ".Lstr", 4)]
    zeros = sections[".bss.zeros"]
    assert (len(zeros.data), zeros.align) == (256, 128)


@pytest.mark.parametrize(("line", "number"), [("\t.data\n\t.wrod 5\n", 2), ("\t.data\n\t.word ?\n", 2)])
def test_unknown_line_is_an_error(line, number):
    with pytest.raises(asm.AsmError, match=f"asm line {number}"):
        asm.parse(line)


def test_open_packet_is_an_error():
    with pytest.raises(asm.AsmError, match="packet without"):
        asm.parse("\t.type f,@function\nf:\n\t{\n\t\tnop\n")


@pytest.mark.parametrize(
    ("text", "key", "operands"),
    [
        ("r17:16 = memd(r29+#-8)", "RR=memd(R+I)", [16, 29, -8]),
        ("r8 = memw(r1<<#2+##.LJTI20_0)", "R=memw(R<<I+I)", [8, 1, 2, 0]),
        ("v3:2 = vdeal(v0,v2,r7)", "VV=vdeal(V,V,R)", [2, 0, 2, 7]),
        ("r0 = +mpyi(r1,#5)", "R=+mpyi(R,I)", [0, 1, 5]),
        ("q3 &= vcmp.eq(v1.w,v2.w)", "Q&=vcmp.eq(V.w,V.w)", [3, 1, 2]),
    ],
)
def test_tokens(text, key, operands):
    got, found, _ = tokenize(text)
    assert got == key
    assert [operand.number for operand in found] == operands


def test_unknown_form_names_instruction_function_and_line():
    text = function("kernel", [["r0 = add(r0,r1)", "r2 = frobnicate(r0,#3)"]])
    with pytest.raises(SimError) as error:
        Machine(text)
    message = str(error.value)
    assert "r2 = frobnicate(r0,#3)" in message
    assert "R=frobnicate(R,I)" in message
    assert "'kernel'" in message
    assert "asm line 7" in message


def test_odd_pair_is_an_error():
    packet = asm.Packet(lines=[(1, "r2:1 = combine(r0,r0)")])
    with pytest.raises(FormError, match="r2:1 is no pair"):
        decode(packet)


def test_new_without_producer_is_an_error():
    with pytest.raises(SimError, match="no producer"):
        Machine(function("f", [["memw(r0+#0) = r1.new"]]))


def test_undefined_data_symbol_is_an_error():
    with pytest.raises(SimError, match="undefined symbol 'nowhere'"):
        Machine(function("f", [["r0 = ##nowhere"]]))
