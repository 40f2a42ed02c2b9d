"""LLVM IR text to Hexagon assembly or object code, in this process.

LLVM can abort or take minutes on unusual input: user-facing code goes through `codegen.processes.worker` instead.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial

from hexagon_mlir.codegen.hvx.exponent_numbers import small_integers_as_conversions
from hexagon_mlir.codegen.hvx.lane_exchanges import exchanges_as_instructions
from hexagon_mlir.codegen.hvx.native_vectors import use_native_vectors
from hexagon_mlir.codegen.hvx.qfloat_lifetimes import shorten_lifetimes
from hexagon_mlir.codegen.hvx.qfloat_spills import qfloat_spills
from hexagon_mlir.codegen.hvx.shared_vectors import rewrites_neighbours
from hexagon_mlir.codegen.llvm_ir.bfloat_moves import bfloat_vectors_as_bits
from hexagon_mlir.codegen.llvm_ir.bit_tests import lowest_bits_as_tests
from hexagon_mlir.codegen.llvm_ir.conversions import conversion_option, converts
from hexagon_mlir.codegen.llvm_ir.copy_loops import keep_copies_in_order
from hexagon_mlir.codegen.llvm_ir.gathers import gathers_as_instructions
from hexagon_mlir.codegen.llvm_ir.half_fabs import half_fabs_as_bits
from hexagon_mlir.codegen.llvm_ir.lookups import lookups_as_instructions
from hexagon_mlir.codegen.llvm_ir.loop_entries import keep_loops_behind_stores
from hexagon_mlir.codegen.llvm_ir.scalar_selects import scalar_selects_as_bits
from hexagon_mlir.codegen.llvm_ir.store_order import keep_stores_in_order
from hexagon_mlir.codegen.llvm_ir.tcm_slots import separate_slots
from hexagon_mlir.codegen.llvm_ir.zero_tests import zero_tests_as_bits
from hexagon_mlir.codegen.scheduling.loop_order import REGISTERS, Room, order_loops
from hexagon_mlir.codegen.scheduling.register_pressure import register_pressure
from hexagon_mlir.codegen.scheduling.static_cost import Cost, static_cost

TRIPLE = "hexagon-unknown-linux-musl"
CODEGEN_LEVEL = 3
QFLOAT, IEEE = "+hvx-qfloat", "+hvx-ieee-fp"
_VECTOR_ARITHMETIC = re.compile(r"<\d+ x (?:half|float|i32|i16|i8)>")


@dataclass(frozen=True)
class Variant:
    """One way to generate code: with native vectors (see `native_vectors`), their loops ordered (`loop_order`),
    scheduled by LLVM before register allocation, looking for another window where software pipelining fails. With
    ``reach`` qfloat values that wait for more vector instructions wait in IEEE format (`qfloat_lifetimes`). ``room``
    makes loops take constants from a table.
    """

    native: bool = True
    ordered: bool = False
    scheduled: bool = False
    windows: bool = False
    reach: int = 0
    room: Room | None = None

    @property
    def effort(self) -> float:
        """Time of a try, in those of the first of `_VARIANTS`."""
        return 1 / 3 if self.scheduled and not self.ordered else 1


# LLVM's scheduler and its window search each help some loops and crowd the registers of others; so do ordered loops.
# What is best most often comes first, then what takes a third of its time.
_ROOM = Room(34, slots=False)
_QUICK, _EVERYTHING = Variant(scheduled=True), Variant(ordered=True, scheduled=True, windows=True, room=_ROOM)
_VARIANTS = (Variant(ordered=True, windows=True, room=_ROOM), _QUICK, _EVERYTHING, Variant(windows=True))
# Where constants find no register. No room suits every loop: LLVM reorders and allocates in its own way.
_TABLED = (Variant(ordered=True, scheduled=True, windows=True, room=Room(31)),
           Variant(ordered=True, windows=True, room=Room(32, slots=False)),
           Variant(ordered=True, windows=True, room=Room(30)),
           Variant(ordered=True, windows=True, room=Room(31)))
_TIDINESS = 80_000
"""Characters of LLVM IR in all variants together that are worth a loop without spills, addresses and copies."""
_PATIENCE = 100_000
"""Characters of LLVM IR in all the right variants together that loops at twice their bound are worth."""
# Where registers are short: fewer values alive, and those that LLVM may have to spill in IEEE format. The quick one
# first: it pipelines products too. The search for windows takes three times as long, and rarely finds registers.
_ROOMY = (Variant(scheduled=True, reach=80), Variant(ordered=True, reach=80),
          Variant(ordered=True, windows=True, reach=80), Variant(windows=True, reach=80), Variant(reach=20))
_CROWD, _LONG_CROWD = 60, 50
"""Vectors at hand at once (`register_pressure`) from which on LLVM spills some, however it orders them, and from which
on it often does: enough not to try where a try takes seconds.
"""
_UNCHAINED, _LAST_RESORT = Variant(), Variant(native=False)  # for code without chains
_BASELINES = (Variant(native=False, scheduled=True, windows=True), Variant(native=False, scheduled=True),
              Variant(native=False))

# A third of LLVM's time goes to searches that change nothing in vector loops: for bit fields, addressing modes, loops
# to rotate, copies after register allocation, registers of equal bits among all that are alive.
_SEARCHES = {"-hexagon-insert": ("false", "true"), "-disable-hexagon-amodeopt": ("true", "false"),
             "-hexagon-loop-resched": ("false", "true"), "-rdf-opt": ("false", "true"),
             "-hexbit-registerset-limit": ("64", "1000")}
_FEW_SEARCHES, _ALL_SEARCHES = (tuple(f"{name}={values[every]}" for name, values in _SEARCHES.items())
                                for every in (False, True))
_SCHEDULED = ("-enable-misched=false", "-enable-misched=true")
_WINDOWS = ("-window-sched=off", "-window-sched=on")
_NOT_AUTO_VECTORIZED = ("-hexagon-autohvx=false",)
# LLVM 22 takes vector float arithmetic for four times as dear as it is, and leaves GELU and softmax scalar. Only its
# loop vectorizer, which is off elsewhere, looks at the second option.
_AUTO_VECTORIZED = ("-hexagon-autohvx=true", "-force-target-instruction-cost=1")
_REALIGNED = ("-hvc-va=false", "-hvc-va=true")
_ALWAYS = ("-enable-pipeliner=true", "-disable-qfp-opt=true")  # the chains are our own


def optimize_and_emit(source: str, cpu: str, features: str, kind: str, loops: str = "kept",
                      position_independent: bool = False, qfloat: bool = True, patience: int = _PATIENCE,
                      share: float = 1.0, cautious: bool = False) -> bytes:
    """Optimise LLVM IR at O3 and emit it; ``kind`` is ``asm``, ``obj`` or ``llvm``.

    ``patience`` 0 takes the first variant that is right instead of looking for the fastest. ``share`` is the part of a
    program that ``source`` holds: where the rest takes as many tries, so many are worth their time. ``cautious`` is
    for what LLVM aborted at: the target's own passes over IR are left out.

    ``loops`` are "kept" where the pipeline vectorized them. Else LLVM's -O3 does what it can: "unrolled" without its
    vectorizers, "vectorized" with them. Vector code takes the best variant that keeps qfloat off the stack. Without
    ``qfloat``, or where no variant does, the result of every qfloat operation is converted to IEEE at once.
    """
    baseline = loops != "kept"
    relocation = "pic" if position_independent else "static"
    llvm_ir = lookups_as_instructions(bfloat_vectors_as_bits(separate_slots(source)))
    emitter = _Emitter(llvm_ir, partial(_machine, cpu, features, relocation), features, loops, qfloat, cautious)
    for option in _AUTO_VECTORIZED if loops == "vectorized" else _NOT_AUTO_VECTORIZED:
        _llvm().set_option("hexmlir", option)
    _llvm().set_option("hexmlir", conversion_option(cpu))
    # LLVM 22's search for vector idioms makes mul and a shift a double-width product: the wrap is lost.
    _llvm().set_option("hexmlir", "-hvc-vi=false")
    optimized = emitter.optimized(not baseline)
    if kind == "llvm":
        return optimized.encode()
    best: tuple[Cost, str, Variant] | None = None
    variants = [*_BASELINES] if baseline else [*_VARIANTS] if qfloat else [_UNCHAINED, _LAST_RESORT]
    length = len(optimized) / share
    long = length > _PATIENCE  # each try takes seconds
    pressure = register_pressure(emitter.text(variants[0])) if qfloat and not baseline else 0
    if pressure >= (_LONG_CROWD if long else _CROWD):
        variants = [*_ROOMY]
    elif pressure > REGISTERS:
        variants[1:1] = _TABLED
    tried = 0.0
    while variants:
        variant = variants.pop(0)
        tidy = best is None or not best[0].waste or variant not in _TABLED or tried * length > _TIDINESS
        if best and (variant is _LAST_RESORT or (best[0].excess * patience < tried * length and (
                tidy or not patience))):
            break
        asm = emitter.assembly(variant)
        tried += variant.effort if asm is not None else 0
        if asm is None and variant in _VARIANTS:  # registers were short
            variants = [*(() if long else (v for v in (_QUICK, _EVERYTHING) if v in variants)), *_ROOMY]
        if asm is not None and (best is None or static_cost(asm) < best[0]):
            best = static_cost(asm), asm, variant
    if best is None and qfloat:
        return optimize_and_emit(source, cpu, features, kind, loops, position_independent, False, patience,
                                 share, cautious)
    if best is None:
        raise ValueError("no way found to keep qfloat values off the stack (llvm issue #204825)")
    return best[1].encode() if kind == "asm" else emitter.object(best[2])


class _Emitter:
    """One program in several variants; what they share is made once."""

    def __init__(self, llvm_ir: str, new_machine: Callable, features: str, loops: str, qfloat: bool, cautious: bool):
        self.llvm_ir, self.new_machine, self.loops, self.cautious = llvm_ir, new_machine, loops, cautious
        self.chains, self.converts = qfloat and QFLOAT in features, converts(features)
        self.floats = self.chains or IEEE in features
        self.texts: dict[bool, str] = {}
        self.orders: dict[tuple[bool, bool, Room | None], str] = {}
        self.sources: dict[tuple[bool, bool, Room | None, int], str] = {}
        self.realigned = True

    def optimized(self, native: bool) -> str:
        """Optimised IR, with native vectors if asked for."""
        if native not in self.texts:
            text = self.llvm_ir
            if native and _VECTOR_ARITHMETIC.search(text):
                text = str(_llvm().parse_assembly(text))
                text = small_integers_as_conversions(text) if self.converts else text
                text = exchanges_as_instructions(use_native_vectors(text, self.chains, self.floats))
            elif native:
                return self.optimized(False)
            self.texts[native] = _optimized(text, self.new_machine(), self.loops, self.cautious)
        return self.texts[native]

    def text(self, variant: Variant) -> str:
        """What LLVM generates code from."""
        key = variant.native, variant.ordered, variant.room, variant.reach
        if key not in self.sources:
            text = self._in_order(*key[:3])
            text = shorten_lifetimes(text, variant.reach) if variant.reach else text
            self.sources[key] = gathers_as_instructions(keep_loops_behind_stores(keep_stores_in_order(text)))
        return self.sources[key]

    def _in_order(self, native: bool, ordered: bool, room: Room | None) -> str:
        if (native, ordered, room) not in self.orders:
            text = zero_tests_as_bits(half_fabs_as_bits(scalar_selects_as_bits(self.optimized(native))))
            text = keep_copies_in_order(lowest_bits_as_tests(text))
            self.orders[native, ordered, room] = order_loops(text, room) if ordered else text
        return self.orders[native, ordered, room]

    def assembly(self, variant: Variant) -> str | None:
        """The assembly; None when a qfloat value is stored to the stack in it."""
        asm = self._emit(variant, "assembly")
        if self.realigned and rewrites_neighbours(asm):  # from here on: every variant has these stores
            self.realigned = False
            asm = self._emit(variant, "assembly")
        return None if qfloat_spills(asm) else asm

    def object(self, variant: Variant) -> bytes:
        """Object code; from a fresh module, since emission changes one."""
        return self._emit(variant, "object")

    def _emit(self, variant: Variant, kind: str):
        for option in (*_ALWAYS, *(_FEW_SEARCHES if self.loops == "kept" else _ALL_SEARCHES),
                       _SCHEDULED[variant.scheduled], _WINDOWS[variant.windows], _REALIGNED[self.realigned]):
            _llvm().set_option("hexmlir", option)
        module = _llvm().parse_assembly(self.text(variant), context=_llvm().create_context())
        return getattr(self.new_machine(), f"emit_{kind}")(module)


def _optimized(llvm_ir: str, machine, loops: str, cautious: bool) -> str:
    llvm = _llvm()
    module = llvm.parse_assembly(llvm_ir)
    module.triple = TRIPLE
    module.data_layout = str(machine.target_data)
    module.verify()
    tuning = llvm.create_pipeline_tuning_options(speed_level=3)
    tuning.loop_unrolling = loops != "kept"
    tuning.loop_vectorization = tuning.slp_vectorization = loops == "vectorized"
    # LLVM 22's reuse of vectors between iterations expects an instruction behind every phi of a vector, and aborts at
    # a constant. No option leaves the pass out; the passes of another target do not have it.
    tuner = llvm.Target.from_default_triple().create_target_machine() if cautious else machine
    builder = llvm.create_pass_builder(tuner, tuning)
    builder.getModulePassManager().run(module, builder)
    after = llvm.create_new_module_pass_manager()
    after.add_aggressive_dce_pass()  # what counted for arguments that -O3 found unused at its end
    after.run(module, builder)
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


def _machine(cpu: str, features: str, relocation: str):
    target = _llvm().Target.from_triple(TRIPLE)
    return target.create_target_machine(cpu=cpu, features=features, opt=CODEGEN_LEVEL, reloc=relocation)
