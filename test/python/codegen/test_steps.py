"""The steps from LLVM IR to assembly: named, listed with their reasons, traced without changing what comes out."""

import pytest

from hexagon_mlir import targets
from hexagon_mlir.codegen import emit, steps
from hexagon_mlir.codegen.emission import traced
from hexagon_mlir.codegen.llvm import Library
from hexagon_mlir.codegen.steps import AFTER_O3, BEFORE_O3, BY_VARIANT, CODEGEN, O3, ON_ASSEMBLY, Program, apply
from hexagon_mlir.llvmir import Module
from hexagon_mlir.settings import Settings

ALL = (*BEFORE_O3, O3, *AFTER_O3, *BY_VARIANT)
IR = """define void @f(ptr %p, ptr %q, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr float, ptr %p, i32 %i
  %to = getelementptr float, ptr %q, i32 %i
  %x = load <64 x float>, ptr %at, align 128
  %y = fmul <64 x float> %x, %x
  store <64 x float> %y, ptr %to, align 128
  %next = add i32 %i, 64
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}
"""


def program(text=IR, chip="v75", **options):
    target = targets.get(chip)
    return Program(Module.parse(text), Library(target.cpu, target.features, "static", "kept"), **options)


def test_every_step_and_check_is_listed_with_its_reason():
    listed = [entry for _, entries in steps.listing() for entry in entries]
    assert [name for name, _ in listed] == [*(step.name for step in ALL), CODEGEN[0],
                                            *(check.name for check in ON_ASSEMBLY)]
    assert len({name for name, _ in listed}) == len(listed) and all(why for _, why in listed)


def test_a_trace_has_the_steps_that_ran_and_what_they_changed():
    trace = []
    done = apply(BEFORE_O3, program(), trace)
    assert [made.step for made in trace] == [step.name for step in BEFORE_O3]
    assert [made.step for made in trace if made.text] == ["normal-form", "native-vectors"]
    assert trace[-2].text == done.text and "@llvm.hexagon.V6.vmpy.qf32.sf.128B" in done.text


@pytest.mark.parametrize(("options", "left_out"), [
    ({"native": False}, {"normal-form", "small-integers-as-conversions", "native-vectors", "lane-exchanges"}),
    ({"chip": "v68"}, {"small-integers-as-conversions"})])
def test_steps_that_a_program_does_not_want(options, left_out):
    trace = []
    apply(BEFORE_O3, program(**options), trace)
    assert {step.name for step in BEFORE_O3} - {made.step for made in trace} == left_out


def test_traced_assembly_is_the_same():
    asm, trace = traced(IR, targets.get(), "default", Settings())
    assert asm == emit(IR, targets.get())
    assert {made.step for made in trace} >= {"native-vectors", "llvm-o3", "loop-order", "llvm-codegen"}
    assert [made.text for made in trace if made.step == CODEGEN[0]] == [asm]
