"""The routines that a module calls, added to it: as text to assembly, as words to LLVM IR that becomes an object."""

from __future__ import annotations

from hexagon_mlir.codegen.matrix_engine.catalogue import ROUTINES
from hexagon_mlir.codegen.matrix_engine.routines import PREFIX, Routine
from hexagon_mlir.ir import HexError
from hexagon_mlir.isa.concatenation import concatenated, undefined
from hexagon_mlir.llvmir import Module
from hexagon_mlir.targets import Target

ORIGIN = "matrix-engine"


def definition(routine: Routine, version: int) -> str:
    """LLVM IR of ``routine`` for chip generation ``version``: a naked function with prologue data, of which LLVM emits
    the words and nothing else. It is weak: a runtime may bring another function of this name.
    """
    from hexagon_mlir.isa.assembler import assemble  # slow to import, for objects alone
    from hexagon_mlir.isa.reader import parse

    words = assemble(parse(routine.assembly).functions[routine.name], version)
    data = ", ".join(f"i32 {word}" for word in words)
    return (f"define weak void @{routine.name}({', '.join(routine.parameters)}) naked noinline "
            f"prologue [{len(words)} x i32] [{data}] {{\n  unreachable\n}}")


def with_definitions(llvm_ir: str, target: Target) -> str:
    """``llvm_ir`` with a definition of each routine that it declares. Those that the chip's engine cannot do stay
    declared: the runtime has an emulation.
    """
    if f"@{PREFIX}" not in llvm_ir:
        return llvm_ir
    module = Module.parse(llvm_ir)
    called = [routine for name, routine in ROUTINES.items()
              if f"@{name}" in module.declared and routine.first_version <= target.version]
    if not called:
        return llvm_ir
    kept = module.without_declarations([f"@{routine.name}" for routine in called])
    return kept.with_lines([definition(routine, target.version) for routine in called]).text


def with_routines(assembly: str, target: Target) -> str:
    """``assembly`` with each routine that it names and does not have; raises `HexError` where the chip has none."""
    if PREFIX not in assembly:
        return assembly
    called = [ROUTINES[name] for name in undefined(assembly, ROUTINES)]
    if not called:
        return assembly
    for routine in called:
        if target.version < routine.first_version:
            raise HexError.plain(f"{target.name} has no matrix engine that can do {routine.name}", origin=ORIGIN,
                                 hint=f"chips from v{routine.first_version} on have one")
    return concatenated([assembly, *(routine.assembly for routine in called)], "engine")
