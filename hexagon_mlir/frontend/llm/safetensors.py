"""Tensors of ``.safetensors`` files: a header of JSON, then bytes. Files are mapped; every place is checked."""

from __future__ import annotations

import json
import math
import mmap
from pathlib import Path
from typing import Any

import torch

from hexagon_mlir.ir import HexError

_DTYPES = {"F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16,
           "I64": torch.int64, "I32": torch.int32, "I16": torch.int16, "I8": torch.int8, "U8": torch.uint8,
           "BOOL": torch.bool}
_LARGEST_HEADER = 100_000_000


def read_folder(folder: Path) -> dict[str, torch.Tensor]:
    """The tensors of all ``.safetensors`` files in ``folder``, by name. Raises `HexError`."""
    files = sorted(folder.glob("*.safetensors"))
    if not files:
        raise HexError.plain("no .safetensors files", origin="llm", file=str(folder),
                             hint="other formats of weights run code when they are read")
    found: dict[str, torch.Tensor] = {}
    for file in files:
        found |= read(file)
    return found


def read(file: Path) -> dict[str, torch.Tensor]:
    """The tensors of one file, in its memory. Raises `HexError` for a file that is damaged."""
    try:
        with open(file, "rb") as opened:
            size = opened.seek(0, 2)
            data = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_COPY) if size else b""
        return _tensors(data, size)
    except OSError as error:
        raise HexError.plain(f"cannot read: {error.strerror}", origin="llm", file=str(file)) from None
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise HexError.plain(f"no safetensors file: {error}", origin="llm", file=str(file)) from None


def _tensors(data: Any, size: int) -> dict[str, torch.Tensor]:
    length = int.from_bytes(data[:8], "little")
    if size < 8 or length > min(size - 8, _LARGEST_HEADER):
        raise ValueError("its header is longer than the file")
    header = json.loads(data[8: 8 + length])
    found = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        dtype, shape = _DTYPES[entry["dtype"]], entry["shape"]
        begin, end = entry["data_offsets"]
        whole = [*shape, begin, end]
        if not all(isinstance(number, int) and number >= 0 for number in whole) or len(shape) > 8:
            raise ValueError(f"'{name[:60]}' has no shape or place")
        count = math.prod(shape)
        if end - begin != count * dtype.itemsize or end > size - 8 - length:
            raise ValueError(f"'{name[:60]}' is not within the file")
        found[name] = (torch.frombuffer(data, dtype=dtype, count=count, offset=8 + length + begin).reshape(shape)
                       if count else torch.empty(shape, dtype=dtype))
    return found
