"""LLVM IR text to Hexagon assembly or object code, in this process.

LLVM can abort or take minutes on unusual input: user-facing code goes through `codegen.worker` instead.
"""

from __future__ import annotations

from functools import cache

from hexagon_mlir.codegen.qfloat_products import add_products

TRIPLE = "hexagon-unknown-linux-musl"
CODEGEN_LEVEL = 3


def optimize_and_emit(llvm_ir: str, cpu: str, features: str, kind: str, unroll: bool) -> bytes:
    """Optimise ``llvm_ir`` at O3 and emit it; ``kind`` is ``asm``, ``obj`` or ``llvm``.

    ``unroll`` lets LLVM unroll loops: right for scalar code, wasteful for loops we already vectorized.
    Vectorizers stay off: vector code is the pipeline's own.
    """
    llvm = _llvm()
    machine = _machine(cpu, features)
    module = llvm.parse_assembly(llvm_ir)
    module.triple = TRIPLE
    module.data_layout = str(machine.target_data)
    module.verify()
    tuning = llvm.create_pipeline_tuning_options(speed_level=3)
    tuning.loop_unrolling = unroll
    tuning.loop_vectorization = False
    tuning.slp_vectorization = False
    builder = llvm.create_pass_builder(machine, tuning)
    builder.getModulePassManager().run(module, builder)
    if "+hvx-qfloat" in features:
        module = llvm.parse_assembly(add_products(str(module)))
    if kind == "llvm":
        return str(module).encode()
    return machine.emit_assembly(module).encode() if kind == "asm" else machine.emit_object(module)


def warm_up() -> None:
    """Load LLVM ahead of the first request."""
    _llvm()


@cache
def _llvm():
    import llvmlite.binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    return llvm


@cache
def _machine(cpu: str, features: str):
    target = _llvm().Target.from_triple(TRIPLE)
    return target.create_target_machine(cpu=cpu, features=features, opt=CODEGEN_LEVEL, reloc="static")
