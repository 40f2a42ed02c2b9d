"""LLVM IR is read in one place: no other file has a pattern for it."""

import ast

from support import ROOT

ELSEWHERE = {"hexagon_mlir/llvmir"}
MARKS = ("@llvm", "call ptr", "define ", "declare ", "= load", "= store", "label %", " call ", "x i32>", "<\\d+ x",
         "{VALUE}", "{GLOBAL}", "{WORD}", "shufflevector", "insertelement", " = phi", "getelementptr", "bfloat",
         "attributes #")
"""What stands in patterns for lines, names or types of LLVM IR."""
PARTS = ("hexagon_mlir", "passes", "dialects", "bench", "fuzz", "scripts")
FILES = sorted(file for part in PARTS for file in (ROOT / part).rglob("*.py")
               if not any(str(file.relative_to(ROOT)).startswith(f"{other}/") for other in ELSEWHERE))


def patterns(file):
    """The texts that calls of the module ``re`` in ``file`` are given, and their lines."""
    text = file.read_text()
    if "re." not in text:  # parsing takes most of the time
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args \
                and isinstance(node.func.value, ast.Name) and node.func.value.id == "re":
            yield node.lineno, ast.unparse(node.args[0])


def found(file):
    return [f"{file.relative_to(ROOT)}:{line}: {text}" for line, text in patterns(file)
            if any(mark in text.replace("\\\\", "\\") for mark in MARKS)]


def test_no_pattern_for_llvm_ir_outside_of_llvmir():
    assert [each for file in FILES for each in found(file)] == []


def test_the_patterns_of_llvmir_would_be_found():
    files = sorted((ROOT / "hexagon_mlir" / "llvmir").rglob("*.py"))
    assert sum(bool(found(file)) for file in files) >= 4
