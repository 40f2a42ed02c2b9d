"""Moves a kernel's own buffers to TCM when all of them fit."""

from __future__ import annotations

from dataclasses import dataclass, field

from hexagon_mlir.dialects.programs import has_order
from hexagon_mlir.ir import bufferization, ir
from hexagon_mlir.ir.buffers import set_space
from hexagon_mlir.ir.query import TCM_SPACE, in_tcm, memory_space, ops_named, static_bytes
from hexagon_mlir.passes.lib.loop_nests import has_lanes
from hexagon_mlir.passes.lib.vector_loop import takes_scalars
from hexagon_mlir.passes.tcm_tiling.promote import initial, tcm_empty

_VIEWS = frozenset({"tensor.extract_slice", "tensor.expand_shape", "tensor.collapse_shape", "tensor.cast"})


@dataclass
class Placement:
    """What was decided: ``refused`` buffers with reasons; `reads_ddr` is derived from it."""

    placed: bool
    refused: list[tuple[ir.Operation, str]] = field(default_factory=list)

    def reads_ddr(self, op: ir.Operation) -> bool:
        """True when a large operand of ``op`` is, or will be, a buffer in DDR."""
        return any(self.wants_tcm(op, position) for position in range(len(op.operands)))

    def wants_tcm(self, op: ir.Operation, operand: int) -> bool:
        """True when ``operand`` of ``op`` is a tensor in DDR that is read in vectors."""
        value = op.operands[operand]
        return (isinstance(value.type, ir.RankedTensorType) and self.in_ddr(value)
                and not takes_scalars(op, operand))

    def in_ddr(self, value: ir.Value) -> bool:
        """True when tensor ``value`` is, or will be, a buffer in DDR."""
        owner = value.owner
        while isinstance(owner, ir.OpView) and owner.operation.name in _VIEWS:
            value = owner.operation.operands[0]
            owner = value.owner
        if (start := initial(value)) is not None:  # a carried value is where its initial value is
            return self.in_ddr(start)
        if isinstance(owner, ir.Block):
            return bool(owner.owner.operation.name == "func.func")
        name = owner.operation.name
        if name == "bufferization.to_tensor":
            buffer = owner.operation.operands[0]
            own = isinstance(buffer.owner, ir.OpView) and buffer.owner.operation.name == "memref.alloc"
            return not (own and self.placed) and not in_tcm(ir.MemRefType(buffer.type))
        if name == "arith.constant":
            return True
        if name == "tensor.insert_slice":
            return self.in_ddr(owner.operation.operands[1])
        if name.startswith("linalg."):  # in the place of its destination
            outputs = len(owner.operation.results)
            return self.in_ddr(owner.operation.operands[len(owner.operation.operands) - outputs
                                                        + ir.OpResult(value).result_number])
        return not self.placed and name != "bufferization.alloc_tensor"


def has_own_buffers(function: ir.Operation) -> bool:
    """True for a Triton kernel, and for other functions that allocate buffers as one does."""
    return has_order(function) or bool(ops_named(function, "memref.alloc"))


def place_buffers(function: ir.Operation, budget: int, small: int, alignment: int) -> Placement:
    """Move load buffers (memref.alloc) and fresh results (tensor.empty) to TCM if together they fit ``budget``.

    Buffers below ``small`` bytes, results of reductions along the last loop, operands of ops without vectors (i64) and
    buffers that are stored with gaps are accessed element by element, which is slow in TCM: they stay in cached DDR.
    """
    buffers, total = _buffers(function, small), buffer_bytes(function, small, alignment)
    if total > budget:
        first = buffers[0][0]
        return Placement(False, [(first, f"the kernel's buffers take {total} bytes, the budget is {budget}: "
                                         "they stay in DDR and ops are tiled")])
    for op, _ in buffers:
        with op.location, ir.InsertionPoint(op):
            if op.name == "tensor.empty":
                op.results[0].replace_all_uses_with(_fresh(op))
                op.erase()
            else:
                set_space(op.results[0], TCM_SPACE)
    return Placement(True)


def buffer_bytes(function: ir.Operation, small: int, alignment: int) -> int:
    """Total bytes of the buffers that `place_buffers` moves to TCM."""
    return sum(-(-size // alignment) * alignment for _, size in _buffers(function, small))


def _fresh(op: ir.Operation) -> ir.Value:
    sizes = list(op.operands)
    if not sizes:
        return tcm_empty(op.results[0])
    return bufferization.AllocTensorOp(op.results[0].type, sizes, memory_space=memory_space(TCM_SPACE)).result


def _buffers(function: ir.Operation, small: int) -> list[tuple[ir.Operation, int]]:
    found = []
    for op in ops_named(function, "tensor.empty", "memref.alloc"):
        size = static_bytes(op.results[0].type)
        if size is not None and size >= small and not _read_by_element(op):
            found.append((op, size))
    return found


def _read_by_element(op: ir.Operation) -> bool:
    """True when a loop or a linalg op reads scalars, not vectors, from the buffer that ``op`` makes.

    The vectorized loop will be the last one of the op's output, or the last reduction when there is none; an operand
    that this loop does not index is read one element at a time.
    """
    pending, seen = [op.results[0]], 0
    while seen < len(pending):
        for use in pending[seen].uses:
            user = use.owner.operation
            if user.name in _VIEWS or user.name in ("bufferization.to_tensor", "tensor.insert_slice"):
                pending += list(user.results)
            elif user.name.startswith("linalg.") and len(user.results):
                if takes_scalars(user, use.operand_number) or not _has_vectors(user):
                    return True
                output = use.operand_number - (len(user.operands) - len(user.results))
                if output >= 0:  # another op computes in this buffer: its readers count too
                    pending.append(user.results[output])
            elif (user.name == "tensor.extract" and _in_loop(user)) or _stores_with_gaps(user):
                return True
        seen += 1
    return False


def _has_vectors(op: ir.Operation) -> bool:
    """True when the elements of every operand of linalg op ``op`` fit the lanes of vectors."""
    return all(has_lanes(ir.ShapedType(v.type).element_type if isinstance(v.type, ir.ShapedType) else v.type)
               for v in op.operands)


def _stores_with_gaps(op: ir.Operation) -> bool:
    """True for a store to elements that are not contiguous in memory."""
    if op.name != "bufferization.materialize_in_destination":
        return False
    target = op.operands[1].type
    return isinstance(target, ir.MemRefType) and target.get_strides_and_offset()[0][-1:] not in ([], [1])


def _in_loop(op: ir.Operation) -> bool:
    """True for an operation under a loop, not counting those of linalg ops."""
    while op.name != "func.func" and not op.name.startswith("linalg."):
        if op.name in ("scf.for", "scf.while"):
            return True
        op = op.parent.operation
    return False
