"""What our passes write into the IR for later ones: operations of the dialect ``hexagon`` (`ir.hexagon_dialect` defines
them to MLIR), and attributes on upstream operations.

Each operation and attribute has its module here, which knows how it is written and read.
"""

from __future__ import annotations

from typing import NamedTuple

from hexagon_mlir.dialects import (
    block_weights,
    double_buffering,
    engine_windows,
    groups,
    iteration_cycles,
    kernel_memory,
    nibble_weights,
    packed_weights,
    permissions,
    programs,
    task_limits,
    tcm_slots,
)
from hexagon_mlir.ir.engine_operations import (
    ENGINE_CONVERT,
    ENGINE_MULTIPLY,
    ENGINE_PRODUCT,
    ENGINE_SCOPE,
    ENGINE_STORE,
    ENGINE_WAIT,
)
from hexagon_mlir.ir.hexagon_dialect import (
    ACTIVATION_MATRIX,
    ACTIVATION_TILES,
    BLOCK_MATRIX,
    BLOCK_SCALES,
    ENGINE_MATRIX,
    LOOK_UP,
    SPLIT_CODES,
    WEIGHT_MATRIX,
)

PREFIX = "hexagon."


class Attribute(NamedTuple):
    """What an attribute or an operation means, and the levels of IR (`hexagon_mlir.levels`) at which it may stand."""

    meaning: str
    levels: frozenset[str]


_ON_TENSORS = frozenset({"tensor", "tiled"})
_IN_LOOPS = frozenset({"buffer", "runtime"})
_ALWAYS = frozenset({"tensor", "tiled", "buffer", "runtime", "llvm"})
ATTRIBUTES = {
    programs.PROGRAMS: Attribute(
        "on a function that is a Triton kernel: may its programs run in parallel", _ALWAYS),
    permissions.MAY_FORK: Attribute(
        "on an argument of a function: whether it may fork, or runs its loops on one thread", _ALWAYS - {"tensor"}),
    groups.GROUP: Attribute(
        "on async.create_group: its number, so that CSE does not take two groups for one", _IN_LOOPS),
    task_limits.MOST_TASKS: Attribute(
        "on an scf.forall: how many of its iterations may run at the same time, each with its own TCM", _IN_LOOPS),
    iteration_cycles.ITERATION_CYCLES: Attribute(
        "on an scf.forall: estimated cycles of an iteration, by which the main thread's share is chosen",
        _ALWAYS - {"llvm"}),
    tcm_slots.SLOT: Attribute("on a memref.view of the TCM arena: no other marked view shares its bytes", _IN_LOOPS),
    kernel_memory.IN_MODEL: Attribute(
        "on a kernel of a model: which arguments are there before the model runs, as weights are",
        _ALWAYS | {"source"}),
    kernel_memory.IN_TCM: Attribute(
        "on a kernel of a model: which arguments its caller has in TCM, with room after them; results are numbered "
        "after the arguments", _ON_TENSORS | {"source", "buffer"}),
    kernel_memory.MEMORY: Attribute(
        "on a kernel of a model: the TCM it is given, the tile its work begins with", _ALWAYS - _ON_TENSORS),
    packed_weights.CONSTANTS: Attribute(
        "on the function of a model: the numbers of arguments that are the same in every run", frozenset({"tensor"})),
    packed_weights.PACKED: Attribute(
        "on the function of a model: the numbers of arguments that are the matrix engine's tiles of what they were",
        frozenset({"tensor"})),
    packed_weights.SUMS: Attribute(
        "on the function of a model: the numbers of tiles of bytes, of whose columns the last arguments are the sums, "
        "times -128", frozenset({"tensor"})),
    nibble_weights.NIBBLES: Attribute(
        "on the function of a model: the numbers of constants, bytes, whose elements have 4 bits",
        frozenset({"tensor"})),
    packed_weights.WORDS: Attribute(
        "on the function of a model: the numbers of arguments that are matrices of bytes, four of a column to a word",
        frozenset({"tensor"})),
    block_weights.CANDIDATES: Attribute(
        "on the function of a model: the numbers of constants that are weights in blocks", frozenset({"tensor"})),
    block_weights.FORMATS: Attribute(
        "on the function of a model: for each of them rows of a block, bits of a code, a scale and a zero point, "
        "rows of a superblock",
        frozenset({"tensor"})),
    block_weights.CODES: Attribute(
        "on the function of a model: the numbers of arguments that are codes of such weights; its last arguments are "
        "their other tensors", frozenset({"tensor"})),
    block_weights.TILES: Attribute(
        "on what makes the matrix engine's tiles from codes and scales", _ON_TENSORS | _IN_LOOPS),
    block_weights.PRODUCT: Attribute(
        "on a product of rows in fixed point with weights in blocks: the bits of a weight's code",
        _ON_TENSORS | _IN_LOOPS),
    engine_windows.WINDOWS: Attribute(
        "on a product of the matrix engine: which of its activations serve several of its results",
        _ON_TENSORS | _IN_LOOPS),
    double_buffering.LOOP: Attribute("on a loop over tiles with several sets of buffers: its number", _IN_LOOPS),
    double_buffering.SCHEDULED: Attribute(
        "on a loop whose copies stand where their transfers should start", _ON_TENSORS | _IN_LOOPS),
    double_buffering.PROLOGUE: Attribute("on what fetches ahead before such a loop", _IN_LOOPS),
    double_buffering.PREFETCH: Attribute("on what fetches a later tile in it", _IN_LOOPS),
    double_buffering.STAGES[0]: Attribute("on the stage of it that works on the first set of buffers", _IN_LOOPS),
    double_buffering.STAGES[1]: Attribute("on the stages of it that work on the others", _IN_LOOPS),
    double_buffering.FETCH: Attribute(
        "on a copy into TCM that becomes a transfer: loop, set of buffers, number of the buffer", _IN_LOOPS),
    double_buffering.STORE: Attribute("on a copy out of TCM: the same", _IN_LOOPS),
    double_buffering.IN_PLACE: Attribute("on a copy out of a buffer that is fetched as well", _IN_LOOPS),
}
"""Each attribute that may stand between two passes, by name."""
OPERATIONS = {
    LOOK_UP: Attribute("``(table, indices) {count} -> found``: the element of the table for each index",
                       frozenset({"buffer", "runtime"})),
    WEIGHT_MATRIX: Attribute(
        "``(tiles, columns?) -> matrix``: the matrix whose tiles, filled up with zeros, a tensor has, and sums of its "
        "columns",
        frozenset({"source", "tensor"})),
    ACTIVATION_TILES: Attribute(
        "``(matrix) -> tiles``: an f16 matrix as tiles of the matrix engine; columns are filled up with zeros, rows "
        "with anything",
        frozenset({"source", "tensor"})),
    ACTIVATION_MATRIX: Attribute(
        "``(tiles) -> matrix``: the matrix that such tiles have", frozenset({"source", "tensor"})),
    BLOCK_MATRIX: Attribute(
        "``(codes, scales, zeros?) {bits} -> matrix``: the matrix of weights that share scales in blocks",
        frozenset({"source", "tensor"})),
    SPLIT_CODES: Attribute(
        "``(lower, upper) -> codes``: codes of 6 bits, of their lower four and upper two bits",
        frozenset({"source", "tensor"})),
    BLOCK_SCALES: Attribute(
        "``(integers, factors) -> scales``: scales, or minima, of blocks: bytes times the f16 factors of "
        "their superblocks",
        frozenset({"source", "tensor"})),
    ENGINE_MATRIX: Attribute(
        "``(codes, scales, zeros?) {bits} -> matrix``: the same for the matrix engine, whose tiles are made of codes",
        frozenset({"source", "tensor"})),
    ENGINE_PRODUCT: Attribute(
        "``(activations, weights, columns, results) {hexagon.windows?}``: a product of tiles by the matrix engine, "
        "which computes while the thread goes on; ``columns`` are the tables of what is done to sums of each column",
        frozenset({"buffer"})),
    ENGINE_WAIT: Attribute(
        "``() {pending?}``: the thread waits until at most the last ``pending`` products of the block are not done",
        frozenset({"buffer"})),
    ENGINE_SCOPE: Attribute(
        "``() ({ })``: the thread holds the engine; its accumulators are 0 where the region begins, its results in TCM "
        "where it ends", frozenset({"buffer"})),
    ENGINE_MULTIPLY: Attribute(
        "``(activations, weights)``: in a scope, the product of the tiles, along the reduction, is added to the "
        "accumulators", frozenset({"buffer"})),
    ENGINE_CONVERT: Attribute(
        "``(table) {to, retain?}``: in a scope, the sums become a tile of f16 or of bytes (i8), as the table says; the "
        "accumulators are 0 then, unless it retains them", frozenset({"buffer"})),
    ENGINE_STORE: Attribute("``(tile)``: in a scope, the converted tile is stored", frozenset({"buffer"})),
}
"""Each operation of the dialect ``hexagon``, by name."""
