"""What `form-virtual-threads` needs to know of a linalg op on tensors, read once into a plain record."""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd, prod

from hexagon_mlir.ir import ir, linalg
from hexagon_mlir.ir.query import element_bytes
from hexagon_mlir.targets import Target

_FREE = frozenset({"arith.constant", "arith.bitcast", "linalg.index", "linalg.yield"})
_LANES = frozenset({"f16", "bf16", "f32", "i8", "i16", "i32", "index"})
_SCALAR_FACTOR = 2
"""A scalar operation of the body: itself and its address arithmetic, in cycles."""


@dataclass(frozen=True)
class Nest:
    """The loops of one op. ``reads[i]`` names the loop that indexes each dimension of operand i, None for anything
    but a plain loop index; operands are inputs, then outputs. ``cycles`` is what one thread takes, estimated."""

    extents: tuple[int, ...]
    parallel: tuple[bool, ...]
    reads: tuple[tuple[int | None, ...], ...]
    outputs: int
    output_bytes: tuple[int, ...]
    """Bytes of one element of each output."""
    cycles: float

    def splittable(self, loop: int) -> bool:
        """True when iterations of ``loop`` are independent and cut every operand they index into plain slices."""
        return self.parallel[loop] and all(loop in dims for dims in self.reads[-self.outputs:])

    def by_vectors(self, operand: int) -> bool:
        """True when vector code walks ``operand``; it takes single elements of the others.

        The vectorized loop is the last one of every operand it indexes; see `passes.vectorization.plan`.
        """
        fitting = [loop for loop in range(len(self.extents)) if all(loop not in dims or dims[-1] == loop
                                                                    for dims in self.reads)]
        vector = max(fitting, key=lambda loop: (self.parallel[loop], self.extents[loop], loop), default=None)
        return vector is not None and vector in self.reads[operand]

    def unit(self, loop: int, output: int, together: int) -> int | None:
        """Fewest iterations of ``loop`` such that what threads write to ``output`` meets at multiples of ``together``.

        In bytes. None when no number does it: columns of rows that themselves do not start there.
        """
        dims = self.reads[len(self.reads) - self.outputs + output]
        extents = [self.extents[dim] if dim is not None else 1 for dim in dims]
        strides = [self.output_bytes[output] * prod(extents[position + 1:]) for position in range(len(dims))]
        at = dims.index(loop)
        if any(strides[outer] % together for outer in range(at) if extents[outer] > 1):
            return None
        return together // gcd(together, strides[at])


def is_linalg(op: ir.Operation) -> bool:
    """True for a structured op on tensors."""
    return op.name.startswith("linalg.") and len(op.regions) == 1 and len(op.results) > 0


def read(op: ir.Operation, target: Target) -> Nest | str:
    """The `Nest` of linalg op ``op``, or why it stays with one thread."""
    maps = [ir.AffineMapAttr(a).value for a in _maps(op)]
    reads: list[tuple[int | None, ...]] = []
    extents: dict[int, int] = {}
    for value, map_ in zip(op.operands, maps, strict=True):
        if not isinstance(value.type, ir.RankedTensorType):
            reads.append(())
            continue
        dims: list[int | None] = []
        for position, result in enumerate(map_.results):
            plain = result.position if isinstance(result, ir.AffineDimExpr) else None
            dims.append(plain)
            if plain is not None:
                if value.type.is_dynamic_dim(position):
                    return "dynamic shape"
                extents[plain] = value.type.shape[position]
        reads.append(tuple(dims))
    loops = maps[0].n_dims
    if len(extents) != loops:
        return "a loop that indexes no operand"
    mixed = {d.position for m in maps for r in m.results if not isinstance(r, ir.AffineDimExpr)
             for d in _dims_of(r)}
    iterators = [str(a) for a in op.attributes["iterator_types"]] if "iterator_types" in op.attributes else None
    parallel = [("parallel" in iterators[loop] if iterators else loop in reads[-1]) and loop not in mixed
                for loop in range(loops)]
    sizes = tuple(extents[loop] for loop in range(loops))
    written = tuple(element_bytes(result.type.element_type) for result in op.results)
    return Nest(sizes, tuple(parallel), tuple(reads), len(op.results), written, _cycles(op, sizes, reads, target))


def _cycles(op: ir.Operation, extents: tuple[int, ...], reads: list[tuple[int | None, ...]], target: Target) -> float:
    """What one thread takes, in cycles: a packet for each operation, load and store of each vector."""
    body = [inner.operation for inner in op.regions[0].blocks[0].operations]
    types = [v.type for inner in body for v in (*inner.operands, *inner.results)]
    operations = sum(inner.name not in _FREE for inner in body)
    moved = sum(1 for dims in reads if dims)
    wide = all(str(t) in _LANES or str(t) == "i1" for t in types)
    if not wide:
        return prod(extents) * (operations + moved) * _SCALAR_FACTOR
    bits = [_bits(t) for t in types if str(t) != "i1"]
    lanes = target.lanes(min(bits, default=32))
    packets = operations * max(bits, default=32) // min(bits, default=32) + moved
    inner = reads[-1][-1] if reads[-1] and reads[-1][-1] is not None else len(extents) - 1
    vectors = prod(-(-n // lanes) if loop == inner else n for loop, n in enumerate(extents))
    return vectors * packets * float(target.hvx_issue_interval_cycles.value)


def _bits(type_: ir.Type) -> int:
    return type_.width if isinstance(type_, ir.IntegerType | ir.FloatType) else 32


def _maps(op: ir.Operation) -> ir.ArrayAttr:
    if "indexing_maps" in op.attributes:
        return ir.ArrayAttr(op.attributes["indexing_maps"])
    return linalg.get_indexing_maps(op)


def _dims_of(expression: ir.AffineExpr) -> list[ir.AffineDimExpr]:
    if isinstance(expression, ir.AffineDimExpr):
        return [expression]
    if isinstance(expression, ir.AffineBinaryExpr):
        return [*_dims_of(expression.lhs), *_dims_of(expression.rhs)]
    return []
