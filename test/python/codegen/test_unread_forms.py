"""Code generation says when LLVM IR has a form that no rewrite understands."""

import pytest

from hexagon_mlir import targets
from hexagon_mlir.codegen.compile import note_remarks
from hexagon_mlir.codegen.emission import emit, traced
from hexagon_mlir.isa.remarks import remarks_of, with_remarks
from hexagon_mlir.llvmir import reader
from hexagon_mlir.pass_infra import PassContext
from hexagon_mlir.pipelines import DEFAULT_SETTINGS

IR = """define void @f(ptr %p, ptr %q) {
  %x = load <32 x float>, ptr %p, align 128
  %y = fadd <32 x float> %x, %x
  store <32 x float> %y, ptr %q, align 128
  ret void
}
define void @strange(ptr %p) {
  call void @g(ptr %p)
  ret void
}
declare void @g(ptr)
"""


def test_what_is_understood_has_no_remark():
    asm = emit(IR, targets.get())
    assert remarks_of(asm) == []


def test_a_form_that_nobody_knows_is_a_remark_of_the_compilation(monkeypatch):
    from hexagon_mlir.codegen import backend

    chip = targets.get()

    def unknown(found, rest):
        raise ValueError

    monkeypatch.setitem(reader._READERS, "load", unknown)
    reader.parse_line.cache_clear()
    reader._form.cache_clear()
    try:
        asm = backend.optimize_and_emit(IR, chip.cpu, chip.features, "asm").decode()
    finally:
        reader.parse_line.cache_clear()
        reader._form.cache_clear()
    remark, after = remarks_of(asm)  # before -O3 and after it
    assert all(text.startswith("@f: no rewrite sees what '%") for text in (remark, after))
    assert "= load <32 x float>, ptr %" in remark
    context = PassContext(chip)
    note_remarks(asm, context)
    assert [str(entry) for entry in context.log.entries] == [f"hexmlir: remark: llvm-codegen: {text}"
                                                          for text in (remark, after)]


def test_remarks_are_comments_that_are_found_again():
    asm = emit(IR, targets.get())
    assert remarks_of(with_remarks(asm, ["a", "b"]) + with_remarks(asm, ["b"])) == ["a", "b"]
    assert with_remarks(asm, []) == asm


@pytest.mark.parametrize("kind", ["asm", "traced"])
def test_both_ways_say_the_same(kind):
    asm = emit(IR, targets.get()) if kind == "asm" else traced(IR, targets.get(), "default", DEFAULT_SETTINGS)[0]
    assert "vadd" in asm and remarks_of(asm) == []
