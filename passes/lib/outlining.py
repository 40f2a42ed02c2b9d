"""Outlines code into a function. Values defined outside become arguments.

Cheap operations are cloned inside: a view, so that its base buffer is passed and the view keeps its static shape; a
mask, because a task's arguments go through memory and LLVM's Hexagon target cannot store a vector of i1. A slot of the
TCM arena is passed as a pointer of its own, so that LLVM knows in the callee too that it aliases nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hexagon_mlir.dialects import tcm_slots
from hexagon_mlir.ir import func, ir, memref
from hexagon_mlir.ir.buffers import VIEWS

_REPEATED = frozenset({
    "arith.constant", "memref.subview", "memref.view", "memref.cast", "memref.reinterpret_cast",
    "memref.collapse_shape", "memref.expand_shape", "memref.dim", "affine.apply", "affine.min", "affine.max",
    "ub.poison", "vector.broadcast", "vector.step",
})
_MASKS = frozenset({"arith.cmpi", "arith.cmpf", "arith.andi", "arith.ori", "arith.xori", "vector.create_mask"})
_MOVED = VIEWS - {"memref.assume_alignment"}
_FRESH = frozenset({"memref.alloc", "func.call"})
"""Operations whose result aliases nothing: see `hexagon-memory-lowering` for the calls."""
_NOALIAS, _ALIGN = "llvm.noalias", "llvm.align"
NOCAPTURE = "llvm.nocapture"
"""Argument attribute: the function does not capture the buffer's address."""


class Outlined:
    """A private function under construction; enter it with ``with outlined.body():``."""

    def __init__(self, name: str, used: Iterable[ir.Value], numbers: int, before: ir.Operation,
                 repeated: frozenset[str] = _REPEATED, aligned: bool = False):
        """``used`` are values from outside, ``numbers`` the count of leading index arguments, ``repeated`` the
        operations cheap enough to be cloned inside.

        ``aligned``: the alignment of aligned buffers is asserted inside, for later passes."""
        roots, chain = trace(used, repeated)
        index = ir.IndexType.get()
        self.passed: list[ir.Value] = []  # what the caller passes
        rebuild: list[tuple[ir.Value, int]] = []
        with ir.InsertionPoint(before):
            for root in roots:
                rebuild.append((root, len(self.passed)))
                self.passed += _parts(root)
        types = [*[index] * numbers, *[v.type for v in self.passed]]
        with ir.InsertionPoint(_enclosing_function(before)):
            self.function = func.FuncOp(name, (types, []), visibility="private")
        self._mark_fresh(rebuild, numbers)
        entry = self.function.add_entry_block()
        self.numbers = list(entry.arguments)[:numbers]
        self.inside: dict[ir.Value, ir.Value] = {}
        with ir.InsertionPoint(entry):
            for root, first in rebuild:
                parts = list(entry.arguments)[numbers + first:]
                self.inside[root] = _rebuilt(root.type, parts)
                alignment = _known(root).get(_ALIGN) if aligned and isinstance(root.type, ir.MemRefType) else None
                if alignment is not None:
                    self.inside[root] = memref.AssumeAlignmentOp(
                        self.inside[root], ir.IntegerAttr(alignment).value).result
            for op in chain:
                copy = op.clone()
                rename(copy.operation, self.inside)
                for old, new in zip(op.results, copy.operation.results, strict=True):
                    self.inside[old] = new

    def body(self) -> ir.InsertionPoint:
        """Where to write the code."""
        return ir.InsertionPoint(self.function.entry_block)

    def call(self, numbers: Sequence[ir.Value]) -> None:
        """Call the function at the current insertion point."""
        func.CallOp([], ir.FlatSymbolRefAttr.get(self.function.sym_name.value), [*numbers, *self.passed])

    def promise(self, attribute: str) -> None:
        """Add the unit ``attribute`` to every buffer argument."""
        types = ir.FunctionType(self.function.attributes["function_type"].value).inputs
        given = [{a.name: a.attr for a in ir.DictAttr(one)} for one in self.function.attributes["arg_attrs"]]
        self.function.attributes["arg_attrs"] = ir.ArrayAttr.get([ir.DictAttr.get(
            {**one, attribute: ir.UnitAttr.get()} if isinstance(type_, ir.MemRefType) else one)
            for one, type_ in zip(given, types, strict=True)])

    def _mark_fresh(self, rebuild: Sequence[tuple[ir.Value, int]], numbers: int) -> None:
        """Annotate the buffers that alias nothing, and their alignment: LLVM knows both only where a buffer is
        allocated."""
        attributes = [ir.DictAttr.get({})] * (numbers + len(self.passed))
        buffers = [_buffer(root) for root, _ in rebuild]
        for (root, first), buffer in zip(rebuild, buffers, strict=True):
            if isinstance(root.type, ir.MemRefType):
                known = _known(buffer)
                if buffer != root:  # a view: it has an offset, and other views may alias it
                    known = {_NOALIAS: known[_NOALIAS]} if _NOALIAS in known and buffers.count(buffer) == 1 else {}
                attributes[numbers + first] = ir.DictAttr.get(known)
        self.function.attributes["arg_attrs"] = ir.ArrayAttr.get(attributes)


def trace(used: Iterable[ir.Value], repeated: frozenset[str] = _REPEATED) -> tuple[list[ir.Value], list[ir.Operation]]:
    """How a function gets ``used``: the values passed to it, and the ``repeated`` operations in order."""
    roots: dict[ir.Value, None] = {}
    chain: dict[ir.Operation, None] = {}

    def follow(value: ir.Value) -> None:
        op = None if isinstance(value.owner, ir.Block) else value.owner.operation
        if op is None or not (op.name in repeated or _is_mask(op)) or tcm_slots.is_slot(op):
            roots[value] = None
        elif op not in chain:
            for operand in op.operands:
                follow(operand)
            chain[op] = None

    for value in used:
        follow(value)
    return list(roots), list(chain)


def _is_mask(op: ir.Operation) -> bool:
    """True for arithmetic that gives a vector of i1."""
    return (op.name in _MASKS and isinstance(made := op.results[0].type, ir.VectorType)
            and str(made.element_type) == "i1")


def _buffer(value: ir.Value) -> ir.Value:
    """The slot, allocation or argument that ``value`` is, or is a view of."""
    while isinstance(value.type, ir.MemRefType) and not isinstance(value.owner, ir.Block) \
            and value.owner.operation.name in _MOVED and not tcm_slots.is_slot(value.owner.operation):
        value = value.owner.operation.operands[0]
    return value


def _known(buffer: ir.Value) -> dict[str, ir.Attribute]:
    """The LLVM argument attributes of a pointer to ``buffer``."""
    if isinstance(buffer.owner, ir.Block):
        return _promised(buffer)
    op = buffer.owner.operation
    if op.name == "memref.assume_alignment":
        return {**_known(op.operands[0]), _ALIGN: _number(ir.IntegerAttr(op.attributes["alignment"]).value)}
    slot = tcm_slots.is_slot(op) and op.name == "memref.view"
    if op.name not in _FRESH and not slot:
        return {}
    known: dict[str, ir.Attribute] = {_NOALIAS: ir.UnitAttr.get()}
    arena = op.operands[0].owner if slot else op  # slots are aligned as their arena is
    maker = None if isinstance(arena, ir.Block) else arena.operation
    if maker is not None and "alignment" in maker.attributes:
        known[_ALIGN] = maker.attributes["alignment"]
    return known


def _promised(argument: ir.Value) -> dict[str, ir.Attribute]:
    """The same for an argument of the function: what its caller promises."""
    owner = argument.owner.owner.operation
    if owner.name != "func.func" or "arg_attrs" not in owner.attributes:
        return {}
    given = ir.DictAttr(ir.ArrayAttr(owner.attributes["arg_attrs"])[ir.BlockArgument(argument).arg_number])
    return {name: given[name] for name in (_NOALIAS, _ALIGN) if name in given}


def _number(value: int) -> ir.Attribute:
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(64), value)


def values_from_outside(op: ir.Operation) -> list[ir.Value]:
    """What the regions of ``op`` use but do not define, each once, in order."""
    if not len(op.regions):
        return []
    defined: set[ir.Value] = set()
    used: list[ir.Value] = []
    advance = ir.WalkResult.ADVANCE

    def visit(inner: ir.Operation) -> ir.WalkResult:
        used.extend(inner.operands)
        defined.update(inner.results)
        if len(regions := inner.regions):
            defined.update(argument for region in regions for block in region.blocks for argument in block.arguments)
        return advance

    op.walk(visit, ir.WalkOrder.PRE_ORDER)
    return [value for value in dict.fromkeys(used[len(op.operands):]) if value not in defined]  # defined inside


def rename(op: ir.Operation, map_: dict[ir.Value, ir.Value]) -> None:
    """Replace the operands of ``op`` as ``map_`` has them."""
    operands = op.operands
    for position, operand in enumerate(operands):
        if operand in map_:
            operands[position] = map_[operand]


def _parts(value: ir.Value) -> list[ir.Value]:
    """``value`` as arguments of a function with bare pointers: a buffer of dynamic shape as pointer, offset, sizes and
    strides."""
    if not isinstance(value.type, ir.MemRefType) or _plain(value.type):
        return [value]
    metadata = memref.ExtractStridedMetadataOp(value)
    sizes, strides = _dynamic(value.type)
    rank = value.type.rank
    results = list(metadata.results)
    return [results[0], results[1], *[results[2 + d] for d in sizes], *[results[2 + rank + d] for d in strides]]


def _rebuilt(type_: ir.Type, parts: list[ir.Value]) -> ir.Value:
    """The inverse of `_parts`; consumes the first of ``parts``."""
    if not isinstance(type_, ir.MemRefType) or _plain(type_):
        return parts[0]
    sizes, strides = _dynamic(type_)
    unknown = ir.ShapedType.get_dynamic_size()
    static_strides = [unknown if d in strides else s for d, s in enumerate(type_.get_strides_and_offset()[0])]
    static_sizes = [unknown if d in sizes else s for d, s in enumerate(type_.shape)]
    offset = type_.get_strides_and_offset()[1]
    dynamic_offset = offset == ir.ShapedType.get_dynamic_stride_or_offset()
    values, last = parts[2:2 + len(sizes)], 2 + len(sizes)
    return memref.ReinterpretCastOp(
        type_, parts[0], [parts[1]] if dynamic_offset else [], values, parts[last:last + len(strides)],
        [unknown if dynamic_offset else offset], static_sizes, static_strides).result


def _plain(type_: ir.MemRefType) -> bool:
    """True for a contiguous buffer of static shape: one pointer describes it."""
    identity = ir.AffineMapAttr.get(ir.AffineMap.get_identity(type_.rank))
    return type_.has_static_shape and type_.layout == identity


def _dynamic(type_: ir.MemRefType) -> tuple[list[int], list[int]]:
    """Dimensions whose size, and whose stride, is unknown."""
    unknown = ir.ShapedType.get_dynamic_stride_or_offset()
    strides = type_.get_strides_and_offset()[0]
    return ([d for d in range(type_.rank) if type_.is_dynamic_dim(d)],
            [d for d in range(type_.rank) if strides[d] == unknown])


def _enclosing_function(op: ir.Operation) -> ir.Operation:
    while op.name != "func.func":
        op = op.parent.operation
    return op
