"""Matrices of 4 and 8 bits in Hugging Face folders: codes in words of 32 bits, with scales for groups of a row.

GPTQ packs neighbours of a row (``qweight`` [K / 8][N], ``qzeros`` [K / G][N / 8], one less than the zero points in its
first format), AWQ columns in an order of their own (``qweight`` [K][N / 8], ``qzeros`` [K / G][N / 8]), and
compressed-tensors neighbours of a row (``weight_packed`` [N][K / 8], ``weight_zero_point`` [N / 8][K / G]); the sizes
are those of 4 bits. How many bits and weights a group has follows from the shapes. Nothing is searched for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from hexagon_mlir.dialects.block_weights import BLOCKS
from hexagon_mlir.frontend.llm.block_layers import stored
from hexagon_mlir.frontend.llm.config import ORIGIN
from hexagon_mlir.frontend.torch.stored_weights import StoredWeights
from hexagon_mlir.ir import HexError

METHODS = ("gptq", "awq", "compressed-tensors")
_WORD_BITS = 32
_AWQ_ORDER = (0, 4, 1, 5, 2, 6, 3, 7)
"""The place in a word of each of eight columns that follow each other."""
_SCALES = (torch.float16, torch.bfloat16, torch.float32)


@dataclass(frozen=True)
class PackedCodes:
    """A matrix N x K: ``codes`` gives uint8 (count, K) of some rows, codes of ``bits``; ``scales`` and ``zeros``,
    uint8, are (N, groups), and ``groups``, or None for equal parts, is the group of each of K."""

    codes: Callable[[slice], Tensor]
    scales: Tensor
    zeros: Tensor
    bits: int
    shape: tuple[int, int]
    groups: Tensor | None = None

    def stored(self, dtype: torch.dtype) -> StoredWeights | None:
        """The weights as codes; None where they have other groups than products with codes can have, or scales that
        are not finite."""
        size = self.shape[1] // self.scales.shape[1]
        block = size if size in BLOCKS else BLOCKS[-1]
        if self.groups is not None or size % block or not bool(self.scales.isfinite().all()):
            return None
        scales, zeros = (part.repeat_interleave(size // block, 1) for part in (self.scales, self.zeros))
        scales = scales.float() if scales.dtype == torch.bfloat16 else scales
        own = None if bool((zeros == 1 << self.bits - 1).all()) else zeros
        return stored(self.codes, scales, self.bits, dtype, own, block=block)

    def matrix(self) -> Tensor:
        """The weights, f32 (N, K)."""
        rows, depth = self.shape
        size = depth // self.scales.shape[1]
        groups = torch.arange(depth) // size if self.groups is None else self.groups
        numbers = self.codes(slice(0, rows)).int() - self.zeros.int()[:, groups]
        return numbers * self.scales.float()[:, groups]


class PackedTensors:
    """The ``tensors`` of a folder whose configuration is ``config``; raises `HexError` for other methods."""

    def __init__(self, config: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> None:
        given = config.get("quantization_config") or {}
        self.method = given.get("quant_method") if isinstance(given, Mapping) else given
        self.tensors = tensors
        if not given:
            return
        self.less = 0 if given.get("checkpoint_format") == "gptq_v2" else 1
        if self.method not in METHODS:
            raise HexError.plain(f"weights of '{str(self.method)[:40]}'", origin=ORIGIN,
                                 hint=f"weights that are floats, or of {', '.join(METHODS)}")

    def find(self, name: str, shape: tuple[int, ...]) -> PackedCodes | None:
        """The matrix of ``shape`` (N, K) that would be called ``name``; None where it is no packed one. Raises
        `HexError` for wrong shapes."""
        layer, _, what = name.rpartition(".")
        suffix = ".weight_packed" if self.method == "compressed-tensors" else ".qweight"
        if self.method is None or what != "weight" or layer + suffix not in self.tensors:
            return None
        read = {"gptq": self._gptq, "awq": self._awq, "compressed-tensors": self._compressed}[self.method]
        rows, depth = shape
        found = read(layer, rows, depth)
        if (found.scales.shape != found.zeros.shape or len(found.scales) != rows or depth % found.scales.shape[1]
                or found.scales.dtype not in _SCALES):
            raise _wrong(layer, "scales or zero points", found.scales)
        return found

    def _gptq(self, layer: str, rows: int, depth: int) -> PackedCodes:
        packed, zeros = self._words(f"{layer}.qweight"), self._words(f"{layer}.qzeros")
        bits = _bits(layer, packed, packed.shape[0], packed.shape[1], depth, rows)
        scales = self._get(f"{layer}.scales").T
        points = _unpacked(zeros, bits)[:, :rows].T + self.less
        groups, size = self.tensors.get(f"{layer}.g_idx"), max(depth // max(scales.shape[1], 1), 1)
        if groups is not None:
            groups = groups.long()
            if groups.shape != (depth,) or not bool(((groups >= 0) & (groups < scales.shape[1])).all()):
                raise _wrong(layer, "g_idx", groups)
            groups = None if torch.equal(groups, torch.arange(depth) // size) else groups
        return PackedCodes(lambda some: _unpacked(packed.T[some], bits), scales, points.to(torch.uint8), bits,
                           (rows, depth), groups)

    def _awq(self, layer: str, rows: int, depth: int) -> PackedCodes:
        packed, zeros = self._words(f"{layer}.qweight"), self._words(f"{layer}.qzeros")
        bits = _bits(layer, packed, packed.shape[1], packed.shape[0], rows, depth)
        each = _WORD_BITS // bits
        if each != len(_AWQ_ORDER):
            raise _wrong(layer, f"codes of {bits} bits", packed)

        def codes(some: slice) -> Tensor:
            words = packed[:, some.start // each: -(-some.stop // each)]
            return _unpacked(words, bits, _AWQ_ORDER)[:, :some.stop - some.start].T

        return PackedCodes(codes, self._get(f"{layer}.scales").T, _unpacked(zeros, bits, _AWQ_ORDER).T, bits,
                           (rows, depth))

    def _compressed(self, layer: str, rows: int, depth: int) -> PackedCodes:
        packed, scales = self._words(f"{layer}.weight_packed"), self._get(f"{layer}.weight_scale")
        bits = _bits(layer, packed, packed.shape[1], packed.shape[0], depth, rows)
        zeros, middle = self.tensors.get(f"{layer}.weight_zero_point"), 1 << bits - 1
        if zeros is None:
            points = torch.full(scales.shape, middle, dtype=torch.uint8)
        elif zeros.dtype == torch.int32:
            points = _unpacked(self._words(f"{layer}.weight_zero_point").T, bits).T[:rows]
        else:
            points = (zeros.int() + middle).to(torch.uint8)
        groups = self.tensors.get(f"{layer}.weight_g_idx")
        if groups is not None and bool((groups >= 0).any()):
            raise _wrong(layer, "weight_g_idx", groups)
        return PackedCodes(lambda some: _unpacked(packed[some], bits)[:, :depth], scales, points, bits, (rows, depth))

    def _get(self, name: str) -> Tensor:
        found = self.tensors.get(name)
        if found is None or found.dim() != 2 or not found.numel():
            raise HexError.plain(f"no matrix '{name}'", origin=ORIGIN, hint="is a file missing?")
        return found

    def _words(self, name: str) -> Tensor:
        found = self._get(name)
        if found.dtype != torch.int32:
            raise _wrong(name, "words", found)
        return found


def _bits(layer: str, packed: Tensor, words: int, others: int, numbers: int, rest: int) -> int:
    """The bits of codes of which ``numbers`` are in so many ``words``, in each of ``others``, which are ``rest``."""
    for bits in (4, 8):
        if words == -(-numbers * bits // _WORD_BITS) and others == rest:
            return bits
    raise _wrong(layer, "codes", packed)


def _unpacked(words: Tensor, bits: int, order: tuple[int, ...] | None = None) -> Tensor:
    """The codes in ``words`` (R, C), uint8 (R, C * 32 / bits): the first one in the lowest bits, or in ``order``."""
    places = torch.tensor(range(_WORD_BITS // bits) if order is None else order, dtype=torch.int32)
    numbers = words[:, :, None] >> places * bits & (1 << bits) - 1
    return numbers.reshape(len(words), -1).to(torch.uint8)


def _wrong(name: str, what: str, found: Tensor) -> HexError:
    return HexError.plain(f"'{name}' has {what} of {found.dtype} {tuple(found.shape)}", origin=ORIGIN,
                          hint="4 or 8 bits in words of 32, with scales for groups")
