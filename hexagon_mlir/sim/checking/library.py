"""The helpers of checked builds as a module of its own: compiled once for a target, whatever the program."""

from __future__ import annotations

import functools
import re

from hexagon_mlir.sim.checking import check_helpers, frame_model, second_model
from hexagon_mlir.targets import Target

_HEAD = re.compile(r"^define internal (?P<result>[^@]+)(?P<name>@\w+)\((?P<parameters>[^)]*)\)", re.M)
_NAME = re.compile(r" %\w+")


@functools.cache
def library(target: Target) -> str:
    """All helpers as IR; each is visible to other modules."""
    return re.sub(r"^define internal ", "define ", _helpers(target), flags=re.M)


@functools.cache
def declarations(target: Target) -> str:
    """What translated code calls."""
    return "\n".join(f"declare {head['result']}{head['name']}({_NAME.sub('', head['parameters'])})"
                     for head in _HEAD.finditer(_helpers(target)))


def _helpers(target: Target) -> str:
    vector_bytes = int(target.vector_bytes.value)
    return "\n".join((check_helpers.helpers(vector_bytes), frame_model.helpers(int(target.stack_bytes.value)),
                      second_model.helpers(vector_bytes)))
