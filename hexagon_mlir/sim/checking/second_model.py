"""What `translation.second_values` calls, as LLVM IR helpers of a checked build."""

from __future__ import annotations

from hexagon_mlir.sim import layout
from hexagon_mlir.sim.checking.check_model import STORED_CALLBACK, USED_CALLBACK, word
from hexagon_mlir.sim.checking.rules import INITIALISED


def helpers(vector_bytes: int) -> str:
    """The helpers as IR text.

    ``ck_undefined`` gives the bytes of a vector load without a value as a mask. ``ck_store_undefined`` marks bytes that a
    store has left without a value. ``ck_used`` tells that a result differs by such bytes.
    """
    v, words, bits = f"<{vector_bytes} x i8>", f"<{vector_bytes // 4} x i32>", f"<{vector_bytes} x i1>"
    flags = f"""{word('shadow', layout.SHADOW, 'ptr')}
  %wide = zext i32 %address to i64
  %p = getelementptr i8, ptr %shadow, i64 %wide
  %flags = load {v}, ptr %p, align 1"""
    scalar = flags.replace(v, "<8 x i8>")
    return f"""
define internal {words} @ck_undefined(ptr %st, i32 %address, i32 %site) noinline {{{flags}{word('loads', layout.LOADS, 'ptr')}
  %last = getelementptr i32, ptr %loads, i32 %site
  store i32 %address, ptr %last
  %set = and {v} %flags, splat (i8 {INITIALISED})
  %without = icmp eq {v} %set, zeroinitializer
  %bytes = sext {bits} %without to {v}
  %mask = bitcast {v} %bytes to {words}
  ret {words} %mask
}}
define internal void @ck_store_undefined(ptr %st, i32 %address, i32 %site, {words} %mask, i32 %origin) noinline {{{flags}
  %bytes = bitcast {words} %mask to {v}
  %without = icmp ne {v} %bytes, zeroinitializer
  %some = call i1 @llvm.vector.reduce.or.v{vector_bytes}i1({bits} %without)
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
}}
define internal i64 @ck_undefined_scalar(ptr %st, i32 %address, i32 %site) noinline {{{scalar}{word('loads', layout.LOADS, 'ptr')}
  %last = getelementptr i32, ptr %loads, i32 %site
  store i32 %address, ptr %last
  %set = and <8 x i8> %flags, splat (i8 {INITIALISED})
  %without = icmp eq <8 x i8> %set, zeroinitializer
  %bytes = sext <8 x i1> %without to <8 x i8>
  %mask = bitcast <8 x i8> %bytes to i64
  ret i64 %mask
}}
define internal void @ck_store_undefined_scalar(ptr %st, i32 %address, i32 %site, i32 %size, i64 %mask, i32 %origin) \
noinline {{{scalar}
  %bytes = bitcast i64 %mask to <8 x i8>
  %without = icmp ne <8 x i8> %bytes, zeroinitializer
  %some = icmp ne i64 %mask, 0
  br i1 %some, label %mark, label %done
mark:
  %cleared = and <8 x i8> %flags, splat (i8 {~INITIALISED & 0xFF})
  %new = select <8 x i1> %without, <8 x i8> %cleared, <8 x i8> %flags
  store <8 x i8> %new, ptr %p, align 1
  %in_stacks = sub i32 %address, {layout.STACK_BASE}
  %stack = icmp ult i32 %in_stacks, {layout.DDR_BASE - layout.STACK_BASE}
  br i1 %stack, label %done, label %tell
tell:
  call void @ck_tell(ptr %st, i32 %origin, i32 %address, i32 %site, i32 {STORED_CALLBACK})
  br label %done
done:
  ret void
}}
define internal i1 @ck_some({words} %bits) noinline {{
  %all = call i32 @llvm.vector.reduce.or.v{vector_bytes // 4}i32({words} %bits)
  %some = icmp ne i32 %all, 0
  ret i1 %some
}}
declare i32 @llvm.vector.reduce.or.v{vector_bytes // 4}i32({words})
define internal {words} @ck_second(i32 %origin, {words} %second, {words} %plain) noinline {{
  %some = icmp ne i32 %origin, 0
  %value = select i1 %some, {words} %second, {words} %plain
  ret {words} %value
}}
define internal void @ck_used(ptr %st, i32 %origin, i32 %site) noinline {{
  call void @ck_tell(ptr %st, i32 %origin, i32 0, i32 %site, i32 {USED_CALLBACK})
  ret void
}}"""
