"""The assembler and the disassembler of `hexagon_mlir.isa`: words of LLVM's and of the golden cases, and back."""

import itertools
import random
import re
import subprocess
import sys

import matrix_golden
import pytest
from binaries import needs_linker

from hexagon_mlir.codegen.artifacts import link
from hexagon_mlir.isa.assembler import assemble
from hexagon_mlir.isa.decode import FormError, decode
from hexagon_mlir.isa.disassembler import disassemble
from hexagon_mlir.isa.encoding import ENCODINGS, encoding_of
from hexagon_mlir.isa.literals import Refused
from hexagon_mlir.isa.matrix import OPERATIONS
from hexagon_mlir.isa.reader import AsmError, parse

NEWEST = 81
LLVM_WORDS = (
    ("r0 = #5", 0x7800C0A0),
    ("r1 = #-5", 0x78DFFF61),
    ("r3 = r4", 0x7064C003),
    ("r5 = add(r6,#1000)", 0xB026FD05),
    ("r5 = add(r6,#-32768)", 0xB806C005),
    ("r5 = add(r6,r7)", 0xF306C705),
    ("r5 = sub(r6,r7)", 0xF327C605),
    ("r5 = and(r6,#511)", 0x7606FFE5),
    ("r5 = asl(r6,#11)", 0x8C06CB45),
    ("r5 = lsr(r6,#31)", 0x8C06DF25),
    ("r5 = asr(r6,#1)", 0x8C06C105),
    ("r5 = addasl(r6,r7,#3)", 0xC407C665),
    ("r5 = min(r6,r7)", 0xD5A7C605),
    ("r5 = minu(r6,r7)", 0xD5A7C685),
    ("r5 = max(r6,r7)", 0xD5C6C705),
    ("r5 = maxu(r6,r7)", 0xD5C6C785),
    ("r5 = mpyi(r6,r7)", 0xED06C705),
    ("p1 = cmp.eq(r6,#3)", 0x7506C061),
    ("p1 = cmp.gt(r6,#-3)", 0x7566FFA1),
    ("p1 = cmp.gtu(r6,#511)", 0x7586FFE1),
    ("p1 = cmp.eq(r6,r7)", 0xF206C701),
    ("p2 = cmp.gt(r6,r7)", 0xF246C702),
    ("p3 = cmp.gtu(r6,r7)", 0xF266C703),
    ("r5 = memw(r6+#-4096)", 0x9586C005),
    ("r31 = memw(r29+#4092)", 0x939DFFFF),
    ("memw(r6+#8) = r7", 0xA186C702),
    ("memw(r6+#-4) = r7", 0xA786E7FF),
    ("jump .L0", 0x59FFFFCA),
    ("if (p1) jump:nt .L0", 0x5CDFE1C8),
    ("if (p1) jump:t .L0", 0x5CDFF1C6),
    ("if (!p1) jump:nt .L0", 0x5CFFE1C4),
    ("if (!p1) jump:t .L0", 0x5CFFF1C2),
    ("jumpr r31", 0x529FC000),
    ("if (p1) jumpr r31", 0x535FC100),
    ("if (!p2) jumpr r28", 0x537CC200),
    ("loop0(.L0,r3)", 0x6003D708),
    ("loop1(.L0,r3)", 0x6023D700),
    ("loop0(.L0,#100)", 0x6903D638),
    ("loop1(.L0,#1023)", 0x693FD6F3),
    ("nop", 0x7F00C000),
)
"""Packets of one instruction in a row, the label before the first, and LLVM's words (clang 22.1, v75)."""
LLVM_PACKETS = {
    "{ p1 = cmp.eq(r6,#0)\n if (p1.new) jump:nt .L0\n r4 = r5\n r8 = r6 }": [
        0x75064001, 0x5C004900, 0x70654004, 0x7066C008],
    "{ p1 = cmp.eq(r6,#0)\n if (!p1.new) jumpr:t r31 }": [0x75064001, 0x537FD900],
    "{ r1 = r2 }:endloop0": [0x70628001, 0x7F00C000],
    "{ r1 = r2 }:endloop1": [0x70624001, 0x7F008000, 0x7F00C000],
    "{ r1 = r2\n r3 = r4 }:endloop01": [0x70628001, 0x70648003, 0x7F00C000],
    "{ r1 = r2\n r3 = r4 }:endloop0": [0x70628001, 0x7064C003],
    "{ r5 = add(r5,#1)\n loop0(.L0,r3)\n r7 = asl(r7,#3) }": [0x60034000, 0x8C074347, 0xB005C025],
    "{ memw(r2+#8) = r3\n r5 = add(r5,#4)\n r0 = memw(r1+#4)\n r6 = add(r6,#1) }": [
        0xB0054085, 0xB0064026, 0x91814020, 0xA182C302],
    "{ memw(r2+#8) = r3\n r5 = add(r5,#4)\n r0 = memw(r1+#4)\n r6 = add(r6,#1) }:mem_noshuf": [
        0xB0054085, 0xB0064026, 0xA1824302, 0x9181C020],
    "{ memw(r2+#8) = r3\n memw(r1+#4) = r4\n r6 = add(r6,#1) }": [0xB0064026, 0xA1824302, 0xA181C401],
    "{ r0 = memw(r2+#8)\n r1 = memw(r1+#4)\n r6 = add(r6,#1) }": [0xB0064026, 0x91824040, 0x9181C021],
}
"""With LLVM's search for duplexes and compounds off."""


def words(body, version=NEWEST):
    return assemble(parse(f"\t.type f,@function\nf:\n{body}\n").functions["f"], version)


def text_of(template, rng, labels=(".L0",)):
    """An instruction of the form with random operands."""
    fields = iter(ENCODINGS[template].fields)

    def operand(letter):
        field = next(fields, None)
        if letter[0] == "L":
            return rng.choice(labels)
        bits = len(field.places) if field else 0
        low = -(1 << bits - 1) if field and field.signed else 0
        number = low + rng.randrange(1 << bits) << field.shift if field else 16
        return {"R": "r", "P": "p", "I": "#"}[letter[0]] + str(number)

    return re.sub("[RPIL]", operand, template).replace("if(", "if (")


def program(rng, count):
    """Packets of one scalar form each, ``count`` of every form; producers of new predicates beside them."""
    forms = [template for template in ENCODINGS if template not in OPERATIONS] * count
    lines = []
    for index, template in enumerate(forms):
        labels = [f".L{near}" for near in range(max(0, index - 15), min(len(forms), index + 15))]
        text = text_of(template, rng, labels)
        before = f"{re.search('p[0-3]', text)[0]} = cmp.eq(r1,r2)\n" if ".new" in text else ""
        lines.append(f".L{index}:\n{{\n{before}{text}\n}}")
    return "\n".join(lines)


def test_words_of_llvm():
    body = "\n".join(text for text, _ in LLVM_WORDS)
    assert words(f".L0:\n{body}") == [word for _, word in LLVM_WORDS]


@pytest.mark.parametrize("packet", LLVM_PACKETS)
def test_packets_of_llvm(packet):
    assert words(f".L0:\n{packet}") == LLVM_PACKETS[packet]


@needs_linker
def test_random_instructions_are_llvms_words(tmp_path):
    body = program(random.Random(5), 6)
    (tmp_path / "f.s").write_text(f"f:\n{body}\n")
    alone = ("-mllvm", "-mno-pairing", "-mllvm", "-mno-compound")
    done = subprocess.run([sys.executable, "-Pm", "ziglang", "clang", "-target", link.TRIPLE, "-mv75", *alone, "-c",
                           tmp_path / "f.s", "-o", tmp_path / "f.o"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    code = b"".join(word.to_bytes(4, "little") for word in words(body))
    assert len(code) > 4 * 250
    assert code in (tmp_path / "f.o").read_bytes()


@pytest.mark.parametrize("asm", matrix_golden.packets())
def test_words_of_the_golden_packets(asm):
    assert tuple(words(asm)) == matrix_golden.packets()[asm]


def test_golden_packets_cover_many_codes():
    assert len({word for packet in matrix_golden.packets().values() for word in packet}) >= 30


@pytest.mark.parametrize(("text", "word"), [
    ("mxmem2(r9) = bias", 0xA6E9C016), ("cvt.uh = acc(r31):2x2", 0xA6FFD910), ("acc = mxshl(acc,#16)", 0xA6E0C017),
    ("mxmem(r8,r9):before:retain:pos.hf = acc", 0xA6E8E905), ("mxmem(r8,r9):after:retain.uh = acc:2x2", 0xA6E8E91F),
    ("mxmem(r8,r9):deep.f8 = cvt", 0xA6E8C91E), ("bias = mxmem(r17)", 0x9211C3FF),
])
def test_words_of_forms_without_golden_cases(text, word):
    chip = 75 if "mxshl" in text else NEWEST
    assert words(text, chip) == [word]


def test_no_word_is_two_forms():
    for one, other in itertools.combinations(ENCODINGS.values(), 2):
        assert (one.opcode ^ other.opcode) & one.mask & other.mask, (one.template, other.template)
    for one in ENCODINGS.values():
        places = [place for field in one.fields for place in field.places]
        assert len(places) == len(set(places)) and one.opcode & ~one.mask == 0
        assert one.mask | sum(1 << place for place in places) == 0xFFFF3FFF  # all bits but the parse bits


def from_words(code):
    """The function that is written as words in assembly, as a naked function with prologue data is."""
    lines = "".join(f"\t.word\t{word}\n" for word in code)
    return parse(f"\t.type f,@function\nf:\n{lines}.Lfunc_end0:\n").functions["f"]


def test_every_form_and_back():
    rng = random.Random(9)
    partner = {"a": "weight.b = mxmem(r1,r2)", "w": "activation.ub = mxmem(r1,r2)"}
    for template, operation in OPERATIONS.items():
        for _ in range(8):
            text, version = text_of(template, rng), operation.form.last or NEWEST
            packet = [text, partner[text[0]]] if operation.product else [text]
            made = words("{\n" + "\n".join(packet) + "\n}", version)
            back = from_words(made)
            assert template in {insn.key for insn in decode(back.packets[0])}
            assert assemble(back, version) == made
    made = words(program(rng, 5))
    assert assemble(from_words(made), NEWEST) == made
    assert len(made) > 200


BODY = """{ p0 = cmp.eq(r1,#0)
 if (!p0.new) jump:nt .L1 }
.L1:
{ activation.ub = mxmem(r4,r5):deep:cm
 weight.n = mxmem(r6,r7):2x:drop
 r0 = add(r0,#-64) }:endloop0
jumpr r31"""


def test_words_in_code_are_packets():
    function = from_words(words(BODY))
    assert [[text for _, text in packet.lines] for packet in function.packets] == [
        ["p0 = cmp.eq(r1,#0)", "if (!p0.new) jump:nt .L8"],
        ["r0 = add(r0,#-64)", "activation.ub = mxmem(r4,r5):deep:cm", "weight.n = mxmem(r6,r7):2x:drop"],
        ["jumpr r31"]]
    assert [(packet.end_loop0, packet.end_loop1) for packet in function.packets] == [
        (False, False), (True, False), (False, False)]
    assert function.labels == {".L8": 1, ".Lfunc_end0": 3}


def test_runs_of_words_between_packets():
    jump, nop = words(".L0:\njump .L0")[0], words("nop")[0]
    function = parse(f"\t.type f,@function\nf:\n\t.word {jump}\n\tr1 = #1\n\t.long {nop}, {jump - (1 << 32)}\n"
                     "\t.section .rodata\nx:\n\t.word 5\n").functions["f"]
    assert [packet.lines for packet in function.packets] == [
        [(3, "jump .L0")], [(4, "r1 = #1")], [(5, "nop")], [(5, "jump .L24")]]
    assert function.labels == {".L0": 0, ".L24": 3}


@pytest.mark.parametrize(("body", "why"), [
    ("r0 = #40000", "40000 does not fit"), ("r0 = add(r1,#-32769)", "-32769 does not fit"),
    ("r0 = memw(r1+#2)", "2 does not fit"), ("r0 = asl(r1,#32)", "32 does not fit"),
    ("p0 = cmp.gtu(r1,#-1)", "-1 does not fit"), ("nop\n" * 100 + "loop0(.L0,r1)", "-400 does not fit"),
    ("r0 = xor(r1,r2)", "no encoding"), ("if (p0) r0 = r1", "no encoding"), ("r0 = memw(r1++#4)", "no encoding"),
    ("p3 = sp1loop0(.L0,r1)", "no encoding"), ("{ r1 = #0\n memw(r2+#0) = r1.new }", "no encoding"),
    ("r0 = ##counter", "no label 'counter'"), ("jump .L9", "no label '.L9'"),
    ("{ r0 = asl(r0,#1)\n r1 = asl(r1,#1)\n r2 = asl(r2,#1) }", "no slots"),
    ("{ loop0(.L0,r1)\n loop1(.L0,r2) }", "no slots"), ("{ cvt.hf = acc(r0)\n bias = mxmem(r1) }", "slot 0"),
    ("acc = mxshl(acc,#16)", "exists up to v75, not on v81"),
])
def test_what_has_no_words(body, why):
    with pytest.raises(FormError, match=why):
        words(f".L0:\n{body}")


@pytest.mark.parametrize(("code", "why"), [
    ([0x00000000], "word 0 .00000000. is no known"), ([0x7F00C000, 0xFFFFFFFF], "word 1"), ([0x7F000000], "no known"),
    ([0x7F00C000, 0x7F004000], "packet of word 1 .* no end"), ([0x59FFFFFE], "at 0 goes to -4"),
    ([0x7F004000, 0x7F00C000, 0x59FFFFFE], "at 8 goes to 4"),
    ([0x920041FF, 0x9202E3EF], "no known"), ([0xA6E0C012], "no known"),
])
def test_words_that_are_refused(code, why):
    with pytest.raises(Refused, match=why):
        disassemble(code)
    with pytest.raises(AsmError, match=f"^asm line 3: .*{why}"):
        from_words(code)


def test_a_word_of_each_form_is_found():
    assert all(encoding_of(one.opcode) is one for one in ENCODINGS.values())
    assert encoding_of(0) is None
