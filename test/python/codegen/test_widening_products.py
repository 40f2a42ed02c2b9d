"""Products of widened integers that are added to others: one instruction, and its values on the simulator."""

import numpy as np
import pytest
from batch import on_simulator

SIZE = 300
KERNEL = """func.func @f(%x: tensor<300xNARROW>, %y: tensor<300xNARROW>, %z: tensor<300xNARROW>) -> tensor<300xNARROW> {
  %e = tensor.empty() : tensor<300xNARROW>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>,
                                        affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x, %y, %z : tensor<300xNARROW>, tensor<300xNARROW>, tensor<300xNARROW>) outs(%e : tensor<300xNARROW>) {
  ^bb0(%a: NARROW, %b: NARROW, %c: NARROW, %o: NARROW):
    %amount = arith.constant 3 : WIDE
    %aw = arith.LEFT %a : NARROW to WIDE
    %bw = arith.RIGHT %b : NARROW to WIDE
    %cw = arith.extsi %c : NARROW to WIDE
    %p = arith.muli %aw, %bw : WIDE
    %s = arith.addi %cw, %p : WIDE
    %q = arith.muli %aw, %aw : WIDE
    %t = arith.addi %q, %s : WIDE
    %u = arith.shrui %t, %amount : WIDE
    %n = arith.trunci %u : WIDE to NARROW
    linalg.yield %n : NARROW
  } -> tensor<300xNARROW>
  return %r : tensor<300xNARROW>
}
"""


@pytest.mark.parametrize(("bits", "left", "right"), [
    (16, "extsi", "extsi"), (16, "extui", "extui"), (16, "extsi", "extui"), (8, "extsi", "extsi"),
    (8, "extui", "extui"), (8, "extui", "extsi")])
def test_sums_of_products(bits, left, right):
    """Extremes of both factors; sums wrap."""
    rng = np.random.default_rng(bits)
    most = 1 << bits
    x, y, z = (rng.choice([0, 1, 2, most // 2 - 1, most // 2, most // 2 + 1, most - 1, 12345 % most], SIZE)
               for _ in range(3))
    narrow = np.dtype(f"u{bits // 8}")
    text = KERNEL.replace("NARROW", f"i{bits}").replace("WIDE", f"i{2 * bits}")
    call, asm = on_simulator(text.replace("LEFT", left).replace("RIGHT", right))
    out = np.empty(SIZE, narrow)
    call("f", [*(v.astype(narrow) for v in (x, y, z)), out])
    a, b, c = (np.where((v >= most // 2) & (cast == "extsi"), v - most, v)
               for v, cast in ((x, left), (y, right), (z, "extsi")))
    assert np.array_equal(out, ((a * b + a * a + c) % (most * most) >> 3).astype(narrow))
    assert "+= vmpy(" in asm
