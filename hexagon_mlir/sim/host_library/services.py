"""The services that a program calls by name, and the table of the functions it uses."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Protocol

from hexagon_mlir.sim.context import Context

HostFunction = Callable[[Context], int | None]


class Service(Protocol):
    """A part of the runtime: host functions by name, and their state during a run."""

    def functions(self) -> dict[str, HostFunction]: ...

    def reset(self) -> None: ...


def entry_points(services: Sequence[Service], names: Sequence[str]) -> tuple[list[HostFunction], list[Service]]:
    """The host function of each name, and the services that provide one; tables of other services are not built."""
    found: dict[str, HostFunction] = {}
    used = []
    for service in services:
        if len(found) == len(names):
            break
        table = service.functions()
        mine = {name: table[name] for name in names if name in table}
        if mine:
            used.append(service)
        found |= mine
    return [found[name] for name in names], used


def weakly(method: Callable):
    """``method`` without a reference to its object, so that a machine's memory is freed with the machine."""
    reference = weakref.WeakMethod(method)

    def call(*arguments, **named):
        alive = reference()
        assert alive is not None
        return alive(*arguments, **named)

    return call
