"""What leaves IEEE 754 on chips with legacy qfloat (v68 to v75), and by how much: writes docs/arithmetic.md.

    python bench/arithmetic.py            # operations, special values and models: some minutes
    python bench/arithmetic.py --print    # on the screen

Compiled code on the simulator, for v75 and v79, against float64 (models: against eager PyTorch in f32).
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import hexagon_mlir as hx
from bench.maths import IEEE, LEGACY, ulps

Array = np.ndarray
DOCUMENT = Path(__file__).resolve().parent.parent / "docs" / "arithmetic.md"
COUNT = 1 << 16
ROWS, TERMS = 64, 4096
SIDE = 128
TYPES = {"f32": np.float32, "f16": np.float16}


@dataclass(frozen=True)
class Case:
    """``body`` computes %r from %a and %b; ``operands`` are the numbers, ``exact`` the result in float64."""

    name: str
    element: str
    body: str
    operands: tuple[Array, ...]
    exact: Callable[..., Array]

    @property
    def text(self) -> str:
        """A function that computes the operation on every element."""
        size, e = len(self.operands[0]), self.element
        letters = "ab"[:len(self.operands)]
        maps = ", ".join(["affine_map<(d0) -> (d0)>"] * (len(letters) + 1))
        arguments = ", ".join(f"%m{c}: tensor<{size}x{e}>" for c in letters)
        return f"""func.func @f({arguments}) -> tensor<{size}x{e}> {{
  %o = tensor.empty() : tensor<{size}x{e}>
  %s = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel"]}}
      ins({", ".join(f"%m{c}" for c in letters)} : {", ".join([f"tensor<{size}x{e}>"] * len(letters))})
      outs(%o : tensor<{size}x{e}>) {{
  ^bb0({", ".join(f"%{c}: {e}" for c in letters)}, %old: {e}):
    {self.body.replace(": E", f": {e}")}
    linalg.yield %r : {e}
  }} -> tensor<{size}x{e}>
  return %s : tensor<{size}x{e}>
}}"""


def _normal(seed: int, element: str = "f32") -> Array:
    return np.random.default_rng(seed).standard_normal(COUNT).astype(TYPES[element])


def _positive(seed: int) -> Array:
    return np.abs(_normal(seed)) + np.float32(1e-3)


def _close(x: Array) -> Array:
    """Numbers within a factor of 2 of ``x``."""
    return (x * np.random.default_rng(3).uniform(0.5, 2, len(x))).astype(x.dtype)


def cases() -> list[Case]:
    """The operations, one by one."""
    x, y, p, q = _normal(1), _normal(2), _positive(3), _positive(4)
    h, k = _normal(5, "f16"), _normal(6, "f16")
    zero, one = (f"%c = arith.constant {number} : E\n    " for number in ("0.0", "1.0"))
    add, sub, mul, div = (f"%r = arith.{name} %a, %b : E" for name in ("addf", "subf", "mulf", "divf"))
    return [
        Case("x + 0 (the zero from memory)", "f32", add, (x, np.zeros_like(x)), lambda a, b: a + b),
        Case("x * 1 (the one from memory)", "f32", mul, (x, np.ones_like(x)), lambda a, b: a * b),
        Case("small integers, a + b", "f32", add, (np.rint(x * 50), np.rint(y * 50)), lambda a, b: a + b),
        Case("a + b, same sign", "f32", add, (p, q), lambda a, b: a + b),
        Case("a + b, N(0,1)", "f32", add, (x, y), lambda a, b: a + b),
        Case("a - b within a factor of 2", "f32", sub, (p, _close(p)), lambda a, b: a - b),
        Case("a * b", "f32", mul, (x, y), lambda a, b: a * b),
        Case("a * b + a", "f32", "%m = arith.mulf %a, %b : E\n    %r = arith.addf %m, %a : E", (p, q),
             lambda a, b: a * b + a),
        Case("(a + b) * (a - b)", "f32", "%s = arith.addf %a, %b : E\n    %d = arith.subf %a, %b : E\n"
             "    %r = arith.mulf %s, %d : E", (x, y), lambda a, b: (a + b) * (a - b)),
        Case("a / b", "f32", div, (x, y), lambda a, b: a / b),
        Case("0.1 x + 1", "f32", one + "%t = arith.constant 0.1 : E\n    %m = arith.mulf %a, %t : E\n"
             "    %r = arith.addf %m, %c : E", (x,), lambda a: a * np.float64(np.float32(0.1)) + 1),
        Case("relu(x)", "f32", zero + "%r = arith.maximumf %a, %c : E", (x,), lambda a: np.maximum(a, 0)),
        Case("a + b", "f16", add, (h, k), lambda a, b: a + b),
        Case("a * b", "f16", mul, (h, k), lambda a, b: a * b),
        Case("a / b", "f16", div, (h, k), lambda a, b: a / b),
    ]


def _run(text: str, target: str, *operands: Array) -> Array:
    return hx.compile(text, target=target).run(*operands).outputs[0]


def operation_rows() -> list[str]:
    """How results of single operations differ."""
    lines = []
    for case in cases():
        wide = [x.astype(np.float64) for x in case.operands]
        exact = case.exact(*wide)
        with np.errstate(all="ignore"):
            nearest = exact.astype(TYPES[case.element])
        cells = []
        for target in (LEGACY, IEEE):
            got = _run(case.text, target, *case.operands)
            error = ulps(got, exact, case.element)
            finite = error[np.isfinite(error)]
            cells += [f"{np.mean(got != nearest):.1%}", _number(finite.max())]
        lines.append(f"| {case.name} | {case.element} | {' | '.join(cells)} |")
    return lines


def _number(value: float) -> str:
    return f"{value:.2f}" if value < 100 else f"{value:.1e}"


def _reduction(rows: int, terms: int) -> str:
    return f"""func.func @f(%a: tensor<{rows}x{terms}xf32>) -> tensor<{rows}xf32> {{
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<{rows}xf32>
  %o = linalg.fill ins(%zero : f32) outs(%e : tensor<{rows}xf32>) -> tensor<{rows}xf32>
  %s = linalg.reduce {{ arith.addf }} ins(%a : tensor<{rows}x{terms}xf32>) outs(%o : tensor<{rows}xf32>)
      dimensions = [1]
  return %s : tensor<{rows}xf32>
}}"""


def _product(element: str) -> str:
    side = f"{SIDE}x{SIDE}"
    return f"""func.func @f(%a: tensor<{side}x{element}>, %b: tensor<{side}x{element}>) -> tensor<{side}xf32> {{
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<{side}xf32>
  %o = linalg.fill ins(%zero : f32) outs(%e : tensor<{side}xf32>) -> tensor<{side}xf32>
  %s = linalg.matmul ins(%a, %b : tensor<{side}x{element}>, tensor<{side}x{element}>)
      outs(%o : tensor<{side}xf32>) -> tensor<{side}xf32>
  return %s : tensor<{side}xf32>
}}"""


def _softmax(rows: int, terms: int) -> str:
    return f"""func.func @f(%a: tensor<{rows}x{terms}xf32>) -> tensor<{rows}x{terms}xf32> {{
  %e = tensor.empty() : tensor<{rows}x{terms}xf32>
  %s = linalg.softmax dimension(1) ins(%a : tensor<{rows}x{terms}xf32>) outs(%e : tensor<{rows}x{terms}xf32>)
      -> tensor<{rows}x{terms}xf32>
  return %s : tensor<{rows}x{terms}xf32>
}}"""


def _soft(x: Array) -> Array:
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def kernel_rows() -> list[str]:
    """Sums, products of matrices, softmax: errors relative to the largest exact result of a row."""
    rng = np.random.default_rng(8)
    uniform, tenth = rng.random((ROWS, TERMS)).astype(np.float32), np.full((ROWS, TERMS), 0.1, np.float32)
    normal = rng.standard_normal((ROWS, TERMS)).astype(np.float32)
    left, right = rng.standard_normal((2, SIDE, SIDE)).astype(np.float32)
    found = [
        (f"sum of {TERMS:,} uniform numbers", _reduction(ROWS, TERMS), (uniform,), lambda a: a.sum(axis=1)),
        (f"sum of {TERMS:,} times 0.1", _reduction(ROWS, TERMS), (tenth,), lambda a: a.sum(axis=1)),
        (f"sum of {TERMS:,} ones", _reduction(ROWS, TERMS), (np.ones_like(tenth),), lambda a: a.sum(axis=1)),
        (f"sum of {TERMS:,} N(0,1)", _reduction(ROWS, TERMS), (normal,), lambda a: a.sum(axis=1)),
        (f"softmax of rows of {TERMS:,}", _softmax(ROWS, TERMS), (normal,), _soft),
        (f"product of matrices, {SIDE} cubed, f32", _product("f32"), (left, right), np.matmul),
        (f"product of matrices, {SIDE} cubed, f16 to f32", _product("f16"),
         (left.astype(np.float16), right.astype(np.float16)), np.matmul),
    ]
    lines = []
    for name, text, operands, function in found:
        exact = function(*(x.astype(np.float64) for x in operands))
        cells = [f"{np.abs(_run(text, target, *operands) - exact).max() / np.abs(exact).max():.1e}"
                 for target in (LEGACY, IEEE)]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


SPECIALS = (("1 + 0", "addf", 1, 0), ("2 * 2", "mulf", 2, 2), ("inf + 1", "addf", np.inf, 1),
            ("inf - inf", "subf", np.inf, np.inf), ("inf * 0", "mulf", np.inf, 0), ("inf * 0.5", "mulf", np.inf, 0.5),
            ("NaN + 1", "addf", np.nan, 1), ("NaN * 0", "mulf", np.nan, 0), ("3e38 + 3e38", "addf", 3e38, 3e38),
            ("1e30 * 1e30", "mulf", 1e30, 1e30), ("1e-20 * 1e-20", "mulf", 1e-20, 1e-20), ("1 / 0", "divf", 1, 0),
            ("0 / 0", "divf", 0, 0), ("inf / inf", "divf", np.inf, np.inf), ("-0 + -0", "addf", -0.0, -0.0))


def special_rows() -> list[str]:
    """Single operations on infinities, NaN and the ends of the range."""
    lines = []
    for name, op, a, b in SPECIALS:
        operands = np.full(COUNT // 256, a, np.float32), np.full(COUNT // 256, b, np.float32)
        case = Case(name, "f32", f"%r = arith.{op} %a, %b : E", operands, np.add)
        results = [_run(case.text, target, *operands)[0] for target in (LEGACY, IEEE)]
        lines.append(f"| {name} | {' | '.join(f'{r:.8g}' for r in results)} |")
    return lines


def model_rows() -> list[str]:
    """Models end to end: the largest difference from eager f32, and whether the same class or token wins."""
    import torch

    from bench.corpus.model_zoo import SMALL

    lines = []
    for name, make in SMALL.items():
        torch.manual_seed(0)
        module, inputs = make()[:2]
        with torch.no_grad():
            expected = module.eval()(*inputs)
            program = torch.export.export(module, inputs)
            cells = []
            for target in (LEGACY, IEEE):
                got = hx.compile(program, target=target)(*inputs)
                pairs = [(g, e) for g, e in zip(_tensors(got), _tensors(expected), strict=True)]
                difference = max(float((g - e).abs().max() / e.abs().max()) for g, e in pairs)
                same = np.mean([float((g.argmax(-1) == e.argmax(-1)).float().mean()) for g, e in pairs])
                cells += [f"{difference:.1e}", f"{same:.0%}"]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def _tensors(value: object) -> list:
    import torch

    if isinstance(value, torch.Tensor):
        return [value]
    return [t for part in value for t in _tensors(part)] if isinstance(value, tuple | list) else []


PAGE = """\
# What leaves IEEE 754 on v68 to v75

Written by `python bench/arithmetic.py`; do not edit. The vector unit of these chips computes in qfloat: no significand
is even, there is no zero, infinity or NaN, and a difference is not normalised (`docs/qfloat.md` has the format). This
page has the single operations, as compiled for v75, and for v79, whose results are those of IEEE 754; `docs/maths.md`
has the math functions. Scalar code follows IEEE 754 on every chip. So does vector code for
`target="v75+hvx-ieee-fp"`, on chips that have this option.

## Operations

*differ*: the share of results that are not the nearest f32 (f16) number; *error*: the largest error, in units in the
last place of the result. {count:,} operands each.

| operation | type | v75 differ | v75 error | v79 differ | v79 error |
|---|---|---|---|---|---|
{operations}

## Sums, softmax, products of matrices

The largest error, relative to the largest result.

| kernel | v75 | v79 |
|---|---|---|
{kernels}

## Infinity, NaN, the ends of the range

| operation, f32 | v75 | v79 |
|---|---|---|
{specials}

## What is promised on v68 to v75


* Every function of `docs/maths.md`, and division, follows IEEE 754 for operands that are infinite, NaN or zero. So do
  comparisons, minima, maxima, selections, conversions and copies.
* A sum, difference or product of numbers is NaN (in f16: infinity) where IEEE 754 overflows to infinity. A sum with
  infinity is NaN or the largest number; a sum with NaN is NaN; but infinity minus infinity and NaN minus NaN are 0. A
  product with infinity or NaN may be any number: test for them before multiplying.
* f16: infinity counts as 65,536 in sums and products, and NaN as a larger number. A result that is too large becomes
  infinity. An f32 number halfway between two f16 numbers is rounded away from zero, not to even.
* exp of a sum with minus infinity is 0, so masks work in softmax and attention, including masks that are added (minus
  infinity or the least number). A NaN with its sign bit set counts as minus infinity there.
* A row that is entirely masked: PyTorch's attention function gives zeros, and attention written as separate operations
  gives NaN, both as in PyTorch. Any other softmax gives meaningless weights. A Triton kernel that tests for a maximum
  of minus infinity finds it where scores were selected (`tl.where`), not where a mask was added. log_softmax of a
  masked element is NaN: only exp recognises such sums.
* A product with a constant of 2^126 or more, such as a mask `(1 - seen) * -3.4e38`, saturates.
* A sum or product that is exact in f32 may be inexact here: count in integers. The same operations on the same operands
  give equal results.

## Models

Models with random weights, compared with eager PyTorch in f32: the largest difference relative to the largest value,
and how often the same class or token has the largest value.

| model | v75 | same | v79 | same |
|---|---|---|---|---|
{models}
"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and write the page or print it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--print", action="store_true", help="print the page instead of writing it")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    page = PAGE.format(count=COUNT, operations="\n".join(operation_rows()), kernels="\n".join(kernel_rows()),
                       specials="\n".join(special_rows()), models="\n".join(model_rows()))
    if options.print:
        print(page)
    else:
        DOCUMENT.write_text(page)


if __name__ == "__main__":
    main()
