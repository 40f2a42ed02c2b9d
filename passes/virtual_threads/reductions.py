"""Splits a reduction: every thread reduces its part into partial results, which a small op combines."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from hexagon_mlir.dialects.block_weights import code_bits
from hexagon_mlir.ir import bufferization, ir, scf, tensor
from hexagon_mlir.ir.query import element_bytes
from hexagon_mlir.passes.lib.engine_byte_pixels import shared_loops
from hexagon_mlir.passes.lib.horizontal_reductions import neutral
from hexagon_mlir.passes.lib.loop_nests import reduction_combiner
from hexagon_mlir.passes.virtual_threads.build import apply_map, shift_indices, static_size, values_of
from hexagon_mlir.passes.virtual_threads.nests import ThreadNest

_PACKETS = 4
"""Packets per vector of partial results, which is initialized, stored, loaded and combined."""


@dataclass(frozen=True)
class Reduction:
    """An op whose ``loop`` can be split. All results have static shapes and combine values that are independent."""

    op: ir.Operation
    nest: ThreadNest
    loop: int

    @property
    def extent(self) -> int:
        """Iterations of the loop, or the most there can be."""
        return self.nest.extents[self.loop]

    def unit(self, vector: int) -> int:
        """Granularity of the split, in iterations, with which each thread loads whole vectors of ``vector`` bytes."""
        bytes_ = [element_bytes(value.type.element_type)
                  for value, dims in zip(self.op.operands, self.nest.reads, strict=True) if dims[-1:] == (self.loop,)]
        return max((vector // size for size in bytes_), default=1)

    def combine_cycles(self, vector: int, issue_interval: float) -> float:
        """Cycles that the partial results of one thread cost, estimated."""
        vectors = [-(-prod(shape) * size // vector) for shape, size in self._results()]
        return _PACKETS * issue_interval * sum(vectors)

    def _results(self) -> list[tuple[list[int], int]]:
        return [(list(r.type.shape), element_bytes(r.type.element_type)) for r in self.op.results]

    def split(self, chunk: int, vector: int) -> scf.ForallOp:
        """Replace the op by a parallel loop over chunks of ``chunk`` iterations and an op that combines their results.

        Each thread's partial results fill whole vectors of ``vector`` bytes: no two threads write to the same vector.
        """
        count = self.nest.counts[self.loop]
        inputs = len(self.op.operands) - len(self.op.results)
        with self.op.location, ir.InsertionPoint(self.op):
            chunks = -(-self.extent // chunk)
            used = chunks if count is None else apply_map(
                ir.AffineMap.get(1, 0, [ir.AffineExpr.get_ceil_div(ir.AffineDimExpr.get(0), chunk)]), count)
            partials = [self._partials(number, chunks, vector) for number in range(len(self.op.results))]
            loop = scf.ForallOp([0], [used], [1], partials)
            with ir.InsertionPoint(loop.body):
                thread = next(iter(loop.induction_variables))
                offset = apply_map(ir.AffineMap.get(1, 0, [ir.AffineDimExpr.get(0) * chunk]), thread)
                size = self._size(thread, chunk)
                operands = [self._input(number, offset, size) for number in range(inputs)]
                operands += [self._start(number, argument, thread)
                             for number, argument in enumerate(loop.inner_iter_args)]
                copy = self.op.clone().operation
                for number, value in enumerate(operands):
                    copy.operands[number] = value
                shift_indices(copy, {self.loop: offset})
                parallel = scf.InParallelOp()
            with ir.InsertionPoint(parallel.block):
                for number, argument in enumerate(loop.inner_iter_args):
                    sizes = [1, *(self.op.results[number].type.shape or [1])]
                    tensor.ParallelInsertSliceOp(copy.results[number], argument, [thread], [], [],
                                                 [static_size(thread), *[0] * (len(sizes) - 1)], sizes,
                                                 [1] * len(sizes))
            for number, result in enumerate(self.op.results):
                result.replace_all_uses_with(self._combined(number, loop.results[number], used))
        self.op.erase()
        return loop

    def _combiner(self, number: int) -> ir.Operation:
        return self.op.regions[0].blocks[0].operations[-1].operation.operands[number].owner.operation

    def _partials(self, number: int, chunks: int, vector: int) -> ir.Value:
        """A tensor with whole vectors for the results of each chunk."""
        type_ = ir.RankedTensorType(self.op.results[number].type)
        lanes = vector // element_bytes(type_.element_type)
        *outer, last = list(type_.shape) or [1]
        shape = [chunks, *outer, -(-last // lanes) * lanes]
        return bufferization.AllocTensorOp(ir.RankedTensorType.get(shape, type_.element_type), []).result

    def _size(self, thread: ir.Value, chunk: int) -> int | ir.Value:
        """Iterations of a chunk: ``chunk``, or what is left."""
        count = self.nest.counts[self.loop]
        if count is None and self.extent % chunk == 0:
            return chunk
        at = ir.AffineDimExpr.get(0) * -chunk
        left = at + ir.AffineSymbolExpr.get(0) if count is not None else at + self.extent
        map_ = ir.AffineMap.get(1, int(count is not None), [ir.AffineConstantExpr.get(chunk), left])
        return ir.Operation.create("affine.min", results=[ir.IndexType.get()],
                                   operands=[thread, *([] if count is None else [count])],
                                   attributes={"map": ir.AffineMapAttr.get(map_)}).result

    def _input(self, number: int, offset: ir.Value, size: int | ir.Value) -> ir.Value:
        """A chunk's part of input ``number``."""
        value, dims = self.op.operands[number], self.nest.reads[number]
        if self.loop not in dims:
            return value
        offsets = [offset if loop == self.loop else 0 for loop in dims]
        sizes = [size if loop == self.loop else (self.nest.counts[loop] or extent)
                 for loop, extent in zip(dims, value.type.shape, strict=True)]
        type_ = ir.RankedTensorType.get([static_size(s) for s in sizes], value.type.element_type)
        return tensor.ExtractSliceOp(type_, value, values_of(offsets), values_of(sizes), [],
                                     [static_size(o) for o in offsets], [static_size(s) for s in sizes],
                                     [1] * len(sizes)).result

    def _start(self, number: int, argument: ir.Value, thread: ir.Value) -> ir.Value:
        """A chunk's partial results, initialized to the neutral value of the combining op."""
        combiner, type_ = self._combiner(number), self.op.results[number].type
        sizes = [1, *(type_.shape or [1])]
        empty = tensor.ExtractSliceOp(type_, argument, [thread], [], [],
                                      [static_size(thread), *[0] * (len(sizes) - 1)], sizes, [1] * len(sizes)).result
        flags = str(combiner.attributes["fastmath"]) if "fastmath" in combiner.attributes else ""
        value = neutral(combiner.name, type_.element_type, "nnan" in flags or "fast>" in flags)
        start = ir.Operation.create("arith.constant", results=[type_.element_type],
                                    attributes={"value": value}).result
        rank = len(type_.shape)
        maps = [ir.AffineMap.get(rank, 0, []), ir.AffineMap.get_identity(rank)]
        generic = _generic([start], empty, maps, ["parallel"] * rank)
        with ir.InsertionPoint(generic.regions[0].blocks[0]):
            ir.Operation.create("linalg.yield", operands=[generic.regions[0].blocks[0].arguments[0]])
        return generic.result

    def _combined(self, number: int, partials: ir.Value, used: int | ir.Value) -> ir.Value:
        """The result: the op's initial value, combined with the partial results of ``used`` chunks."""
        start = self.op.operands[len(self.op.operands) - len(self.op.results) + number]
        shape = list(start.type.shape)
        sizes = [used, *(shape or [1])]
        type_ = ir.RankedTensorType.get([static_size(used), *shape], start.type.element_type)
        parts = tensor.ExtractSliceOp(type_, partials, [], values_of(sizes), [], [0] * len(sizes),
                                      [static_size(s) for s in sizes], [1] * len(sizes)).result
        rank = len(shape) + 1
        dims = [ir.AffineDimExpr.get(dim) for dim in range(rank)]
        maps = [ir.AffineMap.get(rank, 0, dims), ir.AffineMap.get(rank, 0, dims[1:])]
        generic = _generic([parts], start, maps, ["reduction"] + ["parallel"] * len(shape))
        body = generic.regions[0].blocks[0]
        with ir.InsertionPoint(body):
            combiner = self._combiner(number).clone().operation
            combiner.operands[0], combiner.operands[1] = body.arguments
            ir.Operation.create("linalg.yield", operands=[combiner.results[0]])
        return generic.result


def read_reduction(op: ir.Operation, nest: ThreadNest) -> Reduction | None:
    """The longest loop of ``op`` that can be split with a combine step; None when there is none, and for sums of tiles
    and products with weights in blocks, which have vector code of their own.
    """
    if shared_loops(op) is not None or code_bits(op):
        return None
    inputs = len(op.operands) - len(op.results)
    if any(None in dims for dims in nest.reads) or any(not result.type.has_static_shape for result in op.results):
        return None
    body = op.regions[0].blocks[0]
    yielded = body.operations[-1].operation.operands
    if any(reduction_combiner(body, inputs + number, value) is None for number, value in enumerate(yielded)):
        return None
    loops = [loop for loop, extent in enumerate(nest.extents) if not nest.parallel[loop] and extent > 1
             and all(loop not in dims for dims in nest.reads[inputs:])]
    return Reduction(op, nest, max(loops, key=lambda loop: nest.extents[loop])) if loops else None


def _generic(inputs: list[ir.Value], start: ir.Value, maps: list[ir.AffineMap], kinds: list[str]) -> ir.Operation:
    """A linalg.generic with an empty body block."""
    generic = ir.Operation.create(
        "linalg.generic", results=[start.type], operands=[*inputs, start], regions=1,
        attributes={
            "indexing_maps": ir.ArrayAttr.get([ir.AffineMapAttr.get(map_) for map_ in maps]),
            "iterator_types": ir.ArrayAttr.get([ir.Attribute.parse(f"#linalg.iterator_type<{kind}>")
                                                for kind in kinds]),
            "operandSegmentSizes": ir.DenseI32ArrayAttr.get([len(inputs), 1]),
        })
    types = [v.type.element_type if isinstance(v.type, ir.RankedTensorType) else v.type for v in (*inputs, start)]
    generic.regions[0].blocks.append(*types)
    return generic
