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

from hexagon_mlir.dialects.block_weights import (
    BYTE_BITS,
    COLUMNS,
    LOWER_BITS,
    SPLIT_BITS,
    SUPERBLOCK,
    UPPER_BITS,
    WORD,
    Format,
)
from hexagon_mlir.dialects.engine_tiles import TILE
from hexagon_mlir.frontend.torch.block_weights import BlockWeights, named
from hexagon_mlir.frontend.torch.graph import TorchGraph
from hexagon_mlir.ir import HexError

_RANK, _STEPS = 6, -4
"""Of the codes of a matrix: its dimensions, and that of the words of a column in a block."""


@dataclass(frozen=True)
class StoredWeights:
    """``depth`` x ``columns`` weights of ``dtype`` that share scales in blocks of ``block`` rows: ``codes`` int8,
    ``scales`` f16, f32, or int8 (MXFP4), ``zeros``, int8 zero points or f16 or f32 minima, if there are some, and in
    ``shared`` the f16 factors of superblocks, if scales, and minima, are int8 to be multiplied by such, and ``upper``,
    int8, the upper bits of codes of 6 bits, as `BlockWeights.packed` lays them out; several such matrices where the
    tensors have one dimension more, the first."""

    codes: Tensor
    scales: Tensor
    columns: int
    depth: int
    dtype: torch.dtype
    block: int = TILE
    zeros: Tensor | None = None
    shared: tuple[Tensor, ...] = ()
    upper: Tensor | None = None

    def __post_init__(self) -> None:
        form, (columns, depth) = self.format, (self.columns, self.depth)
        if min(columns, depth) < 1 or not form.is_known or self.codes.dtype != torch.int8 or not self._has_sizes(form):
            raise HexError.plain(
                f"codes {', '.join(map(_described, (self.codes, self.upper)))}, scales {_described(self.scales)}, "
                f"zero points {', '.join(map(_described, (self.zeros, *self.shared)))}, in blocks of {self.block} "
                f"of {depth} x {columns} weights",
                origin="block-weights", hint="the layouts are those of hexagon_mlir.dialects.block_weights")

    def _has_sizes(self, form: Format) -> bool:
        """Whether codes, scales and zero points have the shapes of ``form``."""
        wanted = form.parts(self.columns, self.depth)
        found = [(_bits(one), list(one.shape)) for one in self.packed()]
        return found == [(bits, [*self.several, *shape]) for bits, shape in wanted]

    @property
    def format(self) -> Format:
        """The bits of codes follow from their shape; of types that are none of these, it is unknown."""
        known = self.codes.dim() >= -_STEPS and self.block > 0
        bits = self.codes.shape[_STEPS] * WORD * BYTE_BITS // self.block if known else 0
        if self.upper is not None:
            bits = SPLIT_BITS if bits == LOWER_BITS else 0
        zero_bits = 0 if self.zeros is None else _bits(self.zeros)
        return Format(self.block, bits, _bits(self.scales), zero_bits, SUPERBLOCK if self.shared else 0)

    @property
    def several(self) -> tuple[int, ...]:
        """How many matrices there are, or nothing for a single one."""
        return tuple(self.codes.shape[:1]) if self.codes.dim() > _RANK else ()

    def packed(self) -> tuple[Tensor, ...]:
        """The tensors in the order of `Format.names`, no copies."""
        given = (self.codes, self.upper, self.scales, self.zeros, *self.shared)
        return tuple(one for one in given if one is not None)

    def made_of(self, packed: Sequence[Tensor], columns: int = 0) -> StoredWeights:
        """Such weights of other tensors, in the order of `packed`, of as many or so many ``columns``."""
        return replace(self, columns=columns or self.columns, **named(packed, self.format))

    def of_tiles(self, tiles: slice, columns: int) -> StoredWeights:
        """The ``columns`` that are in some ``tiles``, no copies."""
        return self.made_of([part[tiles] for part in self.packed()], columns)

    def number(self, number: int) -> StoredWeights:
        """One of several matrices, no copies."""
        return self.made_of([part[number] for part in self.packed()])

    def traced(self) -> Tensor:
        """The matrix or matrices, by `block_weights`."""
        shared = [*self.shared, None, None][:2]
        return block_weights(self.codes, self.scales, self.columns, self.depth, self.dtype, self.block, self.zeros,
                             *shared, self.upper)

    def blocks(self) -> BlockWeights:
        """As rows of codes: a copy."""
        bits = self.format.bits
        if self.upper is None:
            rows = _rows(self.codes, bits)
        else:
            rows = _rows(self.codes, LOWER_BITS) | _rows(self.upper, UPPER_BITS) << LOWER_BITS
        scales, zeros, *shared = (None if one is None else one.permute(1, 0, 3, 2).reshape(
            one.shape[1], -1)[:, :self.columns] for one in (self.scales, self.zeros, *self.shared))
        if not self.shared:
            scales, zeros = (one.view(torch.uint8) if one is not None and one.dtype == torch.int8 else one
                             for one in (scales, zeros))
        assert scales is not None
        return BlockWeights(rows[:self.depth, :self.columns], scales, self.block, bits, zeros,
                            tuple(one for one in shared if one is not None))

    def matrix(self) -> Tensor:
        """The weights as floats: a copy."""
        if self.several:
            return torch.stack([self.number(number).matrix() for number in range(*self.several)])
        return self.blocks().matrix().to(self.dtype)


def _rows(packed: Tensor, bits: int) -> Tensor:
    """uint8 [K][N] of codes of ``bits``, several in a byte, in the layout of codes: a copy."""
    words = packed.view(torch.uint8).permute(1, 2, 5, 0, 4, 3)
    parts = [words >> bits * place & (1 << bits) - 1 for place in range(BYTE_BITS // bits)]
    return torch.stack(parts, 2).reshape(-1, packed.shape[0] * COLUMNS)


def _bits(given: Tensor) -> int:
    """Bits of the elements of scales or zero points; -1 of what they cannot be."""
    known = (torch.int8, torch.float16, torch.float32)
    return BYTE_BITS * given.element_size() if given.dtype in known else -1


def _described(given: Tensor | None) -> str:
    return "none" if given is None else f"{given.dtype} {tuple(given.shape)}"


@torch.library.custom_op("hexagon_mlir::block_weights", mutates_args=())
def block_weights(codes: Tensor, scales: Tensor, columns: int, depth: int, dtype: torch.dtype, block: int = TILE,
                  zeros: Tensor | None = None, shared_scales: Tensor | None = None,
                  shared_minima: Tensor | None = None, upper: Tensor | None = None) -> Tensor:
    """The matrix (``depth``, ``columns``) of weights that the tensors of `StoredWeights` stand for; several ones where
    these have a dimension more."""
    shared = tuple(one for one in (shared_scales, shared_minima) if one is not None)
    return StoredWeights(codes, scales, columns, depth, dtype, block, zeros, shared, upper).matrix()


@block_weights.register_fake
def _(codes: Tensor, scales: Tensor, columns: int, depth: int, dtype: torch.dtype, block: int = TILE,
      zeros: Tensor | None = None, shared_scales: Tensor | None = None, shared_minima: Tensor | None = None,
      upper: Tensor | None = None) -> Tensor:
    return codes.new_empty((*codes.shape[:-_RANK], depth, columns), dtype=dtype)


_DEFAULTS: list[Any] = [TILE, None, None, None, None]
"""Of the arguments of `block_weights` from ``block`` on."""
OPERATION = torch.ops.hexagon_mlir.block_weights.default


def take_stored_weights(graph: TorchGraph) -> dict[str, StoredWeights]:
    """Make each `OPERATION` of constants a constant without memory, by whose name its weights are found."""
    found: dict[str, StoredWeights] = {}
    for node in [n for n in graph.graph.nodes if n.target == OPERATION]:
        codes, scales, columns, depth, dtype, *rest = cast(list[Any], list(node.args))
        block, *optional = [*rest, *_DEFAULTS[len(rest):]]
        sources: list[Node] = [one for one in (codes, scales, *optional) if one is not None]
        if node.kwargs or not all(map(graph.is_constant, sources)):
            raise HexError.plain("weights in blocks that are no constants", origin="block-weights",
                                 hint="codes and scales are buffers of the model")
        others = [None if one is None else graph.constants[one.name] for one in optional]
        weights = StoredWeights(graph.constants[codes.name], graph.constants[scales.name], columns, depth, dtype, block,
                                others[0], tuple(one for one in others[1:-1] if one is not None), others[-1])
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
