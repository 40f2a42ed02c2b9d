"""Convolution and pooling with channels last: no im2col, one contraction over channels per row of the window.

Channels are the last dimension of every operand, so that vectors run along them; each input element is a scalar that
all output channels share.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch.fx import Node

from hexagon_mlir.frontend.torch.graph import args_of, dtype_of, shape_of
from hexagon_mlir.frontend.torch.importer import BUILDERS, INLINED

Pair = tuple[int, int]
_ELEMENTS = {torch.float32: "f32", torch.float16: "f16", torch.bfloat16: "bf16"}
_SUM = "f32"  # what a convolution adds in, and gives
_NARROW_COLUMNS = 4  # window columns of narrower elements at a time: widened, more would not fit registers


def convolution(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, stride: Pair, padding: Pair, dilation: Pair,
                depthwise: bool) -> torch.Tensor:
    """Shapes (N, H, W, C), (KH, KW, C, O) or, depthwise, (KH, KW, 1, C), (O,) -> (N, OH, OW, O).

    Bias, sums and result are f32, of f16 operands too.
    """
    y = F.conv2d(x.permute(0, 3, 1, 2).float(), weight.permute(3, 2, 0, 1).float(), bias, stride, padding, dilation,
                 x.shape[3] if depthwise else 1)
    return y.permute(0, 2, 3, 1).contiguous()


def max_pool(x: torch.Tensor, window: Pair, stride: Pair, padding: Pair, dilation: Pair) -> torch.Tensor:
    """The largest of each window of (N, H, W, C)."""
    y = F.max_pool2d(x.permute(0, 3, 1, 2), window, stride, padding, dilation)
    return y.permute(0, 2, 3, 1).contiguous()


def sum_pool(x: torch.Tensor, window: Pair, stride: Pair, padding: Pair, dilation: Pair) -> torch.Tensor:
    """The sum of each window of (N, H, W, C)."""
    y = F.avg_pool2d(x.permute(0, 3, 1, 2), window, stride, padding, divisor_override=1)
    return y.permute(0, 2, 3, 1).contiguous()


class _Window:
    """The text that both kinds share: padding, and the slices of one row of the window."""

    def __init__(self, node: Node, window: Pair, stride: Pair, padding: Pair, dilation: Pair, fill: str):
        x = args_of(node)[0]
        self.element = _ELEMENTS[dtype_of(x)]
        self.shape, self.out = shape_of(x), shape_of(node)
        self.window, self.stride, self.padding, self.dilation, self.fill = window, stride, padding, dilation, fill
        n, h, w, c = self.shape
        self.padded = (n, h + 2 * padding[0], w + 2 * padding[1], c)

    def tensor(self, shape: tuple[int, ...], element: str = "") -> str:
        return f"tensor<{'x'.join(map(str, (*shape, element or self.element)))}>"

    def pad(self) -> str:
        """``%p``: the input inside a frame of ``fill``."""
        small, large = self.tensor(self.shape), self.tensor(self.padded)
        if self.padded == self.shape:
            return f"  %p = tensor.cast %x : {small} to {small}\n"
        return f"""  %frame = arith.constant {self.fill} : {self.element}
  %pe = tensor.empty() : {large}
  %pf = linalg.fill ins(%frame : {self.element}) outs(%pe : {large}) -> {large}
  %p = tensor.insert_slice %x into %pf[0, {self.padding[0]}, {self.padding[1]}, 0]
      [{', '.join(map(str, self.shape))}] [1, 1, 1, 1] : {small} into {large}
"""

    def row(self) -> str:
        """``%row``, the first input row of window row ``%i``, and ``%s0``, ``%s1``, ... of each window column."""
        n, h, w, _ = self.out
        size = (n, h, w, self.shape[3])
        lines = [f"    %step = arith.constant {self.dilation[0]} : index", "    %row = arith.muli %i, %step : index"]
        for column in range(self.window[1]):
            lines.append(f"""    %s{column} = tensor.extract_slice %p[0, %row, {column * self.dilation[1]}, 0]
        [{', '.join(map(str, size))}] [1, {self.stride[0]}, {self.stride[1]}, 1]
        : {self.tensor(self.padded)} to {self.tensor(size)}""")
        return "\n".join(lines)

    def loop(self, initial: str, body: str, element: str = "") -> str:
        """The loop over the rows of the window, carrying the output."""
        out = self.tensor(self.out, element)
        return f"""  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = arith.constant {self.window[0]} : index
  %result = scf.for %i = %c0 to %rows step %c1 iter_args(%acc = {initial}) -> ({out}) {{
{self.row()}
{body}
    scf.yield %next : {out}
  }}
  return %result : {out}
"""


def build_convolution(node: Node) -> str:
    """Sums over one row of the window at a time, its columns in one contraction."""
    _, weight, bias, stride, padding, dilation, depthwise = args_of(node)
    rows, columns, inputs, outputs = shape_of(weight)
    w = _Window(node, (rows, columns), stride, padding, dilation, "0.0")
    e, out = w.element, w.tensor(w.out, _SUM)
    n, h, width, _ = w.out
    channels = w.shape[3]
    weights = "    " + "\n    ".join(
        f"""%w{c} = tensor.extract_slice %weight[%i, {c}, 0, 0] [1, 1, {inputs}, {outputs}] [1, 1, 1, 1]
        : {w.tensor((rows, columns, inputs, outputs))} to {w.tensor((outputs,) if depthwise else (inputs, outputs))}"""
        for c in range(columns))
    loops = "n, h, w, o" if depthwise else "n, h, w, o, c"
    kinds = ", ".join(['"parallel"'] * 4 + ([] if depthwise else ['"reduction"']))
    slice_type = w.tensor((n, h, width, channels))
    weight_type = w.tensor((outputs,) if depthwise else (inputs, outputs))
    group = columns if e == _SUM else min(columns, _NARROW_COLUMNS)
    body, old = weights, "%acc"
    for first in range(0, columns, group):
        part = range(first, min(first + group, columns))
        maps = ([f"affine_map<({loops}) -> (n, h, w, {'o' if depthwise else 'c'})>"] * len(part)
                + [f"affine_map<({loops}) -> ({'o' if depthwise else 'c, o'})>"] * len(part)
                + [f"affine_map<({loops}) -> (n, h, w, o)>"])
        values = ", ".join([f"%s{c}" for c in part] + [f"%w{c}" for c in part])
        types = ", ".join([slice_type] * len(part) + [weight_type] * len(part))
        arguments = ", ".join([f"%a{c}: {e}" for c in part] + [f"%b{c}: {e}" for c in part])
        lines, total = [_product(c, e) for c in part], f"%m{first}"
        for c in part[1:]:
            lines.append(f"%t{c} = arith.addf {total}, %m{c} : {_SUM}")
            total = f"%t{c}"
        added = "\n      ".join(lines)
        new = "%next" if part[-1] == columns - 1 else f"%part{first}"
        body += f"""
    {new} = linalg.generic {{indexing_maps = [{', '.join(maps)}],
        iterator_types = [{kinds}]}} ins({values} : {types}) outs({old} : {out}) {{
    ^bb0({arguments}, %old: {_SUM}):
      {added}
      %new = arith.addf %old, {total} : {_SUM}
      linalg.yield %new : {_SUM}
    }} -> {out}"""
        old = new
    start = f"""  %e = tensor.empty() : {out}
  %init = linalg.broadcast ins(%bias : {w.tensor(shape_of(bias), _SUM)}) outs(%e : {out}) dimensions = [0, 1, 2]
"""
    return (f"func.func @kernel(%x: {w.tensor(w.shape)}, %weight: {w.tensor((rows, columns, inputs, outputs))}, "
            f"%bias: {w.tensor(shape_of(bias), _SUM)}) -> {out} {{\n{w.pad()}{start}{w.loop('%init', body, _SUM)}}}\n")


def _product(column: int, element: str) -> str:
    if element == _SUM:
        return f"%m{column} = arith.mulf %a{column}, %b{column} : {_SUM}"
    return (f"%x{column} = arith.extf %a{column} : {element} to {_SUM}\n      "
            f"%y{column} = arith.extf %b{column} : {element} to {_SUM}\n      "
            f"%m{column} = arith.mulf %x{column}, %y{column} : {_SUM}")


def _build_pool(node: Node, fill: str, combine: str) -> str:
    _, window, stride, padding, dilation = args_of(node)
    w = _Window(node, window, stride, padding, dilation, fill)
    e, out = w.element, w.tensor(w.out)
    columns = window[1]
    identity = "affine_map<(n, h, w, c) -> (n, h, w, c)>"
    lines, total = [], "%old"
    for c in range(columns):
        lines.append(f"%t{c} = {combine} {total}, %a{c} : {e}")
        total = f"%t{c}"
    inside = "\n      ".join(lines)
    body = f"""    %next = linalg.generic {{indexing_maps = [{', '.join([identity] * (columns + 1))}],
        iterator_types = ["parallel", "parallel", "parallel", "parallel"]}}
        ins({', '.join(f'%s{c}' for c in range(columns))} : {', '.join([out] * columns)}) outs(%acc : {out}) {{
    ^bb0({', '.join(f'%a{c}: {e}' for c in range(columns))}, %old: {e}):
      {inside}
      linalg.yield {total} : {e}
    }} -> {out}"""
    start = f"""  %first = arith.constant {fill} : {e}
  %e = tensor.empty() : {out}
  %init = linalg.fill ins(%first : {e}) outs(%e : {out}) -> {out}
"""
    return f"func.func @kernel(%x: {w.tensor(w.shape)}) -> {out} {{\n{w.pad()}{start}{w.loop('%init', body)}}}\n"


def build_max_pool(node: Node) -> str:
    """The largest of each window; outside the image is -inf."""
    infinity = {"f32": "0xFF800000", "f16": "0xFC00", "bf16": "0xFF80"}[_ELEMENTS[dtype_of(args_of(node)[0])]]
    return _build_pool(node, infinity, "arith.maximumf")


def build_sum_pool(node: Node) -> str:
    """The sum of each window; outside the image is 0."""
    return _build_pool(node, "0.0", "arith.addf")


BUILDERS.update({convolution: build_convolution, max_pool: build_max_pool, sum_pool: build_sum_pool})
INLINED.update({convolution, max_pool, sum_pool})
