"""Division of 64-bit integers, which HVX has no lanes for: scalar code, said in a remark, with the right values."""

import numpy as np

import hexagon_mlir as hx
from hexagon_mlir import pipelines, targets
from hexagon_mlir.ir import parse, set_index_bits
from hexagon_mlir.pass_infra import PassContext
from hexagon_mlir.pass_infra.runner import run_steps

OPS = ("divsi", "divui", "remsi", "remui", "floordivsi", "ceildivsi")
N = 40
BUFFER = f"memref<{N}xi64>"
KERNEL = f"""
func.func @f(%x: {BUFFER}, %y: {BUFFER}, {', '.join(f'%{op}: {BUFFER}' for op in OPS)}) {{
  linalg.generic {{indexing_maps = [{', '.join(['affine_map<(i) -> (i)>'] * (2 + len(OPS)))}],
                   iterator_types = ["parallel"]}}
      ins(%x, %y : {BUFFER}, {BUFFER}) outs({', '.join(f'%{op}' for op in OPS)} : {', '.join([BUFFER] * len(OPS))}) {{
  ^bb0(%a: i64, %b: i64, {', '.join(f'%o{n}: i64' for n in range(len(OPS)))}):
    {chr(10).join(f'%r{n} = arith.{op} %a, %b : i64' for n, op in enumerate(OPS))}
    linalg.yield {', '.join(f'%r{n}' for n in range(len(OPS)))} : {', '.join(['i64'] * len(OPS))}
  }}
  return
}}
"""


def quotients(a: int, b: int) -> tuple[int, ...]:
    """What each of `OPS` makes of a and b, by Python's integers."""
    unsigned_a, unsigned_b = a % 2**64, b % 2**64
    towards_zero = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return (towards_zero, unsigned_a // unsigned_b, a - towards_zero * b, unsigned_a % unsigned_b, a // b, -(-a // b))


def test_values():
    rng = np.random.default_rng(0)
    x = rng.integers(-(2**63), 2**63, N, dtype=np.int64)
    y = rng.integers(-(2**63), 2**63, N, dtype=np.int64) >> rng.integers(0, 60, N)
    y[y == 0] = 1
    x[:7], y[:7] = (-7, 7, -8, 2**62, -(2**63), 0, 5), (2, -2, 3, -3, 1, -9, 2**40)
    results = [np.zeros(N, np.int64) for _ in OPS]
    hx.compile(KERNEL).run(x, y, *results)
    expected = np.array([quotients(a, b) for a, b in zip(x.tolist(), y.tolist(), strict=True)], dtype=object)
    for op, result, column in zip(OPS, results, expected.T, strict=True):
        wrapped = np.array([int(value) % 2**64 for value in column], np.uint64).view(np.int64)
        np.testing.assert_array_equal(result, wrapped, op)


def test_a_remark_says_that_it_is_scalar():
    module, chip = parse(KERNEL), targets.get("v75")
    set_index_bits(module)
    context = PassContext(chip)
    run_steps(module, pipelines.get("default", chip), context, None)
    assert any("element type i64 has no HVX lane" in entry.message for entry in context.log.entries)
