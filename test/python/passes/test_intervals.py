"""The least and the largest number an integer can be: bounds that hold, and none where arithmetic wraps."""

import numpy as np
import pytest

from hexagon_mlir.ir import parse
from hexagon_mlir.ir.intervals import interval
from hexagon_mlir.ir.query import ops_named

WORD = (-1 << 31, (1 << 31) - 1)
CASES = {
    "%r = arith.extsi %a : i32 to i64": WORD,
    "%r = arith.extui %a : i32 to i64": (0, (1 << 32) - 1),
    "%b = arith.andi %a, %k63 : i32\n%r = arith.extui %b : i32 to i64": (0, 63),
    "%r = arith.addi %a, %k63 : i32": WORD,
    "%b = arith.extsi %a : i32 to i64\n%c = arith.addi %b, %k63l : i64\n%r = arith.divsi %c, %k64l : i64":
        (-(1 << 25) + 1, 1 << 25),
    "%b = arith.remsi %a, %k64 : i32\n%r = arith.muli %b, %b : i32": (-63 * 63, 63 * 63),
    "%b = arith.remsi %a, %k64 : i32\n%c = arith.shrsi %b, %k2 : i32\n%r = arith.subi %k64, %c : i32": (49, 80),
    "%b = arith.minsi %a, %k64 : i32\n%r = arith.maxsi %b, %k2 : i32": (2, 64),
    "%r = arith.select %p, %k2, %k64 : i32": (2, 64),
    "%b = arith.floordivsi %a, %k64 : i32\n%c = arith.ceildivsi %b, %k64 : i32\n%r = arith.extsi %c : i32 to i64":
        (-(1 << 19), 1 << 19),
    "%r = arith.divsi %a, %a : i32": WORD,
    "%r = arith.xori %a, %k63 : i32": WORD,
    "%r = arith.trunci %l : i64 to i32": WORD,
    "%r = arith.extui %p : i1 to i32": (0, 1),
}


def bounds(body: str) -> tuple[int, int]:
    module = parse(f"""func.func @f(%a: i32, %l: i64, %p: i1) {{
      %k2 = arith.constant 2 : i32
      %k63 = arith.constant 63 : i32
      %k64 = arith.constant 64 : i32
      %k63l = arith.constant 63 : i64
      %k64l = arith.constant 64 : i64
      {body}
      "test.use"(%r) : ({body.split()[-1]}) -> ()
      return
    }}""")
    with module.context:
        return interval(ops_named(module, "test.use")[0].operands[0])


@pytest.mark.parametrize(("body", "expected"), CASES.items())
def test_bounds(body, expected):
    assert bounds(body) == expected


def test_of_a_loop():
    """The variable is at least where the loop starts, and a whole number of steps from there is less than the end."""
    module = parse("""func.func @f(%n: index) {
      %c0 = arith.constant 0 : index
      %c4 = arith.constant 4 : index
      %k63 = arith.constant 63 : index
      %end = arith.minsi %n, %k63 : index
      scf.for %i = %c4 to %end step %c4 iter_args(%x = %c0) -> (index) {
        %r = arith.index_cast %i : index to i32
        "test.use"(%r) : (i32) -> ()
        "test.use"(%x) : (index) -> ()
        scf.yield %i : index
      }
      return
    }""")
    with module.context:
        assert [interval(op.operands[0]) for op in ops_named(module, "test.use")] == [(4, 60), WORD]


def test_bounds_hold_for_numbers():
    """Quotients of both signs, tried."""
    numbers = np.array([-(1 << 31), -65, -64, -1, 0, 1, 63, 64, 65, (1 << 31) - 1], np.int64)
    for name, quotient in (("divsi", np.trunc(numbers / 64)), ("floordivsi", numbers // 64),
                           ("ceildivsi", -(-numbers // 64)), ("remsi", np.fmod(numbers, 64))):
        low, high = bounds(f"%r = arith.{name} %a, %k64 : i32")
        assert low <= quotient.min() and quotient.max() <= high, name
