"""Which way to generate code is tried for what, and what else is worth its time."""

import pytest
from text_rewrites import traits

from hexagon_mlir.codegen.scheduling.static_cost import Cost
from hexagon_mlir.codegen.scheduling.traits import Traits
from hexagon_mlir.codegen.variants import BASELINES, PATIENCE, after_spills, variants, worth

WORDS = "<32 x i32>"
FREE, TABLED, CROWDED = Traits(pressure=12), Traits(pressure=34), Traits(pressure=70, qfloat=0.6)


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


def test_what_comes_first():
    assert variants(FREE)[0].ordered and variants(FREE)[0].windows and not variants(FREE)[0].scheduled
    assert variants(FREE._replace(products=True))[0].scheduled and variants(FREE._replace(products=True))[0].ordered
    straight = variants(Traits(pressure=5, outside=40))[0]
    assert straight.scheduled and not straight.ordered and not straight.live_range and not straight.bits
    assert variants(Traits(outside=9))[0] == straight and variants(Traits())[0] == variants(FREE)[0]
    first, *others = variants(Traits(pressure=5, outside=80))
    assert first.live_range and not first.bits and others[-1].bits
    assert variants(CROWDED)[0].ordered and not variants(CROWDED)[0].windows and not variants(CROWDED)[0].bits
    assert all(variant.live_range for variant in variants(CROWDED._replace(qfloat=0.1)))
    assert variants(Traits(pressure=58))[0].scheduled and not variants(Traits(pressure=76))[0].scheduled
    tables = [variant for variant in variants(TABLED) if variant.budget and variant.budget.registers <= 32]
    assert tables and variants(TABLED)[1:1 + len(tables)] == tables
    assert not tables[0].budget.slots and variants(TABLED._replace(qfloat=0.7))[1].budget.slots
    mixed = variants(TABLED._replace(qfloat=0.45))  # softmax
    assert mixed[:2] == tables[:2] and mixed[2] == variants(TABLED)[0]
    product = Traits(pressure=30, products=True)
    assert [variants(product._replace(qfloat=part))[0].bits for part in (0.25, 0.42)] == [True, False]  # halves, floats
    assert all(variant.windows and variant.live_range for variant in variants(CROWDED._replace(products=True))[:3])


@pytest.mark.parametrize("traits", [FREE, TABLED, CROWDED, Traits(pressure=20, products=True),
                                    CROWDED._replace(products=True)])
def test_nothing_is_tried_twice(traits):
    every = variants(traits)
    assert len(set(every)) == len(every)


def test_where_registers_were_short():
    first, *left = variants(FREE)
    after = after_spills(first, left)
    assert after[-1].live_range
    assert all(variant in left or not variant.windows or variant.live_range for variant in after)
    first, *left = variants(CROWDED)
    assert after_spills(first, left) == left
    first, *left = variants(Traits(pressure=5, outside=40))
    assert after_spills(first, left)[:2] == [left[1], variants(CROWDED)[0]]
    assert after_spills(BASELINES[0], [*BASELINES[1:]]) == [*BASELINES[1:]]


def test_what_is_worth_its_time():
    v, quick = variants(FREE)[:2]
    assert worth(quick, Cost(200.0, 100.0), PATIENCE, PATIENCE)
    assert not worth(quick, Cost(150.0, 100.0), PATIENCE, PATIENCE)
    assert not worth(quick, Cost(200.0, 100.0), 10, 0) and not worth(quick, Cost(100.0, 100.0), 1, PATIENCE)
    table = variants(TABLED)[1]
    untidy = Cost(120.0, 100.0, 10.0)
    assert worth(table, untidy, 50_000, PATIENCE)
    assert not worth(table, untidy, 100_000, PATIENCE) and not worth(table, untidy, 50_000, 0)
    assert not worth(table, Cost(116.0, 100.0, 10.0), 50_000, PATIENCE)  # nothing to be gained: GELU
    assert worth(v, Cost(131.0, 100.0), 10**7, PATIENCE) and not worth(v, Cost(131.0, 100.0), 10**7, 0)
