"""Blocks of quantized weights as GGUF files have them, to f32.

The layouts are those of ggml (``ggml-common.h``); MXFP4 is of the OCP microscaling formats 1.0, its
nibbles are placed as in Q4_0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Blocks = NDArray[np.uint8]
Weights = NDArray[np.float32]
_MXFP4 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6], np.float32)


@dataclass(frozen=True)
class Coded:
    """How ``block`` weights that share a scale are codes of ``bits``: ``codes`` gives uint8 (B, W) of blocks of W
    weights, ``scales`` the scales (B, W / block), minima like them, if there are some, and, where these are bytes,
    their factors (B, 1), in the order of `hexagon_mlir.frontend.torch.block_weights.BlockWeights`."""

    codes: Callable[[Blocks], Blocks]
    scales: Callable[[Blocks], list[NDArray[Any]]]
    bits: int = 4
    block: int = 32


@dataclass(frozen=True)
class Scheme:
    """``weights`` makes (B, `weights_in_block`) of f32 of blocks (B, `nbytes`)."""

    name: str
    weights_in_block: int
    nbytes: int
    weights: Callable[[Blocks], Weights]
    coded: Coded | None = None


def _half(blocks: Blocks, first: int) -> Weights:
    """The f16 at byte ``first`` of each block, (B, 1)."""
    return _halves(blocks, first)[0].astype(np.float32)


def _nibbles(packed: Blocks) -> NDArray[np.int8]:
    """The low nibbles of all bytes, then the high ones."""
    return np.concatenate([packed & 15, packed >> 4], axis=-1).astype(np.int8)


def _q4_0(blocks: Blocks) -> Weights:
    return (_nibbles(blocks[:, 2:]) - np.int8(8)) * _half(blocks, 0)


def _codes_from(first: int) -> Callable[[Blocks], Blocks]:
    """The nibbles from byte ``first`` of a block on."""
    return lambda blocks: _nibbles(blocks[:, first:]).view(np.uint8)


def _codes_of_q8_0(blocks: Blocks) -> Blocks:
    return blocks[:, 2:] ^ np.uint8(128)


def _halves(blocks: Blocks, *places: int) -> list[NDArray[Any]]:
    """The f16 at some bytes of each block, (B, 1) each."""
    return [blocks[:, first:first + 2].copy().view(np.float16) for first in places]


def _first_byte(blocks: Blocks) -> list[NDArray[Any]]:
    return [blocks[:, :1]]


def _q4_1(blocks: Blocks) -> Weights:
    return _nibbles(blocks[:, 4:]) * _half(blocks, 0) + _half(blocks, 2)


def _q8_0(blocks: Blocks) -> Weights:
    return blocks[:, 2:].view(np.int8) * _half(blocks, 0)


def _mxfp4(blocks: Blocks) -> Weights:
    scale = np.ldexp(np.float32(1), blocks[:, :1].astype(np.int32) - 127).astype(np.float32)
    return _MXFP4[_nibbles(blocks[:, 1:])] * scale


def _q4_k(blocks: Blocks) -> Weights:
    """Eight groups of 32."""
    scales, minima, unit, least = (part.astype(np.float32) for part in _scales_of_q4_k(blocks))
    scales, minima = scales * unit, minima * least
    numbers = _codes_of_q4_k(blocks).reshape(-1, 8, 32)
    return (scales[..., None] * numbers + minima[..., None]).reshape(-1, 256).astype(np.float32)


def _codes_of_q4_k(blocks: Blocks) -> Blocks:
    return _nibbles(blocks[:, 16:].reshape(-1, 4, 32)).reshape(-1, 256).view(np.uint8)


def _scales_of_q4_k(blocks: Blocks) -> list[NDArray[Any]]:
    """Scales and minima of 6 bits, as bytes: of the first four groups in a byte each, of the others four bits, and two
    more at the top of the first ones' bytes. Their factors: minima are subtracted."""
    packed = blocks[:, 4:16].reshape(len(blocks), 3, 4)
    scales = np.concatenate([packed[:, 0] & 63, (packed[:, 2] & 15) | (packed[:, 0] >> 6 << 4)], axis=1)
    minima = np.concatenate([packed[:, 1] & 63, (packed[:, 2] >> 4) | (packed[:, 1] >> 6 << 4)], axis=1)
    unit, least = _halves(blocks, 0, 2)
    return [scales.view(np.int8), minima.view(np.int8), unit, -least]


def _q6_k(blocks: Blocks) -> Weights:
    """Sixteen groups of 16."""
    numbers = _codes_of_q6_k(blocks).view(np.int8).reshape(-1, 16, 16) - np.int8(32)
    scales = _half(blocks, 208) * blocks[:, 192:208].view(np.int8)
    return (numbers * scales[..., None]).reshape(-1, 256).astype(np.float32)


def _codes_of_q6_k(blocks: Blocks) -> Blocks:
    """Four bits of each weight, then two more of four weights in a byte; they count from 32."""
    count = len(blocks)
    low = _nibbles(blocks[:, :128].reshape(count, 2, 64)).reshape(count, 2, 4, 32)
    packed = blocks[:, 128:192].reshape(count, 2, 1, 32)
    high = (packed >> np.array([0, 2, 4, 6], np.uint8)[:, None] & 3).astype(np.int8)
    return (low | high << 4).view(np.uint8).reshape(count, 256)


def _scales_of_q6_k(blocks: Blocks) -> list[NDArray[Any]]:
    return [blocks[:, 192:208].view(np.int8), *_halves(blocks, 208)]


def _f32(blocks: Blocks) -> Weights:
    return blocks.view(np.float32)


def _f16(blocks: Blocks) -> Weights:
    return blocks.view(np.float16).astype(np.float32)


def _bf16(blocks: Blocks) -> Weights:
    return (blocks.view(np.uint16).astype(np.uint32) << 16).view(np.float32)


SCHEMES = {0: Scheme("F32", 1, 4, _f32), 1: Scheme("F16", 1, 2, _f16),
           2: Scheme("Q4_0", 32, 18, _q4_0, Coded(_codes_from(2), lambda blocks: _halves(blocks, 0))),
           3: Scheme("Q4_1", 32, 20, _q4_1, Coded(_codes_from(4), lambda blocks: _halves(blocks, 0, 2))),
           8: Scheme("Q8_0", 32, 34, _q8_0, Coded(_codes_of_q8_0, lambda blocks: _halves(blocks, 0), 8)),
           12: Scheme("Q4_K", 256, 144, _q4_k, Coded(_codes_of_q4_k, _scales_of_q4_k)),
           14: Scheme("Q6_K", 256, 210, _q6_k, Coded(_codes_of_q6_k, _scales_of_q6_k, 6, 16)),
           30: Scheme("BF16", 1, 2, _bf16),
           39: Scheme("MXFP4", 32, 17, _mxfp4, Coded(_codes_from(1), _first_byte))}
"""By the number that files name the type with."""
