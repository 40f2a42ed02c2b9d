"""Assembly is read in one place: no other file has a pattern for it, or looks at parts of words in it."""

import ast
import re
from functools import lru_cache

import pytest
from support import ROOT

READERS = ("hexagon_mlir/isa/", "hexagon_mlir/llvmir/")
"""Of assembly and of LLVM IR."""
ASSEMBLY = re.compile(
    r"(?:(?<![\w.])|\\b)\[?[rvpqm]+\]?\(?\\d|r29|r\(\?:29"  # registers
    r"|vmem|\bmem\\w|jump|endloop|loop0|\.new\b|\\\.L|cfi_"  # mnemonics, marks, labels and directives
    r"|RR|VV|\[VQ\]|\bV\\?\.|qf(?:32|16)|sf\|hf|=\(sf"  # classes of operands in forms, and types of lanes
)
"""What stands in patterns for instructions, forms, labels and directives."""
ALLOWED = {
    "hexagon_mlir/codegen/rewrites/conversions.py": "the generation in a chip's name, v75",
    "hexagon_mlir/sim/reference/rules.py": "the reference's rules are patterns over forms, found apart from isa's rows",
    "hexagon_mlir/sim/reference/random_packets.py": "random instructions are made from forms, not read",
    "hexagon_mlir/sim/reference/random_memory.py": "random accesses are made from forms, not read",
    "hexagon_mlir/sim/reference/random_operands.py": "what is replaced in a form by random operands",
    "scripts/assemble_forms.py": "instructions for LLVM's assembler are made from forms",
    "scripts/golden_forms.py": "golden files are sorted by the names of forms",
    "scripts/c_programs.py": "lines of the compiler's output that are left out of a kept file",
}
"""Files that may have such patterns, and why."""
PARTS = ("hexagon_mlir", "passes", "dialects", "bench", "fuzz", "scripts")
FILES = {name: file for part in PARTS for file in sorted((ROOT / part).rglob("*.py"))
         if not (name := str(file.relative_to(ROOT))).startswith(READERS)}


@lru_cache(maxsize=1)
def calls(source):
    if "re." not in source and ".access" not in source:  # parsing takes most of the time
        return []
    return [node for node in ast.walk(ast.parse(source))
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]


def patterns(source):
    """Patterns over assembly that calls of the module ``re`` are given, and their lines."""
    return [f"{call.lineno}: {text}" for call in calls(source)
            if isinstance(call.func.value, ast.Name) and call.func.value.id == "re" and call.args
            and ASSEMBLY.search(text := ast.unparse(call.args[0]).replace("\\\\", "\\"))]


def parts_of_words(source):
    """Tests for the begin or end of an instruction's text or memory mnemonic."""
    return [f"{call.lineno}: {ast.unparse(call)}" for call in calls(source)
            if call.func.attr in ("startswith", "endswith") and isinstance(call.func.value, ast.Attribute)
            and call.func.value.attr == "access"]


def test_no_pattern_for_assembly_outside_of_isa():
    wrong = []
    for name, file in FILES.items():
        source = file.read_text()
        wrong += [f"{name}:{text}" for text in parts_of_words(source)]
        if name not in ALLOWED:
            wrong += [f"{name}:{text}" for text in patterns(source)]
        elif not patterns(source):
            wrong.append(f"{name} has none any more: take it off the list")
    assert wrong == []


@pytest.mark.parametrize("source", [
    r're.compile(r"vmemu?\(r(?:29|30)[^)]*\) =")', r're.search(r"\br(?:29|30)[+)]", x)', r're.compile(r"v\d+ = v\d+")',
    r're.findall(r"(?<!\w)[rvpqm]\d+(?::\d+)?", x)', r're.compile(r"V\.qf(?:16|32)=")', r're.compile(r"\bjump\b")',
    r're.compile(r"(RR|R|VV|V|P)(?:\.(\w+))?")', r're.compile(r"\.(qf32|sf|qf16|hf|bf|f8)\b")'])
def test_patterns_for_assembly_are_found(source):
    assert patterns(source)


def test_parts_of_words_are_found():
    assert parts_of_words('insn.access.startswith("v")')


def test_the_patterns_of_isa_would_be_found():
    files = (ROOT / READERS[0]).glob("*.py")
    assert sum(bool(patterns(file.read_text())) for file in files) >= 4
