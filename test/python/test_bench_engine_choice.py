"""The products that `bench/engine_choice.py` measures are those that it names; of some the choice is right."""

import pytest

from bench.engine_choice import chosen, cycles
from bench.engine_choice_convolutions import ByteConvolutionProgram, ConvolutionProgram, convolutions
from bench.engine_choice_kinds import BatchedProduct, CastProduct, TransposedProduct, products
from bench.engine_products import IntegerProduct, Product
from hexagon_mlir.ir import parse


@pytest.mark.parametrize("sizes", [(64, 96, 96), (96, 96, 64), (96, 64, 96), (3, 5, 7)])
def test_bytes_times_bytes_are_words(sizes):
    m, k, n = sizes
    module = parse(IntegerProduct(m, k, n).text(), file="product.mlir")
    given = str(module.body.operations[0].attributes["function_type"])
    assert given == f"(tensor<{m}x{k}xi8>, tensor<{k}x{n}xi8>) -> tensor<{m}x{n}xi32>"


def test_sizes_of_few_rows():
    found = list(products(40, "few-rows", 0))
    assert {product.m for product in found} <= set(range(1, 9))
    assert all(256 <= size <= 4096 for product in found for size in (product.k, product.n))


def test_sizes_of_convolutions():
    found = list(convolutions(40, "byte-convolutions", 0))
    assert {(each.window, each.stride) for each in found} >= {(1, 2), (3, 1), (5, 1)}
    assert all(each.rows >= each.window and each.columns >= each.window for each in found)
    assert 10 < sum(each.channels % 32 == 0 for each in found) < 30
    image, windows, result = found[0].operands()
    places = [(size - found[0].window) // found[0].stride + 1 for size in image.shape[1:3]]
    assert result.shape == (1, *places, windows.shape[-1]) and result.dtype == "int32"


class ManyProducts(BatchedProduct):
    """More of them than are measured."""

    count = 200


CHOICES = [
    Product(20, 27, 15), Product(1, 300, 90), Product(45, 10, 120), IntegerProduct(72, 100, 97),
    TransposedProduct(2, 56, 48), BatchedProduct(9, 31, 7), CastProduct(378, 5, 145), ManyProducts(6, 6, 6),
    ConvolutionProgram(12, 10, 1, 30, 3, 1), ByteConvolutionProgram(5, 8, 32, 4, 1, 2)]
MORE = [
    Product(1, 40, 70), Product(2, 20, 86), IntegerProduct(23, 16, 6), TransposedProduct(38, 79, 26),
    BatchedProduct(2, 56, 48), CastProduct(3, 176, 26), CastProduct(9, 31, 7), ConvolutionProgram(6, 4, 64, 44, 3, 2),
    ByteConvolutionProgram(11, 3, 32, 172, 3, 1)]


@pytest.mark.parametrize("product", [*CHOICES, *(pytest.param(product, marks=pytest.mark.full) for product in MORE)],
                         ids=lambda product: product.name)
def test_choices(product):
    engine, hvx = (cycles(product, on_engine) for on_engine in (True, False))
    assert chosen(product) == (engine < hvx)
