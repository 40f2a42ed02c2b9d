"""Writes one scf.forall for a group: every op of it on its slices, results put together by the loop."""

from __future__ import annotations

from collections.abc import Sequence

from hexagon_mlir.ir import arith, ir, scf, tensor
from hexagon_mlir.passes.virtual_threads.groups import Group, Member, split_dims

_UNWRITTEN = frozenset({"tensor.empty", "bufferization.alloc_tensor"})
DYNAMIC = ir.ShapedType.get_dynamic_size()


class ForallBuilder:
    """Use as ``ForallBuilder(group, chunks).build()``; ``chunks`` are iterations along each axis."""

    def __init__(self, group: Group, chunks: Sequence[int]):
        self.group, self.chunks = group, chunks
        self.place: dict[ir.Value, int] = {}  # a member's result -> which of the loop's results holds it
        self.last: list[ir.Value] = []  # the value each of them has in the end
        self.inside: dict[ir.Value, ir.Value] = {}  # a member's result -> this iteration's slice of it
        self.slices: dict[tuple[ir.Value, tuple[tuple[int, int], ...]], ir.Value] = {}  # of what comes from outside

    def build(self) -> scf.ForallOp:
        """Write the loop before the group's end, and let it replace the members."""
        with self.group.members[-1].op.location, ir.InsertionPoint(self.group.end):
            starts = self._places()
            extents = list(self.group.extents)
            loop = scf.ForallOp([0] * len(extents), extents, list(self.chunks), starts)
            with ir.InsertionPoint(loop.body):
                self.offsets = list(loop.induction_variables)
                self.sizes = [self._size(axis) for axis in range(len(extents))]
                arguments = list(loop.inner_iter_args)
                for member in self.group.members:
                    self._member(member, arguments)
                parallel = scf.InParallelOp()
            with ir.InsertionPoint(parallel.block):
                for value, argument in zip(self.last, arguments, strict=True):
                    self._put(value, argument)
        for value, result in zip(self.last, loop.results, strict=True):
            value.replace_all_uses_with(result)
        for member in reversed(self.group.members):
            member.op.erase()
        return loop

    def _places(self) -> list[ir.Value]:
        """One tensor for each result that is not computed in the place of another one."""
        starts: list[ir.Value] = []
        for member in self.group.members:
            for result, start in zip(member.op.results, _outputs(member), strict=True):
                if start in self.place:
                    self.place[result] = self.place[start]
                    self.last[self.place[start]] = result
                    continue
                self.place[result] = len(starts)
                starts.append(_own(start) if start in starts else start)
                self.last.append(result)
        return starts

    def _member(self, member: Member, arguments: list[ir.Value]) -> None:
        first_output = len(member.op.operands) - len(member.op.results)
        operands = []
        for position, value in enumerate(member.op.operands):
            if value not in self.inside and isinstance(value.type, ir.RankedTensorType):
                if position >= first_output:
                    value = arguments[self.place[member.op.results[position - first_output]]]
                value = self._slice(value, self._cut(member, position))
            operands.append(self.inside.get(value, value))
        copy = member.op.clone().operation
        for position, value in enumerate(operands):
            copy.operands[position] = value
        for number, result in enumerate(copy.results):
            result.set_type(copy.operands[first_output + number].type)
            self.inside[member.op.results[number]] = result
        self._shift_indices(copy, member)

    def _cut(self, member: Member, position: int) -> dict[int, int]:
        """Which dimensions of an operand are cut: dimension -> axis."""
        dims = member.nest.reads[position]
        return {dim: member.loops.index(loop) for dim, loop in enumerate(dims) if loop in member.loops}

    def _slice(self, value: ir.Value, cut: dict[int, int]) -> ir.Value:
        key = value, tuple(cut.items())
        if cut and key not in self.slices:
            offsets, sizes = self._box(value, cut)
            type_ = ir.RankedTensorType.get([_static(s) for s in sizes], value.type.element_type)
            self.slices[key] = tensor.ExtractSliceOp(
                type_, value, _values(offsets), _values(sizes), [], [_static(o) for o in offsets],
                [_static(s) for s in sizes], [1] * len(sizes)).result
        return self.slices[key] if cut else value

    def _put(self, value: ir.Value, into: ir.Value) -> None:
        member = next(m for m in self.group.members if value in list(m.op.results))
        offsets, sizes = self._box(into, {dim: axis for axis, dim in enumerate(split_dims(member, value))})
        tensor.ParallelInsertSliceOp(self.inside[value], into, _values(offsets), _values(sizes), [],
                                     [_static(o) for o in offsets], [_static(s) for s in sizes], [1] * len(sizes))

    def _box(self, value: ir.Value, cut: dict[int, int]) -> tuple[list[int | ir.Value], list[int | ir.Value]]:
        """Offsets and sizes of this iteration's part of ``value``."""
        offsets: list[int | ir.Value] = []
        sizes: list[int | ir.Value] = []
        for dim, size in enumerate(value.type.shape):
            offsets.append(self.offsets[cut[dim]] if dim in cut else 0)
            sizes.append(self.sizes[cut[dim]] if dim in cut else size)
        return offsets, sizes

    def _size(self, axis: int) -> int | ir.Value:
        """Iterations along ``axis``: the chunk, or what is left of the range."""
        extent, chunk = self.group.extents[axis], self.chunks[axis]
        if extent % chunk == 0:
            return chunk
        dim = ir.AffineDimExpr.get(0)
        map_ = ir.AffineMap.get(1, 0, [ir.AffineConstantExpr.get(chunk), dim * -1 + extent])
        return ir.Operation.create("affine.min", results=[ir.IndexType.get()], operands=[self.offsets[axis]],
                                   attributes={"map": ir.AffineMapAttr.get(map_)}).result

    def _shift_indices(self, copy: ir.Operation, member: Member) -> None:
        """The body counts from the start of the slice: add where that is."""
        for view in list(copy.regions[0].blocks[0].operations):
            if view.operation.name != "linalg.index":
                continue
            loop = ir.IntegerAttr(view.operation.attributes["dim"]).value
            if loop in member.loops:
                users = [(use.owner.operation, use.operand_number) for use in view.operation.results[0].uses]
                with ir.InsertionPoint.after(view.operation):
                    shifted = arith.addi(view.operation.results[0], self.offsets[member.loops.index(loop)])
                for user, number in users:
                    user.operands[number] = shifted


def _outputs(member: Member) -> list[ir.Value]:
    return list(member.op.operands)[len(member.op.operands) - len(member.op.results):]


def _own(start: ir.Value) -> ir.Value:
    """A second tensor like ``start``, of which another result takes the first."""
    owner = None if isinstance(start.owner, ir.Block) else start.owner.operation
    copies = owner is not None and owner.name in _UNWRITTEN and not any(v.type == start.type for v in owner.operands)
    return owner.clone().operation.results[0] if owner is not None and copies else start


def _static(number: int | ir.Value) -> int:
    return number if isinstance(number, int) else DYNAMIC


def _values(numbers: Sequence[int | ir.Value]) -> list[ir.Value]:
    return [number for number in numbers if not isinstance(number, int)]
