"""Assembly text and options that no assembler or run would take: one line that names the place, and a hint."""

import time

import numpy as np
import pytest
from sim.forms_harness import function

from hexagon_mlir.cli import hexmlir
from hexagon_mlir.isa.reader import DATA_BYTES
from hexagon_mlir.sim import Machine, SimError, layout

LINE = 7
"""Of the first instruction of `function`'s text."""
WITH_DATA = function("f", [["r0 = #1"]]) + "\t.data\n"
DATA_LINE = WITH_DATA.count("\n") + 1
DIGITS = "9" * 30_000


def failure(text):
    begin = time.monotonic()
    with pytest.raises(SimError) as error:
        Machine(text)
    assert time.monotonic() - begin < 2
    assert len(str(error.value)) < 400
    return error.value


@pytest.mark.parametrize(("line", "why", "hint"), [
    ("r0 = #0add", "'0add' is no number", "0x1f"),
    ("r0 = #08", "'08' is no number", "octal"),
    ("r1:0 = combine(#1,#0add)", "'0add' is no number", "0x1f"),
    ("allocframe(#" + DIGITS + ")", "(30000 characters)' is no number", "64 bits"),
    ("r0 = #" + DIGITS, "(30000 characters)' is no number", "64 bits"),
    ("r0 = #0x" + DIGITS, "(30002 characters)' is no number", "64 bits"),
    ("r0 = ##f+" + DIGITS, "(30001 characters)' is no number", "64 bits"),
    ("r0 = #0x10000000000000000", "does not fit 64 bits", ""),
    ("r" + DIGITS + " = #1", "is no number", "64 bits"),
    ("r32 = #1", "no register r32", "the last one is r31"),
    ("v0 = vmem(r40+#0)", "no register r40", "r31"),
    ("v32 = vmem(r0+#0)", "no register v32", "v31"),
    ("p4 = cmp.eq(r0,#1)", "no register p4", "p3"),
    ("if (p7) r0 = #1", "no register p7", "p3"),
    ("if (q4) vmem(r0+#0) = v0", "no register q4", "q3"),
    ("m2 = r0", "no register m2", "m1"),
    ("callr r33", "no register r33", "r31"),
    ("r5:2 = combine(r0,r0)", "r5:2 is no pair", "r3:2"),
    ("loop0(.Lmissing,#4)", "no label '.Lmissing' in the function", "stay in their function"),
    ("jump .Lmissing", "no label '.Lmissing' in the function", "stay in their function"),
    ("if (p0) jump:nt .Lmissing", "no label '.Lmissing' in the function", "stay in their function"),
    ("loop0(.LL,#0add)", "'0add' is no number", "0x1f"),
])  # fmt: skip
def test_an_instruction(line, why, hint):
    error = failure(function("f", [[line]]).replace("f:\n", "f:\n.LL:\n"))
    assert why in error.reason and "in function 'f'" in error.reason
    assert (error.asm_line, hint in error.hint) == (LINE, True)


def test_a_loop_of_no_packets():
    text = "\t.type\tf,@function\nf:\n\t{\n\t\tloop0(.LEND,#2)\n\t}\n\t{\n\t\tjumpr r31\n\t}\n.LEND:\n"
    assert failure(text).reason.startswith("no packet at label '.LEND'")


def test_a_jump_to_what_llvm_left_empty_is_no_error():
    text = function("f", [["p0 = cmp.eq(r0,#0)"], ["if (p0) jump .LEND"]]) + ".LEND:\n"
    assert Machine(text).run("f", [1]).return_value == 1


@pytest.mark.parametrize("number", ["010", "0b1000", "0x8", "8", "-0xfffffff8"])
def test_numbers_as_assemblers_read_them(number):
    text = function("f", [[f"r0 = ##{number}"], ["r1 = memw(##x)"]]) + f"\t.data\n\t.p2align 3\nx:\t.word {number}\n"
    assert Machine(text).run("f").return_value == 8 << 32 | 8


@pytest.mark.parametrize(("line", "why"), [
    ("x: .word 0add", "'0add' is no number"), ("x: .word y-", "neither a number nor a symbol"),
    ("x: .word " + DIGITS, "(30000 characters)' is no number"), ("x: .quad 0x" + DIGITS, "(30002 characters)"),
    ("x: .space -5", "a size of -5"), ("x: .fill -5,4,1", "a size of -5"), (".comm x,-8,8", "a size of -8"),
    (".balign -8", "a size of -8"), (".balign 24", "no alignment"), (".p2align 40", "no alignment"),
    (".comm x,8,3", "no alignment"),
    ("x: .space 3000000000", "3000000000 bytes of data"), ("x: .fill 3000000000,1,1", "3000000000 bytes of data"),
    ("x: .fill 1000000000,8,1", "8000000000 bytes of data"), (".comm x,3000000000,8", "3000000000 bytes of data"),
    (".lcomm x,3000000000", "3000000000 bytes of data"),
    ('"a\\"b": .word 1', "a quote or backslash in a name"), ('"a\\\\b": .word 1', "a quote or backslash in a name"),
])  # fmt: skip
def test_data(line, why):
    error = failure(WITH_DATA + line + "\n")
    assert why in error.reason
    assert error.asm_line == DATA_LINE


def test_labels_with_a_quote_in_code():
    text = '\t.type "f\\"g",@function\n"f\\"g":\n\t{\n\t\tjumpr r31\n\t}\n'
    error = failure(text)
    assert error.reason.startswith("a quote or backslash in a name: '\"f")
    assert (error.asm_line, error.hint) == (2, "name it with letters, digits, '_', '.' and '$'")


def test_sections_together_have_the_room_of_one():
    half = DATA_BYTES // 2
    text = function("f", [["r0 = ##y"]]) + f"\t.bss\nx: .space {half}\n\t.section .more\ny: .space {half - 8}\n"
    assert Machine(text).run("f").return_value == layout.DATA_BASE + half
    assert "bytes of data" in failure(text + ".space 16\n").reason


def test_undefined_symbols_of_data_name_their_line():
    error = failure(WITH_DATA + "\t.word 1\n\t.word nowhere\n")
    assert error.reason == "data section '.data' refers to undefined symbol 'nowhere'"
    assert error.asm_line == DATA_LINE + 1


def test_escapes_are_read_in_linear_time():
    text = function("f", [["r0 = #1"]]) + '\t.data\nx:\t.ascii "' + "\\1" * 400_000 + '"\n'
    begin = time.monotonic()
    machine = Machine(text)
    assert time.monotonic() - begin < 5
    assert (machine.read(machine.symbol("x"), np.uint8, 400_000) == 1).all()


def test_jumps_and_loops_that_may_go_too_many_ways():
    """A jump through a register may lead to any label whose address is taken, the end of a loop to any start."""
    count = 600
    jumps = "".join(f".L{n}:\n\t{{\n\t\tjumpr r1\n\t}}\n" for n in range(count))
    loop = "\t{{\n\t\tloop0(.L{0},#2)\n\t}}\n\t{{\n\t\tnop\n\t}} :endloop0\n"
    loops = "".join(f".L{n}:\n" + loop.format(n) for n in range(count))
    table = "\t.data\n" + "".join(f"\t.word .L{n}\n" for n in range(count))
    for body in (jumps, loops):
        error = failure("\t.type f,@function\nf:\n" + body + "\t{\n\t\tjumpr r31\n\t}\n" + table)
        assert "may go more than 131072 ways" in error.reason and error.asm_line > 1


@pytest.mark.parametrize(("text", "why"), [
    (".init_array.zz", "'zz' is no number"), (".init_array." + DIGITS, "is no number")])
def test_priorities_of_constructors(text, why):
    assert why in failure(function("f", [["r0 = #1"]]) + f"\t.section {text}\nx: .word f\n").reason


@pytest.mark.parametrize("timeout", ["nan", "inf", "-1", "1e300"])
def test_a_timeout_that_is_no_time(tmp_path, capsys, timeout):
    path = tmp_path / "f.s"
    path.write_text(function("f", [["r0 = #1"]]))
    assert hexmlir.main(["sim", str(path), "--entry", "f", "--timeout", timeout]) == 1
    message = capsys.readouterr().err
    assert message.startswith("hexmlir: error: --timeout is a number from 0 to ") and f"not '{timeout}'" in message


def test_the_command_prints_the_line_and_the_hint(tmp_path, capsys):
    path = tmp_path / "f.s"
    path.write_text(function("f", [["r0 = #0add"]]))
    assert hexmlir.main(["sim", str(path), "--entry", "f"]) == 1
    assert capsys.readouterr().err == (
        f"{path}:6: error: '0add' is no number: 'r0 = #0add' in function 'f'\n"
        "  hint: a number is like 12, -3, 0x1f, 0b101, or octal with a leading 0, and has at most 64 bits\n")


@pytest.mark.parametrize(("argument", "message"), [
    ("buf:3000000000", "DDR: no room for 3000000000 bytes"), ("tcm:3000000000", "TCM: no room for 3000000000 bytes"),
    ("buf:" + DIGITS, "cannot read '9999"),
    ("buf:0x" + DIGITS, "cannot read '0x99"), ("9" * 30_000, "cannot read '9999")])
def test_sizes_of_buffers(tmp_path, capsys, argument, message):
    path = tmp_path / "f.s"
    path.write_text(function("f", [["r0 = #1"]]))
    assert hexmlir.main(["sim", str(path), "--entry", "f", "--args", argument]) == 1
    printed = capsys.readouterr().err
    assert message in printed and "internal" not in printed and len(printed) < 300


@pytest.mark.parametrize("grid", [(2, -1, 1), (1, 1), (-2, 1, 1)])
def test_grids(grid):
    with pytest.raises(SimError, match="a grid of"):
        Machine(function("f", [["r0 = #1"]])).run("f", grid=grid)
