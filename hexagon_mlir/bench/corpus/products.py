"""Kernels of the corpus that multiply matrices, images and vectors."""

from __future__ import annotations

import numpy as np

from hexagon_mlir.bench.corpus.builders import named_op, of_sizes, triton

_STEPS = "{strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}"
_TOKENS, _WIDTH = 256, 64


def _windows(x: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """n h w c i j: what each place of the image is multiplied by, without borders."""
    return np.lib.stride_tricks.sliding_window_view(x, weights.shape[:2], (1, 2))


def _convolution(x: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """NHWC by HWCF."""
    return np.einsum("nhwcij,ijcf->nhwf", _windows(x, weights), weights, optimize=True)


def _depthwise(x: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """NHWC by HWC."""
    return np.einsum("nhwcij,ijc->nhwc", _windows(x, weights), weights, optimize=True)


def _by_nibbles(x: np.ndarray, packed: np.ndarray) -> np.ndarray:
    """A byte of ``packed`` has the numbers of two rows, the even one's in its lower half."""
    high = np.floor(packed / 16)
    low = (packed - 16 * high + 8) % 16 - 8
    return x @ np.stack([low, high], axis=1).reshape(-1, packed.shape[1])


def _attention(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    scores = q @ k.T / 8
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True) @ v


ENTRIES = (
    of_sizes("matmul", (128, 256, 192), (128, 192)),
    named_op("matrix by vector", "matvec", ("512x768xf32", "768xf32", "512xf32"), np.matmul),
    named_op("matmul f16", "matmul", ("128x256xf16", "256x192xf16", "128x192xf32"), np.matmul, 2e-3),
    named_op("matmul i8", "matmul", ("128x256xi8", "256x192xi8", "128x192xi32"), np.matmul, 0.0),
    named_op("convolution 3x3", f"conv_2d_nhwc_hwcf {_STEPS}",
             ("1x18x18x32xf32", "3x3x32x32xf32", "1x16x16x32xf32"), _convolution),
    triton("matmul i4", "matmul_i4", ("128x256xi8", "128x256xi8", "128x256xi32"), _by_nibbles, 0.0,
           M=128, K=256, N=256, BLOCK=64),
    named_op("matrix by vector f16", "matvec", ("512x768xf16", "768xf16", "512xf32"), np.matmul, 2e-3),
    named_op("convolution 3x3 f16", f"conv_2d_nhwc_hwcf {_STEPS}",
             ("1x18x18x32xf16", "3x3x32x32xf16", "1x16x16x32xf32"), _convolution, 2e-3),
    named_op("convolution 1x1", f"conv_2d_nhwc_hwcf {_STEPS}",
             ("1x16x16x64xf32", "1x1x64x64xf32", "1x16x16x64xf32"), _convolution),
    named_op("depthwise convolution 3x3", f"depthwise_conv_2d_nhwc_hwc {_STEPS}",
             ("1x34x34x64xf32", "3x3x64xf32", "1x32x32x64xf32"), _depthwise),
    triton("flash attention", "flash_attention", (f"{_TOKENS}x{_WIDTH}xf32",) * 4, _attention, 1e-5,
           (_TOKENS // 64, 1, 1), TOKENS=_TOKENS, WIDTH=_WIDTH, BLOCK_M=64, BLOCK_N=64, SCALE=0.125),
    triton("flash attention f16", "flash_attention", (*(f"{_TOKENS}x{_WIDTH}xf16",) * 3, f"{_TOKENS}x{_WIDTH}xf32"),
           _attention, 2e-3, (_TOKENS // 64, 1, 1), TOKENS=_TOKENS, WIDTH=_WIDTH, BLOCK_M=64, BLOCK_N=64, SCALE=0.125),
)
