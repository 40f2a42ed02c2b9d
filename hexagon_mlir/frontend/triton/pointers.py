"""The pointer arguments of a launch: CPU tensors, results of `triton.reinterpret`, and any object with a
``data_ptr()``, as in Triton's own drivers.
"""

from __future__ import annotations

import ctypes
import re
from typing import Any

import numpy as np

from hexagon_mlir.exec.storage import live_storages
from hexagon_mlir.ir.diagnostics import HexError

_BITS = re.compile(r"\*k?(?:fp|bf|i|u)(8|16|32|64|1)")


def element_bytes(kind: str) -> int:
    """Bytes of an element of pointer type ``kind``: ``*fp8e5``, or ``*kfp32`` of constants; a bit takes one."""
    found = _BITS.match(kind)
    assert found is not None, kind
    return max(int(found[1]) // 8, 1)


def pointed(argument: Any, label: str) -> Any:
    """The tensor (torch) or the bytes (numpy, from the address on) that ``argument`` points to.

    Raises `HexError` for another device's memory, for an argument that is no pointer, and where the size of the memory
    is unknown or smaller than stated.
    """
    device = getattr(argument, "device", None)
    if device is not None and getattr(device, "type", str(device)) != "cpu":
        raise HexError.plain(f"{label} is a tensor on device '{device}'", origin="launch",
                             hint="pass CPU tensors: tensor.cpu()")
    if hasattr(argument, "untyped_storage"):
        return argument
    if not callable(getattr(argument, "data_ptr", None)):
        raise HexError.plain(f"{label} is a pointer, given as {type(argument).__name__}", origin="launch",
                             hint="pass CPU tensors, or objects with data_ptr()")
    address = argument.data_ptr()
    base: Any = getattr(argument, "base", None)
    if hasattr(base, "untyped_storage") and base.data_ptr() == address:
        return base
    return _bytes(address, _size(argument), label)


def _bytes(address: int, nbytes: int | None, label: str) -> np.ndarray:
    """Memory from ``address`` on: ``nbytes`` of it, or up to the end of the tensor that it is in."""
    if not address or nbytes == 0:
        return np.zeros(0, np.uint8)
    left = next((start + size - address for start, size, _ in live_storages() if start <= address < start + size), None)
    if left is not None and nbytes is not None and nbytes > left:
        raise HexError.plain(f"{label} is to point to {nbytes} bytes, of which its tensor has {left}", origin="launch",
                             hint="its size is 'nbytes', or numel() and element_size()")
    size = left if nbytes is None else nbytes
    if size is None:
        raise HexError.plain(f"{label} points to memory of unknown size", origin="launch",
                             hint="give it 'nbytes', or numel() and element_size(); or pass a CPU tensor")
    return np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(address))


def _size(argument: Any) -> int | None:
    """The size in bytes that ``argument`` states."""
    nbytes = getattr(argument, "nbytes", None)
    if nbytes is not None:
        return int(nbytes() if callable(nbytes) else nbytes)
    if callable(getattr(argument, "numel", None)) and callable(getattr(argument, "element_size", None)):
        return int(argument.numel()) * int(argument.element_size())
    return None
