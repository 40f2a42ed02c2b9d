"""The host libc called from guest assembly: ABI of variable arguments, callbacks, the end of a program, faults."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from hexagon_mlir.sim import Arg64, Machine, SimError
from hexagon_mlir.sim.host_library.c_start import ENTRY, with_start
from hexagon_mlir.sim.host_library.libc_format import render

CALL = """
	.text
	.type	f,@function
f:
	{{ allocframe(#0); call {name} }}
	{{ dealloc_return }}
"""


def machine(name: str, **options) -> Machine:
    return Machine(CALL.format(name=name), **options)


def text(m: Machine, content: bytes) -> int:
    address = m.alloc_ddr(max(len(content) + 1, 64))
    m.write(address, np.frombuffer(content + b"\0", np.uint8))
    return address


def call(name: str, *arguments: int | bytes | Arg64) -> int:
    m = machine(name)
    return m.run("f", [text(m, a) if isinstance(a, bytes) else a for a in arguments]).return_value


class Listed:
    """Arguments for `render` from a Python list."""

    def __init__(self, *values) -> None:
        self.values = list(values)

    def word(self):
        return self.values.pop(0) & 0xFFFFFFFF

    def wide(self):
        return self.values.pop(0) & ((1 << 64) - 1)

    def double(self):
        return self.values.pop(0)

    def check(self):
        pass

    def string(self, address, limit):
        return {7: b"seven"}[address][:limit]

    def count(self, address, nbytes, value):
        self.stored = (address, nbytes, value)


@pytest.mark.parametrize(
    ("pattern", "values", "expected"),
    [
        (b"%5.1f|%-7d|%+03d", (2.25, -3, 4), b"  2.2|-3     |+04"),
        (b"%05d%%%x", (-42, -1), b"-0042%ffffffff"),
        (b"%lld %llx", (-(1 << 40), 1 << 63), b"-1099511627776 8000000000000000"),
        (b"%.3s|%8s|%s", (7, 7, 0), b"sev|   seven|(null)"),
        (b"%05f|%F", (float("-inf"), float("nan")), b" -inf|NAN"),
        (b"%a %.1a %a", (0.1, 1.96875, 0.0), b"0x1.999999999999ap-4 0x2.0p+0 0x0p+0"),
        (b"%.0d|%#o|%#x", (0, 0, 0), b"|0|0"),
        (b"%*d|%-*d|%.*d", (4, 1, 4, 2, 3, 3), b"   1|2   |003"),
        (b"%hhd %hu", (511, 65537), b"-1 1"),
        (b"%p", (0x1234,), b"0x00001234"),
    ],
)
def test_conversions(pattern, values, expected):
    assert render(pattern, Listed(*values)) == expected


def test_count_of_bytes_written_so_far():
    arguments = Listed(0x100)
    assert render(b"abc%nd", arguments) == b"abcd"
    assert arguments.stored == (0x100, 4, 3)


@pytest.mark.parametrize("pattern", [b"%k", b"end %", b"%Lf"])
def test_unknown_conversions_are_errors(pattern):
    with pytest.raises(SimError, match="printf"):
        render(pattern, Listed(1.0))


def test_a_pair_skips_a_register_and_what_follows_the_stack_stays_there():
    m = Machine(
        """
	.type	f,@function
f:
	{ allocframe(#24) }
	{ r1 = #1; r3:2 = combine(#1,#2); r4 = #4; r5 = #55 }
	{ r7:6 = combine(#3,#9) }
	{ memd(r29+#0) = r7:6; memw(r29+#8) = r4 }
	{ call printf }
	{ dealloc_return }
"""
    )
    written = m.run("f", [text(m, b"%d %lld %d %lld %d.")]).return_value
    assert m.output == b"1 4294967298 4 12884901897 4."
    assert written == len(m.output)


def test_registers_that_live_across_a_call_survive_a_callback():
    """The comparison function has a frame of its own and uses a saved register."""
    m = Machine(
        """
	.type	order,@function
order:
	{ allocframe(#8) }
	{ memd(r29+#0) = r17:16 }
	{ r16 = memw(r0+#0); r17 = memw(r1+#0) }
	{ r0 = sub(r17,r16) }
	{ r17:16 = memd(r29+#0) }
	{ dealloc_return }
	.type	f,@function
f:
	{ allocframe(#16) }
	{ memd(r29+#0) = r17:16; memw(r29+#8) = r1 }
	{ r16 = ##1000; r2 = #4; r3 = ##order }
	{ call qsort }
	{ r0 = memw(r29+#8) }
	{ r0 = add(r0,r16); r17:16 = memd(r29+#0) }
	{ dealloc_return }
"""
    )
    address = m.alloc_ddr(20)
    m.write(address, np.array([3, -1, 9, 0, 5], np.int32))
    assert m.run("f", [address, 5]).return_value & 0xFFFFFFFF == 1005
    assert m.read(address, np.int32, 5).tolist() == [9, 5, 3, 0, -1]


def test_a_fault_in_a_comparison_function_ends_the_run_with_its_message():
    order = "\t.type\tg,@function\ng:\n\t{ r1 = #16 }\n\t{ callr r1 }\n\t{ jumpr r31 }\n"
    m = Machine(CALL.format(name="qsort") + order)
    address = m.alloc_ddr(8)
    m.write(address, np.zeros(2, np.int32))
    with pytest.raises(SimError, match="no function"):
        m.run("f", [address, 2, 4, m.symbol("g")])


def test_exit_ends_the_program_from_inside_a_call():
    m = Machine(with_start("""
	.type	main,@function
main:
	{ allocframe(#0); r0 = #300 }
	{ call exit }
	{ r0 = #1; dealloc_return }
"""))  # fmt: skip
    assert m.run(ENTRY, [0, 0]).return_value == 300


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("strlen", (b"four",), 4),
        ("strcmp", (b"b", b"a\xff"), 1),
        ("memcmp", (b"ab\0c", b"ab\0d", 4), 0xFFFFFFFF_FFFFFFFF),
        ("strspn", (b"aab1", b"ab"), 3),
        ("atoi", (b" -17x",), 0xFFFFFFFF_FFFFFFEF),
        ("strtol", (b"0x7g", 0, 0), 7),
        ("strtoul", (b"-1", 0, 10), 0xFFFFFFFF),
        ("toupper", (ord("q"),), ord("Q")),
        ("isxdigit", (ord("g"),), 0),
        ("ispunct", (ord("_"),), 1),
        ("lround", (Arg64(struct.unpack("<Q", struct.pack("<d", -2.5))[0]),), 0xFFFFFFFF_FFFFFFFD),
        ("lrint", (Arg64(struct.unpack("<Q", struct.pack("<d", 2.5))[0]),), 2),
    ],
)
def test_results(name, arguments, expected):
    low = (1 << 32) - 1 if name in ("toupper", "isxdigit", "ispunct") else (1 << 64) - 1
    assert call(name, *arguments) & low == expected & low


def test_strtod_gives_the_bits_of_the_double():
    assert call("strtod", b" 0x1.8p-1 ", 0) == struct.unpack("<Q", struct.pack("<d", 0.75))[0]


def test_realloc_keeps_the_bytes_and_frees_the_old_place():
    m = machine("realloc")
    old = m.alloc_ddr(8)
    m.write(old, np.array([11, 22], np.int32))
    new = m.run("f", [old, 4000]).return_value & 0xFFFFFFFF
    assert m.read(new, np.int32, 2).tolist() == [11, 22]
    with pytest.raises(SimError, match="not an allocation"):
        m.run("f", [old, 8])


def test_the_stack_protector_has_its_word_and_its_end():
    m = Machine(with_start("""
	.type	main,@function
main:
	{ allocframe(#0); r0 = memw(##__stack_chk_guard) }
	{ p0 = cmp.eq(r0,#0); if (!p0.new) jump:t .LBB0_1 }
	{ dealloc_return }
.LBB0_1:
	{ call __stack_chk_fail }
"""))  # fmt: skip
    with pytest.raises(SimError, match="past an array"):
        m.run(ENTRY, [0, 0])


def test_a_string_in_the_null_page_is_an_error():
    with pytest.raises(SimError, match="outside memory"):
        machine("puts").run("f", [16])


def test_a_checked_run_reports_a_string_copied_past_its_buffer():
    m = machine("strcpy", check=True)
    source = text(m, b"x" * 100)
    target = m.alloc_ddr(8)
    reports = m.run("f", [target, source]).reports
    assert [report.rule.value for report in reports] == ["out-of-bounds"]


def test_a_longer_string_costs_a_cycle_per_byte_more():
    short, long = (machine("strlen") for _ in range(2))
    cost = [m.run("f", [text(m, b"x" * n)]).cycles for m, n in ((short, 10), (long, 50))]
    assert cost[1] - cost[0] == 40


def test_rand_repeats_after_a_reset():
    m = machine("rand")
    first = m.run("f").return_value
    assert m.run("f").return_value == first
    assert 0 <= first <= 0x7FFFFFFF
