"""LLVM IR to Hexagon assembly in process, and the IR of small kernels."""

import functools

from hexagon_mlir import targets
from hexagon_mlir.sim.translation import host

TRIPLE = "hexagon-unknown-linux-musl"


@functools.cache
def assembly(ir, target="v75", unroll=False):
    """Assembly of ``ir`` through LLVM's -O3 pipeline."""
    llvm = host.binding()
    chip = targets.get(target)
    machine = llvm.Target.from_triple(TRIPLE).create_target_machine(
        cpu=chip.cpu, features=chip.features, opt=3)
    module = llvm.parse_assembly(ir)
    module.triple = TRIPLE
    module.data_layout = str(machine.target_data)
    options = llvm.create_pipeline_tuning_options(3)
    options.loop_unrolling = unroll
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    return machine.emit_assembly(module)


def loop(name, args, body, step="1"):
    """A counted loop over %i from 0 to %n in ``body`` (which may use the pointer arguments)."""
    return f"""
define void @{name}({args}, i32 %n) {{
entry:
  %some = icmp sgt i32 %n, 0
  br i1 %some, label %loop, label %done
loop:
  %i = phi i32 [0, %entry], [%next, %loop]
{body}
  %next = add nsw i32 %i, {step}
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}}
"""


def elementwise(name, element, lanes, expression, arguments="ab"):
    """o[i] = expression over vectors (or scalars, lanes = 1) %a and %b."""
    ty = element if lanes == 1 else f"<{lanes} x {element}>"
    size = {"float": 4, "i32": 4, "half": 2, "i16": 2, "i8": 1, "i64": 8, "double": 8}[element]
    loads = "".join(
        f"  %p{x} = getelementptr {ty}, ptr %{x}p, i32 %i\n"
        f"  %{x} = load {ty}, ptr %p{x}, align {size * lanes}\n"
        for x in arguments
    )
    body = (
        f"{loads}  %po = getelementptr {ty}, ptr %op, i32 %i\n"
        + expression.replace("T ", ty + " ").replace("T)", ty + ")")
        + f"\n  store {ty} %r, ptr %po, align {size * lanes}"
    )
    parameters = ", ".join(f"ptr noalias %{x}p" for x in arguments) + ", ptr noalias %op"
    return loop(name, parameters, body)


SAXPY = """
define void @saxpy(ptr noalias %x, ptr noalias %y, float %a, i32 %n) {
entry:
  %v0 = insertelement <32 x float> poison, float %a, i32 0
  %va = shufflevector <32 x float> %v0, <32 x float> poison, <32 x i32> zeroinitializer
  %whole = and i32 %n, -32
  %any = icmp sgt i32 %whole, 0
  br i1 %any, label %vector, label %tailcheck
vector:
  %i = phi i32 [0, %entry], [%inext, %vector]
  %px = getelementptr float, ptr %x, i32 %i
  %py = getelementptr float, ptr %y, i32 %i
  %vx = load <32 x float>, ptr %px, align 128
  %vy = load <32 x float>, ptr %py, align 128
  %m = fmul <32 x float> %vx, %va
  %s = fadd <32 x float> %m, %vy
  store <32 x float> %s, ptr %py, align 128
  %inext = add i32 %i, 32
  %more = icmp slt i32 %inext, %whole
  br i1 %more, label %vector, label %tailcheck
tailcheck:
  %rest = icmp slt i32 %whole, %n
  br i1 %rest, label %tail, label %done
tail:
  %j = phi i32 [%whole, %tailcheck], [%jnext, %tail]
  %qx = getelementptr float, ptr %x, i32 %j
  %qy = getelementptr float, ptr %y, i32 %j
  %sx = load float, ptr %qx
  %sy = load float, ptr %qy
  %sm = fmul float %sx, %a
  %ss = fadd float %sm, %sy
  store float %ss, ptr %qy
  %jnext = add i32 %j, 1
  %jmore = icmp slt i32 %jnext, %n
  br i1 %jmore, label %tail, label %done
done:
  ret void
}
"""

CONTROL = """
@table = internal constant [5 x i32] [i32 11, i32 -7, i32 3, i32 100, i32 65536]
@counter = internal global i32 5
@pair = global i64 81985529216486895
@operations = internal constant [2 x ptr] [ptr @twice, ptr @square]

define internal i32 @twice(i32 %x) noinline {
  %r = shl i32 %x, 1
  ret i32 %r
}
define internal i32 @square(i32 %x) noinline {
  %r = mul i32 %x, %x
  ret i32 %r
}
define i32 @choose(i32 %which, i32 %x) {
  %p = getelementptr [2 x ptr], ptr @operations, i32 0, i32 %which
  %f = load ptr, ptr %p
  %r = call i32 %f(i32 %x)
  %s = add i32 %r, 1
  ret i32 %s
}
define i32 @fib(i32 %n) {
entry:
  %small = icmp slt i32 %n, 2
  br i1 %small, label %base, label %rec
base:
  ret i32 %n
rec:
  %a = sub i32 %n, 1
  %b = sub i32 %n, 2
  %x = call i32 @fib(i32 %a)
  %y = call i32 @fib(i32 %b)
  %r = add i32 %x, %y
  ret i32 %r
}
define i32 @endless(i32 %n) noinline {
  %slot = alloca i32
  store volatile i32 %n, ptr %slot
  %m = load volatile i32, ptr %slot
  %x = call i32 @endless(i32 %m)
  %y = load volatile i32, ptr %slot
  %r = udiv i32 %x, %y
  ret i32 %r
}
define void @spin(ptr %p) {
entry:
  br label %loop
loop:
  %x = load volatile i32, ptr %p
  %c = icmp eq i32 %x, 0
  br i1 %c, label %loop, label %done
done:
  ret void
}
define i32 @jumptable(i32 %x, i32 %y) {
entry:
  switch i32 %x, label %other [ i32 0, label %a
    i32 1, label %b
    i32 2, label %c
    i32 3, label %d
    i32 4, label %e
    i32 5, label %f ]
a:
  %ra = mul i32 %y, 5
  ret i32 %ra
b:
  %pb = getelementptr [5 x i32], ptr @table, i32 0, i32 %y
  %rb = load i32, ptr %pb
  ret i32 %rb
c:
  %rc = sdiv i32 1000000, %y
  ret i32 %rc
d:
  %old = load i32, ptr @counter
  %new = add i32 %old, %y
  store i32 %new, ptr @counter
  ret i32 %new
e:
  %re = urem i32 1000003, %y
  ret i32 %re
f:
  %rf = call i32 @fib(i32 %y)
  ret i32 %rf
other:
  ret i32 -1
}
define i64 @wide(i64 %a, i64 %b, i32 %c) {
  %p = load i64, ptr @pair
  %m = mul i64 %a, %b
  %s = add i64 %m, %p
  %x = zext i32 %c to i64
  %h = and i64 %x, 63
  %t = lshr i64 %s, %h
  %d = sdiv i64 %t, 1000003
  %e = xor i64 %d, %a
  ret i64 %e
}
define i32 @many(i32 %a, i32 %b, i32 %c, i32 %d, i32 %e, i32 %f, i32 %g, i64 %h, i32 %k) {
  %t = trunc i64 %h to i32
  %hi64 = lshr i64 %h, 32
  %u = trunc i64 %hi64 to i32
  %1 = mul i32 %a, 2
  %2 = mul i32 %b, 3
  %3 = mul i32 %c, 5
  %4 = mul i32 %d, 7
  %5 = mul i32 %e, 11
  %6 = mul i32 %f, 13
  %7 = mul i32 %g, 17
  %8 = mul i32 %t, 19
  %9 = mul i32 %u, 23
  %10 = mul i32 %k, 29
  %s1 = add i32 %1, %2
  %s2 = add i32 %s1, %3
  %s3 = add i32 %s2, %4
  %s4 = add i32 %s3, %5
  %s5 = add i32 %s4, %6
  %s6 = add i32 %s5, %7
  %s7 = add i32 %s6, %8
  %s8 = add i32 %s7, %9
  %s9 = add i32 %s8, %10
  ret i32 %s9
}
define float @callsmath(float %x) {
  %e = call float @expf(float %x)
  %l = call float @logf(float %e)
  %s = fadd float %l, %e
  ret float %s
}
declare float @expf(float)
declare float @logf(float)
define void @matmul(ptr noalias %a, ptr noalias %b, ptr noalias %c, i32 %n) {
entry:
  br label %rows
rows:
  %i = phi i32 [0, %entry], [%i2, %rowend]
  br label %cols
cols:
  %j = phi i32 [0, %rows], [%j2, %colend]
  br label %inner
inner:
  %k = phi i32 [0, %cols], [%k2, %inner]
  %sum = phi i32 [0, %cols], [%sum2, %inner]
  %in = mul i32 %i, %n
  %ai = add i32 %in, %k
  %pa = getelementptr i32, ptr %a, i32 %ai
  %va = load i32, ptr %pa
  %kn = mul i32 %k, %n
  %bi = add i32 %kn, %j
  %pb = getelementptr i32, ptr %b, i32 %bi
  %vb = load i32, ptr %pb
  %m = mul i32 %va, %vb
  %sum2 = add i32 %sum, %m
  %k2 = add i32 %k, 1
  %km = icmp slt i32 %k2, %n
  br i1 %km, label %inner, label %colend
colend:
  %cn = mul i32 %i, %n
  %ci = add i32 %cn, %j
  %pc = getelementptr i32, ptr %c, i32 %ci
  store i32 %sum2, ptr %pc
  %j2 = add i32 %j, 1
  %jm = icmp slt i32 %j2, %n
  br i1 %jm, label %cols, label %rowend
rowend:
  %i2 = add i32 %i, 1
  %im = icmp slt i32 %i2, %n
  br i1 %im, label %rows, label %done
done:
  ret void
}
define void @histogram(ptr noalias %x, ptr noalias %h, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [0, %entry], [%i2, %loop]
  %p = getelementptr i8, ptr %x, i32 %i
  %v = load i8, ptr %p
  %z = zext i8 %v to i32
  %q = getelementptr i32, ptr %h, i32 %z
  %o = load i32, ptr %q
  %o2 = add i32 %o, 1
  store i32 %o2, ptr %q
  %i2 = add i32 %i, 1
  %m = icmp slt i32 %i2, %n
  br i1 %m, label %loop, label %done
done:
  ret void
}
"""


# HVX packets that wait for their operands now and then: 0.42 HVX packets per cycle, as measured on SM8550.
BODY = """
	.text
	.type	work,@function
work:
	{
		r2 = memw(r0+#0)
	}
	{
		loop0(.LB,r2)
	}
.LB:
	{
		v1.w = vadd(v0.w,v0.w)
	}
	{
		v2.w = vadd(v1.w,v0.w)
	}
	{
		v3.h = vmpyi(v2.h,v0.h)
	}
	{
		v4.w = vadd(v0.w,v0.w)
	}
	{
		v5.w = vadd(v3.w,v0.w)
	} :endloop0
	{
		jumpr r31
	}
"""
CALLER = """
define void @f(ptr %sizes, i32 %n) {
entry:
  %ids = alloca [8 x i32]
  br label %make
make:
  %i = phi i32 [0, %entry], [%i1, %make]
  %p = getelementptr i32, ptr %sizes, i32 %i
  %id = call i32 @hexmlir_rt_thread_create(ptr @work, ptr %p)
  %q = getelementptr i32, ptr %ids, i32 %i
  store i32 %id, ptr %q
  %i1 = add i32 %i, 1
  %more = icmp slt i32 %i1, %n
  br i1 %more, label %make, label %join
join:
  %j = phi i32 [0, %make], [%j1, %join]
  %r = getelementptr i32, ptr %ids, i32 %j
  %jd = load i32, ptr %r
  call void @hexmlir_rt_thread_join(i32 %jd)
  %j1 = add i32 %j, 1
  %again = icmp slt i32 %j1, %n
  br i1 %again, label %join, label %done
done:
  ret void
}
declare void @work(ptr)
declare i32 @hexmlir_rt_thread_create(ptr, ptr)
declare void @hexmlir_rt_thread_join(i32)
"""
