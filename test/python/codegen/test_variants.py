"""Which way to generate code is tried for what, and what else is worth its time."""

from dataclasses import replace

import pytest
from text_rewrites import traits

from hexagon_mlir.codegen.scheduling.static_cost import Cost
from hexagon_mlir.codegen.scheduling.traits import Traits
from hexagon_mlir.codegen.variants import (
    LIMITS,
    LONG,
    Limits,
    first_correct,
    quick,
    quick_tries,
    search,
    variants,
    worth,
)

WORDS = "<32 x i32>"
FREE, TABLED, CROWDED = Traits(pressure=12), Traits(pressure=34), Traits(pressure=70, qfloat=0.6)
PRODUCTS = Traits(pressure=30, products=True)


def loop(body):
    return (f"define void @f(ptr %a) {{\nentry:\n  br label %loop\n\nloop:\n{body}\n  %more = icmp ne i32 %i, 0\n"
            "  br i1 %more, label %loop, label %end\n\nend:\n  ret void\n}\n")


def call(result, name, *operands):
    return f"  {result} = call {WORDS} @llvm.hexagon.V6.{name}.128B({', '.join(f'{WORDS} {o}' for o in operands)})"


def test_traits_of_a_product():
    lines = [f"  %v = phi {WORDS} [ zeroinitializer, %entry ], [ %next, %loop ]",
             "  %i = phi i32 [ 9, %entry ], [ %less, %loop ]"]
    for n in range(4):
        lines += [f"  %s{n} = shufflevector {WORDS} %v, {WORDS} poison, {WORDS} splat (i32 {n})",
                  call(f"%p{n}", "vmpy.qf32.sf", "%x", f"%s{n}")]
    lines += [f"  %next = load {WORDS}, ptr %a, align 128", "  %less = add i32 %i, -1"]
    found = traits(loop("\n".join(lines)))
    assert found.products and found.qfloat == 4 / 10 and found.outside == 0 and found.pressure == 7
    assert not traits(loop("\n".join(line for line in lines if "%s3 =" not in line and "%p3" not in line))).products


def test_traits_of_a_loop_that_only_moves_vectors():
    lines = ["  %i = phi i32 [ 9, %entry ], [ %less, %loop ]", f"  %v = load {WORDS}, ptr %a, align 128",
             f"  %w = shufflevector {WORDS} %v, {WORDS} poison, {WORDS} splat (i32 1)",
             f"  store {WORDS} %w, ptr %a, align 128", "  %less = add i32 %i, -1"]
    assert traits(loop("\n".join(lines))).moves
    paired = call("%p", "vshuffvdd", "%v", "%v").replace(f"{WORDS} @", "<64 x i32> @")
    assert traits(loop("\n".join([*lines[:2], paired, call("%w", "lo", "%p"), *lines[3:]]))).moves
    assert not traits(loop("\n".join([*lines[:3], call("%x", "vaddw", "%v", "%w"), *lines[3:]]))).moves
    assert not traits(loop("\n".join([*lines[:2], f"  %w = add {WORDS} %v, %v", *lines[3:]]))).moves
    assert not traits(loop("\n".join([*lines[:2], *lines[4:]]))).moves, "nothing is permuted"


def test_traits_of_unaligned_loads():
    lines = ["  %i = phi i32 [ 9, %entry ], [ %less, %loop ]", f"  %v = load {WORDS}, ptr %a, align 128",
             f"  %u = load {WORDS}, ptr %b, align 64", call("%w", "vaddw", "%v", "%u"),
             f"  store {WORDS} %w, ptr %a, align 4", "  %less = add i32 %i, -1"]
    assert traits(loop("\n".join(lines))).unaligned == 1 / 2
    assert traits(loop("\n".join(lines)).replace("align 64", "align 256")).unaligned == 0


def test_what_comes_first():
    assert not variants(Traits(moves=True))[0].rescheduled and all(v.rescheduled for v in variants(FREE))
    assert variants(FREE)[0].ordered and variants(FREE)[0].windows and not variants(FREE)[0].scheduled
    assert variants(PRODUCTS)[0].scheduled and variants(PRODUCTS)[0].ordered
    assert [variants(PRODUCTS._replace(qfloat=part))[0].bits for part in (0.25, 0.42)] == [True, False]
    straight = variants(Traits(pressure=5, outside=40))[0]
    assert straight.scheduled and not straight.ordered and not straight.bits
    assert variants(Traits(outside=1))[0] == straight and variants(Traits())[0] == variants(FREE)[0]
    assert all(v.ordered and not v.windows and not v.bits for v in variants(CROWDED))
    assert not any(variant.ordered for variant in variants(CROWDED._replace(qfloat=0.04)))
    some = variants(CROWDED._replace(qfloat=0.1))
    assert some[0].ordered and some[0].scheduled and not some[0].windows and not some[1].ordered
    assert variants(CROWDED._replace(products=True)) == variants(PRODUCTS)


def test_constants_come_from_a_table():
    ordered, table = variants(TABLED)
    assert ordered == variants(FREE)[0] and not table.budget.slots
    assert table.budget.registers < ordered.budget.registers
    first, slots, last = variants(TABLED._replace(qfloat=0.45))
    assert first == table and slots.budget.slots and last == ordered


def test_unaligned_loads_stay_apart_in_loops():
    looped = FREE._replace(longest=40, unaligned=0.5)
    assert not any(variant.realigned for variant in variants(looped))
    assert [replace(variant, realigned=True) for variant in variants(looped)] == list(variants(FREE))
    for other in (looped._replace(unaligned=0.05), looped._replace(products=True), looped._replace(longest=0)):
        assert all(variant.realigned for variant in variants(other))


def test_limits_move_the_boundaries():
    assert variants(TABLED, Limits(crowded=34)) == variants(CROWDED._replace(qfloat=0.0))
    assert variants(TABLED, Limits(qfloat=0.0)) == variants(TABLED._replace(qfloat=0.45))
    assert variants(FREE, Limits(registers=20))[0].budget.registers == 20


@pytest.mark.parametrize("traits", [FREE, TABLED, TABLED._replace(qfloat=0.45), CROWDED, PRODUCTS,
                                    CROWDED._replace(qfloat=0.1), Traits(outside=9), Traits(moves=True)])
def test_nothing_is_tried_twice(traits):
    every = variants(traits)
    assert len(set(every)) == len(every)


def test_what_is_worth_its_time():
    never = Limits(patience=0)
    assert worth(Cost(200.0, 100.0), LIMITS.patience)
    assert not worth(Cost(150.0, 100.0), LIMITS.patience)
    assert not worth(Cost(200.0, 100.0), 10, never) and not worth(Cost(100.0, 100.0), 1)
    overhead = Cost(120.0, 100.0, 10.0)
    assert worth(overhead, LIMITS.patience) and not worth(overhead, 1, never)
    assert not worth(overhead, LIMITS.patience + 1)
    assert not worth(Cost(101e4, 100e4, 384.0), LIMITS.patience)  # little beside the packets


def test_a_search_takes_the_cheapest_that_is_right():
    costs = {0: None, 1: Cost(300.0, 100.0), 2: Cost(110.0, 100.0), 3: Cost(100.0, 100.0)}
    candidates = variants(FREE) + variants(CROWDED)
    tried = []

    def generate(variant):
        tried.append(variant)
        cost = costs[candidates.index(variant)]
        return None if cost is None else (cost, f"assembly {cost.packets}")

    assert search(candidates, generate, 100_000) == (costs[2], "assembly 110.0", candidates[2])
    assert tried == [*candidates[:3]]  # the fourth is not worth its time
    assert search(candidates, generate, 1, Limits(patience=0)) == (costs[1], "assembly 300.0", candidates[1])
    assert search(candidates[:1], generate, 1) is None
    tried.clear()
    assert search(candidates, generate, 1, most=2) == (costs[2], "assembly 110.0", candidates[2])
    assert search(candidates[1:], generate, 1, most=1) == (costs[1], "assembly 300.0", candidates[1])
    assert tried == [*candidates[:3], candidates[1]]  # the first is incorrect and does not count


def test_the_first_that_is_correct():
    candidates = variants(FREE)
    assert first_correct(candidates, lambda v: None if v == candidates[0] else "code") == ("code", candidates[1])
    assert first_correct(candidates, lambda v: None) is None


def test_quick_variants_are_without_known_bits():
    found = quick((*variants(FREE), *variants(CROWDED), *variants(FREE)), FREE)
    assert not any(variant.bits for variant in found) and len(set(found)) == len(found)
    assert [replace(v, bits=True) for v in found[:4]] == [*variants(FREE)]


def test_quick_variants_of_long_loops_are_without_window_search():
    assert traits(loop(call("%w", "vaddw", "%v", "%v"))).longest == 3
    assert any(variant.windows for variant in quick(variants(FREE), FREE._replace(longest=LONG - 1)))
    found = quick(variants(FREE), FREE._replace(longest=LONG))
    assert not any(variant.windows for variant in found) and len(set(found)) == len(found)


@pytest.mark.parametrize(("traits", "tries"), [
    (FREE, 2), (CROWDED, 2), (PRODUCTS, 1), (FREE._replace(longest=LONG - 1), 2), (FREE._replace(longest=LONG), 1)])
def test_tries_of_quick_variants(traits, tries):
    assert quick_tries(traits, 2) == tries
    assert quick_tries(traits, 1) == 1
