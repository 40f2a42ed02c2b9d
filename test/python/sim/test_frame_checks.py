"""Frames, return addresses and variables of compiled programs: faults of C are found, right programs are clean."""

import pytest
from sim.kernels import assembly

from hexagon_mlir.sim import Machine
from hexagon_mlir.sim.checking.rules import HINTS, Rule


def reports(text, *arguments, entry="f"):
    machine = Machine(text, check=True)
    buffer = machine.alloc_ddr(4096)
    return machine.run(entry, [buffer, *arguments]).reports


FILL = """
define internal void @fill(ptr %p, i32 %n) noinline {
entry:
  br label %loop
loop:
  %i = phi i32 [0, %entry], [%j, %loop]
  %q = getelementptr i32, ptr %p, i32 %i
  store volatile i32 %i, ptr %q
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}
define internal i32 @sum(ptr %p, i32 %n) noinline {
entry:
  br label %loop
loop:
  %i = phi i32 [0, %entry], [%j, %loop]
  %s = phi i32 [0, %entry], [%t, %loop]
  %q = getelementptr i32, ptr %p, i32 %i
  %v = load volatile i32, ptr %q
  %t = add i32 %s, %v
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %n
  br i1 %more, label %loop, label %done
done:
  ret i32 %t
}
"""
LOCAL = FILL + """
define i32 @f(ptr %out, i32 %n) noinline {
  %a = alloca [4 x i32]
  call void @fill(ptr %a, i32 %n)
  %s = call i32 @sum(ptr %a, i32 4)
  ret i32 %s
}
"""
GLOBALS = FILL + """
@first = internal global [5 x i32] zeroinitializer
@second = internal global [5 x i32] zeroinitializer
@table = internal constant [4 x i32] [i32 1, i32 2, i32 3, i32 4]
define i32 @f(ptr %out, i32 %n) noinline {
  call void @fill(ptr @first, i32 %n)
  call void @fill(ptr @second, i32 5)
  %s = call i32 @sum(ptr @first, i32 5)
  %t = call i32 @sum(ptr @second, i32 5)
  %u = add i32 %s, %t
  ret i32 %u
}
define i32 @g(ptr %out, i32 %n) noinline {
  %c = icmp eq i32 %n, 0
  %p = select i1 %c, ptr @first, ptr @table
  call void @fill(ptr %p, i32 4)
  %s = call i32 @sum(ptr @table, i32 4)
  ret i32 %s
}
"""
ESCAPED = FILL + """
define internal ptr @local() noinline {
  %a = alloca [4 x i32]
  call void @fill(ptr %a, i32 4)
  %i = ptrtoint ptr %a to i32
  %j = call i32 @same(i32 %i)
  %p = inttoptr i32 %j to ptr
  ret ptr %p
}
define internal i32 @same(i32 %x) noinline {
  %v = alloca i32
  store volatile i32 %x, ptr %v
  %y = load volatile i32, ptr %v
  ret i32 %y
}
define i32 @f(ptr %out, i32 %n) noinline {
  %p = call ptr @local()
  %v = load volatile i32, ptr %p
  ret i32 %v
}
"""


@pytest.mark.parametrize(("text", "entry", "count", "rules"), [
    (LOCAL, "f", 4, set()), (LOCAL, "f", 6, {Rule.RETURN_ADDRESS}),
    (GLOBALS, "f", 5, set()), (GLOBALS, "f", 6, {Rule.VARIABLE_BOUNDS}),
    (GLOBALS, "g", 0, set()), (GLOBALS, "g", 1, {Rule.READ_ONLY}), (ESCAPED, "f", 0, {Rule.BELOW_STACK}),
], ids=["array", "return address", "variables", "into the next", "variable", "constant", "local variable"])
def test_faults_of_compiled_programs(text, entry, count, rules):
    found = reports(assembly(text), count, entry=entry)
    assert {report.rule for report in found} == rules
    assert all(HINTS[report.rule] in str(report) and report.line for report in found)


def test_a_smashed_return_is_reported_at_the_store_and_at_the_return():
    store, leave = reports(assembly(LOCAL), 6)
    assert store.function == "fill" and "over the saved r31:30 of a frame" in store.detail
    assert leave.function == "f" and "dealloc_return" in leave.packet
    assert leave.detail.startswith("returns to 0x5, not to its caller") and f"asm line {store.line}" in leave.detail


def test_a_variable_is_named_with_the_distance():
    (report,) = reports(assembly(GLOBALS), 6)
    assert report.region == "0 bytes past first of 20 bytes" and report.detail == "writes 4 bytes"


RIGHT = FILL + """
%struct = type { [6 x i32] }
declare void @llvm.va_start(ptr)
declare void @llvm.va_end(ptr)
declare i32 @snprintf(ptr, i32, ptr, ...)
declare void @qsort(ptr, i32, i32, ptr)
@format = internal constant [9 x i8] c"%d %d %d\\00"
@operations = internal constant [2 x ptr] [ptr @many, ptr @again]

define internal i32 @many(i32 %a, i32 %b, i32 %c, i32 %d, i32 %e, i32 %f, i32 %g, i64 %h, i32 %k) noinline {
  %t = trunc i64 %h to i32
  %1 = add i32 %a, %g
  %2 = add i32 %1, %t
  %3 = add i32 %2, %k
  ret i32 %3
}
define internal i32 @again(i32 %a, i32 %b, i32 %c, i32 %d, i32 %e, i32 %f, i32 %g, i64 %h, i32 %k) noinline {
  %x = add i32 %k, 1
  %r = tail call i32 @many(i32 %b, i32 %a, i32 %c, i32 %d, i32 %e, i32 %f, i32 %x, i64 %h, i32 %g)
  ret i32 %r
}
define internal i32 @changes(ptr byval(%struct) align 8 %s, i32 %n) noinline {
  %p = getelementptr %struct, ptr %s, i32 0, i32 0, i32 3
  store volatile i32 %n, ptr %p
  %r = call i32 @sum(ptr %s, i32 6)
  ret i32 %r
}
define internal i32 @variable(i32 %n, ...) noinline {
  %list = alloca [3 x ptr]
  call void @llvm.va_start(ptr %list)
  %a = va_arg ptr %list, i32
  %b = va_arg ptr %list, i32
  call void @llvm.va_end(ptr %list)
  %s = add i32 %a, %b
  ret i32 %s
}
define internal i32 @dynamic(i32 %n) noinline {
  %a = alloca i32, i32 %n, align 128
  call void @fill(ptr %a, i32 %n)
  %s = call i32 @sum(ptr %a, i32 %n)
  ret i32 %s
}
define internal i32 @compare(ptr %a, ptr %b) noinline {
  %s = alloca [8 x i32]
  call void @fill(ptr %s, i32 8)
  %x = load i32, ptr %a
  %y = load i32, ptr %b
  %d = sub i32 %x, %y
  ret i32 %d
}
define internal i32 @deep(i32 %n, ptr %p) noinline {
entry:
  %a = alloca [4 x i32]
  %last = icmp eq i32 %n, 0
  br i1 %last, label %end, label %on
on:
  call void @fill(ptr %a, i32 4)
  store volatile i32 %n, ptr %p
  %m = sub i32 %n, 1
  %r = call i32 @deep(i32 %m, ptr %a)
  %s = call i32 @sum(ptr %a, i32 4)
  %t = add i32 %r, %s
  ret i32 %t
end:
  ret i32 0
}
define i32 @f(ptr %out, i32 %n) noinline {
  %s = alloca %struct, align 8
  call void @fill(ptr %s, i32 6)
  %p = getelementptr [2 x ptr], ptr @operations, i32 0, i32 %n
  %g = load ptr, ptr %p
  %1 = call i32 %g(i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i64 8, i32 9)
  %2 = call i32 @changes(ptr byval(%struct) align 8 %s, i32 %1)
  %3 = call i32 @sum(ptr %s, i32 6)
  %4 = call i32 (i32, ...) @variable(i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7)
  %5 = call i32 @dynamic(i32 37)
  call void @qsort(ptr %s, i32 6, i32 4, ptr @compare)
  %6 = call i32 @deep(i32 30, ptr %s)
  %7 = call i32 (ptr, i32, ptr, ...) @snprintf(ptr %s, i32 24, ptr @format, i32 %2, i32 %3, i32 %4)
  %8 = add i32 %3, %5
  ret i32 %8
}
"""


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("target", ["v68", "v75", "v81"])
def test_right_programs_are_clean(target, which):
    """Arguments on the stack, changed ones, tail and indirect calls, varargs, alloca, callbacks, pointers to locals."""
    assert [str(report) for report in reports(assembly(RIGHT, target), which)] == []


UNALIGNED = """
define void @f(ptr %p, i32 %n) {
  %q = getelementptr i8, ptr %p, i32 %n
  %v = load <128 x i8>, ptr %p, align 128
  %s = insertelement <128 x i8> poison, i8 100, i32 0
  %all = shufflevector <128 x i8> %s, <128 x i8> poison, <128 x i32> zeroinitializer
  %m = icmp ult <128 x i8> %v, %all
  call void @llvm.masked.store.v128i8.p0(<128 x i8> %v, ptr %q, i32 1, <128 x i1> %m)
  ret void
}
declare void @llvm.masked.store.v128i8.p0(<128 x i8>, ptr, i32, <128 x i1>)
"""


@pytest.mark.parametrize("offset", [0, 4, 131])
def test_masked_vector_stores_at_odd_addresses_are_right(offset):
    text = assembly(UNALIGNED)
    assert text.count(") vmem(r") == 2
    assert reports(text, offset) == []


DATA = """
	.data
	.p2align	2
	.type	sized,@object
sized:
	.word	11
	.size	sized, 4
head:
	.word	22
tail:
	.word	sized
	.word	tail-head
	.section	.rodata,"a",@progbits
	.p2align	7
	.type	aligned,@object
aligned:
	.word	33
	.size	aligned, 4
	.type	later,@object
later:
	.word	head+4
	.size	later, 4
"""


def load(symbol, offset):
    return f"\t{{\n\t\tr0 = ##{symbol}\n\t}}\n\t{{\n\t\tr0 = memw(r0+#{offset})\n\t}}\n"


@pytest.mark.parametrize(("symbol", "offset", "value"), [
    ("sized", 0, 11), ("head", 0, 22), ("head", 4, "sized"), ("head", 8, 4), ("tail", 4, 4), ("later", 0, "tail"),
    ("aligned", 0, 33)])
def test_data_without_size_stay_together(symbol, offset, value):
    """Values, addresses of symbols and distances are right wherever variables stand; nothing is reported."""
    text = f"\t.text\n\t.type\tf,@function\nf:\n{load(symbol, offset)}\t{{\n\t\tjumpr r31\n\t}}\n{DATA}"
    machine = Machine(text, check=True)
    result = machine.run("f", [0])
    assert result.reports == []
    assert result.return_value == (machine.symbol(value) if isinstance(value, str) else value)
    assert machine.symbol("aligned") % 128 == 0
    assert machine.symbol("head") - machine.symbol("sized") >= 1024


def test_a_variable_that_has_a_size_ends_there():
    text = f"\t.text\n\t.type\tf,@function\nf:\n{load('sized', 4)}\t{{\n\t\tjumpr r31\n\t}}\n{DATA}"
    assert [report.rule for report in reports(text)] == [Rule.VARIABLE_BOUNDS]


def test_the_stack_of_a_second_run_and_of_each_program_of_a_grid_is_fresh():
    machine = Machine(assembly(LOCAL), check=True)
    for count, rules in ((6, {Rule.RETURN_ADDRESS}), (4, set())):
        result = machine.run("f", [machine.alloc_ddr(64), count], grid=(2, 1, 1))
        assert {report.rule for report in result.reports} == rules
