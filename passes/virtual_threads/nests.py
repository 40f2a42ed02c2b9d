"""What `form-virtual-threads` needs to know of a linalg op on tensors, read once into a plain record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import gcd, prod

from hexagon_mlir.dialects.block_weights import TILES_LOOP, code_bits, tile_bits
from hexagon_mlir.dialects.engine_tiles import PAIR
from hexagon_mlir.ir import get_indexing_maps, ir, tensor
from hexagon_mlir.ir.bounds import collapsed_dim, upper_bound
from hexagon_mlir.ir.constants import index
from hexagon_mlir.ir.query import element_bytes
from hexagon_mlir.ir.windows import Window, outer_window_of, window_of
from hexagon_mlir.passes.lib.block_tiles import THREAD_LOOPS, vector_cycles
from hexagon_mlir.passes.lib.engine_byte_pixels import shared_loops, steps_of
from hexagon_mlir.passes.lib.engine_tiles import is_engine_product, packs_tiles
from hexagon_mlir.passes.lib.pair_transposes import pair_transpose_of, read_pair_transpose
from hexagon_mlir.passes.lib.thread_cost import CERTAIN
from hexagon_mlir.passes.lib.vector_loop import LEAST_DEPTH, ROWS_TOGETHER, few_row_loops, lane_loop, vector_loop
from hexagon_mlir.passes.virtual_threads.byte_products import ByteProduct, read_byte_product
from hexagon_mlir.passes.virtual_threads.estimate import certain_part, tile_copy_cycles, widths, work_cycles
from hexagon_mlir.targets import Target

_ASSUMED = 1 << 10
"""Trip count of a loop that nothing bounds, where cycles are estimated."""
Loops = tuple[int, ...]
"""The loops of an op that are split, one for each axis of the parallel loop."""
Ranges = tuple[tuple[int, tuple[ir.Value, ...]], ...]
"""Iterations of loops, with the value that is their number where that is known at run time only."""


@dataclass(frozen=True)
class ThreadNest:
    """The loops of one op. ``reads[i]`` names the loop that indexes each dimension of operand i, None for anything
    but a plain loop index; operands are inputs, then outputs. ``windows[i]`` does the same for all dimensions that
    chunks of one parallel loop cut into slices, which may overlap. ``cycles`` is what one thread takes, estimated."""

    extents: tuple[int, ...]
    """Trip counts; of a loop with a dynamic count, its upper bound."""
    counts: tuple[ir.Value | None, ...]
    """The dynamic counts."""
    parallel: tuple[bool, ...]
    reads: tuple[tuple[int | None, ...], ...]
    windows: tuple[tuple[Window | None, ...], ...]
    outputs: int
    output_bytes: tuple[int, ...]
    """Bytes of one element of each output."""
    cycles: float
    alone: bool = False
    """Whether it shares no parallel loop: it packs tiles for one of several products of the matrix engine. Between it
    and other work the engine multiplies, or a transfer arrives."""
    byte_product: ByteProduct | None = None
    narrowest_bits: int = 32
    """Of an element of the body: it determines the lanes of a vector, as in `lib.loop_nests`."""
    certain: float = CERTAIN
    """Fraction of ``cycles`` that is certain, as in `lib.thread_cost`."""
    few_rows: Loops = ()
    """The loop over a few left rows that are multiplied with rows, of which several share the loaded right ones."""

    def allows(self, loops: Loops, steps: Sequence[int]) -> bool:
        """Whether the work stays as efficient in chunks of ``steps`` iterations of ``loops``."""
        if self.few_rows and any(self.extents[loop] % step or step < LEAST_DEPTH
                                 for loop, step in zip(loops, steps, strict=True) if not self.parallel[loop]):
            return False
        return self.byte_product is None or self.byte_product.allows(loops, steps, self.extents)

    def splittable(self, loop: int) -> bool:
        """True when iterations of ``loop`` are independent and cut every operand they index into plain slices."""
        return self.parallel[loop] and all(loop in dims for dims in self.reads[-self.outputs:])

    @cached_property
    def splits(self) -> tuple[Loops, ...]:
        """The loops that could be split: one or two of them, outer ones first."""
        fitting = [loop for loop, extent in enumerate(self.extents) if extent > 1 and self.splittable(loop)]
        return (*((loop,) for loop in fitting), *combinations(fitting, 2))

    @cached_property
    def ranges(self) -> frozenset[Ranges]:
        """Trip counts of the `splits`."""
        return frozenset(map(self.ranges_of, self.splits))

    def ranges_of(self, loops: Loops) -> Ranges:
        """The trip counts by which loops are compared."""
        counts = (self.counts[loop] for loop in loops)
        return tuple((self.extents[loop], () if count is None else (count,))
                     for loop, count in zip(loops, counts, strict=True))

    def by_vectors(self, operand: int) -> bool:
        """True when vector code reads ``operand`` in vectors, not element by element.

        See `lib.vector_loop`.
        """
        return self._vector is not None and self._vector in self.reads[operand]

    def lanes(self, loop: int, vector_bytes: int) -> int:
        """Iterations of ``loop`` in one vector step: fewer take as long."""
        if loop in self.few_rows:
            return ROWS_TOGETHER
        if self.needs_lanes(loop, vector_bytes):
            return PAIR if self.even(loop, vector_bytes) else self.extents[loop]
        return 8 * vector_bytes // self.narrowest_bits if loop == self._lane_loop else 1

    def needs_lanes(self, loop: int, vector_bytes: int) -> bool:
        """Whether there is no vector code for fewer iterations of ``loop`` than `lanes`."""
        return loop in (*self.few_rows, *self._pieces_and_column(vector_bytes))

    def is_cut_up(self, loop: int, tasks: int, vector_bytes: int) -> bool:
        """Whether so many ``tasks`` would have parts of vectors along ``loop`` each."""
        return not self.needs_lanes(loop, vector_bytes) and 1 < self.lanes(loop, vector_bytes) > (
            self.extents[loop] // tasks)

    def even(self, loop: int, vector_bytes: int) -> bool:
        """Whether vector code of ``loop`` needs a number of iterations that is known and the same in each chunk."""
        return loop in (*self.few_rows, *self._pieces_and_column(vector_bytes)[:1])

    def _pieces_and_column(self, vector_bytes: int) -> Loops:
        """The loop over pieces of rows, two of which fill a vector, of a copy between rows and pairs of rows, and the
        one over the elements of a piece; none for other ops."""
        if self.outputs != 1 or len(self.reads) != 2 or min(map(len, self.reads)) < 2:
            return ()
        for pairs, rows in (self.reads, self.reads[::-1]):
            (column, pair), (piece, same) = pairs[-2:], rows[-2:]
            if column is None or pair is None or column != same or piece is None or piece == pair:
                continue
            if self.extents[pair] == PAIR and self.extents[column] * PAIR * self.output_bytes[0] == vector_bytes:
                return piece, column
        found = read_pair_transpose(*self.reads, self.extents, self.output_bytes[0], vector_bytes)
        return () if found is None else (found.piece, found.column)

    @cached_property
    def _vector(self) -> int | None:
        """The loop that is vectorized."""
        return vector_loop(len(self.extents), self.reads, self.extents)

    @cached_property
    def _lane_loop(self) -> int | None:
        """The loop that vector code has along its lanes."""
        return self._vector if self.outputs != 1 else lane_loop(len(self.extents), self.reads, self.extents)

    def unit(self, loop: int, output: int, together: int) -> int | None:
        """Fewest iterations of ``loop`` such that threads' parts of ``output`` are bounded at multiples of ``together``
        bytes.

        None when no number suffices: columns of rows that are not themselves so aligned.
        """
        dims = self.reads[len(self.reads) - self.outputs + output]
        extents = [self.extents[dim] if dim is not None and self.counts[dim] is None else 1 for dim in dims]
        strides = [self.output_bytes[output] * prod(extents[position + 1:]) for position in range(len(dims))]
        at = dims.index(loop)
        extents = [self.extents[dim] if dim is not None else 1 for dim in dims]
        if any(strides[outer] % together for outer in range(at) if extents[outer] > 1):
            return None
        return together // gcd(together, strides[at])


def is_linalg(op: ir.Operation) -> bool:
    """True for a structured op on tensors."""
    return op.name.startswith("linalg.") and len(op.regions) == 1 and len(op.results) > 0


def read(op: ir.Operation, target: Target) -> ThreadNest | str:
    """The `ThreadNest` of linalg op ``op``, or why it stays on one thread."""
    maps = [ir.AffineMapAttr(a).value for a in _maps(op)]
    reads: list[tuple[int | None, ...]] = []
    extents: dict[int, int] = {}
    counts: dict[int, ir.Value] = {}
    for value, map_ in zip(op.operands, maps, strict=True):
        if not isinstance(value.type, ir.RankedTensorType):
            reads.append(())
            continue
        dims: list[int | None] = []
        for position, result in enumerate(map_.results):
            plain = result.position if isinstance(result, ir.AffineDimExpr) else None
            dims.append(plain)
            if value.type.is_dynamic_dim(position):
                if plain is None:
                    continue
                count = size_of(value, position) or _told_size(op, value, position)
                if count is not None:
                    bound = upper_bound(count)
                    counts[plain], extents[plain] = count, _ASSUMED if bound is None else bound
            elif plain is not None:
                extents[plain] = value.type.shape[position]
        reads.append(tuple(dims))
    loops = maps[0].n_dims
    if len(extents) != loops:
        return "a loop that indexes no operand, or of a dynamic size that is not seen"
    iterators = str(op.attributes["iterator_types"]).split(",") if "iterator_types" in op.attributes else None
    independent = ["parallel" in iterators[loop] if iterators else loop in reads[-1] for loop in range(loops)]
    known = {loop: extent for loop, extent in extents.items() if loop not in counts}
    windows = tuple(
        () if not dims else tuple(
            _window(op, map_, position, independent, known, element_bytes(value.type.element_type),
                    int(target.vector_bytes.value)) for position in range(len(map_.results)))
        for value, dims, map_ in zip(op.operands, reads, maps, strict=True))
    mixed = {d.position for map_, of in zip(maps, windows, strict=True)
             for result, window in zip(map_.results, of, strict=False)
             for d in _dims_of(result) if window is None or window.loop != d.position}
    of_copy = shared_loops(op)
    shared = range(loops) if of_copy is None else of_copy
    sizes = tuple(extents[loop] for loop in range(loops))
    pairs = pair_transpose_of(op, reads, sizes, int(target.vector_bytes.value))
    if pairs is not None:
        shared = [loop for loop in range(loops) if loop not in (pairs.row, pairs.column, pairs.pair)]
    if code_bits(op):
        shared = [TILES_LOOP]
    if tile_bits(op):
        shared = THREAD_LOOPS
    parallel = [independent[loop] and loop not in mixed and loop in shared for loop in range(loops)]
    written = tuple(element_bytes(result.type.element_type) for result in op.results)
    dynamic = tuple(counts.get(loop) for loop in range(loops))
    product = read_byte_product(op, sizes, list(counts), reads, target)
    of_tiles = tile_copy_cycles(op, target)
    certain = certain_part(op) if of_tiles is None else 1.0
    whole = pairs is not None or (certain == 1 and _follow_one_another(op, reads))
    vectors = prod(sizes) * element_bytes(op.results[0].type.element_type) / int(target.vector_bytes.value)
    cycles = of_tiles if of_tiles is not None else (
              vectors * vector_cycles(list(op.operands)[:-1], tile_bits(op), target) if tile_bits(op) else
              work_cycles(op, sizes, parallel, reads, target, whole) if product is None else
              product.packets * float(target.hvx_issue_interval_cycles.value))
    return ThreadNest(sizes, dynamic, tuple(parallel), tuple(reads), windows, len(op.results), written, cycles,
                      packs_tiles(op) and _several_products(op.block), product, min(widths(op), default=32),
                      certain, tuple(few_row_loops(op, vector_loop(loops, reads, sizes), reads, sizes) or ()))


def _follow_one_another(op: ir.Operation, reads: Sequence[tuple[int | None, ...]]) -> bool:
    """Whether the elements that ``op`` reads and writes are those of whole tensors, in order: no row ends a vector."""
    slices = any(not isinstance(value.owner, ir.Block) and value.owner.operation.name == "tensor.extract_slice"
                 for value in op.operands)
    return not slices and all(dims == tuple(range(len(dims))) for dims in reads) and len({*map(len, reads)}) == 1


def _several_products(block: ir.Block) -> bool:
    products = (True for view in block.operations if is_engine_product(view.operation))
    return next(products, False) and next(products, False)


def _window(op: ir.Operation, map_: ir.AffineMap, position: int, parallel: Sequence[bool], extents: dict[int, int],
            width: int, vector_bytes: int) -> Window | None:
    """The window that index ``position`` of ``map_`` is. With several parallel loops in it, copies alone are cut, rows
    of elements of ``width`` bytes into whole vectors only: vector code may load a whole one at their end.
    """
    expression, last = map_.results[position], position == len(map_.results) - 1
    found = window_of(expression, parallel, extents.get)
    if found is None and (len(list(op.regions[0].blocks[0].operations)) == 1 or steps_of(op) is not None):
        found = outer_window_of(expression, parallel, extents.get)
        if found is not None and last and (found.length * width % vector_bytes or found.step * width % vector_bytes):
            return None
    return found


def _told_size(op: ir.Operation, value: ir.Value, dim: int) -> ir.Value | None:
    """The size of dimension ``dim`` of an argument, or of a tensor made of it, as a tensor.dim before ``op`` tells it;
    one is added where there is none."""
    if not isinstance(value.owner, ir.Block):
        owner = value.owner.operation
        if is_linalg(owner):
            first = len(owner.operands) - len(owner.results)
            return _told_size(op, owner.operands[first + ir.OpResult(value).result_number], dim)
        origin = collapsed_dim(owner, dim) if owner.name == "tensor.collapse_shape" else None
        return None if origin is None else _told_size(op, owner.operands[0], origin)
    for use in value.uses:
        owner = use.owner.operation
        if owner.name == "tensor.dim" and upper_bound(owner.operands[1]) == dim and owner.block == op.block \
                and owner.is_before_in_block(op):
            return owner.results[0]
    with op.location, ir.InsertionPoint(op):
        return tensor.DimOp(value, index(dim)).result


def size_of(value: ir.Value, dim: int) -> ir.Value | None:
    """Where the dynamic size of dimension ``dim`` of a tensor comes from; None when it cannot be seen."""
    owner = None if isinstance(value.owner, ir.Block) else value.owner.operation
    if owner is None:
        return None
    if is_linalg(owner):
        return size_of(owner.operands[len(owner.operands) - len(owner.results) + ir.OpResult(value).result_number], dim)
    operands = list(owner.operands)
    if owner.name == "bufferization.alloc_tensor" and operands and isinstance(operands[-1].type, ir.RankedTensorType):
        return size_of(operands[-1], dim)
    if owner.name == "tensor.collapse_shape":
        origin = collapsed_dim(owner, dim)
        return None if origin is None else size_of(operands[0], origin)
    if owner.name == "tensor.extract_slice":
        segments = list(ir.DenseI32ArrayAttr(owner.attributes["operandSegmentSizes"]))
        if len(list(ir.DenseI64ArrayAttr(owner.attributes["static_sizes"]))) != value.type.rank:
            return None  # dimensions of size one are dropped
        operands = operands[sum(segments[:2]):]
    elif owner.name not in ("tensor.empty", "bufferization.alloc_tensor"):
        return None
    return _origin(operands[sum(value.type.is_dynamic_dim(d) for d in range(dim))])


def _origin(size: ir.Value) -> ir.Value:
    """``size``, or the source of the tensor.dim that makes it."""
    owner = None if isinstance(size.owner, ir.Block) else size.owner.operation
    if owner is None or owner.name != "tensor.dim":
        return size
    position = upper_bound(owner.operands[1])
    source = owner.operands[0]
    found = None if position is None or not source.type.is_dynamic_dim(position) else size_of(source, position)
    return found if found is not None else size


def _maps(op: ir.Operation) -> ir.ArrayAttr:
    if "indexing_maps" in op.attributes:
        return ir.ArrayAttr(op.attributes["indexing_maps"])
    return get_indexing_maps(op)


def _dims_of(expression: ir.AffineExpr) -> list[ir.AffineDimExpr]:
    if isinstance(expression, ir.AffineDimExpr):
        return [expression]
    if isinstance(expression, ir.AffineBinaryExpr):
        return [*_dims_of(expression.lhs), *_dims_of(expression.rhs)]
    return []
