"""Reading and printing LLVM IR: lines as records, functions with blocks, definitions and users, modules."""

import llvmlite.binding as llvm
import pytest

from hexagon_mlir.llvmir import Function, Module, parse_line, rewrite


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
    assert (first.result, first.operands, first.mentioned) == ("%a", ["%m", "%x", "%x"], ("%m", "%x", "%x"))
    assert (second.result, second.operands, second.mentioned) == ("%b", ["%k", "%y", "%a"], ("%k", "%y", "%a"))
    assert (indirect.flags, indirect.operands, indirect.mentioned) == ("%g", ["%b"], ("%g", "%b"))


NUMBERED = """define i32 @f(i32 %0) {
  br label %2

2:  ; preds = %2, %1
  %3 = phi i32 [ %0, %1 ], [ %3, %2 ], [ %3, %2 ]
  switch i32 %3, label %2 [
    i32 0, label %2
    i32 1, label %4
  ]

4:
  ret i32 %3
}
"""
AROUND = "@c = private unnamed_addr constant i8 0\n@v = global i8 0\ndeclare void @g()\n\n"
METADATA = "\nattributes #0 = { noinline nounwind }\n!0 = !{}\n!1 = !{!0}\n"


def test_numbers_become_names():
    found = Function(NUMBERED.strip())
    assert [i.block for i in found.records] == ["", *["n1"] * 2, *["n2"] * 3, *["n4"] * 3]
    assert found.records[4].text == "  %n3 = phi i32 [ %n0, %n1 ], [ %n3, %n2 ], [ %n3, %n2 ]"
    assert found.records[4].mentioned == ("%n0", "%n1", "%n3", "%n2", "%n3", "%n2")
    assert found.records[4].incoming == ["n1", "n2", "n2"]


def test_a_function_has_blocks_definitions_and_users():
    found = Function(NUMBERED.strip())
    assert [(b.name, b.targets, b.is_loop) for b in found.blocks] == [
        ("n1", ("n2",), False), ("n2", ("n2", "n2", "n4"), True), ("n4", (), False)]
    assert found.definitions["%n3"].opcode == "phi" and found.has_loops
    assert [u.opcode for u in found.users["%n3"]] == ["phi", "switch", "ret"]
    assert "label %n4\n  ]" in found.blocks[1].instructions[1].text, "the cases of a switch are part of it"


@pytest.mark.parametrize("around", [("", ""), (AROUND, METADATA), ("\n", "")])
def test_a_module_that_nothing_changes_is_printed_as_it_was(around):
    text = around[0] + NUMBERED + NUMBERED.replace("@f", "@h") + around[1]
    module = Module.parse(text)
    assert module.text == text and [f.name for f in module.functions] == ["@f", "@h"]
    assert module.map(lambda function: function) is module
    dropped = Module([Function(records=part.records) if isinstance(part, Function) else part for part in module.parts])
    llvm.parse_assembly(dropped.text, context=llvm.create_context()).verify()
    assert Module.parse(dropped.text).text == dropped.text


@pytest.mark.parametrize("text", ["", "; a\n", "\n\n", "; a\ndefine b {\n  x\n}\ndefine c {\n}\n\n; d"])
def test_any_text_is_a_module(text):
    assert Module.parse(text).text == text


def test_what_a_module_says_around_functions():
    module = Module.parse(AROUND + NUMBERED + METADATA)
    assert module.variables == {"@c": True, "@v": False} and module.declared == {"@g"}
    assert module.next_metadata == 2 and module.with_attribute("noinline") == {"#0"}
    more = module.declaring({"@g": "declare void @g()", "@h": "declare void @h()"})
    assert more.text.count("declare void @g()") == 1 and more.declared == {"@g", "@h"}
    assert module.declaring({"@g": "declare void @g()"}) is module


def test_a_rule_replaces_instructions_and_leaves_others_alone():
    function = Function("define i32 @f(i32 %a) {\n  %x = add i32 %a, 1\n  %y = add i32 %x, 2\n  ret i32 %y\n}")

    def doubled(i):
        return [f"  {i.result} = shl i32 {i.operands[0]}, 1"] if i.operands[1] == "2" else None

    done = rewrite(function, ("add",), doubled)
    assert [i.text for i in done.instructions] == ["  %x = add i32 %a, 1", "  %y = shl i32 %x, 1", "  ret i32 %y"]
    assert rewrite(done, ("add",), doubled) is done, "nothing changes: the same function"
    assert function.definitions["%y"].opcode == "add", "a function is never changed"


def test_forms_that_nobody_knows_are_said_to_be():
    lines = ("  %x = call i32 strange @g(i32 1)", "  %y = add i32 %x, 1", "  ret i32 %y")
    function = Function("\n".join(["define i32 @f() {", *lines, "}"]))
    assert [i.result for i in function.unparsed] == ["%x"]


def test_names_in_quotes_become_words():
    function = Function('define void @"a b"(i32 %"x y") {\n  %"z w" = add i32 %"x y", 1\n  ret void\n}')
    assert function.name == '@"a b"' and function.definitions["%n.1"].operands == ["%n.0", "1"]


@pytest.mark.parametrize(("line", "property_", "value"), [
    ("  %z = fcmp nnan ninf une <32 x float> %x, zeroinitializer", "predicate", "une"),
    ("  %z = icmp ult i32 %x, 4", "predicate", "ult"), ("  %z = add i32 %x, 4", "predicate", ""),
    ("  %q = load volatile <32 x i32>, ptr %b, align 128", "volatile", True),
    ("  %q = load volatile <32 x i32>, ptr %b, align 128", "alignment", 128),
    ("  store i32 %a, ptr %b", "alignment", 0), ("  store <4 x i8> %a, ptr %b, align 4", "is_vector", True),
    ("  store i32 %a, ptr %b, align 4", "is_vector", False),
    ("  %r = call <32 x i32> @llvm.hexagon.V6.vadd.sf.128B(<32 x i32> %a, <32 x i32> %b)", "intrinsic", "V6.vadd.sf"),
    ("  %r = call i32 @llvm.hexagon.A2.swiz(i32 %a)", "intrinsic", "A2.swiz"),
    ("  %r = tail call i32 (ptr, ...) @printf(ptr %a, i32 3)", "flags", "@printf"),
    ("  %r = call noundef nonnull ptr @g(i32 noundef 3) #4", "flags", "@g"),
    ("  %r = tail call align 128 dereferenceable(132) ptr @h(i32 128)", "flags", "@h"),
    ("  br i1 %c, label %a, label %b, !llvm.loop !3", "targets", ["a", "b"])])
def test_what_an_instruction_says(line, property_, value):
    assert getattr(parse_line(line), property_) == value
