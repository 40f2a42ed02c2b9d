"""Slices along one dimension written to dynamic places: what caches of keys and values do at each step.

Of a buffer that the model owns, the slices are written where the buffer is: `rewrites.states` finds those.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.fx import Node

from hexagon_mlir.dialects.in_place import IN_PLACE
from hexagon_mlir.frontend.torch.graph import args_of, dtype_of, shape_of
from hexagon_mlir.frontend.torch.importer import BUILDERS

ELEMENTS = {torch.float32: "f32", torch.float16: "f16", torch.bfloat16: "bf16", torch.int32: "i32",
            torch.int64: "i64", torch.int8: "i8"}


@torch.library.custom_op("hexagon_mlir::put_slices", mutates_args=())
def put_slices(x: Tensor, places: Tensor, values: Tensor, wraps: bool) -> Tensor:
    """``x`` (P, N, L) in which ``[:, places[k]]`` becomes ``values[:, k]`` of (P, K, L), one after the other.

    ``places`` is int32, 0 to N-1; where it ``wraps``, -N to -1 count from the end.
    """
    result = x.clone(memory_format=torch.contiguous_format)
    for number, place in enumerate(places.tolist()):
        result[:, place] = values[:, number]
    return result


@put_slices.register_fake
def _(x: Tensor, places: Tensor, values: Tensor, wraps: bool) -> Tensor:
    return torch.empty_like(x, memory_format=torch.contiguous_format)


def put_slices_in_place(x: Tensor, places: Tensor, values: Tensor, wraps: bool) -> Tensor:
    """`put_slices`, whose result is in the memory of ``x``."""
    return put_slices(x, places, values, wraps)


def build(node: Node) -> str:
    """The function for one `put_slices` or `put_slices_in_place` node."""
    x, places, _, wraps = args_of(node)
    (blocks, rows, length), (count,) = shape_of(x), shape_of(places)
    e = ELEMENTS[dtype_of(x)]
    whole, given = f"tensor<{blocks}x{rows}x{length}x{e}>", f"tensor<{blocks}x{count}x{length}x{e}>"
    in_place = node.target is put_slices_in_place
    start = "" if in_place else f"""
  %none = tensor.empty() : {whole}
  %start = linalg.copy ins(%x : {whole}) outs(%none : {whole}) -> {whole}"""
    wrapped = f"""
    %rows = arith.constant {rows} : i32
    %zero = arith.constant 0 : i32
    %before = arith.cmpi slt, %place, %zero : i32
    %last = arith.addi %place, %rows : i32
    %row = arith.select %before, %last, %place : i32""" if wraps else ""
    if length == 1:
        write = f"""%new = tensor.extract %values[%b, %k, %c0] : {given}
      %r = tensor.insert %new into %o[%b, %p, %c0] : {whole}"""
    else:
        write = f"""%new = tensor.extract_slice %values[%b, %k, 0] [1, 1, {length}] [1, 1, 1]
          : {given} to tensor<{length}x{e}>
      %r = tensor.insert_slice %new into %o[%b, %p, 0] [1, 1, {length}] [1, 1, 1]
          : tensor<{length}x{e}> into {whole}"""
    return f"""
func.func @kernel(%x: {whole}{' {bufferization.writable = true}' if in_place else ''}, %places: tensor<{count}xi32>,
    %values: {given}) -> {whole}{f' attributes {{{IN_PLACE} = array<i64: 0>}}' if in_place else ''} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %count = arith.constant {count} : index
  %blocks = arith.constant {blocks} : index{start}
  %result = scf.for %k = %c0 to %count step %c1 iter_args(%a = %{'x' if in_place else 'start'}) -> ({whole}) {{
    %place = tensor.extract %places[%k] : tensor<{count}xi32>{wrapped}
    %p = arith.index_cast %{'row' if wraps else 'place'} : i32 to index
    %done = scf.for %b = %c0 to %blocks step %c1 iter_args(%o = %a) -> ({whole}) {{
      {write}
      scf.yield %r : {whole}
    }}
    scf.yield %done : {whole}
  }}
  return %result : {whole}
}}
"""


BUILDERS[torch.ops.hexagon_mlir.put_slices.default] = build
BUILDERS[put_slices_in_place] = build
