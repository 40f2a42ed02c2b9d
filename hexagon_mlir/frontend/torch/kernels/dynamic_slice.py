"""The slice of a tensor at an index that a run computes: where the tensor is, without a copy.

The weights of one expert of many, say: the kernel that multiplies them transfers them from their place.
"""

from __future__ import annotations

import torch
from torch.fx import Node

from hexagon_mlir.frontend.torch.graph import args_of, dtype_of, shape_of
from hexagon_mlir.frontend.torch.importer import BUILDERS, INLINED

ELEMENTS = {torch.float32: "f32", torch.float16: "f16", torch.bfloat16: "bf16", torch.int64: "i64", torch.int32: "i32",
            torch.int16: "i16", torch.int8: "i8", torch.uint8: "i8", torch.bool: "i1"}


def dynamic_slice(x: torch.Tensor, index: torch.Tensor, dim: int) -> torch.Tensor:
    """Slice number ``index`` (1) of dimension ``dim`` of ``x``, which keeps this dimension with size 1.

    ``index`` is int32 or int64; negative ones count from the end. Eager PyTorch refuses one out of bounds; a compiled
    program takes the nearest slice.
    """
    size = x.shape[dim]
    return x.index_select(dim, torch.where(index < 0, index + size, index).clamp(0, size - 1))


def build_dynamic_slice(node: Node) -> str:
    """One ``tensor.extract_slice``, with its offset in bounds."""
    x, index, dim = args_of(node)
    whole, part, e, i = shape_of(x), shape_of(node), ELEMENTS[dtype_of(x)], ELEMENTS[dtype_of(index)]
    offsets = ", ".join("%place" if d == dim else "0" for d in range(len(whole)))
    sizes, ones = ", ".join(map(str, part)), ", ".join("1" for _ in part)
    given, result = (f"tensor<{'x'.join(map(str, (*shape, e)))}>" for shape in (whole, part))
    return f"""func.func @kernel(%x: {given}, %index: tensor<1x{i}>) -> {result} {{
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : {i}
  %size = arith.constant {whole[dim]} : {i}
  %last = arith.constant {whole[dim] - 1} : {i}
  %given = tensor.extract %index[%c0] : tensor<1x{i}>
  %negative = arith.cmpi slt, %given, %zero : {i}
  %wrapped = arith.addi %given, %size : {i}
  %any = arith.select %negative, %wrapped, %given : {i}
  %low = arith.maxsi %any, %zero : {i}
  %bound = arith.minsi %low, %last : {i}
  %place = arith.index_cast %bound : {i} to index
  %slice = tensor.extract_slice %x[{offsets}] [{sizes}] [{ones}] : {given} to {result}
  return %slice : {result}
}}
"""


BUILDERS[dynamic_slice] = build_dynamic_slice
INLINED.add(dynamic_slice)
