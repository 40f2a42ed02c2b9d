"""Contractions on buffers, read into plain records: which loops index which operand, and what the body computes.

A contraction here is ``out[p] = combine(out[p], value)`` over parallel loops p and reduction loops r, where ``value``
is a product of two inputs (matrix products, convolutions) or one input (pooling), each widened if need be. Indices are
sums of loop indices times constants: ``image[ow * 2 + kw]``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from hexagon_mlir.ir import ir
from hexagon_mlir.ir.bounds import size_bound
from hexagon_mlir.passes.lib.loop_nests import COMBINERS, Unsupported, element_bits, split_operands

_WIDENING = frozenset({"arith.extf", "arith.extsi", "arith.extui"})
_PRODUCTS = frozenset({"arith.mulf", "arith.muli"})


@dataclass(frozen=True)
class Index:
    """``constant + sum(factor * loop)`` over ``terms``, pairs of loop and factor."""

    terms: tuple[tuple[int, int], ...]
    constant: int = 0

    def factor(self, loop: int) -> int:
        """The coefficient of ``loop``."""
        return dict(self.terms).get(loop, 0)

    @property
    def plain(self) -> int | None:
        """The loop this index is, or None."""
        return self.terms[0][0] if len(self.terms) == 1 and self.terms[0][1] == 1 and not self.constant else None


@dataclass(frozen=True)
class OperandAccess:
    """One operand: ``indices`` for its dimensions; ``dense`` means that its last dimension has stride 1."""

    indices: tuple[Index, ...]
    bits: int
    dense: bool

    @cached_property
    def loops(self) -> frozenset[int]:
        """The loops that the element depends on."""
        return frozenset(loop for index in self.indices for loop, factor in index.terms if factor)

    def uses(self, loop: int) -> bool:
        """True when the element depends on ``loop``."""
        return loop in self.loops

    def walks(self, loop: int) -> bool:
        """True when the element is contiguous along ``loop``."""
        return (self.dense and bool(self.indices) and self.indices[-1].factor(loop) == 1
                and not any(index.factor(loop) for index in self.indices[:-1]))


@dataclass(frozen=True)
class Contraction:
    """``extents`` are trip counts (None: only known at run time). ``inputs`` are the operands whose values are read; an
    input that only gives a shape (the window of a pooling) is not among them.
    """

    extents: tuple[int | None, ...]
    reduction: tuple[bool, ...]
    accesses: tuple[OperandAccess, ...]
    """By operand number, the output last."""
    inputs: tuple[int, ...]
    combiner: str
    narrowest_bits: int
    bounds: tuple[int | None, ...] = ()
    """Upper bounds of the dynamic trip counts; empty when none is known."""

    def most(self, loop: int) -> int | None:
        """Trips of ``loop``, or the most it can have; None when nothing is known."""
        extent = self.extents[loop]
        return self.bounds[loop] if extent is None and self.bounds else extent

    @property
    def output(self) -> OperandAccess:
        """The output's access."""
        return self.accesses[-1]

    @property
    def widening(self) -> int:
        """Ratio of the accumulators' width to that of the narrowest input."""
        return self.output.bits // self.narrowest_bits

    @property
    def is_strided(self) -> bool:
        """True when some index is not a plain loop index: a convolution or a pooling."""
        return any(index.plain is None for access in self.accesses for index in access.indices if index.terms)


@dataclass(frozen=True)
class Body:
    """The operations of a contraction: ``widen[i]`` widens ``inputs[i]`` (or is None)."""

    widen: tuple[ir.Operation | None, ...]
    product: ir.Operation | None
    combine: ir.Operation


def read_contraction(op: ir.Operation) -> tuple[Contraction, Body]:
    """What the linalg.generic ``op`` computes; raises `Unsupported` when it is no contraction."""
    inputs, outputs = split_operands(op)
    if len(outputs) != 1:
        raise Unsupported("several results")
    iterators = [str(a) for a in op.attributes["iterator_types"]]
    reduction = tuple("reduction" in text for text in iterators)
    if not any(reduction):
        raise Unsupported("no reduction")
    numbers, body = _read_body(op, len(inputs))
    values = [*inputs, *outputs]
    maps = [ir.AffineMapAttr(a).value for a in op.attributes["indexing_maps"]]
    accesses = tuple(access_of(value, map_) for value, map_ in zip(values, maps, strict=True))
    if any(map(runs_backwards, values)):
        raise Unsupported("an operand runs backwards in memory")
    bits = [accesses[n].bits for n in (*numbers, len(values) - 1)]
    return Contraction(_extents(reduction, accesses, values), reduction, accesses, numbers, body.combine.name,
                       min(bits), _bounds(len(reduction), accesses, values)), body


def runs_backwards(value: ir.Value) -> bool:
    """Whether a stride of the buffer ``value`` is known to be negative: upstream's verifier rejects vector accesses to
    it."""
    unknown = ir.ShapedType.get_dynamic_stride_or_offset()
    return any(stride < 0 and stride != unknown for stride in value.type.get_strides_and_offset()[0])


def multiplies_and_adds(op: ir.Operation) -> bool:
    """True when the body of linalg op ``op``, on tensors or buffers, is that of a contraction."""
    try:
        return len(op.results) < 2 and _read_body(op, len(split_operands(op)[0]))[1].product is not None
    except Unsupported:
        return False


def access_of(value: ir.Value, map_: ir.AffineMap) -> OperandAccess:
    """How ``map_`` reads the buffer ``value``; raises `Unsupported` for what is no sum of loop indices."""
    if not isinstance(value.type, ir.MemRefType):
        raise Unsupported(f"operand of type {value.type}")
    strides, _ = value.type.get_strides_and_offset()
    return OperandAccess(tuple(read_index(result) for result in map_.results), element_bits(value.type.element_type),
                  bool(strides) and strides[-1] == 1)


def read_index(expression: ir.AffineExpr) -> Index:
    """The sum of loops that ``expression`` is; raises `Unsupported` for any other."""
    if isinstance(expression, ir.AffineDimExpr):
        return Index(((expression.position, 1),))
    if isinstance(expression, ir.AffineConstantExpr):
        return Index((), expression.value)
    if isinstance(expression, ir.AffineAddExpr):
        left, right = read_index(expression.lhs), read_index(expression.rhs)
        loops = sorted({loop for loop, _ in left.terms + right.terms})
        return Index(tuple((loop, left.factor(loop) + right.factor(loop)) for loop in loops),
                     left.constant + right.constant)
    if isinstance(expression, ir.AffineMulExpr):
        for inner, factor in ((expression.lhs, expression.rhs), (expression.rhs, expression.lhs)):
            if isinstance(factor, ir.AffineConstantExpr):
                index = read_index(inner)
                return Index(tuple((loop, f * factor.value) for loop, f in index.terms),
                             index.constant * factor.value)
    raise Unsupported(f"index expression {expression} is not a sum of loop indices")


def _extents(reduction: tuple[bool, ...], accesses: tuple[OperandAccess, ...],
             values: list[ir.Value]) -> tuple[int | None, ...]:
    known: dict[int, int | None] = {}
    for access, value in zip(accesses, values, strict=True):
        for dim, index in enumerate(access.indices):
            if index.plain is not None and known.get(index.plain) is None:
                known[index.plain] = None if value.type.is_dynamic_dim(dim) else value.type.shape[dim]
    missing = [loop for loop in range(len(reduction)) if loop not in known]
    if missing:
        raise Unsupported(f"no operand tells the length of loop {missing[0]}")
    return tuple(known[loop] for loop in range(len(reduction)))


def _bounds(loops: int, accesses: tuple[OperandAccess, ...], values: list[ir.Value]) -> tuple[int | None, ...]:
    known: dict[int, int] = {}
    for access, value in zip(accesses, values, strict=True):
        for dim, index in enumerate(access.indices):
            bound = None if index.plain is None else size_bound(value, dim)
            if index.plain is not None and bound is not None:
                known[index.plain] = min(bound, known.get(index.plain, bound))
    return tuple(known.get(loop) for loop in range(loops))


def _read_body(op: ir.Operation, inputs: int) -> tuple[tuple[int, ...], Body]:
    """Numbers of the inputs whose values are read, and the body."""
    block = op.regions[0].blocks[0]
    *operations, last = [o.operation for o in block.operations]
    combine = _maker(last.operands[0], block)
    if combine is None or combine.name not in COMBINERS or len(combine.operands) != 2:
        raise Unsupported("the body is no known reduction")
    old = block.arguments[inputs]
    values = [v for v in combine.operands if v != old]
    if len(values) != 1:
        raise Unsupported("the body is no known reduction")
    product = _maker(values[0], block)
    if product is not None and product.name in _PRODUCTS:
        numbers, widen = zip(*(_factor(v, block) for v in product.operands), strict=True)
    else:
        product = None
        numbers, widen = zip(_factor(values[0], block), strict=True)
    used = [combine, *([product] if product is not None else []), *(w for w in widen if w is not None)]
    if len(set(used)) != len(operations) or inputs in numbers:
        raise Unsupported("the body does more than multiply and add")
    return tuple(numbers), Body(tuple(widen), product, combine)


def _factor(value: ir.Value, block: ir.Block) -> tuple[int, ir.Operation | None]:
    """Number of the block argument that ``value`` is, and the operation that widened it."""
    maker = _maker(value, block)
    if maker is not None and maker.name in _WIDENING:
        return _factor(maker.operands[0], block)[0], maker
    if not isinstance(value.owner, ir.Block) or value.owner != block:
        raise Unsupported("the body does more than multiply and add")
    return ir.BlockArgument(value).arg_number, None


def _maker(value: ir.Value, block: ir.Block) -> ir.Operation | None:
    return None if isinstance(value.owner, ir.Block) else value.owner.operation
