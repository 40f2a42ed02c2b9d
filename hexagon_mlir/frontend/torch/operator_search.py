"""A quick `run_decompositions`: three quarters of its time for a small program go to work that it does again and again.

PyTorch searches for its composite operators once for each library of operators, evaluates annotations of some thousand
functions that nobody reads, and makes a dozen kernels for each of 770 operators, twice.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

import torch
from torch._export import utils
from torch._ops import OperatorBase
from torch._subclasses.fake_impls import op_implementations_dict
from torch.export import exported_program

_changing = threading.RLock()
"""Decompositions change the kernels of PyTorch's operators: one thread at a time."""
_override = exported_program._override_composite_implicit_decomp
_COMPOSITE = torch._C.DispatchKey.CompositeImplicitAutograd


class _Annotation:
    """Stands for ``Callable``."""

    __class_getitem__ = classmethod(lambda cls, types: cls)


class _Kernels(NamedTuple):
    """Of a composite operator: its kernels outside of PyTorch's override, those inside, and the rule for tensors
    without data."""

    outside: dict[Any, Any]
    inside: dict[Any, Any]
    rule: Any


_known: dict[OperatorBase, _Kernels] = {}


def _kernels(op: Any) -> _Kernels:
    """As PyTorch makes them, once for an operator whose kernels stay the same."""
    found = _known.get(op)
    if found is None or found.outside != op.py_kernels:
        outside = dict(op.py_kernels)
        with _override({op: None}):
            found = _known[op] = _Kernels(outside, dict(op.py_kernels), op_implementations_dict.get(op))
    return found


@contextmanager
def _overridden(decompositions: Mapping[Any, Callable[..., Any]]) -> Iterator[None]:
    """Within this context, which stands for PyTorch's own, operators are decomposed as ``decompositions`` say."""
    rules = {op: op_implementations_dict.get(op) for op in decompositions}
    kernels = {op: _kernels(op) for op in decompositions}
    try:
        for op, decomposition in decompositions.items():
            op.py_kernels.update({**kernels[op].inside, _COMPOSITE: decomposition})
            op._dispatch_cache.clear()
            op_implementations_dict[op] = kernels[op].rule
        yield
    finally:
        for op, rule in rules.items():
            op.py_kernels.clear()
            op.py_kernels.update(kernels[op].outside)
            op._dispatch_cache.clear()
            op_implementations_dict.pop(op, None)
            if rule is not None:
                op_implementations_dict[op] = rule


@contextmanager
def searched_once() -> Iterator[None]:
    """Within this context PyTorch searches once; the next context searches again, for operators may have been added."""
    with _changing:
        search, annotation = utils._materialize_cpp_cia_ops, torch._ops.Callable
        override = exported_program._override_composite_implicit_decomp
        utils._materialize_cpp_cia_ops, torch._ops.Callable = functools.cache(search), _Annotation  # type: ignore[assignment]
        exported_program._override_composite_implicit_decomp = _overridden  # type: ignore[assignment]
        try:
            yield
        finally:
            utils._materialize_cpp_cia_ops, torch._ops.Callable = search, annotation
            exported_program._override_composite_implicit_decomp = override
