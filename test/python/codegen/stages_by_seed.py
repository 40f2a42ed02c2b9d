"""Prints, as JSON, a hash of the IR after each pass and each step of code generation, for the kernels of the corpus and
the cases of the stage tests, every Nth for the argument N. Compared between processes by `test_determinism`.
"""

import json
import sys
from dataclasses import replace
from zlib import crc32

from stage_cases import linalg_cases, triton_cases

from bench.corpus.tcm_kernels import KERNELS
from hexagon_mlir import targets
from hexagon_mlir.codegen import steps
from hexagon_mlir.codegen.compile import lower_module
from hexagon_mlir.codegen.llvm import Library
from hexagon_mlir.codegen.steps import Program
from hexagon_mlir.codegen.variants import BUDGET, Variant
from hexagon_mlir.ir import parse, to_text
from hexagon_mlir.llvmir import Module
from hexagon_mlir.pass_infra.runner import RunOptions

CHIP = targets.get("v75")
LIBRARY = Library(CHIP.cpu, CHIP.features, "static", "kept")


def stages(text: str) -> list[tuple[str, int]]:
    """Of the linalg or TTIR ``text``: (pass or step, hash of what it leaves)."""
    found: list[tuple[str, int]] = []

    def observe(index, step, when, module):
        if when == "after":
            found.append((step.title, crc32(to_text(module).encode())))

    for llvm_ir in lower_module(parse(text), CHIP, options=RunOptions(observers=[observe])).modules:
        program = Program(Module.parse(llvm_ir), LIBRARY)
        for step in (*steps.BEFORE_O3, steps.O3, *steps.AFTER_O3):
            program = steps.apply((step,), program)
            found.append((step.name, crc32(program.text.encode())))
        for variant in (Variant(ordered=True, budget=BUDGET), Variant()):
            ordered = replace(program, variant=variant)
            for step in steps.BY_VARIANT:
                ordered = steps.apply((step,), ordered)
                found.append((step.name, crc32(ordered.text.encode())))
    return found


if __name__ == "__main__":
    texts = {f"{kernel.name} {kernel.element} {kernel.level}": kernel.text for kernel in KERNELS}
    texts |= {case.name: case.text() for case in (*linalg_cases(), *triton_cases())}
    every = int(sys.argv[1])
    names = list(texts)[1 % every::every]
    print(json.dumps({name: stages(texts[name]) for name in names}))
