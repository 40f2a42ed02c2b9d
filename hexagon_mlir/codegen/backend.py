"""LLVM IR text to Hexagon assembly or object code, in this process.

LLVM can abort or take minutes on unusual input: user-facing code goes through `codegen.processes.worker` instead.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from hexagon_mlir.codegen.hvx.exponent_numbers import small_integers_as_conversions
from hexagon_mlir.codegen.hvx.lane_exchanges import exchanges_as_instructions
from hexagon_mlir.codegen.hvx.native_vectors import use_native_vectors
from hexagon_mlir.codegen.hvx.pinned_conversions import conversions_before_calls
from hexagon_mlir.codegen.hvx.qfloat_lifetimes import shorten_lifetimes
from hexagon_mlir.codegen.hvx.qfloat_spills import qfloat_spills
from hexagon_mlir.codegen.hvx.shared_vectors import rewrites_neighbours
from hexagon_mlir.codegen.llvm import Library, binding
from hexagon_mlir.codegen.llvm_ir.bfloat_moves import bfloat_vectors_as_bits
from hexagon_mlir.codegen.llvm_ir.bit_tests import lowest_bits_as_tests
from hexagon_mlir.codegen.llvm_ir.conversions import converts
from hexagon_mlir.codegen.llvm_ir.copy_loops import keep_copies_in_order
from hexagon_mlir.codegen.llvm_ir.gathers import gathers_as_instructions
from hexagon_mlir.codegen.llvm_ir.half_fabs import half_fabs_as_bits
from hexagon_mlir.codegen.llvm_ir.lookups import lookups_as_instructions
from hexagon_mlir.codegen.llvm_ir.loop_entries import keep_loops_behind_stores
from hexagon_mlir.codegen.llvm_ir.module_parts import joined, loops_apart
from hexagon_mlir.codegen.llvm_ir.scalar_selects import scalar_selects_as_bits
from hexagon_mlir.codegen.llvm_ir.store_order import keep_stores_in_order
from hexagon_mlir.codegen.llvm_ir.tcm_slots import separate_slots
from hexagon_mlir.codegen.llvm_ir.zero_tests import zero_tests_as_bits
from hexagon_mlir.codegen.scheduling.loop_order import Room, order_loops
from hexagon_mlir.codegen.scheduling.static_cost import Cost, static_cost
from hexagon_mlir.codegen.scheduling.traits import traits
from hexagon_mlir.codegen.variants import BASELINES, PATIENCE, ROOM, UNCHAINED, Variant, after_spills, variants, worth

QFLOAT, IEEE = "+hvx-qfloat", "+hvx-ieee-fp"
PRINTED = "; ModuleID = "
"""How LLVM begins what it prints: text in the form that the steps below read."""
_VECTOR_ARITHMETIC = re.compile(r"<\d+ x (?:half|float|i32|i16|i8)>")


def optimize_and_emit(source: str, cpu: str, features: str, kind: str, loops: str = "kept",
                      position_independent: bool = False, qfloat: bool = True, patience: int = PATIENCE,
                      share: float = 1.0, cautious: bool = False) -> bytes:
    """Optimise LLVM IR at O3 and emit it; ``kind`` is ``asm``, ``obj`` or ``llvm``.

    ``patience`` 0 takes the first variant that is right instead of looking for the fastest. ``share`` is the part of a
    program that ``source`` holds: the longer a program, the fewer tries are worth their time. ``cautious`` is for what
    LLVM aborted at: the target's own passes over IR are left out.

    ``loops`` are "kept" where the pipeline vectorized them. Else LLVM's -O3 does what it can: "unrolled" without its
    vectorizers, "vectorized" with them. Every function with loops gets the variant that is best for it and keeps
    qfloat off the stack; an object has one for all. Without ``qfloat``, or where some function has no such variant,
    the result of every qfloat operation is converted to IEEE at once.
    """
    library = Library(cpu, features, "pic" if position_independent else "static", loops, cautious)
    llvm_ir = lookups_as_instructions(bfloat_vectors_as_bits(separate_slots(source)))
    kept = loops == "kept"
    for chains, native in [(True, kept)] * qfloat + [(False, kept)] + [(False, False)] * kept:
        text = llvm_ir
        if native and _VECTOR_ARITHMETIC.search(text):
            text = text if text.startswith(PRINTED) else library.normal_form(text)
            text = small_integers_as_conversions(text) if converts(features) else text
            used = chains and QFLOAT in features
            text = exchanges_as_instructions(use_native_vectors(text, used, used or IEEE in features))
        optimized = library.optimized(text)
        if kind == "llvm":
            return optimized.encode()
        found: list[tuple[Cost, str, Variant]] = []
        for part in loops_apart(optimized) if kind == "asm" else [optimized]:
            code = _Code(part, library)
            ways = (BASELINES if not kept else UNCHAINED if not chains else ())
            best = _best(code, [*ways] or code.variants(), len(optimized) / share, patience)
            if best is None:
                break
            found.append(best)
        else:
            if kind == "asm":
                return joined([asm for _, asm, _ in found], "f").encode()
            return code.object(found[0][2])
    raise ValueError("no way found to keep qfloat values off the stack (llvm issue #204825)")


def _best(code: _Code, left: list[Variant], spent: float, patience: int) -> tuple[Cost, str, Variant] | None:
    """The cheapest assembly of ``code`` among those that are right; all of its program once takes ``spent``."""
    best: tuple[Cost, str, Variant] | None = None
    while left:
        variant = left.pop(0)
        if best and not worth(variant, best[0], spent, patience):
            break
        asm = code.assembly(variant)
        if asm is None:
            left = after_spills(variant, left)
            continue
        spent += len(code.optimized) * variant.effort if best else 0
        cost = static_cost(asm)
        if best is None or cost < best[0]:
            best = cost, asm, variant
    return best


@dataclass
class _Code:
    """Functions that are generated together, in several variants; what those share is made once."""

    optimized: str
    library: Library
    realigned: bool = True
    pinned: bool = False
    orders: dict[tuple[bool, Room | None], str] = field(default_factory=dict)
    sources: dict[tuple[bool, Room | None, int], str] = field(default_factory=dict)

    def variants(self) -> list[Variant]:
        """What to try, in this order."""
        return variants(traits(self._in_order(True, ROOM)))

    def text(self, variant: Variant) -> str:
        """What LLVM generates code from."""
        key = variant.ordered, variant.room, variant.reach
        if key not in self.sources:
            text = self._in_order(*key[:2])
            text = shorten_lifetimes(text, variant.reach) if variant.reach else text
            self.sources[key] = gathers_as_instructions(keep_loops_behind_stores(keep_stores_in_order(text)))
        return self.sources[key]

    def _in_order(self, ordered: bool, room: Room | None) -> str:
        if (ordered, room) not in self.orders:
            if ordered:
                text = order_loops(self._in_order(False, None), room)
            else:
                text = zero_tests_as_bits(half_fabs_as_bits(scalar_selects_as_bits(self.optimized)))
                text = keep_copies_in_order(lowest_bits_as_tests(text))
            self.orders[ordered, room] = text
        return self.orders[ordered, room]

    def assembly(self, variant: Variant) -> str | None:
        """The assembly; None when a qfloat value is stored to the stack in it."""
        asm = self.library.generate(self.text(variant), variant, self.realigned, "assembly")
        if self.realigned and rewrites_neighbours(asm):  # from here on: every variant has these stores
            self.realigned = False
            asm = self.library.generate(self.text(variant), variant, self.realigned, "assembly")
        if not qfloat_spills(asm):
            return asm
        if self.pinned:
            return None
        self.pinned, before = True, self.optimized
        self.optimized = conversions_before_calls(before)
        if self.optimized == before:
            return None
        self.orders.clear()
        self.sources.clear()
        return self.assembly(variant)

    def object(self, variant: Variant) -> bytes:
        """Object code."""
        return self.library.generate(self.text(variant), variant, self.realigned, "object")


def warm_up() -> None:
    """Load LLVM ahead of the first request."""
    binding()
