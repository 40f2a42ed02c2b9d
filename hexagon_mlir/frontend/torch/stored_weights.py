"""Weights in blocks that a model has as codes and scales: they go to products as they are, and are not searched for.

``hexagon_mlir::block_weights`` is the matrix of such weights in a PyTorch model. Its operands have the layout of
`hexagon_mlir.dialects.block_weights`: programs that read codes read the very memory of the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import torch
from torch import Tensor
from torch.fx import Node

from hexagon_mlir.dialects.block_weights import BYTE_BITS, COLUMNS, SUPERBLOCK, WORD, Format, codes_shape, scales_shape
from hexagon_mlir.dialects.engine_tiles import TILE
from hexagon_mlir.frontend.torch.block_weights import BlockWeights, zeros_and_shared
from hexagon_mlir.frontend.torch.graph import TorchGraph
from hexagon_mlir.ir import HexError

_RANK, _STEPS = 6, -4
"""Of the codes of a matrix: its dimensions, and that of the words of a column in a block."""


@dataclass(frozen=True)
class StoredWeights:
    """``depth`` x ``columns`` weights of ``dtype`` that share scales in blocks of ``block`` rows: ``codes`` int8,
    ``scales`` f16, f32, or int8 (MXFP4), ``zeros``, int8 zero points or f16 or f32 minima, if there are some, and in
    ``shared`` the f16 factors of superblocks, if scales, and minima, are int8 to be multiplied by such, as
    `BlockWeights.packed` lays them out; several such matrices where the tensors have one dimension more, the first."""

    codes: Tensor
    scales: Tensor
    columns: int
    depth: int
    dtype: torch.dtype
    block: int = TILE
    zeros: Tensor | None = None
    shared: tuple[Tensor, ...] = ()

    def __post_init__(self) -> None:
        form, (columns, depth) = self.format, (self.columns, self.depth)
        if min(columns, depth) < 1 or not form.is_known or self.codes.dtype != torch.int8 or not self._has_sizes(form):
            raise HexError.plain(
                f"codes {_described(self.codes)}, scales {_described(self.scales)}, zero points "
                f"{', '.join(map(_described, (self.zeros, *self.shared)))}, in blocks of {self.block} "
                f"of {depth} x {columns} weights",
                origin="block-weights", hint="the layouts are those of hexagon_mlir.dialects.block_weights")

    def _has_sizes(self, form: Format) -> bool:
        """Whether codes, scales and zero points have the shapes of ``form``."""
        of_others = [(bits, scales_shape(self.columns, self.depth, rows)) for bits, rows in form.extra]
        wanted = [(BYTE_BITS, codes_shape(self.columns, self.depth, form.block, form.bits)), *of_others]
        found = [(_bits(one), list(one.shape)) for one in self.packed()]
        return found == [(bits, [*self.several, *shape]) for bits, shape in wanted]

    @property
    def format(self) -> Format:
        """The bits of codes follow from their shape; of types that are none of these, it is unknown."""
        known = self.codes.dim() >= -_STEPS and self.block > 0
        bits = self.codes.shape[_STEPS] * WORD * BYTE_BITS // self.block if known else 0
        zero_bits = 0 if self.zeros is None else _bits(self.zeros)
        return Format(self.block, bits, _bits(self.scales), zero_bits, SUPERBLOCK if self.shared else 0)

    @property
    def several(self) -> tuple[int, ...]:
        """How many matrices there are, or nothing for a single one."""
        return tuple(self.codes.shape[:1]) if self.codes.dim() > _RANK else ()

    def packed(self) -> tuple[Tensor, ...]:
        """Codes, scales, zero points and factors of superblocks, no copies."""
        return (self.codes, self.scales, *([] if self.zeros is None else [self.zeros]), *self.shared)

    def made_of(self, packed: Sequence[Tensor], columns: int = 0) -> StoredWeights:
        """Such weights of other tensors, in the order of `packed`, of as many or so many ``columns``."""
        zeros, shared = zeros_and_shared(packed, self.zeros is not None)
        return replace(self, codes=packed[0], scales=packed[1], columns=columns or self.columns, zeros=zeros,
                       shared=shared)

    def of_tiles(self, tiles: slice, columns: int) -> StoredWeights:
        """The ``columns`` that are in some ``tiles``, no copies."""
        return self.made_of([part[tiles] for part in self.packed()], columns)

    def number(self, number: int) -> StoredWeights:
        """One of several matrices, no copies."""
        return self.made_of([part[number] for part in self.packed()])

    def traced(self) -> Tensor:
        """The matrix or matrices, by `block_weights`."""
        return block_weights(self.codes, self.scales, self.columns, self.depth, self.dtype, self.block, self.zeros,
                             *self.shared)

    def blocks(self) -> BlockWeights:
        """As rows of codes: a copy."""
        tiles, blocks, steps, parities, lanes, _ = self.codes.shape
        bits, words = self.format.bits, self.codes.view(torch.uint8).permute(1, 2, 5, 0, 4, 3)
        halves = [words >> bits * half & (1 << bits) - 1 for half in range(BYTE_BITS // bits)]
        rows = torch.stack(halves, 2).reshape(blocks * steps * len(halves) * WORD, tiles * COLUMNS)
        others = (one.permute(1, 0, 3, 2).reshape(one.shape[1], tiles * lanes * parities)[:, :self.columns]
                  for one in self.packed()[1:])
        scales, *rest = (one.view(torch.uint8) if one.dtype == torch.int8 and not self.shared else one
                         for one in others)
        codes = rows[:self.depth, :self.columns]
        return BlockWeights(codes, scales, self.block, bits, *zeros_and_shared([codes, scales, *rest],
                                                                               self.zeros is not None))

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
                  zeros: Tensor | None = None, shared_scales: Tensor | None = None,
                  shared_minima: Tensor | None = None) -> Tensor:
    """The matrix (``depth``, ``columns``) of weights that the tensors of `StoredWeights` stand for; several ones where
    these have a dimension more."""
    shared = tuple(one for one in (shared_scales, shared_minima) if one is not None)
    return StoredWeights(codes, scales, columns, depth, dtype, block, zeros, shared).matrix()


@block_weights.register_fake
def _(codes: Tensor, scales: Tensor, columns: int, depth: int, dtype: torch.dtype, block: int = TILE,
      zeros: Tensor | None = None, shared_scales: Tensor | None = None, shared_minima: Tensor | None = None) -> Tensor:
    return codes.new_empty((*codes.shape[:-_RANK], depth, columns), dtype=dtype)


OPERATION = torch.ops.hexagon_mlir.block_weights.default


def take_stored_weights(graph: TorchGraph) -> dict[str, StoredWeights]:
    """Make each `OPERATION` of constants a constant without memory, by whose name its weights are found."""
    found: dict[str, StoredWeights] = {}
    for node in [n for n in graph.graph.nodes if n.target == OPERATION]:
        codes, scales, columns, depth, dtype, *rest = cast(list[Any], list(node.args))
        block, zeros, *shared = [*rest, *[TILE, None][len(rest):]]
        sources: list[Node] = [codes, scales, *([] if zeros is None else [zeros]), *shared]
        if node.kwargs or not all(map(graph.is_constant, sources)):
            raise HexError.plain("weights in blocks that are no constants", origin="block-weights",
                                 hint="codes and scales are buffers of the model")
        given = [graph.constants[one.name] for one in sources]
        weights = StoredWeights(given[0], given[1], columns, depth, dtype, block,
                                *zeros_and_shared(given, zeros is not None))
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
