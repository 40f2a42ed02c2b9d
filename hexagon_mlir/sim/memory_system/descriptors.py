"""User-DMA descriptors: their fields, their limits, and which ones a 2-D block needs.

Layout after the public user-DMA headers (16 bytes linear, 32 bytes 2-D); a value that does not fit its field is a
`DescriptorError`, never wrapped.

* word 0: address of the next descriptor, 0 at the end of a chain
* word 1: done 31, order 30, bypass 29:28, compression 27:26, size 25:24 (0 linear, 1 2-D), length 23:0
* word 2, 3: source, destination
* word 4: type of a 2-D descriptor in 7:0, after llama.cpp's dma-queue.h: `WIDE` from v75 on. Public headers have the
  cache allocation policy (0 to 3) in its lower bits.

With 16-bit fields, in a 2-D descriptor of another type:

* word 5: rows 31:16, bytes per row 15:0; word 6: strides, destination 31:16, source 15:0
* word 7: offsets inside a row, destination 31:16, source 15:0

With 24-bit fields, in one of type `WIDE`:

* word 1: destination stride 23:0; word 6: source stride 31:8
* word 5: bytes per row 23:0; word 5 and 6: rows, lower bits in 31:24 and upper ones in 7:0
* word 4: on v81 upper bits of the addresses, an allocation and a transform in 31:8, reserved before; only 0 is taken
* word 7: an offset 23:0. What it is added to is not public: only 0 is taken.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

LINEAR_BYTES, BLOCK_BYTES = 16, 32
ALIGNMENT = 16
MAX_LENGTH = (1 << 24) - 1
MAX_FIELD = (1 << 16) - 1
DONE = 1 << 31
_LINEAR, _BLOCK = 0, 1
WIDE = 9
"""Type of a 2-D descriptor with 24-bit fields."""
NARROW_BITS, WIDE_BITS = 16, 24
_POLICIES = 4
"""Cache allocation policies; they do not matter to a model that moves data past the caches."""


class DescriptorError(ValueError):
    """A descriptor the engine would refuse."""


class Block(NamedTuple):
    """``rows`` rows of ``row_bytes``; strides in bytes from row to row."""

    dst: int
    src: int
    row_bytes: int
    rows: int
    dst_stride: int
    src_stride: int

    @property
    def nbytes(self) -> int:
        return self.row_bytes * self.rows

    def span(self, address: int, stride: int) -> tuple[int, int]:
        """First and past-the-last address of the rows that start at ``address``."""
        reach = (self.rows - 1) * stride
        return address + min(0, reach), address + max(0, reach) + self.row_bytes


def count(block: Block, field_bits: int) -> int:
    """Descriptors a runtime needs for ``block``: one 2-D descriptor, or linear ones.

    ``field_bits``: bits of the row size and of the strides in the widest 2-D mode of the chip.
    """
    _, _, row_bytes, rows, dst_stride, src_stride = block
    if rows == 1 or dst_stride == src_stride == row_bytes:
        return -(-row_bytes * rows // MAX_LENGTH)
    limit = (1 << field_bits) - 1
    if 0 <= row_bytes <= dst_stride <= limit and row_bytes <= src_stride <= limit:
        return -(-rows // MAX_FIELD)
    return rows * -(-row_bytes // MAX_LENGTH)


def _misfit(address: int, why: str) -> DescriptorError:
    return DescriptorError(f"DMA descriptor at {address:#x}: {why}")


def read(memory: np.ndarray, address: int, field_bits: int = NARROW_BITS) -> tuple[Block, int]:
    """The transfer the descriptor at guest ``address`` asks for, and the address of the next one.

    ``memory`` are its bytes (`BLOCK_BYTES` of them), ``field_bits`` those of the widest 2-D descriptor of the chip.
    """
    if address % ALIGNMENT:
        raise _misfit(address, f"not aligned to {ALIGNMENT} bytes")
    words = [int(word) for word in memory.view(np.uint32)]
    control, src, dst = words[1:4]
    kind = control >> 24 & 3
    if control >> 26 & 3:
        raise _misfit(address, "compressed transfers are not modelled")
    if words[0] % ALIGNMENT:
        raise _misfit(address, f"next descriptor {words[0]:#x} is not aligned to {ALIGNMENT} bytes")
    if kind == _LINEAR:
        length = control & MAX_LENGTH
        if not length:
            raise _misfit(address, "length is 0")
        return Block(dst, src, length, 1, length, length), words[0]
    if kind != _BLOCK:
        raise _misfit(address, f"size {kind} is unknown: 0 is linear, 1 is 2-D")
    type_ = words[4] & 0xFF
    if type_ == WIDE and field_bits < WIDE_BITS:
        raise _misfit(address, f"type {WIDE} (24-bit fields) needs v75 or later")
    if type_ != WIDE and type_ >= _POLICIES:
        raise _misfit(address, f"type {type_} of a 2-D descriptor is unknown: 0 has 16-bit fields, {WIDE} 24-bit ones")
    return _read_wide(address, words) if type_ == WIDE else _read_narrow(address, words), words[0]


def _read_narrow(address: int, words: list[int]) -> Block:
    width, rows = words[5] & MAX_FIELD, words[5] >> 16
    src_stride, dst_stride = words[6] & MAX_FIELD, words[6] >> 16
    src_offset, dst_offset = words[7] & MAX_FIELD, words[7] >> 16
    for name, stride, offset in (("source", src_stride, src_offset), ("destination", dst_stride, dst_offset)):
        _fits(address, name, width, rows, stride, offset)
    return Block(words[3] + dst_offset, words[2] + src_offset, width, rows, dst_stride, src_stride)


def _read_wide(address: int, words: list[int]) -> Block:
    width, rows = words[5] & MAX_LENGTH, words[5] >> 24 | (words[6] & 0xFF) << 8
    src_stride, dst_stride, offset = words[6] >> 8, words[1] & MAX_LENGTH, words[7] & MAX_LENGTH
    if words[4] >> 8:
        raise _misfit(address, f"word 4 of a descriptor of type {WIDE} is {words[4]:#x}: upper address bits, "
                               "allocation and transform are not modelled")
    if offset:
        raise _misfit(address, f"offset {offset} of a descriptor of type {WIDE}: only 0 is known")
    for name, stride in (("source", src_stride), ("destination", dst_stride)):
        _fits(address, name, width, rows, stride, 0)
    return Block(words[3], words[2], width, rows, dst_stride, src_stride)


def _fits(address: int, name: str, width: int, rows: int, stride: int, offset: int) -> None:
    """Refuse an empty region, and rows that overlap the next one."""
    if not width or not rows:
        raise _misfit(address, f"empty region ({rows} rows of {width} bytes)")
    if rows > 1 and width + offset > stride:
        raise _misfit(address, f"{width} bytes per row at offset {offset} do not fit the {name} stride {stride}")
