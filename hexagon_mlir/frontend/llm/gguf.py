"""GGUF files (version 2 and 3): metadata, and tensors in blocks of quantized weights. Every place is checked.

The format is that of https://github.com/ggml-org/ggml/blob/master/docs/gguf.md.
"""

from __future__ import annotations

import math
import mmap
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from hexagon_mlir.frontend.llm.block_layers import stacked, stored
from hexagon_mlir.frontend.llm.gguf_blocks import SCHEMES, Scheme
from hexagon_mlir.frontend.torch.stored_weights import StoredWeights
from hexagon_mlir.ir import HexError

_NUMBERS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}
_TEXT, _ARRAY = 8, 9
_MATRIX, _MATRICES = 2, 3
_NO_SCALE = 255
"""The byte that is NaN as a scale of MXFP4."""
_MOST_ENTRIES, _LONGEST_TEXT, _MOST_DIMENSIONS = 1 << 24, 1 << 26, 4


@dataclass(frozen=True)
class GgufTensor:
    """``data`` has the blocks of a tensor of ``shape``, whose rows are whole blocks of ``scheme``."""

    shape: tuple[int, ...]
    scheme: Scheme
    data: np.ndarray

    def dequantized(self) -> torch.Tensor:
        """The weights, f32."""
        weights = self.scheme.weights(self.data.reshape(-1, self.scheme.nbytes))
        return torch.from_numpy(weights if weights.flags.writeable else weights.copy()).reshape(self.shape)

    def stored(self, dtype: torch.dtype, order: Callable[[torch.Tensor], torch.Tensor] | None = None,
               ) -> StoredWeights | None:
        """The weights of a matrix, or of several, as codes and scales of the file, the rows of a matrix in another
        ``order``; None for other schemes, and for scales and minima that are not finite."""
        coded = self.scheme.coded
        if coded is None or len(self.shape) not in (_MATRIX, _MATRICES):
            return None
        if len(self.shape) == _MATRICES:
            each = self.data.reshape(self.shape[0], -1)
            made = [GgufTensor(self.shape[1:], self.scheme, one).stored(dtype) for one in each]
            known = [one for one in made if one is not None]
            return stacked(known) if len(known) == len(made) else None
        blocks = self.data.reshape(self.shape[0], -1, self.scheme.nbytes)
        given = coded.scales(blocks.reshape(-1, self.scheme.nbytes))
        others = [torch.from_numpy(part).reshape(self.shape[0], -1) for part in given]
        if not all(bool((part != _NO_SCALE if part.dtype == torch.uint8 else part.isfinite()).all())
                   for part in others):
            return None

        def codes(rows: np.ndarray) -> torch.Tensor:
            parts = blocks[rows].reshape(-1, self.scheme.nbytes)
            return torch.from_numpy(coded.codes(parts)).reshape(len(rows), -1)

        numbers = torch.arange(self.shape[0])
        numbers = numbers if order is None else order(numbers)
        scales, *rest = (part[numbers] for part in others)
        of_blocks = len(rest) // 2 if scales.dtype == torch.int8 else len(rest)
        return stored(lambda rows: codes(numbers[rows].numpy()), scales, coded.bits, dtype,
                      rest[0] if of_blocks else None, block=coded.block, shared=rest[of_blocks:])


@dataclass(frozen=True)
class GgufFile:
    """``metadata`` and ``tensors`` by name."""

    metadata: dict[str, Any]
    tensors: dict[str, GgufTensor]


def read(file: Path) -> GgufFile:
    """What is in ``file``, which is mapped. Raises `HexError` for one that is damaged or has other types of weights."""
    try:
        with open(file, "rb") as opened:
            size = opened.seek(0, 2)
            data = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) if size else b""
        return _Reader(data, size).file()
    except OSError as error:
        raise HexError.plain(f"cannot read: {error.strerror}", origin="llm", file=str(file)) from None
    except (ValueError, struct.error, UnicodeDecodeError) as error:
        raise HexError.plain(f"no GGUF file: {error}", origin="llm", file=str(file)) from None


class _Reader:
    """Reads from ``place`` on."""

    def __init__(self, data: Any, size: int) -> None:
        self.data, self.size, self.place = data, size, 0

    def file(self) -> GgufFile:
        """Header, metadata, descriptions of tensors, their bytes."""
        if self.data[:4] != b"GGUF":
            raise ValueError("it does not begin with 'GGUF'")
        self.place = 4
        version, tensors, entries = self._number("<I"), self._number("<Q"), self._number("<Q")
        if version not in (2, 3):
            raise ValueError(f"version {version}")
        if max(tensors, entries) > _MOST_ENTRIES:
            raise ValueError(f"{tensors} tensors and {entries} entries")
        metadata = {}
        for _ in range(entries):
            name = self._text()
            metadata[name] = self._value(self._number("<I"))
        described = [self._description() for _ in range(tensors)]
        alignment = metadata.get("general.alignment", 32)
        if not isinstance(alignment, int) or not 0 < alignment <= 1 << 16:
            raise ValueError(f"an alignment of {str(alignment)[:20]}")
        start = -(-self.place // alignment) * alignment
        return GgufFile(metadata, {name: self._tensor(name, shape, kind, start + offset)
                                   for name, shape, kind, offset in described})

    def _number(self, form: str) -> Any:
        value, = struct.unpack_from(form, self.data, self.place)
        self.place += struct.calcsize(form)
        return value

    def _text(self) -> str:
        length = self._number("<Q")
        if length > min(_LONGEST_TEXT, self.size - self.place):
            raise ValueError(f"a text of {length} bytes")
        self.place += length
        return self.data[self.place - length: self.place].decode(errors="replace")

    def _value(self, kind: int) -> Any:
        if kind == _TEXT:
            return self._text()
        if kind == _ARRAY:
            kind, count = self._number("<I"), self._number("<Q")
            if count > min(_MOST_ENTRIES, self.size - self.place) or kind == _ARRAY:
                raise ValueError(f"a list of {count} values of type {kind}")
            return [self._value(kind) for _ in range(count)]
        if kind not in _NUMBERS:
            raise ValueError(f"a value of type {kind}")
        return self._number(_NUMBERS[kind])

    def _description(self) -> tuple[str, tuple[int, ...], int, int]:
        name, rank = self._text(), self._number("<I")
        if not 0 < rank <= _MOST_DIMENSIONS:
            raise ValueError(f"'{name[:60]}' has {rank} dimensions")
        shape = tuple(self._number("<Q") for _ in range(rank))
        return name, shape[::-1], self._number("<I"), self._number("<Q")

    def _tensor(self, name: str, shape: tuple[int, ...], kind: int, offset: int) -> GgufTensor:
        if kind not in SCHEMES:
            raise ValueError(f"'{name[:60]}' has weights of type {kind}, which is not read")
        scheme = SCHEMES[kind]
        nbytes = math.prod(shape) // scheme.weights_in_block * scheme.nbytes
        if shape[-1] % scheme.weights_in_block or offset + nbytes > self.size:
            raise ValueError(f"'{name[:60]}' of shape {shape} is not within the file")
        return GgufTensor(shape, scheme, np.frombuffer(self.data, np.uint8, nbytes, offset))
