"""Measures points on processes of this machine or on a Dask cluster, and gives each row when it is there."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process

import msgspec

from hexagon_mlir.ir.diagnostics import HexError
from hexagon_mlir.sweep.measure import Row, measured
from hexagon_mlir.sweep.points import Point

Measurements = Iterator[tuple[Point, Row]]
CONNECT_SECONDS = 10
"""How long the scheduler of a cluster has to answer."""
_ENDED = "the process that measured it ended"


def on_processes(points: Sequence[Point], jobs: int) -> Measurements:
    """Rows of ``points`` from ``jobs`` processes, in the order in which they are done.

    Where a process ends, as one without memory does, the points that are left are measured again one by one, so that
    only one that ends its own process fails.
    """
    left = {point.key: point for point in points}
    try:
        for point, row in _pool(points, jobs):
            del left[point.key]
            yield point, row
    except BrokenProcessPool:
        for point in list(left.values()):
            try:
                yield from _pool([point], 1)
            except BrokenProcessPool:
                yield point, Row(error=_ENDED)


def _pool(points: Sequence[Point], jobs: int) -> Measurements:
    with ProcessPoolExecutor(jobs, get_context("spawn"), _end_with_parent) as executor:
        futures: dict[Future[bytes], Point] = {
            executor.submit(measured, msgspec.json.encode(point)): point for point in points}
        try:
            for future in as_completed(futures):
                yield futures[future], _row(future.result())
        finally:
            executor.shutdown(wait=False, cancel_futures=True)


def _end_with_parent() -> None:
    """In a worker: end when the process that began it is killed; its queue alone would keep it waiting."""
    def wait() -> None:
        parent = parent_process()
        if parent is not None:
            parent.join()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def on_cluster(points: Sequence[Point], address: str) -> Measurements:
    """Rows of ``points`` from the workers of the Dask scheduler at ``address``, which have this package. A point whose
    worker ends is measured by another one. Raises `HexError` where there is no such scheduler."""
    try:
        from distributed import Client
        from distributed import as_completed as completed
    except ImportError:
        raise HexError.plain("--scheduler needs the package distributed, which is not installed",
                             hint="pip install 'hexagon-mlir[cluster]'") from None
    try:
        client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise HexError.plain(f"no scheduler at {address}: {error}") from None
    with client:
        futures = {client.submit(measured, msgspec.json.encode(point), key=f"hexmlir-{point.key}"): point
                   for point in points}
        for future in completed(futures, loop=client.loop):
            failure = future.exception()
            yield futures[future], (_row(future.result()) if failure is None else
                                    Row(error=f"{_ENDED}: {type(failure).__name__}"))


def _row(encoded: bytes) -> Row:
    try:
        return msgspec.json.decode(encoded, type=Row)
    except msgspec.MsgspecError as error:
        return Row(error=f"what a worker gave is no row: {error}")
