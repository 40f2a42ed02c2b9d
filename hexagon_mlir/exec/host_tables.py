"""Gathers on this machine, lane by lane: instructions on the target."""

from __future__ import annotations

from hexagon_mlir.llvmir import Module
from hexagon_mlir.llvmir.types import vector_type

_DONE = "@hexmlir_gather_done"


def define_gathers(llvm_ir: str) -> str:
    """``llvm_ir`` with a body for each gather function it declares."""
    if "@hexmlir_gather_" not in llvm_ir:
        return llvm_ir
    module = Module.parse(llvm_ir)
    names = sorted(name for name in module.declared if name.startswith("@hexmlir_gather_"))
    bodies = []
    for name in names:
        offsets = None if name == _DONE else vector_type(module.parameters(name)[3])
        bodies.append(_body(name, offsets[0], int(offsets[1][1:])) if offsets else
                      f"define void {name}(i64 %place) {{\n  ret void\n}}")
    return "\n".join([module.without_declarations(names).text, *bodies, ""])


def _body(name: str, lanes: int, bits: int) -> str:
    """A loop over the valid lanes; elements with offsets beyond ``last`` are not changed, as on the machine."""
    return f"""define void {name}(i64 %to, i64 %table, i32 %last, <{lanes} x i{bits}> %offsets, i32 %valid) {{
entry:
  %some = icmp ne i32 %valid, 0
  br i1 %some, label %loop, label %done
loop:
  %lane = phi i32 [ 0, %entry ], [ %next, %rest ]
  %narrow = extractelement <{lanes} x i{bits}> %offsets, i32 %lane
  %offset = {"bitcast i32 %narrow to i32" if bits == 32 else f"zext i{bits} %narrow to i32"}
  %inside = icmp ule i32 %offset, %last
  br i1 %inside, label %move, label %rest
move:
  %far = zext i32 %offset to i64
  %from = add i64 %table, %far
  %source = inttoptr i64 %from to ptr
  %element = load i{bits}, ptr %source, align 1
  %wide = zext i32 %lane to i64
  %step = mul i64 %wide, {bits // 8}
  %at = add i64 %to, %step
  %target = inttoptr i64 %at to ptr
  store i{bits} %element, ptr %target, align 1
  br label %rest
rest:
  %next = add i32 %lane, 1
  %more = icmp ult i32 %next, %valid
  br i1 %more, label %loop, label %done
done:
  ret void
}}"""
