"""Stores of rows at unknown addresses leave the bytes behind them alone."""

import numpy as np
import pytest
from batch import on_simulator

from hexagon_mlir.codegen.hvx.shared_vectors import rewrites_neighbours

ROWS = """
func.func @f(%o: memref<8x129xf32>, %r: index) {
  %c = arith.constant -8.0 : f32
  %s = memref.subview %o[%r, 0] [2, 129] [1, 1] : memref<8x129xf32> to memref<2x129xf32, strided<[129, 1], offset: ?>>
  linalg.fill ins(%c : f32) outs(%s : memref<2x129xf32, strided<[129, 1], offset: ?>>)
  return
}"""


def test_rows_of_a_thread():
    """Eight neighbouring stores: LLVM made them one of aligned vectors, whose last one was read and written back."""
    call, asm = on_simulator(ROWS)
    assert not rewrites_neighbours(asm)
    for row in (0, 2, 6):
        out = np.full((8, 129), 99, np.float32)
        call("f", [out, row])
        assert np.array_equal(np.flatnonzero((out == -8).all(axis=1)), [row, row + 1])
        assert np.count_nonzero(out == 99) == 6 * 129


_LOADED, _MIXED, _STORED = "if (p0) v1 = vmem(r4+#0)", "v2 = vmux(q3,v7,v1)", "if (p0) vmem(r4+#0) = v2"


@pytest.mark.parametrize(("lines", "found"), [
    ((_LOADED, _MIXED, _STORED), True), ((_LOADED, _STORED), False), ((_MIXED, _STORED), False),
    ((_LOADED, _MIXED, "if (p0) vmem(r5+#0) = v2"), False), ((_LOADED, _MIXED, "if (!p0) vmem(r4+#0) = v2"), False)])
def test_what_is_found(lines, found):
    assert rewrites_neighbours("\n".join(f"\t\t{line}" for line in lines)) is found
