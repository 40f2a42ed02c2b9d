"""Predicts which loop of a linalg op will be vectorized, and how its operands will be read.

`vector_loop` is the only prediction on tensors; interchange, tiling, placement and threads use it. The strides of
buffers and the lengths of vectors, which `hexagon-vectorization` uses too, are not known there.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from hexagon_mlir.dialects.block_weights import ROW_OPERANDS, code_bits
from hexagon_mlir.ir import get_indexing_maps, ir
from hexagon_mlir.ir.query import element_bytes
from hexagon_mlir.ir.windows import terms_of
from hexagon_mlir.passes.lib.contractions import multiplies_and_adds

_PRODUCT = 3
"""Operands of a product."""
FEW_ROWS = 16
"""Of a left factor whose rows are multiplied with rows: more read a transposed copy of the right one in less time."""
ROWS_TOGETHER = 4
"""Such rows that share the loaded right ones."""
LEAST_DEPTH = 64
"""Elements of such a row: products in two vectors of f32 at least, since lanes are exchanged in the time of two."""
_WORD_DIMS, _WORD_BYTES = 3, 4
"""Of a factor in words of bytes."""


_SCATTERED_ELEMENTS = 1 << 13
"""Measured: the left factor of a product, given as columns; smaller ones take longer to transpose."""


Reads = tuple[int, list[list[int]], list[int]]
"""How many loops a linalg op has, which of them index each operand, and their static extents, else 0."""


def takes_scalars(op: ir.Operation, operand: int, of_op: Reads | None = None) -> bool:
    """True when vectorized code will read ``operand`` of linalg op ``op`` one element at a time; ``of_op`` are its
    `reads_of`, for those who ask about several operands."""
    if code_bits(op):
        return operand < ROW_OPERANDS
    loops, reads, extents = of_op = of_op or reads_of(op)
    loop = vector_loop(loops, reads, extents)
    if loop is None or loop in reads[operand] or spreads(op, operand, of_op):
        return False
    return operand < len(reads) - 1 or few_row_loops(op, loop, reads, extents) is None


def few_row_loops(op: ir.Operation, loop: int | None, reads: Sequence[Sequence[int | None]],
                  extents: Sequence[int]) -> list[int] | None:
    """The loops over the few left rows alone of a product of rows with rows, both contiguous along ``loop``: its
    results are made a vector at a time. None for any other op."""
    if len(reads) != _PRODUCT or not reads[-1] or any(
            not read or read[-1] != loop for read in reads[:_PRODUCT - 1]):
        return None
    columns = [read for read in reads[:_PRODUCT - 1] if reads[-1][-1] in read]
    if len(columns) != 1 or not multiplies_and_adds(op):
        return None
    left = next(read for read in reads[:_PRODUCT - 1] if read is not columns[0])
    rows = [one for one in left if one is not None and one not in columns[0]]
    return rows if 0 < prod(extents[one] for one in rows) <= FEW_ROWS else None


def spreads(op: ir.Operation, operand: int, of_op: Reads | None = None) -> bool:
    """True for a factor of a contraction that is contiguous along a reduction, or that `hexagon-transpose-factors`
    makes so: it is loaded as vectors whose lanes are broadcast. ``of_op`` as in `takes_scalars`."""
    loops, reads, extents = of_op or reads_of(op)
    dims = reads[operand] if reads else []
    inner = [loop for loop in dims if loop not in reads[-1]] if _is_scattered(op, operand, dims, extents) else [
        loop for loop in dims[-1:] if loop not in reads[-1]]
    return (any(sum(loop in r for r in reads) > 1 for loop in inner)
            and vector_loop(loops, reads, extents) not in (None, *dims) and multiplies_and_adds(op))


def _is_scattered(op: ir.Operation, operand: int, dims: Sequence[int], extents: Sequence[int]) -> bool:
    """Whether a matrix of words is so large that its lines leave the cache before all their elements were read."""
    if not dims or len(op.operands) != _PRODUCT:
        return False
    type_ = ir.ShapedType(op.operands[operand].type)
    return (len(dims) == type_.rank and element_bytes(type_.element_type) == _WORD_BYTES
            and prod(extents[loop] for loop in dims) >= _SCATTERED_ELEMENTS)


def reads_of(op: ir.Operation) -> Reads:
    """The loops by which linalg op ``op`` reads its operands; none for one without indexing maps."""
    attributes = indexing_maps(op)
    if attributes is None:
        return 0, [], []
    maps = [ir.AffineMapAttr(a).value for a in attributes]
    written = {loop for result in maps[-1].results for loop in terms_of(result) or ()}
    reads = [[loop for result in map_.results for loop in _order(result, written)] for map_ in maps]
    return maps[0].n_dims, reads, _extents(op, maps)


def _extents(op: ir.Operation, maps: Sequence[ir.AffineMap]) -> list[int]:
    extents = [0] * maps[0].n_dims
    for value, map_ in zip(op.operands, maps, strict=True):
        for dim, result in enumerate(map_.results):
            if isinstance(result, ir.AffineDimExpr) and not value.type.is_dynamic_dim(dim):
                extents[result.position] = value.type.shape[dim]
    return extents


def _order(result: ir.AffineExpr, written: set[int]) -> list[int]:
    """The loops of one index, last the one with unit stride: in a window, the reduction."""
    terms = terms_of(result) or {}
    return sorted(terms, key=lambda loop: (terms[loop] == 1, loop not in written))


def vector_loop(loops: int, reads: Sequence[Sequence[int | None]], extents: Sequence[int] = ()) -> int | None:
    """The loop vectorization will pick: innermost in every operand it indexes, parallel (in the output) if possible,
    then the longest, then the innermost.

    ``reads[i]`` lists the loops that index operand i, the output last; ``extents`` are iterations, 0 where they are not
    known.
    """
    byte = byte_loop(reads, extents)
    whole = reads if byte is None else [[loop for loop in dims if loop != byte] for dims in reads]
    fitting = [loop for loop in range(loops) if loop != byte and all(loop not in r or r[-1] == loop for r in whole)]
    return max(fitting, key=lambda loop: (loop in reads[-1], extents[loop] if extents else 0, loop), default=None)


def byte_loop(reads: Sequence[Sequence[int | None]], extents: Sequence[int]) -> int | None:
    """The loop over the bytes of a word in ``rows[.., k, l] * words[k, n, l]``, l below 4, whose words are the lanes;
    None for an op that is no such product."""
    if len(reads) != _PRODUCT or not extents or not reads[-1]:
        return None
    for rows, words in (reads[:2], reads[1::-1]):
        if len(words) != _WORD_DIMS or len(rows) < _WORD_DIMS - 1 or list(rows[-2:]) != [words[0], words[-1]]:
            continue
        step, column, byte = words
        if byte is not None and extents[byte] == _WORD_BYTES and column == reads[-1][-1] and not {
                step, byte} & set(reads[-1]):
            return byte
    return None


def lane_loop(loops: int, reads: Sequence[Sequence[int | None]], extents: Sequence[int]) -> int | None:
    """The loop along the lanes of an op with one output: as `vector_loop`, except for ``x @ w.T``, where the factor
    that many rows share is transposed and its columns become the lanes.
    """
    vector = vector_loop(loops, reads, extents)
    if vector is None or vector in reads[-1] or not reads[-1]:
        return vector
    column = reads[-1][-1]
    factors = [dims for dims in reads[:-1] if column in dims]
    shared = any(loop in reads[-1] and extents[loop] > 1 and not any(loop in dims for dims in factors)
                 for loop in range(loops))
    return column if len(factors) == 1 and len(reads) == _PRODUCT and shared else vector


def indexing_maps(op: ir.Operation) -> ir.ArrayAttr | None:
    """The indexing maps of a linalg op, named ones included; None for those without (softmax, pack, ...)."""
    if "indexing_maps" in op.attributes:
        return ir.ArrayAttr(op.attributes["indexing_maps"])
    return get_indexing_maps(op)


def dims_of(op: ir.Operation) -> list[tuple[int, ...]] | None:
    """The loops that index each operand of linalg op ``op`` with one result; None where an index is no loop."""
    maps = indexing_maps(op) if op.name.startswith("linalg.") and len(op.results) == 1 else None
    if maps is None:
        return None
    found = [tuple(result.position if isinstance(result, ir.AffineDimExpr) else -1
                   for result in ir.AffineMapAttr(map_).value.results) for map_ in maps]
    return None if any(-1 in dims or len(set(dims)) < len(dims) for dims in found) else found
