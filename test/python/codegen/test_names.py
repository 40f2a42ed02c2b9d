"""Names in LLVM IR: whatever values, blocks and functions are called, every rewrite of the text does the same."""

from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

import llvmlite.binding as llvm
import numpy as np
import pytest
from llvm_names import STYLES, same_but_for_names, with_function_names, with_names
from stage_cases import linalg_cases, triton_cases
from text_rewrites import conversions_before_calls, loops_apart, shorten_lifetimes, traits, use_native_vectors

from hexagon_mlir import targets
from hexagon_mlir.codegen import backend, module_splitting
from hexagon_mlir.codegen.artifacts.symbols import own_names
from hexagon_mlir.codegen.compile import lower_module
from hexagon_mlir.codegen.llvm import Library
from hexagon_mlir.codegen.rewrites.tcm_slots import separate_slots
from hexagon_mlir.codegen.steps import AFTER_O3, BEFORE_O3, BY_VARIANT, Program, Step
from hexagon_mlir.codegen.variants import BUDGET, Variant
from hexagon_mlir.exec.host_wide import apart
from hexagon_mlir.ir import parse
from hexagon_mlir.llvmir import Module
from hexagon_mlir.llvmir.literals import rewrite_fp_literals
from hexagon_mlir.llvmir.names import derived
from hexagon_mlir.sim import Machine
from hexagon_mlir.targets import Target

CHIP = targets.get("v75")
IEEE_CHIP = targets.get("v79")
VARIANT = Variant(ordered=True, budget=BUDGET)


def program(text: str, chip: Target = CHIP, **options) -> Program:
    """``text`` as the steps take it."""
    return Program(Module.parse(text), Library(chip.cpu, chip.features, "static", "kept"), **options)


def alone(step: Step) -> Callable[[str], str]:
    """What ``step`` makes of a text, for a chip that wants it."""
    chip = IEEE_CHIP if step.name == "half-narrowings" else CHIP
    return lambda text: step.run(program(text, chip, variant=VARIANT)).text


REWRITES = {
    **{step.name: alone(step) for step in (*BEFORE_O3, *AFTER_O3, *BY_VARIANT) if step.name != "normal-form"},
    "qfloat-lifetimes": lambda text: shorten_lifetimes(text, 8),
    "native IEEE vectors": lambda text: use_native_vectors(text, False), "host shuffles": apart,
    "pinned conversions": conversions_before_calls, "literals": rewrite_fp_literals,
    "loops apart": lambda text: "\n".join(loops_apart(text)),
    "division": lambda text: "\n".join(module_splitting.divide(text)),
}


def lanes(numbers: Iterable[int]) -> str:
    return ", ".join(f"i32 {number}" for number in numbers)


WRITTEN = """
declare <64 x half> @llvm.fabs.v64f16(<64 x half>)
declare void @hexmlir_gather_words(i32, i32, i32, <32 x i32>, i32)
declare void @hexmlir_gather_done(i32)
declare <32 x i32> @llvm.hexagon.V6.vconv.sf.qf32.128B(<32 x i32>)
declare <32 x i32> @llvm.hexagon.V6.vadd.sf.128B(<32 x i32>, <32 x i32>)
declare <64 x i32> @llvm.hexagon.V6.vshuffvdd.128B(<32 x i32>, <32 x i32>, i32)
declare <32 x i32> @llvm.hexagon.V6.lo.128B(<64 x i32>)
declare <32 x i32> @llvm.hexagon.V6.hi.128B(<64 x i32>)
declare void @work()

define void @exchanged(ptr %p, <32 x i32> %a, <32 x i32> %b) {
  %first = call <32 x i32> @llvm.hexagon.V6.vconv.sf.qf32.128B(<32 x i32> %a)
  %second = call <32 x i32> @llvm.hexagon.V6.vconv.sf.qf32.128B(<32 x i32> %b)
  %pair = call <64 x i32> @llvm.hexagon.V6.vshuffvdd.128B(<32 x i32> %first, <32 x i32> %second, i32 4)
  %low = call <32 x i32> @llvm.hexagon.V6.lo.128B(<64 x i32> %pair)
  %high = call <32 x i32> @llvm.hexagon.V6.hi.128B(<64 x i32> %pair)
  %sum = call <32 x i32> @llvm.hexagon.V6.vadd.sf.128B(<32 x i32> %low, <32 x i32> %high)
  %ieee = call <32 x i32> @llvm.hexagon.V6.vconv.sf.qf32.128B(<32 x i32> %sum)
  store <32 x i32> %ieee, ptr %p, align 128
  ret void
}

define void @tests(ptr %p, <32 x float> %x, <64 x half> %h, <32 x i32> %i) {
  %zero = fcmp oeq <32 x float> %x, zeroinitializer
  %odd = trunc <32 x i32> %i to <32 x i1>
  %more = icmp sgt <32 x i32> %i, zeroinitializer
  %either = select <32 x i1> %zero, <32 x i1> %odd, <32 x i1> %more
  %both = and <32 x i1> %either, %odd
  %chosen = select <32 x i1> %both, <32 x i32> %i, <32 x i32> zeroinitializer
  store <32 x i32> %chosen, ptr %p, align 128
  %size = tail call <64 x half> @llvm.fabs.v64f16(<64 x half> %h)
  store <64 x half> %size, ptr %p, align 128
  ret void
}

define float @smaller(float %x, float %y) {
  %less = fcmp olt float %x, %y
  %r = select i1 %less, float %x, float %y
  ret float %r
}

define <64 x half> @narrowed(<32 x float> %x) {
  %wide = shufflevector <32 x float> %x, <32 x float> poison, <64 x i32> <HALF>
  %r = fptrunc <64 x float> %wide to <64 x half>
  ret <64 x half> %r
}

define void @tables(i32 %to, i32 %table, <32 x i32> %offsets, i32 %valid) {
  call void @hexmlir_gather_words(i32 %to, i32 %table, i32 1023, <32 x i32> %offsets, i32 %valid)
  tail call void @hexmlir_gather_words(i32 %to, i32 %table, i32 1023, <32 x i32> %offsets, i32 32)
  call void @hexmlir_gather_done(i32 %to)
  ret void
}

define void @moved(ptr %p, ptr %q) {
  %v = load <64 x bfloat>, ptr %p, align 128
  %one = load bfloat, ptr %q, align 2
  %in = insertelement <64 x bfloat> %v, bfloat %one, i64 0
  %out = extractelement <64 x bfloat> %in, i64 3
  store <64 x bfloat> %in, ptr %p, align 128
  store bfloat %out, ptr %q, align 2
  ret void
}

define void @pinned(ptr %p, <32 x i32> %x) {
  %sum = call <32 x i32> @llvm.hexagon.V6.vadd.sf.128B(<32 x i32> %x, <32 x i32> %x)
  %ieee = call <32 x i32> @llvm.hexagon.V6.vconv.sf.qf32.128B(<32 x i32> %sum)
  call void @work()
  br label %then
then:
  store <32 x i32> %ieee, ptr %p, align 128
  ret void
}

define void @rows(ptr %p, ptr %q) {
ROWS
  ret void
}

define void @turned(ptr %p, <32 x i32> %a, <32 x i32> %b) {
TURNED
  ret void
}
"""


def rows() -> str:
    """Two rows that share no vectors, unaligned."""
    lines = []
    for row, n in ((row, n) for row in range(2) for n in range(12)):
        lines += [f"  %at{row}.{n} = getelementptr i8, ptr %p, i32 {8004 * row + 128 * n}",
                  f"  %v{row}.{n} = load <32 x i32>, ptr %at{row}.{n}, align 4",
                  f"  store <32 x i32> %v{row}.{n}, ptr %q, align 128"]
    return "\n".join(lines)


def turned() -> str:
    """A chain of exchanges between two vectors."""
    lines, vectors = [], ("%a", "%b")
    for n in range(15):
        gap = 1 << n % 5
        low = [k + 32 - gap if k & gap else k for k in range(32)]
        of = ", ".join(f"<32 x i32> {vector}" for vector in vectors)
        vectors = (f"%low{n}", f"%high{n}")
        lines += [f"  {vector} = shufflevector {of}, <32 x i32> <{lanes(mask)}>"
                  for vector, mask in zip(vectors, (low, [k + gap for k in low]), strict=True)]
    return "\n".join([*lines, *(f"  store <32 x i32> {vector}, ptr %p, align 128" for vector in vectors)])


SMALL_INTEGERS = """define void @f(ptr %p, ptr %q) {
  %a = load <32 x i16>, ptr %p, align 128
  %w = sext <32 x i16> %a to <32 x i32>
  %s = add <32 x i32> %w, splat (i32 1262485504)
  %f = bitcast <32 x i32> %s to <32 x float>
  %r = fsub <32 x float> %f, splat (float 0x4168000000000000)
  store <32 x float> %r, ptr %q, align 128
  ret void
}
"""
"""An integer made a float by the constant, as formulas for IEEE arithmetic do."""


@cache
def corpus() -> list[str]:
    """Kernels as they come from the passes, with native vectors, and after -O3; and what no kernel has."""
    library = Library(CHIP.cpu, CHIP.features, "static", "kept")
    half = f"{lanes(range(32))}, {', '.join(['i32 poison'] * 32)}"
    texts = [library.normal_form(WRITTEN.replace("HALF", half).replace("ROWS", rows()).replace("TURNED", turned())),
             library.normal_form(SMALL_INTEGERS),
             library.normal_form((Path(__file__).parent / "row_and_element.ll").read_text())]
    for case in (*triton_cases(), *linalg_cases()):
        source = library.linked(lower_module(parse(case.text()), CHIP).modules)
        native = library.normal_form(use_native_vectors(separate_slots(Module.parse(source)).text, True))
        texts += [source, native, library.optimized(native)]
    return sorted(texts, key=len)


@cache
def chosen(name: str) -> list[str]:
    """The two shortest texts that a rewrite changes."""
    found = []
    for text in corpus():
        if REWRITES[name](text) != text:
            found.append(text)
        if len(found) == 2:
            break
    return found


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", REWRITES)
def test_a_rewrite_does_the_same_whatever_values_are_called(name, style):
    rewrite = REWRITES[name]
    assert chosen(name), "no text of the corpus is rewritten"
    for text in chosen(name):
        given = with_names(text, STYLES[style])
        llvm.parse_assembly(given, context=llvm.create_context()).verify()
        done = rewrite(given)
        assert same_but_for_names(done) == same_but_for_names(rewrite(with_names(text, lambda n: f"v{n}")))
        if name not in ("loops apart", "division"):  # several modules
            llvm.parse_assembly(done, context=llvm.create_context()).verify()


def test_every_form_of_the_corpus_is_read():
    """What LLVM prints of kernels before and after -O3 has no form whose operands a rewrite would not see."""
    assert [i.text for text in corpus() for function in Module.parse(text).functions for i in function.unparsed] == []


@pytest.mark.parametrize("style", STYLES)
def test_code_has_the_same_traits_whatever_values_are_called(style):
    for text in [text for text in corpus() if "@llvm.hexagon." in text][:6]:
        assert traits(with_names(text, STYLES[style])) == traits(text)


@pytest.mark.parametrize("style", [style for style in STYLES if style != "numbers"])
def test_modules_are_divided_whatever_functions_are_called(style, monkeypatch):
    """The text has two functions with one between them, a constant of its own, and a string that looks like a name."""
    monkeypatch.setattr(module_splitting, "LONG", 10)
    monkeypatch.setattr(module_splitting, "NEVER_INLINED", 4)
    body = "  store volatile i32 %x, ptr @c\n" * 8
    text = "@c = private constant [3 x i8] c\"@f\\00\"\n" + "".join(
        f"define void @{name}(i32 %x, i32 %unused) {{\n{body}{call}  ret void\n}}\n" for name, call in (
            ("f", "  call void @g(i32 %x, i32 7)\n"), ("g", ""), ("h", "  call void @g(i32 %x, i32 8)\n")))
    given = with_function_names(text, STYLES[style])
    plain = with_function_names(text, lambda number: f"f{number}")
    parts, expected = (module_splitting.divide(t) for t in (given, plain))
    assert len(expected) == 2 and "i32 poison" in "".join(expected)
    assert [same_but_for_names(with_function_names(part, lambda number: f"f{number}")) for part in parts] == [
        same_but_for_names(with_function_names(part, lambda number: f"f{number}")) for part in expected]


def test_functions_of_a_kernel_get_its_name_in_front_of_theirs():
    text = 'define void @"a b"() {\n  call void @g-1()\n  ret void\n}\ndefine void @g-1() {\n  ret void\n}\n'
    told = '@text = private constant [5 x i8] c"@g-1\\00"\n'
    assert own_names(told + text, '"a b"', "k") == told + text.replace('@"a b"', "@k").replace("@g-1()", "@k.g-1()")
    assert '@"k.a b"' in own_names(text, "g-1", "k")


def test_a_derived_name_is_a_name():
    assert [derived("bits", name) for name in ("%5", "%y.pre-phi", '%"a b"')] == ["%bits.5", "%bits.y.pre-phi",
                                                                                 '%"bits.a b"']


ZERO = """
define void @f(ptr align 128 %x, ptr align 128 %out) {
  %y.pre-phi = load <32 x float>, ptr %x, align 128
  %is-zero = fcmp oeq <32 x float> %y.pre-phi, zeroinitializer
  %r = zext <32 x i1> %is-zero to <32 x i32>
  store <32 x i32> %r, ptr %out, align 128
  ret void
}
"""


@pytest.mark.parametrize("target", ["v75", "v79"])
def test_minus_zero_is_zero_whatever_it_is_called(target):
    chip = targets.get(target)
    machine = Machine(backend.optimize_and_emit(ZERO, chip.cpu, chip.features, "asm", "unrolled").decode())
    x, out = machine.alloc_ddr(128), machine.alloc_ddr(128)
    machine.write(x, np.tile(np.array([-0.0, 0.0, 1e-40, np.nan], np.float32), 8))
    machine.run("f", [x, out])
    np.testing.assert_array_equal(machine.read(out, np.int32, 32), np.tile([1, 1, 0, 0], 8))
