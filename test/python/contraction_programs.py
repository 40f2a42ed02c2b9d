"""Convolutions, poolings and products as linalg programs, with the values numpy gives for them."""

from __future__ import annotations

import numpy as np
from linalg_programs import EPSILON, NUMPY, Program, is_float, tensor, values

KINDS = {
    # name -> (op, dimensions of the image, of the filter, einsum over the windows of the image)
    "nhwc": ("conv_2d_nhwc_hwcf", "nhwc", "hwcf", "nhwcyx,yxcf->nhwf"),
    "nchw": ("conv_2d_nchw_fchw", "nchw", "fchw", "nchwyx,fcyx->nfhw"),
    "depthwise": ("depthwise_conv_2d_nhwc_hwc", "nhwc", "hwc", "nhwcyx,yxc->nhwc"),
    "multiplier": ("depthwise_conv_2d_nhwc_hwcm", "nhwc", "hwcm", "nhwcyx,yxcm->nhwcm"),
    "nwc": ("conv_1d_nwc_wcf", "nwc", "wcf", "nwcx,xcf->nwf"),
}


def convolution(name: str, kind: str, in_type: str, out_type: str, image: tuple[int, ...], filter_: tuple[int, ...],
                stride: int = 1, dilation: int = 1, special: bool = False) -> Program:
    """``kind`` of `KINDS`; shapes as in the op's operands. Adds to an output that is not zero."""
    op, layout, _, spec = KINDS[kind]
    rng = np.random.default_rng(len(name))
    x, w = values(rng, in_type, image, special), values(rng, in_type, filter_, False)
    axes = tuple(layout.index(letter) for letter in "hw" if letter in layout)
    window = [filter_[KINDS[kind][2].index(letter)] for letter in "hw" if letter in layout]
    windows = np.lib.stride_tricks.sliding_window_view(x, [(n - 1) * dilation + 1 for n in window], axis=axes)
    steps = [slice(None)] * windows.ndim
    for position, axis in enumerate(axes):
        steps[axis] = slice(None, None, stride)
        steps[len(image) + position] = slice(None, None, dilation)
    windows = windows[tuple(steps)]
    number = np.float64 if is_float(out_type) else np.int64
    with np.errstate(all="ignore"):
        product = np.einsum(spec, windows.astype(number), w.astype(number))
        c = values(rng, out_type, product.shape, False)
        expected = product + c.astype(number)
        size = np.einsum(spec, np.abs(windows.astype(number)), np.abs(w.astype(number))) + np.abs(c.astype(number))
    dims = len(axes)
    shapes = [tensor(in_type, image), tensor(in_type, filter_), tensor(out_type, product.shape)]
    text = (f"  func.func @{name}(%a: {shapes[0]}, %b: {shapes[1]}, %c: {shapes[2]}) -> {shapes[2]} {{\n"
            f"    %r = linalg.{op} {{dilations = dense<{dilation}> : tensor<{dims}xi64>, "
            f"strides = dense<{stride}> : tensor<{dims}xi64>}} ins(%a, %b : {shapes[0]}, {shapes[1]}) "
            f"outs(%c : {shapes[2]}) -> {shapes[2]}\n    return %r : {shapes[2]}\n  }}\n")
    if not is_float(out_type):
        return Program(name, text, [x, w, c], expected.astype(NUMPY[out_type]))
    terms = int(np.prod(filter_))
    error = np.where(np.isfinite(size), (terms + 2) * EPSILON[out_type] * size, 0.0)
    return Program(name, text, [x, w, c], expected, error)


def pooling(name: str, kind: str, type_: str, image: tuple[int, ...], window: tuple[int, int], stride: int) -> Program:
    """``kind`` is sum, max or min, over nhwc."""
    rng = np.random.default_rng(len(name))
    x = values(rng, type_, image, special=kind != "sum")
    windows = np.lib.stride_tricks.sliding_window_view(x, window, axis=(1, 2))[:, ::stride, ::stride].astype(
        np.float64 if is_float(type_) else np.int64)
    function = {"sum": np.sum, "max": np.max, "min": np.min}[kind]
    c = values(rng, type_, windows.shape[:4], False)
    combine = {"sum": np.add, "max": np.maximum, "min": np.minimum}[kind]
    with np.errstate(all="ignore"):
        expected = combine(function(windows, axis=(4, 5)), c.astype(windows.dtype))
        size = np.abs(windows).sum((4, 5)) + np.abs(c.astype(windows.dtype))
    shapes = [tensor(type_, image), tensor(type_, window), tensor(type_, c.shape)]
    text = (f"  func.func @{name}(%a: {shapes[0]}, %b: {shapes[1]}, %c: {shapes[2]}) -> {shapes[2]} {{\n"
            f"    %r = linalg.pooling_nhwc_{kind} {{dilations = dense<1> : tensor<2xi64>, "
            f"strides = dense<{stride}> : tensor<2xi64>}} ins(%a, %b : {shapes[0]}, {shapes[1]}) "
            f"outs(%c : {shapes[2]}) -> {shapes[2]}\n    return %r : {shapes[2]}\n  }}\n")
    arguments = [x, np.zeros(window, NUMPY[type_]), c]
    if not is_float(type_):
        return Program(name, text, arguments, expected.astype(NUMPY[type_]))
    return Program(name, text, arguments, expected,
                   EPSILON[type_] * size * (window[0] * window[1] + 1) if kind == "sum" else None)


STARTS = {"number": ((), "() "), "column": ((1,), "(m, n) -> (n)"), "row": ((0,), "(m, n) -> (m)"),
          "turned": ((1, 0), "(m, n) -> (n, m)"), "whole": ((0, 1), "(m, n) -> (m, n)")}
"""Name -> dimensions of the result that the start of the sums has, and how it is read."""


def started(name: str, start: str, kind: str, sums: str, extents: tuple[int, int, int]) -> Program:
    """A matrix product whose sums start from what is spread over the result, one of `STARTS`; ``kind`` of factors."""
    m, n, k = extents
    dims, read = STARTS[start]
    rng = np.random.default_rng(k)
    a, b = values(rng, kind, (m, k)), values(rng, kind, (k, n))
    c = values(rng, sums, tuple((m, n)[d] for d in dims)) if dims else np.full((1,), 3, NUMPY[sums])
    wide = [x.astype(np.float64 if is_float(sums) else np.int64) for x in (a, b, c)]
    order = [dims.index(d) if d in dims else None for d in (0, 1)]
    spread = wide[2].transpose([d for d in order if d is not None]) if dims else wide[2]
    spread = spread[:, None] if dims == (0,) else spread
    with np.errstate(all="ignore"):
        expected, size = wide[0] @ wide[1] + spread, np.abs(wide[0]) @ np.abs(wide[1]) + np.abs(spread)
    shapes = [tensor(kind, (m, k)), tensor(kind, (k, n)), tensor(sums, c.shape), tensor(sums, (m, n))]
    first = (f"    %r0 = linalg.generic {{indexing_maps = [affine_map<{read}>, affine_map<(m, n) -> (m, n)>], "
             'iterator_types = ["parallel", "parallel"]} '
             f"ins(%c : {shapes[2]}) outs(%e : {shapes[3]}) {{\n    ^bb0(%x: {sums}, %o: {sums}):\n"
             f"      linalg.yield %x : {sums}\n    }} -> {shapes[3]}\n") if dims else (
        f"    %x = arith.constant {'3.0' if is_float(sums) else '3'} : {sums}\n"
        f"    %r0 = linalg.fill ins(%x : {sums}) outs(%e : {shapes[3]}) -> {shapes[3]}\n")
    text = (f"  func.func @{name}(%a: {shapes[0]}, %b: {shapes[1]}, %c: {shapes[2]}) -> {shapes[3]} {{\n"
            f"    %e = tensor.empty() : {shapes[3]}\n{first}"
            f"    %r = linalg.matmul ins(%a, %b : {shapes[0]}, {shapes[1]}) outs(%r0 : {shapes[3]}) -> {shapes[3]}\n"
            f"    return %r : {shapes[3]}\n  }}\n")
    if not is_float(sums):
        return Program(name, text, [a, b, c], expected.astype(NUMPY[sums]))
    return Program(name, text, [a, b, c], expected, (k + 2) * EPSILON[sums] * size)


def mixed_signs(name: str, bits: int, left: str, right: str, extents: tuple[int, int, int]) -> Program:
    """A matrix product of integers of ``bits``, each factor widened by ``left`` and ``right`` (extsi or extui)."""
    m, n, k = extents
    rng = np.random.default_rng(bits + len(name))
    a, b = values(rng, f"i{bits}", (m, k)), values(rng, f"i{bits}", (k, n))
    c = values(rng, "i32", (m, n))
    wide = [x.view(f"u{x.dtype}") if cast == "extui" else x for x, cast in ((a, left), (b, right))]
    expected = (wide[0].astype(np.int64) @ wide[1].astype(np.int64) + c).astype(np.int32)
    shapes = [tensor(f"i{bits}", (m, k)), tensor(f"i{bits}", (k, n)), tensor("i32", (m, n))]
    text = (f"  func.func @{name}(%a: {shapes[0]}, %b: {shapes[1]}, %c: {shapes[2]}) -> {shapes[2]} {{\n"
            "    %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, "
            "affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], "
            'iterator_types = ["parallel", "parallel", "reduction"]} '
            f"ins(%a, %b : {shapes[0]}, {shapes[1]}) outs(%c : {shapes[2]}) {{\n"
            f"    ^bb0(%x: i{bits}, %y: i{bits}, %o: i32):\n"
            f"      %l = arith.{left} %x : i{bits} to i32\n      %r0 = arith.{right} %y : i{bits} to i32\n"
            "      %p = arith.muli %l, %r0 : i32\n      %s = arith.addi %o, %p : i32\n"
            f"      linalg.yield %s : i32\n    }} -> {shapes[2]}\n    return %r : {shapes[2]}\n  }}\n")
    return Program(name, text, [a, b, c], expected)
