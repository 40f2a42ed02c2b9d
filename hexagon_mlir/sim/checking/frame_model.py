"""The checks of stack frames as LLVM IR helpers of a checked build.

``FRAMES`` of the state record has the stack pointer at the entry of each function that runs, by call depth. Below the
stack pointer nothing is addressable. ``allocframe`` marks the two words it saves. Stores through sp or fp at or above
the stack pointer at entry are reported to `checking.frames`, and so are the returns of functions with such stores.
"""

from __future__ import annotations

from hexagon_mlir.sim import layout
from hexagon_mlir.sim.checking.check_model import ABOVE_CALLBACK, RETURN_CALLBACK, SIZE_SHIFT, code, word
from hexagon_mlir.sim.checking.rules import ADDRESSABLE, SAVED, Rule

PAIR_BYTES = 8
"""What allocframe stores."""


def _stack(stack_bytes: int) -> str:
    """@ck_lower and @ck_raise(st, old, new): the stack pointer moves; a move to another stack is left alone."""
    def moved(name: str, low: str, high: str, flags: int) -> str:
        return f"""
define internal void @{name}(ptr %st, i32 %old, i32 %new) noinline {{{word('shadow', layout.SHADOW, 'ptr')}\
{word('limit', layout.STACK_LIMIT)}
  %from = call i32 @llvm.umax.i32(i32 {low}, i32 %limit)
  %some = icmp ugt i32 {high}, %from
  %bytes = sub i32 {high}, %from
  %near = icmp ule i32 %bytes, {stack_bytes}
  %do = and i1 %some, %near
  br i1 %do, label %set, label %done
set:
  %wide = zext i32 %from to i64
  %p = getelementptr i8, ptr %shadow, i64 %wide
  %n = zext i32 %bytes to i64
  call void @llvm.memset.p0.i64(ptr %p, i8 {flags}, i64 %n, i1 false)
  br label %done
done:
  ret void
}}"""
    return ("declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)\ndeclare i32 @llvm.umax.i32(i32, i32)"
            + moved("ck_lower", "%new", "%old", ADDRESSABLE) + moved("ck_raise", "%old", "%new", 0))


_ENTRY = f"""{word('depth', layout.DEPTH)}{word('frames', layout.FRAMES, 'ptr')}
  %entry_p = getelementptr i32, ptr %frames, i32 %depth"""
_ENTER = f"""
define internal void @ck_enter(ptr %st, i32 %sp) {{{_ENTRY}
  store i32 %sp, ptr %entry_p
  ret void
}}"""
_SAVE = f"""
define internal void @ck_save(ptr %st, i32 %address) {{{word('shadow', layout.SHADOW, 'ptr')}
  %wide = zext i32 %address to i64
  %p = getelementptr i8, ptr %shadow, i64 %wide
  %flags = load <{PAIR_BYTES} x i8>, ptr %p, align 1
  %saved = or <{PAIR_BYTES} x i8> %flags, splat (i8 {SAVED})
  store <{PAIR_BYTES} x i8> %saved, ptr %p, align 1
  ret void
}}"""
_ABOVE = f"""
define internal void @ck_above(ptr %st, i32 %address, i32 %size, i32 %site) {{{_ENTRY}
  %entry = load i32, ptr %entry_p
  %end = add i32 %address, %size
  %above = icmp ugt i32 %end, %entry
  br i1 %above, label %report, label %done
report:
  %rule = shl i32 %size, {SIZE_SHIFT}
  call void @ck_tell(ptr %st, i32 %rule, i32 %address, i32 %site, i32 {ABOVE_CALLBACK})
  br label %done
done:
  ret void
}}"""
_RETURN = f"""
define internal void @ck_return(ptr %st, i32 %to, i32 %site) noinline {{{word('above', layout.ABOVE)}
  %some = icmp ne i32 %above, 0
  br i1 %some, label %tell, label %look
tell:{word('callback', layout.CALLBACK, 'ptr')}
  call void %callback(i32 {RETURN_CALLBACK})
  br label %look
look:
  %wrong = icmp ne i32 %to, {layout.RETURN_ADDRESS}
  br i1 %wrong, label %report, label %done
report:
  call void @ck_report(ptr %st, i32 {code(Rule.RETURN_ADDRESS, 0)}, i32 %to, i32 %site)
  br label %done
done:
  ret void
}}"""


def helpers(stack_bytes: int) -> str:
    """The helpers as IR text, for stacks of ``stack_bytes``."""
    return "\n".join((_stack(stack_bytes), _ENTER, _SAVE, _ABOVE, _RETURN))
