; MLIR's async dialect (4 tasks in a group; a chain of tokens and values), lowered by upstream passes.
; ModuleID = 'LLVMDialectModule'
source_filename = "LLVMDialectModule"

@assert_msg_1 = private constant [40 x i8] c"Awaited async operand is in error state\00"
@assert_msg_0 = private constant [40 x i8] c"Awaited async operand is in error state\00"
@assert_msg = private constant [40 x i8] c"Awaited async operand is in error state\00"

declare void @abort()

declare void @puts(ptr)

declare void @free(ptr)

; The lowering takes size_t for 64 bits; on Hexagon it has 32.
define internal ptr @aligned_alloc64(i64 %align, i64 %size) {
  %a = trunc i64 %align to i32
  %s = trunc i64 %size to i32
  %p = call ptr @aligned_alloc(i32 %a, i32 %s)
  ret ptr %p
}
declare ptr @aligned_alloc(i32, i32)

; p[i] *= k + 1 for i < n
define void @scale(ptr %p, i32 %n, i32 %k) noinline {
entry:
  %k1 = add i32 %k, 1
  %f = sitofp i32 %k1 to float
  %one = insertelement <32 x float> poison, float %f, i32 0
  %all = shufflevector <32 x float> %one, <32 x float> poison, <32 x i32> zeroinitializer
  br label %loop
loop:
  %i = phi i32 [0, %entry], [%next, %loop]
  %q = getelementptr float, ptr %p, i32 %i
  %v = load <32 x float>, ptr %q, align 128
  %w = fmul <32 x float> %v, %all
  store <32 x float> %w, ptr %q, align 128
  %next = add i32 %i, 32
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

define void @tasks(ptr %0, i32 %1) {
  %3 = call ptr @mlirAsyncRuntimeCreateGroup(i64 4)
  br label %4

4:                                                ; preds = %7, %2
  %5 = phi i64 [ %10, %7 ], [ 0, %2 ]
  %6 = icmp slt i64 %5, 4
  br i1 %6, label %7, label %11

7:                                                ; preds = %4
  %8 = call ptr @async_execute_fn(i64 %5, i32 %1, ptr %0)
  %9 = call i64 @mlirAsyncRuntimeAddTokenToGroup(ptr %8, ptr %3)
  call void @mlirAsyncRuntimeDropRef(ptr %8, i64 1)
  %10 = add i64 %5, 1
  br label %4

11:                                               ; preds = %4
  call void @mlirAsyncRuntimeAwaitAllInGroup(ptr %3)
  %12 = call i1 @mlirAsyncRuntimeIsGroupError(ptr %3)
  call void @mlirAsyncRuntimeDropRef(ptr %3, i64 1)
  %13 = xor i1 %12, true
  br i1 %13, label %14, label %15

14:                                               ; preds = %11
  ret void

15:                                               ; preds = %11
  call void @puts(ptr @assert_msg)
  call void @abort()
  unreachable
}

define i32 @chain(ptr %0, i32 %1) {
  %3 = call { ptr, ptr } @async_execute_fn_0(i32 %1)
  %4 = extractvalue { ptr, ptr } %3, 0
  %5 = extractvalue { ptr, ptr } %3, 1
  call void @mlirAsyncRuntimeAddRef(ptr %4, i64 1)
  %6 = call { ptr, ptr } @async_execute_fn_1(ptr %4, ptr %5)
  %7 = extractvalue { ptr, ptr } %6, 0
  %8 = extractvalue { ptr, ptr } %6, 1
  %9 = call ptr @async_execute_fn_2(ptr %4, ptr %7, ptr %0, i32 %1)
  call void @mlirAsyncRuntimeAwaitToken(ptr %9)
  %10 = call i1 @mlirAsyncRuntimeIsTokenError(ptr %9)
  call void @mlirAsyncRuntimeDropRef(ptr %9, i64 1)
  %11 = xor i1 %10, true
  br i1 %11, label %12, label %18

12:                                               ; preds = %2
  call void @mlirAsyncRuntimeAwaitValue(ptr %8)
  %13 = call i1 @mlirAsyncRuntimeIsValueError(ptr %8)
  %14 = xor i1 %13, true
  br i1 %14, label %15, label %19

15:                                               ; preds = %12
  %16 = call ptr @mlirAsyncRuntimeGetValueStorage(ptr %8)
  %17 = load i32, ptr %16, align 4
  call void @mlirAsyncRuntimeDropRef(ptr %8, i64 1)
  ret i32 %17

18:                                               ; preds = %2
  call void @puts(ptr @assert_msg_0)
  call void @abort()
  unreachable

19:                                               ; preds = %12
  call void @puts(ptr @assert_msg_1)
  call void @abort()
  unreachable
}

; Function Attrs: presplitcoroutine
define ptr @async_execute_fn(i64 %0, i32 %1, ptr %2) #0 {
  %4 = call ptr @mlirAsyncRuntimeCreateToken()
  %5 = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %6 = call i64 @llvm.coro.size.i64()
  %7 = call i64 @llvm.coro.align.i64()
  %8 = add i64 %6, %7
  %9 = sub i64 %8, 1
  %10 = sub i64 0, %7
  %11 = and i64 %9, %10
  %12 = call ptr @aligned_alloc64(i64 %7, i64 %11)
  %13 = call ptr @llvm.coro.begin(token %5, ptr %12)
  %14 = call token @llvm.coro.save(ptr %13)
  call void @mlirAsyncRuntimeExecute(ptr %13, ptr @__resume)
  %15 = call i8 @llvm.coro.suspend(token %14, i1 false)
  %16 = sext i8 %15 to i32
  switch i32 %16, label %25 [
    i32 0, label %17
    i32 1, label %23
  ]

17:                                               ; preds = %3
  %18 = trunc i64 %0 to i32
  %19 = mul i32 %18, %1
  %20 = getelementptr float, ptr %2, i32 %19
  call void @scale(ptr %20, i32 %1, i32 %18)
  call void @mlirAsyncRuntimeEmplaceToken(ptr %4)
  br label %21

21:                                               ; preds = %17
  %22 = call ptr @llvm.coro.free(token %5, ptr %13)
  call void @free(ptr %22)
  br label %25

23:                                               ; preds = %3
  %24 = call ptr @llvm.coro.free(token %5, ptr %13)
  call void @free(ptr %24)
  br label %25

25:                                               ; preds = %21, %23, %3
  call void @llvm.coro.end(ptr %13, i1 false, token none)
  ret ptr %4
}

; Function Attrs: presplitcoroutine
define { ptr, ptr } @async_execute_fn_0(i32 %0) #0 {
  %2 = call ptr @mlirAsyncRuntimeCreateToken()
  %3 = call ptr @mlirAsyncRuntimeCreateValue(i64 4)
  %4 = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %5 = call i64 @llvm.coro.size.i64()
  %6 = call i64 @llvm.coro.align.i64()
  %7 = add i64 %5, %6
  %8 = sub i64 %7, 1
  %9 = sub i64 0, %6
  %10 = and i64 %8, %9
  %11 = call ptr @aligned_alloc64(i64 %6, i64 %10)
  %12 = call ptr @llvm.coro.begin(token %4, ptr %11)
  %13 = call token @llvm.coro.save(ptr %12)
  call void @mlirAsyncRuntimeExecute(ptr %12, ptr @__resume)
  %14 = call i8 @llvm.coro.suspend(token %13, i1 false)
  %15 = sext i8 %14 to i32
  switch i32 %15, label %23 [
    i32 0, label %16
    i32 1, label %21
  ]

16:                                               ; preds = %1
  %17 = add i32 %0, 5
  %18 = call ptr @mlirAsyncRuntimeGetValueStorage(ptr %3)
  store i32 %17, ptr %18, align 4
  call void @mlirAsyncRuntimeEmplaceValue(ptr %3)
  call void @mlirAsyncRuntimeEmplaceToken(ptr %2)
  br label %19

19:                                               ; preds = %16
  %20 = call ptr @llvm.coro.free(token %4, ptr %12)
  call void @free(ptr %20)
  br label %23

21:                                               ; preds = %1
  %22 = call ptr @llvm.coro.free(token %4, ptr %12)
  call void @free(ptr %22)
  br label %23

23:                                               ; preds = %19, %21, %1
  call void @llvm.coro.end(ptr %12, i1 false, token none)
  %24 = insertvalue { ptr, ptr } poison, ptr %2, 0
  %25 = insertvalue { ptr, ptr } %24, ptr %3, 1
  ret { ptr, ptr } %25
}

; Function Attrs: presplitcoroutine
define { ptr, ptr } @async_execute_fn_1(ptr %0, ptr %1) #0 {
  %3 = call ptr @mlirAsyncRuntimeCreateToken()
  %4 = call ptr @mlirAsyncRuntimeCreateValue(i64 4)
  %5 = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %6 = call i64 @llvm.coro.size.i64()
  %7 = call i64 @llvm.coro.align.i64()
  %8 = add i64 %6, %7
  %9 = sub i64 %8, 1
  %10 = sub i64 0, %7
  %11 = and i64 %9, %10
  %12 = call ptr @aligned_alloc64(i64 %7, i64 %11)
  %13 = call ptr @llvm.coro.begin(token %5, ptr %12)
  %14 = call token @llvm.coro.save(ptr %13)
  call void @mlirAsyncRuntimeExecute(ptr %13, ptr @__resume)
  %15 = call i8 @llvm.coro.suspend(token %14, i1 false)
  %16 = sext i8 %15 to i32
  switch i32 %16, label %41 [
    i32 0, label %17
    i32 1, label %39
  ]

17:                                               ; preds = %2
  %18 = call token @llvm.coro.save(ptr %13)
  call void @mlirAsyncRuntimeAwaitTokenAndExecute(ptr %0, ptr %13, ptr @__resume)
  %19 = call i8 @llvm.coro.suspend(token %18, i1 false)
  %20 = sext i8 %19 to i32
  switch i32 %20, label %41 [
    i32 0, label %21
    i32 1, label %39
  ]

21:                                               ; preds = %17
  %22 = call i1 @mlirAsyncRuntimeIsTokenError(ptr %0)
  call void @mlirAsyncRuntimeDropRef(ptr %0, i64 1)
  br i1 %22, label %34, label %23

23:                                               ; preds = %21
  %24 = call token @llvm.coro.save(ptr %13)
  call void @mlirAsyncRuntimeAwaitValueAndExecute(ptr %1, ptr %13, ptr @__resume)
  %25 = call i8 @llvm.coro.suspend(token %24, i1 false)
  %26 = sext i8 %25 to i32
  switch i32 %26, label %41 [
    i32 0, label %27
    i32 1, label %39
  ]

27:                                               ; preds = %23
  %28 = call i1 @mlirAsyncRuntimeIsValueError(ptr %1)
  br i1 %28, label %35, label %29

29:                                               ; preds = %27
  %30 = call ptr @mlirAsyncRuntimeGetValueStorage(ptr %1)
  %31 = load i32, ptr %30, align 4
  call void @mlirAsyncRuntimeDropRef(ptr %1, i64 1)
  %32 = mul i32 %31, %31
  %33 = call ptr @mlirAsyncRuntimeGetValueStorage(ptr %4)
  store i32 %32, ptr %33, align 4
  call void @mlirAsyncRuntimeEmplaceValue(ptr %4)
  call void @mlirAsyncRuntimeEmplaceToken(ptr %3)
  br label %37

34:                                               ; preds = %21
  call void @mlirAsyncRuntimeDropRef(ptr %4, i64 1)
  call void @mlirAsyncRuntimeDropRef(ptr %3, i64 1)
  call void @mlirAsyncRuntimeDropRef(ptr %1, i64 1)
  br label %36

35:                                               ; preds = %27
  call void @mlirAsyncRuntimeDropRef(ptr %4, i64 1)
  call void @mlirAsyncRuntimeDropRef(ptr %3, i64 1)
  call void @mlirAsyncRuntimeDropRef(ptr %1, i64 1)
  br label %36

36:                                               ; preds = %34, %35
  call void @mlirAsyncRuntimeSetTokenError(ptr %3)
  call void @mlirAsyncRuntimeSetValueError(ptr %4)
  br label %37

37:                                               ; preds = %36, %29
  %38 = call ptr @llvm.coro.free(token %5, ptr %13)
  call void @free(ptr %38)
  br label %41

39:                                               ; preds = %23, %17, %2
  %40 = call ptr @llvm.coro.free(token %5, ptr %13)
  call void @free(ptr %40)
  br label %41

41:                                               ; preds = %37, %39, %23, %17, %2
  call void @llvm.coro.end(ptr %13, i1 false, token none)
  %42 = insertvalue { ptr, ptr } poison, ptr %3, 0
  %43 = insertvalue { ptr, ptr } %42, ptr %4, 1
  ret { ptr, ptr } %43
}

; Function Attrs: presplitcoroutine
define ptr @async_execute_fn_2(ptr %0, ptr %1, ptr %2, i32 %3) #0 {
  %5 = call ptr @mlirAsyncRuntimeCreateToken()
  %6 = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %7 = call i64 @llvm.coro.size.i64()
  %8 = call i64 @llvm.coro.align.i64()
  %9 = add i64 %7, %8
  %10 = sub i64 %9, 1
  %11 = sub i64 0, %8
  %12 = and i64 %10, %11
  %13 = call ptr @aligned_alloc64(i64 %8, i64 %12)
  %14 = call ptr @llvm.coro.begin(token %6, ptr %13)
  %15 = call token @llvm.coro.save(ptr %14)
  call void @mlirAsyncRuntimeExecute(ptr %14, ptr @__resume)
  %16 = call i8 @llvm.coro.suspend(token %15, i1 false)
  %17 = sext i8 %16 to i32
  switch i32 %17, label %37 [
    i32 0, label %18
    i32 1, label %35
  ]

18:                                               ; preds = %4
  %19 = call token @llvm.coro.save(ptr %14)
  call void @mlirAsyncRuntimeAwaitTokenAndExecute(ptr %0, ptr %14, ptr @__resume)
  %20 = call i8 @llvm.coro.suspend(token %19, i1 false)
  %21 = sext i8 %20 to i32
  switch i32 %21, label %37 [
    i32 0, label %22
    i32 1, label %35
  ]

22:                                               ; preds = %18
  %23 = call i1 @mlirAsyncRuntimeIsTokenError(ptr %0)
  call void @mlirAsyncRuntimeDropRef(ptr %0, i64 1)
  br i1 %23, label %31, label %24

24:                                               ; preds = %22
  %25 = call token @llvm.coro.save(ptr %14)
  call void @mlirAsyncRuntimeAwaitTokenAndExecute(ptr %1, ptr %14, ptr @__resume)
  %26 = call i8 @llvm.coro.suspend(token %25, i1 false)
  %27 = sext i8 %26 to i32
  switch i32 %27, label %37 [
    i32 0, label %28
    i32 1, label %35
  ]

28:                                               ; preds = %24
  %29 = call i1 @mlirAsyncRuntimeIsTokenError(ptr %1)
  call void @mlirAsyncRuntimeDropRef(ptr %1, i64 1)
  br i1 %29, label %32, label %30

30:                                               ; preds = %28
  call void @scale(ptr %2, i32 %3, i32 5)
  call void @mlirAsyncRuntimeEmplaceToken(ptr %5)
  br label %33

31:                                               ; preds = %22
  call void @mlirAsyncRuntimeDropRef(ptr %5, i64 1)
  call void @mlirAsyncRuntimeDropRef(ptr %1, i64 1)
  br label %32

32:                                               ; preds = %31, %28
  call void @mlirAsyncRuntimeSetTokenError(ptr %5)
  br label %33

33:                                               ; preds = %32, %30
  %34 = call ptr @llvm.coro.free(token %6, ptr %14)
  call void @free(ptr %34)
  br label %37

35:                                               ; preds = %24, %18, %4
  %36 = call ptr @llvm.coro.free(token %6, ptr %14)
  call void @free(ptr %36)
  br label %37

37:                                               ; preds = %33, %35, %24, %18, %4
  call void @llvm.coro.end(ptr %14, i1 false, token none)
  ret ptr %5
}

declare void @mlirAsyncRuntimeAddRef(ptr, i64)

declare void @mlirAsyncRuntimeDropRef(ptr, i64)

declare ptr @mlirAsyncRuntimeCreateToken()

declare ptr @mlirAsyncRuntimeCreateValue(i64)

declare ptr @mlirAsyncRuntimeCreateGroup(i64)

declare void @mlirAsyncRuntimeEmplaceToken(ptr)

declare void @mlirAsyncRuntimeEmplaceValue(ptr)

declare void @mlirAsyncRuntimeSetTokenError(ptr)

declare void @mlirAsyncRuntimeSetValueError(ptr)

declare i1 @mlirAsyncRuntimeIsTokenError(ptr)

declare i1 @mlirAsyncRuntimeIsValueError(ptr)

declare i1 @mlirAsyncRuntimeIsGroupError(ptr)

declare void @mlirAsyncRuntimeAwaitToken(ptr)

declare void @mlirAsyncRuntimeAwaitValue(ptr)

declare void @mlirAsyncRuntimeAwaitAllInGroup(ptr)

declare void @mlirAsyncRuntimeExecute(ptr, ptr)

declare ptr @mlirAsyncRuntimeGetValueStorage(ptr)

declare i64 @mlirAsyncRuntimeAddTokenToGroup(ptr, ptr)

declare void @mlirAsyncRuntimeAwaitTokenAndExecute(ptr, ptr, ptr)

declare void @mlirAsyncRuntimeAwaitValueAndExecute(ptr, ptr, ptr)

declare void @mlirAsyncRuntimeAwaitAllInGroupAndExecute(ptr, ptr, ptr)

declare i64 @mlirAsyncRuntimGetNumWorkerThreads()

define void @__resume(ptr %0) {
  call void @llvm.coro.resume(ptr %0)
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: read)
declare token @llvm.coro.id(i32, ptr readnone, ptr readonly captures(none), ptr) #1

; Function Attrs: nounwind memory(none)
declare i64 @llvm.coro.size.i64() #2

; Function Attrs: nounwind memory(none)
declare i64 @llvm.coro.align.i64() #2

; Function Attrs: nounwind
declare ptr @llvm.coro.begin(token, ptr writeonly) #3

; Function Attrs: nomerge nounwind
declare token @llvm.coro.save(ptr) #4

; Function Attrs: nounwind
declare i8 @llvm.coro.suspend(token, i1) #3

; Function Attrs: nounwind memory(argmem: read)
declare ptr @llvm.coro.free(token, ptr readonly captures(none)) #5

; Function Attrs: nounwind
declare void @llvm.coro.end(ptr, i1, token) #3

declare void @llvm.coro.resume(ptr)

attributes #0 = { presplitcoroutine }
attributes #1 = { nocallback nofree nosync nounwind willreturn memory(argmem: read) }
attributes #2 = { nounwind memory(none) }
attributes #3 = { nounwind }
attributes #4 = { nomerge nounwind }
attributes #5 = { nounwind memory(argmem: read) }

!llvm.module.flags = !{!0}

!0 = !{i32 2, !"Debug Info Version", i32 3}
