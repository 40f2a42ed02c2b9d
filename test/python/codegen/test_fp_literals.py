"""Floating-point literals of LLVM 24 text: the same bits in a form that LLVM 22 reads."""

import struct

import llvmlite.binding as llvm
import numpy as np
import pytest

from hexagon_mlir.codegen.translate import translate_to_llvm_ir
from hexagon_mlir.ir import parse
from hexagon_mlir.llvmir.literals import rewrite_fp_literals

BYTES = {"half": 2, "bfloat": 2, "float": 4, "double": 8}
LAYOUT = {"half": (5, 10), "bfloat": (8, 7), "float": (8, 23), "double": (11, 52)}
MLIR = {"half": "f16", "bfloat": "bf16", "float": "f32", "double": "f64"}


def stored_bits(text: str, count: int, kind: str) -> list[int]:
    """Bits of the ``count`` numbers in global @g of LLVM IR ``text``, through LLVM itself: parsed and emitted."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    module = llvm.parse_assembly(text)
    module.verify()
    engine = llvm.create_mcjit_compiler(module, llvm.Target.from_default_triple().create_target_machine(jit=True))
    engine.finalize_object()
    import ctypes

    size = BYTES[kind]
    raw = ctypes.string_at(engine.get_global_value_address("g"), size * count)
    return [int.from_bytes(raw[i * size:(i + 1) * size], "little") for i in range(count)]


def infinity(kind):
    exponent, fraction = LAYOUT[kind]
    return ((1 << exponent) - 1) << fraction


def sign(kind):
    return 1 << sum(LAYOUT[kind])


@pytest.mark.parametrize("kind", BYTES)
def test_forms(kind):
    quiet = 1 << (LAYOUT[kind][1] - 1)
    top = infinity(kind) - 1
    digits = BYTES[kind] * 2
    forms = {
        "+inf": infinity(kind), "-inf": infinity(kind) | sign(kind),
        "+qnan": infinity(kind) | quiet, "-qnan": infinity(kind) | quiet | sign(kind),
        "+snan(0x1)": infinity(kind) | 1, "-snan(0x1)": infinity(kind) | 1 | sign(kind),
        "+nan(0x15)": infinity(kind) | quiet | 0x15, "-nan(0x15)": infinity(kind) | quiet | 0x15 | sign(kind),
        "0.000000e+00": 0, "-0.000000e+00": sign(kind),
        f"f0x{1:0{digits}X}": 1,                                   # the smallest denormal
        f"f0x{sign(kind) | 3:0{digits}X}": sign(kind) | 3,
        f"f0x{top:0{digits}X}": top,                               # the largest number
        f"f0x{infinity(kind):0{digits}X}": infinity(kind),
    }
    elements = ", ".join(f"{kind} {form}" for form in forms)
    text = rewrite_fp_literals(f"@g = global [{len(forms)} x {kind}] [{elements}]\n")
    assert stored_bits(text, len(forms), kind) == list(forms.values())


@pytest.mark.parametrize(("kind", "dtype"), [("half", np.float16), ("float", np.float32), ("double", np.float64)])
def test_decimals_are_rounded_to_nearest(kind, dtype):
    decimals = ["1.000000e-01", "3.3333333", "-2.5", "6.550400e+04", "1.0e-5", "5.9604645e-08"]
    bits = {2: np.uint16, 4: np.uint32, 8: np.uint64}[BYTES[kind]]
    elements = ", ".join(f"{kind} {d}" for d in decimals)
    text = rewrite_fp_literals(f"@g = global [{len(decimals)} x {kind}] [{elements}]\n")
    assert stored_bits(text, len(decimals), kind) == [int(dtype(d).view(bits)) for d in decimals]


def test_bfloat_decimals():
    text = rewrite_fp_literals("@g = global [3 x bfloat] [bfloat 1.0, bfloat 1.000000e-01, bfloat -3.140625e+00]\n")
    assert stored_bits(text, 3, "bfloat") == [0x3F80, 0x3DCD, 0xC049]


@pytest.mark.parametrize("kind", BYTES)
def test_random_bits_through_the_translation(kind):
    """MLIR prints any bits; after translation LLVM reads the same ones. Signalling NaNs stay signalling."""
    rng = np.random.default_rng(7)
    count, size = 500, BYTES[kind]
    raw = rng.bytes(count * size)
    bits = [int.from_bytes(raw[i * size:(i + 1) * size], "little") for i in range(count)]
    bits[:6] = [0, sign(kind), 1, infinity(kind), infinity(kind) | 1, infinity(kind) | sign(kind)]
    values = ", ".join(f"0x{b:0{2 * size}X}" for b in bits)
    module = parse(f"llvm.mlir.global external @g(dense<[{values}]> : tensor<{count}x{MLIR[kind]}>) "
                   f": !llvm.array<{count} x {MLIR[kind]}>\n")
    assert stored_bits(translate_to_llvm_ir(module), count, kind) == bits


def rewritten(line):
    return rewrite_fp_literals(line)


def test_the_type_named_last_counts():
    line = "  %r = select i1 %c, float +inf, float -inf"
    assert rewritten(line) == "  %r = select i1 %c, float 0x7FF0000000000000, float 0xFFF0000000000000"
    line = "  %x = fptrunc double 5.000000e-01 to float"
    assert rewritten(line) == "  %x = fptrunc double 0x3FE0000000000000 to float"
    line = "  call void @f(half 1.0, bfloat 1.0, double 1.0)"
    assert rewritten(line) == "  call void @f(half 0xH3C00, bfloat 0xR3F80, double 0x3FF0000000000000)"


def test_vectors_and_splats():
    assert rewritten("  %a = fadd <2 x float> %b, <float 1.0, float +qnan>") == \
        "  %a = fadd <2 x float> %b, <float 0x3FF0000000000000, float 0x7FF8000000000000>"
    assert rewritten("  %a = fadd <4 x half> %b, splat (half f0x3C01)") == \
        "  %a = fadd <4 x half> %b, splat (half 0xH3C01)"


@pytest.mark.parametrize("line", [
    '@s = constant [9 x i8] c"+inf 1.0\\00"',
    '@"float 1.0" = external global float',
    '  store float %x, ptr @"a.1.0"',
    "!0 = !{float 1.000000e-01}",
    "  %1.5 = add i32 %0, 7",
    "  br label %inf",
    "  call void @inf.2.0(i32 1)",
    '  %v = call float asm "+inf", "=r"()',
    "target datalayout = \"e-p:32:32\"",
    "; ModuleID = 'x.1.0'",
])
def test_everything_else_stays(line):
    assert rewritten(line) == line


def test_float_nan_payload_moves_with_the_fraction():
    """LLVM writes floats as the double of the same value; a NaN's payload is its fraction, shifted."""
    text = rewrite_fp_literals("@g = global [1 x float] [float -snan(0x2BCDEF)]\n")
    assert "0xFFF579BDE0000000" in text
    assert stored_bits(text, 1, "float") == [0xFFABCDEF]
    assert struct.unpack("<f", struct.pack("<I", 0xFFABCDEF))[0] != 0
