"""Sums of 32 bits to bytes, and sums of two scaled bytes to bytes: fixed point, every step an integer operation."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch.fx import Node

from hexagon_mlir.frontend.torch.graph import args_of, dtype_of, shape_of
from hexagon_mlir.frontend.torch.importer import BUILDERS, INLINED

_WORD = 32


def requantize(sums: torch.Tensor, factors: torch.Tensor | int, offsets: torch.Tensor | int, left: int, right: int,
               low: int, high: int, dtype: torch.dtype, limit: int = 0) -> torch.Tensor:
    """``floor((floor(sums * 2^left * factors / 2^32) + offsets) / 2^right)``, clamped: i32 of any rank to bytes.

    ``factors`` and ``offsets`` are numbers, or i32 of the same rank with one number for each element along one
    dimension. ``sums`` are clamped to ``limit`` in size first, unless it is 0.
    """
    if limit:
        sums = sums.clamp(-limit, limit)
    high_words = (sums.to(torch.int64) * factors * (1 << left)) >> _WORD
    return ((high_words + offsets) >> right).clamp(low, high).to(dtype)


def add_bytes(x: torch.Tensor, y: torch.Tensor, factors: Sequence[int], offset: int, right: int, low: int, high: int,
              dtype: torch.dtype) -> torch.Tensor:
    """``floor((x * factors[0] + y * factors[1] + offset) / 2^right)``, clamped: bytes of one shape to bytes."""
    total = x.to(torch.int32) * factors[0] + y.to(torch.int32) * factors[1] + offset
    return (total >> right).clamp(low, high).to(dtype)


def build_requantize(node: Node) -> str:
    """One linalg.generic; numbers of the channels are indexed by their dimension."""
    sums, factors, offsets, left, right, low, high, dtype, *rest = args_of(node)
    limit = rest[0] if rest else 0
    shape = shape_of(sums)
    loops = ", ".join(f"d{d}" for d in range(len(shape)))
    whole, given, made = f"affine_map<({loops}) -> ({loops})>", tensor_type(shape, "i32"), tensor_type(shape, "i8")
    maps, arguments, inputs, kinds, collapsed, body = [whole], "", "%x", given, "", ""
    block = "%given: i32"
    if isinstance(factors, Node):
        along = shape_of(factors)
        channel = next((d for d, size in enumerate(along) if size > 1), len(shape) - 1)
        numbers, flat = tensor_type(along, "i32"), tensor_type((shape[channel],), "i32")
        together = ", ".join(str(d) for d in range(len(shape)))
        collapsed = "".join(f"  %{name}f = tensor.collapse_shape %{name} [[{together}]] : {numbers} into {flat}\n"
                            for name in "mb")
        maps += [f"affine_map<({loops}) -> (d{channel})>"] * 2
        arguments, inputs, kinds = f", %m: {numbers}, %b: {numbers}", "%x, %mf, %bf", f"{given}, {flat}, {flat}"
        block += ", %factor: i32, %offset: i32"
    else:
        body = f"""      %factor = arith.constant {factors} : i32
      %offset = arith.constant {offsets} : i32
"""
    last = "%given"
    if limit:
        body += f"""      %beyond = arith.constant {limit} : i32
      %under = arith.constant {-limit} : i32
      %from_under = arith.maxsi %given, %under : i32
      %within = arith.minsi %from_under, %beyond : i32
"""
        last = "%within"
    if left:
        body += f"""      %left = arith.constant {left} : i32
      %s = arith.shli {last}, %left : i32
"""
        last = "%s"
    return f"""func.func @kernel(%x: {given}{arguments}) -> {made} {{
{collapsed}  %e = tensor.empty() : {made}
  %result = linalg.generic {{indexing_maps = [{", ".join([*maps, whole])}],
      iterator_types = [{", ".join(['"parallel"'] * len(shape))}]}}
      ins({inputs} : {kinds}) outs(%e : {made}) {{
    ^bb0({block}, %none: i8):
{body}      %unused, %p = arith.mulsi_extended {last}, %factor : i32
      %sum = arith.addi %p, %offset : i32
{_clamped("%sum", right, low, high, dtype)}  }} -> {made}
  return %result : {made}
}}
"""


def build_add_bytes(node: Node) -> str:
    """One linalg.generic."""
    x, y, factors, offset, right, low, high, dtype = args_of(node)
    shape = shape_of(node)
    loops = ", ".join(f"d{d}" for d in range(len(shape)))
    whole, type_ = f"affine_map<({loops}) -> ({loops})>", tensor_type(shape, "i8")
    wide = ["extui" if dtype_of(value) == torch.uint8 else "extsi" for value in (x, y)]
    return f"""func.func @kernel(%x: {type_}, %y: {type_}) -> {type_} {{
  %e = tensor.empty() : {type_}
  %result = linalg.generic {{indexing_maps = [{whole}, {whole}, {whole}],
      iterator_types = [{", ".join(['"parallel"'] * len(shape))}]}}
      ins(%x, %y : {type_}, {type_}) outs(%e : {type_}) {{
    ^bb0(%p: i8, %q: i8, %none: i8):
      %u = arith.{wide[0]} %p : i8 to i32
      %v = arith.{wide[1]} %q : i8 to i32
      %fu = arith.constant {factors[0]} : i32
      %fv = arith.constant {factors[1]} : i32
      %mu = arith.muli %u, %fu : i32
      %mv = arith.muli %v, %fv : i32
      %both = arith.addi %mu, %mv : i32
      %offset = arith.constant {offset} : i32
      %sum = arith.addi %both, %offset : i32
{_clamped("%sum", right, low, high, dtype)}  }} -> {type_}
  return %result : {type_}
}}
"""


def _clamped(value: str, right: int, low: int, high: int, dtype: torch.dtype) -> str:
    """The shift, the limits of the type (a saturating pack), and the tighter ones on bytes."""
    limits = torch.iinfo(dtype)
    text = f"""      %right = arith.constant {right} : i32
      %least = arith.constant {limits.min} : i32
      %most = arith.constant {limits.max} : i32
      %shifted = arith.shrsi {value}, %right : i32
      %from = arith.maxsi %shifted, %least : i32
      %to = arith.minsi %from, %most : i32
      %byte = arith.trunci %to : i32 to i8
"""
    return text + limited("%byte", low, high, dtype)


def limited(last: str, low: int, high: int, dtype: torch.dtype) -> str:
    """The end of a body: the byte ``last`` within the limits ``low`` and ``high``, where the type has wider ones."""
    text, limits, sign = "", torch.iinfo(dtype), "u" if dtype == torch.uint8 else "s"
    if low > limits.min:
        text += f"""      %low = arith.constant {_signed(low)} : i8
      %above = arith.max{sign}i {last}, %low : i8
"""
        last = "%above"
    if high < limits.max:
        text += f"""      %high = arith.constant {_signed(high)} : i8
      %below = arith.min{sign}i {last}, %high : i8
"""
        last = "%below"
    return text + f"      linalg.yield {last} : i8\n"


def _signed(byte: int) -> int:
    return byte - 256 if byte > 127 else byte


def tensor_type(shape: Sequence[int], element: str) -> str:
    """The text of a tensor's type."""
    return f"tensor<{'x'.join(map(str, (*shape, element)))}>"


BUILDERS.update({requantize: build_requantize, add_bytes: build_add_bytes})
INLINED.update({requantize, add_bytes})
