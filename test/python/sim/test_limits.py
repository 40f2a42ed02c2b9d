"""Sizes a program may ask host functions for, and the end of a run inside of them: an error with its place, at once."""

import subprocess
import sys
import time

import numpy as np
import pytest
from sim.forms_harness import function

from hexagon_mlir.sim import Machine, SimError, layout
from hexagon_mlir.sim.host_library import libc
from hexagon_mlir.sim.host_library.entry import MAX_NESTED
from hexagon_mlir.sim.host_library.libc_format import MAX_FIELD, MAX_TEXT
from hexagon_mlir.sim.host_library.libc_numbers import f32_bits, floating, integer

CALL_LINE = 9
"""Of the call in `calling`'s text."""
GIB = 1 << 30


def calling(name, *before):
    return function("f", [["allocframe(#0)"], *before, [f"call {name}"], ["r31:30 = dealloc_return(r30):raw"]])


def text(machine, content):
    address = machine.alloc_ddr(len(content) + 1)
    machine.write(address, np.frombuffer(content + b"\0", np.uint8))
    return address


def fails(machine, arguments, **options):
    begin = time.monotonic()
    with pytest.raises(SimError) as error:
        machine.run("f", arguments, **options)
    assert time.monotonic() - begin < 10
    return error.value


@pytest.mark.each_value
@pytest.mark.parametrize("check", [False, True])
@pytest.mark.parametrize(("name", "arguments", "verb"), [
    ("memset", (layout.DDR_BASE, 0, 5 * GIB // 2), "writes"),
    ("memset", (layout.TCM_BASE, 0, 1 << 24), "writes"),
    ("memcpy", (layout.DDR_BASE, layout.TCM_BASE, 1 << 24), "reads"),
    ("memmove", (layout.TCM_BASE, layout.DDR_BASE, 1 << 24), "writes"),
    ("memcmp", (layout.DDR_BASE, layout.DDR_BASE + 4, 5 * GIB // 2), "reads"),
    ("strncpy", (layout.DDR_BASE, layout.DDR_BASE + 4, 4 * GIB - 1), "writes"),
    ("fwrite", (layout.TCM_BASE, 1 << 20, 16, 1), "reads"),
])  # fmt: skip
def test_no_more_than_memory(name, arguments, verb, check):
    error = fails(Machine(calling(name), check=check), arguments)
    assert verb in error.reason and "outside memory" in error.reason
    assert error.asm_line == CALL_LINE


COMMAND = """
import sys
from hexagon_mlir.cli import hexmlir
hexmlir.main(sys.argv[1:])
[peak] = [line for line in open("/proc/self/status") if line.startswith("VmHWM")]
print(int(peak.split()[1]) >> 10)
"""
"""Prints the most memory it had; getrusage() would count the process that it was forked from."""


@pytest.mark.parametrize(("call", "arguments", "message"), [
    ("memset", ("0x40000000", "0", "0xa0000000"), "f.s:9: error: a library function writes 2684354560 bytes"),
    ("malloc", ("0x20000000",), ""),
    ("printf", ("x",), "f.s:9: error: printf: a width or precision of more than"),
])  # fmt: skip
def test_memory_of_the_host(tmp_path, call, arguments, message):
    """What a checked run of a few calls with large sizes takes: it was more than 20 GB, and 6 GB for a width."""
    path = tmp_path / "f.s"
    path.write_text(calling(call, *([["r0 = ##format"]] if call == "printf" else []))
                    + '\t.data\nformat:\t.string "%2000000000d"\n')
    words = ["sim", "f.s", "--entry", "f", "--check", "--timeout", "5", "--args", *arguments]
    if call == "printf":
        words[-1] = "1"
        message = message.replace(":9:", ":12:")
    command = [sys.executable, "-c", COMMAND, *words]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=60)
    assert done.stderr.startswith(message), done.stderr
    megabytes = int(done.stdout.split()[-1])
    assert megabytes < 1000, megabytes


HUGE = 320 << 20


@pytest.mark.full_except(
    "strcspn-##none-", "strtod-#0-a number of 1048576 characters or more",
    "sprintf-r16-printf: a format of more than 67108864 bytes")
@pytest.mark.parametrize(("name", "second", "reason"), [
    ("strchr", "#50", ""), ("strstr", "r17", ""), ("strcspn", "##none", ""), ("strcpy", "r16", ""),
    ("strtod", "#0", f"a number of {libc.MAX_NUMBER} characters or more"),
    ("strtol", "#0", f"a number of {libc.MAX_NUMBER} characters or more"),
    ("puts", "#0", f"the program printed more than {libc.MAX_OUTPUT} bytes"),
    ("printf", "#0", f"printf: a format of more than {MAX_TEXT} bytes"),
    ("sprintf", "r16", f"printf: a format of more than {MAX_TEXT} bytes"),
])  # fmt: skip
def test_no_copies_of_a_long_string(tmp_path, name, second, reason):
    """The most memory that a call with a string of 320 MiB takes: it was two to five times as much."""
    packets = [[f"r0 = ##{HUGE}"], ["call malloc"], ["r16 = r0"], ["r1 = #49", f"r2 = ##{HUGE - 1}"], ["call memset"],
               [f"r17 = add(r16,##{HUGE - 9})"], [f"r1 = {second}", "r0 = r16", "r2 = #10"]]  # fmt: skip
    path = tmp_path / "f.s"
    path.write_text(calling(name, *packets) + '\t.data\nnone:\t.string "023456789"\n')
    command = [sys.executable, "-c", COMMAND, "sim", "f.s", "--entry", "f"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=60)
    assert reason in done.stderr and bool(reason) == bool(done.stderr), done.stderr
    megabytes = int(done.stdout.split()[-1])
    assert HUGE >> 20 < megabytes < 750, megabytes


@pytest.mark.each_value
@pytest.mark.parametrize("check", [False, True])
@pytest.mark.parametrize("name", ["memset", "memmove", "memcmp", "strlen", "strcmp", "strspn"])
def test_a_timeout_holds_in_library_functions(name, check):
    """Each call takes long, and there is no end of them."""
    body = function("f", [["r17:16 = combine(r0,r1)", "r18 = r2"], ["@here"], ["r0 = r17", "r1 = r16"],
                          ["call " + name, "r2 = r18"], ["jump .LL"]]).replace("\t{\n\t\t@here\n\t}\n", ".LL:\n")
    machine = Machine(body, check=check)
    half = 128 << 20
    address = machine.alloc_ddr(2 * half)
    machine.view(address, 2 * half)[:] = 1
    machine.view(address + half - 1, 1)[:] = 0
    machine.view(address + 2 * half - 1, 1)[:] = 0
    error = fails(machine, [address, address + half, half], timeout=0.2)
    assert "did not finish within 0.2 seconds" in error.reason
    machine.reset()


def test_a_search_for_a_long_part_is_linear():
    machine = Machine(calling("strstr"))
    part = b"a" * (1 << 21) + b"b"
    whole = text(machine, b"a" * (1 << 22) + part)
    begin = time.monotonic()
    assert machine.run("f", [whole, text(machine, part)]).return_value == whole + (1 << 22)
    assert machine.run("f", [whole, text(machine, part + b"a")]).return_value == 0
    assert time.monotonic() - begin < 5


def test_a_late_program_says_where_it_is():
    text = function("g", [["r0 = #1"]]) + function("f", [["@here"], ["r0 = add(r0,#1)"], ["jump .LL"]])
    error = fails(Machine(text.replace("\t{\n\t\t@here\n\t}\n", ".LL:\n")), [0], timeout=0.2)
    assert error.reason == "the program did not finish within 0.2 seconds; block '.LL' of 'f' ran most often"


def test_a_late_library_function_says_which_it_is():
    """A comparison function that does not return."""
    body = function("compare", [["@here"], ["jump .LL"]]).replace("\t{\n\t\t@here\n\t}\n", ".LL:\n")
    machine = Machine(calling("qsort", ["r3 = ##compare"]) + body)
    error = fails(machine, [machine.alloc_ddr(64), 8, 8], timeout=0.2)
    assert error.reason == "the program did not finish within 0.2 seconds; block '.LL' of 'compare' ran most often"


@pytest.mark.each_value
@pytest.mark.parametrize("check", [False, True])
@pytest.mark.parametrize(("name", "content", "second"), [
    ("strcspn", b"1", bytes(set(range(1, 256)) - set(b"1"))), ("strspn", b"1", b"1"), ("strtok", b"1", b"2"),
    ("strtol", b" ", b""), ("printf", b"%%", b""),
])  # fmt: skip
def test_a_timeout_holds_in_one_call(name, content, second, check):
    """A call with a string of 256 MiB, or of as much as printf takes."""
    machine = Machine(calling(name), check=check)
    size = MAX_TEXT if name == "printf" else 1 << 28
    address = machine.alloc_ddr(size + 1)
    machine.view(address, size).reshape(-1, len(content))[:] = np.frombuffer(content, np.uint8)
    begin = time.monotonic()
    error = fails(machine, [address, text(machine, second), 10], timeout=0.02)
    assert time.monotonic() - begin < 3
    assert error.reason == f"the program did not finish within 0.02 seconds; it is in {name}"
    assert error.asm_line == CALL_LINE


@pytest.mark.parametrize(("pattern", "words"), [
    (b"%2000000000d", [1]), (b"%.2000000000d", [1]), (b"%.2000000000f", [1, 1]), (b"%*d", [2_000_000_000, 1]),
    (b"%*d", [0x80000000, 1]), (b"%-2000000000s", [0]), (b"%." + b"9" * 10_000 + b"g", [1, 1]),
    (b"%.*a", [MAX_FIELD + 1, 1, 1]),
])  # fmt: skip
def test_widths(pattern, words):
    machine = Machine(calling("printf"))
    error = fails(machine, [text(machine, pattern), *words])
    assert "printf: a width or precision of" in error.reason and f"more than {MAX_FIELD}" in error.reason
    assert (error.asm_line, len(error.reason) < 100) == (CALL_LINE, True)


def test_a_width_that_is_allowed():
    machine = Machine(calling("printf"))
    machine.run("f", [text(machine, b"%1048576d|%.4095d"), 7, 8])
    assert machine.output == b"%1048576d|%04095d" % (7, 8)


def test_texts_and_output():
    machine = Machine(calling("printf"))
    wide = b"%%%dd" % MAX_FIELD
    error = fails(machine, [text(machine, wide * (MAX_TEXT // MAX_FIELD + 1)), 7])
    assert error.reason == f"printf: more than {MAX_TEXT} bytes of text"
    loop = function("f", [["r16 = r0"], ["@here"], ["r0 = r16"], ["call puts"], ["jump .LL"]])
    machine = Machine(loop.replace("\t{\n\t\t@here\n\t}\n", ".LL:\n"))
    error = fails(machine, [text(machine, b"x" * (1 << 22))])
    assert error.reason == f"the program printed more than {libc.MAX_OUTPUT} bytes"
    assert len(machine.output) <= libc.MAX_OUTPUT


@pytest.mark.parametrize("check", [False, True])
@pytest.mark.parametrize("deep", [MAX_NESTED, MAX_NESTED + 1])
def test_a_comparison_function_that_sorts(deep, check):
    """Each call sorts again until the word at r19 is zero."""
    sort = [["r0 = r16", "r1 = #2"], ["r2 = #4", "r3 = ##compare"], ["call qsort"]]
    compare = function("compare", [
        ["allocframe(#0)"], ["r2 = memw(r19+#0)"], ["r2 = add(r2,#-1)"],
        ["memw(r19+#0) = r2"], ["p0 = cmp.eq(r2,#0)"], ["if (p0) jump .LL"], *sort, ["@here"],
        ["r31:30 = dealloc_return(r30):raw"],
    ]).replace("\t{\n\t\t@here\n\t}\n", ".LL:\n")  # fmt: skip
    machine = Machine(calling("qsort", ["r16 = r0", "r19 = r1"], *sort[:2]) + compare, check=check)
    numbers, left = machine.alloc_ddr(8), machine.alloc_ddr(4)
    machine.write(left, np.array([deep], np.int32))
    if deep > MAX_NESTED:
        assert f"nested more than {MAX_NESTED} deep" in fails(machine, [numbers, left]).reason
    else:
        assert machine.run("f", [numbers, left]).reports == []
        assert machine.read(left, np.int32, 1)[0] == 0


@pytest.mark.parametrize("size", [0, 1, 8])
def test_elements_to_sort(size):
    machine = Machine(calling("qsort"))
    error = fails(machine, [layout.DDR_BASE, 0xFFFFFFFF, size, layout.CODE_BASE])
    assert error.reason == f"qsort of {0xFFFFFFFF} elements: more than {libc.MAX_SORTED}"


@pytest.mark.parametrize(("digits", "base", "value"), [
    (b"9" * 30_000, 10, None), (b"-0x" + b"f" * 1_000_000, 0, None), (b"0" * 1_000_000 + b"12", 10, 12),
    (b"0" * 100 + b"12", 0, 10), (b"z" * 13, 36, 36**13 - 1), (b"12", 37, 0), (b"12", 1, 0),
])  # fmt: skip
def test_long_numbers(digits, base, value):
    begin = time.monotonic()
    got, used = integer(digits, base)
    assert time.monotonic() - begin < 1
    assert got == value if value is not None else abs(got) > 1 << 64
    assert used == (len(digits) if 2 <= base <= 36 or base == 0 else 0)


def test_floats_beyond_the_largest():
    assert floating(b"0x1p99999") == (float("inf"), 9)
    assert floating(b"-1e99999") == (float("-inf"), 8)
    assert f32_bits(1e300) == 0x7F800000
    machine = Machine(calling("strtof"))
    assert machine.run("f", [text(machine, b"1e300"), 0]).return_value & 0xFFFFFFFF == 0x7F800000


def test_a_search_wraps_round_the_address_space():
    compare = function("compare", [["r0 = #1"]])
    machine = Machine(calling("bsearch", ["r4 = ##compare"]) + compare)
    assert machine.run("f", [0, 0xFFFFFFF0, 100, 1000]).return_value & 0xFFFFFFFF == 0


@pytest.mark.parametrize("check", [False, True])
def test_transfers(check):
    """More bytes than memory, rows that go round and round in one place, and endlessly many of them."""
    machine = Machine(calling("hexmlir_rt_copy_2d"), check=check)
    to, source = machine.alloc_tcm(1 << 20), machine.alloc_ddr(1 << 20)
    most = 0x7FFFFFFF
    assert "more than there is DDR" in fails(machine, [to, source, most, most, 0, 0]).reason
    assert "is outside memory" in fails(machine, [to, source, 1 << 24, 1, 0, 0]).reason
    if check:
        error = fails(machine, [to, source, 1, most, 0, 0], timeout=0.5)
        assert "it is in hexmlir_rt_copy_2d" in error.reason


@pytest.mark.parametrize(("name", "left", "right", "value"), [
    ("strcmp", b"abc", b"abd", -1), ("strcmp", b"ab", b"abc", -99), ("strcmp", b"abc", b"ab", 99),
    ("strcmp", b"", b"", 0), ("strncmp", b"abc", b"abd", 0), ("strncmp", b"abc", b"acc", -1),
    ("strcasecmp", b"ABc", b"abD", -1), ("strcasecmp", b"AB", b"abD", -100), ("strcasecmp", b"aBc", b"AbC", 0),
    ("memcmp", b"xaz", b"xbz", -1), ("strspn", b"abcd", b"ba", 2), ("strcspn", b"abcd", b"d]c", 2),
    ("strcspn", b"abcd", b"", 4), ("strspn", b"a^-]x", b"]^-a", 4), ("strncmp", b"ab\xff", b"abc", 0),
    ("strcmp", b"ab\xff", b"abc", 0xFF - ord("c")),
])  # fmt: skip
def test_comparisons_in_pieces(name, left, right, value):
    machine = Machine(calling(name))
    got = machine.run("f", [text(machine, left), text(machine, right), 2]).return_value & 0xFFFFFFFF
    assert got - (1 << 32 if got >> 31 else 0) == value


@pytest.mark.parametrize("place", [0, layout.LARGE_BYTES - 1, layout.LARGE_BYTES, 2 * layout.LARGE_BYTES + 5])
def test_where_long_blocks_differ(place):
    machine = Machine(calling("memcmp"))
    size = 3 * layout.LARGE_BYTES
    left, right = machine.alloc_ddr(size), machine.alloc_ddr(size)
    machine.view(right + place, 1)[:] = 9
    result = machine.run("f", [left, right, size])
    assert result.return_value & 0xFFFFFFFF == (1 << 32) - 9
    assert result.stalls["host-call"] == pytest.approx(place, abs=50)
