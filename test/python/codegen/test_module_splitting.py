"""Modules that are compiled in two parts: who goes where, and one assembly of both."""

import re

import numpy as np
import pytest
from text_rewrites import loops_apart

from hexagon_mlir import targets
from hexagon_mlir.codegen import emit, module_splitting
from hexagon_mlir.codegen.module_splitting import divide
from hexagon_mlir.isa.concatenation import concatenated
from hexagon_mlir.sim import Machine

CHIP = targets.get()


def function(name, body="", lines=400, attributes="", kind=""):
    """A definition as LLVM prints one."""
    filler = "".join(f"  %f{i} = add i32 %x, {i}\n" for i in range(lines))
    return f"define {kind}i32 @{name}(i32 %x){attributes} {{\n{filler}{body}  ret i32 %x\n}}\n"


def call(name):
    return f"  %of.{name} = call i32 @{name}(i32 %x)\n"


def defined(parts):
    return [sorted(re.findall(r"^define .*?@([\w.]+)", part, re.MULTILINE)) for part in parts]


def test_whole_functions_in_parts_of_one_length():
    module = "".join(function(name, lines=n) for name, n in (("a", 700), ("b", 300), ("c", 300), ("d", 50)))
    assert defined(divide(module)) == [["a"], ["b", "c", "d"]]
    assert divide(module) == divide(module)


def test_programs_of_300_instructions_are_divided():
    assert defined(divide(function("a", lines=160) + function("b", lines=150))) == [["a"], ["b"]]


def test_wide_vectors_count_for_each_native_one():
    wide = "".join(f"  %v{i} = fadd <256 x float> zeroinitializer, zeroinitializer\n" for i in range(80))
    module = function("wide", wide, lines=0) + "".join(function(name, lines=200) for name in "abc")
    assert defined(divide(module)) == [["wide"], ["a", "b", "c"]]


@pytest.mark.parametrize("module", [
    function("a", lines=100) + function("b", lines=100),
    function("a", lines=900) + function("b", lines=100),
    function("a", lines=150) + function("b", call("a")),  # may be inlined
    function("a", kind="internal ", attributes=" #0") + function("b", call("a")) + "attributes #0 = { noinline }\n",
    "@v = global i32 0\n" + "".join(function(name, "  store i32 %x, ptr @v\n") for name in "ab"),
    function("a", "  ret i32 %x, !dbg !4\n") + function("b"),
], ids=["short", "lopsided", "inlined", "internal", "shared variable", "debug lines"])
def test_what_stays_whole(module):
    assert divide(module) == [module]


def test_what_is_too_long_to_be_inlined_is_declared_where_it_is_called():
    caller, long = divide(function("a") + function("b", call("a")))
    assert defined([caller, long]) == [["b"], ["a"]] and "declare i32 @a(i32)" in caller


def test_calls_of_another_part_give_nothing_for_arguments_without_use():
    long = function("a").replace("(i32 %x)", "(i32 %x, ptr %unused, <4 x float> %neither)")
    caller, _ = divide(long + function("b", "  %y = call i32 @a(i32 %x, ptr noundef null, <4 x float> %v)\n"))
    assert "  %y = call i32 @a(i32 %x, ptr poison, <4 x float> poison)\n" in caller
    assert "declare i32 @a(i32, ptr, <4 x float>)" in caller


def test_a_task_goes_with_the_only_one_that_starts_it():
    task = function("task", attributes=" #0", lines=100) + "attributes #0 = { presplitcoroutine }\n"
    assert defined(divide(task + function("a", call("task")) + function("b", lines=380))) == [["a", "task"], ["b"]]


def test_a_task_does_not_keep_those_that_start_it_together():
    module = (function("task", attributes=" #0", lines=40) + function("a", call("task")) + function("b", call("task"))
              + "attributes #0 = { presplitcoroutine }\n")
    assert defined(divide(module)) == [["a", "task"], ["b"]]


def test_a_task_is_local_where_no_other_part_starts_it():
    module = (function("task", attributes=" #0", lines=40) + function("a", call("task"), lines=350)
              + "declare void @other()\nattributes #0 = { presplitcoroutine }\n")
    assert divide(module) == [module.replace("define i32 @task", "define internal i32 @task")]
    alone, started = divide(module + function("b"))
    assert defined([alone, started]) == [["b"], ["a", "task"]] and "define internal i32 @task" in started
    both = divide(module + function("b", call("task")))
    assert defined(both) == [["b"], ["a", "task"]] and "internal" not in both[0] + both[1]


def test_what_is_never_inlined_is_declared_where_it_is_called():
    module = (function("a", call("b")) + function("b", attributes=" #1") + "declare void @other()\n"
              "attributes #0 = { cold }\nattributes #1 = { noinline nounwind }\n")
    first, second = divide(module)
    assert defined([first, second]) == [["a"], ["b"]]
    assert "declare i32 @b(i32) #1" in first and "@a" not in second and "@other" not in first + second


PROGRAM = """source_filename = "two"
@text = private constant [8 x i8] c"a .Lx b\\00"
declare void @puts(ptr)
define void @twice(ptr %x, i32 %n) #0 {
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %loop ]
  %at = getelementptr float, ptr %x, i32 %i
  %v = load <32 x float>, ptr %at, align 128
  %w = fadd <32 x float> %v, %v
  store <32 x float> %w, ptr %at, align 128
  %next = add nuw nsw i32 %i, 32
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}
define void @f(ptr %x, i32 %n) {
  %first = load float, ptr %x
  %odd = fcmp uno float %first, %first
  br i1 %odd, label %bad, label %good
bad:
  call void @puts(ptr @text)
  ret void
good:
  call void @twice(ptr %x, i32 %n)
  br label %loop
loop:
  %i = phi i32 [ 0, %good ], [ %next, %loop ]
  %at = getelementptr float, ptr %x, i32 %i
  %v = load <32 x float>, ptr %at, align 128
  %w = fmul <32 x float> %v, splat (float 3.0)
  store <32 x float> %w, ptr %at, align 128
  %next = add nuw nsw i32 %i, 32
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}
attributes #0 = { noinline }
"""


@pytest.mark.ieee_arithmetic
def test_both_parts_run_as_one_program(empty_cache, monkeypatch):
    monkeypatch.setattr(module_splitting, "LONG", 1)
    assert defined(divide(PROGRAM)) == [["f"], ["twice"]]
    asm = emit(PROGRAM, CHIP)
    labels = re.findall(r"^([.\w$]+):", asm, re.MULTILINE)
    assert len(labels) == len(set(labels))
    assert asm.count('.note.GNU-stack') == asm.count("\t.file") == 1 and '"a .Lx b"' in asm
    machine = Machine(asm, CHIP)
    x = np.linspace(-5, 9, 96, dtype=np.float32)
    for first in (x[0], np.float32(np.nan)):
        x[0] = first
        address = machine.alloc_ddr(x.nbytes)
        machine.write(address, x)
        machine.run("f", [address, x.size])
        np.testing.assert_array_equal(machine.read(address, np.float32, x.size), x if np.isnan(first) else 6 * x)
    assert machine.output == b"a .Lx b\n"


def test_labels_of_other_parts_are_renamed():
    part = '\t.attribute\t4, 75\n\t.file\t"x"\n\t.text\n{name}:\n.LBB0_1:\n\t{{\n\t\tjump .LBB0_1\n\t}}\n' \
        '.Lfunc_end0:\n\t.size\t{name}, .Lfunc_end0-{name}\n\t.string\t".LBB0_1"\n' \
        '\t.section\t".note.GNU-stack","",@progbits\n'
    asm = concatenated([part.format(name="a"), part.format(name="b")])
    assert asm.count(".attribute") == asm.count(".file") == asm.count(".note") == 1
    second = asm[asm.index("b:"):]
    assert re.findall(r"\.L[\w.]+", second) == [".LBB0_1.1", ".LBB0_1.1", ".Lfunc_end0.1", ".Lfunc_end0.1", ".LBB0_1"]
    assert second.endswith('\t.section\t".note.GNU-stack","",@progbits\n')


LOOP = """  br label %loop

loop:
  %i = phi i32 [ 0, %0 ], [ %next, %loop ]
  %v = load <32 x float>, ptr @{table}, align 128
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %x
  br i1 %more, label %loop, label %end

end:
"""


def test_every_function_with_loops_is_generated_by_itself():
    table = "@table = private constant [4 x i32] zeroinitializer\n@shared = internal global [4 x i32] zeroinitializer\n"
    module = table + (function("plain", call("kept"), lines=1) + function("a", LOOP.format(table="table"), lines=1)
                      + function("kept", LOOP.format(table="table"), lines=1, kind="internal fastcc ")
                      + function("named", LOOP.format(table="shared"), lines=1))
    rest, a, kept = loops_apart(module)
    assert defined([rest, a, kept]) == [["named", "plain"], ["a"], ["kept"]]
    assert "declare dso_local fastcc i32 @kept(i32)" in rest and "@shared = internal" in rest
    assert "@table" in a and "@shared" not in a + kept and "@plain" not in a + kept
    assert loops_apart(function("plain")) == [function("plain")]


def test_functions_in_their_own_ways_run_as_one_program(empty_cache, monkeypatch):
    monkeypatch.setattr(module_splitting, "LONG", 1)
    twin = PROGRAM.replace("@twice", "@double").replace("@f(", "@g(").replace("@puts", "@print")
    both = PROGRAM + "".join(line for line in twin.splitlines(keepends=True)
                             if not line.startswith(("attributes", "@text", "source", "declare void @puts")))
    asm = emit(both, CHIP)
    labels = re.findall(r"^([.\w$]+):", asm, re.MULTILINE)
    assert len(labels) == len(set(labels)) and {"f", "g", "twice", "double"} <= set(labels)
    assert asm == emit(both, CHIP) and asm.count("loop0(") >= 4
