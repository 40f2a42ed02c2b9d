"""What a model gives each of its kernels besides tensors: its part of the TCM, and the tile of weights it begins with.

A kernel of a model is marked with `IN_MODEL`. The pass hexagon-weight-streaming adds arguments to it, behind those it
has, and notes in `KernelMemory` which ones: the memory of its first tile and the address of the tile's record
(``hexmlir_rt_tile`` of runtime/include/hexmlir_rt.h); the arena, if it has bytes; where the kernel starts the tile of a
later one, that one's record and memory.
"""

from __future__ import annotations

from dataclasses import dataclass

from hexagon_mlir.ir import ir

IN_MODEL = "hexagon.in_model"
"""Marks a function that a model calls; names the arguments that are there before the model runs, as weights are."""
MEMORY = "hexagon.tcm"
_ARENA, _TILE, _SPARE = "arena", "tile", "spare"


@dataclass(frozen=True)
class Tile:
    """The block of a kernel's argument that its work begins with: ``rows`` of ``row_bytes``, packed in TCM.

    It begins ``offset`` bytes behind the start of argument number ``argument``, where rows are ``stride`` bytes apart.
    """

    argument: int
    offset: int
    row_bytes: int
    rows: int
    stride: int

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
    """TCM that a kernel is given: ``arena_bytes`` for itself alone, and memory for the tile it begins with.

    A kernel with ``spare_cycles`` starts the transfer of a later one's tile behind the last fetch of its own, whether
    it has a tile itself or not; so long, by estimate, it then works at least.
    """

    arena_bytes: int
    tile: Tile | None = None
    tile_bytes: int = 0
    """Size of the tile's memory, at least that of the tile."""
    spare_cycles: int = 0


def write(function: ir.Operation, memory: KernelMemory) -> None:
    """Note ``memory`` on ``function``."""
    fields: dict[str, ir.Attribute] = {_ARENA: _number(memory.arena_bytes)}
    if memory.tile is not None:
        tile = memory.tile
        fields[_TILE] = ir.DenseI64ArrayAttr.get([tile.argument, tile.offset, tile.row_bytes, tile.rows, tile.stride,
                                                    memory.tile_bytes])
    if memory.spare_cycles:
        fields[_SPARE] = _number(memory.spare_cycles)
    function.attributes[MEMORY] = ir.DictAttr.get(fields)


def read(module: ir.Module) -> KernelMemory | None:
    """What `write` noted on a function of ``module``, at any level."""
    for op in module.body.operations:
        if MEMORY in op.operation.attributes:
            fields = ir.DictAttr(op.operation.attributes[MEMORY])
            arena, spare = (ir.IntegerAttr(fields[key]).value if key in fields else 0 for key in (_ARENA, _SPARE))
            if _TILE not in fields:
                return KernelMemory(arena, spare_cycles=spare)
            *tile, nbytes = ir.DenseI64ArrayAttr(fields[_TILE])
            return KernelMemory(arena, Tile(*tile), nbytes, spare)
    return None


def _number(value: int) -> ir.Attribute:
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(64), value)
