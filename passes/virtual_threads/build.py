"""Writes one scf.forall for a group: every op works on slices, and the loop inserts the results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hexagon_mlir.dialects import iteration_cycles
from hexagon_mlir.ir import arith, bufferization, ir, scf, tensor
from hexagon_mlir.ir.constants import index
from hexagon_mlir.ir.windows import Window
from hexagon_mlir.passes.virtual_threads.groups import Group, Member, Place, unwritten
from hexagon_mlir.passes.virtual_threads.run_time_chunks import RunTimeChunk

DYNAMIC = ir.ShapedType.get_dynamic_size()


class ForallBuilder:
    """Use as ``ForallBuilder(group, chunks, cycles).build()``; ``chunks`` are iterations along each axis, or what they
    are for the count of an axis that has one; ``cycles`` is what a whole chunk takes, estimated."""

    def __init__(self, group: Group, chunks: Sequence[int | RunTimeChunk], cycles: float):
        self.group = group
        self._cycles = cycles
        self._sizes = chunks
        self.places = group.places
        self.kept = [place for place in self.places if place.kept]
        self.inside: dict[ir.Value, ir.Value] = {}  # a member's result -> this iteration's slice of it
        self.slices: dict[tuple, ir.Value] = {}  # slices of values from outside

    def build(self) -> scf.ForallOp:
        """Write the loop before the group's end, and let it replace the members."""
        with self.group.members[-1].op.location, ir.InsertionPoint(self.group.end):
            extents = [count or extent for extent, count in zip(self.group.extents, self.group.counts, strict=True)]
            self.chunks = [size if isinstance(size, int) else size.emit(extent)
                           for size, extent in zip(self._sizes, extents, strict=True)]
            loop = scf.ForallOp([0] * len(extents), extents, self.chunks, self._starts())
            iteration_cycles.note(loop.operation, self._cycles)
            with ir.InsertionPoint(loop.body):
                self.offsets = list(loop.induction_variables)
                self.sizes = [self._size(axis) for axis in range(len(extents))]
                arguments = list(loop.inner_iter_args)
                for member in self.group.members:
                    self._member(member, arguments)
                parallel = scf.InParallelOp()
            with ir.InsertionPoint(parallel.block):
                for place, argument in zip(self.kept, arguments, strict=True):
                    self._put(place, argument)
        for place, result in zip(self.kept, loop.results, strict=True):
            place.last.replace_all_uses_with(result)
        for member in reversed(self.group.members):
            member.op.erase()
        return loop

    def _starts(self) -> list[ir.Value]:
        """The tensors that the iterations share, each once."""
        starts: list[ir.Value] = []
        for place in self.kept:
            again = place.start in starts and unwritten(place.start)
            starts.append(place.start.owner.operation.clone().operation.results[0] if again else place.start)
        return starts

    def _member(self, member: Member, arguments: list[ir.Value]) -> None:
        inputs = len(member.op.operands) - len(member.op.results)
        operands = []
        for position, value in enumerate(member.op.operands):
            if value in self.inside or not isinstance(value.type, ir.RankedTensorType):
                operands.append(self.inside.get(value, value))
            elif position < inputs:
                operands.append(self._slice(self._shared(value, member, position, arguments), member, position))
            else:
                operands.append(self._target(member, position, arguments))
        copy = member.op.clone().operation
        for position, value in enumerate(operands):
            copy.operands[position] = value
        for number, result in enumerate(copy.results):
            result.set_type(copy.operands[inputs + number].type)
            self.inside[member.op.results[number]] = result
        shift_indices(copy, dict(zip(member.loops, self.offsets, strict=True)))

    def _target(self, member: Member, position: int, arguments: list[ir.Value]) -> ir.Value:
        """Where an iteration computes its part of an output: a slice of what all share, or a tensor of its own."""
        output = position - (len(member.op.operands) - len(member.op.results))
        place = next(p for p in self.places if (member, output) in p.results)
        if place.kept:
            return self._slice(arguments[self.kept.index(place)], member, position)
        sizes = self._box(member, position)[1]
        type_ = ir.RankedTensorType.get([static_size(s) for s in sizes], place.start.type.element_type)
        maker = place.start.owner.operation
        space = maker.attributes.get("memory_space", None)
        return bufferization.AllocTensorOp(type_, values_of(sizes), memory_space=space).result

    def _shared(self, value: ir.Value, member: Member, position: int, arguments: list[ir.Value]) -> ir.Value:
        """The shared output for ``value`` where an iteration writes only the part that its ``member`` reads: no copy is
        needed."""
        for place, argument in zip(self.kept, arguments, strict=True):
            writer, output = place.results[-1]
            written = len(writer.op.operands) - len(writer.op.results) + output
            if place.start == value and _cut(writer, written) == _cut(member, position):
                return argument
        return value

    def _slice(self, value: ir.Value, member: Member, position: int) -> ir.Value:
        """This iteration's part of ``value``, which ``member`` uses as operand ``position``."""
        cut = _cut(member, position)
        key = value, *cut
        if not any(window is not None for window in cut[0]):
            return value
        if key not in self.slices:
            offsets, sizes = self._box(member, position)
            type_ = ir.RankedTensorType.get([static_size(s) for s in sizes], value.type.element_type)
            self.slices[key] = tensor.ExtractSliceOp(
                type_, value, values_of(offsets), values_of(sizes), [], [static_size(o) for o in offsets],
                [static_size(s) for s in sizes], [1] * len(sizes)).result
        return self.slices[key]

    def _put(self, place: Place, into: ir.Value) -> None:
        member, output = place.results[-1]
        offsets, sizes = self._box(member, len(member.op.operands) - len(member.op.results) + output)
        tensor.ParallelInsertSliceOp(self.inside[place.last], into, values_of(offsets), values_of(sizes), [],
                                     [static_size(o) for o in offsets], [static_size(s) for s in sizes],
                                     [1] * len(sizes))

    def _box(self, member: Member, position: int) -> tuple[list[int | ir.Value], list[int | ir.Value]]:
        """Offsets and sizes of this iteration's part of operand ``position``."""
        offsets: list[int | ir.Value] = []
        sizes: list[int | ir.Value] = []
        value = member.op.operands[position]
        for dim, (window, size) in enumerate(zip(member.nest.windows[position], value.type.shape, strict=True)):
            if window is not None and window.loop in member.loops:
                axis = member.loops.index(window.loop)
                offsets.append(self._first(window, axis))
                sizes.append(self._length(window, axis))
            else:
                count = None if window is None or not window.plain else member.nest.counts[window.loop]
                offsets.append(0)
                if count is None and size == DYNAMIC:  # of a window, whose loops tell no size
                    count = tensor.DimOp(value, index(dim)).result
                sizes.append(size if count is None else count)
        return offsets, sizes

    def _first(self, window: Window, axis: int) -> ir.Value:
        """The first index of ``window`` that this iteration takes."""
        at = self.offsets[axis]
        moved = ir.AffineMap.get(1, 0, [ir.AffineDimExpr.get(0) * window.step])
        return at if window.step == 1 else apply_map(moved, at)

    def _length(self, window: Window, axis: int) -> int | ir.Value:
        """How many indices of ``window`` this iteration takes."""
        size = self.sizes[axis]
        if isinstance(size, int) or window.plain:
            return window.size(size) if isinstance(size, int) else size
        length = ir.AffineDimExpr.get(0) * window.step + (window.length - window.step)
        return apply_map(ir.AffineMap.get(1, 0, [length]), size)

    def _size(self, axis: int) -> int | ir.Value:
        """Iterations along ``axis``: the chunk, or what is left of the range."""
        extent, count, chunk = self.group.extents[axis], self.group.counts[axis], self.chunks[axis]
        if count is None and extent % chunk == 0:
            return chunk
        at = ir.AffineDimExpr.get(0)
        left = ir.AffineSymbolExpr.get(0) - at if count is not None else at * -1 + extent
        symbols = [value for value in (count, chunk) if isinstance(value, ir.Value)]
        whole = ir.AffineConstantExpr.get(chunk) if isinstance(chunk, int) else ir.AffineSymbolExpr.get(1)
        map_ = ir.AffineMap.get(1, len(symbols), [whole, left])
        operands = [self.offsets[axis], *symbols]
        return ir.Operation.create("affine.min", results=[ir.IndexType.get()], operands=operands,
                                   attributes={"map": ir.AffineMapAttr.get(map_)}).result


def _cut(member: Member, position: int) -> tuple[tuple[Window | None, ...], tuple[int, ...]]:
    """The windows of operand ``position`` of ``member`` along each dimension, and the loops that are split."""
    windows = member.nest.windows[position]
    return tuple(w if w and w.loop in member.loops else None for w in windows), tuple(member.loops)


def apply_map(map_: ir.AffineMap, value: ir.Value) -> ir.Value:
    """``map_`` applied to one number."""
    return ir.Operation.create("affine.apply", results=[ir.IndexType.get()], operands=[value],
                               attributes={"map": ir.AffineMapAttr.get(map_)}).result


def shift_indices(op: ir.Operation, offsets: Mapping[int, ir.Value]) -> None:
    """The body of ``op`` counts from the start of a slice: add ``offsets``, where it starts along each cut loop."""
    for view in list(op.regions[0].blocks[0].operations):
        if view.operation.name != "linalg.index":
            continue
        loop = ir.IntegerAttr(view.operation.attributes["dim"]).value
        if loop in offsets:
            users = [(use.owner.operation, use.operand_number) for use in view.operation.results[0].uses]
            with ir.InsertionPoint.after(view.operation):
                shifted = arith.addi(view.operation.results[0], offsets[loop])
            for user, number in users:
                user.operands[number] = shifted


def static_size(number: int | ir.Value) -> int:
    """``number`` as an entry of a slice's static sizes or offsets."""
    return number if isinstance(number, int) else DYNAMIC


def values_of(numbers: Sequence[int | ir.Value]) -> list[ir.Value]:
    """The values among ``numbers``: the dynamic sizes or offsets of a slice."""
    return [number for number in numbers if not isinstance(number, int)]
