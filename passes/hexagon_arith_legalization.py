"""Vector arithmetic in the forms that LLVM's Hexagon backend selects well and right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hexagon_mlir.ir import arith, ir
from hexagon_mlir.ir.query import ops_named
from hexagon_mlir.pass_infra import Pass, PassContext
from hexagon_mlir.passes.arith_legalization import scalar
from hexagon_mlir.passes.arith_legalization.bfloat import BF16, BF16_ARITHMETIC, in_f32
from hexagon_mlir.passes.arith_legalization.comparison import compare, extreme
from hexagon_mlir.passes.arith_legalization.conversion import (
    from_bf16,
    integer_to_f16,
    integer_to_f32,
    mask_to_float,
    to_bf16,
    to_unsigned,
)
from hexagon_mlir.passes.arith_legalization.half import HalfArithmetic
from hexagon_mlir.passes.arith_legalization.high_products import has_high_product, high_product
from hexagon_mlir.passes.arith_legalization.huge_factors import has_huge_factor, saturating_product
from hexagon_mlir.passes.arith_legalization.integer_division import divide
from hexagon_mlir.passes.arith_legalization.lost_carries import restore_carries
from hexagon_mlir.passes.arith_legalization.mask_choice import choose, chooses_masks
from hexagon_mlir.passes.math_library.lanes import Float, Int, Lanes, Mask
from hexagon_mlir.targets import Target

DIVISIONS = ("divsi", "divui", "remsi", "remui", "floordivsi", "ceildivsi", "ceildivui")
EXTREMES = ("maximumf", "minimumf", "maxnumf", "minnumf")
CONVERSIONS = ("sitofp", "uitofp", "fptosi", "fptoui", "extf", "truncf")
HIGH_PRODUCT = "arith.mulsi_extended"
HANDLED = {HIGH_PRODUCT, *(f"arith.{name}" for name in (*DIVISIONS, *EXTREMES, *CONVERSIONS, *BF16_ARITHMETIC, "cmpf",
                                                        "select"))}
INTEGERS = ("i8", "i16", "i32")
FLOATS = ("f32", "f16", BF16)
_NAMES = {ir.F32Type: "f32", ir.F16Type: "f16"}  # to print a type takes ten times as long


@dataclass(frozen=True)
class HexagonArithLegalizationPass(Pass):
    """Rewrites vector operations that LLVM's Hexagon backend miscompiles or turns into scalar calls.

    Comparisons, minima and maxima become correct for NaN. Integers are converted to floats by their bits, bf16 is
    converted by shifts, integer division becomes a float estimate with an exact correction, and a select between masks
    becomes and, or and not. On v68 to v75, where f16 lanes compute in qf16, sums and products of f16 are computed in
    f32 and rounded only where another op reads them; a product with a constant near the largest f32 saturates. The
    upper half of a product of words is two multiplications of words with halfwords. The
    tests state and check the packets per vector. Scalars: f16 is converted to f32, and the larger of two f32 computed,
    without a call; f64 is converted to bf16 with a single rounding.

    Before:
        func.func @f(%a: vector<32xi1>, %b: vector<32xbf16>) -> (vector<32xf32>, vector<32xf32>) {
          %0 = arith.uitofp %a : vector<32xi1> to vector<32xf32>
          %1 = arith.extf %b : vector<32xbf16> to vector<32xf32>
          return %0, %1 : vector<32xf32>, vector<32xf32>
        }

    After:
        func.func @f(%a: vector<32xi1>, %b: vector<32xbf16>) -> (vector<32xf32>, vector<32xf32>) {
          %cst = arith.constant dense<1.000000e+00> : vector<32xf32>
          %cst_0 = arith.constant dense<0.000000e+00> : vector<32xf32>
          %0 = arith.select %a, %cst, %cst_0 : vector<32xi1>, vector<32xf32>
          %1 = arith.bitcast %b : vector<32xbf16> to vector<32xi16>
          %2 = arith.extui %1 : vector<32xi16> to vector<32xi32>
          %cst_1 = arith.constant dense<16> : vector<32xi32>
          %3 = arith.shli %2, %cst_1 : vector<32xi32>
          %4 = arith.bitcast %3 : vector<32xi32> to vector<32xf32>
          return %0, %4 : vector<32xf32>, vector<32xf32>
        }

    Options:
        ignore-nan: take every operand of a comparison, minimum or maximum for a number, as ``fastmath<nnan>``
            does for one operation; each saves 3 to 6 operations.

    Refuses: nothing; f64 and 64-bit integers are left alone, with a remark, but for f64 as bf16.

    Needs: buffer
    Leaves: buffer
    """

    name: ClassVar[str] = "hexagon-arith-legalization"
    needs: ClassVar[str] = "buffer"
    leaves: ClassVar[str] = "buffer"

    ignore_nan: bool = False

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Rewrite each vector operation in one walk."""
        halves = HalfArithmetic()
        for op in _candidates(module, int(context.target.vector_bytes.value)):
            reason = self._legalize(op, context.target, halves)
            if reason:
                self.remark(context, op, reason)
        if context.target.computes_in_legacy_qfloat and not context.target.converts_floats:
            restore_carries(module)

    def _legalize(self, op: ir.Operation, target: Target, halves: HalfArithmetic) -> str | None:
        """Rewrite ``op`` when a better form is known; returns why not when there is something to tell."""
        name = op.name.removeprefix("arith.")
        if op.name == HIGH_PRODUCT:
            with ir.InsertionPoint(op), op.location:
                op.results[1].replace_all_uses_with(high_product(*op.operands, int(target.vector_bytes.value)))
            op.erase()
            return None
        if name == "select":
            with ir.InsertionPoint(op), op.location:
                op.results[0].replace_all_uses_with(choose(*op.operands))
            op.erase()
            return None
        if not isinstance(op.results[0].type, ir.VectorType):
            with ir.InsertionPoint(op), op.location:
                value = self._single(name, op)
                op.results[0].replace_all_uses_with(value)
            op.erase()
            return None
        elements = [_element(value) for value in (*op.operands, *op.results)]
        if name in DIVISIONS:
            if _is_constant(op.operands[1]) and name not in ("floordivsi", "ceildivsi", "ceildivui"):
                return None  # the code generator multiplies by the inverse
            if elements[0] not in INTEGERS:
                return f"{op.name} on {elements[0]} vectors runs lane by lane; i8, i16 and i32 do not"
        elif not any(element in FLOATS for element in elements):
            return f"{op.name} on {elements[0]} vectors runs lane by lane; f16, bf16 and f32 do not"
        elif elements == ["f64", BF16]:
            with ir.InsertionPoint(op), op.location:
                wide = scalar.odd_f32(op.operands[0])
                op.results[0].replace_all_uses_with(to_bf16(Float(Lanes(wide.type), wide)).value)
            op.erase()
            return None
        elif any(element in ("f64", "i64", "index") for element in elements):
            return f"{op.name} between {elements[0]} and {elements[-1]} vectors runs lane by lane"
        with ir.InsertionPoint(op), op.location:
            value = self._rewrite(name, op, elements, target, halves)
        if value is not None:
            op.results[0].replace_all_uses_with(value)
            op.erase()
        return None

    @staticmethod
    def _single(name: str, op: ir.Operation) -> ir.Value:
        """The value that replaces ``op`` on single floats."""
        if name == "truncf":
            return arith.truncf(op.results[0].type, scalar.odd_f32(op.operands[0]))
        return scalar.from_f16(*op.operands) if name == "extf" else scalar.extreme(name, *op.operands)

    def _rewrite(self, name: str, op: ir.Operation, elements: list[str], target: Target,
                 halves: HalfArithmetic) -> ir.Value | None:
        """The value that replaces ``op``, built before it; None when ``op`` is fine."""
        lanes = Lanes(op.operands[0].type, target.computes_in_legacy_qfloat)
        source, result = elements[0], elements[-1]
        if name in DIVISIONS:
            return divide(name, *(Int(lanes, v, source) for v in op.operands)).value
        if name in ("sitofp", "uitofp"):
            signed = name == "sitofp"
            if source == "i1":
                return mask_to_float(Mask(lanes, op.operands[0]), result, signed).value
            integer = Int(lanes, op.operands[0], source)
            if result == "f16" and not lanes.qfloat and (source == "i32" or (source == "i16" and target.ieee_float)):
                return None  # the code generator's own form is as short
            if result == "f16" and lanes.qfloat and target.converts_floats and _fills_vectors(
                    op.results[0].type, target):
                if source == "i16" and signed:
                    return None  # v.hf = v.h
                if source == "i8":
                    return _through_i16(op.results[0].type, op.operands[0], signed)
            if result == "f16":
                return integer_to_f16(integer, signed).value
            value = integer_to_f32(integer, signed)
            return (to_bf16(value) if result == BF16 else value).value
        if name in ("fptosi", "fptoui"):
            return self._from_float(op, source)
        if name in ("extf", "truncf"):
            if BF16 not in (source, result):
                return None
            x = Float(lanes, op.operands[0], source)
            return from_bf16(x).value if source == BF16 else to_bf16(x).value
        operands = [Float(lanes, v, source) for v in op.operands]
        if name in BF16_ARITHMETIC and name not in EXTREMES:
            if source == "f16" and lanes.qfloat and name != "negf":
                return halves.in_f32(name, operands).value
            if name == "mulf" and source == "f32" and lanes.qfloat and has_huge_factor(*operands):
                return saturating_product(*operands).value
            return in_f32(name, operands).value if source == BF16 else None
        if source == BF16:
            operands = [from_bf16(x) for x in operands]
        nan = not (self.ignore_nan or _has_nnan(op))
        if name in EXTREMES:
            value = extreme(name, operands[0], operands[1], nan)
            return (to_bf16(value) if source == BF16 else value).value
        return self._compare(op, operands, nan, source)

    @staticmethod
    def _from_float(op: ir.Operation, source: str) -> ir.Value | None:
        """A narrow float as an integer, through f32 and i32: the backend knows no other way, and aborts for some."""
        unsigned = op.name == "arith.fptoui" and _element(op.results[0]) == "i32" and source != "f16"
        if source == "f32" and not unsigned:
            return None
        value, shape = op.operands[0], ir.VectorType(op.operands[0].type).shape
        if source == BF16:
            value = from_bf16(Float(Lanes(value.type), value, source)).value
        elif source != "f32":
            value = arith.extf(ir.VectorType.get(shape, ir.F32Type.get()), value)
        if unsigned:
            return to_unsigned(Float(Lanes(value.type), value)).value
        wide = ir.VectorType.get(shape, ir.IntegerType.get_signless(32))
        value = ir.Operation.create(op.name, results=[wide], operands=[value]).result
        return value if op.results[0].type == wide else arith.trunci(op.results[0].type, value)

    def _compare(self, op: ir.Operation, operands: list[Float], nan: bool, source: str) -> ir.Value | None:
        predicate = str(arith.CmpFPredicate(ir.IntegerAttr(op.attributes["predicate"]).value)).lower()
        if not nan and predicate in ("ogt", "olt") and source != BF16:
            return None
        mask = compare(predicate, operands[0], operands[1], nan)
        if isinstance(mask, bool):
            return operands[0].lanes.int(int(mask), "i1").value
        return mask.value


def _candidates(module: ir.Module, vector_bytes: int) -> list[ir.Operation]:
    return [op for op in ops_named(module, *HANDLED)
            if (chooses_masks(op) if op.name == "arith.select" else
                has_high_product(op, vector_bytes) if op.name == HIGH_PRODUCT else
                isinstance(op.results[0].type, ir.VectorType) or _has_scalar_form(op))]


def _has_scalar_form(op: ir.Operation) -> bool:
    """True for an operation on single floats that `scalar` has a form for: without a call, or right."""
    source, result = op.operands[0].type, op.results[0].type
    if op.name == "arith.truncf":
        return isinstance(source, ir.F64Type) and isinstance(result, ir.BF16Type)
    return isinstance(result, ir.F32Type) and ((op.name == "arith.extf" and isinstance(source, ir.F16Type))
                                               or op.name.removeprefix("arith.") in EXTREMES)


def _through_i16(type_: ir.VectorType, value: ir.Value, signed: bool) -> ir.Value:
    """The bytes ``value`` as f16 of ``type_``."""
    words = ir.VectorType.get(type_.shape, ir.IntegerType.get_signless(16))
    return arith.sitofp(type_, arith.extsi(words, value) if signed else arith.extui(words, value))


def _fills_vectors(type_: ir.Type, target: Target) -> bool:
    """Whether a vector of f16 is whole registers."""
    return ir.VectorType(type_).rank == 1 and ir.VectorType(type_).shape[0] % target.lanes(16) == 0


def _element(value: ir.Value) -> str:
    element = ir.VectorType(value.type).element_type
    return _NAMES.get(type(element)) or str(element)


def _is_constant(value: ir.Value) -> bool:
    return not isinstance(value.owner, ir.Block) and value.owner.name == "arith.constant"


def _has_nnan(op: ir.Operation) -> bool:
    flags = str(op.attributes["fastmath"]) if "fastmath" in op.attributes else ""
    return "nnan" in flags or "fast>" in flags
