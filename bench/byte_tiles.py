"""Matrices of bytes as the matrix engine's tiles, and random ones."""

import numpy as np

ROWS, SIDE = 64, 32
TILE, TABLE = ROWS * SIDE, 256
IDENTITY = 0x6000, 0x4000, 0x2000, 0
"""Low words of the tables that give the four bytes of a sum."""


def whole(matrix, rows, columns):
    """``matrix`` with zeros up to multiples of ``rows`` and ``columns``."""
    return np.pad(matrix, ((0, -matrix.shape[0] % rows), (0, -matrix.shape[1] % columns)))


def activations(matrix):
    """M x K of u8 -> [M / 64][K / 32][64][32]."""
    matrix = whole(matrix, ROWS, SIDE)
    rows, columns = matrix.shape[0] // ROWS, matrix.shape[1] // SIDE
    return np.ascontiguousarray(matrix.reshape(rows, ROWS, columns, SIDE).transpose(0, 2, 1, 3))


def weights(matrix, bits):
    """K x N of s8 -> bytes [N / 32][K / 32][..]: words of four channels; of 4 bits two words in one."""
    matrix = whole(matrix, SIDE, SIDE)
    tiles, columns = (size // SIDE for size in matrix.shape)
    words = matrix.reshape(tiles, 8, 4, columns, SIDE).transpose(3, 0, 1, 4, 2)
    if bits == 4:
        words = words[:, :, ::2] & 15 | words[:, :, 1::2] << 4
    return np.ascontiguousarray(words).view(np.uint8)


def plane_tables():
    """The four tables of exact sums."""
    return np.array([[[word] * SIDE, [0] * SIDE] for word in IDENTITY], np.uint32)


def sums(planes):
    """Bytes [columns of tiles][4][64][32] of one row of tiles -> i32 [64][columns]."""
    parts = planes.reshape(-1, 4, ROWS, SIDE).astype(np.uint32)
    words = sum(parts[:, number] << np.uint32(8 * number) for number in range(4))
    return words.astype(np.uint32).view(np.int32).transpose(1, 0, 2).reshape(ROWS, -1)


def random_operands(seed, rows, reduction, columns, bits):
    """Activations of all bytes and weights of ``bits``, with extremes."""
    rng = np.random.default_rng(seed)
    left = rng.integers(0, 256, (rows, reduction)).astype(np.uint8)
    right = rng.integers(-(1 << bits - 1), 1 << bits - 1, (reduction, columns)).astype(np.int8)
    left[0], right[:, 0], right[:, -1] = 255, -(1 << bits - 1), (1 << bits - 1) - 1
    return left, right
