"""Which products of a model's kernels may use all of TCM."""

import pytest

from hexagon_mlir.codegen.schedule import reduces_long
from hexagon_mlir.ir import parse
from hexagon_mlir.ir.query import ops_named


@pytest.mark.parametrize(("reduction", "columns", "element", "found"), [
    (3072, 768, "f16", True), (768, 768, "f16", True), (768, 2304, "f16", False), (3072, 768, "f32", False)])
def test_products_with_long_reductions(reduction, columns, element, found):
    left, right, sums = (f"tensor<{size}x{element}>" for size in (
        f"512x{reduction}", f"{reduction}x{columns}", f"512x{columns}"))
    module = parse(f"""func.func @f(%a: {left}, %b: {right}, %c: {sums}) -> {sums} {{
      %r = linalg.matmul ins(%a, %b : {left}, {right}) outs(%c : {sums}) -> {sums}
      return %r : {sums}
    }}""")
    assert reduces_long(ops_named(module, "linalg.matmul")[0]) == found
