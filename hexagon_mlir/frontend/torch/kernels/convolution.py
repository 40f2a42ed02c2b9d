"""Convolution and pooling with channels last, as linalg's named ops on the padded input.

Channels are the last dimension of every operand, so that vectors run along them; each input element is a scalar that
all output channels share.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch.fx import Node

from hexagon_mlir.dialects.engine_tiles import TILE
from hexagon_mlir.frontend.torch.graph import args_of, dtype_of, shape_of
from hexagon_mlir.frontend.torch.importer import BUILDERS, INLINED
from hexagon_mlir.frontend.torch.kernels.integers import ELEMENTS as _INTEGERS
from hexagon_mlir.frontend.torch.kernels.integers import with_sign

Pair = tuple[int, int]
_ELEMENTS = {torch.float32: "f32", torch.float16: "f16", torch.bfloat16: "bf16", **_INTEGERS}

_LEAST = {torch.float32: "0xFF800000", torch.float16: "0xFC00", torch.bfloat16: "0xFF80", torch.int8: "-128",
          torch.uint8: "0"}


def convolution(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, stride: Pair, padding: Pair, dilation: Pair,
                groups: int, outside: int = 0) -> torch.Tensor:
    """Shapes (N, H, W, C), (KH, KW, C / groups, O), (O,) -> (N, OH, OW, O).

    Bias, sums and result are f32, of f16 operands too; those of integers are i32. The image is ``outside`` around its
    edges; 128 is subtracted from bytes without sign.
    """
    sums = torch.float32 if x.dtype.is_floating_point else torch.int32
    wide = x.permute(0, 3, 1, 2).to(sums) - (128 if x.dtype == torch.uint8 else 0)
    wide = F.pad(wide, (padding[1], padding[1], padding[0], padding[0]), value=outside)
    y = F.conv2d(wide, weight.permute(3, 2, 0, 1).to(sums), bias, stride, 0, dilation, groups)
    return y.permute(0, 2, 3, 1).contiguous()


def max_pool(x: torch.Tensor, window: Pair, stride: Pair, padding: Pair, dilation: Pair) -> torch.Tensor:
    """The largest of each window of (N, H, W, C), floats or bytes."""
    if not x.dtype.is_floating_point:
        return max_pool(x.to(torch.float32), window, stride, padding, dilation).to(x.dtype)
    y = F.max_pool2d(x.permute(0, 3, 1, 2), window, stride, padding, dilation)
    return y.permute(0, 2, 3, 1).contiguous()


def sum_pool(x: torch.Tensor, window: Pair, stride: Pair, padding: Pair, dilation: Pair, outside: int = 0
             ) -> torch.Tensor:
    """The sum of each window of (N, H, W, C), which is ``outside`` around its edges: of floats, or of bytes in i32; 128
    is subtracted from bytes without sign."""
    wide = x if x.dtype.is_floating_point else x.double() - (128 if x.dtype == torch.uint8 else 0)
    framed = F.pad(wide.permute(0, 3, 1, 2), (padding[1], padding[1], padding[0], padding[0]), value=outside)
    y = F.avg_pool2d(framed, window, stride, divisor_override=1)
    return y.permute(0, 2, 3, 1).contiguous().to(x.dtype if x.dtype.is_floating_point else torch.int32)


class _Window:
    """The text that all kinds share: the padded input, and the window as attributes of the op."""

    def __init__(self, node: Node, stride: Pair, padding: Pair, dilation: Pair, fill: str):
        x = args_of(node)[0]
        self.element = _ELEMENTS[dtype_of(x)]
        self.shape, self.out, self.padding, self.fill = shape_of(x), shape_of(node), padding, fill
        n, h, w, c = self.shape
        self.padded = (n, h + 2 * padding[0], w + 2 * padding[1], c)
        self.sums = "i32" if self.element[0] == "i" else "f32"  # what a convolution adds in, and gives
        self.attributes = f"{{dilations = {_pair(dilation)}, strides = {_pair(stride)}}}"

    def tensor(self, shape: tuple[int, ...], element: str = "") -> str:
        return f"tensor<{'x'.join(map(str, (*shape, element or self.element)))}>"

    def pad(self, x: str = "%x") -> str:
        """``%p``: the input ``x`` inside a frame of ``fill``. Columns and channels are one dimension meanwhile."""
        small, large = self.tensor(self.shape), self.tensor(self.padded)
        if self.padded == self.shape:
            return f"  %p = tensor.cast {x} : {small} to {small}\n"
        (n, h, w, c), (_, high, wide, _) = self.shape, self.padded
        rows, framed = self.tensor((n, h, w * c)), self.tensor((n, high, wide * c))
        return f"""  %frame = arith.constant {self.fill} : {self.element}
  %pe = tensor.empty() : {framed}
  %pf = linalg.fill ins(%frame : {self.element}) outs(%pe : {framed}) -> {framed}
  %xr = tensor.collapse_shape {x} [[0], [1], [2, 3]] : {small} into {rows}
  %pr = tensor.insert_slice %xr into %pf[0, {self.padding[0]}, {self.padding[1] * c}]
      [{n}, {h}, {w * c}] [1, 1, 1] : {rows} into {framed}
  %p = tensor.expand_shape %pr [[0], [1], [2, 3]] output_shape [{n}, {high}, {wide}, {c}] : {framed} into {large}
"""


def _pair(values: Pair) -> str:
    return f"dense<[{values[0]}, {values[1]}]> : tensor<2xi64>"


def build_convolution(node: Node) -> str:
    """The named op on the padded input, of several groups a linalg.generic; it adds to the bias."""
    x, weight, bias, stride, padding, dilation, groups, *outside = args_of(node)
    w = _Window(node, stride, padding, dilation, str(outside[0]) if outside else "0.0")
    shape = shape_of(weight)
    out, given, sums = w.tensor(w.out, w.sums), w.tensor(shape), w.tensor(shape_of(bias), w.sums)
    image = w.tensor(w.shape)
    padded = with_sign("%x", image, len(w.shape)) + w.pad("%s") if dtype_of(x) == torch.uint8 else w.pad()
    if groups == 1:
        work = f"""  %result = linalg.conv_2d_nhwc_hwcf {w.attributes} ins(%p, %weight : {w.tensor(w.padded)}, {given})
      outs(%init : {out}) -> {out}
"""
    elif groups == w.shape[3] == shape[3]:
        flat = w.tensor((*shape[:2], groups))
        work = f"""  %flat = tensor.collapse_shape %weight [[0], [1], [2, 3]] : {given} into {flat}
  %result = linalg.depthwise_conv_2d_nhwc_hwc {w.attributes} ins(%p, %flat : {w.tensor(w.padded)}, {flat})
      outs(%init : {out}) -> {out}
"""
    elif w.element == "f16" and shape[2] % TILE == 0 and shape[3] // groups % TILE == 0:
        work = _grouped_in_tiles(w, shape, stride, dilation, groups)
    else:
        work = _grouped(w, shape, stride, dilation, groups)
    return f"""func.func @kernel(%x: {image}, %weight: {given}, %bias: {sums}) -> {out} {{
{padded}  %e = tensor.empty() : {out}
  %init = linalg.broadcast ins(%bias : {sums}) outs(%e : {out}) dimensions = [0, 1, 2]
{work}  return %result : {out}
}}
"""


def _grouped_in_tiles(w: _Window, weight: tuple[int, ...], stride: Pair, dilation: Pair, groups: int) -> str:
    """``%result`` of a convolution whose groups are whole tiles of the matrix engine: an output finds its channels."""
    y, x = (f"{name} * {s} + k{name} * {d}" for name, s, d in zip("yx", stride, dilation, strict=True))
    loops = "n, y, x, o, ky, kx, c"
    return f"""  %result = linalg.generic {{indexing_maps = [
      affine_map<({loops}) -> (n, {y}, {x}, o floordiv {weight[3] // groups} * {weight[2]} + c)>,
      affine_map<({loops}) -> (ky, kx, c, o)>, affine_map<({loops}) -> (n, y, x, o)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}}
      ins(%p, %weight : {w.tensor(w.padded)}, {w.tensor(weight)}) outs(%init : {w.tensor(w.out, w.sums)}) {{
    ^bb0(%a: f16, %b: f16, %old: f32):
      %u = arith.extf %a : f16 to f32
      %v = arith.extf %b : f16 to f32
      %m = arith.mulf %u, %v : f32
      %new = arith.addf %old, %m : f32
      linalg.yield %new : f32
  }} -> {w.tensor(w.out, w.sums)}
"""


def _grouped(w: _Window, weight: tuple[int, ...], stride: Pair, dilation: Pair, groups: int) -> str:
    """``%result`` of a convolution whose groups of channels are a loop of their own."""
    rows, columns, inputs, outputs = weight
    image = w.tensor((*w.padded[:3], groups, inputs))
    filter_ = w.tensor((rows, columns, inputs, groups, outputs // groups))
    parts = (*w.out[:3], groups, outputs // groups)
    sums, out = w.tensor(parts, w.sums), w.tensor(w.out, w.sums)
    kind, extend = ("i", "extsi") if w.sums == "i32" else ("f", "extf")
    widen = "" if w.element == w.sums else f"""      %u = arith.{extend} %a : {w.element} to {w.sums}
      %v = arith.{extend} %b : {w.element} to {w.sums}
"""
    factors = "%u, %v" if widen else "%a, %b"
    y, x = (f"{name} * {s} + k{name} * {d}" for name, s, d in zip("yx", stride, dilation, strict=True))
    loops = "n, y, x, g, o, ky, kx, c"
    sizes = ", ".join(map(str, (*w.padded[:3], groups, inputs)))
    return f"""  %pg = tensor.expand_shape %p [[0], [1], [2], [3, 4]] output_shape [{sizes}]
      : {w.tensor(w.padded)} into {image}
  %wg = tensor.expand_shape %weight [[0], [1], [2], [3, 4]] output_shape [{rows}, {columns}, {inputs}, {groups},
      {outputs // groups}] : {w.tensor(weight)} into {filter_}
  %ig = tensor.expand_shape %init [[0], [1], [2], [3, 4]] output_shape [{', '.join(map(str, parts))}]
      : {out} into {sums}
  %rg = linalg.generic {{indexing_maps = [affine_map<({loops}) -> (n, {y}, {x}, g, c)>,
      affine_map<({loops}) -> (ky, kx, c, g, o)>, affine_map<({loops}) -> (n, y, x, g, o)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction",
      "reduction"]}} ins(%pg, %wg : {image}, {filter_}) outs(%ig : {sums}) {{
    ^bb0(%a: {w.element}, %b: {w.element}, %old: {w.sums}):
{widen}      %m = arith.mul{kind} {factors} : {w.sums}
      %new = arith.add{kind} %old, %m : {w.sums}
      linalg.yield %new : {w.sums}
  }} -> {sums}
  %result = tensor.collapse_shape %rg [[0], [1], [2], [3, 4]] : {sums} into {out}
"""


def _build_pool(node: Node, outside: str, first: str, name: str, sums: str = "", signed: str = "") -> str:
    """A pooling that starts from ``first``, of type ``sums`` if that is not the image's; ``signed`` makes ``%s`` of the
    image ``%x``."""
    window, stride, padding, dilation = args_of(node)[1:5]
    w = _Window(node, stride, padding, dilation, outside)
    sums = sums or w.element
    out, places = w.tensor(w.out, sums), w.tensor(window, sums)
    return f"""func.func @kernel(%x: {w.tensor(w.shape)}) -> {out} {{
{signed}{w.pad("%s" if signed else "%x")}  %first = arith.constant {first} : {sums}
  %e = tensor.empty() : {out}
  %init = linalg.fill ins(%first : {sums}) outs(%e : {out}) -> {out}
  %window = tensor.empty() : {places}
  %result = linalg.{name} {w.attributes} ins(%p, %window : {w.tensor(w.padded)}, {places})
      outs(%init : {out}) -> {out}
  return %result : {out}
}}
"""


def build_max_pool(node: Node) -> str:
    """The largest of each window; outside the image is the least element."""
    kind = dtype_of(args_of(node)[0])
    return _build_pool(node, _LEAST[kind], _LEAST[kind],
                       "pooling_nhwc_max" + ("_unsigned" if kind == torch.uint8 else ""))


def build_sum_pool(node: Node) -> str:
    """The sum of each window."""
    x, _, _, _, _, *outside = args_of(node)
    kind = dtype_of(x)
    if kind.is_floating_point:
        return _build_pool(node, "0.0", "0.0", "pooling_nhwc_sum")
    image = f"tensor<{'x'.join(map(str, shape_of(x)))}xi8>"
    signed = with_sign("%x", image, len(shape_of(x))) if kind == torch.uint8 else ""
    return _build_pool(node, str(outside[0]), "0", "pooling_nhwc_sum", "i32", signed)


BUILDERS.update({convolution: build_convolution, max_pool: build_max_pool, sum_pool: build_sum_pool})
INLINED.update({convolution, max_pool, sum_pool})
