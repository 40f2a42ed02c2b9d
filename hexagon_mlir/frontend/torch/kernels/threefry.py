"""Random words of the generator Threefry-2x32 with 20 rounds, of Salmon et al., Parallel random numbers (2011)."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.fx import Node

from hexagon_mlir.frontend.torch.graph import shape_of
from hexagon_mlir.frontend.torch.importer import BUILDERS, INLINED

ROTATIONS = (13, 15, 26, 6, 17, 29, 16, 24)
"""Bits by which the second word is rotated in the rounds, again and again (table 2 of the article)."""
PARITY = 0x1BD11BDA
"""The constant from which and the key's words the third word of the key is made."""
ROUNDS = 20
_MASK = 0xFFFFFFFF


def threefry(key: tuple[Tensor, Tensor], counter: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
    """The two words for each ``counter``; all are int64 tensors of numbers from 0 to 2^32 - 1."""
    keys = (*key, key[0] ^ key[1] ^ PARITY)
    x, y = (counter[0] + keys[0]) & _MASK, (counter[1] + keys[1]) & _MASK
    for number in range(ROUNDS):
        rotation = ROTATIONS[number % 8]
        x = (x + y) & _MASK
        y = ((y << rotation) & _MASK | y >> (32 - rotation)) ^ x
        if number % 4 == 3:
            place = number // 4 + 1
            x = (x + keys[place % 3]) & _MASK
            y = (y + keys[(place + 1) % 3] + place) & _MASK
    return x, y


def _words(low: Tensor, high: Tensor, count: int) -> Tensor:
    key = (low.to(torch.int64) & _MASK, high.to(torch.int64) & _MASK)
    first, _ = threefry(key, (torch.arange(count), torch.zeros(count, dtype=torch.int64)))
    return torch.where(first >> 31 == 1, first - (1 << 32), first).to(torch.int32)


_LIBRARY = torch.library.Library("hexagon_mlir", "FRAGMENT")
_LIBRARY.define("random_words(Tensor low, Tensor high, SymInt count) -> Tensor")
_LIBRARY.impl("random_words", _words, "CompositeExplicitAutograd")
torch.library.register_fake("hexagon_mlir::random_words",
                            lambda low, high, count: torch.empty(count, dtype=torch.int32), lib=_LIBRARY)
RANDOM_WORDS = torch.ops.hexagon_mlir.random_words.default
"""RANDOM_WORDS(low, high, count): int32 of shape (count,); element i is the first word for the counter (i, 0).

``low`` and ``high`` are the key's words, int32 without dimensions.
"""


def build(node: Node) -> str:
    """The function for one ``random_words`` node: each element by itself, so that what uses it can join the loop."""
    result = f"tensor<{shape_of(node)[0]}xi32>"
    lines = ["%index = linalg.index 0 : index", "%counter = arith.index_cast %index : index to i32",
             f"%parity = arith.constant {PARITY} : i32", "%both = arith.xori %k0, %k1 : i32",
             "%k2 = arith.xori %both, %parity : i32", "%x0 = arith.addi %counter, %k0 : i32", "%y0 = arith.addi %k1, "
             "%zero : i32"]
    x, y = "%x0", "%y0"

    def add(operation: str, left: str, right: str) -> str:
        name = f"%r{len(lines)}"
        lines.append(f"{name} = arith.{operation} {left}, {right} : i32")
        return name

    def constant(number: int) -> str:
        name = f"%r{len(lines)}"
        lines.append(f"{name} = arith.constant {number} : i32")
        return name

    for number in range(ROUNDS):
        rotation = ROTATIONS[number % 8]
        x = add("addi", x, y)
        left, right = add("shli", y, constant(rotation)), add("shrui", y, constant(32 - rotation))
        y = add("xori", add("ori", left, right), x)
        if number % 4 == 3:
            place = number // 4 + 1
            x = add("addi", x, f"%k{place % 3}")
            y = add("addi", y, add("addi", f"%k{(place + 1) % 3}", constant(place)))
    body = "\n    ".join(lines)
    return f"""func.func @kernel(%low: tensor<i32>, %high: tensor<i32>) -> {result} {{
  %zero = arith.constant 0 : i32
  %none = tensor.empty() : {result}
  %words = linalg.generic {{indexing_maps = [affine_map<(i) -> ()>, affine_map<(i) -> ()>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}} ins(%low, %high : tensor<i32>, tensor<i32>) outs(%none : {result}) {{
  ^bb0(%k0: i32, %k1: i32, %o: i32):
    {body}
    linalg.yield {x} : i32
  }} -> {result}
  return %words : {result}
}}
"""


BUILDERS[RANDOM_WORDS] = build
INLINED.add(RANDOM_WORDS)
