"""Quick code calls one function for each long HVX form: it is compiled once, kept on disk, and made again when gone."""

import pytest

from hexagon_mlir import disk_cache, targets
from hexagon_mlir.sim import Arithmetic, Machine
from hexagon_mlir.sim.translation import cached, form_functions
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
    assert ir.count(f"call {{ <32 x i32>, <32 x i32> }} @{name}(") == 2 and ir.count("shufflevector") == 0
    assert other.count(f"@{name}(") == 2  # the declaration and the call


def test_short_forms_and_fast_code_have_no_calls():
    assert called("v0.w = vadd(v1.w,v2.w)", "v3 = vand(v0,v1)")[1] == set()
    assert called("v5:4 = vshuff(v2,v0,r7)", quick=False)[1] == set()


@pytest.mark.parametrize("line", ["v0.h = vshuff(v1.h)", "v0.b = vdeal(v1.b)"])
def test_a_wide_shuffle_alone_is_worth_a_call(line):
    ir, made = translate(program(line), V75, False, quick=True)
    (function,) = made.forms.values()
    assert "shufflevector" in function and "shufflevector" not in ir


def test_immediates_and_floats_are_the_functions():
    names = [called(f"v1.b = vlut32(v2.b,v3.b,#{number})")[1] for number in (1, 2)]
    assert len(names[0] | names[1]) == 2
    line = "v0.sf = vadd(v1.sf,v2.sf)"
    found = [translate(program(line), V75, False, quick=True, arithmetic=arithmetic)[1].forms
             for arithmetic in (Arithmetic.CHIP, Arithmetic.IEEE)]
    assert len(found[0]) == 1 and found[1] == {}


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
