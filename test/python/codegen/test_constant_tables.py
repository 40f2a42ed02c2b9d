"""Constants of loops that find no register: which come from a table, and what the loop reads then."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest
from text_rewrites import order_loops

import hexagon_mlir as hx
from hexagon_mlir.codegen.scheduling.constant_tables import ConstantTable, constants_of, from_table
from hexagon_mlir.codegen.scheduling.loop_order import RegisterBudget
from hexagon_mlir.llvmir import parse_line

V = "<32 x i32>"


def splat(number: int) -> str:
    return f"splat (i32 {number})"


@pytest.mark.parametrize(("line", "constants"), [
    (f"  %r = add {V} %a, {splat(7)}", {(V, splat(7))}),
    (f"  %r = select <32 x i1> %m, {V} zeroinitializer, {V} %a", {(V, "zeroinitializer")}),
    ("  %r = fcmp nnan ogt <32 x float> %a, splat (float 2.000000e+00)",
     {("<32 x float>", "splat (float 2.000000e+00)")}),
    (f"  %r = ashr {V} %a, {splat(23)}", set()),  # shifts take theirs from a scalar register
    (f"  %r = mul {V} %a, {splat(8)}", set()),  # a shift
    (f"  %r = xor {V} %a, {splat(-1)}", set()),  # a complement
    (f"  %r = xor {V} %a, {splat(5)}", {(V, splat(5))}),
    ("  %r = and <32 x i1> %m, splat (i1 true)", set()),
    (f"  %r = add {V} %a, %b", set())])
def test_constants_that_take_a_register(line, constants):
    assert set(constants_of(parse_line(line))) == constants


def test_constants_with_few_uses_go_first_and_pairs_never():
    uses = Counter({(V, splat(1)): 8, (V, splat(2)): 4, ("<64 x i32>", splat(3)): 1, (V, splat(4)): 4})
    assert from_table(uses, 2) == [(V, splat(2)), (V, splat(4))]
    assert from_table(uses, 9) == [(V, splat(2)), (V, splat(4)), (V, splat(1))]
    assert from_table(uses, 0) == []


def test_a_constant_is_loaded_once_before_its_first_use():
    body = [parse_line(line) for line in (
        f"  %b = add {V} %a, {splat(1)}", f"  %c = xor {V} %b, {splat(2)}", f"  %d = sub {V} {splat(2)}, %c")]
    table = ConstantTable()
    lines = [i.text for i in table.loaded(body, [(V, splat(2))])]
    assert lines == [f"  %b = add {V} %a, {splat(1)}",
                     "  %constant0.at = getelementptr i8, ptr %constants0, i32 -1024",
                     f"  %constant0 = load {V}, ptr %constant0.at, align 128",
                     f"  %c = xor {V} %b, %constant0", f"  %d = sub {V} %constant0, %c"]
    assert f"  store {V} {splat(2)}, ptr %constants.at0, align 128" in table.setup()


def test_every_entry_is_within_reach_of_an_address():
    table = ConstantTable()
    constants = [(V, splat(n)) for n in range(2, 42)]
    body = [parse_line(f"  %r{n} = add {V} %a, {value}") for n, (_, value) in enumerate(constants)]
    loads = [i.text for i in table.loaded(body, constants)]
    offsets = [int(match[1]) for line in loads if (match := re.search(r"i32 (-?\d+)$", line))]
    assert len(offsets) == 40 and set(offsets) == set(range(-1024, 1024, 128))
    assert sum("asm" in line for line in table.setup()) == 3  # 16 vectors around each
    assert "  %constants = alloca [5120 x i8], align 128" in table.setup()


LOOP = """define void @f(ptr noalias %p, ptr noalias %q) {{
entry:
  br label %loop

loop:                                             ; preds = %entry, %loop
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr <32 x i32>, ptr %p, i32 %i
  %v0 = load <32 x i32>, ptr %at, align 128
{body}
  %to = getelementptr <32 x i32>, ptr %q, i32 %i
  store <32 x i32> %v{last}, ptr %to, align 128
  %next = add i32 %i, 1
  %done = icmp eq i32 %next, 8
  br i1 %done, label %end, label %loop

end:                                              ; preds = %loop
  ret void
}}
; @llvm.hexagon.V6
"""


@pytest.mark.parametrize(("constants", "budget", "loads"), [(12, 31, 0), (40, 31, 10), (40, 20, 21), (12, None, 0)])
def test_a_loop_takes_from_the_table_what_it_has_no_room_for(constants, budget, loads):
    body = "\n".join(f"  %v{n + 1} = tail call {V} @llvm.hexagon.V6.vaddw.128B({V} %v{n}, {V} {splat(n + 1)})"
                     for n in range(constants))
    text = order_loops(LOOP.format(body=body, last=constants), RegisterBudget(budget) if budget else None)
    assert len(re.findall(r"%constant\d+ = load", text)) >= loads
    assert ("%constants = alloca" in text) == (loads > 0)
    assert len(re.findall(r"%constant\d+ = load", text)) == len(re.findall(r"store .*%constants\.at", text))


def test_orders_for_other_rooms_before_do_not_matter():
    body = "\n".join(f"  %v{n + 1} = tail call {V} @llvm.hexagon.V6.vaddw.128B({V} %v{n % 5}, {V} {splat(n + 1)})"
                     for n in range(40))
    budgets = None, RegisterBudget(31), RegisterBudget(20), RegisterBudget(20, slots=False)
    alone = {}
    for budget in budgets:
        order_loops("")  # what was read before is forgotten
        order_loops("\n")
        alone[budget] = order_loops(LOOP.format(body=body, last=40), budget)
    assert len({*alone.values()}) > 2
    for budget in (*budgets, *reversed(budgets)):
        assert order_loops(LOOP.format(body=body, last=40), budget) == alone[budget]


def test_values_where_constants_come_from_a_table():
    """An accurate SiLU has 18 constants and 24 values at hand at once."""
    kernel = hx.compile("""func.func @f(%x: tensor<4113xf32>) -> tensor<4113xf32> {
      %c = arith.constant dense<1.0> : tensor<4113xf32>
      %n = arith.negf %x : tensor<4113xf32>
      %e = math.exp %n : tensor<4113xf32>
      %d = arith.addf %e, %c : tensor<4113xf32>
      %0 = arith.divf %x, %d : tensor<4113xf32>
      return %0 : tensor<4113xf32>
    }""")
    assert re.search(r"(r\d+) = add\(r29,#\d+\)", kernel.asm)
    x = np.linspace(-100, 100, 4113, dtype=np.float32)
    x[[0, 7, 4112]] = np.nan, np.inf, -0.0
    with np.errstate(all="ignore"):
        expected = x.astype(np.float64) / (1 + np.exp(-x.astype(np.float64)))
    np.testing.assert_allclose(kernel.run(x).outputs[0], expected, rtol=4e-7, atol=1e-36)
