"""Weights in blocks that a model has as codes and scales: they go to products as they are, and are not searched for.

``hexagon_mlir::block_weights`` is the matrix of such weights in a PyTorch model. Its operands have the layout of
`hexagon_mlir.dialects.block_weights`: programs that read codes read the very memory of the model.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from hexagon_mlir.dialects.block_weights import BYTE_BITS, COLUMNS, WORD, Format, codes_shape, scales_shape
from hexagon_mlir.dialects.engine_tiles import TILE
from hexagon_mlir.dialects.narrow_weights import NIBBLE_BITS, OFFSET
from hexagon_mlir.frontend.torch.block_weights import BlockWeights
from hexagon_mlir.frontend.torch.graph import TorchGraph
from hexagon_mlir.frontend.torch.narrow_weights import NarrowWeights
from hexagon_mlir.ir import HexError


@dataclass(frozen=True)
class StoredWeights:
    """``depth`` x ``columns`` weights of ``dtype``: ``codes`` int8 and ``scales`` f16 as `BlockWeights.packed` lays
    them out, without zero points."""

    codes: Tensor
    scales: Tensor
    columns: int
    depth: int
    dtype: torch.dtype

    def __post_init__(self) -> None:
        form, (columns, depth) = self.format, (self.columns, self.depth)
        wanted = codes_shape(columns, depth, form.block, form.bits), scales_shape(columns, depth, form.block)
        if (min(columns, depth) < 1 or (list(self.codes.shape), list(self.scales.shape)) != wanted
                or (self.codes.dtype, self.scales.dtype) != (torch.int8, torch.float16)):
            raise HexError.plain(
                f"codes {self.codes.dtype} {tuple(self.codes.shape)}, scales {self.scales.dtype} "
                f"{tuple(self.scales.shape)} of {depth} x {columns} weights", origin="block-weights",
                hint=f"int8 {tuple(wanted[0])} and float16 {tuple(wanted[1])}")

    @property
    def format(self) -> Format:
        """Blocks of 32 of a column; the bits follow from the shape."""
        return Format(TILE, self.codes.shape[2] if self.codes.dim() > 2 else 0)

    @property
    def is_narrow(self) -> bool:
        """Whether they can be tiles of the matrix engine."""
        return self.format.bits == NIBBLE_BITS

    def packed(self) -> tuple[Tensor, ...]:
        """Codes and scales, no copies."""
        return self.codes, self.scales

    def blocks(self) -> BlockWeights:
        """As rows of codes: a copy."""
        tiles, blocks, steps, parities, lanes, _ = self.codes.shape
        bits, words = self.format.bits, self.codes.view(torch.uint8).permute(1, 2, 5, 0, 4, 3)
        halves = [words >> bits * half & (1 << bits) - 1 for half in range(BYTE_BITS // bits)]
        rows = torch.stack(halves, 2).reshape(blocks * steps * len(halves) * WORD, tiles * COLUMNS)
        scales = self.scales.permute(1, 0, 3, 2).reshape(blocks, tiles * lanes * parities)
        return BlockWeights(rows[:self.depth, :self.columns], scales[:, :self.columns], TILE, bits)

    def tiles(self) -> Tensor:
        """Of 4 bits, for the matrix engine: a copy (`NarrowWeights.tiles`)."""
        found = self.blocks()
        rows = F.pad(found.codes, (0, 0, 0, -self.depth % TILE), value=OFFSET)
        multiples = (rows.to(torch.int8) - OFFSET).reshape(-1, TILE, self.columns)
        return NarrowWeights(multiples, found.scales, self.dtype, self.depth).tiles()

    def matrix(self) -> Tensor:
        """The weights as floats: a copy."""
        return self.blocks().matrix().to(self.dtype)


@torch.library.custom_op("hexagon_mlir::block_weights", mutates_args=())
def block_weights(codes: Tensor, scales: Tensor, columns: int, depth: int, dtype: torch.dtype) -> Tensor:
    """The matrix (``depth``, ``columns``) of weights that ``codes`` and ``scales`` stand for."""
    return StoredWeights(codes, scales, columns, depth, dtype).matrix()


@block_weights.register_fake
def _(codes: Tensor, scales: Tensor, columns: int, depth: int, dtype: torch.dtype) -> Tensor:
    return codes.new_empty((depth, columns), dtype=dtype)


OPERATION = torch.ops.hexagon_mlir.block_weights.default


def take_stored_weights(graph: TorchGraph) -> dict[str, StoredWeights]:
    """Make each `OPERATION` of constants a constant without memory, by whose name its weights are found."""
    found: dict[str, StoredWeights] = {}
    for node in [n for n in graph.graph.nodes if n.target == OPERATION]:
        codes, scales, *sizes = node.args
        if not all(map(graph.is_constant, (codes, scales))):
            raise HexError.plain("weights in blocks that are no constants", origin="block-weights",
                                 hint="codes and scales are buffers of the model")
        weights = StoredWeights(graph.constants[codes.name], graph.constants[scales.name], *sizes)
        made = graph.add_constant(torch.empty(weights.depth, weights.columns, dtype=weights.dtype, device="meta"),
                                  "block_weights")
        found[made.name] = weights
        graph.replace(node, made)
        for source in (codes, scales):
            if not source.users:
                graph.graph.erase_node(source)
                del graph.constants[source.name]
    return found


def unfold(graph: TorchGraph, stored: dict[str, StoredWeights], kept: set[str]) -> None:
    """Give the constants of ``stored`` that are not ``kept`` as codes their memory: they are matrices of floats."""
    for name, weights in stored.items():
        if name not in kept:
            graph.constants[name] = weights.matrix()
