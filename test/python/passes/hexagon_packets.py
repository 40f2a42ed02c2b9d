"""Compiles a one-operation function for Hexagon and counts what came out.

The function loads whole vectors, applies ``@f`` and stores them, so a plain addition counts 3 packets (2 on v79).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

import llvmlite.binding as llvm
from host_vectors import LLVM, run_pass, to_llvm_text

from hexagon_mlir import targets


@dataclass(frozen=True)
class Code:
    """What the code generator made of one function."""

    packets: int
    calls: tuple[str, ...]
    asm: str


@cache
def _machine(target: str) -> llvm.TargetMachine:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    facts = targets.get(target)
    return llvm.Target.from_triple("hexagon-unknown-elf").create_target_machine(
        cpu=facts.cpu, features=facts.features, opt=2)


def hexagon_code(text: str, operands: list[str], result: str, *passes: str, target: str = "v75", lanes: int = 32,
                 ) -> Code:
    """Code for ``text`` (a vector function ``@f``) after ``passes`` on ``target``."""
    ir_text = to_llvm_text(run_pass(text, *passes)).replace("define ", "define internal ", 1)
    ir_text = re.sub(r"(define internal .*?\)) \{", r"\1 alwaysinline {", ir_text, count=1)
    vector = {t: f"<{lanes} x {LLVM[t]}>" for t in {*operands, result}}
    loads = "".join(f"  %v{i} = load {vector[t]}, ptr %in{i}, align 128\n" for i, t in enumerate(operands))
    arguments = ", ".join(f"{vector[t]} %v{i}" for i, t in enumerate(operands))
    ir_text += f"""
define void @kernel({"".join(f"ptr noalias %in{i}, " for i in range(len(operands)))}ptr noalias %out) {{
{loads}  %r = call {vector[result]} @f({arguments})
  store {vector[result]} %r, ptr %out, align 128
  ret void
}}
"""
    machine = _machine(target)
    module = llvm.parse_assembly(ir_text)
    module.triple = "hexagon-unknown-elf"
    module.data_layout = str(machine.target_data)
    tuning = llvm.PipelineTuningOptions(speed_level=2)
    tuning.loop_unrolling = False
    builder = llvm.create_pass_builder(machine, tuning)
    builder.getModulePassManager().run(module, builder)
    asm = machine.emit_assembly(module)
    calls = tuple(re.findall(r"\bcall ([\w.$]+)", asm))
    return Code(len(re.findall(r"^\s*\{", asm, re.M)), calls, asm)
