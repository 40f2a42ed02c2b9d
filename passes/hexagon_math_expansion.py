"""Maths functions become polynomials: the machine has no exp, no divide and no square root."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from hexagon_mlir.ir import HexError, ir
from hexagon_mlir.pass_infra import Pass, PassContext
from hexagon_mlir.passes.math_library.catalogue import FUNCTIONS, OP_NAMES
from hexagon_mlir.passes.math_library.lanes import Float, Lanes

WIDE = "f32"
BITWISE = ("math.absf",)  # in the element's own width: no rounding to do in f32
ELEMENTS = ("f16", "bf16", WIDE)


@dataclass(frozen=True)
class HexagonMathExpansionPass(Pass):
    """Rewrites maths operations on scalars and vectors into additions, multiplications and integer operations.

    No library call, divide or fused multiply-add is left; f16 and bf16 are computed in f32 and rounded once.
    Accuracy and operation counts stand in the files of `passes/math_library`. Denormal results of exp and exp2
    are flushed to zero and sin(-0) is +0; everything else follows PyTorch, special values included.

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
        functions: names to expand, such as ``exp,divf``; all when empty.

    Refuses: names in ``functions`` that it does not know. f64, tensors, powers with exponents other than
        small constants, and other operations of the math dialect are left alone, with a remark.

    Needs: tensor
    Leaves: tensor
    """

    name: ClassVar[str] = "hexagon-math-expansion"
    needs: ClassVar[str] = "tensor"
    leaves: ClassVar[str] = "tensor"

    functions: tuple[str, ...] = ()

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Expand every operation in the catalogue, in one walk."""
        for name in self.functions:
            if name not in FUNCTIONS:
                raise HexError.plain(f"unknown function '{name}'", origin=self.name,
                                     hint=f"known: {', '.join(FUNCTIONS)}")
        wanted = {OP_NAMES[name]: FUNCTIONS[name] for name in self.functions or FUNCTIONS}
        for op in _maths(module, wanted):
            reason = why_not(op, wanted)
            if reason is None and not expand(op, wanted[op.name]):
                reason = f"no expansion for {op.name} with these operands"
            if reason is not None and (not self.functions or op.name in wanted):
                self.remark(context, op, reason)


def _maths(module: ir.Module, wanted: dict[str, Callable]) -> list[ir.Operation]:
    found: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name in wanted or op.name.startswith("math."):
            found.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return found


def why_not(op: ir.Operation, wanted: dict[str, Callable]) -> str | None:
    """The reason to leave ``op`` alone, or None."""
    if op.name not in wanted:
        return f"no expansion for {op.name}"
    type_ = op.results[0].type
    element = type_.element_type if isinstance(type_, ir.ShapedType) else type_
    if isinstance(type_, ir.ShapedType) and not isinstance(type_, ir.VectorType):
        return f"{op.name} on a tensor; expand it after linalg or vectorization"
    if str(element) not in ELEMENTS:
        return f"{op.name} on {element}; only {', '.join(ELEMENTS)} are expanded"
    return None


def expand(op: ir.Operation, function: Callable[..., Float | None]) -> bool:
    """Replace ``op`` by ``function`` of its operands; False when that does not cover them."""
    result = op.results[0]
    lanes = Lanes(result.type)
    element = str(result.type.element_type) if isinstance(result.type, ir.VectorType) else str(result.type)
    with ir.InsertionPoint(op), op.location:
        operands = [Float(lanes, value, element) for value in op.operands]
        through_f32 = element != WIDE and op.name not in BITWISE
        if through_f32:
            operands = [operand.extend(WIDE) for operand in operands]
        value = function(*operands, narrow=element == "f16")
        if value is None:
            return False
        if through_f32:
            value = value.truncate(element)
    result.replace_all_uses_with(value.value)
    op.erase()
    return True
