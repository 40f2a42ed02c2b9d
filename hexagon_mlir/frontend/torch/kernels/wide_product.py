"""Products of f16 matrices whose sums are not rounded: results of f32."""

from __future__ import annotations

import torch
from torch.fx import Node

from hexagon_mlir.frontend.torch.graph import args_of, shape_of
from hexagon_mlir.frontend.torch.importer import BUILDERS, INLINED
from hexagon_mlir.frontend.torch.kernels.builder import F32, FunctionBuilder, Type, Value


def wide_product(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Shapes (M, K), (K, N) -> (M, N) of f32, or with the same batches B before each, whatever the factors' type."""
    return torch.matmul(x.to(torch.float32), y.to(torch.float32))


def build_wide_product(node: Node) -> str:
    """Elements are extended as they are multiplied: such a product of f16 is one for the matrix engine."""
    shapes = [shape_of(value) for value in (*args_of(node), node)]
    function = FunctionBuilder([Type("f16", shape) for shape in shapes[:2]])
    zeros = function.fill(function.constant("0.0", F32), function.empty(Type("f32", shapes[2])))

    def add(left: Value, right: Value, total: Value) -> Value:
        product = function.apply("arith.mulf", function.to_f32(left), function.to_f32(right))
        return function.apply("arith.addf", total, product)

    batches = "abcdefgh"[:len(shapes[2]) - 2]
    return function.text(function.generic(f"{batches}mz,{batches}zn->{batches}mn", function.arguments, zeros, add))


BUILDERS[wide_product] = build_wide_product
INLINED.add(wide_product)
