"""Quick code calls one function for each HVX form: it is compiled once, kept on disk, and made again when gone."""

import platform
import re
import struct

import numpy as np
import pytest

from hexagon_mlir import disk_cache, targets
from hexagon_mlir.sim import Arithmetic, Machine
from hexagon_mlir.sim.translation import cached, form_functions, host
from hexagon_mlir.sim.translation.shared_code import SharedCode
from hexagon_mlir.sim.translation.translate import translate

V75 = targets.get("v75")


def program(*lines):
    return "\t.text\n\t.type\tf,@function\nf:\n" + "".join(f"\t{{ {line} }}\n" for line in (*lines, "jumpr r31"))


def called(*lines, quick=True):
    """IR of a program and the names of the functions that it calls."""
    ir, made = translate(program(*lines), V75, False, quick=quick)
    return ir, set(made.forms)


@pytest.fixture
def empty_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("HEXAGON_MLIR_CACHE_DIR", str(tmp_path))
    cached.shared.cache_clear()
    yield
    cached.shared.cache_clear()


def test_a_form_is_one_function_in_all_programs():
    ir, first = called("v5:4 = vshuff(v2,v0,r7)", "v7:6 = vshuff(v4,v5,r6)")
    other, second = called("v1:0 = vshuff(v8,v9,r1)", "v5:4 = vdeal(v2,v0,r7)")
    (name,) = first
    assert name in second and len(second) == 2
    assert ir.count(f"ptr @{name}") == 1 and "<32 x i32>" not in ir  # an entry of the table of addresses
    assert other.count(f"@{name}") == 2  # the declaration and the entry


def test_moves_and_fast_code_have_no_calls():
    ir, names = called("v0 = v1", "v3:2 = vcombine(v0,v1)")
    assert len(names) == 1 and len(re.findall(r"call void %\w+\(", ir)) == 3  # copies
    assert called("v5:4 = vshuff(v2,v0,r7)", quick=False)[1] == set()


@pytest.mark.parametrize("line", [
    "v0.w = vadd(v1.w,v2.w)", "v0 = vmem(r0+#0)", "vmem(r0+#0) = v1", "v0.w += vrmpy(v1.ub,v2.b)", "v0 = vsplat(r1)",
    "q0 = vcmp.gt(v1.w,v2.w)", "if (q0) v0.w += v1.w", "if (!q0) vmem(r0+#0) = v1", "if (p0) v0 = v1",
    "v0.cur = vmem(r0+#0); v1.w = vadd(v0.w,v2.w)", "v0.w = vadd(v1.w,v2.w); vmem(r0+#0) = v0.new",
])
def test_quick_code_has_no_vectors(line):
    """One of them takes its whole block from LLVM's fast instruction selection."""
    assert "<32 x i32>" not in called(*line.split(" ;; "))[0]


def test_immediates_and_floats_are_the_functions():
    names = [called(f"v1.b = vlut32(v2.b,v3.b,#{number})")[1] for number in (1, 2)]
    assert len(names[0] | names[1]) == 2
    line = "v0.sf = vadd(v1.sf,v2.sf)"
    found = [translate(program(line), V75, False, quick=True, arithmetic=arithmetic)[1].forms
             for arithmetic in (Arithmetic.CHIP, Arithmetic.IEEE)]
    (chip,), (ieee,) = (each.values() for each in found)
    assert chip != ieee


def test_a_routine_is_in_the_function_that_calls_it():
    ir, made = translate(program("v0.qf32 = vmpy(v1.sf,v2.sf)"), V75, False, quick=True)
    (function,) = made.forms.values()
    assert "define internal <32 x i32> @qf_" in function and "@qf_" not in ir and not made.routines


def relocations(code):
    """The types of an ELF object's relocations."""
    section_offset, = struct.unpack_from("<Q", code, 40)
    size, count = struct.unpack_from("<HH", code, 58)
    for number in range(count):
        _, kind, _, _, offset, nbytes, *_ = struct.unpack_from("<IIQQQQIIQQ", code, section_offset + number * size)
        if kind == 4:  # SHT_RELA
            yield from (struct.unpack_from("<QQq", code, at)[1] & 0xFFFFFFFF
                        for at in range(offset, offset + nbytes, 24))


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the numbers of its relocations")
@pytest.mark.parametrize("level", [host.QUICK, host.FAST])
@pytest.mark.parametrize("check", [False, True])
def test_code_may_be_far_from_all_it_refers_to(level, check):
    """Guest memories of gigabytes lie between: an address of 32 bits would end the process when code is loaded."""
    text = program("v0 = vmem(r0+#0)", "if (p0) v0.w = vadd(v0.w,v1.w)", "v2 = vsplat(r1)", "if (q0) vmem(r0+#1) = v2",
                   "r0 = memw(r1+#0)", "if (p0) jump:nt .LL") + ".LL:\n\t{ call memcpy }\n\t{ jumpr r31 }\n"
    ir, made = translate(text, V75, True, check, quick=level == host.QUICK)
    codes = [host.compile_object(ir, level), *map(host.compile_object, made.forms.values())]
    near = {2, 3, 4, 9, 10, 11, 41, 42}  # PC32, GOT32, PLT32, GOTPCREL, 32, 32S, GOTPCRELX, REX_GOTPCRELX
    found = [set(relocations(code)) for code in codes]
    assert found[0] and not near & set().union(*found)


def test_functions_on_the_disk(empty_cache, monkeypatch):
    """Another process finds the function there; without it the program is translated again."""
    text = program("v5:4 = vshuff(v2,v0,r7)")
    (name,) = cached.obtain(text, V75).forms
    assert disk_cache.load("sim", name)
    cached.shared.cache_clear()
    assert cached.obtain(text, V75).forms == {name: ""}
    (disk_cache.folder() / "sim" / name).unlink()
    cached.shared.cache_clear()
    again = cached.obtain(text, V75)
    assert form_functions.PREFIX in again.forms[name] and disk_cache.load("sim", name)


def test_provide():
    """What is stored is not compiled; what is neither stored nor given as IR is not there."""
    stored = {}
    code = SharedCode(stored.get, stored.__setitem__)
    assert not code.provide({"form_of_this_test": ""})
    assert code.provide({"form_of_this_test": "define i32 @form_of_this_test() {\n ret i32 7\n}"})
    assert list(stored) == ["form_of_this_test"]
    assert SharedCode(stored.get, stored.__setitem__).provide({"form_of_this_test": ""})


def test_what_a_call_gives():
    """vshuff with r7 = -2 interleaves halfwords of two vectors."""
    machine = Machine(program("r7 = #-2", "v0 = vmem(r0+#0)", "v1 = vmem(r0+#1)", "v3:2 = vshuff(v1,v0,r7)",
                              "vmem(r0+#0) = v2", "vmem(r0+#1) = v3"))
    address = machine.alloc_ddr(256)
    halves = machine.view(address, 256).view("uint16")
    halves[:] = range(128)
    machine.run("f", [address])
    expected = [number // 2 + 64 * (number % 2) for number in range(128)]
    assert machine.view(address, 256).view("uint16").tolist() == expected


@pytest.mark.parametrize("packet, expected", [
    ("v0 = v1; v1 = v0", (2, 1, 3)),
    ("v0 = v1; v1.w = vadd(v2.w,v2.w)", (2, 6, 3)),
    ("v1.w = vadd(v2.w,v2.w); v0 = v1", (2, 6, 3)),
    ("v0.w = vadd(v0.w,v1.w); v1.w = vadd(v0.w,v0.w)", (3, 2, 3)),
    ("v1:0 = vcombine(v0,v1)", (2, 1, 3)),
    ("if (p0) v0 = v1; v1 = v2", (1, 3, 3)),
    ("if (!p0) v0 = v1; v1 = v0", (2, 1, 3)),
    ("v2.w = vadd(v0.w,v1.w); vmem(r0+#3) = v2.new; v0 = v2", (3, 2, 3)),
    ("v2.w = vadd(v0.w,v1.w); vmem(r0+#3) = v2", (1, 2, 3)),
    ("v2.cur = vmem(r0+#0); v0.w = vadd(v2.w,v2.w)", (2, 2, 1)),
    ("v2.tmp = vmem(r0+#0); v0.w = vadd(v2.w,v2.w)", (2, 2, 3)),
    ("v0 = v1; v1 = vmem(r0+#0)", (2, 1, 3)),
])
def test_registers_are_read_before_they_are_written(packet, expected):
    """In every word of three vectors of 1, 2 and 3; p0 is false."""
    machine = Machine(program("p0 = cmp.eq(r0,#0)", "v0 = vmem(r0+#0)", "v1 = vmem(r0+#1)", "v2 = vmem(r0+#2)", packet,
                              "vmem(r0+#0) = v0", "vmem(r0+#1) = v1", "vmem(r0+#2) = v2"))
    address = machine.alloc_ddr(512)
    words = machine.view(address, 512).view("uint32").reshape(4, 32)
    words[:] = [[1], [2], [3], [0]]
    machine.run("f", [address])
    found = machine.view(address, 512).view("uint32").reshape(4, 32)
    expected = [*expected, (3 if "v2.new" in packet or "vmem(r0+#3) = v2" in packet else 0)]
    assert (found == [[number] for number in expected]).all(), found[:, 0]


def test_programs_of_two_arithmetics_in_one_process():
    """Functions with the routines of one do not serve the other: qf32 of v75 keeps other bits than IEEE."""
    text = program("v0 = vmem(r0+#0)", "v0.qf32 = vmpy(v0.sf,v0.sf)", "v0.sf = v0.qf32", "vmem(r0+#0) = v0")
    results = []
    for arithmetic in (Arithmetic.CHIP, Arithmetic.IEEE, Arithmetic.CHIP):
        machine = Machine(text, "v75", arithmetic=arithmetic)
        address = machine.alloc_ddr(128)
        machine.view(address, 128).view("float32")[:] = 1 + 2.0**-12 * range_of(32)
        machine.run("f", [address])
        results.append(machine.view(address, 128).view("uint32").tolist())
    assert results[0] == results[2] and results[0] != results[1]


def range_of(count):
    """0, 1, ... as floats."""
    return np.arange(count, dtype=np.float32)
