"""Which operations share a kernel: pure functions over a list of `OpInfo`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    """How an operation takes part."""

    COPIED = "copied"
    """Costs next to nothing (constants, empty tensors, fills, views): cloned into each kernel that needs it."""
    ANCHOR = "anchor"
    """A contraction, convolution or loop: starts a kernel."""
    JOINS = "joins"
    """Elementwise, a reduction or data movement: runs after its producer in the same kernel, for locality."""
    CALL = "call"
    """A kernel already."""


@dataclass(frozen=True)
class OpInfo:
    """One operation: the numbers of the operations that make its operands, the bytes of its results, whether the
    function returns one of them, the bytes of the tables it looks elements up in that others read as well, and whether
    it computes element by element."""

    kind: Kind
    operands: tuple[int, ...]
    bytes: int = 0
    is_result: bool = False
    table_bytes: int = 0
    is_elementwise: bool = False


def group(ops: Sequence[OpInfo], budget: int) -> list[int | None]:
    """The kernel of each operation, numbered in an order of execution; None for what is copied.

    An operation joins the latest kernel it reads from: all its other operands come from earlier ones, so there is no
    cycle. The results of a kernel may take ``budget`` bytes together, but for one that takes the place of another: an
    operand of that kernel which is not stored, and would be if the operation did not join.
    """
    kernels: list[int | None] = []
    used: list[int] = []
    closed: list[bool] = []
    origins: list[int] = []  # for each op: the latest kernel that its value depends on, -1 for arguments
    for op in ops:
        latest = max((origins[operand] for operand in op.operands), default=-1)
        if op.kind is Kind.COPIED:
            kernels.append(None)
            origins.append(latest)
            continue
        joins = op.kind is Kind.JOINS and latest >= 0 and not closed[latest] and (
            used[latest] + op.bytes <= budget or _reads_unstored(ops, kernels, op, latest))
        if not joins:
            latest = len(used)
            used.append(0)
            closed.append(op.kind is Kind.CALL)
        used[latest] += op.bytes
        kernels.append(latest)
        origins.append(latest)
    _postpone(ops, kernels)
    return _absorb(ops, kernels, used, budget)


def _postpone(ops: Sequence[OpInfo], kernels: list[int | None]) -> None:
    """Move elementwise operations that only elementwise ones in one other kernel read into that one, if it reads all of
    their operands that kernels make anyway: their results are not passed on.
    """
    users: list[list[int]] = [[] for _ in ops]
    for number, op in enumerate(ops):
        for operand in op.operands:
            users[operand].append(number)
    for number, op in reversed(list(enumerate(ops))):
        readers = _readers(users, kernels, number)
        if op.kind is not Kind.JOINS or not op.is_elementwise or op.bytes or op.is_result or len(readers) != 1:
            continue
        (reader,) = readers
        made = {source for operand in op.operands for source in _sources(ops, kernels, operand)}
        if kernels[number] != reader and made and all(reader in _readers(users, kernels, source) for source in made):
            kernels[number] = reader


def _readers(users: Sequence[Sequence[int]], kernels: Sequence[int | None], number: int) -> set[int]:
    """The kernels that read operation ``number``, maybe through what is copied."""
    found = set[int]()
    for user in users[number]:
        kernel = kernels[user]
        found |= _readers(users, kernels, user) if kernel is None else {kernel}
    return found


def _reads_unstored(ops: Sequence[OpInfo], kernels: Sequence[int | None], op: OpInfo, kernel: int) -> bool:
    """Whether ``op`` reads, maybe through what is copied, what ``kernel`` makes and does not store."""
    return any(ops[number].bytes == 0 if kernels[number] == kernel else
               kernels[number] is None and _reads_unstored(ops, kernels, ops[number], kernel) for number in op.operands)


def _absorb(ops: Sequence[OpInfo], kernels: list[int | None], used: list[int], budget: int) -> list[int | None]:
    """Move kernels that read arguments alone, start with no anchor and serve one other kernel, into that one.

    Look-ups in tables above the budget stay: the other kernel may read the same table in another layout (tied
    embeddings), and both would be live in memory together.
    """
    readers: list[set[int]] = [set() for _ in ops]  # kernels that read each op, through what is copied
    sources: dict[int, set[int]] = {}
    for number in reversed(range(len(ops))):
        kernel = kernels[number]
        for operand in ops[number].operands:
            readers[operand] |= readers[number] if kernel is None else {kernel}
    for number, op in enumerate(ops):
        kernel = kernels[number]
        if kernel is not None:
            found = {k for operand in op.operands for k in _made_in(ops, kernels, operand)} - {kernel}
            sources.setdefault(kernel, set()).update(found)
    target: dict[int, int] = {}
    for kernel in sorted(sources):
        members = [number for number, k in enumerate(kernels) if k == kernel]
        readers_of = {reader for number in members for reader in readers[number]} - {kernel}
        free = not sources[kernel] and all(ops[number].kind is Kind.JOINS and ops[number].table_bytes <= budget
                                          for number in members)
        if free and len(readers_of) == 1 and not any(ops[number].is_result for number in members):
            (reader,) = readers_of
            called = any(ops[number].kind is Kind.CALL for number, k in enumerate(kernels) if k == reader)
            if not called and used[kernel] + used[reader] <= budget:
                used[reader] += used[kernel]
                target[kernel] = reader
    return [target.get(k, k) if k is not None else None for k in kernels]


def _made_in(ops: Sequence[OpInfo], kernels: Sequence[int | None], number: int) -> set[int]:
    """The kernels an operation's value comes from: its own, or through what is copied."""
    return {kernel for source in _sources(ops, kernels, number) if (kernel := kernels[source]) is not None}


def _sources(ops: Sequence[OpInfo], kernels: Sequence[int | None], number: int) -> set[int]:
    """The operations in kernels that an operation's value comes from: itself, or through what is copied."""
    if kernels[number] is not None:
        return {number}
    return {source for operand in ops[number].operands for source in _sources(ops, kernels, operand)}
