"""Which products of a model's kernels may use all of TCM."""

import pytest

from hexagon_mlir import targets
from hexagon_mlir.codegen.schedule import takes_long
from hexagon_mlir.ir import parse
from hexagon_mlir.ir.query import ops_named


@pytest.mark.parametrize(("rows", "reduction", "columns", "element", "found"), [
    (512, 3072, 768, "f16", True), (512, 768, 768, "f16", True), (512, 3072, 768, "f32", False),
    (512, 768, 2304, "f16", True), (64, 768, 3072, "f16", False), (64, 768, 4096, "f16", True)])
def test_products_that_take_long(rows, reduction, columns, element, found):
    """As many steps of the reduction as columns, or 40,000 cycles of the engine: 8 for each of 2 x 24 x 128 tiles are
    more, 8 for each of 2 x 24 x 96 are not."""
    left, right, sums = (f"tensor<{size}x{element}>" for size in (
        f"{rows}x{reduction}", f"{reduction}x{columns}", f"{rows}x{columns}"))
    module = parse(f"""func.func @f(%a: {left}, %b: {right}, %c: {sums}) -> {sums} {{
      %r = linalg.matmul ins(%a, %b : {left}, {right}) outs(%c : {sums}) -> {sums}
      return %r : {sums}
    }}""")
    assert takes_long(ops_named(module, "linalg.matmul")[0], targets.get("v75")) == found
