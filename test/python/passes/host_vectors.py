"""Runs a pass over a one-operation function of vectors and executes the result on the host.

`compile_vector_function` returns a callable over flat numpy arrays whose length is a multiple of ``LANES``.
"""

from __future__ import annotations

import ctypes
from collections import Counter
from collections.abc import Callable

import llvmlite.binding as llvm
import ml_dtypes
import numpy as np
from torch_mlir.dialects.llvm import translate_module_to_llvmir

from hexagon_mlir import targets
from hexagon_mlir.ir import PassManager, ir, parse
from hexagon_mlir.llvmir.literals import rewrite_fp_literals
from hexagon_mlir.pass_infra import PassContext
from hexagon_mlir.pass_infra.options import build
from hexagon_mlir.pass_infra.registry import get
from hexagon_mlir.pass_infra.step import PassStep

LANES = 32
NUMPY = {"f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16, "i32": np.int32, "i16": np.int16,
         "i8": np.int8, "i1": np.bool_}
LLVM = {"f32": "float", "f16": "half", "bf16": "bfloat", "i32": "i32", "i16": "i16", "i8": "i8"}

llvm.initialize_all_targets()
llvm.initialize_all_asmprinters()
_alive: list = []


def function_text(body: str, operands: list[str], result: str, lanes: int | None = LANES) -> str:
    """``func.func @f`` over vectors (or scalars, ``lanes=None``); ``body`` uses %0, %1, ... and defines %r.

    In ``body``, ``{f32}`` stands for the vector (or scalar) type of that element.
    """
    def wrap(element: str) -> str:
        return element if lanes is None else f"vector<{lanes}x{element}>"

    for element in (*NUMPY, "f64", "i64"):
        body = body.replace("{" + element + "}", wrap(element))
    arguments = ", ".join(f"%a{i}: {wrap(t)}" for i, t in enumerate(operands))
    return f"func.func @f({arguments}) -> {wrap(result)} {{\n{body}\nreturn %r : {wrap(result)}\n}}\n"


def run_pass(text: str, *passes: str, options: dict[str, str] | None = None, target: str = targets.DEFAULT):
    """The module after ``passes`` (names, in order) for ``target``, each with its ``options`` if it has any."""
    module = parse(text)
    context = PassContext(targets.get(target))
    for name in passes:
        PassStep(build(get(name), (options or {}).get(name, ""))).run(module, context)
    module.operation.verify()
    return module


def arith_ops(module) -> Counter[str]:
    """Arithmetic operations by name, without constants and bitcasts (which cost nothing)."""
    counts: Counter[str] = Counter()

    def visit(op):
        if op.name.startswith(("arith.", "math.")) and op.name not in ("arith.constant", "arith.bitcast"):
            counts[op.name] += 1
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return counts


def to_llvm_text(module, clean_up: str = "canonicalize,cse") -> str:
    """LLVM IR of ``module``, readable by the code generator's LLVM."""
    with module.context:
        PassManager.parse(
            f"builtin.module({clean_up},convert-vector-to-llvm,convert-math-to-llvm,convert-arith-to-llvm,"
            "convert-func-to-llvm,reconcile-unrealized-casts)").run(module.operation)
    return rewrite_fp_literals(translate_module_to_llvmir(module.operation))


def compile_vector_function(text: str, operands: list[str], result: str, *passes: str,
                            target: str = targets.DEFAULT) -> Callable[..., np.ndarray]:
    """``text`` (see `function_text`) after ``passes`` for ``target``, as a function of numpy arrays compiled for the
    host.
    """
    ir_text = to_llvm_text(run_pass(text, *passes, target=target))
    vector = {t: f"<{LANES} x {LLVM[t]}>" for t in {*operands, result}}
    loads = "".join(
        f"  %p{i} = getelementptr {vector[t]}, ptr %in{i}, i64 %i\n"
        f"  %v{i} = load {vector[t]}, ptr %p{i}, align 1\n"
        for i, t in enumerate(operands))
    arguments = ", ".join(f"{vector[t]} %v{i}" for i, t in enumerate(operands))
    ir_text += f"""
define void @loop({"".join(f"ptr %in{i}, " for i in range(len(operands)))}ptr %out, i64 %n) {{
entry:
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
{loads}  %r = call {vector[result]} @f({arguments})
  %q = getelementptr {vector[result]}, ptr %out, i64 %i
  store {vector[result]} %r, ptr %q, align 1
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %body, label %done
done:
  ret void
}}
"""
    compiled = llvm.parse_assembly(ir_text)
    # The host's own features: without F16C a conversion becomes a call into a library nobody links.
    machine = llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=1)
    engine = llvm.create_mcjit_compiler(compiled, machine)
    engine.finalize_object()
    pointer = ctypes.c_void_p
    native = ctypes.CFUNCTYPE(None, *[pointer] * (len(operands) + 1), ctypes.c_int64)(
        engine.get_function_address("loop"))
    _alive.append((engine, compiled))

    def call(*arrays: np.ndarray) -> np.ndarray:
        count = len(arrays[0])
        assert count % LANES == 0
        inputs = [np.ascontiguousarray(a, NUMPY[t]) for a, t in zip(arrays, operands, strict=True)]
        out = np.empty(count, NUMPY[result])
        native(*[a.ctypes.data for a in inputs], out.ctypes.data, count // LANES)
        return out

    return call


def ulps(actual: np.ndarray, expected: np.ndarray, element: str = "f32") -> np.ndarray:
    """|actual - expected| in units of ``expected``'s last place; 0 where both are NaN or equal.

    A wrong NaN or infinity counts as infinitely far.
    """
    mantissa, lowest, largest = {"f32": (23, -126, 3.4028234663852886e38), "f16": (10, -14, 65504.0),
                                 "bf16": (7, -126, 3.3895313892515355e38)}[element]
    actual = actual.astype(np.float64)
    half_step = largest * 2.0 ** -(mantissa + 2)
    overflowed = np.abs(expected) >= largest + half_step
    expected = np.where(overflowed, np.copysign(np.inf, expected), expected)
    with np.errstate(all="ignore"):
        exponent = np.maximum(np.frexp(expected)[1] - 1, lowest)
        distance = np.abs(actual - expected) * 2.0 ** -(exponent - mantissa).astype(np.float64)
    # One step beyond the largest number is infinity.
    top = largest * (1 - 2.0 ** -(mantissa - 1))
    near_top = np.isinf(actual) & ~np.isinf(expected) & (np.abs(expected) > top)
    distance = np.where(near_top, 1.0, distance)
    same = (actual == expected) | (np.isnan(actual) & np.isnan(expected))
    return np.where(same, 0.0, np.where(np.isnan(distance), np.inf, distance))
