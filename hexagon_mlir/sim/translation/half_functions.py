"""Conversions of f16 that LLVM calls by name where the CPU has no instruction for them, as LLVM IR.

CPUs with F16C convert f32 by an instruction, but f64 only those with AVX512-FP16; libgcc has the functions from version
12 on.
"""

from __future__ import annotations

NAMES = frozenset({"__truncdfhf2", "__truncsfhf2", "__extendhfsf2"})
LLVM_IR = """
define weak_odr half @__truncdfhf2(double %x) {
  %bits = bitcast double %x to i64
  %size = and i64 %bits, 9223372036854775807
  ; normal: the exponent's bias is 1008 less; half a unit, less where that is even, rounds to nearest even
  %field = sub i64 %size, 4539628424389459968
  %unit = lshr i64 %size, 42
  %odd = and i64 %unit, 1
  %most = add i64 %odd, 2199023255551
  %sum = add i64 %field, %most
  %normal = lshr i64 %sum, 42
  ; denormal: beside 2^28 the last bit of a double is worth 2^-24
  %magnitude = bitcast i64 %size to double
  %raised = fadd double %magnitude, 0x41B0000000000000
  %shown = bitcast double %raised to i64
  %denormal = and i64 %shown, 65535
  %payload = and i64 %unit, 1023
  %nan = or i64 %payload, 32256
  %is-tiny = icmp ult i64 %size, 4544132024016830464
  %is-large = icmp uge i64 %size, 4679237813814689792
  %is-nan = icmp ugt i64 %size, 9218868437227405312
  %finite = select i1 %is-tiny, i64 %denormal, i64 %normal
  %number = select i1 %is-large, i64 31744, i64 %finite
  %any = select i1 %is-nan, i64 %nan, i64 %number
  %top = lshr i64 %bits, 48
  %sign = and i64 %top, 32768
  %signed = or i64 %any, %sign
  %short = trunc i64 %signed to i16
  %r = bitcast i16 %short to half
  ret half %r
}

define weak_odr half @__truncsfhf2(float %x) {
  %wide = fpext float %x to double
  %r = call half @__truncdfhf2(double %wide)
  ret half %r
}

define weak_odr float @__extendhfsf2(half %x) {
  %short = bitcast half %x to i16
  %bits = zext i16 %short to i32
  %size = and i32 %bits, 32767
  %moved = shl i32 %size, 13
  %normal = add i32 %moved, 939524096
  %special = add i32 %moved, 1879048192
  %quiet = or i32 %special, 4194304
  %count = uitofp i32 %size to float
  %scaled = fmul float %count, 0x3E70000000000000
  %denormal = bitcast float %scaled to i32
  %is-tiny = icmp ult i32 %size, 1024
  %is-special = icmp uge i32 %size, 31744
  %is-nan = icmp ugt i32 %size, 31744
  %finite = select i1 %is-tiny, i32 %denormal, i32 %normal
  %large = select i1 %is-nan, i32 %quiet, i32 %special
  %any = select i1 %is-special, i32 %large, i32 %finite
  %top = and i32 %bits, 32768
  %sign = shl i32 %top, 16
  %signed = or i32 %any, %sign
  %r = bitcast i32 %signed to float
  ret float %r
}
"""
