"""Accesses to memory that LLVM reorders, removes or widens, and registers that it spills."""

from __future__ import annotations

from hexagon_mlir.codegen.faults.record import TWO, Contains, Fault, Found, Gives, function

MEMORY = (
    Fault("store-order", "a scalar store is packed with an earlier vector store to the same bytes, and is executed "
          "first", "declare void @llvm.masked.store.v32i32.p0(<32 x i32>, ptr, <32 x i1>)\n" + function("""
        %x = load <32 x i32>, ptr %p, align 128
        %m = icmp sgt <32 x i32> %x, zeroinitializer
        %two = load i64, ptr %p, align 8
        call void @llvm.masked.store.v32i32.p0(<32 x i32> splat (i32 5), ptr align 128 %out, <32 x i1> %m)
        store i64 %two, ptr %out, align 8""", TWO),
          Gives(4, (("i4", (1, 2, 3, 4)),), ("i4", (1, 2, 5, 5))), "22.1"),
    Fault("loop-entries", "a load of the second iteration, which is put in front of a pipelined loop, is noted at an "
          "address outside of its object, and goes before a store to it",
          """@buffer = internal global [8192 x i8] zeroinitializer, align 128
define void @f(ptr noalias align 128 %p, ptr noalias align 128 %out) {
entry:
  %x = load <32 x i32>, ptr %p, align 128
  %square = mul <32 x i32> %x, %x
  %stored = mul <32 x i32> %square, %square
  store <32 x i32> %stored, ptr getelementptr (i8, ptr @buffer, i32 128), align 128
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %near = getelementptr <32 x i32>, ptr @buffer, i32 %i
  %a = load <32 x i32>, ptr %near, align 128
  %far = getelementptr i8, ptr %near, i32 4096
  %b = load <32 x i32>, ptr %far, align 128
  %r0 = add <32 x i32> %a, %b
  %r1 = mul <32 x i32> %r0, %a
  %r2 = mul <32 x i32> %r1, %a
  %r3 = mul <32 x i32> %r2, %a
  %r4 = mul <32 x i32> %r3, %a
  %to = getelementptr <32 x i32>, ptr %out, i32 %i
  store <32 x i32> %r4, ptr %to, align 128
  %next = add nuw nsw i32 %i, 1
  %done = icmp eq i32 %next, 3
  br i1 %done, label %exit, label %loop
exit:
  ret void
}
""", Gives(96, (("i4", (1,)),), ("i4", (0,) * 32 + (1,) * 32 + (0,) * 32)), "22.1"),
    Fault("gathers", "a gather is taken for an access to its result only: a store to the table before it is removed",
          """declare void @hexmlir_gather_words(i32, i32, i32, <32 x i32>, i32)
""" + function("""
        %offsets = load <32 x i32>, ptr %p, align 128
        store <32 x i32> splat (i32 5), ptr %table, align 128
        %from = ptrtoint ptr %table to i32
        %to = ptrtoint ptr %out to i32
        call void @hexmlir_gather_words(i32 %to, i32 %from, i32 127, <32 x i32> %offsets, i32 32)
        store <32 x i32> zeroinitializer, ptr %table, align 128""",
                   "ptr align 128 %p, ptr noalias align 128 %table, ptr noalias align 128 %out"),
          Gives(32, (("i4", (0, 124)), ("i4", (1,))), ("i4", (5,)), tcm=True), "22.1", optimized=True),
    Fault("bfloat-vectors-as-bits", "masked stores of bf16 are split into elements, and write twice as many",
          "declare void @llvm.masked.store.v64bf16.p0(<64 x bfloat>, ptr, <64 x i1>)\n" + function("""
        %x = load <64 x bfloat>, ptr %p, align 128
        %i = load <64 x i16>, ptr %p, align 128
        %m = icmp sgt <64 x i16> %i, splat (i16 3)
        call void @llvm.masked.store.v64bf16.p0(<64 x bfloat> %x, ptr align 2 %out, <64 x i1> %m)""", TWO),
          Gives(64, (("i2", (1, 9)),), ("i2", (0, 9))), "22.1"),
    Fault("-hexagon-small-data-threshold=0", "loads constants of 64 bits from memory near GP, by a relocation that lld "
          "does not know", function("store i64 51539607556, ptr %p, align 8"), Contains("CONST64"), "22.1"),
    Fault("shared-vectors", "neighbouring stores become stores of aligned vectors, which also write bytes after them",
          """define void @f(ptr %p, i32 %n) {
  %row = getelementptr i32, ptr %p, i32 %n
  store <128 x i32> splat (i32 7), ptr %row, align 4
  %next = getelementptr i8, ptr %row, i32 516
  store <128 x i32> splat (i32 7), ptr %next, align 4
  ret void
}
""", Found("shared-vectors"), "22.1"),
    Fault("qfloat-lifetimes", "a qfloat value is spilled to the stack, where its hidden bits are lost",
          """declare void @g()
declare <32 x i32> @llvm.hexagon.V6.vmpy.qf32.sf.128B(<32 x i32>, <32 x i32>)
declare <32 x i32> @llvm.hexagon.V6.vconv.sf.qf32.128B(<32 x i32>)
define void @f(ptr align 128 %p, ptr align 128 %out) {
entry:
  %x = load <32 x i32>, ptr %p, align 128
  %product = call <32 x i32> @llvm.hexagon.V6.vmpy.qf32.sf.128B(<32 x i32> %x, <32 x i32> %x)
  call void @g()
  br label %next
next:
  %r = call <32 x i32> @llvm.hexagon.V6.vconv.sf.qf32.128B(<32 x i32> %product)
  store <32 x i32> %r, ptr %out, align 128
  ret void
}
""", Found("qfloat-spills"), "22.1", chip="v79", qfloat=True, issue="llvm/llvm-project#204825"),
    Fault("-disable-qfp-opt=true", "the conversion of a qfloat value before a call is left out: the value is spilled "
          "in qfloat", """declare void @g()
declare <32 x i32> @llvm.hexagon.V6.vmpy.qf32.sf.128B(<32 x i32>, <32 x i32>)
declare <32 x i32> @llvm.hexagon.V6.vadd.sf.128B(<32 x i32>, <32 x i32>)
declare <32 x i32> @llvm.hexagon.V6.vconv.sf.qf32.128B(<32 x i32>)
""" + function("""
        %x = load <32 x i32>, ptr %p, align 128
        %product = call <32 x i32> @llvm.hexagon.V6.vmpy.qf32.sf.128B(<32 x i32> %x, <32 x i32> %x)
        %converted = call <32 x i32> @llvm.hexagon.V6.vconv.sf.qf32.128B(<32 x i32> %product)
        call void @g()
        %sum = call <32 x i32> @llvm.hexagon.V6.vadd.sf.128B(<32 x i32> %converted, <32 x i32> zeroinitializer)
        %r = call <32 x i32> @llvm.hexagon.V6.vconv.sf.qf32.128B(<32 x i32> %sum)
        store <32 x i32> %r, ptr %out, align 128""", TWO), Found("qfloat-spills"), "22.1", chip="v79", qfloat=True),
)
