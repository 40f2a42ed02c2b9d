"""Bodies of linalg.generic, computed for all bytes: equal to numpy's operations on bytes of either sign."""

import numpy as np
import pytest

from hexagon_mlir.ir import parse
from hexagon_mlir.ir.query import ops_named
from hexagon_mlir.passes.nibbles.evaluate import ALL_BYTES, evaluated

SIGNED, UNSIGNED = np.arange(-128, 128).astype(np.int8), np.arange(-128, 128).astype(np.uint8)
CASES = {
    "%r = arith.addi %x, %c100 : i8": SIGNED + np.int8(100),
    "%r = arith.subi %c100, %x : i8": np.int8(100) - SIGNED,
    "%r = arith.muli %x, %x : i8": SIGNED * SIGNED,
    "%a = arith.andi %x, %c100 : i8\n%b = arith.ori %a, %c4 : i8\n%r = arith.xori %b, %x : i8":
        ((SIGNED & 100) | 4) ^ SIGNED,
    "%r = arith.shli %x, %c4 : i8": SIGNED << 4,
    "%r = arith.shrsi %x, %c4 : i8": SIGNED >> 4,
    "%r = arith.shrui %x, %c4 : i8": (UNSIGNED >> 4).astype(np.int8),
    "%r = arith.divui %x, %c100 : i8": (UNSIGNED // 100).astype(np.int8),
    "%r = arith.remui %x, %c100 : i8": (UNSIGNED % 100).astype(np.int8),
    "%w = arith.extsi %x : i8 to i32\n%v = arith.muli %w, %w : i32\n%r = arith.trunci %v : i32 to i8":
        (SIGNED.astype(int) ** 2).astype(np.int8),
    "%w = arith.extui %x : i8 to i32\n%v = arith.shrui %w, %k2 : i32\n%r = arith.trunci %v : i32 to i8":
        (UNSIGNED >> 2).astype(np.int8),
}


def of_bytes(body, indices=()):
    module = parse(f"""#map = affine_map<(i) -> (i)>
    func.func @f(%bytes: tensor<256xi8>, %i: index) -> tensor<256xi8> {{
      %c4 = arith.constant 4 : i8
      %c100 = arith.constant 100 : i8
      %k2 = arith.constant 2 : i32
      %out = linalg.generic {{indexing_maps = [#map, #map], iterator_types = ["parallel"]}}
          ins(%bytes : tensor<256xi8>) outs(%bytes : tensor<256xi8>) {{
      ^bb0(%x: i8, %old: i8):
        {body}
        linalg.yield %r : i8
      }} -> tensor<256xi8>
      return %out : tensor<256xi8>
    }}""")
    with module.context:
        return evaluated(ops_named(module, "linalg.generic")[0], [ALL_BYTES], dict(indices))


@pytest.mark.parametrize(("body", "expected"), CASES.items())
def test_as_numpy(body, expected):
    assert np.array_equal(of_bytes(body), expected)


INDEXED = "%n = linalg.index 0 : index\n%i8 = arith.index_cast %n : index to i8\n%r = arith.addi %x, %i8 : i8"


def test_of_an_index():
    """All bytes at several indices; nothing where it is not said which ones."""
    places = np.array([0, 1, 250])
    sums = (UNSIGNED[None] + places[:, None]).astype(np.int8)
    index = [(0, places[:, None])]
    assert np.array_equal(of_bytes(INDEXED, index), sums)
    assert of_bytes(INDEXED) is None


@pytest.mark.parametrize("body", ["%r = arith.minsi %x, %c4 : i8", "%v = arith.index_cast %i : index to i8\n"
                                  "%r = arith.addi %x, %v : i8", "%r = arith.addi %x, %old : i8"])
def test_others_are_not_known(body):
    """Other operations, values from outside, and the old elements."""
    assert of_bytes(body) is None
