"""Factors whose vectors would have to be gathered, as in ``x @ w.T``: copied with the vectorized loop innermost."""

from __future__ import annotations

from math import ceil, prod

from hexagon_mlir.ir import ir, linalg, memref
from hexagon_mlir.ir.cost import trip_count
from hexagon_mlir.ir.query import TCM_SPACE, element_bytes, in_tcm, memory_space
from hexagon_mlir.passes.contraction.packing import Packing, place_of_packing
from hexagon_mlir.passes.contraction.word_factors import with_one_reduction
from hexagon_mlir.passes.lib.contractions import Contraction

_LEAST_ROWS = 8  # a copy that at least so many rows read pays
_LEAST_LANES = 8  # of the copy: for a shorter loop `hexagon-vectorization` vectorizes the reduction
_MANY = 1 << 30
_WORD_BITS = 32


def may_contract(op: ir.Operation) -> bool:
    """True for a linalg.generic on buffers that reduces at least two inputs."""
    return (len(op.results) == 0 and len(op.operands) > 2
            and any("reduction" in str(a) for a in op.attributes["iterator_types"]))


def transposed_factor(contraction: Contraction) -> tuple[int, int, int] | None:
    """The input to copy, the loop that is to be contiguous in the copy, and the rows that read it; None when none
    fits."""
    if len(contraction.inputs) != 2 or contraction.is_strided or with_one_reduction(contraction) is not None:
        return None
    for loop, is_reduction in enumerate(contraction.reduction):
        users = [i for i in contraction.inputs if contraction.accesses[i].uses(loop)]
        if is_reduction or not contraction.output.walks(loop) or len(users) != 1:
            continue
        access = contraction.accesses[users[0]]
        loops = [index.plain for index in access.indices]
        known = all(of is not None and contraction.extents[of] is not None for of in loops)
        if known and access.dense and not access.walks(loop) and len(set(loops)) == len(loops) and not _in_reductions(
                contraction, loop):
            rows = prod(_MANY if extent is None else extent for other, extent in enumerate(contraction.extents)
                        if not contraction.reduction[other] and not access.uses(other))
            return users[0], loop, rows
    return None


def _in_reductions(contraction: Contraction, loop: int) -> bool:
    """Whether the lanes of a copy along ``loop`` would be few, while both factors are contiguous along a reduction."""
    length = contraction.extents[loop]
    return length is not None and length < _LEAST_LANES and any(
        reduces and all(contraction.accesses[i].walks(other) for i in contraction.inputs)
        for other, reduces in enumerate(contraction.reduction))


def scattered_factor(contraction: Contraction, op: ir.Operation) -> tuple[int, int, int] | None:
    """As `transposed_factor`, a factor of words in TCM of which each element is broadcast to a vector, and whose
    neighbours belong to other rows of the result: with a reduction innermost, vectors of them are loaded. A scalar load
    from TCM stalls the core."""
    if len(contraction.inputs) != 2 or contraction.is_strided:
        return None
    for loop, is_reduction in enumerate(contraction.reduction):
        if not is_reduction:
            continue
        for i in contraction.inputs:
            access = contraction.accesses[i]
            loops = [index.plain for index in access.indices]
            if None in loops or not access.dense or not access.uses(loop) or contraction.reduction[loops[-1]]:
                continue
            if access.bits != _WORD_BITS or not in_tcm(ir.MemRefType(op.operands[i].type)):
                continue
            along = [other for other, reduces in enumerate(contraction.reduction)
                     if not reduces and contraction.output.walks(other)]
            if any(access.uses(other) for other in along) or len(set(loops)) < len(loops):
                continue
            if all(contraction.extents[of] is not None for of in loops if of is not None):
                columns = prod(contraction.extents[other] or _MANY for other in along)
                return i, loop, columns
    return None


def straighten(op: ir.Operation, operand: int, loop: int, rows: int, vector_bytes: int,
               shared: list[Packing], few: int = 0) -> ir.Operation | None:
    """An op like ``op`` that reads a copy of ``operand`` with ``loop`` innermost, inserted before ``op``; the caller
    erases ``op``.

    None when the copy would serve too few ``rows``, or no more than ``few`` in all iterations of the loops around that
    share it.
    """
    source = op.operands[operand]
    around = place_of_packing(op, source)
    if (around is None and rows < _LEAST_ROWS) or rows * _trips(op, around) <= few:
        return None
    map_ = ir.AffineMapAttr(op.attributes["indexing_maps"][operand]).value
    dims = [ir.AffineDimExpr(result).position for result in map_.results]
    order = [*(d for d in range(len(dims)) if dims[d] != loop), dims.index(loop)]
    place, form = around or op, ("transposed", *order)
    copy = next((p.buffer for p in shared if p.source == source and p.place == place and p.form == form), None)
    if copy is None:
        copy = _transpose(source, order, place, vector_bytes)
        if around is not None:  # ``op`` is erased: later contractions could not find a copy made before it
            shared.append(Packing(source, place, form, copy))
    with ir.InsertionPoint(op):
        new = op.clone().operation
    new.operands[operand] = copy
    maps = list(ir.ArrayAttr(op.attributes["indexing_maps"]))
    maps[operand] = ir.AffineMapAttr.get(ir.AffineMap.get(map_.n_dims, 0, [map_.results[d] for d in order]))
    new.attributes["indexing_maps"] = ir.ArrayAttr.get(maps)
    return new


def _trips(op: ir.Operation, around: ir.Operation | None) -> int:
    """Iterations of the loops from ``around`` to ``op``; many where they are not known."""
    trips = 1
    while around is not None and op != around:
        op = op.parent.operation
        if op.name != "scf.if":
            trips *= trip_count(op) or _MANY
    return trips


def _transpose(source: ir.Value, order: list[int], place: ir.Operation, vector_bytes: int) -> ir.Value:
    """``source`` with its dimensions in ``order``, in TCM around ``place``; its rows are padded to whole vectors."""
    type_ = ir.MemRefType(source.type)
    shape = [type_.shape[d] for d in order]
    lanes = vector_bytes // element_bytes(type_.element_type)
    padded = [*shape[:-1], ceil(shape[-1] / lanes) * lanes]
    with place.location, ir.InsertionPoint(place):
        space = memory_space(TCM_SPACE)
        buffer = memref.alloc(ir.MemRefType.get(padded, type_.element_type, memory_space=space), [], [])
        zeros, ones = [0] * len(shape), [1] * len(shape)
        copy = memref.subview(buffer, zeros, shape, ones) if padded != shape else buffer
        linalg.transpose(source, outs=[copy], permutation=order)
    with place.location, ir.InsertionPoint.after(place):
        memref.dealloc(buffer)
    return copy
