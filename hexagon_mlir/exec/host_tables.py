"""Gathers and look-ups of tables on this machine, lane by lane: instructions on the target."""

from __future__ import annotations

import re

_DECLARED = re.compile(r"^declare void @(hexmlir_gather_\w+)\(i64, i64, i32, <(\d+) x i(\d+)>, i32\).*$", re.MULTILINE)

_LOOKUP = re.compile(r"^declare <(\d+) x i(\d+)> @(hexmlir_look_up_\w+)\(<(\d+) x i\d+>, <\d+ x i8>\).*$", re.MULTILINE)


def define_lookups(llvm_ir: str) -> str:
    """``llvm_ir`` with a body for each look-up function of `hexagon-vectorization` it declares."""
    return _LOOKUP.sub(lambda match: _lookup(match[3], int(match[1]), int(match[2]), int(match[4])), llvm_ir)


def _lookup(name: str, lanes: int, bits: int, entries: int) -> str:
    """A loop over the lanes; an index behind the table's end gives zero, as on the machine."""
    table, found = f"<{entries} x i{bits}>", f"<{lanes} x i{bits}>"
    return f"""define {found} @{name}({table} %table, <{lanes} x i8> %indices) {{
entry:
  br label %loop
loop:
  %lane = phi i32 [ 0, %entry ], [ %next, %loop ]
  %old = phi {found} [ zeroinitializer, %entry ], [ %new, %loop ]
  %narrow = extractelement <{lanes} x i8> %indices, i32 %lane
  %index = zext i8 %narrow to i32
  %inside = icmp ult i32 %index, {entries}
  %place = select i1 %inside, i32 %index, i32 0
  %there = extractelement {table} %table, i32 %place
  %element = select i1 %inside, i{bits} %there, i{bits} 0
  %new = insertelement {found} %old, i{bits} %element, i32 %lane
  %next = add i32 %lane, 1
  %more = icmp ult i32 %next, {lanes}
  br i1 %more, label %loop, label %done
done:
  ret {found} %new
}}"""


def define_gathers(llvm_ir: str) -> str:
    """``llvm_ir`` with a body for each gather function it declares."""
    llvm_ir = llvm_ir.replace("declare void @hexmlir_gather_done(i64)",
                              "define void @hexmlir_gather_done(i64 %place) {\n  ret void\n}")
    return _DECLARED.sub(lambda match: _body(match[1], int(match[2]), int(match[3])), llvm_ir)


def _body(name: str, lanes: int, bits: int) -> str:
    """A loop over the valid lanes; offsets behind ``last`` leave their element alone, as the machine does."""
    return f"""define void @{name}(i64 %to, i64 %table, i32 %last, <{lanes} x i{bits}> %offsets, i32 %valid) {{
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
