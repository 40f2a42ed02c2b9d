"""LLVM as a library of this process: its options, -O3 and code generation, text in and text out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from hexagon_mlir.codegen.rewrites.conversions import conversion_option
from hexagon_mlir.codegen.variants import Variant
from hexagon_mlir.targets.disputed import NarrowingOrder

TRIPLE = "hexagon-unknown-linux-musl"
_LEFT_OUT = ("correlated-propagation", "constraint-elimination")
"""Passes of -O3 that are disabled for all code: a seventh of its time. They analyse value ranges, which our own passes
know better. Causal attention takes 1 % fewer cycles without them, attention 0.3 % more."""
CODEGEN_LEVEL = 3

# A third of LLVM's time is spent on searches that change nothing in vector loops: for bit fields, addressing modes,
# loops to rotate, copies after register allocation, live registers with equal bits, registers that are free while a
# value is spilled, common subexpressions of addresses (they take registers: 0.2 % of attention's cycles).
_SEARCHES = {"-hexagon-insert": ("false", "true"), "-disable-hexagon-amodeopt": ("true", "false"),
             "-hexagon-loop-resched": ("false", "true"), "-rdf-opt": ("false", "true"),
             "-hexbit-registerset-limit": ("64", "1000"), "-hexagon-opt-spill": ("false", "true"),
             "-hexagon-commgep": ("false", "true")}
_FEW_SEARCHES, _ALL_SEARCHES = (tuple(f"{name}={values[every]}" for name, values in _SEARCHES.items())
                                for every in (False, True))
_SCHEDULED = ("-enable-misched=false", "-enable-misched=true")
_RESCHEDULED = ("-post-RA-scheduler=false", "-post-RA-scheduler=true")
_BITS = ("-hexagon-bit=false", "-hexagon-bit=true")
_WINDOWS = ("-window-sched=off", "-window-sched=on")
_NOT_AUTO_VECTORIZED = ("-hexagon-autohvx=false",)
# LLVM 22 models vector float arithmetic as four times as expensive as it is, and leaves GELU and softmax scalar. Only
# its loop vectorizer, which is disabled otherwise, reads the second option.
_AUTO_VECTORIZED = ("-hexagon-autohvx=true", "-force-target-instruction-cost=1")
_REALIGNED = ("-hvc-va=false", "-hvc-va=true")
ALWAYS = ("-enable-pipeliner=true",
           "-hexagon-small-data-threshold=0",  # 64-bit constants from memory near GP: one load, and lld cannot link it
           "-disable-qfp-opt=true",  # it would omit conversions before spills
           # LLVM 22's vector idiom pass combines mul and a shift to a double-width product, which does not wrap.
           "-hvc-vi=false")


@dataclass(frozen=True)
class Library:
    """LLVM for one chip. ``loops`` as in `optimize_and_emit`; ``relocation`` is ``static`` or ``pic``; ``cautious``
    omits the target's own passes from -O3, and the window search from code generation.
    """

    cpu: str
    features: str
    relocation: str
    loops: str
    cautious: bool = False
    narrowing_order: str = NarrowingOrder.FIRST_EVEN

    def optimized(self, llvm_ir: str) -> str:
        """``llvm_ir`` after -O3."""
        self._set(*(_AUTO_VECTORIZED if self.loops == "vectorized" else _NOT_AUTO_VECTORIZED))
        machine = _machine(self.cpu, self.features, self.relocation)
        module = binding().parse_assembly(llvm_ir, context=binding().create_context())
        module.triple = TRIPLE
        module.data_layout = str(machine.target_data)
        module.verify()
        tuning = binding().create_pipeline_tuning_options(speed_level=3)
        tuning.loop_unrolling = self.loops != "kept"
        tuning.loop_vectorization = tuning.slp_vectorization = self.loops == "vectorized"
        # LLVM 22's vector reuse between iterations expects an instruction as operand of every vector phi, and aborts at
        # a constant. No option disables the pass; the pipeline of another target does not have it.
        tuner = binding().Target.from_default_triple().create_target_machine() if self.cautious else machine
        builder = binding().create_pass_builder(tuner, tuning)
        builder.getModulePassManager().run(module, builder)
        after = binding().create_new_module_pass_manager()
        after.add_aggressive_dce_pass()  # dead operands of arguments that -O3 found unused at its end
        after.run(module, builder)
        return str(module)

    def normal_form(self, llvm_ir: str) -> str:
        """``llvm_ir`` as LLVM prints it."""
        return str(binding().parse_assembly(llvm_ir, context=binding().create_context()))

    def linked(self, modules: Sequence[str]) -> str:
        """The ``modules`` of a program as one."""
        context = binding().create_context()
        first, *others = [binding().parse_assembly(text, context=context) for text in modules]
        for other in others:
            first.link_in(other)
        return str(first)

    def generate(self, llvm_ir: str, variant: Variant, kind: str) -> Any:
        """``kind`` "assembly" (str) or "object" (bytes) of optimised ``llvm_ir``; from a fresh module, since emission
        changes one.
        """
        # The window search moves instructions tentatively; LLVM 22 aborts where a live range is not updated.
        self._set(*ALWAYS, *(_FEW_SEARCHES if self.loops == "kept" else _ALL_SEARCHES),
                  _SCHEDULED[variant.scheduled], _WINDOWS[variant.windows and not self.cautious], _BITS[variant.bits],
                  _RESCHEDULED[variant.rescheduled], _REALIGNED[variant.realigned])
        module = binding().parse_assembly(llvm_ir, context=binding().create_context())
        return getattr(_machine(self.cpu, self.features, self.relocation), f"emit_{kind}")(module)

    def _set(self, *options: str) -> None:
        for option in (*options, conversion_option(self.cpu)):
            binding().set_option("hexmlir", option)


@cache
def binding() -> Any:
    """llvmlite, loaded at the first use."""
    import llvmlite.binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    llvm.set_option("hexmlir", f"-opt-disable={','.join(_LEFT_OUT)}")
    return llvm


@cache
def _machine(cpu: str, features: str, relocation: str) -> Any:
    target = binding().Target.from_triple(TRIPLE)
    return target.create_target_machine(cpu=cpu, features=features, opt=CODEGEN_LEVEL, reloc=relocation)
