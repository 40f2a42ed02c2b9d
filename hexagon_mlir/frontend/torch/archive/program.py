"""Checks a program against PyTorch's own schema, and each text in it against its use.

Types must match exactly: a list in place of a name would be written to source code, too.
"""

from __future__ import annotations

import dataclasses
import json
import re
import types
import typing
from collections.abc import Callable
from enum import IntEnum
from functools import cache
from typing import Any

import torch
from torch._export.serde import schema
from torch._export.serde.union import _Union

from hexagon_mlir.frontend.torch.archive.expressions import UNSAFE, check_condition, check_size
from hexagon_mlir.frontend.torch.archive.refusal import Refused

_SYMBOLIC = frozenset({
    *(f"_operator.{name}" for name in (
        "add", "and_", "eq", "floordiv", "ge", "getitem", "gt", "le", "lshift", "lt", "mod", "mul", "ne", "neg", "or_",
        "pos", "pow", "rshift", "sub", "truediv")),
    *(f"torch.sym_{name}" for name in ("float", "int", "ite", "max", "min", "not", "sqrt")), "math.trunc"})
_GRAPHS_OF = frozenset({"associative_scan", "cond", "invoke_subgraph", "map_impl", "scan", "while_loop",
                        "wrap_with_autocast", "wrap_with_set_grad_enabled"})
"""Operators that run graphs of the same file, and nothing else."""
_FILES = frozenset({"from_file"})
"""Operators that read or write files."""
_OPERATOR = re.compile(r"torch\.ops\.(aten|prims|higher_order)\.(\w+)(?:\.(\w+))?")
_SEQUENCES = frozenset({"builtins.tuple", "builtins.list"})
_MAPPINGS = frozenset({"builtins.dict", "collections.OrderedDict"})


def check_program(document: Any) -> None:
    """Refuse a program with anything that PyTorch would evaluate, import or call besides its own operators."""
    _check(schema.ExportedProgram, document, "", False)


def check_weights(document: Any, pickles: str, prefix: str = "") -> None:
    """Refuse a table of weights one of which is pickled, or in a file whose name does not start with ``prefix``."""
    _check(schema.PayloadConfig, document, "", False)
    for name, entry in document["config"].items():
        if entry.get("use_pickle") or not entry["path_name"].startswith(prefix):
            raise Refused(f"the {pickles} '{name}' is pickled")


def check_text(text: Any) -> None:
    """Refuse what could end a string in Python source."""
    if not isinstance(text, str) or not text.isprintable() or UNSAFE.search(text):
        raise Refused(f"{str(text)[:60]!r} is no plain text")


def _check(kind: Any, value: Any, name: str, in_nodes: bool) -> None:
    """Refuse ``value``, which the field ``name`` holds, unless it is a ``kind`` and its texts are as they should be.

    ``in_nodes``: it belongs to an operation, where texts are arguments, which PyTorch quotes.
    """
    kind = getattr(schema, kind.__forward_arg__) if isinstance(kind, typing.ForwardRef) else kind
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin is types.UnionType or origin is typing.Union:
        if value is not None:
            _check(parts[0], value, name, in_nodes)
    elif origin is list and isinstance(value, list):
        for part in value:
            _check(parts[0], part, name, in_nodes)
    elif origin is dict and isinstance(value, dict):
        if name == "metadata":  # of an operation: stored, never evaluated
            return
        for key, part in value.items():
            check_text(key)
            _check(parts[1], part, name, in_nodes)
    elif isinstance(kind, type) and dataclasses.is_dataclass(kind) and isinstance(value, dict):
        fields = _fields(kind)
        known = {key: part for key, part in value.items() if key in fields}
        if issubclass(kind, _Union) and (len(value) != 1 or not known):
            raise Refused(f"'{name}' is not as PyTorch writes it")
        for key, part in known.items():
            _check(fields[key], part, key, in_nodes or key == "nodes")
    elif kind is str and isinstance(value, str):
        if not (in_nodes and name in ("as_string", "as_strings")):
            _TEXTS.get(name, check_text)(value)
    elif not _is_number(kind, value):
        raise Refused(f"'{name}' is not as PyTorch writes it")


def _is_number(kind: Any, value: Any) -> bool:
    if isinstance(kind, type) and issubclass(kind, IntEnum):
        return type(value) is int and value in {each.value for each in kind}
    if kind is float:
        return type(value) in (int, float) or value in ("Infinity", "-Infinity", "NaN")
    return kind in (int, bool) and type(value) is kind


@cache
def _fields(kind: type) -> dict[str, Any]:
    return typing.get_type_hints(kind, globalns=vars(schema))


def _check_name(name: str) -> None:
    """Of a value or an argument: PyTorch writes source with it."""
    if name and not name.isidentifier():
        raise Refused(f"{name[:60]!r} is no name")


def _check_operator(name: str) -> None:
    """Only names of PyTorch's own operators: PyTorch looks up any function, and calls it while it compiles."""
    if name in _SYMBOLIC:
        return
    match = _OPERATOR.fullmatch(name)
    if match is not None:
        namespace, operator, overload = match.groups()
        if namespace == "higher_order":
            known = operator in _GRAPHS_OF and not overload
        else:
            found = getattr(getattr(getattr(torch.ops, namespace), operator, None), overload or "", None)
            known = isinstance(found, torch._ops.OpOverload) and operator not in _FILES
        if known:
            return
    raise Refused(f"'{name[:60]}' is none of PyTorch's own operators")


def _check_nesting(text: str) -> None:
    """How arguments or results are nested: of lists, tuples and dicts alone. Others name types, which are imported."""
    spec = json.loads(text)
    if not isinstance(spec, list) or len(spec) != 2:
        raise Refused("the nesting of arguments or results is not as PyTorch writes it")
    _check_nested(spec[1])


def _check_arguments(text: str) -> None:
    """As `_check_nesting`, of positional arguments and those by name: PyTorch writes source with the names."""
    _check_nesting(text)
    root = json.loads(text)[1]
    children = root["children_spec"]
    kinds = [child["type"] for child in children]
    if root["type"] != "builtins.tuple" or kinds != ["builtins.tuple", "builtins.dict"]:
        raise Refused("the nesting of arguments is not as PyTorch writes it")
    for name in json.loads(children[1]["context"]):
        check_text(name)
        _check_name(name)


def _check_nested(spec: Any) -> None:
    if not isinstance(spec, dict) or spec.keys() != {"type", "context", "children_spec"}:
        raise Refused("the nesting of arguments or results is not as PyTorch writes it")
    kind, context, children = spec["type"], spec["context"], spec["children_spec"]
    if kind in _MAPPINGS:
        check_keys(json.loads(context))
    elif kind in _SEQUENCES:
        if context != "null":
            raise Refused(f"a {kind} has the context '{str(context)[:60]}'")
    elif kind is not None or context is not None or children:
        raise Refused(f"arguments or results are nested in a {str(kind)[:60]!r}")
    for child in children:
        _check_nested(child)


def check_keys(keys: Any) -> None:
    """Refuse keys of a dict that are no plain texts or numbers."""
    for key in keys:
        if not (key is None or isinstance(key, bool | int | float)):
            check_text(key)


_TEXTS: dict[str, Callable[[str], None]] = {
    "name": _check_name, "as_name": _check_name, "forward_arg_names": _check_name, "target": _check_operator,
    "as_operator": _check_operator, "expr_str": check_size, "guards_code": check_condition,
    "in_spec": _check_arguments, "out_spec": _check_nesting}
"""Field -> check of its texts; `check_text` for any other."""
