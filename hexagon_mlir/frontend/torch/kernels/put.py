"""Rows written to dynamic indices, to which scatters and index assignments are lowered."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor
from torch.fx import Node

from hexagon_mlir.frontend.torch.graph import args_of, dtype_of, shape_of
from hexagon_mlir.frontend.torch.importer import BUILDERS

ELEMENTS = {torch.float32: "f32", torch.int32: "i32", torch.int64: "i64"}
_OPERATIONS = {("add", True): "arith.addf", ("add", False): "arith.addi",
               ("multiply", True): "arith.mulf", ("multiply", False): "arith.muli",
               ("maximum", True): "arith.maximumf", ("maximum", False): "arith.maxsi",
               ("minimum", True): "arith.minimumf", ("minimum", False): "arith.minsi"}
_TORCH: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "add": torch.add, "multiply": torch.mul, "maximum": torch.maximum, "minimum": torch.minimum}


@torch.library.custom_op("hexagon_mlir::put", mutates_args=())
def put(x: Tensor, places: Tensor, values: Tensor, how: str) -> Tensor:
    """``x`` (N, L) in which row ``places[k]`` becomes row k of ``values`` (K, L), for k = 0..K-1 one after the other.

    ``how`` is "replace", or the operation that combines the row with the old one. ``places`` is int32, 0 to N-1.
    """
    result = x.clone(memory_format=torch.contiguous_format)
    for place, row in zip(places.tolist(), values, strict=True):
        result[place] = row if how == "replace" else _TORCH[how](result[place], row)
    return result


@put.register_fake
def _(x: Tensor, places: Tensor, values: Tensor, how: str) -> Tensor:
    return torch.empty_like(x, memory_format=torch.contiguous_format)


def build(node: Node) -> str:
    """The function for one ``put`` node."""
    x, places, _, how = args_of(node)
    (rows, length), (count,) = shape_of(x), shape_of(places)
    e = ELEMENTS[dtype_of(x)]
    whole, row = f"tensor<{rows}x{length}x{e}>", f"tensor<{length}x{e}>"
    numbers, rows_put = f"tensor<{count}xi32>", f"tensor<{count}x{length}x{e}>"
    operation = _OPERATIONS.get((how, dtype_of(x).is_floating_point))
    if length == 1:
        body = f"    %new = tensor.extract %values[%k, %c0] : {rows_put}\n"
        if operation:
            body += f"""    %old = tensor.extract %o[%p, %c0] : {whole}
    %both = {operation} %old, %new : {e}
"""
        body += f"    %r = tensor.insert %{'both' if operation else 'new'} into %o[%p, %c0] : {whole}"
    else:
        body = f"""    %new = tensor.extract_slice %values[%k, 0] [1, {length}] [1, 1]
        : {rows_put} to {row}
"""
        if operation:
            same = "affine_map<(i) -> (i)>"
            body += f"""    %old = tensor.extract_slice %o[%p, 0] [1, {length}] [1, 1] : {whole} to {row}
    %both = linalg.generic {{indexing_maps = [{same}, {same}], iterator_types = ["parallel"]}}
        ins(%new : {row}) outs(%old : {row}) {{
      ^bb0(%n: {e}, %b: {e}):
        %t = {operation} %b, %n : {e}
        linalg.yield %t : {e}
    }} -> {row}
"""
        body += f"""    %r = tensor.insert_slice %{'both' if operation else 'new'} into %o[%p, 0] [1, {length}] [1, 1]
        : {row} into {whole}"""
    return f"""
func.func @kernel(%x: {whole}, %places: {numbers}, %values: {rows_put}) -> {whole} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %count = arith.constant {count} : index
  %none = tensor.empty() : {whole}
  %start = linalg.copy ins(%x : {whole}) outs(%none : {whole}) -> {whole}
  %result = scf.for %k = %c0 to %count step %c1 iter_args(%o = %start) -> ({whole}) {{
    %place = tensor.extract %places[%k] : {numbers}
    %p = arith.index_cast %place : i32 to index
{body}
    scf.yield %r : {whole}
  }}
  return %result : {whole}
}}
"""


BUILDERS[torch.ops.hexagon_mlir.put.default] = build
