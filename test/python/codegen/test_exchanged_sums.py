"""Sums of exchanged lanes in legacy qfloat: what is rewritten, what is not, and values on the simulator."""

import re

import numpy as np
import pytest
from text_rewrites import exchanged_sums_in_qfloat

from hexagon_mlir import targets
from hexagon_mlir.codegen.backend import optimize_and_emit
from hexagon_mlir.codegen.steps import AFTER_O3, Program
from hexagon_mlir.sim import Machine

WORDS, PAIR, CALL = "<32 x i32>", "<64 x i32>", "call <32 x i32> @llvm.hexagon.V6."


def called(name: str, *operands: str) -> str:
    return f"{CALL}{name}.128B({', '.join(f'{WORDS} {one}' for one in operands)})"


def body(total: str = "vadd.sf", last: str = "", first: str = "vconv.sf.qf32") -> str:
    """Sums of f16 products of four vectors with one, exchanged twice; ``total`` adds up the first halves, ``first`` is
    what gives the first of them, and ``last`` are lines before the result is stored."""
    lines = [f"define void @f(ptr %x, ptr %out) {{\n  %y = load {WORDS}, ptr %x, align 128"]
    for n in range(4):
        lines += [f"  %p{n} = getelementptr i8, ptr %x, i32 {128 * n + 128}",
                  f"  %x{n} = load {WORDS}, ptr %p{n}, align 128",
                  f"  %product{n} = call {PAIR} @llvm.hexagon.V6.vmpy.qf32.hf.128B({WORDS} %x{n}, {WORDS} %y)",
                  f"  %even{n} = call {WORDS} @llvm.hexagon.V6.lo.128B({PAIR} %product{n})",
                  f"  %odd{n} = call {WORDS} @llvm.hexagon.V6.hi.128B({PAIR} %product{n})",
                  f"  %sum{n} = {called('vadd.qf32', f'%even{n}', f'%odd{n}')}",
                  f"  %ieee{n} = {called(first if n == 0 else 'vconv.sf.qf32', f'%sum{n}')}"]
    for n, (left, right, gap, adds) in enumerate([("%ieee1", "%ieee0", 4, total), ("%ieee3", "%ieee2", 4, "vadd.sf"),
                                                  ("%ieee5", "%ieee4", 8, "vadd.sf")]):
        lines += [f"  %pair{n} = call {PAIR} @llvm.hexagon.V6.vshuffvdd.128B({WORDS} {left}, {WORDS} {right}, "
                  f"i32 {gap})",
                  f"  %low{n} = call {WORDS} @llvm.hexagon.V6.lo.128B({PAIR} %pair{n})",
                  f"  %high{n} = call {WORDS} @llvm.hexagon.V6.hi.128B({PAIR} %pair{n})",
                  f"  %sum{n + 4} = {called(adds, f'%low{n}', f'%high{n}')}",
                  f"  %ieee{n + 4} = {called('vconv.sf.qf32', f'%sum{n + 4}')}"]
    return "\n".join([*lines, *([last] if last else []), f"  store {WORDS} %ieee6, ptr %out, align 128",
                      "  ret void\n}", *DECLARED]) + "\n"


NAMES = ("vmpy.qf32.hf", "lo", "hi", "vadd.qf32", "vadd.sf", "vadd.qf32.mix", "vconv.sf.qf32", "vshuffvdd", "vor")
DECLARED = [f"declare {PAIR if name in ('vmpy.qf32.hf', 'vshuffvdd') else WORDS} @llvm.hexagon.V6.{name}.128B("
            + ", ".join([PAIR] if name in ("lo", "hi") else [WORDS] * (1 + (not name.startswith("vconv")))
                        + ["i32"] * (name == "vshuffvdd")) + ")" for name in NAMES]


def sums(text: str) -> list[str]:
    """The sums in it, by name."""
    return [name for line in text.splitlines() if "= " in line for name in ("vadd.sf", "vadd.qf32.mix")
            if f"V6.{name}.128B" in line]


def test_exchanges_of_sums():
    text = exchanged_sums_in_qfloat(body())
    assert sums(text) == [], "all read qfloat"
    exchanges = [line for line in text.splitlines() if "call <64 x i32> @llvm.hexagon.V6.vshuff" in line]
    assert [line.split("(")[1] for line in exchanges] == [
        f"{WORDS} %sum1, {WORDS} %sum0, i32 4)", f"{WORDS} %sum3, {WORDS} %sum2, i32 4)",
        f"{WORDS} %sum5, {WORDS} %sum4, i32 8)"]


@pytest.mark.parametrize(("sum_", "operands", "left"), [
    ("vadd.qf32.mix", ["%sum6", "%y"], ["vadd.sf"]), ("vadd.qf32", ["%sum6", "%sum0"], ["vadd.qf32.mix"]),
    ("vadd.qf32", ["%sum0", "%sum6"], ["vadd.qf32.mix"]), ("vadd.qf32", ["%sum6", "%sum5"], ["vadd.sf"]),
    ("vadd.qf32.mix", ["%sum0", "%y"], ["vadd.qf32.mix"])])
def test_a_sum_reads_the_last_sum_without_denormals(sum_, operands, left):
    more = "\n".join([f"  %more = {called(sum_, *operands)}", f"  %m = {called('vconv.sf.qf32', '%more')}",
                      f"  store {WORDS} %m, ptr %x, align 128"])
    text = exchanged_sums_in_qfloat(body(last=more))
    assert sums(text) == left
    given = next(line for line in text.splitlines() if " %more = " in line)
    for number, name in enumerate(operands):
        assert (f"%more.{number}.ieee" in given) == (name in ("%sum6", "%sum5"))
    chip = targets.get("v75")
    optimize_and_emit(text, chip.cpu, chip.features, "asm", patience=0)


@pytest.mark.parametrize(("given", "left"), [
    ({"first": "vor"}, 1),  # no conversion
    ({"last": f"  %use = {called('vor', '%low0', '%y')}\n  store {WORDS} %use, ptr %x, align 128"}, 1),
    ({"last": f"  %use = {called('vor', '%sum5', '%y')}\n  store {WORDS} %use, ptr %x, align 128"}, 1),
    ({"last": f"  %use = call {PAIR} @llvm.hexagon.V6.vmpy.qf32.hf.128B({WORDS} %sum6, {WORDS} %y)\n"
              f"  store {PAIR} %use, ptr %x, align 128"}, 1),  # a product of what was not normalised
    ({"last": f"  store {PAIR} %pair2, ptr %x, align 128"}, 1),
])
def test_what_stays(given, left):
    text = body(**given).replace(called("vor", "%sum0"), called("vor", "%sum0", "%sum0"))
    assert len(sums(exchanged_sums_in_qfloat(text))) == left
    chip = targets.get("v75")
    optimize_and_emit(text, chip.cpu, chip.features, "asm", patience=0)  # LLVM's verifier agrees that it is a program


def test_a_module_without_them_is_unchanged():
    text = body().replace("vadd.sf", "vadd.qf32")
    assert exchanged_sums_in_qfloat(text) == text


@pytest.mark.parametrize("scale", [1.0, 1e-4, 0.0, 200.0])
def test_values(scale):
    """Sums of 64 products of f16 for each of four rows, every fourth lane one of them: as exact as with conversions."""
    random = np.random.default_rng(0)
    data = (random.standard_normal((5, 64)) * scale).astype(np.float16)
    data[1] = -data[0]  # the first sum is the largest, of one sign
    chip = targets.get("v75")
    asm = optimize_and_emit(body(), chip.cpu, chip.features, "asm", patience=0).decode()
    assert len(re.findall(r"\.sf = v\d+\.qf32", asm)) == 1, "the last one"
    machine = Machine(asm, "v75", memory="fast")
    given, out = machine.alloc_ddr(data.nbytes), machine.alloc_ddr(128)
    machine.write(given, data)
    machine.run("f", [given, out])
    found = machine.read(out, np.float32, 32).reshape(8, 4).astype(np.float64).sum(0)
    products = data[1:].astype(np.float64) * data[0].astype(np.float64)
    error = np.abs(found - products.sum(1))
    assert (error <= 8 * 2.0**-23 * np.abs(products).sum(1) + 2.0**-30).all()
    if scale == 0:
        assert (machine.read(out, np.uint32, 32) == 0).all(), "not a few units of the least denormal"


def test_it_is_for_legacy_qfloat():
    """Extended qfloat has bits that an exchange does not move."""
    step = next(step for step in AFTER_O3 if step.name == "exchanged-sums")

    class Chip:
        def __init__(self, name):
            self.features = targets.get(name).features

    def runs(name: str) -> bool:
        program = Program.__new__(Program)
        program.library = Chip(name)
        return step.when(program)

    assert [runs(name) for name in ("v68", "v73", "v75", "v79")] == [True, True, True, False]
