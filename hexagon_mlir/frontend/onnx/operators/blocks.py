"""Products with weights of a few bits that share scales in blocks: ONNX Runtime's `MatMulNBits`."""

from __future__ import annotations

import torch
from torch import Tensor

from hexagon_mlir.frontend.onnx.operators.registry import operator

_BYTE_BITS = 8
_BITS = (2, 4, 8)
_LEAST_BLOCK = 16


@operator("MatMulNBits")
def matmul_nbits(x: Tensor, codes: Tensor, scales: Tensor, zeros: Tensor | None = None, order: Tensor | None = None,
                 bias: Tensor | None = None, *, K: int, N: int, bits: int = 4, block_size: int = 32,
                 accuracy_level: int = 0) -> Tensor:
    """``x`` (..., K) times the transpose of N rows of K weights, plus ``bias`` (N).

    ``codes``, uint8 (N, blocks, block_size * bits / 8), hold the weights of a block one after the other, the first one
    in the lowest bits; each is a multiple of its block's scale, (N, blocks), less the zero point: 2^(bits - 1), or one
    for each block, packed as the codes are or of the type of ``x``. ``order``: the block of each of K.
    ``accuracy_level`` allows less accuracy than this has.
    """
    if bits not in _BITS or block_size < _LEAST_BLOCK or block_size & block_size - 1:
        raise ValueError(f"there is no code for {bits} bits in blocks of {block_size}")
    blocks = -(-K // block_size)
    if codes.numel() != N * blocks * block_size * bits // _BYTE_BITS or scales.numel() != N * blocks:
        raise ValueError(f"codes {tuple(codes.shape)} and scales {tuple(scales.shape)} are not those of {N} rows of "
                         f"{K} weights in blocks of {block_size}")
    numbers = _unpacked(codes.reshape(N, -1), bits).reshape(N, blocks, block_size)
    if zeros is None:
        numbers = numbers - (1 << bits - 1)
    elif zeros.dtype == torch.uint8:
        numbers = numbers - _unpacked(zeros.reshape(N, -1), bits)[:, :blocks, None]
    else:
        numbers = numbers.to(torch.float32) - zeros.reshape(N, blocks, 1).to(torch.float32)
    steps = scales.reshape(N, blocks, 1)
    if order is None:
        weights = (numbers.to(torch.float32) * steps.to(torch.float32)).reshape(N, -1)[:, :K]
    else:
        if zeros is not None:
            raise ValueError("there is no code for an order of blocks with zero points")
        weights = numbers.reshape(N, -1)[:, :K].to(torch.float32) * steps[:, :, 0].to(torch.float32)[:, order.long()]
    result = x @ weights.to(x.dtype).t()
    return result if bias is None else result + bias


def _unpacked(codes: Tensor, bits: int) -> Tensor:
    """Numbers of ``bits`` in the bytes of each row, the lowest ones first: int32."""
    wide = codes.to(torch.int32)[..., None]
    parts = [(wide >> shift) & (1 << bits) - 1 for shift in range(0, _BYTE_BITS, bits)]
    return torch.cat(parts, -1).reshape(codes.shape[0], -1)
