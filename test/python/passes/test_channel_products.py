"""Convolutions of bytes with a filter for each channel: which are read as such, and exact sums, as Hexagon code too."""

from __future__ import annotations

import numpy as np
import pytest
from batch import after, on_host, on_simulator
from contraction_programs import convolution
from linalg_programs import Program, run_all

from hexagon_mlir.ir import to_text
from hexagon_mlir.pass_infra import PassStep, UpstreamStep, registry
from hexagon_mlir.passes.contraction.channel_products import find_channel_products
from hexagon_mlir.passes.lib.contractions import Contraction, Index, OperandAccess
from hexagon_mlir.pipelines import BUFFERIZE

pytestmark = pytest.mark.only_values

STEPS = [*[UpstreamStep(e.text, e.why, e.label) for e in BUFFERIZE],
         PassStep(registry.get("hexagon-copy-lowering")(dma_bytes=-1)),
         PassStep(registry.get("hexagon-contraction-vectorization")())]


def contraction(high=8, wide=20, channels=64, window=(3, 3), stride=1, bits=8, combiner="arith.addi") -> Contraction:
    """Loops y, x, c, ky, kx."""
    image = (Index(((0, stride), (3, 1))), Index(((1, stride), (4, 1))), Index(((2, 1),)))
    filter_ = tuple(Index(((loop, 1),)) for loop in (3, 4, 2))
    sums = tuple(Index(((loop, 1),)) for loop in (0, 1, 2))
    accesses = (OperandAccess(image, bits, True), OperandAccess(filter_, bits, True), OperandAccess(sums, 32, True))
    return Contraction((high, wide, channels, *window), (False, False, False, True, True), accesses, (0, 1), combiner,
                       bits)


def test_rows_of_the_window_are_words_and_pixels_of_a_row_share_them():
    plan = find_channel_products(contraction())
    assert plan is not None
    assert (plan.channel_loop, plan.pixel_loop, plan.word_loop, plan.tap_loop, plan.place) == (2, 1, 3, 4, 1)
    assert (plan.words, plan.taps, plan.pixels) == (1, 3, 7), "20 pixels in three blocks"


def test_long_windows_have_several_words():
    plan = find_channel_products(contraction(window=(5, 2)))
    assert plan is not None and (plan.words, plan.taps) == (2, 2)


def test_a_row_of_taps_becomes_a_word_where_there_is_one_row():
    plan = find_channel_products(contraction(window=(1, 4)))
    assert plan is not None and (plan.word_loop, plan.tap_loop, plan.pixel_loop) == (4, 3, 0)


@pytest.mark.parametrize("other", [
    {"bits": 16}, {"combiner": "arith.addf"}, {"channels": 4}, {"window": (1, 1)}, {"high": None},
    {"window": (9, 9)},
], ids=str)
def test_others_are_no_such_products(other):
    assert find_channel_products(contraction(**other)) is None


def signs(name: str, image: str, filter_: str, sizes: tuple[int, int, int], window: tuple[int, int]) -> Program:
    """Bytes widened by ``image`` and ``filter_`` (extsi or extui); the extreme ones among them."""
    high, wide, channels = sizes
    rng = np.random.default_rng(channels)
    x = rng.integers(-128, 128, (high + window[0] - 1, wide + window[1] - 1, channels)).astype(np.int8)
    w = rng.integers(-128, 128, (*window, channels)).astype(np.int8)
    x[0], w[..., 0] = -128, -128
    start = rng.integers(-1 << 31, 1 << 31, sizes).astype(np.int32)
    given, taps, sums = (f"tensor<{'x'.join(map(str, shape))}x{kind}>" for shape, kind in
                         ((x.shape, "i8"), (w.shape, "i8"), (sizes, "i32")))
    text = f"""  func.func @{name}(%a: {given}, %b: {taps}, %c: {sums}) -> {sums} {{
    %r = linalg.generic {{indexing_maps = [affine_map<(y, x, c, k, l) -> (y + k, x + l, c)>,
        affine_map<(y, x, c, k, l) -> (k, l, c)>, affine_map<(y, x, c, k, l) -> (y, x, c)>],
        iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}}
        ins(%a, %b : {given}, {taps}) outs(%c : {sums}) {{
      ^bb0(%p: i8, %q: i8, %old: i32):
        %u = arith.{image} %p : i8 to i32
        %v = arith.{filter_} %q : i8 to i32
        %m = arith.muli %u, %v : i32
        %s = arith.addi %old, %m : i32
        linalg.yield %s : i32
    }} -> {sums}
    return %r : {sums}
  }}
"""
    wide_x, wide_w = (v.view(np.uint8 if kind == "extui" else np.int8).astype(np.int64)
                      for v, kind in ((x, image), (w, filter_)))
    windows = np.lib.stride_tricks.sliding_window_view(wide_x, window, axis=(0, 1))
    expected = np.einsum("hwcyx,yxc->hwc", windows, wide_w) + start
    return Program(name, text, [x, w, start], expected.astype(np.int32))  # sums wrap


PROGRAMS = [
    *(signs(f"{a}_{b}", a, b, (3, 5, 40), (3, 3)) for a in ("extsi", "extui") for b in ("extsi", "extui")),
    convolution("ragged", "depthwise", "i8", "i32", (2, 5, 6, 130), (3, 3, 130)),
    convolution("few_channels", "depthwise", "i8", "i32", (1, 6, 21, 8), (3, 3, 8)),
    convolution("strides", "depthwise", "i8", "i32", (1, 9, 11, 24), (3, 3, 24), stride=2),
    convolution("far_apart", "depthwise", "i8", "i32", (1, 9, 12, 33), (3, 2, 33), dilation=2),
    convolution("long", "depthwise", "i8", "i32", (1, 7, 19, 64), (5, 5, 64)),
    convolution("one_pixel", "depthwise", "i8", "i32", (1, 4, 4, 96), (4, 4, 96)),
    convolution("columns", "depthwise", "i8", "i32", (1, 7, 9, 32), (1, 3, 32)),
]


def test_sums_are_exact(sample):
    """Half of them on the simulator, half on the host."""
    module, context = after("".join(p.text for p in PROGRAMS), STEPS)
    assert '"reduction"' not in to_text(module), [e.message for e in context.log.entries]
    others = sample(PROGRAMS, ("extsi_extsi", "extui_extui", "few_channels", "far_apart", "long", "one_pixel"))
    run_all(others, on_host(after("".join(p.text for p in others), STEPS)[0], [p.name for p in others]))
    some = sample(PROGRAMS, ("extsi_extui", "extui_extsi", "ragged", "few_channels", "strides", "columns"))
    call, asm = on_simulator("".join(p.text for p in some))
    run_all(some, call)
    assert asm.count("vrmpy") >= 2 * len(some)


def test_channels_of_a_wider_image():
    """Pixels are apart: the words of each are made on their own."""
    rng = np.random.default_rng(4)
    x, w = rng.integers(-128, 128, (6, 7, 200)).astype(np.int8), rng.integers(-128, 128, (3, 3, 200)).astype(np.int8)
    part = "strided<[1400, 200, 1], offset: 50>"
    text = f"""func.func @f(%x: memref<6x7x200xi8>, %w: memref<3x3x200xi8>, %out: memref<4x5x200xi32>) {{
      %a = memref.subview %x[0, 0, 50] [6, 7, 70] [1, 1, 1] : memref<6x7x200xi8> to memref<6x7x70xi8, {part}>
      %b = memref.subview %w[0, 0, 50] [3, 3, 70] [1, 1, 1] : memref<3x3x200xi8>
          to memref<3x3x70xi8, strided<[600, 200, 1], offset: 50>>
      %c = memref.subview %out[0, 0, 50] [4, 5, 70] [1, 1, 1] : memref<4x5x200xi32>
          to memref<4x5x70xi32, strided<[1000, 200, 1], offset: 50>>
      linalg.generic {{indexing_maps = [affine_map<(y, x, c, k, l) -> (y + k, x + l, c)>,
          affine_map<(y, x, c, k, l) -> (k, l, c)>, affine_map<(y, x, c, k, l) -> (y, x, c)>],
          iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}}
          ins(%a, %b : memref<6x7x70xi8, {part}>, memref<3x3x70xi8, strided<[600, 200, 1], offset: 50>>)
          outs(%c : memref<4x5x70xi32, strided<[1000, 200, 1], offset: 50>>) {{
        ^bb0(%p: i8, %q: i8, %old: i32):
          %u = arith.extsi %p : i8 to i32
          %v = arith.extsi %q : i8 to i32
          %m = arith.muli %u, %v : i32
          %s = arith.addi %old, %m : i32
          linalg.yield %s : i32
      }}
      return
    }}
    """
    expected = np.full((4, 5, 200), 7, np.int32)
    windows = np.lib.stride_tricks.sliding_window_view(x[..., 50:120].astype(np.int32), (3, 3), axis=(0, 1))
    expected[..., 50:120] += np.einsum("hwcyx,yxc->hwc", windows, w[..., 50:120].astype(np.int32))
    module, _ = after(text, STEPS[len(BUFFERIZE):])
    assert '"reduction"' not in to_text(module)
    out = np.full((4, 5, 200), 7, np.int32)
    on_host(module, ["f"])("f", [x, w, out])
    np.testing.assert_array_equal(out, expected)
