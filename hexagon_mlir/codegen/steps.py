"""What happens to a program between MLIR and its assembly, as data: rewrites of LLVM IR, LLVM's own part, checks.

    BEFORE_O3, O3, AFTER_O3, BY_VARIANT, CODEGEN, ON_ASSEMBLY

`backend` runs them in this order; ``hexmlir-opt --print-pipeline`` prints them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from hexagon_mlir.codegen.hvx.exchanged_sums import exchanged_sums_in_qfloat
from hexagon_mlir.codegen.hvx.exponent_numbers import small_integers_as_conversions
from hexagon_mlir.codegen.hvx.half_narrowing import narrowings_as_instructions
from hexagon_mlir.codegen.hvx.lane_exchanges import exchanges_as_instructions
from hexagon_mlir.codegen.hvx.native_vectors import has_vector_arithmetic, use_native_vectors
from hexagon_mlir.codegen.hvx.qfloat_lifetimes import shorten_lifetimes
from hexagon_mlir.codegen.hvx.qfloat_spills import qfloat_spills
from hexagon_mlir.codegen.hvx.shared_vectors import rewrites_neighbours
from hexagon_mlir.codegen.hvx.unaligned_rows import rows_apart
from hexagon_mlir.codegen.llvm import Library
from hexagon_mlir.codegen.rewrites.bfloat_moves import bfloat_vectors_as_bits
from hexagon_mlir.codegen.rewrites.bit_tests import lowest_bits_as_tests
from hexagon_mlir.codegen.rewrites.conversions import converts, hidden_bits
from hexagon_mlir.codegen.rewrites.copy_loops import keep_copies_in_order
from hexagon_mlir.codegen.rewrites.float_splats import float_splats_as_words
from hexagon_mlir.codegen.rewrites.frame_pointers import frame_pointers
from hexagon_mlir.codegen.rewrites.gathers import gathers_as_instructions
from hexagon_mlir.codegen.rewrites.half_fabs import half_fabs_as_bits
from hexagon_mlir.codegen.rewrites.loop_entries import keep_loops_after_stores
from hexagon_mlir.codegen.rewrites.mask_selects import mask_selects_as_logic
from hexagon_mlir.codegen.rewrites.poison_halves import poison_halves_as_others
from hexagon_mlir.codegen.rewrites.row_pointers import scalar_loads_apart
from hexagon_mlir.codegen.rewrites.scalar_selects import scalar_selects_as_bits
from hexagon_mlir.codegen.rewrites.store_order import keep_stores_in_order
from hexagon_mlir.codegen.rewrites.tcm_slots import separate_slots
from hexagon_mlir.codegen.rewrites.zero_tests import zero_tests_as_bits
from hexagon_mlir.codegen.scheduling.loop_order import order_loops
from hexagon_mlir.codegen.trace import CODE_GENERATION, Made, Trace
from hexagon_mlir.codegen.variants import Variant
from hexagon_mlir.llvmir import Module

QFLOAT, IEEE = "+hvx-qfloat", "+hvx-ieee-fp"
PRINTED = "; ModuleID = "
"""The first characters of IR that LLVM has printed, the form that the steps read."""


@dataclass
class Program:
    """LLVM IR and the parameters of the steps: the chip, and how code is generated.

    ``qfloat``: sums and products stay in qfloat where the chip has it; ``native``: vector arithmetic is split into HVX
    registers before -O3.
    """

    module: Module
    library: Library
    qfloat: bool = True
    native: bool = True
    variant: Variant = field(default_factory=Variant)

    @property
    def features(self) -> str:
        """The chip's features, by LLVM's names."""
        return self.library.features

    @property
    def text(self) -> str:
        """The LLVM IR as text."""
        return self.module.text

    @cached_property
    def has_vectors(self) -> bool:
        """Whether there is vector arithmetic that is split."""
        return self.native and has_vector_arithmetic(self.text)

    @property
    def spills_lose(self) -> bool:
        """Whether a qfloat value on the stack loses its hidden bits; legacy qfloat has none."""
        return QFLOAT in self.features and hidden_bits(self.features)


@dataclass(frozen=True)
class Step:
    """A rewrite of LLVM IR, and the reason for it; ``when`` selects the programs."""

    name: str
    why: str
    run: Callable[[Program], Module]
    when: Callable[[Program], bool] = lambda program: True


@dataclass(frozen=True)
class Check:
    """A pattern that is searched in assembly, the reason, and the ``fallback`` where it is ``found``."""

    name: str
    why: str
    found: Callable[[str], object]
    fallback: str


def on_module(rewrite: Callable[[Module], Module]) -> Callable[[Program], Module]:
    """A step's ``run`` that needs the module alone."""
    return lambda program: rewrite(program.module)


def read(text: str, before: Module) -> Module:
    """Parse ``text``, LLVM's output for ``before``, and keep its remarks; a form that no rewrite can handle adds
    one."""
    module = Module.parse(text)
    return module.with_remarks((*before.remarks, *module.unparsed))


def _native_vectors(program: Program) -> Module:
    """See `use_native_vectors`."""
    features = program.features
    qfloat = program.qfloat and QFLOAT in features
    return use_native_vectors(program.module, qfloat, qfloat or IEEE in features, converts(features),
                              QFLOAT in features, program.library.narrowing_order)


BEFORE_O3 = (
    Step("separate-tcm-slots", "buffers of the TCM arena do not overlap, which LLVM does not know",
         on_module(separate_slots)),
    Step("frame-pointers", "MLIR has no operation that makes a buffer of an address", on_module(frame_pointers)),
    Step("bfloat-vectors-as-bits", "HVX moves bf16 as i16; LLVM's own code for masked accesses is wrong",
         on_module(bfloat_vectors_as_bits)),
    Step("normal-form", "the following steps read text as LLVM prints it",
         lambda program: read(program.library.normal_form(program.text), program.module),
         lambda program: program.has_vectors and not program.text.startswith(PRINTED)),
    Step("small-integers-as-conversions", "the chip converts in one instruction",
         on_module(small_integers_as_conversions),
         lambda program: program.has_vectors and converts(program.features)),
    Step("native-vectors", "HVX registers instead of wide vectors, qfloat kept between operations", _native_vectors,
         lambda program: program.has_vectors),
    Step("lane-exchanges", "shuffles of a few lanes take one instruction", on_module(exchanges_as_instructions),
         lambda program: program.has_vectors),
)
O3 = Step("llvm-o3", "LLVM's optimiser", lambda program: read(program.library.optimized(program.text), program.module))
AFTER_O3 = (
    Step("float-splats", "LLVM permutes splats of a float that become words; saves 2.8 % of softmax's cycles",
         on_module(float_splats_as_words)),
    Step("mask-selects", "LLVM cannot select between vectors of i1", on_module(mask_selects_as_logic)),
    Step("scalar-selects", "LLVM turns them into minima, which drop NaN", on_module(scalar_selects_as_bits)),
    Step("half-fabs", "LLVM needs more than one instruction for fabs of f16 vectors; saves 6.6 % of SiLU's cycles",
         on_module(half_fabs_as_bits)),
    Step("zero-tests", "LLVM compares bits with 0.0", on_module(zero_tests_as_bits)),
    Step("bit-tests", "LLVM tests the lowest bit of every byte of a lane", on_module(lowest_bits_as_tests)),
    Step("copy-loops", "the prefetcher works in one direction; LLVM reorders the loads of copies; saves 18 % of the "
         "cycles of planes from RGB pixels", on_module(keep_copies_in_order)),
    Step("poison-halves", "LLVM converts halves of a vector that are poison", on_module(poison_halves_as_others)),
    Step("exchanged-sums", "legacy qfloat is exchanged as it is; saves 27 % of the packets of scores of one query",
         on_module(exchanged_sums_in_qfloat), lambda program: QFLOAT in program.features and not program.spills_lose),
    Step("half-narrowings", "the target orders lanes in another way than LLVM",
         lambda program: narrowings_as_instructions(program.module, program.library.narrowing_order),
         lambda program: IEEE in program.features),
)
"""For each function by itself, once; the later steps depend on the variant (`variants`)."""
BY_VARIANT = (
    Step("loop-order", "LLVM keeps the given order: unrolled copies of a body are interleaved",
         lambda program: order_loops(program.module, program.variant.budget), lambda program: program.variant.ordered),
    Step("qfloat-lifetimes", "values with long live ranges are spilled, and lose bits",
         on_module(shorten_lifetimes), lambda program: program.spills_lose),
    Step("unaligned-rows", "unaligned rows that share no vector are aligned once, not twice; saves 10 % of the cycles "
         "of sums of 300 columns", on_module(rows_apart)),
    Step("store-order", "LLVM packs a scalar store with an earlier vector store", on_module(keep_stores_in_order)),
    Step("row-pointers", "LLVM's pipeliner loads the first row of a loop twice", on_module(scalar_loads_apart)),
    Step("loop-entries", "LLVM's pipeliner moves loads in front of stores", on_module(keep_loops_after_stores)),
    Step("gathers", "-O3 assumes that vgather reads no table", on_module(gathers_as_instructions)),
)
CODEGEN = CODE_GENERATION, "LLVM selects, schedules, pipelines, allocates and packs"
SHARED_VECTORS = Check(
    "shared-vectors", "LLVM joins neighbouring stores to ones that also write bytes after them", rewrites_neighbours,
    "generated again without joining them")
QFLOAT_SPILLS = Check(
    "qfloat-spills", "a vmem drops the hidden bits of a qfloat value (llvm issue #204825)", qfloat_spills,
    "generated as another variant, at last with a conversion after each operation")
ON_ASSEMBLY = SHARED_VECTORS, QFLOAT_SPILLS


def apply(steps: Sequence[Step], program: Program, trace: Trace | None = None) -> Program:
    """``program`` after the ``steps`` that apply to it, each of which is added to ``trace``."""
    for step in steps:
        if not step.when(program):
            continue
        start = time.perf_counter()
        module = step.run(program)
        if trace is not None:
            changed = module.text if module.text != program.text else ""
            trace.append(Made(step.name, time.perf_counter() - start, changed))
        program = program if module is program.module else replace(program, module=module)
    return program


def listing() -> list[tuple[str, tuple[tuple[str, str], ...]]]:
    """(heading, (name, why) of each step) in the order in which they run."""
    def named(steps: Sequence[Step | Check]) -> tuple[tuple[str, str], ...]:
        return tuple((step.name, step.why) for step in steps)

    checks = tuple((check.name, f"{check.why}: {check.fallback}") for check in ON_ASSEMBLY)
    return [("LLVM IR", named((*BEFORE_O3, O3))), ("LLVM IR of each function", named(AFTER_O3)),
            ("and of each variant of its code", (*named(BY_VARIANT), CODEGEN)), ("assembly", checks)]
