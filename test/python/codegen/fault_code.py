"""Assembly of a fault's IR with its workaround or without, printed by a process of its own: LLVM may abort.

    python -P fault_code.py NUMBER [cured]
"""

import sys
from dataclasses import replace

from hexagon_mlir import targets
from hexagon_mlir.codegen import llvm
from hexagon_mlir.codegen.faults.record import CAUTIOUS
from hexagon_mlir.codegen.faults.table import FAULTS
from hexagon_mlir.codegen.llvm import Library
from hexagon_mlir.codegen.steps import AFTER_O3, BEFORE_O3, BY_VARIANT, SHARED_VECTORS, Program, apply
from hexagon_mlir.llvmir import Module


def assembly(number, cured):
    fault, chip = FAULTS[number], targets.get(FAULTS[number].chip)
    cautious = cured and fault.workaround == CAUTIOUS
    features = chip.features
    if fault.qfloat:
        features = features.replace("+hvx-ieee-fp,-hvx-qfloat", "+hvx-qfloat")
        assert features != chip.features
    library = Library(chip.cpu, features, "static", "kept", cautious)
    if not cured and fault.workaround.startswith("-"):
        assert fault.workaround in llvm.ALWAYS
        llvm.ALWAYS = tuple(option for option in llvm.ALWAYS if option != fault.workaround)
    taken = [step for step in (*BEFORE_O3, *AFTER_O3, *BY_VARIANT) if cured or step.name != fault.workaround]
    before = [step for step in taken if step in BEFORE_O3 and step.name != "native-vectors"]
    if fault.optimized and not cured:
        before += [step for step in (*AFTER_O3, *BY_VARIANT) if step.name == fault.workaround]
    program = apply(before, Program(Module.parse(fault.ir), library, variant=fault.variant))
    printed = library.optimized if fault.optimized else library.normal_form
    program.module = Module.parse(printed(program.text))
    program = apply([step for step in taken if step not in BEFORE_O3], program)
    realigned = not (cured and fault.workaround == SHARED_VECTORS.name)
    return library.generate(program.text, replace(fault.variant, realigned=realigned), "assembly")


if __name__ == "__main__":
    print(assembly(int(sys.argv[1]), "cured" in sys.argv))
