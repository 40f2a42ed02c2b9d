"""Constants that stand once in a function.

What emits loops and addresses asks for the same few numbers hundreds of times: to make them all, and to let CSE find
the equal ones, takes longer than all the rest of the work.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from torch_mlir import ir

_known: ContextVar[dict[int | ir.Attribute, ir.Value] | None] = ContextVar("known", default=None)
_block: ContextVar[ir.Block | None] = ContextVar("block", default=None)


class SharedConstants:
    """The constants of each function of a module, for as long as nobody else rewrites it."""

    def __init__(self) -> None:
        self._of: dict[str, dict[int | ir.Attribute, ir.Value]] = {}

    @contextmanager
    def around(self, op: ir.Operation) -> Iterator[None]:
        """Meanwhile `index` and `constant` make theirs at the start of the function that holds ``op``."""
        while op.name != "func.func":
            if op.parent is None:  # no function holds it
                yield
                return
            op = op.parent.operation
        known = self._of.setdefault(ir.StringAttr(op.attributes["sym_name"]).value, {})
        tokens = _known.set(known), _block.set(op.regions[0].blocks[0])
        try:
            yield
        finally:
            _known.reset(tokens[0])
            _block.reset(tokens[1])


def index(value: int) -> ir.Value:
    """``value`` as an index: a new constant, or inside `SharedConstants.around` that of the function."""
    known = _known.get()
    found = None if known is None else known.get(value)
    return found or _shared(value, ir.IntegerAttr.get(ir.IndexType.get(), value))


def constant(value: ir.Attribute) -> ir.Value:
    """``value``, an attribute with a type, in the same way."""
    known = _known.get()
    found = None if known is None else known.get(value)
    return found or _shared(value, value)


def _shared(key: int | ir.Attribute, value: ir.Attribute) -> ir.Value:
    known, block = _known.get(), _block.get()
    if known is None or block is None:
        return _made(value)
    with ir.InsertionPoint.at_block_begin(block):
        return known.setdefault(key, _made(value))


def _made(value: ir.Attribute) -> ir.Value:
    return ir.Operation.create("arith.constant", results=[value.type], attributes={"value": value}).result
