"""The table of forms: rows read as they say, and HVX's as clang's header has them."""

from dataclasses import replace

import pytest
from isa.clang_header import entries

from hexagon_mlir.isa.decode import FormError, decode_one
from hexagon_mlir.isa.form import BY_INTRINSIC, FORMS, Form, read, table
from hexagon_mlir.isa.unit import Unit
from hexagon_mlir.sim.semantics.tables import SEMANTICS

ELSEWHERE = ("vmem", "vgather", "vscatter", "V=hi", "V=lo", "=#0")
"""Entries of the header whose forms the decoder takes apart itself, or that are other names of registers."""
WITHOUT_FORM = {"V.f8=V.qf16", "VV.qf16=V.f8", "V.w=vdmpy(VV.h,R.uh,#1):sat", "V.w+=vdmpy(VV.h,R.uh,#1):sat"}
"""qf16 of 8-bit floats, whose bias the sources contradict; ``#1`` of the others is written as an immediate."""


@pytest.mark.parametrize(("row", "form"), [
    ("alu R=add(R,I)", Form("R=add(R,I)", Unit.ALU, ("R",), ("R", "I"))),
    ("va VV.h+=vadd(V.ub,V.ub) V6.vaddubh.acc",
     Form("VV.h+=vadd(V.ub,V.ub)", Unit.VA, ("VV",), ("V", "V"), True, intrinsics=("V6.vaddubh.acc",))),
    ("tc2 R=insert(R,RR) reads-destination", Form("R=insert(R,RR)", Unit.TC2, ("R",), ("R", "RR"), True)),
    ("vp vshuff(V,V,R) updates=0,1", Form("vshuff(V,V,R)", Unit.VP, (), ("V", "V", "R"), updates=(0, 1))),
    ("tc2 RR=decbin(RR,RR) writes=P0", Form("RR=decbin(RR,RR)", Unit.TC2, ("RR",), ("RR", "RR"), implicit=(("P", 0),))),
    ("vs V.qf32=vadd(V.qf32,V.sf) v68",
     Form("V.qf32=vadd(V.qf32,V.sf)", Unit.VS, ("V",), ("V", "V"), extended=(True, False), since=68)),
])
def test_rows(row, form):
    assert read(row) == form


@pytest.mark.parametrize(("row", "message"), [
    ("alu add(R,I)", "no assignment"), ("alu R=R v73 reads", "unknown marks"), ("elsewhere R=R", "elsewhere")])
def test_rows_that_are_none(row, message):
    with pytest.raises(ValueError, match=message):
        read(row)


def test_a_form_stands_once():
    with pytest.raises(ValueError, match="entered twice: R=R"):
        table(["alu R=R", "alu  R=R"])


def test_every_form_has_semantics():
    assert set(SEMANTICS) == set(FORMS)


def test_units_and_intrinsics_are_those_of_the_header():
    found = entries()
    if found is None:
        pytest.skip("clang's header comes with ziglang, which is not installed")
    assert len(found) > 500
    wanted = [entry for entry in found if not any(word in entry[0] for word in ELSEWHERE)]
    assert {form for form, _, _ in wanted} - set(FORMS) <= WITHOUT_FORM
    assert [(form, unit, FORMS[form].unit.value) for form, unit, _ in wanted
            if form in FORMS and FORMS[form].unit.value != unit] == []
    assert [(form, name) for form, _, name in wanted
            if form in FORMS and BY_INTRINSIC.get(name) is not FORMS[form]] == []


def test_equal_instructions_have_lines_of_their_own():
    """Of a text that was decoded before; and so have the errors of one that never is."""
    first, second = decode_one(3, "r0 = add(r1,#4)"), decode_one(7, "r0 = add(r1,#4)")
    assert (first.line, second.line) == (3, 7) and first == replace(second, line=3)
    for line in (5, 9):
        for text in ("r0 = nothing(r1)", "r0 = add(r1,#" + "0" * 300 + "x)"):
            with pytest.raises(FormError) as caught:
                decode_one(line, text)
            assert caught.value.line == line and caught.value.text == text
