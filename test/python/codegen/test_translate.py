"""LLVM dialect to LLVM IR: what cannot be translated is an error with a place, never a crash."""

import pytest
from text_rewrites import half_fabs_as_bits

from hexagon_mlir import targets
from hexagon_mlir.codegen import translate_to_llvm_ir
from hexagon_mlir.codegen.backend import optimize_and_emit
from hexagon_mlir.codegen.compile import lower_module
from hexagon_mlir.codegen.llvm import Library
from hexagon_mlir.codegen.steps import PRINTED
from hexagon_mlir.ir import HexError, parse


def test_translates():
    text = translate_to_llvm_ir(parse("llvm.func @f(%a: f32) -> f32 {\n"
                                      "  %0 = llvm.mlir.constant(0.1 : f32) : f32\n"
                                      "  %1 = llvm.fadd %a, %0 : f32\n  llvm.return %1 : f32\n}\n"))
    assert "define float @f(float %0)" in text
    assert "fadd float %0, 0x3FB99999A0000000" in text


def test_what_llvm_printed_is_not_printed_again(monkeypatch):
    """Code generation reads a translated module as it is, and makes the same of it without the line that tells."""
    vector = "vector<64xf32>"
    text = translate_to_llvm_ir(parse(f"""llvm.func @f(%p: !llvm.ptr, %q: !llvm.ptr) {{
  %c = llvm.mlir.constant(dense<0.1> : {vector}) : {vector}
  %one = llvm.mlir.constant(dense<1.0> : {vector}) : {vector}
  %0 = llvm.load %p : !llvm.ptr -> {vector}
  %1 = llvm.fmul %0, %c : {vector}
  %2 = llvm.fadd %1, %one : {vector}
  llvm.store %2, %q : {vector}, !llvm.ptr
  llvm.return
}}
"""))
    chip = targets.get("v75")
    _, header, rest = text.partition(PRINTED)
    longer = optimize_and_emit("\n" + header + rest, chip.cpu, chip.features, "asm")
    monkeypatch.setattr(Library, "normal_form", None)
    assert optimize_and_emit(text, chip.cpu, chip.features, "asm") == longer
    assert b"vmpy" in longer


def test_assertions_of_other_modules_are_not_counted():
    """Upstream numbers messages over the whole process; the cache of generated code is keyed by the text."""
    body = 'func.func @f(%a: i1, %b: i1) {\n  cf.assert %a, "one"\n  cf.assert %b, "two"\n  return\n}\n'
    (first,), (second,) = (lower_module(parse(body)).modules for _ in range(2))
    assert first == second
    assert '@assert_msg.0 = private constant [4 x i8] c"' in first
    assert first.count("@assert_msg.0") == first.count("@assert_msg.1") == 2


@pytest.mark.parametrize(("body", "op"), [
    ("func.func @f(%a: f32) -> f32 {\n  %0 = math.erf %a : f32\n  return %0 : f32\n}\n", "math.erf"),
    ("llvm.func @f(%a: i32) -> i64 {\n  %0 = builtin.unrealized_conversion_cast %a : i32 to i64\n"
     "  llvm.return %0 : i64\n}\n", "builtin.unrealized_conversion_cast"),
    ("llvm.func @f(%a: f32) -> f32 {\n  %0 = math.erf %a : f32\n  llvm.return %0 : f32\n}\n", "math.erf"),
])
def test_refuses(body, op):
    module = parse(body, file="k.mlir")
    with pytest.raises(HexError) as caught:
        translate_to_llvm_ir(module)
    diagnostic = caught.value.diagnostics[0]
    assert f"'{op}' has no LLVM form" in diagnostic.message
    assert (diagnostic.origin, diagnostic.severity) == ("translate-to-llvm-ir", "error")
    assert (diagnostic.place.line, diagnostic.place.column) == (2, 8)
    assert "--pipeline=default" in diagnostic.hint


def test_counts_what_is_left():
    module = parse("llvm.func @f(%a: f32) {\n  %0 = math.erf %a : f32\n  %1 = math.exp %a : f32\n  llvm.return\n}\n")
    with pytest.raises(HexError, match=r"'math.erf' has no LLVM form; 2 such operations remain"):
        translate_to_llvm_ir(module)


def test_half_fabs_becomes_bits():
    text = ("define void @f(<64 x half> %h, <32 x float> %f) {\na:\n"
            "  %x = tail call <64 x half> @llvm.fabs.v64f16(<64 x half> %h)\n"
            "  %y = tail call nnan <32 x float> @llvm.fabs.v32f32(<32 x float> %f)\n}\n"
            "declare <64 x half> @llvm.fabs.v64f16(<64 x half>)\n")
    lines = half_fabs_as_bits(text).splitlines()
    assert lines[2].strip() == "%fabs.bits.x = bitcast <64 x half> %h to <64 x i16>"
    assert lines[3].strip() == "%fabs.clear.x = and <64 x i16> %fabs.bits.x, splat (i16 32767)"
    assert lines[4].strip() == "%x = bitcast <64 x i16> %fabs.clear.x to <64 x half>"
    assert lines[:2] + lines[5:] == text.splitlines()[:2] + text.splitlines()[3:]
