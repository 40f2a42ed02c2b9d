"""Weights in blocks that a model has as codes and scales: they go to products as they are, and are not searched for.

``hexagon_mlir::block_weights`` is the matrix of such weights in a PyTorch model. Its operands have the layout of
`hexagon_mlir.dialects.block_weights`: programs that read codes read the very memory of the model.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, cast

import torch
from torch import Tensor
from torch.fx import Node

from hexagon_mlir.dialects.block_weights import BYTE_BITS, COLUMNS, WORD, Format, codes_shape, scales_shape
from hexagon_mlir.dialects.engine_tiles import TILE
from hexagon_mlir.frontend.torch.block_weights import BlockWeights
from hexagon_mlir.frontend.torch.graph import TorchGraph
from hexagon_mlir.ir import HexError

_RANK, _STEPS = 6, -4
"""Of the codes of a matrix: its dimensions, and that of the words of a column in a block."""


@dataclass(frozen=True)
class StoredWeights:
    """``depth`` x ``columns`` weights of ``dtype`` that share scales in blocks of ``block`` rows: ``codes`` int8,
    ``scales`` f16, f32, or int8 (MXFP4), and ``zeros``, int8 zero points or f16 or f32 minima, if there are some, as
    `BlockWeights.packed` lays them out; several such matrices where the tensors have one dimension more, the first."""

    codes: Tensor
    scales: Tensor
    columns: int
    depth: int
    dtype: torch.dtype
    block: int = TILE
    zeros: Tensor | None = None

    def __post_init__(self) -> None:
        form, (columns, depth) = self.format, (self.columns, self.depth)
        if min(columns, depth) < 1 or not form.is_known or self.codes.dtype != torch.int8 or not self._has_sizes(form):
            raise HexError.plain(
                f"codes {_described(self.codes)}, scales {_described(self.scales)}, zero points "
                f"{_described(self.zeros)}, in blocks of {self.block} of {depth} x {columns} weights",
                origin="block-weights", hint="the layouts are those of hexagon_mlir.dialects.block_weights")

    def _has_sizes(self, form: Format) -> bool:
        """Whether codes, scales and zero points have the shapes of ``form``."""
        several = list(self.several)
        return list(self.codes.shape) == [
            *several, *codes_shape(self.columns, self.depth, form.block, form.bits)] and all(
            list(one.shape) == [*several, *scales_shape(self.columns, self.depth, form.block)]
            for one in self.packed()[1:])

    @property
    def format(self) -> Format:
        """The bits of codes follow from their shape; of types that are none of these, it is unknown."""
        known = self.codes.dim() >= -_STEPS and self.block > 0
        bits = self.codes.shape[_STEPS] * WORD * BYTE_BITS // self.block if known else 0
        zero_bits = 0 if self.zeros is None else _bits(self.zeros)
        return Format(self.block, bits, _bits(self.scales), zero_bits)

    @property
    def several(self) -> tuple[int, ...]:
        """How many matrices there are, or nothing for a single one."""
        return tuple(self.codes.shape[:1]) if self.codes.dim() > _RANK else ()

    def packed(self) -> tuple[Tensor, ...]:
        """Codes, scales and zero points, no copies."""
        return (self.codes, self.scales) if self.zeros is None else (self.codes, self.scales, self.zeros)

    def of_tiles(self, tiles: slice, columns: int) -> StoredWeights:
        """The ``columns`` that are in some ``tiles``, no copies."""
        codes, scales, *zeros = (part[tiles] for part in self.packed())
        return replace(self, codes=codes, scales=scales, columns=columns, zeros=zeros[0] if zeros else None)

    def number(self, number: int) -> StoredWeights:
        """One of several matrices, no copies."""
        codes, scales, *zeros = (part[number] for part in self.packed())
        return replace(self, codes=codes, scales=scales, zeros=zeros[0] if zeros else None)

    def traced(self) -> Tensor:
        """The matrix or matrices, by `block_weights`."""
        return block_weights(self.codes, self.scales, self.columns, self.depth, self.dtype, self.block, self.zeros)

    def blocks(self) -> BlockWeights:
        """As rows of codes: a copy."""
        tiles, blocks, steps, parities, lanes, _ = self.codes.shape
        bits, words = self.format.bits, self.codes.view(torch.uint8).permute(1, 2, 5, 0, 4, 3)
        halves = [words >> bits * half & (1 << bits) - 1 for half in range(BYTE_BITS // bits)]
        rows = torch.stack(halves, 2).reshape(blocks * steps * len(halves) * WORD, tiles * COLUMNS)
        scales, *zeros = (one.permute(1, 0, 3, 2).reshape(blocks, tiles * lanes * parities)[:, :self.columns]
                          for one in self.packed()[1:])
        scales, *zeros = (one.view(torch.uint8) if one.dtype == torch.int8 else one for one in (scales, *zeros))
        return BlockWeights(rows[:self.depth, :self.columns], scales, self.block, bits, zeros[0] if zeros else None)

    def matrix(self) -> Tensor:
        """The weights as floats: a copy."""
        if self.several:
            return torch.stack([self.number(number).matrix() for number in range(*self.several)])
        return self.blocks().matrix().to(self.dtype)


def _bits(given: Tensor) -> int:
    """Bits of the elements of scales or zero points; -1 of what they cannot be."""
    known = (torch.int8, torch.float16, torch.float32)
    return BYTE_BITS * given.element_size() if given.dtype in known else -1


def _described(given: Tensor | None) -> str:
    return "none" if given is None else f"{given.dtype} {tuple(given.shape)}"


@torch.library.custom_op("hexagon_mlir::block_weights", mutates_args=())
def block_weights(codes: Tensor, scales: Tensor, columns: int, depth: int, dtype: torch.dtype, block: int = TILE,
                  zeros: Tensor | None = None) -> Tensor:
    """The matrix (``depth``, ``columns``) of weights that ``codes``, ``scales`` and ``zeros`` stand for; several ones
    where these have a dimension more."""
    return StoredWeights(codes, scales, columns, depth, dtype, block, zeros).matrix()


@block_weights.register_fake
def _(codes: Tensor, scales: Tensor, columns: int, depth: int, dtype: torch.dtype, block: int = TILE,
      zeros: Tensor | None = None) -> Tensor:
    return codes.new_empty((*codes.shape[:-_RANK], depth, columns), dtype=dtype)


OPERATION = torch.ops.hexagon_mlir.block_weights.default


def take_stored_weights(graph: TorchGraph) -> dict[str, StoredWeights]:
    """Make each `OPERATION` of constants a constant without memory, by whose name its weights are found."""
    found: dict[str, StoredWeights] = {}
    for node in [n for n in graph.graph.nodes if n.target == OPERATION]:
        codes, scales, columns, depth, dtype, *rest = cast(list[Any], list(node.args))
        block, zeros = rest[0] if rest else TILE, rest[1] if len(rest) > 1 else None
        sources: list[Node] = [codes, scales] if zeros is None else [codes, scales, zeros]
        if node.kwargs or not all(map(graph.is_constant, sources)):
            raise HexError.plain("weights in blocks that are no constants", origin="block-weights",
                                 hint="codes and scales are buffers of the model")
        given = [graph.constants[one.name] for one in sources]
        weights = StoredWeights(given[0], given[1], columns, depth, dtype, block, *given[2:])
        shape = *weights.several, weights.depth, weights.columns
        made = graph.add_constant(torch.empty(shape, dtype=weights.dtype, device="meta"), "block_weights")
        found[made.name] = weights
        graph.replace(node, made)
        for source in sources:
            if not source.users:
                graph.graph.erase_node(source)
                del graph.constants[source.name]
    return found


def unfold(graph: TorchGraph, stored: dict[str, StoredWeights], kept: set[str]) -> None:
    """Give the constants of ``stored`` that are not ``kept`` as codes their memory: they are matrices of floats."""
    for name, weights in stored.items():
        if name not in kept:
            graph.constants[name] = weights.matrix()
