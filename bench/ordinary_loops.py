"""Ordinary loops as users write them in Triton: cycles per element beside a bound, data in DDR, one program.

    python bench/ordinary_loops.py            # the table
    python bench/ordinary_loops.py cumsum     # some rows

The bound of a row is the larger of two: the bytes that must move between DDR and the core at the DMA's pace, and the
vector instructions that the loop cannot do without on its busiest pipe, one packet each at the pace of one thread.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch
import triton
import triton.language as tl
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from hexagon_mlir import targets
from hexagon_mlir.exec.sim import history
from hexagon_mlir.frontend.triton import activate
from hexagon_mlir.report.check import CLOCK_NOTE

ROWS, COLUMNS = 64, 256


@triton.jit
def argmax_rows(x, y, out, R: tl.constexpr, C: tl.constexpr):
    i, j = tl.arange(0, R), tl.arange(0, C)
    tl.store(out + i, tl.argmax(tl.load(x + i[:, None] * C + j[None, :]), 1))


@triton.jit
def cumsum(x, y, out, R: tl.constexpr, C: tl.constexpr):
    at = tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :]
    tl.store(out + at, tl.cumsum(tl.load(x + at), 1))


@triton.jit
def transposed_copy(x, y, out, R: tl.constexpr, C: tl.constexpr):
    i, j = tl.arange(0, R), tl.arange(0, C)
    tl.store(out + j[None, :] * R + i[:, None], tl.load(x + i[:, None] * C + j[None, :]))


@triton.jit
def gather_rows(x, y, out, R: tl.constexpr, C: tl.constexpr):
    i, j = tl.arange(0, R), tl.arange(0, C)
    row = tl.load(y + i)
    tl.store(out + i[:, None] * C + j[None, :], tl.load(x + row[:, None] * C + j[None, :]))


@triton.jit
def histogram(x, y, out, R: tl.constexpr, C: tl.constexpr):
    tl.store(out + tl.arange(0, 64), tl.histogram(tl.load(y + tl.arange(0, R * C)), 64))


@triton.jit
def quantize(x, y, out, R: tl.constexpr, C: tl.constexpr):
    at = tl.arange(0, R * C)
    v = tl.load(x + at) * 25.0
    v = tl.minimum(tl.maximum(v, -128.0), 127.0)
    tl.store(out + at, v.to(tl.int8))


@triton.jit
def dequantize_nf4(x, y, out, R: tl.constexpr, C: tl.constexpr):
    at = tl.arange(0, R * C)
    table = tl.load(x + tl.arange(0, 16))
    tl.store(out + at, tl.gather(table, (tl.load(y + at) & 15).to(tl.int32), 0))


@triton.jit
def rgb_to_gray(x, y, out, R: tl.constexpr, C: tl.constexpr):
    at = tl.arange(0, R * C // 4)
    r, g, b = tl.load(x + 3 * at), tl.load(x + 3 * at + 1), tl.load(x + 3 * at + 2)
    tl.store(out + at, 0.299 * r + 0.587 * g + 0.114 * b)


@triton.jit
def box_blur(x, y, out, R: tl.constexpr, C: tl.constexpr):
    at = tl.arange(0, R * C)
    inside = (at > 0) & (at < R * C - 1)
    left, right = tl.load(x + at - 1, mask=inside, other=0.0), tl.load(x + at + 1, mask=inside, other=0.0)
    tl.store(out + at, (left + tl.load(x + at) + right) * (1.0 / 3.0))


@triton.jit
def dot(x, y, out, R: tl.constexpr, C: tl.constexpr):
    at = tl.arange(0, R * C)
    tl.store(out, tl.sum(tl.load(x + at) * tl.load(y + at), 0))


@triton.jit
def outer_product(x, y, out, R: tl.constexpr, C: tl.constexpr):
    i, j = tl.arange(0, R), tl.arange(0, C)
    tl.store(out + i[:, None] * C + j[None, :], tl.load(x + i)[:, None] * tl.load(y + j)[None, :])


@triton.jit
def masked_softmax(x, y, out, R: tl.constexpr, C: tl.constexpr):
    i, j = tl.arange(0, R)[:, None], tl.arange(0, C)[None, :]
    v = tl.where(j <= 4 * i, tl.load(x + i * C + j), -float("inf"))
    e = tl.exp(v - tl.max(v, 1)[:, None])
    tl.store(out + i * C + j, e / tl.sum(e, 1)[:, None])


@triton.jit
def top_1(x, y, out, R: tl.constexpr, C: tl.constexpr):
    i, j = tl.arange(0, R), tl.arange(0, C)
    value, place = tl.max(tl.load(x + i[:, None] * C + j[None, :]), 1, return_indices=True)
    tl.store(out + i, value + place.to(tl.float32))


@triton.jit
def compare_select(x, y, out, R: tl.constexpr, C: tl.constexpr):
    at = tl.arange(0, R * C)
    a, b = tl.load(x + at), tl.load(y + at)
    tl.store(out + at, tl.where(a > b, a, tl.where(b > 0, b, -a)))


@triton.jit
def relu_bias(x, y, out, R: tl.constexpr, C: tl.constexpr):
    at = tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :]
    tl.store(out + at, tl.maximum(tl.load(x + at) + tl.load(y + tl.arange(0, C))[None, :], 0.0))


@triton.jit
def column_sums(x, y, out, R: tl.constexpr, C: tl.constexpr):
    i, j = tl.arange(0, R), tl.arange(0, C)
    tl.store(out + j, tl.sum(tl.load(x + i[:, None] * C + j[None, :]), 0))


@triton.jit
def reversed_copy(x, y, out, R: tl.constexpr, C: tl.constexpr):
    at = tl.arange(0, R * C)
    tl.store(out + at, tl.load(x + R * C - 1 - at))


@triton.jit
def planes_to_pixels(x, y, out, R: tl.constexpr, C: tl.constexpr):
    at = tl.arange(0, R * C // 4)
    tl.store(out + 3 * at, tl.load(x + at))
    tl.store(out + 3 * at + 1, tl.load(x + R * C // 4 + at))
    tl.store(out + 3 * at + 2, tl.load(x + R * C // 2 + at))


@triton.jit
def softmax_of_eight(x, y, out, R: tl.constexpr, C: tl.constexpr):
    at = tl.arange(0, R * C // 8)[:, None] * 8 + tl.arange(0, 8)[None, :]
    v = tl.load(x + at)
    e = tl.exp(v - tl.max(v, 1)[:, None])
    tl.store(out + at, e / tl.sum(e, 1)[:, None])


@triton.jit
def every_second(x, y, out, R: tl.constexpr, C: tl.constexpr):
    at = tl.arange(0, R * C // 2)
    tl.store(out + at, tl.load(x + 2 * at) + tl.load(x + 2 * at + 1))


@triton.jit
def interleave(x, y, out, R: tl.constexpr, C: tl.constexpr):
    at = tl.arange(0, R * C // 2)
    tl.store(out + tl.arange(0, R * C), tl.interleave(tl.load(x + at), tl.load(y + at)))


@triton.jit
def bilinear(x, y, out, R: tl.constexpr, C: tl.constexpr):
    i, j = tl.arange(0, R // 2)[:, None], tl.arange(0, C // 2)[None, :]
    at = x + 2 * i * C + 2 * j
    tl.store(out + i * (C // 2) + j, 0.25 * (tl.load(at) + tl.load(at + 1) + tl.load(at + C) + tl.load(at + C + 1)))


@triton.jit
def five_point_stencil(x, y, out, R: tl.constexpr, C: tl.constexpr):
    i, j = tl.arange(0, R)[:, None], tl.arange(0, C)[None, :]
    at = i * C + j
    up = tl.load(x + at - C, mask=i > 0, other=0.0)
    down = tl.load(x + at + C, mask=i < R - 1, other=0.0)
    left = tl.load(x + at - 1, mask=j > 0, other=0.0)
    right = tl.load(x + at + 1, mask=j < C - 1, other=0.0)
    tl.store(out + at, up + down + left + right - 4.0 * tl.load(x + at))


@triton.jit
def argmin_columns(x, y, out, R: tl.constexpr, C: tl.constexpr):
    i, j = tl.arange(0, R), tl.arange(0, C)
    tl.store(out + j, tl.argmin(tl.load(x + i[:, None] * C + j[None, :]), 0))


@triton.jit
def any_above(x, y, out, R: tl.constexpr, C: tl.constexpr):
    i, j = tl.arange(0, R), tl.arange(0, C)
    above = (tl.load(x + i[:, None] * C + j[None, :]) > 3.0).to(tl.int32)
    tl.store(out + i, tl.max(above, 1))


@triton.jit
def requantize(x, y, out, R: tl.constexpr, C: tl.constexpr):
    at = tl.arange(0, R * C)
    v = (tl.load(y + at).to(tl.float32) - 128.0) * 0.05
    v = tl.maximum(v, -0.1 * v) * 20.0
    tl.store(out + at, tl.minimum(tl.maximum(v, -128.0), 127.0).to(tl.int8))


@triton.jit
def log_softmax(x, y, out, R: tl.constexpr, C: tl.constexpr):
    at = tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :]
    v = tl.load(x + at)
    v = v - tl.max(v, 1)[:, None]
    tl.store(out + at, v - tl.log(tl.sum(tl.exp(v), 1))[:, None])


@triton.jit
def batch_statistics(x, y, out, R: tl.constexpr, C: tl.constexpr):
    i, j = tl.arange(0, R), tl.arange(0, C)
    v = tl.load(x + i[:, None] * C + j[None, :])
    mean = tl.sum(v, 0) / R
    apart = v - mean[None, :]
    tl.store(out + j, mean)
    tl.store(out + C + j, tl.sum(apart * apart, 0) / R)


@triton.jit
def transposed_bytes(x, y, out, R: tl.constexpr, C: tl.constexpr):
    i, j = tl.arange(0, R), tl.arange(0, C)
    tl.store(out + j[None, :] * R + i[:, None], tl.load(y + i[:, None] * C + j[None, :]))


@triton.jit
def transposed_halves(x, y, out, R: tl.constexpr, C: tl.constexpr):
    i, j = tl.arange(0, R), tl.arange(0, C)
    tl.store(out + j[None, :] * R + i[:, None], tl.load(y + i[:, None] * C + j[None, :]))


@triton.jit
def scaled_pixels(x, y, out, R: tl.constexpr, C: tl.constexpr):
    i, j = tl.arange(0, R * C // 4)[:, None], tl.arange(0, 4)[None, :]
    scale = tl.load(y + j, mask=j < 3, other=0.0)
    tl.store(out + 3 * i + j, tl.load(x + 3 * i + j, mask=j < 3, other=0.0) * scale, mask=j < 3)


@dataclass(frozen=True)
class Loop:
    """``work``: instructions on the busiest pipe for each vector of 32 elements of ``x``, or as many words."""

    kernel: Callable
    work: float
    out: tuple[tuple[int, ...], torch.dtype]
    expected: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
    second: str = "f32"
    """What ``y`` holds: f32, halves, bytes, or numbers below 64."""
    read: str = "x"
    """Which of ``x`` and ``y`` are read as a whole."""


SIZE, TILE = ROWS * COLUMNS, (ROWS, COLUMNS)
LANES = int(targets.get().vector_bytes.value) // 4
TOLERANCE = 1e-4


def _blurred(x: torch.Tensor) -> torch.Tensor:
    flat, zero = x.flatten(), torch.zeros(1)
    left, right = torch.cat((zero, flat[:-1])), torch.cat((flat[1:], zero))
    left[-1], right[0] = 0, 0
    return (left + flat + right) / 3


def _softmax(x: torch.Tensor) -> torch.Tensor:
    kept = torch.arange(COLUMNS)[None] <= 4 * torch.arange(ROWS)[:, None]
    return torch.softmax(torch.where(kept, x, -torch.inf), 1)


def _stencil(x: torch.Tensor) -> torch.Tensor:
    taps = torch.tensor([[0.0, 1, 0], [1, -4, 1], [0, 1, 0]])
    return torch.conv2d(x[None, None], taps[None, None], padding=1)[0, 0]


def _requantized(y: torch.Tensor) -> torch.Tensor:
    v = (y.float() - 128) * 0.05
    return (torch.maximum(v, -0.1 * v) * 20).clamp(-128, 127).to(torch.int8)


LOOPS = (
    Loop(argmax_rows, 2, ((ROWS,), torch.int32), lambda x, y: x.argmax(1)),
    Loop(cumsum, 10, (TILE, torch.float32), lambda x, y: x.cumsum(1)),
    Loop(transposed_copy, 5, ((COLUMNS, ROWS), torch.float32), lambda x, y: x.T),
    Loop(gather_rows, 1, (TILE, torch.float32), lambda x, y: x[y.flatten()[:ROWS].long()], "numbers"),
    Loop(histogram, 1, ((64,), torch.int32), lambda x, y: torch.bincount(y.flatten(), minlength=64), "numbers", "y"),
    Loop(quantize, 4, (TILE, torch.int8), lambda x, y: (x * 25).clamp(-128, 127).to(torch.int8)),
    Loop(dequantize_nf4, 1.25, (TILE, torch.float32), lambda x, y: x.flatten()[(y & 15).long()], "bytes", "y"),
    Loop(rgb_to_gray, 2, ((SIZE // 4,), torch.float32),
         lambda x, y: x.flatten()[:3 * SIZE // 4].reshape(-1, 3) @ torch.tensor([0.299, 0.587, 0.114])),
    Loop(box_blur, 3, ((SIZE,), torch.float32), lambda x, y: _blurred(x)),
    Loop(dot, 1, ((), torch.float32), lambda x, y: (x * y).sum(), read="xy"),
    Loop(outer_product, 1, (TILE, torch.float32), lambda x, y: x.flatten()[:ROWS, None] * y.flatten()[None, :COLUMNS],
         read=""),
    Loop(masked_softmax, 20, (TILE, torch.float32), lambda x, y: _softmax(x)),
    Loop(top_1, 2, ((ROWS,), torch.float32), lambda x, y: x.max(1).values + x.argmax(1)),
    Loop(compare_select, 2, (TILE, torch.float32), lambda x, y: torch.where(x > y, x, torch.where(y > 0, y, -x)),
         read="xy"),
    Loop(relu_bias, 2, (TILE, torch.float32), lambda x, y: (x + y.flatten()[:COLUMNS]).relu()),
    Loop(column_sums, 1, ((COLUMNS,), torch.float32), lambda x, y: x.sum(0)),
    Loop(reversed_copy, 2, ((SIZE,), torch.float32), lambda x, y: x.flatten().flip(0)),
    Loop(planes_to_pixels, 1.5, ((3 * SIZE // 4,), torch.float32),
         lambda x, y: x.flatten()[:3 * SIZE // 4].reshape(3, -1).T.flatten()),
    Loop(softmax_of_eight, 20, (TILE, torch.float32), lambda x, y: torch.softmax(x.reshape(-1, 8), 1).reshape(TILE)),
    Loop(every_second, 1, ((SIZE // 2,), torch.float32), lambda x, y: x.flatten().reshape(-1, 2).sum(1)),
    Loop(interleave, 1, ((SIZE,), torch.float32),
         lambda x, y: torch.stack((x.flatten()[:SIZE // 2], y.flatten()[:SIZE // 2]), 1).flatten()),
    Loop(bilinear, 1, ((ROWS // 2, COLUMNS // 2), torch.float32),
         lambda x, y: x.reshape(ROWS // 2, 2, COLUMNS // 2, 2).mean((1, 3))),
    Loop(five_point_stencil, 5, (TILE, torch.float32), lambda x, y: _stencil(x)),
    Loop(argmin_columns, 2, ((COLUMNS,), torch.int32), lambda x, y: x.argmin(0)),
    Loop(any_above, 1, ((ROWS,), torch.int32), lambda x, y: (x > 3).any(1)),
    Loop(requantize, 5, (TILE, torch.int8), lambda x, y: _requantized(y), "bytes", "y"),
    Loop(log_softmax, 14, (TILE, torch.float32), lambda x, y: torch.log_softmax(x, 1)),
    Loop(batch_statistics, 4, ((2, COLUMNS), torch.float32),
         lambda x, y: torch.stack((x.mean(0), x.var(0, unbiased=False)))),
    Loop(transposed_bytes, 7 / 4, ((COLUMNS, ROWS), torch.uint8), lambda x, y: y.T, "bytes", "y"),
    Loop(transposed_halves, 6 / 2, ((COLUMNS, ROWS), torch.float16), lambda x, y: y.T, "halves", "y"),
    Loop(scaled_pixels, 0.75, ((3 * SIZE // 4,), torch.float32),
         lambda x, y: (x.flatten()[:3 * SIZE // 4].reshape(-1, 3) * y.flatten()[:3]).flatten()),
)


@dataclass(frozen=True)
class Measurement:
    """Cycles per element of the larger of ``x`` and the result, and the bound."""

    loop: Loop
    cycles: float
    bound: float


def measure(loop: Loop) -> Measurement:
    """Run ``loop`` once on the simulator; raises when its values are wrong."""
    torch.manual_seed(0)
    x = torch.randn(TILE)
    y = {"f32": torch.randn(TILE), "halves": torch.randn(TILE).half(),
         "bytes": torch.randint(0, 256, TILE, dtype=torch.uint8),
         "numbers": torch.randint(0, 64, TILE, dtype=torch.int32)}[loop.second]
    out = torch.zeros(loop.out[0], dtype=loop.out[1])
    activate()
    loop.kernel[(1,)](x, y, out, R=ROWS, C=COLUMNS)
    expected = loop.expected(x, y).to(out.dtype)
    if not torch.allclose(out.reshape(expected.shape).float(), expected.float(), atol=TOLERANCE):
        raise AssertionError(f"{loop.kernel.__name__}: wrong values")
    chip = targets.get()
    moved = sum({"x": x, "y": y}[name].nbytes for name in loop.read) + out.nbytes
    lower = max(moved / chip.dma_bytes_per_cycle.value, chip.hvx_issue_interval_cycles.value * loop.work * SIZE / LANES)
    return Measurement(loop, history[-1].result.cycles / SIZE, lower / SIZE)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="loops whose name starts so; all when none is given")
    options = parser.parse_args()
    table = Table(title=f"Hexagon v75, {ROWS}x{COLUMNS} elements in DDR, simulated", title_justify="left")
    for heading in ("loop", "cycles per element", "bound", "ratio"):
        table.add_column(heading, justify="left" if heading == "loop" else "right")
    for loop in LOOPS:
        name = loop.kernel.__name__
        if not options.names or name.startswith(tuple(options.names)):
            m = measure(loop)
            table.add_row(name.replace("_", " "), f"{m.cycles:.2f}", f"{m.bound:.2f}", f"{m.cycles / m.bound:.1f}")
    console = Console()
    console.print(table)
    console.print(f"Cycles: {CLOCK_NOTE}.", highlight=False)


if __name__ == "__main__":
    main()
