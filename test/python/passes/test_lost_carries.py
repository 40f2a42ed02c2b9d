"""Integers to floats before v73, where LLVM's sequence loses the carry of its rounding."""

import numpy as np
import pytest
from sim.kernels import assembly, elementwise

import hexagon_mlir as hx
from hexagon_mlir.sim import Machine

pytestmark = pytest.mark.only_values

TEXT = """func.func @f(%x: tensor<NxI>) -> tensor<Nxf32> {
  %e = tensor.empty() : tensor<Nxf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<NxI>) outs(%e : tensor<Nxf32>) {
  ^bb0(%a: I, %o: f32):
    %c = arith.OP %a : I to f32
    linalg.yield %c : f32
  } -> tensor<Nxf32>
  return %r : tensor<Nxf32>
}"""


def numbers():
    """Around every power of two, of every length, and what rounds up to a power of two."""
    random = np.random.default_rng(0)
    near = [sign * (power + step) for power in (1 << n for n in range(32)) for step in range(-3, 4) for sign in (1, -1)]
    ones = [(0x1FFFFFF << shift) >> down for shift in range(7) for down in range(3)]
    lengths = random.integers(-1 << 31, 1 << 31, 4000) >> random.integers(0, 31, 4000)
    ends = [0x7FFFFFC0, 0x7FFFFFBF, 0x7FFFFFFF, -1 << 31, 0]
    values = np.concatenate([near, ones, [-n for n in ones], lengths, ends])
    return values.astype(np.int64).astype(np.uint32).view(np.int32)


@pytest.mark.each_value
@pytest.mark.parametrize("target", ["v68", "v73", "v75", "v79"])
@pytest.mark.parametrize(("op", "kind"), [("sitofp", np.int32), ("uitofp", np.uint32)])
def test_integers_are_rounded_to_nearest_even(op, kind, target):
    x = numbers()
    text = TEXT.replace("N", str(len(x))).replace("I", "i32").replace("OP", op)
    actual = hx.compile(text, target=target, threads=1).run(x).outputs[0]
    expected = x.view(kind).astype(np.float32)
    wrong = np.flatnonzero(actual != expected)
    assert not len(wrong), (hex(int(x.view(np.uint32)[wrong[0]])), actual[wrong[0]], expected[wrong[0]])


def test_llvm_still_loses_the_carry():
    """When this fails, `passes/arith_legalization/lost_carries.py` can go."""
    body = "%f = sitofp T %a to <32 x float>\n%r = bitcast <32 x float> %f to T "
    machine = Machine(assembly(elementwise("f", "i32", 32, body), "v68"), "v68")
    x = np.full(32, 0x7FFFFFC0, np.int32)
    places = [machine.alloc_ddr(x.nbytes) for _ in range(3)]
    machine.write(places[0], x)
    machine.run("f", [*places, 1])
    assert machine.read(places[2], np.float32, 32).tolist() == [2.0**30] * 32
