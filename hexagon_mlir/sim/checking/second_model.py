"""The LLVM IR helpers of `translation.second_values` in a checked build."""

from __future__ import annotations

from hexagon_mlir.sim import layout
from hexagon_mlir.sim.checking.check_model import STORED_CALLBACK, USED_CALLBACK, word
from hexagon_mlir.sim.checking.rules import INITIALISED

_WIDEST = 8
"""Bytes of the widest scalar access."""


def helpers(vector_bytes: int) -> str:
    """The helpers as IR text.

    ``ck_undefined`` returns the undefined bytes of a load as a mask. ``ck_store_undefined`` marks the bytes of a mask
    that a store has made undefined; both exist for scalars. ``ck_used`` reports a use of such bytes. ``ck_some`` is
    whether a vector has a bit set, ``ck_second`` a second value where there is an origin.
    """
    words = f"<{vector_bytes // 4} x i32>"
    return "\n".join((_access("", vector_bytes, words), _access("_scalar", _WIDEST, "i64"), f"""
define internal void @ck_used(ptr %st, i32 %origin, i32 %site) noinline {{
  call void @ck_tell(ptr %st, i32 %origin, i32 0, i32 %site, i32 {USED_CALLBACK})
  ret void
}}
declare i32 @llvm.vector.reduce.or.v{vector_bytes // 4}i32({words})
define internal i1 @ck_some({words} %bits) noinline {{
  %all = call i32 @llvm.vector.reduce.or.v{vector_bytes // 4}i32({words} %bits)
  %some = icmp ne i32 %all, 0
  ret i1 %some
}}
define internal {words} @ck_second(i32 %origin, {words} %second, {words} %plain) noinline {{
  %some = icmp ne i32 %origin, 0
  %value = select i1 %some, {words} %second, {words} %plain
  ret {words} %value
}}"""))


def _access(suffix: str, size: int, mask: str) -> str:
    """The helpers for loads and stores of up to ``size`` bytes, with masks of type ``mask``."""
    v, bits = f"<{size} x i8>", f"<{size} x i1>"
    arguments = "ptr %st, i32 %address, i32 %site"
    flags = f"""{word('shadow', layout.SHADOW, 'ptr')}
  %wide = zext i32 %address to i64
  %p = getelementptr i8, ptr %shadow, i64 %wide
  %flags = load {v}, ptr %p, align 1"""
    return f"""
define internal {mask} @ck_undefined{suffix}({arguments}) noinline {{{flags}{word('loads', layout.LOADS, 'ptr')}
  %last = getelementptr i32, ptr %loads, i32 %site
  store i32 %address, ptr %last
  %set = and {v} %flags, splat (i8 {INITIALISED})
  %without = icmp eq {v} %set, zeroinitializer
  %bytes = sext {bits} %without to {v}
  %mask = bitcast {v} %bytes to {mask}
  ret {mask} %mask
}}
define internal void @ck_store_undefined{suffix}({arguments}, {mask} %mask, i32 %origin) noinline {{{flags}
  %bytes = bitcast {mask} %mask to {v}
  %without = icmp ne {v} %bytes, zeroinitializer
  %some = call i1 @llvm.vector.reduce.or.v{size}i1({bits} %without)
  br i1 %some, label %mark, label %done
mark:
  %cleared = and {v} %flags, splat (i8 {~INITIALISED & 0xFF})
  %new = select {bits} %without, {v} %cleared, {v} %flags
  store {v} %new, ptr %p, align 1
  %in_stacks = sub i32 %address, {layout.STACK_BASE}
  %stack = icmp ult i32 %in_stacks, {layout.DDR_BASE - layout.STACK_BASE}
  br i1 %stack, label %done, label %tell
tell:
  call void @ck_tell(ptr %st, i32 %origin, i32 %address, i32 %site, i32 {STORED_CALLBACK})
  br label %done
done:
  ret void
}}"""
