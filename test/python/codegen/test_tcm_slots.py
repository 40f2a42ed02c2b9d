"""Slots of the TCM arena are pointers that LLVM keeps apart: loads of one pass stores to the other."""

from hexagon_mlir import targets
from hexagon_mlir.codegen.backend import optimize_and_emit
from hexagon_mlir.codegen.rewrites.tcm_slots import separate_slots
from hexagon_mlir.llvmir import Module

SLOTS = """declare ptr @hexmlir_tcm_slot(i32)
declare void @use(ptr, ptr)
define void @f(i32 %arena, i32 %second) {
  %a = call ptr @hexmlir_tcm_slot(i32 %arena)
  %b = call noalias ptr @hexmlir_tcm_slot(i32 %second)
  call void @use(ptr %a, ptr %b)
  %x = load i32, ptr %a
  store i32 %x, ptr %b
  %y = load i32, ptr %a
  %c = getelementptr i8, ptr %b, i32 4
  store i32 %y, ptr %c
  call void @use(ptr %a, ptr %b)
  ret void
}
"""


def test_calls_become_empty_assembly():
    text = separate_slots(Module.parse(SLOTS)).text
    assert "hexmlir_tcm_slot" not in text
    assert text.count('call noalias ptr asm "", "=r,0"(i32 ') == 2


def test_the_second_load_is_known():
    target = targets.get()
    optimized = optimize_and_emit(SLOTS, target.cpu, target.features, "llvm").decode()
    assert optimized.count("load i32") == 1
    assert optimized.count("store i32") == 2


def test_other_functions_are_left_alone():
    module = Module.parse(SLOTS.replace("hexmlir_tcm_slot", "other"))
    assert separate_slots(module) is module
