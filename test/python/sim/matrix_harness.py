"""Programs of the matrix engine: packets with the values of their registers, operands in TCM, tiles."""

import numpy as np
from sim.forms_harness import function

from hexagon_mlir.sim import Machine, layout

TILE = 2048
TCM = layout.TCM_BASE
IDENTITY = np.repeat(np.array([0x3C00, 0], np.uint32), 32)
"""Bias registers that leave a half as it is."""


def transfer(register, value):
    """Packet that sets a register to a 32-bit word."""
    value &= 0xFFFFFFFF
    return [f"{register} = ##{value - (1 << 32) if value >> 31 else value}"]


def half_product(activation, weight, tiles, set_=""):
    """Packets of one product ``:deep`` of ``tiles`` tiles at offsets into TCM."""
    return [transfer("r0", TCM + activation), transfer("r1", tiles * TILE - 1), transfer("r2", TCM + weight),
            transfer("r3", tiles * TILE - 1),
            ["activation.hf = mxmem(r0,r1):deep", f"weight.hf = mxmem(r2,r3){set_}"]]  # fmt: skip


def convert(register=2):
    return [transfer("r7", register), ["cvt.hf = acc(r7)"]]


def store(offset):
    return [transfer("r8", TCM + offset), transfer("r9", 0), ["mxmem(r8,r9) = cvt"]]


def load_bias(offset):
    return [transfer("r6", TCM + offset), ["bias = mxmem2(r6)"]]


def machine_of(*packets, chip="v75", more="", **options):
    """A machine with the function ``f`` of ``packets``."""
    return Machine(function("f", list(packets)) + more, chip, **options)


def half_tiles(matrix):
    """Rows x channels as tiles of half precision: [row of tiles][tile along the channels] of 2 KiB each, as bytes."""
    rows, channels = matrix.shape
    tiles = matrix.astype(np.float16).reshape(rows // 32, 16, 2, channels // 32, 32)
    return np.ascontiguousarray(tiles.transpose(0, 3, 1, 4, 2)).view(np.uint8).reshape(-1)


def weight_tiles(matrix):
    """Channels x columns as tiles of weights: [column of tiles][tile along the channels], as bytes."""
    channels, columns = matrix.shape
    tiles = matrix.astype(np.float16).reshape(channels // 32, 16, 2, columns // 32, 32)
    return np.ascontiguousarray(tiles.transpose(3, 0, 1, 4, 2)).view(np.uint8).reshape(-1)


def from_half_tiles(data, rows, columns):
    """The matrix of tiles as `half_tiles` gives them."""
    tiles = data.view(np.float16).reshape(rows // 32, columns // 32, 16, 32, 2)
    return tiles.transpose(0, 2, 4, 1, 3).reshape(rows, columns)
