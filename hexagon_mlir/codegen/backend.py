"""LLVM IR text to Hexagon assembly or object code, in this process.

LLVM can abort or take minutes on unusual input: user-facing code goes through `codegen.worker` instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from hexagon_mlir.codegen.conversions import conversion_option
from hexagon_mlir.codegen.half_fabs import half_fabs_as_bits
from hexagon_mlir.codegen.qfloat_products import add_products
from hexagon_mlir.codegen.qfloat_spills import qfloat_spills
from hexagon_mlir.codegen.tcm_slots import separate_slots

TRIPLE = "hexagon-unknown-linux-musl"
CODEGEN_LEVEL = 3
QFLOAT = "+hvx-qfloat"


@dataclass(frozen=True)
class Variant:
    """One way to generate code: whether products are added (see `qfloat_products`), and LLVM's own switches."""

    products: bool = False
    options: tuple[str, ...] = ()


# Without the scheduler before register allocation fewer values are live at once: fewer spills, and less code on
# most kernels. The last variant converts after every operation, so that no qfloat value lives long.
_VECTOR = (
    Variant(True, ("-enable-misched=false", "-disable-qfp-opt=false")),
    Variant(True, ("-enable-misched=true", "-disable-qfp-opt=false")),
    Variant(False, ("-enable-misched=false", "-disable-qfp-opt=true")),
)
_SCALAR = (Variant(False, ("-enable-misched=true", "-disable-qfp-opt=false")),)


def optimize_and_emit(llvm_ir: str, cpu: str, features: str, kind: str, scalar: bool, idioms: bool = True,
                      position_independent: bool = False) -> bytes:
    """Optimise ``llvm_ir`` at O3 and emit it; ``kind`` is ``asm``, ``obj`` or ``llvm``.

    ``scalar`` is plain -O3: LLVM also unrolls loops, which is wasteful for those we vectorized. Its vectorizers stay
    off: vector code is the pipeline's own. Vector code takes the first variant that keeps qfloat off the stack.
    Without ``idioms`` LLVM looks for no vector idioms (fixed-point products, gathers).
    """
    llvm = _llvm()
    machine = _machine(cpu, features, "pic" if position_independent else "static")
    llvm.set_option("hexmlir", conversion_option(cpu))
    optimized = _optimized(separate_slots(llvm_ir), machine, scalar)
    if kind == "llvm":
        return optimized.encode()
    optimized = half_fabs_as_bits(optimized)
    llvm.set_option("hexmlir", f"-hvc-vi={'true' if idioms else 'false'}")
    for variant in _SCALAR if scalar else _VECTOR:
        for option in variant.options:
            llvm.set_option("hexmlir", option)
        text = add_products(optimized) if variant.products and QFLOAT in features else optimized
        asm = machine.emit_assembly(llvm.parse_assembly(text))
        if not qfloat_spills(asm):
            # emission changes a module: the object comes from a fresh one
            return asm.encode() if kind == "asm" else machine.emit_object(llvm.parse_assembly(text))
    raise ValueError("no way found to keep qfloat values off the stack (llvm issue #204825)")


def _optimized(llvm_ir: str, machine, unroll: bool) -> str:
    llvm = _llvm()
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
    return str(module)


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
def _machine(cpu: str, features: str, relocation: str):
    target = _llvm().Target.from_triple(TRIPLE)
    return target.create_target_machine(cpu=cpu, features=features, opt=CODEGEN_LEVEL, reloc=relocation)
