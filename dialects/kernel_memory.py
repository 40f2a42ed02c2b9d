"""What a model gives each of its kernels besides tensors: its part of the TCM, and the tiles of weights it begins with.

A kernel of a model is marked with `IN_MODEL`. The pass hexagon-weight-streaming adds arguments to it, behind those it
has, and notes in `KernelMemory` which ones: the memory of each of its first tiles and the address of their records
(``hexmlir_rt_tile`` of runtime/include/hexmlir_rt.h); the arena, if it has bytes; where the kernel starts tiles of a
later one, the address of the first of these records, and their number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from math import prod

from hexagon_mlir.dialects.engine_tiles import TILE, tiles
from hexagon_mlir.ir import ir

IN_MODEL = "hexagon.in_model"
"""Marks a function that a model calls; names the arguments that are there before the model runs, as weights are."""
IN_TCM = "hexagon.in_tcm"
"""Names the arguments of such a function that its caller has in TCM; results are numbered after the arguments."""
MEMORY = "hexagon.tcm"
_MOST_PADDING = 2
"""Times an argument that it may take with its padding."""
_ARENA, _TILES, _SPARE, _LEADING = "arena", "tiles", "spare", "leading"


@dataclass(frozen=True)
class Tile:
    """A block of a kernel's argument that its work begins with: ``rows`` of ``row_bytes``, packed in TCM.

    It begins ``offset`` bytes behind the start of argument number ``argument``, where rows are ``stride`` bytes apart.
    Its memory has ``slot_bytes``, at least those of the tile.
    """

    argument: int
    offset: int
    row_bytes: int
    rows: int
    stride: int
    slot_bytes: int

    @property
    def nbytes(self) -> int:
        """Bytes in TCM."""
        return self.row_bytes * self.rows

    @property
    def extent(self) -> int:
        """Bytes from the first to the last one in the argument."""
        return (self.rows - 1) * self.stride + self.row_bytes


@dataclass(frozen=True)
class KernelMemory:
    """TCM that a kernel is given: ``arena_bytes`` for itself alone, and memory for the tiles it begins with, in the
    order in which they are transferred.

    The kernel moves nothing else to TCM before the first ``leading`` of them. One with ``spare_cycles`` starts the
    transfers of a later one's tiles after the last fetch of its own, whether it has tiles itself or not; so long, by
    estimate, it then works at least.
    """

    arena_bytes: int
    tiles: tuple[Tile, ...] = ()
    spare_cycles: int = 0
    leading: int = 0


def arguments_in_tcm(function: ir.Operation) -> list[int]:
    """The numbers that `IN_TCM` of ``function`` has; raises `ValueError` where one is that of no tensor or buffer."""
    if IN_TCM not in function.attributes:
        return []
    attribute, type_ = function.attributes[IN_TCM], ir.TypeAttr(function.attributes["function_type"]).value
    if not isinstance(attribute, ir.DenseI64ArrayAttr):
        raise ValueError(f"{IN_TCM} is {attribute}, not array<i64: ...>")
    types = [*ir.FunctionType(type_).inputs, *ir.FunctionType(type_).results]
    for number in attribute:
        if number not in range(len(types)) or not isinstance(types[number], ir.RankedTensorType | ir.MemRefType):
            raise ValueError(f"{IN_TCM} has {number}, which is not the number of a tensor or buffer")
    return [*attribute]


def padded_elements(shape: Sequence[int]) -> int:
    """Elements of an argument of ``shape`` in TCM with the padding after it: as a matrix of any of its dimensions, its
    rows can be filled up to whole tiles of the matrix engine, unless that is more than twice the argument."""
    size = prod(shape)
    filled = (tiles(prod(shape[:dim])) * TILE * prod(shape[dim:]) for dim in range(1, len(shape)))
    return max((elements for elements in filled if elements <= _MOST_PADDING * size), default=size)


def write(function: ir.Operation, memory: KernelMemory) -> None:
    """Note ``memory`` on ``function``."""
    fields: dict[str, ir.Attribute] = {_ARENA: _number(memory.arena_bytes)}
    if memory.tiles:
        fields[_TILES] = ir.ArrayAttr.get([ir.DenseI64ArrayAttr.get([*astuple(tile)]) for tile in memory.tiles])
    if memory.leading:
        fields[_LEADING] = _number(memory.leading)
    if memory.spare_cycles:
        fields[_SPARE] = _number(memory.spare_cycles)
    function.attributes[MEMORY] = ir.DictAttr.get(fields)


def read(module: ir.Module) -> KernelMemory | None:
    """What `write` noted on a function of ``module``, at any level."""
    for op in module.body.operations:
        if MEMORY in op.operation.attributes:
            fields = ir.DictAttr(op.operation.attributes[MEMORY])
            arena, spare, leading = (ir.IntegerAttr(fields[key]).value if key in fields else 0
                                     for key in (_ARENA, _SPARE, _LEADING))
            tiles = [ir.DenseI64ArrayAttr(one) for one in fields[_TILES]] if _TILES in fields else []
            return KernelMemory(arena, tuple(Tile(*tile) for tile in tiles), spare, leading)
    return None


def _number(value: int) -> ir.Attribute:
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(64), value)
