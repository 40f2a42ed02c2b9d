"""f64 as bf16, which LLVM 22 cuts off: rounded once to nearest even, alone and in vectors."""

import ml_dtypes
import numpy as np
import pytest
from sim.kernels import assembly

import hexagon_mlir as hx
from hexagon_mlir.sim import Machine

pytestmark = pytest.mark.only_values

LOOP = """func.func @f(%x: tensor<Nxf64>) -> tensor<Nxbf16> {
  %e = tensor.empty() : tensor<Nxbf16>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<Nxf64>) outs(%e : tensor<Nxbf16>) {
  ^bb0(%a: f64, %o: bf16):
    %c = arith.truncf %a : f64 to bf16
    linalg.yield %c : bf16
  } -> tensor<Nxbf16>
  return %r : tensor<Nxbf16>
}"""
VECTORS = """func.func @f(%x: memref<Nxf64>, %y: memref<Nxbf16>) {
  %zero = arith.constant 0 : index
  %n = arith.constant N : index
  %step = arith.constant 16 : index
  scf.for %i = %zero to %n step %step {
    %a = vector.load %x[%i] : memref<Nxf64>, vector<16xf64>
    %c = arith.truncf %a : vector<16xf64> to vector<16xbf16>
    vector.store %c, %y[%i] : memref<Nxbf16>, vector<16xbf16>
  }
  return
}"""


def numbers():
    """Halves of a unit in the last place and beside them, of every size; the ends of the range, zeros, NaN."""
    random = np.random.default_rng(0)
    halves = 1 + random.integers(0, 256, 2000) * 2.0**-8
    near = halves * (1 + random.choice([-1, 0, 1], 2000) * 2.0**random.integers(-52, -20, 2000))
    scaled = np.ldexp(near, random.integers(-140, 128, 2000)) * random.choice([-1, 1], 2000)
    last_tie = float.fromhex("0x1.ffp127")
    ends = [0.0, -0.0, 1e300, -1e300, np.inf, -np.inf, np.nan, -np.nan, 65504, 2.0**-134, 5e-324, -1e-310, last_tie,
            np.nextafter(last_tie, 0)]
    filler = random.standard_normal(-(len(ends) + 2000) % 16)
    return np.concatenate([scaled, ends, filler])


def rounded(x):
    """To nearest even, by units in the last place that are powers of two."""
    unit = np.ldexp(1.0, np.maximum(np.frexp(x)[1] - 8, -133))
    with np.errstate(invalid="ignore", over="ignore"):
        return (np.rint(x / unit) * unit).astype(np.float32)


@pytest.mark.parametrize("target", ["v68", "v75", "v79"])
@pytest.mark.parametrize("text", [LOOP, VECTORS], ids=["loop", "vectors"])
def test_doubles_are_rounded_once(text, target):
    x = numbers()
    y = [np.zeros(len(x), ml_dtypes.bfloat16)] if text is VECTORS else []
    run = hx.compile(text.replace("N", str(len(x))), target=target, threads=1).run(x, *y)
    actual = (y or run.outputs)[0].astype(np.float32)
    expected = rounded(x)
    zeros = x == 0
    assert np.array_equal(np.signbit(actual[zeros]), np.signbit(x[zeros]))
    assert np.array_equal(actual, expected, equal_nan=True), [
        (a, b, c) for a, b, c in zip(x, actual, expected, strict=True) if b != c and c == c][:3]


def test_llvm_still_cuts_doubles_off():
    """When this fails, `passes/arith_legalization/scalar.odd_f32` can go."""
    text = """define void @f(ptr %x, ptr %y) {
  %a = load double, ptr %x
  %b = fptrunc double %a to bfloat
  store bfloat %b, ptr %y
  ret void
}"""
    machine = Machine(assembly(text, "v75"), "v75")
    x, y = machine.alloc_ddr(8), machine.alloc_ddr(8)
    machine.write(x, np.array([65504.0]))
    machine.run("f", [x, y])
    assert machine.read(y, np.uint16, 1).tolist() == [0x477F]  # 65280; 65536 is nearer
