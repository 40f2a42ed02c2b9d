"""Accuracy and speed of the maths library: writes docs/maths.md.

    python bench/maths.py                     # the whole table, about half an hour
    python bench/maths.py exp log             # some rows, the others stay
    python bench/maths.py exp --print         # on the screen
    python bench/maths.py --samples 100000    # fewer samples
    python bench/maths.py --costs             # cycles and packets only, errors stay: after a change of code generation

Errors are measured against float64, on every f16 and bf16 number (pairs: random ones), and for f32 on random bit
patterns, dense ranges and special values; for each arithmetic that HVX has:

* legacy qfloat: the kernel compiled for v75, on the simulator, every sample;
* IEEE: the expanded IR of v79 on the host, whose arithmetic is the same; a part of the samples runs through the whole
  compiler and the simulator again and must give the same bits.

Cycles are those of the v75 kernel on data in TCM, one thread.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path

import ml_dtypes
import numpy as np
from rich.progress import track

from hexagon_mlir import targets
from hexagon_mlir.codegen import compile_module
from hexagon_mlir.exec.host import HostFunction
from hexagon_mlir.ir import parse
from hexagon_mlir.pass_infra import PassContext
from hexagon_mlir.pass_infra.registry import get
from hexagon_mlir.pass_infra.step import PassStep
from hexagon_mlir.report.check import CLOCK_NOTE
from hexagon_mlir.settings import Settings
from hexagon_mlir.sim import Machine, RunResult
from hexagon_mlir.whole_files import write_files

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.corpus.math_functions import FUNCTIONS, SPECIAL, Array, Function

NUMPY = {"f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16}
MANTISSA = {"f32": 23, "f16": 10, "bf16": 7}
LOWEST = {"f32": -126, "f16": -14, "bf16": -126}
LARGEST = {"f32": float(np.finfo(np.float32).max), "f16": 65504.0, "bf16": 3.3895313892515355e38}
LEVELS = ("accurate", "fast")
LEGACY, IEEE = "v75", "v79"
"""The target that each arithmetic is measured on."""
CHECKED = ("f32",)
"""Element types whose IEEE results are compared between host and simulator."""
BLOCK = 1 << 16
COST_SAMPLES = 4 * BLOCK
DOCUMENT = Path(__file__).resolve().parent.parent / "docs" / "maths.md"


def kernel_text(function: Function, element: str, level: str, count: int, space: str = "") -> str:
    """``kernel``: ``function`` of every element of vectors of ``count``, memory to memory."""
    buffer = f"memref<{count}x{element}{space}>"
    letters = "abc"[:function.arity]
    body = function.body.replace("FLAGS", "fastmath<afn>" if level == "fast" else "").replace(": E", f": {element}")
    body = body.replace("to E", f"to {element}")
    maps = ", ".join(["affine_map<(d0) -> (d0)>"] * (len(letters) + 1))
    ins = ", ".join(f"%m{c}" for c in letters)
    return f"""func.func @kernel({", ".join(f"%m{c}: {buffer}" for c in letters)}, %out: {buffer}) {{
  linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel"]}}
      ins({ins} : {", ".join([buffer] * len(letters))}) outs(%out : {buffer}) {{
  ^bb0({", ".join(f"%{c}: {element}" for c in letters)}, %o: {element}):
{body}
    linalg.yield %r : {element}
  }}
  return
}}
"""


@cache
def on_host(function: Function, element: str, level: str) -> HostFunction:
    """The function as v79 expands it, compiled for this machine, over blocks of `BLOCK`."""
    module = parse(kernel_text(function, element, level, BLOCK))
    PassStep(get("hexagon-math-expansion")()).run(module, PassContext(targets.get(IEEE)))
    return HostFunction(module, "kernel")


@dataclass(frozen=True)
class OnChip:
    """The compiled function over blocks of `BLOCK` in TCM, on the simulator."""

    machine: Machine
    addresses: tuple[int, ...]

    def __call__(self, arrays: Sequence[Array]) -> RunResult:
        """Run on ``arrays``; the last one is filled with the result."""
        for address, array in zip(self.addresses, arrays, strict=True):
            self.machine.write(address, array.view(np.uint8))
        result = self.machine.run("kernel", list(self.addresses))
        out = arrays[-1]
        out.view(np.uint8)[:] = self.machine.read(self.addresses[-1], np.uint8, out.nbytes)
        return result


@cache
def on_chip(function: Function, element: str, level: str, target: str) -> OnChip:
    """``function`` through the whole compiler."""
    module = parse(kernel_text(function, element, level, BLOCK, ", 1"))
    machine = Machine(compile_module(module, target, settings=Settings(threads=1)).asm, target)
    size = BLOCK * np.dtype(NUMPY[element]).itemsize + 2 * int(machine.target.vector_bytes.value)
    return OnChip(machine, tuple(machine.alloc_tcm(size) for _ in range(function.arity + 1)))


def evaluate(function: Function, element: str, level: str, operands: Sequence[Array], target: str = IEEE) -> Array:
    """``function`` of ``operands`` in the arithmetic of ``target``: legacy on the simulator, IEEE on the host."""
    if target != IEEE:
        return evaluate_on_chip(function, element, level, operands, target)
    return _in_blocks(on_host(function, element, level), element, operands)


def evaluate_on_chip(function: Function, element: str, level: str, operands: Sequence[Array], target: str) -> Array:
    """``function`` of ``operands`` as compiled for ``target``, on the simulator."""
    return _in_blocks(on_chip(function, element, level, target), element, operands)


def _in_blocks(run: Callable[[Sequence[Array]], object], element: str, operands: Sequence[Array]) -> Array:
    size = len(operands[0])
    padded = [np.concatenate([x, np.ones(-size % BLOCK, x.dtype)]) for x in operands]
    parts = []
    for start in range(0, size, BLOCK):
        out = np.empty(BLOCK, NUMPY[element])
        run([*(np.ascontiguousarray(x[start:start + BLOCK]) for x in padded), out])
        parts.append(out)
    return np.concatenate(parts)[:size]


def samples(function: Function, element: str, level: str, count: int) -> list[Array]:
    """Operands: all numbers of 16 bits, random pairs of them, or for f32 bit patterns, ranges and special values."""
    rng = np.random.default_rng(len(function.name))
    kind = NUMPY[element]
    if element != "f32":
        if function.arity == 1:
            return [np.arange(1 << 16, dtype=np.uint16).view(kind)]
        with np.errstate(over="ignore"):
            grid = np.meshgrid(*[SPECIAL.astype(kind)] * function.arity)
        return [np.concatenate([rng.integers(0, 1 << 16, count, dtype=np.uint16).view(kind), g.ravel()]) for g in grid]
    share = count // 4
    if level == "fast" and function.fast:
        given = function.fast_range * (function.arity if len(function.fast_range) == 1 else 1)
        return [np.exp(rng.uniform(np.log(low), np.log(high), share)).astype(kind) if low > 0  # over all binades
                else rng.uniform(low, high, share).astype(kind) for low, high in given]
    grid = [g.ravel() for g in np.meshgrid(*[SPECIAL] * function.arity)]
    result = []
    for number, ranges in enumerate(function.ranges):
        dense = [rng.uniform(low, high, share // len(ranges)) for low, high in ranges]
        if number and function.whole:
            dense = [np.where(rng.random(len(d)) < 0.5, np.rint(d), d) for d in dense]
        close = np.concatenate([rng.permutation(d) for d in dense])
        bits = rng.integers(0, 1 << 32, count - 2 * share, dtype=np.uint32).view(np.float32)
        parts = [*dense, close, bits, grid[number]]
        result.append(np.concatenate([np.asarray(part, np.float32) for part in parts]))
    shortest = min(map(len, result))
    return [x[-shortest:] for x in result]


def ulps(actual: Array, expected: Array, element: str) -> Array:
    """|actual - expected| in units of ``expected``'s last place; a wrong NaN, infinity or sign of zero is infinite."""
    largest, mantissa = LARGEST[element], MANTISSA[element]
    with np.errstate(all="ignore"):
        wide = actual.astype(np.float64)
        too_large = np.abs(expected) >= largest * (1 + 2.0 ** -(mantissa + 2))
        just = np.isfinite(wide) & (np.abs(expected) < largest * (1 + 2.0**-mantissa))  # half a step is not a class
        expected = np.where(too_large & ~just, np.copysign(np.inf, expected), expected)
        unit = np.exp2(np.maximum(np.frexp(expected)[1] - 1, LOWEST[element]).astype(np.float64) - mantissa)
        distance = np.abs(wide - expected) / unit
        # One step beyond the largest number is infinity.
        distance = np.where(np.isinf(wide) & (np.abs(expected) > largest - largest * 2.0**-mantissa), 1.0, distance)
        same = (wide == expected) | (np.isnan(wide) & np.isnan(expected))
        distance = np.where(same, 0.0, np.where(np.isnan(distance), np.inf, distance))
        wrong_zero = (wide == 0) & (expected == 0) & (np.signbit(wide) != np.signbit(expected))
        return np.where(wrong_zero, np.inf, distance)


@lru_cache(maxsize=1)
def references(function: Function, element: str, level: str, count: int) -> list[tuple[list[Array], Array]]:
    """`samples` in blocks that stay in the processor's cache, and the results in float64: the same for all targets."""
    operands = samples(function, element, level, count)
    found = []
    for start in range(0, len(operands[0]), BLOCK):
        block = [x[start:start + BLOCK] for x in operands]
        with np.errstate(all="ignore"):
            expected = function.reference(*(x.astype(np.float64) for x in block)).astype(np.float64)
        found.append((block, expected))
    return found


def worst(function: Function, element: str, level: str, count: int,
          target: str = IEEE) -> tuple[float, tuple[float, ...]]:
    """The largest error in ulp in the arithmetic of ``target``, and where."""
    found: tuple[float, tuple[float, ...]] = (-1.0, ())
    for block, expected in references(function, element, level, count):
        actual = evaluate(function, element, level, block, target)
        with np.errstate(all="ignore"):
            vanishing = function.legacy_flushes if target == LEGACY and function.legacy_flushes else function.flushes
            small = (np.abs(expected) < vanishing) & (np.abs(actual.astype(np.float64)) < vanishing)
        error = np.where(small, 0.0, ulps(actual, expected, element))
        index = int(np.argmax(error))
        if error[index] > found[0]:
            found = float(error[index]), tuple(float(x[index]) for x in block)
    return found


def limit(function: Function, element: str, level: str, target: str = IEEE) -> float:
    """The error ``function`` may have, in ulp."""
    if level == "fast" and element == "f32" and function.fast:
        return function.legacy_fast or function.fast if target == LEGACY else function.fast
    return function.legacy.get(element, function.ulp[element]) if target == LEGACY else function.ulp[element]


@dataclass(frozen=True)
class Row:
    """One line of the table; ``error`` and ``bound`` are those of legacy qfloat."""

    name: str
    element: str
    level: str
    error: float
    bound: float
    ieee_error: float
    ieee_bound: float
    cycles: float
    packets: float

    @property
    def text(self) -> str:
        """The line."""
        return (f"| {self.name} | {self.element} | {self.level} | {self.error:.3f} | {self.bound:g} | "
                f"{self.ieee_error:.3f} | {self.ieee_bound:g} | {self.cycles:.1f} | {self.packets:.1f} |")


_LINE = re.compile(r"\| ([\w ()]+?) \| (\w+) \| (\w+) " + r"\| ([\d.]+) " * 6 + r"\|")


def read(text: str) -> list[Row]:
    """The lines of a table."""
    return [Row(m[1], m[2], m[3], *(float(number) for number in m.group(*range(4, 10)))) for m in _LINE.finditer(text)]


def measure(function: Function, element: str, level: str, count: int) -> Row:
    """Errors and cost; raises when v79's code and the host's differ, or an error is above its bound."""
    errors = []
    for target in (LEGACY, IEEE):
        error, where = worst(function, element, level, count, target)
        bound = limit(function, element, level, target)
        if error > bound:
            raise SystemExit(f"{function.name} {element} {level} on {target}: {error:.3f} ulp at {where}")
        errors += [error, bound]
    cycles, packets = costs(function, element, level)
    return Row(function.name, element, level, *errors, cycles, packets)


def costs(function: Function, element: str, level: str) -> tuple[float, float]:
    """Cycles and packets of v75 per vector; raises when v79's code and the host's differ."""
    part = [np.ascontiguousarray(x[-BLOCK:]) for x in samples(function, element, level, COST_SAMPLES)]
    if element in CHECKED and level == "accurate":
        expected, values = evaluate(function, element, level, part), np.empty(BLOCK, NUMPY[element])
        on_chip(function, element, level, IEEE)([*part, values])
        wrong = (values != expected) & ~(np.isnan(values) & np.isnan(expected))
        if wrong.any():
            at = int(np.argmax(wrong))
            raise SystemExit(f"{function.name} {element} {IEEE}: {values[at]} at {[x[at] for x in part]}, host "
                             f"{expected[at]}")
    cost = on_chip(function, element, level, LEGACY)([*part, np.empty(BLOCK, NUMPY[element])])
    vectors = part[0].nbytes / int(targets.get().vector_bytes.value)
    return cost.cycles / vectors, cost.packets / vectors


def variants(function: Function) -> list[tuple[str, str]]:
    """The element types and levels that have a row."""
    levels = LEVELS if function.fast else LEVELS[:1]
    return [(element, level) for element in function.ulp for level in levels
            if element == "f32" or level == "accurate"]


HEADER = """\
# The maths library

Written by `python bench/maths.py`; do not edit. `hexagon-math-expansion` turns every function below into vector
arithmetic, without a call. `accurate` is the default; `fast` is chosen by `accuracy="fast"` or, for one
operation, by `fastmath<afn>`. Functions without a row for `fast` have one formula. Functions of 16-bit types are
computed in f32 and rounded once, by formulas that are only as accurate as this needs; so are f32 functions whose
results are only rounded to 16 bits.

* **qfloat error**: the largest error of compiled code on the simulator, on v75, whose arithmetic v68 and v73 share
  (`docs/simulator.md`), in units in the last place (0.5 is correct rounding). f16 and bf16: all 65,536 arguments, or
  random pairs. f32: {samples:,} arguments, half of them random bit patterns, the rest dense ranges, and all (pairs of)
  special values: zeros, infinities, NaN, denormal numbers, the ends of the range. A wrong NaN, infinity or sign of
  zero counts as an infinite error. `fast` is measured on its range, which the last section gives.
* **IEEE error**: the error of v79's formulas in IEEE arithmetic, on the host. For f32, v79's compiled code also runs on
  a part of the arguments and gives the same bits.
* **bound**: the largest error that the tests allow.
* **cycles**, **packets**: simulated, for v75, per vector of 128 bytes (32 f32 or 64 16-bit elements), with operands in
  TCM and one thread. Cycles: {note}.

| function | type | level | qfloat error | bound | IEEE error | bound | cycles | packets |
|---|---|---|---|---|---|---|---|---|
"""
RULES = """
## What is not in the table

* `math.fma` is a product and a sum, each rounded: the vector unit has no fused operation, and an exact one takes
  about 25 operations. f16 and bf16 products are exact in f32, so only the sum and then the result are rounded.
* Conversions to 8-bit floats round to nearest even; a number that is too large gives NaN in E4M3FN and infinity in
  E5M2. Float to integer truncates; beyond the range of i32 it saturates on v73 and later. Integer to float rounds to
  nearest even.
* Minimum and maximum: `maximumf` and `minimumf` give NaN when an operand is NaN, `maxnumf` and `minnumf` give the
  other operand.
* Triton's `div_rn` and `sqrt_rn` are rounded to nearest even, as IEEE 754 requires; they compute the remainder in
  integers.
* Integer division of i8, i16 and i32 is a float estimate with an exact correction. Division by a constant is a
  multiplication.
* f16 on v75: a plain conversion from f32 that rounds to zero loses the sign of the zero; math functions restore it.

## Notes
"""


def document(rows: Sequence[Row], count: int) -> str:
    """The whole page."""
    order = {name: number for number, name in enumerate(f.name for f in FUNCTIONS)}
    lines = [row.text for row in sorted(rows, key=lambda r: (order[r.name], list(NUMPY).index(r.element), r.level))]
    notes = [f"* {f.name}: {f.notes}." for f in FUNCTIONS if f.notes]
    ranges = [f"* {f.name}, fast: " + "; ".join([", ".join(f"{low:g} to {high:g}" for low, high in f.fast_range),
                                                 *filter(None, [f.fast_notes])]) + "." for f in FUNCTIONS if f.fast]
    return HEADER.format(samples=count, note=CLOCK_NOTE) + "\n".join(lines) + "\n" + RULES + "\n".join(
        [*notes, *ranges]) + "\n"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and write the page or print the lines."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="functions; all when none is given")
    parser.add_argument("--samples", type=int, default=10_000_000)
    parser.add_argument("--costs", action="store_true", help="measure cycles and packets only")
    parser.add_argument("--print", action="store_true", help="print the lines instead of writing the page")
    options = parser.parse_args(arguments)
    unknown = set(options.names) - {function.name for function in FUNCTIONS}
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    chosen = [f for f in FUNCTIONS if not options.names or f.name in options.names]
    kept = read(DOCUMENT.read_text()) if (options.names or options.costs) and DOCUMENT.exists() else []
    rows = [row for row in kept if row.name not in {f.name for f in chosen}]
    errors = {(row.name, row.element, row.level): row for row in kept}
    for function in track(chosen, "measuring", transient=True):
        for element, level in variants(function):
            known = errors.get((function.name, element, level)) if options.costs else None
            if known is not None:
                cycles, packets = costs(function, element, level)
                rows.append(replace(known, cycles=cycles, packets=packets))
            else:
                rows.append(measure(function, element, level, options.samples))
            if options.print:
                print(rows[-1].text)
        if not options.print:
            write_files({DOCUMENT: document(rows, options.samples).encode()})


if __name__ == "__main__":
    main()
