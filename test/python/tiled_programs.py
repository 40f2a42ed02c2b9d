"""Groups of ops whose tiles do not fit a small TCM, with the values numpy gives: softmax, norms, products, sums."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hexagon_mlir import targets

V75 = targets.get()


def small_target(tcm_bytes):
    """v75 with little TCM, so that small tensors are tiled."""
    return replace(V75, tcm_bytes=replace(V75.tcm_bytes, value=tcm_bytes))


HEADER = """#map = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>
"""


def reduce_rows(name, source, init, op, rows, columns):
    return f"""
  %{name}_e = tensor.empty() : tensor<{rows}xf32>
  %{name}_i = linalg.fill ins(%{init} : f32) outs(%{name}_e : tensor<{rows}xf32>) -> tensor<{rows}xf32>
  %{name} = linalg.reduce ins(%{source} : tensor<{rows}x{columns}xf32>) outs(%{name}_i : tensor<{rows}xf32>)
    dimensions = [1] (%{name}_a: f32, %{name}_b: f32) {{
      %{name}_c = arith.{op} %{name}_a, %{name}_b : f32
      linalg.yield %{name}_c : f32
    }}"""


def pointwise(name, inputs, maps, body, rows, columns):
    shapes = {"map": f"tensor<{rows}x{columns}xf32>", "row": f"tensor<{rows}xf32>", "column": f"tensor<{columns}xf32>"}
    arguments = ", ".join(f"%{chr(97 + i)}: f32" for i in range(len(inputs)))
    return f"""
  %{name}_e = tensor.empty() : {shapes['map']}
  %{name} = linalg.generic {{indexing_maps = [{', '.join('#' + m for m in maps)}, #map],
                            iterator_types = ["parallel", "parallel"]}}
      ins({', '.join('%' + i for i in inputs)} : {', '.join(shapes[m] for m in maps)})
      outs(%{name}_e : {shapes['map']}) {{
    ^bb0({arguments}, %o: f32):
{body}
  }} -> {shapes['map']}"""


def softmax(rows, columns):
    text = (HEADER + f"func.func @f(%x: tensor<{rows}x{columns}xf32>) -> tensor<{rows}x{columns}xf32> {{\n"
            "  %low = arith.constant 0xFF800000 : f32\n  %zero = arith.constant 0.0 : f32"
            + reduce_rows("m", "x", "low", "maximumf", rows, columns)
            + pointwise("e", ["x", "m"], ["map", "row"],
                        "      %u = arith.subf %a, %b : f32\n      %t = math.exp %u : f32\n      linalg.yield %t : f32",
                        rows, columns)
            + reduce_rows("s", "e", "zero", "addf", rows, columns)
            + pointwise("r", ["e", "s"], ["map", "row"],
                        "      %y = arith.divf %a, %b : f32\n      linalg.yield %y : f32", rows, columns)
            + f"\n  return %r : tensor<{rows}x{columns}xf32>\n}}\n")
    x = np.random.default_rng(rows).normal(0, 3, (rows, columns)).astype(np.float32)
    e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    return text, [x], e / e.sum(1, keepdims=True)


def layer_norm(rows, columns):
    text = (HEADER + f"func.func @f(%x: tensor<{rows}x{columns}xf32>, %w: tensor<{columns}xf32>, "
            f"%b: tensor<{columns}xf32>) -> tensor<{rows}x{columns}xf32> {{\n"
            f"  %zero = arith.constant 0.0 : f32\n  %n = arith.constant {columns}.0 : f32\n"
            "  %eps = arith.constant 1.0e-5 : f32"
            + reduce_rows("s", "x", "zero", "addf", rows, columns)
            + pointwise("d", ["x", "s"], ["map", "row"],
                        "      %m = arith.divf %b, %n : f32\n      %s1 = arith.subf %a, %m : f32\n"
                        "      linalg.yield %s1 : f32", rows, columns).replace("%b: f32", "%bb: f32").replace(
                            "divf %b,", "divf %bb,")
            + pointwise("q", ["d"], ["map"], "      %s2 = arith.mulf %a, %a : f32\n      linalg.yield %s2 : f32",
                        rows, columns)
            + reduce_rows("v", "q", "zero", "addf", rows, columns)
            + pointwise("r", ["d", "v", "w", "b"], ["map", "row", "column", "column"],
                        "      %m = arith.divf %b1, %n : f32\n      %t = arith.addf %m, %eps : f32\n"
                        "      %u = math.rsqrt %t : f32\n      %p = arith.mulf %a, %u : f32\n"
                        "      %z = arith.mulf %p, %c : f32\n      %y = arith.addf %z, %d1 : f32\n"
                        "      linalg.yield %y : f32", rows, columns).replace("%b: f32", "%b1: f32").replace(
                            "%d: f32", "%d1: f32")
            + f"\n  return %r : tensor<{rows}x{columns}xf32>\n}}\n")
    rng = np.random.default_rng(columns)
    x, w, b = (rng.normal(0, 2, s).astype(np.float32) for s in ((rows, columns), columns, columns))
    d = x.astype(np.float64) - x.mean(1, keepdims=True, dtype=np.float64)
    return text, [x, w, b], d / np.sqrt((d ** 2).mean(1, keepdims=True) + 1e-5) * w + b


def rms_norm_residual(rows, columns):
    text = (HEADER + f"func.func @f(%x: tensor<{rows}x{columns}xf32>, %y: tensor<{rows}x{columns}xf32>, "
            f"%w: tensor<{columns}xf32>) -> tensor<{rows}x{columns}xf32> {{\n"
            f"  %zero = arith.constant 0.0 : f32\n  %n = arith.constant {columns}.0 : f32\n"
            + pointwise("h", ["x", "y"], ["map", "map"],
                        "      %s1 = arith.addf %a, %b : f32\n      linalg.yield %s1 : f32", rows, columns)
            + pointwise("q", ["h"], ["map"], "      %s2 = arith.mulf %a, %a : f32\n      linalg.yield %s2 : f32",
                        rows, columns)
            + reduce_rows("v", "q", "zero", "addf", rows, columns)
            + pointwise("r", ["h", "v", "w"], ["map", "row", "column"],
                        "      %m = arith.divf %b, %n : f32\n      %u = math.rsqrt %m : f32\n"
                        "      %p = arith.mulf %a, %u : f32\n      %z = arith.mulf %p, %c : f32\n"
                        "      linalg.yield %z : f32", rows, columns)
            + f"\n  return %r : tensor<{rows}x{columns}xf32>\n}}\n")
    rng = np.random.default_rng(columns)
    x, y, w = (rng.normal(0, 2, s).astype(np.float32) for s in ((rows, columns), (rows, columns), columns))
    h = x.astype(np.float64) + y
    return text, [x, y, w], h / np.sqrt((h ** 2).mean(1, keepdims=True)) * w


def gelu_of_linear(rows, depth, columns):
    text = HEADER + f"""func.func @f(%x: tensor<{rows}x{depth}xf32>, %w: tensor<{depth}x{columns}xf32>,
    %b: tensor<{columns}xf32>) -> tensor<{rows}x{columns}xf32> {{
  %zero = arith.constant 0.0 : f32
  %k = arith.constant -1.702 : f32
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<{rows}x{columns}xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<{rows}x{columns}xf32>) -> tensor<{rows}x{columns}xf32>
  %m = linalg.matmul ins(%x, %w : tensor<{rows}x{depth}xf32>, tensor<{depth}x{columns}xf32>)
    outs(%f : tensor<{rows}x{columns}xf32>) -> tensor<{rows}x{columns}xf32>""" + pointwise(
        "r", ["m", "b"], ["map", "column"],
        "      %s = arith.addf %a, %b1 : f32\n      %t = arith.mulf %s, %k : f32\n      %u = math.exp %t : f32\n"
        "      %v = arith.addf %u, %one : f32\n      %y = arith.divf %s, %v : f32\n      linalg.yield %y : f32",
        rows, columns).replace("%b: f32", "%b1: f32") + f"\n  return %r : tensor<{rows}x{columns}xf32>\n}}\n"
    rng = np.random.default_rng(depth)
    x, w, b = (rng.normal(0, 0.3, s).astype(np.float32) for s in ((rows, depth), (depth, columns), columns))
    h = x.astype(np.float64) @ w + b
    return text, [x, w, b], h / (1 + np.exp(-1.702 * h))


def gram(rows, columns):
    """x x^T: two different slices of one input."""
    text = f"""func.func @f(%x: tensor<{rows}x{columns}xf32>) -> tensor<{rows}x{rows}xf32> {{
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<{rows}x{rows}xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<{rows}x{rows}xf32>) -> tensor<{rows}x{rows}xf32>
  %r = linalg.generic {{indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>,
                                        affine_map<(d0, d1, d2) -> (d0, d1)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}}
      ins(%x, %x : tensor<{rows}x{columns}xf32>, tensor<{rows}x{columns}xf32>)
      outs(%f : tensor<{rows}x{rows}xf32>) {{
    ^bb0(%a: f32, %b: f32, %o: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %o, %p : f32
      linalg.yield %s : f32
  }} -> tensor<{rows}x{rows}xf32>
  return %r : tensor<{rows}x{rows}xf32>
}}
"""
    x = np.random.default_rng(3).normal(0, 1, (rows, columns)).astype(np.float32)
    return text, [x], x.astype(np.float64) @ x.T


def indices(n):
    """The body computes with its index, and the output is read as well."""
    text = f"""func.func @f(%x: tensor<{n}xf32>, %y: tensor<{n}xf32>) -> tensor<{n}xf32> {{
  %r = linalg.generic {{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
                       iterator_types = ["parallel"]}}
      ins(%x : tensor<{n}xf32>) outs(%y : tensor<{n}xf32>) {{
    ^bb0(%a: f32, %o: f32):
      %i = linalg.index 0 : index
      %j = arith.index_cast %i : index to i32
      %k = arith.sitofp %j : i32 to f32
      %s = arith.addf %a, %k : f32
      %t = arith.addf %s, %o : f32
      linalg.yield %t : f32
  }} -> tensor<{n}xf32>
  return %r : tensor<{n}xf32>
}}
"""
    x, y = (np.random.default_rng(s).normal(0, 1, n).astype(np.float32) for s in (1, 2))
    return text, [x, y], x.astype(np.float64) + y + np.arange(n)


def two_groups(rows, columns):
    """The column sums need every row of what the rows' sums gave: two loops, what is between them in TCM."""
    text = (HEADER + f"func.func @f(%x: tensor<{rows}x{columns}xf32>) -> tensor<{columns}xf32> {{\n"
            "  %zero = arith.constant 0.0 : f32"
            + reduce_rows("s", "x", "zero", "addf", rows, columns)
            + pointwise("d", ["x", "s"], ["map", "row"],
                        "      %t = arith.subf %a, %b : f32\n      linalg.yield %t : f32", rows, columns)
            + f"""
  %c_e = tensor.empty() : tensor<{columns}xf32>
  %c_i = linalg.fill ins(%zero : f32) outs(%c_e : tensor<{columns}xf32>) -> tensor<{columns}xf32>
  %c = linalg.reduce ins(%d : tensor<{rows}x{columns}xf32>) outs(%c_i : tensor<{columns}xf32>) dimensions = [0]
    (%p: f32, %q: f32) {{
      %u = arith.addf %p, %q : f32
      linalg.yield %u : f32
    }}
  return %c : tensor<{columns}xf32>
}}
""")
    x = np.random.default_rng(9).normal(0, 1, (rows, columns)).astype(np.float32)
    wide = x.astype(np.float64)
    return text, [x], (wide - wide.sum(1, keepdims=True)).sum(0)


def column_sums(rows, columns):
    """The rows do not fit: their sums so far go from tile to tile."""
    text = HEADER + f"""func.func @f(%x: tensor<{rows}x{columns}xf32>) -> tensor<{columns}xf32> {{
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<{columns}xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<{columns}xf32>) -> tensor<{columns}xf32>
  %s = linalg.generic {{indexing_maps = [#map, #column], iterator_types = ["reduction", "parallel"]}}
      ins(%x : tensor<{rows}x{columns}xf32>) outs(%i : tensor<{columns}xf32>) {{
    ^bb0(%a: f32, %o: f32):
      %b = math.absf %a : f32
      %t = arith.addf %o, %b : f32
      linalg.yield %t : f32
  }} -> tensor<{columns}xf32>
  return %s : tensor<{columns}xf32>
}}
"""
    x = np.random.default_rng(columns).normal(0, 1, (rows, columns)).astype(np.float32)
    return text, [x], np.abs(x.astype(np.float64)).sum(0)


def scaled_sums(rows, columns, block):
    """Blocks of rows, the last one shorter, share scales: the quotient of a loop indexes these."""
    blocks = -(-rows // block)
    text = HEADER + f"""func.func @f(%x: tensor<{rows}x{columns}xf32>, %y: tensor<{blocks}x{columns}xf32>)
    -> tensor<{columns}xf32> {{
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<{columns}xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<{columns}xf32>) -> tensor<{columns}xf32>
  %s = linalg.generic {{indexing_maps = [#map, affine_map<(d0, d1) -> (d0 floordiv {block}, d1)>, #column],
                       iterator_types = ["reduction", "parallel"]}}
      ins(%x, %y : tensor<{rows}x{columns}xf32>, tensor<{blocks}x{columns}xf32>) outs(%i : tensor<{columns}xf32>) {{
    ^bb0(%a: f32, %b: f32, %o: f32):
      %p = arith.mulf %a, %b : f32
      %t = arith.addf %o, %p : f32
      linalg.yield %t : f32
  }} -> tensor<{columns}xf32>
  return %s : tensor<{columns}xf32>
}}
"""
    generator = np.random.default_rng(rows)
    x, y = (generator.normal(0, 1, (count, columns)).astype(np.float32) for count in (rows, blocks))
    return text, [x, y], (x.astype(np.float64) * y.repeat(block, 0)[:rows]).sum(0)


def total(n):
    """One sum, in tiles."""
    text = f"""func.func @f(%x: tensor<{n}xf32>) -> tensor<f32> {{
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %s = linalg.reduce {{ arith.addf }} ins(%x : tensor<{n}xf32>) outs(%i : tensor<f32>) dimensions = [0]
  return %s : tensor<f32>
}}
"""
    x = np.random.default_rng(n).normal(0, 1, n).astype(np.float32)
    return text, [x], x.astype(np.float64).sum()


def columns_first(rows, columns):
    """Loops in the other order than the data: columns outside; an index in the body, an argument to overwrite."""
    text = f"""
#swapped = affine_map<(d0, d1) -> (d1, d0)>
#scale = affine_map<(d0, d1) -> (d0)>
func.func @f(%x: tensor<{rows}x{columns}xf32>, %s: tensor<{columns}xf32>, %y: tensor<{rows}x{columns}xf32>)
    -> tensor<{rows}x{columns}xf32> {{
  %r = linalg.generic {{indexing_maps = [#swapped, #scale, #swapped], iterator_types = ["parallel", "parallel"]}}
      ins(%x, %s : tensor<{rows}x{columns}xf32>, tensor<{columns}xf32>) outs(%y : tensor<{rows}x{columns}xf32>) {{
    ^bb0(%a: f32, %b: f32, %o: f32):
      %i = linalg.index 1 : index
      %n = arith.index_cast %i : index to i32
      %w = arith.sitofp %n : i32 to f32
      %p = arith.mulf %a, %b : f32
      %t = arith.addf %p, %w : f32
      linalg.yield %t : f32
  }} -> tensor<{rows}x{columns}xf32>
  return %r : tensor<{rows}x{columns}xf32>
}}
"""
    x, y = (np.random.default_rng(n).normal(0, 1, (rows, columns)).astype(np.float32) for n in (0, 1))
    s = np.random.default_rng(2).normal(0, 1, columns).astype(np.float32)
    return text, [x, s, y], x.astype(np.float64) * s + np.arange(rows)[:, None]


def windows(rows, columns, stride):
    """Products with three rows, ``stride`` apart, that neighbouring tiles share."""
    image = rows * stride + 3
    text = f"""func.func @f(%x: tensor<{image}x{columns}xf32>, %w: tensor<3xf32>) -> tensor<{rows}x{columns}xf32> {{
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<{rows}x{columns}xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<{rows}x{columns}xf32>) -> tensor<{rows}x{columns}xf32>
  %r = linalg.generic {{indexing_maps = [affine_map<(h, c, y) -> (h * {stride} + y, c)>, affine_map<(h, c, y) -> (y)>,
                                        affine_map<(h, c, y) -> (h, c)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}}
      ins(%x, %w : tensor<{image}x{columns}xf32>, tensor<3xf32>) outs(%i : tensor<{rows}x{columns}xf32>) {{
    ^bb0(%a: f32, %b: f32, %o: f32):
      %m = arith.mulf %a, %b : f32
      %s = arith.addf %o, %m : f32
      linalg.yield %s : f32
  }} -> tensor<{rows}x{columns}xf32>
  return %r : tensor<{rows}x{columns}xf32>
}}
"""
    rng = np.random.default_rng(rows)
    x, w = (rng.normal(0, 1, shape).astype(np.float32) for shape in ((image, columns), (3,)))
    taken = [x[y:y + rows * stride:stride].astype(np.float64) * w[y] for y in range(3)]
    return text, [x, w], sum(taken)


CASES = {
    "windows": (windows(61, 513, 2), 96 << 10),
    "columns first": (columns_first(90, 133), 32 << 10),
    "softmax": (softmax(37, 300), 64 << 10), "softmax, rows larger than TCM": (softmax(3, 9001), 32 << 10),
    "layer norm, rows larger than TCM": (layer_norm(2, 9001), 32 << 10),
    "column sums": (column_sums(3001, 70), 32 << 10), "scaled sums": (scaled_sums(70, 333, 16), 32 << 10),
    "sum": (total(40007), 32 << 10),
    "layer norm": (layer_norm(50, 513), 64 << 10), "RMS norm + residual": (rms_norm_residual(41, 257), 48 << 10),
    "GELU of linear": (gelu_of_linear(70, 40, 65), 48 << 10),
    "GELU of linear, weights larger than TCM": (gelu_of_linear(9, 45, 333), 40 << 10), "gram": (gram(66, 70), 48 << 10),
    "indices": (indices(10007), 32 << 10), "two groups": (two_groups(30, 200), 24 << 10),
}
