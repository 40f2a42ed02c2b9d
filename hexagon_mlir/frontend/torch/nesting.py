"""The nesting of arguments and results as data, from which only tuples, lists and dicts are made.

PyTorch's own form names types, which reading it imports.
"""

from __future__ import annotations

from typing import Any

import msgspec
from torch.utils import _pytree as pytree

from hexagon_mlir.ir import HexError


class Tuple(msgspec.Struct, tag="tuple", forbid_unknown_fields=True):
    """A tuple, named or not."""

    parts: list[Part]


class List(msgspec.Struct, tag="list", forbid_unknown_fields=True):
    """A list."""

    parts: list[Part]


class Dict(msgspec.Struct, tag="dict", forbid_unknown_fields=True):
    """A dict, ordered or not."""

    keys: list[str | int]
    parts: list[Part]


Part = Tuple | List | Dict | None
"""None is a value: a tensor, a number, or nothing."""


def as_data(spec: pytree.TreeSpec) -> Part:
    """``spec`` as data; raises `HexError` for a type that is neither tuple, list nor dict."""
    return _written(pytree.tree_unflatten([None] * spec.num_leaves, spec))


def as_spec(part: Part) -> pytree.TreeSpec:
    """The specification that ``part`` describes; raises ValueError for a dict that has not a part for each key."""
    return pytree.tree_structure(_made(part))


def alike(one: pytree.TreeSpec, other: pytree.TreeSpec) -> bool:
    """Whether values nested as ``one`` can stand for those nested as ``other``: names of tuples make no difference."""
    if one == other:
        return True
    try:
        return as_data(one) == as_data(other)
    except HexError:
        return False


def _written(value: Any) -> Part:
    if value is None:
        return None
    if isinstance(value, tuple):
        return Tuple([_written(part) for part in value])
    if type(value) is list:
        return List([_written(part) for part in value])
    if isinstance(value, dict) and all(type(key) in (str, int) for key in value):
        return Dict(list(value), [_written(part) for part in value.values()])
    raise HexError.plain(f"arguments or results are nested in a {type(value).__name__}", origin="save",
                         hint="tuples, lists, and dicts with keys that are texts or numbers can be saved")


def _made(part: Part) -> Any:
    match part:
        case Tuple(parts):
            return tuple(map(_made, parts))
        case List(parts):
            return list(map(_made, parts))
        case Dict(keys, parts):
            if len(set(keys)) != len(parts) or len(keys) != len(parts):
                raise ValueError(f"a dict has {len(keys)} keys, {len(set(keys))} of them different, for {len(parts)} "
                                 "parts")
            return dict(zip(keys, map(_made, parts), strict=True))
    return None
