"""Text that is made to keep a reader busy: refused or read at once, in a process that would be killed otherwise."""

import subprocess

import pytest
from support import run_opt

from hexagon_mlir.ir import HexError, parse, text_guards
from hexagon_mlir.ir import text as reader

COUNT = 100_000
DIGITS = "9" * COUNT
TOO_MANY = "a number of more than 400 digits"
REDUCE = "linalg.reduce dimensions = "
TEXTS = {
    "an integer": (f"func.func @f() {{\n  %0 = arith.constant {DIGITS} : i32\n  return }}",
                   f":2:23: error: {TOO_MANY}"),
    "a negative integer": (f"module attributes {{a.b = -{DIGITS}}} {{}}", TOO_MANY),
    "an integer wide enough": (f"module attributes {{a.b = {DIGITS} : i16777215}} {{}}", TOO_MANY),
    "a hexadecimal integer": (f"module attributes {{a.b = 0x{'f' * COUNT}}} {{}}", TOO_MANY),
    "a hexadecimal integer after a string": (f'module attributes {{a.b = "a"0x{"f" * COUNT}"}} {{}}', TOO_MANY),
    "digits after a point": (f"module attributes {{a.b = 0.{DIGITS}}} {{}}", TOO_MANY),
    "an element": (f"module attributes {{a.b = dense<{DIGITS}> : tensor<4xi32>}} {{}}", TOO_MANY),
    "an array": (f"module attributes {{a.b = array<i64: {DIGITS}>}} {{}}", TOO_MANY),
    "a memory space": (f"func.func private @f(memref<4xf32, {DIGITS}>)", TOO_MANY),
    "an affine map": (f"module attributes {{a.b = affine_map<(d0) -> (d0 + {DIGITS})>}} {{}}", TOO_MANY),
    "blank lines": ("\n" * COUNT, None),
    "blank lines before an error": ("\n" * COUNT + "x", "custom op 'x' is unknown"),
    "spaces": (" " * COUNT + "x", "custom op 'x' is unknown"),
    "quotes": ('"' * COUNT, "empty operation name"),
    "escaped quotes": ('"' + '\\"' * COUNT + "(" * 600, "expected"),
    "minus signs far apart": (("-" + " " * 2000) * 600 + "x", "more than 500 operators in a row"),
    "almost too many minus signs": ((("-" + " " * 200) * 499 + "x\n") * 20, "expected operation name"),
    "almost too many operators": (("mod" + " " * 200 + "x" + " " * 200) * 499 * 2, "more than 500 operators in a row"),
    "a list of spaces": (REDUCE + "[" + " " * COUNT, "expected a list of integers"),
    "a list that goes on": (REDUCE + "[1" + " ,1" * COUNT, "expected a list of integers"),
    "a list and spaces": (REDUCE + "[1" + " " * COUNT, "expected a list of integers"),
    "names of lists": ("linalg.reduce " + ("dimensions" + " " * 1000) * 500, "expected"),
    "shapes": ("tensor<" * COUNT, "nested more than 500 deep"), "a shape": ("tensor<" + "1x" * COUNT, "unknown"),
    "a shape without an end": ("tensor<" + "1" * COUNT, TOO_MANY),
}
"""Text, and what the error says; None where there is none."""
COMMENTS = {
    "spaces": ("// expected-error" + " " * COUNT + "x", None),
    "comments in comments": ("// " + "expected-error {{" * (COUNT // 17), None),
    "ends": ("// expected-error {{" + "}}" * COUNT + "x", None),
    "parts": ("// expected-error-re {{" + "{{" * COUNT + "}}", "was not produced"),
    "a line": (f"// expected-error @+{DIGITS} {{{{x}}}}", 'expected error "x" was not produced'),
    "no regular expression": ("// expected-error-re {{a{{[}}b}}", "<stdin>:1: error: no regular expression: "),
    "a repetition": ("// expected-error-re {{a{{b{99999999999999999999}c}}d}}", "no regular expression"),
}


def assert_says(flags, text, says) -> None:
    try:
        done = run_opt(*flags, stdin=text.encode())
    except subprocess.TimeoutExpired:
        pytest.fail("no answer in time")
    assert done.code == (says is not None), done.err[:500]
    assert "internal" not in done.err and (says or "") in done.err, done.err[:500]


@pytest.mark.parametrize("name", TEXTS)
def test_text(name):
    assert_says([], *TEXTS[name])


@pytest.mark.parametrize("name", COMMENTS)
def test_comment(name):
    text, says = COMMENTS[name]
    assert_says(["--verify-diagnostics"], text, says)


@pytest.mark.parametrize("name", ["an integer", "blank lines", "escaped quotes"])
def test_triton_text(name, tmp_path):
    pytest.importorskip("triton")
    text, says = TEXTS[name]
    (tmp_path / "k.ttir").write_text(text)
    assert_says([str(tmp_path / "k.ttir")], "", says)


@pytest.mark.parametrize(("flag", "says"), [
    (f"--hexagon-tcm-tiling=tcm-bytes={DIGITS}", "is not an integer"),
    ("--hexagon-fusion=" + "a " * 50000, "unknown option"), (f"--canonicalize=max-iterations={DIGITS}", "invalid"),
    ("--hexagon-tcm-tiling=tile-sizes='" + "a" * COUNT, "cannot read"),
    ("--pass-pipeline=" + "func.func(" * 10000, "nested more than 100 deep"), ("--pass-pipeline=" + "," * COUNT, None)])
def test_options(flag, says):
    assert_says([flag], "module {}", says)


def test_long_text_that_is_no_number():
    """Weights, names, comments, and numbers as long as an f64 may be."""
    for text in (f'module attributes {{a.b = dense<"0x{"00" * 40000}"> : tensor<10000xi32>}} {{}}',
                 f'module attributes {{a.b = "{DIGITS}"}} {{}} // {DIGITS}', f"func.func private @{'a' * COUNT}()",
                 f"module attributes {{a.b = {'9' * 309}.0, a.c = 0.{'3' * 399}, a.d = {'1' * 400} : i8000}} {{}}"):
        assert parse(text).operation.verify()


@pytest.mark.parametrize("before", range(0, 200, 23))
def test_the_limit_is_exact(before):
    """Wherever in the text a number is."""
    text = " " * before + "module attributes {a.b = %s : i8000} {}" + " " * 300
    parse(text % ("7" * text_guards.MAX_DIGITS))
    with pytest.raises(HexError, match=TOO_MANY):
        parse(text % ("7" * (text_guards.MAX_DIGITS + 1)))


def test_lines_of_parts():
    """They are counted once; errors still name them."""
    text = "module {}\n// -----\n\nmodule {}\n   // -----  \n\n\nfunc.func @f() { return 1 }\n// -----\nx\n"
    err = run_opt("--split-input-file", stdin=text.encode()).err
    assert [line.split(":")[1] for line in err.splitlines() if "error: " in line] == ["8", "10"]


@pytest.mark.parametrize("words", [["hexmlir-opt"], ["hexmlir", "compile"], ["hexmlir", "sim", "--entry", "f"]])
def test_a_device_without_end(words, tmp_path, monkeypatch, capsys):
    from hexagon_mlir.cli import hexmlir, opt

    monkeypatch.setattr(reader, "MOST_BYTES", 1 << 20)
    main = opt.main if words == ["hexmlir-opt"] else hexmlir.main
    output = ["-o", str(tmp_path / "k.o")] if "compile" in words else []
    assert main([*words[1:], "/dev/zero", *output]) != 0
    assert "/dev/zero: error: input is larger than" in capsys.readouterr().err
