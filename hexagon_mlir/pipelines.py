"""The pipelines as data: the whole way from a kernel to the llvm level on one screen.

A step is written ``ours("pass", "why", option=value)`` or ``upstream("pass,pass", "why")``. A variant is another tuple,
never a flag.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from enum import StrEnum

from hexagon_mlir import targets
from hexagon_mlir.ir.diagnostics import HexError
from hexagon_mlir.pass_infra import PassStep, Step, UpstreamStep, registry
from hexagon_mlir.settings import DEFAULT_SETTINGS, Settings
from hexagon_mlir.targets import Target


@dataclass(frozen=True)
class Entry:
    """One line of a pipeline: a pass of ours (``options`` are its fields) or upstream pipeline text."""

    text: str
    why: str
    own: bool
    label: str = ""
    verified: bool = False
    dialect: str = ""
    options: dict[str, object] = field(default_factory=dict)


def ours(name: str, why: str, **options: object) -> Entry:
    """A pass of this project."""
    return Entry(name, why, True, options=options)


def upstream(text: str, why: str, label: str = "", verified: bool = False, dialect: str = "") -> Entry:
    """Upstream passes, as ``mlir-opt`` writes them; ``label`` names a group in dumps and timings. What they get is
    ``verified`` where that is worth the time: to verify all that our passes hand on took as long as CSE. They run
    where operations of ``dialect`` are left, if that is given."""
    return Entry(text, why, False, label, verified, dialect)


BUFFERIZE = (
    upstream("eliminate-empty-tensors", "results are computed where they are needed", verified=True),
    upstream("one-shot-bufferize{bufferize-function-boundaries=1 "
             "function-boundary-type-conversion=identity-layout-map buffer-alignment=128 "
             "allow-return-allocs-from-loops=1}", "tensors become buffers, in place where possible"),
    upstream("canonicalize", "buffers are no longer loop-carried: a result is its allocation"),
    upstream("buffer-results-to-out-params{add-result-attr=1 hoist-static-allocs=1 hoist-dynamic-allocs=1 "
             "modify-public-functions=1}", "results become pointer arguments"),
    upstream("canonicalize,cse", "slices of slices fold before copies are analysed"),
)

DEALLOCATE = (
    upstream("func.func(buffer-loop-hoisting)", "one buffer for all iterations of a tile loop"),
    ours("hexagon-deallocation", "every buffer is freed once"),
)

TO_LLVM = (
    ours("hexagon-dynamic-sizes", "a pointer does not contain the sizes of its buffer"),
    upstream("convert-linalg-to-loops", "operations that are not vectorized become scalar loops", dialect="linalg"),
    ours("hexagon-memory-lowering", "allocations become runtime calls"),
    ours("hexagon-async-lowering", "tasks become forks, coroutines and runtime calls"),
    upstream("expand-strided-metadata,lower-affine,cse,loop-invariant-code-motion",
             "address arithmetic is hoisted out of the loops", label="loop-invariant-code-motion", verified=True),
    ours("lower-look-ups", "LLVM selects vlut from intrinsics only"),
    upstream("convert-scf-to-cf", "loops become branches"),
    upstream("convert-to-llvm{dynamic=1 filter-dialects=arith,memref,vector,cf,index,ub,math}",
             "32-bit index; see the data layout"),
    upstream("convert-math-to-libm", "math functions of doubles become calls if LLVM lacks them", dialect="math"),
    upstream("convert-func-to-llvm{use-bare-ptr-memref-call-conv=1},reconcile-unrealized-casts,"
             "canonicalize{region-simplify=disabled}",
             "pointers and i32 scalars are the calling convention; buffer descriptors fold away",
             label="convert-func-to-llvm"),
)

BY_FUNCTION = (
    ours("hexagon-wide-integers", "HVX has no lanes of 64 bits"),
    ours("hexagon-pair-interleaving", "the matrix engine's tiles: one shuffle for two of them"),
    ours("hexagon-pair-reduction", "the matrix engine's tiles: one number for each of two rows, in all columns"),
    ours("hexagon-byte-interleaving", "its tiles of bytes: each shuffle is of whole vectors"),
    ours("hexagon-vectorization", "whole HVX vectors with a masked tail"),
    ours("hexagon-arith-legalization", "only operations that the backend selects well and correctly"),
    ours("hexagon-dma-lowering", "transfers become runtime calls"),
    ours("lower-engine-products", "products become tasks that multiply, convert and store the engine's tiles"),
    ours("lower-engine-tiles", "what is done to tiles becomes calls of the routines that drive the engine"),
    ours("form-async-threads", "parallel loops become tasks"),
    ours("merge-functions", "tasks with the same code share one function"),
    *TO_LLVM,
)
"""The end of the default pipeline. What a function is called with, and may do, is settled: each goes its own way."""

_OF_CONSTANTS = ("widen-nibbles", "pack-constant-weights")
"""Passes that read the elements of constants: they also run before large ones move to the weights of a program."""

DEFAULT = (
    ours("triton-to-linalg", "Triton kernels become linalg on tensors"),
    ours("widen-nibbles", "HVX has no lanes of 4 bits"),
    ours("pack-constant-weights", "the matrix engine's weights are packed at compile time, not in each run"),
    ours("hexagon-argument-aliasing", "tensors are values: their buffers do not overlap"),
    ours("hexagon-decompose-named-ops", "softmax becomes four loops, a packed layout a transpose"),
    ours("hexagon-fusion", "one loop nest per chain of elementwise ops"),
    ours("form-gathers", "look-ups of small tables become ops of their own"),
    ours("hexagon-math-expansion", "math functions become arithmetic, before tiling so that costs are known"),
    upstream("canonicalize,cse", "constants of the expansions are shared"),
    ours("narrow-integers", "weights of 4 bits, unpacked from words, are converted in twice as many lanes"),
    ours("collapse-loops", "rows that are no whole vectors, or of sizes known at run time, follow each other"),
    ours("hexagon-shared-footprints", "memory that several loads read is transferred once"),
    ours("hexagon-loop-interchange", "the vectorized loop is innermost, so tiles are contiguous"),
    ours("fold-factor-casts", "products of f16, extended to f32 before, are products of f16 with sums of f32"),
    ours("untile-products", "products that a loop over blocks adds up become one"),
    ours("recognize-nibbles", "weights that a program unpacks from bytes stay bytes up to the product"),
    ours("coalesce-block-loads", "the matrices of such a product are loaded at once"),
    ours("separate-accumulators", "products that add to a matrix start from zeros, and a sum follows"),
    ours("hexagon-split-products", "where asked for, products of f32 become products of pieces of f16"),
    ours("hexagon-layout-propagation", "what stands between two products is computed on the matrix engine's tiles"),
    ours("hexagon-engine-convolution", "convolutions of f16 become products of tiles"),
    ours("form-block-products", "a few rows times weights in blocks: rows become numbers in fixed point"),
    ours("hexagon-matrix-engine", "products of f16 matrices become products of tiles"),
    ours("transpose-few-columns", "the lanes of products with few columns would be empty"),
    ours("hexagon-tcm-tiling", "working sets fit the TCM"),
    ours("hexagon-tcm-placement", "the buffers of Triton kernels are in TCM too"),
    ours("elide-tcm-copies", "activations that a model keeps in TCM need no copies there"),
    ours("form-virtual-threads", "several threads share the work of a tile where that pays"),
    ours("hexagon-separate-destinations", "results initialized by equal tensors do not share one"),
    *BUFFERIZE,
    ours("hexagon-results-in-place", "reshaped results become pointer arguments too"),
    ours("hexagon-argument-spaces", "bufferization knows no argument in TCM"),
    ours("hexagon-double-buffer-generic-s1", "the next tile is fetched during the work on this one: structure"),
    *DEALLOCATE,
    ours("form-engine-products", "products of tiles are given to the matrix engine"),
    ours("hexagon-fill-borders", "only the borders of padded images are filled"),
    ours("extend-tcm-arguments", "rows that fill up an activation in TCM are written after it"),
    ours("share-tcm-copies", "threads copy within TCM sooner than DMA, which weights occupy"),
    ours("overlap-transfers", "transfers for these products run beside them"),
    ours("hexagon-cached-results", "results that leave last are stored to DDR, through the cache"),
    ours("hexagon-transpose-factors", "factors that would have to be gathered are transposed"),
    ours("hexagon-contraction-vectorization", "products and convolutions: accumulators stay in registers"),
    ours("serialize-forall", "programs in parallel need no chunks for threads"),
    ours("hexagon-tcm-allocation", "all TCM buffers in one arena, planned at compile time"),
    ours("hexagon-double-buffer-generic-s2", "the next tile is fetched during the work on this one: transfers"),
    ours("hexagon-weight-streaming", "in models, an earlier kernel prefetches the first tile"),
    ours("hexagon-copy-lowering", "large copies to DMA, small ones to vector loops"),
    ours("hexagon-gather-lowering", "a vector of elements is read from tables in TCM at a time"),
    ours("hexagon-masked-copy-lowering", "elements selected by a mask in memory are stored a vector at a time"),
    ours("outline-stages", "the stages of a double-buffered loop differ only in their buffers"),
    ours("merge-functions", "the stages share one function"),
    ours("hexagon-block-products", "products with weights in blocks: rows in fixed point, sums in words"),
    ours("hexagon-contraction-vectorization", "products in these stages, each form once; the TCM is planned",
         copies=False),
    ours("outline-similar-nests", "products and transposes of the same form share their code"),
    ours("merge-functions", "these functions, and stages of double-buffered loops"),
    *BY_FUNCTION,
)
SCALAR = (
    ours("triton-to-linalg", "Triton kernels become linalg on tensors"),
    ours("widen-nibbles", "HVX has no lanes of 4 bits"),
    ours("hexagon-argument-aliasing", "the baseline has the same knowledge about its arguments"),
    ours("hexagon-decompose-named-ops", "the same loops"),
    ours("hexagon-fusion", "the same fusion as the default, for a core that multiplies wide numbers",
         hoist_paired_casts=True),
    ours("hexagon-math-expansion", "the same math functions"),
    upstream("canonicalize,cse", "constants of the expansions are shared"),
    ours("hexagon-separate-destinations", "results initialized by equal tensors do not share one"),
    *BUFFERIZE,
    ours("hexagon-results-in-place", "reshaped results become pointer arguments too"),
    *DEALLOCATE,
    ours("hexagon-copy-lowering", "no DMA: a plain core", dma_bytes=-1),
    ours("form-async-threads", "parallel loops of the input run on one thread", threads=1),
    *TO_LLVM,
)

MODEL = (
    upstream("canonicalize,cse", "constants and slices fold before kernels are formed"),
    ours("form-kernels", "a kernel is compiled once and launched for each call"),
    ours("pack-block-weights", "a few rows are multiplied by codes of 4 bits: an eighth of the bytes to transfer"),
    ours("pack-engine-weights", "the matrix engine's weights are packed once, not in each run"),
    ours("pack-word-weights", "HVX multiplies four bytes in each lane: weights are interleaved once"),
    ours("keep-activation-tiles", "the matrix engine's results are the next kernel's left factors as they are"),
)
"""Of a model in linalg, before its kernels go through a pipeline each."""

MACHINE = (
    ours("hexagon-math-expansion", "math functions become arithmetic"),
    upstream("canonicalize,cse", "constants of the expansions are shared"),
    *BY_FUNCTION,
)
"""Of the bytecode machine, which is written on buffers, with its own transfers and tiles."""

LINE_INFO = ours("hexagon-line-info", "instructions know their source lines")


class LlvmLoops(StrEnum):
    """What LLVM's -O3 does to loops: nothing where they are vectorized already."""

    KEPT = "kept"
    UNROLLED = "unrolled"
    VECTORIZED = "vectorized"


@dataclass(frozen=True)
class Pipeline:
    """The way from a front end to LLVM IR, and what LLVM may do to the loops that come out of it."""

    what: str
    entries: tuple[Entry, ...]
    llvm_loops: LlvmLoops
    by_function: int = 0
    """How many of the last entries see one function at a time: its callees may be declarations."""


PIPELINES = {
    "default": Pipeline("what this compiler is for", DEFAULT, LlvmLoops.KEPT, len(BY_FUNCTION)),
    "scalar": Pipeline("a baseline: LLVM -O3 without vector types", SCALAR, LlvmLoops.UNROLLED),
    "auto-vectorized": Pipeline("a baseline: LLVM -O3 with its own vectorizers, for HVX", SCALAR,
                                LlvmLoops.VECTORIZED),
}

BYTECODE_MACHINE = "bytecode-machine"
_INTERNAL = {BYTECODE_MACHINE: Pipeline("the machine that executes bytecode", MACHINE, LlvmLoops.KEPT,
                                        len(BY_FUNCTION))}
"""For programs of our own: not for those of users, which begin on tensors."""


def names() -> tuple[str, ...]:
    """Names for ``--pipeline``."""
    return tuple(PIPELINES)


def named(name: str) -> Pipeline:
    """The pipeline called ``name``, internal ones among them; raises `HexError` for an unknown one."""
    if name in _INTERNAL:
        return _INTERNAL[name]
    check_name(name)
    return PIPELINES[name]


def uses(name: str, pass_name: str) -> bool:
    """Whether pipeline ``name`` has the pass ``pass_name``."""
    return any(entry.own and entry.text == pass_name for entry in named(name).entries)


def target_of(name: str) -> Target:
    """The target called ``name``; raises `HexError` for an unknown one."""
    try:
        return targets.get(name)
    except targets.TargetError as error:
        raise HexError.plain(str(error)) from None


def check_name(name: str) -> None:
    """Raises `HexError` unless ``name`` is a pipeline."""
    if name not in PIPELINES:
        raise HexError.plain(f"unknown pipeline '{name}'", hint=f"pipelines: {', '.join(PIPELINES)}")


def get(name: str, target: Target, settings: Settings = DEFAULT_SETTINGS) -> tuple[Step, ...]:
    """The steps of pipeline ``name``; raises `HexError` for more TCM than the target has."""
    if settings.tcm_bytes > target.tcm_bytes.value:
        raise HexError.plain(f"{settings.tcm_bytes} bytes of TCM, {target.name} has {target.tcm_bytes.value}",
                             hint="0 takes all of it")
    entries = named(name).entries + ((LINE_INFO,) if settings.line_info else ())
    return tuple(_step(entry, settings) for entry in entries)


def of_constants(name: str, target: Target, settings: Settings = DEFAULT_SETTINGS) -> tuple[Step, ...]:
    """The steps of pipeline ``name`` that read the elements of constants."""
    return tuple(step for step in get(name, target, settings) if step.title in _OF_CONSTANTS)


def model(settings: Settings = DEFAULT_SETTINGS) -> tuple[Step, ...]:
    """The steps of `MODEL`."""
    return tuple(_step(entry, settings) for entry in MODEL)


def _step(entry: Entry, settings: Settings = DEFAULT_SETTINGS) -> Step:
    if entry.own:
        pass_class = registry.get(entry.text)
        known = {field.name for field in fields(pass_class)}
        given = {name: value for name, value in settings.of_passes.items() if name in known}
        return PassStep(pass_class(**{**given, **entry.options}), entry.why)
    return UpstreamStep(entry.text, entry.why, entry.label, entry.verified, entry.dialect)
