"""Division of 64-bit integers as words: every rounding, on vectors, against Python's integers."""

import numpy as np
import pytest

import hexagon_mlir as hx
from hexagon_mlir import pipelines, targets
from hexagon_mlir.ir import parse, set_index_bits
from hexagon_mlir.pass_infra import PassContext
from hexagon_mlir.pass_infra.runner import run_steps

pytestmark = pytest.mark.only_values

SIGNED = ("divsi", "remsi", "floordivsi", "ceildivsi")
UNSIGNED = ("divui", "remui", "ceildivui")
MASK = 2**64 - 1


def kernel(n, names, element="i64", constant=None):
    """Results of the operations ``names`` on two rows of ``n`` numbers, or on one and a constant."""
    row, wide = f"memref<{n}x{element}>", f"memref<{n}xi64>"
    outs = [f"%p{k}" for k in range(len(names))]
    lines = ["%x = arith.extsi %a : i32 to i64", "%y = arith.extsi %b : i32 to i64"] if element == "i32" else []
    left, right = ("%x", "%y") if lines else ("%a", "%b")
    if constant is not None:
        lines.append(f"%c = arith.constant {constant - (constant >> 63 << 64)} : i64")
        right = "%c"
    lines += [f"%r{k} = arith.{name} {left}, {right} : i64" for k, name in enumerate(names)]
    return f"""
func.func @f(%u: {row}, %v: {row}, {', '.join(f'{out}: {wide}' for out in outs)}) {{
  linalg.generic {{indexing_maps = [{', '.join(['affine_map<(i) -> (i)>'] * (2 + len(outs)))}],
                   iterator_types = ["parallel"]}}
      ins(%u, %v : {row}, {row}) outs({', '.join(outs)} : {', '.join([wide] * len(outs))}) {{
  ^bb0(%a: {element}, %b: {element}, {', '.join(f'%o{k}: i64' for k in range(len(outs)))}):
    {chr(10).join(lines)}
    linalg.yield {', '.join(f'%r{k}' for k in range(len(outs)))} : {', '.join(['i64'] * len(outs))}
  }}
  return
}}
"""


def expected(name, n, d):
    """By zero: 0, and the remainder is what is divided; as the scalar routines do. Results wrap."""
    if name.endswith("ui"):
        n, d = n & MASK, d & MASK
    quotient = 0 if d == 0 else abs(n) // abs(d) * (1 if (n < 0) == (d < 0) else -1)
    rest = n - quotient * d
    if name[:3] == "rem":
        return rest
    differ = (n < 0) != (d < 0)
    step = {"floor": -(rest != 0 and differ), "ceild": rest != 0 and not differ}.get(name[:5], 0)
    return (quotient + step + 2**63 & MASK) - 2**63


def check(x, y, names, target="v75", element="i64", constant=None):
    run = hx.compile(kernel(len(x), names, element, constant), target=target).run
    results = [np.zeros(len(x), np.int64) for _ in names]
    run(x, y, *results)
    divisors = y.tolist() if constant is None else [constant] * len(x)
    for name, result in zip(names, results, strict=True):
        wanted = [expected(name, n, d) for n, d in zip(x.tolist(), divisors, strict=True)]
        wanted = np.array([(number + 2**63 & MASK) - 2**63 for number in wanted], np.int64)
        wrong = np.flatnonzero(result != wanted)
        assert not len(wrong), f"{name} of {x[wrong[0]]}, {divisors[wrong[0]]}: {result[wrong[0]]}, {len(wrong)} wrong"


def edges(bits):
    """Powers of two of every length with both signs, and their neighbours: 0, the ends, and -1 among them."""
    found = {sign * (2**k + by) for k in range(bits) for by in (-1, 0, 1) for sign in (-1, 1)}
    return np.array(sorted(n for n in found if -(2**(bits - 1)) <= n < 2**(bits - 1)))


@pytest.mark.parametrize("names", (SIGNED, UNSIGNED), ids=("signed", "unsigned"))
def test_every_length_by_every_length(names):
    some = edges(64)
    x, y = (np.ascontiguousarray(a.reshape(-1)) for a in np.meshgrid(some, some))
    check(x, y, names)


@pytest.mark.each_value
@pytest.mark.parametrize("target", ("v68", "v79"))
@pytest.mark.parametrize("names", (SIGNED[:2], UNSIGNED[:2]), ids=("signed", "unsigned"))
def test_random_numbers(names, target):
    """Of all lengths; half of them just where a quotient changes."""
    rng, count = np.random.default_rng(1), 100_000
    x, y, q = (rng.integers(-(2**63), 2**63, count, dtype=np.int64) >> rng.integers(0, 64, count) for _ in range(3))
    near = (q * y) + rng.integers(-1, 2, count)
    check(np.where(np.arange(count) % 2, x, near), y, names, target)


def test_extended_words():
    some = edges(32).astype(np.int32)
    x, y = (np.ascontiguousarray(a.reshape(-1)) for a in np.meshgrid(some, some))
    check(x, y, (*SIGNED, *UNSIGNED), element="i32")


@pytest.mark.parametrize("divisor", (0, -1, -7, 4096, -(2**63), *(
    pytest.param(number, marks=pytest.mark.full)
    for number in (1, 2, -2, 3, 10, 10**12, -(2**32), 2**31, 2**32 - 1, 2**32, 2**32 + 1, 2**63 - 1))))
def test_constants(divisor):
    x = np.concatenate([edges(64), np.random.default_rng(2).integers(-(2**63), 2**63, 200, dtype=np.int64)])
    check(x, x, (*SIGNED, *UNSIGNED), constant=divisor)


@pytest.mark.only_values(False)
def test_vector_code_takes_fewer_packets():
    """Of scalar code, 94 cycles an element, or 23 with a constant."""
    for constant, packets in ((None, 4.5), (7, 1.6)):
        text, n = kernel(256, ["divsi"], constant=constant), np.arange(1, 257)
        result = hx.compile(text).run(n * 10**15, n, np.zeros_like(n))
        assert result.profile.packets < packets * len(n)
        module, chip = parse(text), targets.get("v75")
        set_index_bits(module)
        context = PassContext(chip)
        run_steps(module, pipelines.get("default", chip), context, None)
        assert not [entry.message for entry in context.log.entries if "not vectorized" in entry.message]
