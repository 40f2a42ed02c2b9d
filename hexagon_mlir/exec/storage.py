"""The memory behind an argument: the whole storage that a tensor or array is a view of."""

from __future__ import annotations

import ctypes
import gc
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hexagon_mlir.ir.diagnostics import HexError


def storage_of(array: Any) -> tuple[int, int, bool]:
    """Start address, bytes and writability of the memory that ``array`` (torch or numpy) is a view of."""
    if isinstance(array, np.ndarray):
        whole = array
        while isinstance(whole.base, np.ndarray):
            whole = whole.base
        start, end = np.lib.array_utils.byte_bounds(whole)
        return start, end - start, array.flags.writeable
    if array.device.type != "cpu":
        raise HexError.plain(f"a tensor on device '{array.device}'", origin="launch", hint="pass CPU tensors")
    storage = array.untyped_storage()
    return storage.data_ptr(), storage.nbytes(), True


def address_of(array: Any) -> int:
    """Host address of the first element of ``array``."""
    return array.__array_interface__["data"][0] if isinstance(array, np.ndarray) else array.data_ptr()


def bytes_of(array: np.ndarray) -> tuple[int, int, bool]:
    """Start address, bytes and writability of the elements of contiguous ``array``, not of its whole storage."""
    return address_of(array), array.nbytes, bool(array.flags.writeable)


def live_storages() -> Iterator[tuple[int, int, bool]]:
    """`storage_of` every live CPU tensor of torch, to which a pointer passed as an integer may point."""
    torch = sys.modules.get("torch")
    if torch is None:
        return
    kinds = torch.Tensor, torch.nn.Parameter
    # What refers to these types: their instances and little else. All that the collector knows (`gc.get_objects`) has
    # tuples that another thread is still building, which cannot grow while something else refers to them.
    for candidate in gc.get_referrers(*kinds):
        if type(candidate) in kinds and candidate.layout == torch.strided and candidate.device.type == "cpu":
            yield storage_of(candidate)


def is_array(argument: Any) -> bool:
    """True for numpy arrays and torch tensors."""
    return isinstance(argument, np.ndarray) or hasattr(argument, "untyped_storage")


def host_bytes(start: int, end: int) -> np.ndarray:
    """Host memory as an array of bytes."""
    return np.ctypeslib.as_array((ctypes.c_uint8 * (end - start)).from_address(start))


@dataclass
class Span:
    """A range of host memory, and its address in guest memory; overlapping arguments share one."""

    start: int
    end: int
    writable: bool
    guest: int = 0

    @property
    def nbytes(self) -> int:
        return self.end - self.start


def spans_of(storages: Sequence[tuple[int, int, bool]]) -> list[Span]:
    """``storages`` (see `storage_of`), overlapping ones merged, without empty ones.

    Their order is kept: guest addresses must not depend on host addresses, or cycles would vary.
    """
    spans: list[Span] = []
    order: list[int] = []
    for number, (start, nbytes, writable) in sorted(enumerate(storages), key=lambda item: item[1]):
        if not nbytes:
            continue
        if spans and start < spans[-1].end:
            spans[-1].end = max(spans[-1].end, start + nbytes)
            spans[-1].writable |= writable
            order[-1] = min(order[-1], number)
        else:
            spans.append(Span(start, start + nbytes, writable))
            order.append(number)
    return [span for _, span in sorted(zip(order, spans, strict=True), key=lambda item: item[0])]


def guest_address(spans: Sequence[Span], array: Any) -> int:
    """The guest address of the first element of ``array``; 0 when it has no memory."""
    first = address_of(array)
    for span in spans:
        if span.start <= first < span.end:
            return span.guest + first - span.start
    return 0
