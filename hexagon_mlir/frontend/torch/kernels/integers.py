"""Products of integers summed in 32 bits, as linalg's named ops on operands of their own width."""

from __future__ import annotations

import torch
from torch.fx import Node

from hexagon_mlir.frontend.torch.graph import args_of, dtype_of, shape_of
from hexagon_mlir.frontend.torch.importer import BUILDERS, INLINED

ELEMENTS = {torch.int8: "i8", torch.uint8: "i8", torch.int16: "i16", torch.int32: "i32"}


def integer_product(x: torch.Tensor, weight: torch.Tensor, start: torch.Tensor) -> torch.Tensor:
    """Shapes ([B,] M, K), ([B,] K, N), ([B,] N) -> ([B,] M, N) i32; 128 is subtracted from bytes without sign."""
    wide = x.to(torch.int32) - (128 if x.dtype == torch.uint8 else 0)
    return (wide @ weight.to(torch.int32)).to(torch.int32) + start.unsqueeze(-2)


def with_sign(x: str, type_: str, rank: int) -> str:
    """``%s``: the bytes ``x`` minus 128, which converts unsigned bytes to signed ones."""
    loops = ", ".join(f"d{d}" for d in range(rank))
    same, kinds = f"affine_map<({loops}) -> ({loops})>", ", ".join(['"parallel"'] * rank)
    return f"""  %se = tensor.empty() : {type_}
  %s = linalg.generic {{indexing_maps = [{same}, {same}], iterator_types = [{kinds}]}}
      ins({x} : {type_}) outs(%se : {type_}) {{
    ^bb0(%byte: i8, %none: i8):
      %first = arith.constant -128 : i8
      %flipped = arith.xori %byte, %first : i8
      linalg.yield %flipped : i8
  }} -> {type_}
"""


def build_integer_product(node: Node) -> str:
    """One named op that accumulates on the initial values."""
    x, weight, start = args_of(node)
    a, b, sums, out = (_tensor(shape_of(value), ELEMENTS[dtype_of(value)]) for value in (x, weight, start, node))
    batch = len(shape_of(x)) - 2
    flip = dtype_of(x) == torch.uint8
    return f"""func.func @kernel(%x: {a}, %weight: {b}, %start: {sums}) -> {out} {{
{with_sign("%x", a, batch + 2) if flip else ""}  %e = tensor.empty() : {out}
  %init = linalg.broadcast ins(%start : {sums}) outs(%e : {out}) dimensions = [{batch}]
  %result = linalg.{"batch_matmul" if batch else "matmul"} ins({"%s" if flip else "%x"}, %weight : {a}, {b})
      outs(%init : {out}) -> {out}
  return %result : {out}
}}
"""


def _tensor(shape: tuple[int, ...], element: str) -> str:
    return f"tensor<{'x'.join(map(str, (*shape, element)))}>"


BUILDERS[integer_product] = build_integer_product
INLINED.add(integer_product)
