"""Compiles a one-operation function for Hexagon: counts what came out, or runs it on the simulator.

The counted function loads whole vectors, applies ``@f`` and stores them, so a plain addition counts 3 packets
(2 on v79). The one that runs does the same in a loop.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from host_vectors import LLVM, NUMPY, run_pass, to_llvm_text

from hexagon_mlir import targets
from hexagon_mlir.codegen.backend import optimize_and_emit
from hexagon_mlir.sim import Arithmetic, Machine


@dataclass(frozen=True)
class Code:
    """What the code generator made of one function."""

    packets: int
    calls: tuple[str, ...]
    asm: str


def hexagon_code(text: str, operands: list[str], result: str, *passes: str, target: str = "v75",
                 lanes: int = 32) -> Code:
    """Code for ``text`` (a vector function ``@f``) after ``passes`` on ``target``, for one vector."""
    ir_text, loads, call = _pieces(text, operands, result, passes, lanes, target)
    ir_text += f"""
define void @kernel({_pointers(operands)}) {{
{loads}{call}  ret void
}}
"""
    asm = _assemble(ir_text, target)
    calls = tuple(re.findall(r"\bcall ([\w.$]+)", asm))
    return Code(len(re.findall(r"^\s*\{", asm, re.M)), calls, asm)


def run_on_simulator(text: str, operands: list[str], result: str, *passes: str, arrays: Sequence[np.ndarray],
                     target: str = "v75", lanes: int = 32,
                     arithmetic: Arithmetic = Arithmetic.CHIP) -> np.ndarray:
    """``@f`` of ``text`` after ``passes`` over ``arrays``, whose length is a multiple of ``lanes``."""
    ir_text, loads, call = _pieces(text, operands, result, passes, lanes, target, index=", i32 %i")
    ir_text += f"""
define void @kernel({_pointers(operands)}, i32 %n) {{
entry:
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
{loads}{call}  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %body, label %done
done:
  ret void
}}
"""
    machine = Machine(_assemble(ir_text, target), target, arithmetic=arithmetic)
    count = len(arrays[0])
    addresses = []
    for array, element in zip(arrays, operands, strict=True):
        data = np.ascontiguousarray(array, NUMPY[element])
        addresses.append(machine.alloc_ddr(data.nbytes))
        machine.write(addresses[-1], data.view(np.uint8))
    size = np.dtype(NUMPY[result]).itemsize
    out = machine.alloc_ddr(count * size)
    machine.run("kernel", [*addresses, out, count // lanes])
    return machine.read(out, np.uint8, count * size).view(NUMPY[result])


def _pointers(operands: list[str]) -> str:
    return "".join(f"ptr noalias %in{i}, " for i in range(len(operands))) + "ptr noalias %out"


def _pieces(text: str, operands: list[str], result: str, passes: tuple[str, ...], lanes: int,
            target: str, index: str = ", i32 0") -> tuple[str, str, str]:
    """LLVM IR of ``@f``, made inline; the loads of vector ``index``; the call and the store."""
    # As in the pipeline: after its last canonicalization, which makes extensions part of conversions.
    ir_text = to_llvm_text(run_pass(text, *passes, target=target), clean_up="cse")
    ir_text = ir_text.replace("define ", "define internal ", 1)
    ir_text = re.sub(r"(define internal .*?\)) \{", r"\1 alwaysinline {", ir_text, count=1)
    vector = {t: f"<{lanes} x {LLVM[t]}>" for t in {*operands, result}}
    loads = "".join(f"  %p{i} = getelementptr {vector[t]}, ptr %in{i}{index}\n"
                    f"  %v{i} = load {vector[t]}, ptr %p{i}, align 128\n" for i, t in enumerate(operands))
    arguments = ", ".join(f"{vector[t]} %v{i}" for i, t in enumerate(operands))
    call = (f"  %r = call {vector[result]} @f({arguments})\n  %q = getelementptr {vector[result]}, ptr %out{index}\n"
            f"  store {vector[result]} %r, ptr %q, align 128\n")
    return ir_text, loads, call


def _assemble(ir_text: str, target: str) -> str:
    facts = targets.get(target)
    return optimize_and_emit(ir_text, facts.cpu, facts.features, "asm").decode()
