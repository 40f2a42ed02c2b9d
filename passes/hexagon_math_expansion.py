"""Maths functions become polynomials: the machine has no exp, no divide and no square root."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from hexagon_mlir.ir import HexError, ir
from hexagon_mlir.ir.query import find_ops, ops_named
from hexagon_mlir.pass_infra import Pass, PassContext
from hexagon_mlir.passes.math_library import composed
from hexagon_mlir.passes.math_library.catalogue import FUNCTIONS, OP_NAMES
from hexagon_mlir.passes.math_library.expand import (
    ELEMENTS,
    element_of,
    expand,
    expand_composed,
    expand_small_float,
)
from hexagon_mlir.passes.math_library.quantization import CONVERSIONS as QUANTIZATIONS
from hexagon_mlir.passes.math_library.quantization import expand_quantization
from hexagon_mlir.passes.math_library.small_float import SMALL
from hexagon_mlir.settings import Accuracy

CONVERSIONS = ("arith.extf", "arith.truncf")


@dataclass(frozen=True)
class HexagonMathExpansionPass(Pass):
    """Rewrites maths operations on scalars and vectors into additions, multiplications and integer operations.

    No library call, division or fused multiply-add remains. f16 and bf16 are computed in f32 and rounded once;
    conversions to and from 8-bit floats work on their bits. Expressions such as ``x / (1 + exp(-x))``, and the
    rounding, clamping and conversion of quantization, are recognised and computed as one function. `docs/maths.md` has
    every error bound: 2 ulp for f32 and 1 ulp for 16 bits when accurate, with PyTorch's special values. An f32 result
    that is only rounded to 16 bits has the bound for 16 bits. math.fma is a product and a sum, each rounded.

    Before:
        func.func @f(%a: vector<4xf32>, %b: vector<4xf32>, %c: f32) -> (vector<4xf32>, f32) {
          %0 = math.fma %a, %b, %a : vector<4xf32>
          %1 = math.copysign %c, %c : f32
          return %0, %1 : vector<4xf32>, f32
        }

    After:
        func.func @f(%a: vector<4xf32>, %b: vector<4xf32>, %c: f32) -> (vector<4xf32>, f32) {
          %0 = arith.mulf %a, %b : vector<4xf32>
          %1 = arith.addf %0, %a : vector<4xf32>
          %2 = arith.bitcast %c : f32 to i32
          %c2147483647_i32 = arith.constant 2147483647 : i32
          %3 = arith.andi %2, %c2147483647_i32 : i32
          %4 = arith.bitcast %c : f32 to i32
          %c-2147483648_i32 = arith.constant -2147483648 : i32
          %5 = arith.andi %4, %c-2147483648_i32 : i32
          %6 = arith.ori %3, %5 : i32
          %7 = arith.bitcast %6 : i32 to f32
          return %1, %7 : vector<4xf32>, f32
        }

    Options:
        functions: names to expand, such as ``exp,divf``; all when empty (then also composed expressions).
        accuracy: ``accurate``, or ``fast`` for shorter formulas: relative errors of about 2^-18, no denormal numbers,
            NaN not propagated. ``fastmath<afn>`` on an operation selects ``fast``; ``nnan`` only permits not to
            propagate NaN.

    Refuses: names in ``functions`` that it does not know. f64, tensors and other operations of the math dialect
        are left alone, with a remark.

    Needs: tensor
    Leaves: tensor
    """

    name: ClassVar[str] = "hexagon-math-expansion"
    needs: ClassVar[str] = "tensor"
    leaves: ClassVar[str] = "tensor"

    functions: tuple[str, ...] = ()
    accuracy: Accuracy = Accuracy.ACCURATE

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Expand composed expressions, then every operation in the catalogue."""
        for name in self.functions:
            if name not in FUNCTIONS:
                raise HexError.plain(f"unknown function '{name}'", origin=self.name,
                                     hint=f"known: {', '.join(FUNCTIONS)}")
        wanted = {OP_NAMES[name]: FUNCTIONS[name] for name in self.functions or FUNCTIONS}
        fast, qfloat = self.accuracy is Accuracy.FAST, context.target.computes_in_legacy_qfloat
        if not self.functions:
            self._expand_composed(module, wanted, fast, qfloat)
            for op in [op for op in ops_named(module, *QUANTIZATIONS) if not _is_tensor(op)]:
                expand_quantization(op, qfloat)
        for op in find_ops(module, lambda op: op.name in wanted or op.name.startswith("math.")):
            reason = why_not(op, wanted)
            if reason is None and not expand(op, wanted[op.name], fast, qfloat):
                reason = f"no expansion for {op.name} with these operands"
            if reason is not None and (not self.functions or op.name in wanted):
                self.remark(context, op, reason)
        for op in [op for op in ops_named(module, *CONVERSIONS) if _is_small_float(op)]:
            if not expand_small_float(op, qfloat):
                self.remark(context, op, f"{op.name} between these types")

    @staticmethod
    def _expand_composed(module: ir.Module, wanted: dict[str, Callable], fast: bool, qfloat: bool) -> None:
        # The last operation first: what it is composed of stands before it and dies with it.
        roots = ops_named(module, *composed.ROOTS)
        inner: set[ir.Operation] = set()
        matches = []
        for op in reversed(roots):
            if op in inner or element_of(op.results[0].type) not in ELEMENTS or _is_tensor(op):
                continue
            found = composed.find(op)
            if found is not None:
                inner.update(found.inner)
                matches.append((op, found))
        for op, found in matches:
            expand_composed(op, found, fast, qfloat)


def _is_tensor(op: ir.Operation) -> bool:
    type_ = op.results[0].type
    return isinstance(type_, ir.ShapedType) and not isinstance(type_, ir.VectorType)


def _is_small_float(op: ir.Operation) -> bool:
    return not _is_tensor(op) and any(element_of(value.type) in SMALL for value in (*op.operands, *op.results))


def why_not(op: ir.Operation, wanted: dict[str, Callable]) -> str | None:
    """The reason to leave ``op`` alone, or None."""
    if op.name not in wanted:
        return f"no expansion for {op.name}"
    if _is_tensor(op):
        return f"{op.name} on a tensor; expand it after linalg or vectorization"
    element = element_of(op.operands[0].type)
    if element not in ELEMENTS:
        return f"{op.name} on {element}; only {', '.join(ELEMENTS)} are expanded"
    return None
