"""The products that `bench/engine_choice.py` measures are those that it names."""

import pytest

from bench.engine_choice import IntegerProduct
from hexagon_mlir.ir import parse


@pytest.mark.parametrize("sizes", [(64, 96, 96), (96, 96, 64), (96, 64, 96), (3, 5, 7)])
def test_bytes_times_bytes_are_words(sizes):
    m, k, n = sizes
    module = parse(IntegerProduct(m, k, n).text(), file="product.mlir")
    given = str(module.body.operations[0].attributes["function_type"])
    assert given == f"(tensor<{m}x{k}xi8>, tensor<{k}x{n}xi8>) -> tensor<{m}x{n}xi32>"
