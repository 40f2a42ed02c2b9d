"""Sums of 32 bits to bytes as the matrix engine converts them (`hexagon_mlir.dialects.byte_conversions`)."""

from __future__ import annotations

import torch
from torch.fx import Node

from hexagon_mlir.dialects.byte_conversions import BIAS, SUM, WORD, conversion_text
from hexagon_mlir.frontend.torch.graph import args_of, shape_of
from hexagon_mlir.frontend.torch.importer import BUILDERS, INLINED
from hexagon_mlir.frontend.torch.kernels.requantization import limited, tensor_type

_BYTE = 255


def convert_sums(sums: torch.Tensor, words: torch.Tensor, biases: torch.Tensor, low: int, high: int,
                 dtype: torch.dtype) -> torch.Tensor:
    """i32 of any rank to bytes, then clamped; the least byte of ``dtype`` is the engine's 0.

    ``words`` and ``biases`` are i32 of the same rank with one number for each element along one dimension.
    """
    words = words.to(torch.int64)
    scales = (words & 0x3FF) << 1 | words >> 31 & 1 | 1 << 11
    values = (sums.to(torch.int64) + biases) >> 20 - (words >> 10 & 31)
    bytes_ = ((2 * values + 1) * scales >> 16).clamp(0, _BYTE) + torch.iinfo(dtype).min
    return bytes_.clamp(low, high).to(dtype)


def build_convert_sums(node: Node) -> str:
    """One linalg.generic; numbers of the channels are indexed by their dimension."""
    sums, words, _, low, high, dtype = args_of(node)
    shape, along = shape_of(sums), shape_of(words)
    channel = next((d for d, size in enumerate(along) if size > 1), len(shape) - 1)
    loops = ", ".join(f"d{d}" for d in range(len(shape)))
    whole, of_channel = (f"affine_map<({loops}) -> ({place})>" for place in (loops, f"d{channel}"))
    given, made, flat = tensor_type(shape, "i32"), tensor_type(shape, "i8"), tensor_type((shape[channel],), "i32")
    numbers, together = tensor_type(along, "i32"), ", ".join(str(d) for d in range(len(shape)))
    signed, last = "", "%converted"
    if dtype == torch.int8:
        signed, last = """      %sign = arith.constant -128 : i8
      %signed = arith.xori %converted, %sign : i8
""", "%signed"
    text = limited(last, low, high, dtype)
    return f"""func.func @kernel(%x: {given}, %w: {numbers}, %b: {numbers}) -> {made} {{
  %wf = tensor.collapse_shape %w [[{together}]] : {numbers} into {flat}
  %bf = tensor.collapse_shape %b [[{together}]] : {numbers} into {flat}
  %e = tensor.empty() : {made}
  %result = linalg.generic {{indexing_maps = [{whole}, {of_channel}, {of_channel}, {whole}],
      iterator_types = [{", ".join(['"parallel"'] * len(shape))}]}}
      ins(%x, %wf, %bf : {given}, {flat}, {flat}) outs(%e : {made}) {{
    ^bb0(%given: i32, %word: i32, %bias: i32, %none: i8):
{conversion_text({SUM: "%given", WORD: "%word", BIAS: "%bias"}, "%converted")}{signed}{text}  }} -> {made}
  return %result : {made}
}}
"""


BUILDERS.update({convert_sums: build_convert_sums})
INLINED.update({convert_sums})
