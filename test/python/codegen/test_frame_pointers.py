"""Pointers in frames of forks: conversions, which cost nothing."""

from hexagon_mlir import targets
from hexagon_mlir.codegen.backend import optimize_and_emit
from hexagon_mlir.codegen.rewrites.frame_pointers import frame_pointers
from hexagon_mlir.llvmir import Module

LOADED = """declare ptr @hexmlir_frame_pointer(i32)
declare void @use(ptr, i32)
define void @f(ptr %frame) {
  %a = load i32, ptr %frame
  %p = call ptr @hexmlir_frame_pointer(i32 %a)
  call void @use(ptr %p, i32 %a)
  ret void
}
"""


def test_calls_become_conversions():
    text = frame_pointers(Module.parse(LOADED)).text
    assert "hexmlir_frame_pointer" not in text
    assert "%p = inttoptr i32 %a to ptr" in text


def test_the_code_has_no_other_call():
    target = targets.get()
    asm = optimize_and_emit(LOADED, target.cpu, target.features, "asm").decode()
    assert "use" in asm and "frame_pointer" not in asm


def test_other_functions_are_left_alone():
    module = Module.parse(LOADED.replace("hexmlir_frame_pointer", "other"))
    assert frame_pointers(module) is module
