"""Sizes of tiles and chunks that are computed at launch: pure decisions, the same arithmetic as code, and values."""

import math

import numpy as np
import pytest

import hexagon_mlir as hx
from hexagon_mlir import targets
from hexagon_mlir.ir import ir, parse
from hexagon_mlir.ir.bounds import constant_value, multiple_of, upper_bound
from hexagon_mlir.ir.query import ops_named
from hexagon_mlir.pass_infra import CLEAN, PassContext
from hexagon_mlir.passes.lib.chunk_choice import Cut
from hexagon_mlir.passes.lib.thread_cost import Chunks, ForkCost
from hexagon_mlir.passes.tcm_tiling.run_time_tiles import RunTimeTile, run_time_tile
from hexagon_mlir.passes.virtual_threads.run_time_chunks import RunTimeChunk, run_time_chunk

pytestmark = pytest.mark.only_values

COST = ForkCost.of(targets.get("v75"))
TILES = [RunTimeTile(((8192, 1), (32768, 3), (131072, 7), (524288, 12)), 32, 43712),
         RunTimeTile(((32, 1), (128, 2), (512, 4), (2048, 8)), 1, 256), RunTimeTile(((64, 1),), 64, 64)]
CHUNKS = [RunTimeChunk(4, 32, 448, 131072), RunTimeChunk(4, 1, 1, 12), RunTimeChunk(3, 5, 10, 40)]
COUNTS = [0, 1, 5, 31, 32, 33, 64, 100, 129, 2049, 8192, 8193, 100003, 524289, 1 << 24]


@pytest.mark.parametrize("sizes", [*TILES, *CHUNKS])
def test_sizes_are_bounded_multiples(sizes):
    least = sizes.unit if isinstance(sizes, RunTimeTile) else sizes.least
    for count in COUNTS:
        assert least <= sizes.size(count) <= sizes.most
        assert sizes.size(count) % sizes.unit == 0


@pytest.mark.parametrize("sizes", [*TILES, *CHUNKS])
@pytest.mark.parametrize("count", COUNTS)
def test_code_computes_the_same(sizes, count):
    module = parse(f'func.func @f() -> index {{ %n = arith.constant {count} : index\n return %n : index }}')
    back, = ops_named(module, "func.return")
    with ir.InsertionPoint(back), back.location:
        back.operands[0] = sizes.emit(back.operands[0])
    CLEAN.run(module, PassContext(targets.get("v75")))
    assert constant_value(ops_named(module, "func.return")[0].operands[0]) == sizes.size(count)


@pytest.mark.parametrize("sizes", [*TILES, *CHUNKS])
def test_code_shows_the_bound_and_the_unit(sizes):
    module = parse("func.func @f(%n: index) -> index { return %n : index }")
    back, = ops_named(module, "func.return")
    with ir.InsertionPoint(back), back.location:
        back.operands[0] = sizes.emit(back.operands[0])
    assert upper_bound(back.operands[0]) == sizes.most
    assert multiple_of(back.operands[0]) % sizes.unit == 0


def test_tiles_follow_the_static_decision():
    """Up to 1,024 iterations are one tile; of more, tiles have a quarter of them; more than 3,000 do not fit."""
    tile = run_time_tile(lambda count: count if count <= 1024 else min(-(-count // 4), 3000), 8, 3000)
    assert tile == RunTimeTile(((1024, 1), (16384, 4)), 8, 3000)
    assert [tile.size(count) for count in (7, 1024, 1025, 4096, 1 << 20)] == [8, 1024, 264, 1024, 3000]
    tiny = run_time_tile(lambda count: min(count, 3), 1, 3)
    assert [tiny.size(count) for count in (0, 1, 2, 3, 100)] == [1, 1, 2, 2, 3]


def test_chunks_pay():
    """Work of 10 cycles for each iteration on four threads: small counts make fewer chunks, large ones four."""
    cut = Cut(Chunks((1024,), (256,)), (1,))
    chunk = run_time_chunk(1024, cut, 1, 10_240.0, COST)
    assert chunk.most == 256 and 1 < chunk.least < 256
    for count in (chunk.least, 4 * chunk.least, 1000, 1024):
        chunks = -(-count // chunk.size(count))
        assert chunks == (1 if count == chunk.least else 4)
    assert run_time_chunk(1024, cut, 1, 10.0, COST).least == 256  # never pays
    assert run_time_chunk(1024, cut, 32, 1e9, COST).least == 32


UNARY = """func.func @f(%x: tensor<ROWSxCOLSxf32>) -> tensor<ROWSxCOLSxf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<ROWSxCOLSxf32>
  %e = tensor.empty(%n) : tensor<ROWSxCOLSxf32>
  %0 = BODY ins(%x : tensor<ROWSxCOLSxf32>) outs(%e : tensor<ROWSxCOLSxf32>) -> tensor<ROWSxCOLSxf32>
  return %0 : tensor<ROWSxCOLSxf32>
}
"""
PRODUCT = """func.func @f(%x: tensor<ROWSx200xf32>, %y: tensor<200x77xf32>) -> tensor<ROWSx77xf32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<ROWSx200xf32>
  %e = tensor.empty(%n) : tensor<ROWSx77xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<ROWSx77xf32>) -> tensor<ROWSx77xf32>
  %0 = linalg.matmul ins(%x, %y : tensor<ROWSx200xf32>, tensor<200x77xf32>) outs(%f : tensor<ROWSx77xf32>)
      -> tensor<ROWSx77xf32>
  return %0 : tensor<ROWSx77xf32>
}
"""
KERNELS = {
    "erf": (UNARY.replace("COLS", "1").replace("BODY", "linalg.erf"), (1,), (0, 1, 31, 4097, 70001, 300000),
            np.vectorize(math.erf, otypes=[np.float64])),
    "exp": (UNARY.replace("COLS", "96").replace("BODY", "linalg.exp"), (96,), (1, 5, 100, 1101), np.exp),
    "softmax": (UNARY.replace("COLS", "781").replace("BODY", "linalg.softmax dimension(1)"), (781,), (1, 3, 64, 601),
                lambda x: np.exp(x) / np.exp(x).sum(1, keepdims=True)),
    "product": (PRODUCT, (200,), (1, 7, 40, 123, 600), np.matmul),
}


@pytest.mark.only_values(False)
@pytest.mark.full_except("softmax", "product")
@pytest.mark.parametrize("name", KERNELS)
def test_one_compilation_is_as_fast_as_one_for_each_size(name):
    """Above 16 K elements it takes at most a quarter more cycles than code for the size."""
    text, columns, counts, exact = KERNELS[name]
    kernel = hx.compile(text.replace("ROWS", "?"))
    rng = np.random.default_rng(3)
    others = [rng.standard_normal((200, 77)).astype(np.float32)] if name == "product" else []
    for count in counts:
        x = rng.standard_normal((count, *columns)).astype(np.float32)
        run = kernel.run(x, *others)
        expected = exact(x.astype(np.float64), *others)
        np.testing.assert_allclose(run.outputs[0], expected, rtol=2e-6, atol=2e-4 if others else 1e-6)
        if x.size > 16384:
            static = hx.compile(text.replace("tensor.empty(%n)", "tensor.empty()").replace("ROWS", str(count)))
            assert run.cycles <= 1.25 * static.run(x, *others).cycles, count


SOFTMAX = """func.func @f(%x: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %l = tensor.dim %x, %c0 : tensor<?x?x?xf32>
  %m = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %n = tensor.dim %x, %c2 : tensor<?x?x?xf32>
  %e = tensor.empty(%l, %m, %n) : tensor<?x?x?xf32>
  %0 = linalg.softmax dimension(2) ins(%x : tensor<?x?x?xf32>) outs(%e : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %0 : tensor<?x?x?xf32>
}
"""
MATMUL = """func.func @f(%a: tensor<AxBxf32>, %b: tensor<BxCxf32>) -> tensor<AxCxf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<AxBxf32>
  %n = tensor.dim %b, %c1 : tensor<BxCxf32>
  %e = tensor.empty(SIZES) : tensor<AxCxf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<AxCxf32>) -> tensor<AxCxf32>
  %0 = linalg.matmul ins(%a, %b : tensor<AxBxf32>, tensor<BxCxf32>) outs(%f : tensor<AxCxf32>) -> tensor<AxCxf32>
  return %0 : tensor<AxCxf32>
}
"""


@pytest.mark.only_values(False)
def test_softmax_of_any_sizes():
    """166,000 cycles once for 64 rows of 781, where code for these sizes takes 47,050."""
    kernel = hx.compile(SOFTMAX)
    rng = np.random.default_rng(5)
    for shape in ((1, 1, 1), (2, 3, 31), (1, 64, 781), (4, 33, 300), (0, 3, 5), (3, 0, 5), (7, 1, 2000)):
        x = rng.standard_normal(shape).astype(np.float32) * 10
        e = np.exp(x.astype(np.float64) - x.max(axis=2, keepdims=True, initial=-1e9))
        run = kernel.run(x)
        np.testing.assert_allclose(run.outputs[0], e / e.sum(axis=2, keepdims=True), rtol=1e-5, atol=1e-7)
        assert shape != (1, 64, 781) or run.cycles < 55_000


LARGE = (123, 200, 77)
SIZES = [(1, 1, 1), (3, 40, 5), (40, 33, 130), (4, 4, 0), (4, 0, 4), (0, 4, 4), (33, 7, 32)]


@pytest.mark.only_values(False)
@pytest.mark.parametrize(("known", "sizes"), [
    ("ab?", SIZES[::3]), ("???", SIZES),
    *(pytest.param(known, SIZES, marks=pytest.mark.full) for known in ("ab?", "a?c", "?bc"))])
def test_products_of_any_sizes(known, sizes):
    """Where some sizes are known, each product is a program of its own."""
    rng = np.random.default_rng(6)
    kernels = {}
    for m, k, n in (LARGE, *sizes):
        names = ["?" if letter == "?" else str(size) for letter, size in zip(known, (m, k, n), strict=True)]
        results = ", ".join([value for name, value in zip(names[::2], ("%m", "%n"), strict=True) if name == "?"])
        text = MATMUL.replace("SIZES", results).replace("AxB", "x".join(names[:2])).replace(
            "BxC", "x".join(names[1:])).replace("AxC", "x".join(names[::2]))
        kernel = kernels.setdefault(text, hx.compile(text))
        a, b = rng.standard_normal((m, k)).astype(np.float32), rng.standard_normal((k, n)).astype(np.float32)
        run = kernel.run(a, b)
        np.testing.assert_allclose(run.outputs[0], a.astype(np.float64) @ b, atol=2e-4)
        assert (m, k, n) != LARGE or run.cycles < 230_000  # 102,185 for known sizes; all unknown once 506,980


@pytest.mark.parametrize(("image", "pixels"), [(4, 1), (5, 2), (6, 2)])
def test_images_of_one_convolution(image, pixels):
    """Windows 3x3 in strides of 2: of 4x4 pixels one window, whose unit loops are folded; the last row is unused."""
    text = f"""func.func @f(%x: tensor<?x{image}x{image}x32xf32>, %w: tensor<3x3x32x40xf32>)
        -> tensor<?x{pixels}x{pixels}x40xf32> {{
      %c0 = arith.constant 0 : index
      %z = arith.constant 0.0 : f32
      %n = tensor.dim %x, %c0 : tensor<?x{image}x{image}x32xf32>
      %e = tensor.empty(%n) : tensor<?x{pixels}x{pixels}x40xf32>
      %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x{pixels}x{pixels}x40xf32>) -> tensor<?x{pixels}x{pixels}x40xf32>
      %r = linalg.conv_2d_nhwc_hwcf {{dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}}
        ins(%x, %w : tensor<?x{image}x{image}x32xf32>, tensor<3x3x32x40xf32>)
        outs(%f : tensor<?x{pixels}x{pixels}x40xf32>) -> tensor<?x{pixels}x{pixels}x40xf32>
      return %r : tensor<?x{pixels}x{pixels}x40xf32>
    }}"""
    kernel, rng = hx.compile(text), np.random.default_rng(8)
    w = rng.standard_normal((3, 3, 32, 40)).astype(np.float32)
    for count in (1, 2, 9, 0):
        x = rng.standard_normal((count, image, image, 32)).astype(np.float32)
        windows = np.lib.stride_tricks.sliding_window_view(x.astype(np.float64), (3, 3), (1, 2))[:, ::2, ::2]
        expected = np.einsum("nhwcij,ijco->nhwo", windows, w)
        np.testing.assert_allclose(kernel.run(x, w).outputs[0], expected, atol=2e-4)
