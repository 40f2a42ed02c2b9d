"""Tensors of single bits, which are bytes in memory and predicates in registers: values of what is computed with them.
"""

import numpy as np
import pytest
from batch import on_simulator

pytestmark = pytest.mark.only_values


def negated_product(element: str, shape: tuple[int, ...], other: np.ndarray) -> str:
    """``not (x and other)`` by way of integers; ``other`` is a constant, broadcast where it has one element."""
    dims = ", ".join(f"d{d}" for d in range(len(shape)))
    read = ", ".join("0" if size == 1 else f"d{d}" for d, size in enumerate(other.shape))
    all_, some = ("tensor<" + "".join(f"{n}x" for n in sizes) + "i1>" for sizes in (shape, other.shape))
    return f"""func.func @f(%x: {all_}) -> {all_} {{
      %k = arith.constant dense<{str(other.tolist()).lower()}> : {some}
      %z = arith.constant 0 : {element}
      %e = tensor.empty() : {all_}
      %r = linalg.generic {{indexing_maps = [affine_map<({dims}) -> ({dims})>, affine_map<({dims}) -> ({read})>,
                                             affine_map<({dims}) -> ({dims})>],
                            iterator_types = [{', '.join(['"parallel"'] * len(shape))}]}}
          ins(%x, %k : {all_}, {some}) outs(%e : {all_}) {{
      ^bb0(%a: i1, %b: i1, %o: i1):
        %p = arith.extui %a : i1 to {element}
        %q = arith.extui %b : i1 to {element}
        %m = arith.muli %p, %q : {element}
        %c = arith.cmpi ule, %m, %z : {element}
        linalg.yield %c : i1
      }} -> {all_}
      return %r : {all_}
    }}"""


@pytest.mark.each_value
@pytest.mark.parametrize("element", ["i8", "i16", "i32"])
@pytest.mark.parametrize(("shape", "constant"), [((5, 130), (1, 130)), ((7, 32), (1, 32)), ((5, 40), (5, 1))])
def test_products_of_bits_that_are_broadcast(element, shape, constant):
    """The words' factors are masks, which no multiplication widens."""
    rng = np.random.default_rng(shape[1])
    x, other = (rng.integers(0, 2, sizes).astype(bool) for sizes in (shape, constant))
    call, _ = on_simulator(negated_product(element, shape, other))
    result = np.zeros(shape, bool)
    call("f", [x, result])
    np.testing.assert_array_equal(result, ~(x & other))
