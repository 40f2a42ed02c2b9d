"""The helpers of checked builds as a module of its own: compiled once for a target, whatever the program."""

from __future__ import annotations

import functools
from collections.abc import Iterator

from hexagon_mlir.sim.checking import check_helpers, frame_model, second_model
from hexagon_mlir.targets import Target

_INTERNAL = "define internal "
"""Begins the first line of each helper."""


@functools.cache
def library(target: Target) -> str:
    """All helpers as IR; each is visible to other modules."""
    return "\n".join(f"define {line.removeprefix(_INTERNAL)}" if line.startswith(_INTERNAL) else line
                     for line in _helpers(target).splitlines())


@functools.cache
def declarations(target: Target) -> str:
    """What translated code calls."""
    return "\n".join(f"declare {head}({', '.join(types)})" for head, types in _heads(target))


def _heads(target: Target) -> Iterator[tuple[str, list[str]]]:
    """The type of the result and the name of each helper, and the types of its parameters."""
    for line in _helpers(target).splitlines():
        if line.startswith(_INTERNAL):
            head, _, rest = line.removeprefix(_INTERNAL).partition("(")
            yield head, [parameter.rpartition(" %")[0] for parameter in rest.partition(")")[0].split(", ")]


def _helpers(target: Target) -> str:
    vector_bytes = int(target.vector_bytes.value)
    return "\n".join((check_helpers.helpers(vector_bytes), frame_model.helpers(int(target.stack_bytes.value)),
                      second_model.helpers(vector_bytes)))
