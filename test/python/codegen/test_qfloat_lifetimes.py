"""Qfloat values that wait for long wait in IEEE format; where registers are predicted to be short."""

import re

import numpy as np
import pytest
from text_rewrites import shorten_lifetimes, traits

from hexagon_mlir import targets
from hexagon_mlir.codegen import emit
from hexagon_mlir.codegen.hvx.qfloat_lifetimes import far_uses
from hexagon_mlir.codegen.scheduling.list_schedule import best_schedule, most_alive, schedule
from hexagon_mlir.codegen.scheduling.loop_order import Addresses, graph
from hexagon_mlir.codegen.scheduling.traits import Traits
from hexagon_mlir.llvmir import Function, parse_line
from hexagon_mlir.sim import Machine

WORDS = "<32 x i32>"
CHIP = targets.get("v75")
USES = {
    "sum": ("vadd.qf32", "%q", "%p"), "sum with itself": ("vadd.qf32", "%q", "%q"),
    "sum, the other is near": ("vadd.qf32", "%q", "%near"),
    "difference, the other is near": ("vsub.qf32", "%q", "%near"),
    "difference from a near one": ("vsub.qf32", "%near", "%q"), "difference": ("vsub.qf32", "%q", "%p"),
    "sum with IEEE": ("vadd.qf32.mix", "%q", "%x"), "difference with IEEE": ("vsub.qf32.mix", "%q", "%y"),
    "normalised": ("vadd.qf32.mix", "%q", "zeroinitializer"), "product": ("vmpy.qf32", "%qn", "%pn"),
}


def call(result, name, *operands):
    arguments = ", ".join(f"{WORDS} {operand}" for operand in operands)
    return f"  {result} = call {WORDS} @llvm.hexagon.V6.{name}.128B({arguments})"


def program(uses, waits=6):
    """%q and %p are made, ``waits`` vector instructions pass, ``uses`` follow; every result is stored."""
    lines = [f"  %x = load {WORDS}, ptr %a, align 128", f"  %y = load {WORDS}, ptr %b, align 128",
             call("%q", "vmpy.qf32.sf", "%x", "%y"), call("%p", "vadd.sf", "%x", "%y"),
             call("%qn", "vadd.qf32.mix", "%q", "%x"), call("%pn", "vmpy.qf32.sf", "%y", "%y")]
    lines += [f"  %w{n} = xor {WORDS} %{'x' if n == 0 else f'w{n - 1}'}, %y" for n in range(waits)]
    lines.append(call("%near", "vmpy.qf32.sf", f"%w{waits - 1}", "%x"))
    for number, use in enumerate(uses):
        lines += [call(f"%u{number}", *use), call(f"%s{number}", "vconv.sf.qf32", f"%u{number}"),
                  f"  %o{number} = getelementptr i8, ptr %out, i32 {128 * number}",
                  f"  store {WORDS} %s{number}, ptr %o{number}, align 128"]
    names = {name: line.count(WORDS) - 1 for line in lines for name in re.findall(r"@[\w.]+", line)}
    return "\n".join(["define void @f(ptr noalias %a, ptr noalias %b, ptr noalias %out) {", "entry:", *lines,
                      "  ret void", "}", *(f"declare {WORDS} {name}({', '.join([WORDS] * count)})"
                                           for name, count in names.items())])


def outputs(asm, count):
    rng = np.random.default_rng(3)
    left, right = (rng.normal(0, 100, 32).astype(np.float32) for _ in range(2))
    left[:6], right[:6] = (np.inf, -np.inf, np.nan, 0.0, -0.0, 3e38), (2.0, 0.0, 1.0, -0.0, 5.0, 1e5)
    machine = Machine(asm, "v75")
    places = [machine.alloc_tcm(128), machine.alloc_tcm(128), machine.alloc_tcm(128 * count)]
    machine.write(places[0], left.view(np.uint8))
    machine.write(places[1], right.view(np.uint8))
    machine.run("f", places)
    return machine.read(places[2], np.float32, 32 * count)


@pytest.mark.parametrize("block", ["a", "b"])
def test_far_uses(block):
    assert far_uses(("a", 3), [], 5) == []
    assert far_uses(("a", 3), [("a", 8), ("a", 14), (block, 19)], 5) == [False, True, block == "b"]


@pytest.mark.ieee_arithmetic
def test_values_are_the_same_bits():
    text = program(USES.values())
    short = shorten_lifetimes(text, 2)
    assert short != text and shorten_lifetimes(text, 1000) == text
    np.testing.assert_array_equal(outputs(emit(short, CHIP), len(USES)).view(np.uint32),
                                  outputs(emit(text, CHIP), len(USES)).view(np.uint32))


@pytest.mark.parametrize("use", USES)
def test_no_chain_waits(use):
    short = shorten_lifetimes(program([USES[use]]), 2)
    body = [parse_line(line) for line in short.split("\n") if "llvm.hexagon" in line and " = call" in line]
    for made in body:
        if ".qf32" in made.flags and "vconv" not in made.flags:
            read = [line for line in short.split("\n") if re.search(rf"{made.result}\b", line)][1:]
            distance = [short.split("\n").index(line) - short.split("\n").index(made.text) for line in read]
            assert all(d <= 4 for d in distance), made.text


def test_sums_take_ieee_operands_without_a_lift():
    lifted = {use: shorten_lifetimes(program([USES[use]]), 2).count("zeroinitializer)") for use in USES}
    assert lifted["sum with IEEE"] == lifted["sum"] == lifted["sum, the other is near"] == 0
    assert lifted["difference from a near one"] == 0
    assert lifted["difference, the other is near"] == 1  # there is no sf - qf32
    assert lifted["product"] == 2


def test_carried_sums_stay():
    text = (f"define void @f(ptr %a, i32 %n) {{\nentry:\n  br label %loop\n\nloop:\n"
            f"  %s = phi {WORDS} [ zeroinitializer, %entry ], [ %t, %loop ]\n  %x = load {WORDS}, ptr %a, align 128\n"
            + call("%t", "vadd.qf32.mix", "%s", "%x") + "\n  %c = icmp eq i32 %n, 0\n"
            "  br i1 %c, label %end, label %loop\n\nend:\n" + call("%r", "vconv.sf.qf32", "%t")
            + f"\n  store {WORDS} %r, ptr %a, align 128\n  ret void\n}}\n")
    assert shorten_lifetimes(text, 0) == text


def test_pressure_counts_values_constants_and_what_leaves():
    lines = [f"  %v{n} = load {WORDS}, ptr %a, align 128" for n in range(5)]
    lines += [f"  %t{n} = add {WORDS} %v{n}, splat (i32 {n})" for n in range(5)]
    text = ("define void @f(ptr %a) {\nentry:\n" + call("%e", "vd0") + "\n" + "\n".join(lines)
            + "\n  br label %next\n\nnext:\n" + "\n".join(f"  store {WORDS} %t{n}, ptr %a, align 128" for n in range(5))
            + "\n  ret void\n}\n")
    assert traits(text) == Traits(outside=6 + 5)  # five loaded or added, one just made; five constants


def test_the_order_as_it_is_where_others_take_many_more_registers():
    lines = ["  %x = load <32 x i32>, ptr %p, align 128", call("%c0", "vadd.sf", "%x", "%x")]
    for n in range(100):  # products are ready long before the sums that take them one after the other
        lines += [call(f"%q{n}", "vmpy.qf32.sf", "%x", f"splat (i32 {n})"),
                  call(f"%c{n + 1}", "vadd.qf32", f"%c{n}", f"%q{n}")]
    body = [parse_line(line) for line in lines]
    nodes = graph(body, Addresses(Function(records=[parse_line("define void @f(ptr %p) {"), *body])))
    assert most_alive(nodes) == 3
    assert min(schedule(nodes, 8, lead).registers for lead in (0, 4, 16)) > 8 + 16
    assert best_schedule(nodes, 8) == list(range(len(nodes)))


def test_a_schedule_holds_for_all_numbers_of_registers_that_change_nothing():
    lines = [line for n in range(12) for line in (f"  %x{n} = load <32 x i32>, ptr %p{n}, align 128",
                                                  call(f"%q{n}", "vmpy.qf32.sf", f"%x{n}", f"%x{n}"))]
    lines += [call(f"%s{n}", "vadd.qf32", f"%q{n}", f"%{'s' if n > 1 else 'q'}{n - 1}") for n in range(1, 12)]
    body = [parse_line(line) for line in lines]
    nodes = graph(body, Addresses(Function(records=[parse_line("define void @f(ptr %p0) {"), *body])))
    found = {registers: schedule(nodes, registers, 0) for registers in range(1, 32)}
    assert len({tuple(one.order) for one in found.values()}) > 2
    for registers, one in found.items():
        assert registers in one.limits
        assert all(other == one for same, other in found.items() if same in one.limits)
    known = {}
    assert [best_schedule(nodes, registers, known) for registers in found] == [
        best_schedule(nodes, registers) for registers in found]
    assert sum(map(len, known.values())) == len(set(map(str, found.values())))
