"""The rank of each element of a row: the number of elements before it in sorted order."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.fx import Node

from hexagon_mlir.frontend.torch.graph import args_of, dtype_of, shape_of
from hexagon_mlir.frontend.torch.importer import BUILDERS
from hexagon_mlir.frontend.torch.kernels.put import ELEMENTS


@torch.library.custom_op("hexagon_mlir::ranks", mutates_args=())
def ranks(x: Tensor, descending: bool) -> Tensor:
    """Of ``x`` (R, N), as int32; equal elements keep their order, NaN is the largest number."""
    order = torch.sort(x, dim=1, descending=descending, stable=True)[1]
    return torch.argsort(order, dim=1).to(torch.int32).contiguous()


@ranks.register_fake
def _(x: Tensor, descending: bool) -> Tensor:
    return torch.empty(x.shape, dtype=torch.int32, device=x.device)


_KEYS = """
  %%keys_none = tensor.empty() : {whole}
  %%keys = linalg.generic {{indexing_maps = [affine_map<(r, i) -> (r, i)>, affine_map<(r, i) -> (r, i)>],
      iterator_types = ["parallel", "parallel"]}} ins(%x : {given}) outs(%%keys_none : {whole}) {{
  ^bb0(%v: f32, %o: i32):
    %bits = arith.bitcast %v : f32 to i32
    %c31 = arith.constant 31 : i32
    %all = arith.constant 0x7FFFFFFF : i32
    %infinity = arith.constant 0x7F800000 : i32
    %size = arith.andi %bits, %all : i32
    %sign = arith.shrsi %bits, %c31 : i32
    %flipped = arith.xori %size, %sign : i32
    %number = arith.subi %flipped, %sign : i32
    %nan = arith.cmpi sgt, %size, %infinity : i32
    %key = arith.select %nan, %all, %number : i32
    linalg.yield %key : i32
  }} -> {whole}""".replace("%%", "%")
"""Integers in the order of the numbers: 0.0 and -0.0 are equal, NaN is the largest."""


def build(node: Node) -> str:
    """The function for one ``ranks`` node."""
    x, descending = args_of(node)
    (rows, size), given = shape_of(x), ELEMENTS[dtype_of(x)]
    e = "i32" if given == "f32" else given
    whole, counts = f"tensor<{rows}x{size}x{e}>", f"tensor<{rows}x{size}xi32>"
    source = "%keys" if given == "f32" else "%x"
    here, other = "affine_map<(r, i, j) -> (r, i)>", "affine_map<(r, i, j) -> (r, j)>"
    return f"""
func.func @kernel(%x: tensor<{rows}x{size}x{given}>) -> {counts} {{
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32{_KEYS.format(whole=whole, given=f"tensor<{rows}x{size}xf32>") if given == "f32" else ""}
  %none = tensor.empty() : {counts}
  %start = linalg.fill ins(%zero : i32) outs(%none : {counts}) -> {counts}
  %result = linalg.generic {{indexing_maps = [{here}, {other}, {here}],
      iterator_types = ["parallel", "parallel", "reduction"]}}
      ins({source}, {source} : {whole}, {whole}) outs(%start : {counts}) {{
  ^bb0(%xi: {e}, %xj: {e}, %count: i32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %i32 = arith.index_cast %i : index to i32
    %j32 = arith.index_cast %j : index to i32
    %distance = arith.subi %j32, %i32 : i32
    %c31 = arith.constant 31 : i32
    %earlier = arith.shrui %distance, %c31 : i32
    %less = arith.cmpi {'sgt' if descending else 'slt'}, %xj, %xi : {e}
    %equal = arith.cmpi eq, %xj, %xi : {e}
    %strictly = arith.select %less, %one, %zero : i32
    %before = arith.select %equal, %earlier, %strictly : i32
    %more = arith.addi %count, %before : i32
    linalg.yield %more : i32
  }} -> {counts}
  return %result : {counts}
}}
"""


BUILDERS[torch.ops.hexagon_mlir.ranks.default] = build
