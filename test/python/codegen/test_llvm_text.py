"""Lines of LLVM IR as records."""

import pytest

from hexagon_mlir.codegen.llvm_ir.llvm_text import blocks_of, functions, parse_line, read, with_functions


@pytest.mark.parametrize(("line", "opcode", "type_", "operands", "types"), [
    ("  %p = phi i32 [ %a, %entry ], [ 0, %b.1 ]", "phi", "i32", ["%a", "0"], ["i32", "i32"]),
    ("  %p = phi [4 x i32] [ %a, %entry ], [ %p, %b ]", "phi", "[4 x i32]", ["%a", "%p"], ["[4 x i32]", "[4 x i32]"]),
    ("  %n = ptrtoint ptr %q to i32", "ptrtoint", "i32", ["%q"], ["ptr"]),
    ("  %n = fsub nnan <32 x float> splat (float 1.0), %x", "fsub", "<32 x float>", ["splat (float 1.0)", "%x"],
     ["<32 x float>", "<32 x float>"]),
    ("  tail call void %f(ptr %q)", "call", "void", ["%q"], ["ptr"]),
])
def test_types_and_operands_of_a_line(line, opcode, type_, operands, types):
    found = parse_line(line, "here")
    assert (found.text, found.block, found.opcode, found.type) == (line, "here", opcode, type_)
    assert (found.operands, found.types) == (operands, types)


def test_lines_of_one_form_have_their_own_names():
    first, second, indirect = (parse_line(line) for line in (
        "  %a = select <32 x i1> %m, <32 x i32> %x, <32 x i32> %x", "  %b = select <32 x i1> %k, <32 x i32> %y, "
        "<32 x i32> %a", "  %c = call i32 %g(i32 %b)"))
    assert (first.result, first.operands, first.names()) == ("%a", ["%m", "%x", "%x"], ("%m", "%x", "%x"))
    assert (second.result, second.operands, second.names()) == ("%b", ["%k", "%y", "%a"], ("%k", "%y", "%a"))
    assert (indirect.flags, indirect.operands, indirect.names()) == ("%g", ["%b"], ("%g", "%b"))


def test_numbers_become_names():
    found = read(["define i32 @f(i32 %0) {", "  br label %2", "2:  ; preds = %2, %1",
                  "  %3 = phi i32 [ %0, %1 ], [ %3, %2 ]", "  br label %2", "}"])
    assert [i.block for i in found] == ["", "n1", "n1", "n2", "n2", "n2", "n2"]
    assert found[4].text == "  %n3 = phi i32 [ %n0, %n1 ], [ %n3, %n2 ]"
    assert found[4].names() == ("%n0", "%n1", "%n3", "%n2")


@pytest.mark.parametrize("around", [("", ""), ("declare void @g()\n\n", "\n!0 = !{}\n"), ("\n", "")])
def test_functions_are_found_and_rewritten(around):
    one = "define void @f() {\n  br label %loop\n\nloop:                ; preds = %0\n  ret void\n}"
    text = around[0] + one + "\n" + one.replace("@f", "@h") + "\n" + around[1]
    assert "\n".join(line for _, lines in functions(text) for line in lines) == text
    assert ["\n".join(lines) for inside, lines in functions(text) if inside] == [one, one.replace("@f", "@h")]
    assert with_functions(text, lambda function: function.replace("loop", "l")) == text.replace("loop", "l")
    assert [len(block.split("\n")) for block in blocks_of(one)] == [3, 3] and "\n".join(blocks_of(one)) == one
