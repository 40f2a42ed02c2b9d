"""Forks, and MLIR's async runtime, on this machine, one task after the other.

A task runs when it is awaited, not when it is created: a read without a wait gets the old value.
"""

from __future__ import annotations

import ctypes
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hexagon_mlir.ir import HexError

_RESUME = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_TASK = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int32)
_KINDS: dict[str, Any] = {"p": ctypes.c_void_p, "l": ctypes.c_int64, "i": ctypes.c_int32, "b": ctypes.c_bool, "v": None}


@dataclass
class _Item:
    """A token, value or group; ``pending`` counts unfinished dependences."""

    pending: int
    error: bool = False
    references: int = 1
    groups: list[_Item] = field(default_factory=list)
    continuations: list[tuple[int, int]] = field(default_factory=list)
    members: int = 0


class HostTasks:
    """The tasks of one program."""

    def __init__(self, allocate: Callable[[int], int], origin: str) -> None:
        self.allocate = allocate
        self.origin = origin
        self.begin()

    def begin(self) -> None:
        """Start a run without tasks and tokens."""
        self.items: dict[int, _Item] = {}
        self.queue: deque[tuple[int, int]] = deque()
        self.forks: dict[int, tuple[int, range]] = {}
        """By their frames: the function and the numbers of those that nobody has waited for."""
        self.problem = ""

    def end(self) -> None:
        """Raise `HexError` if the program left tasks unawaited, or awaited one that does not exist."""
        if self.forks and not self.problem:
            self.problem = f"{len(self.forks)} forks were never joined"
        if self.queue and not self.problem:
            self.problem = f"{len(self.queue)} tasks were never waited for"
        if self.problem:
            raise HexError.plain(self.problem, origin=self.origin)

    def functions(self) -> dict[str, Any]:
        """The entry points, as ctypes callbacks."""
        table: dict[str, tuple[str, Callable[..., Any]]] = {
            "CreateToken": ("p", lambda: self._new(1)),
            "CreateValue": ("pl", lambda size: self._new(1, size)),
            "CreateGroup": ("pl", lambda size: self._new(size)),
            "AddTokenToGroup": ("lpp", self._add),
            "AddRef": ("vpl", self._add_ref),
            "DropRef": ("vpl", lambda item, count: self._add_ref(item, -count)),
            "GetValueStorage": ("pp", lambda item: item),
            "Execute": ("vpp", lambda handle, resume: self.queue.append((handle, resume))),
        }
        for kind in ("Token", "Value"):
            table[f"Emplace{kind}"] = ("vp", self._settle)
            table[f"Set{kind}Error"] = ("vp", lambda item: self._settle(item, True))
        for kind in ("Token", "Value", "Group"):
            table[f"Is{kind}Error"] = ("bp", lambda item: self.items[item].error)
        for name in ("AwaitToken", "AwaitValue", "AwaitAllInGroup"):
            table[name] = ("vp", self._wait)
            table[f"{name}AndExecute"] = ("vppp", self._then)
        made = {f"mlirAsyncRuntime{name}": (signature, call) for name, (signature, call) in table.items()}
        made["mlirAsyncRuntimGetNumWorkerThreads"] = ("l", lambda: 1)  # MLIR spells it so
        made["hexmlir_rt_fork"] = ("vppii", self._fork)
        made["hexmlir_rt_join"] = ("vp", self._join)
        return {name: ctypes.CFUNCTYPE(*[_KINDS[letter] for letter in signature])(call)
                for name, (signature, call) in made.items()}

    def _fork(self, frame: int, task: int, first: int, end: int) -> None:
        if frame in self.forks:
            self.problem = "a fork in a frame whose tasks have not been joined"
        self.forks[frame] = task, range(first, end)

    def _join(self, frame: int) -> None:
        if frame not in self.forks:
            self.problem = "a join without a fork"
            return
        task, numbers = self.forks.pop(frame)
        for number in numbers:
            _TASK(task)(frame, number)

    def _new(self, pending: int, storage: int = 0) -> int:
        address = self.allocate(max(storage, 1))
        self.items[address] = _Item(pending)
        return address

    def _add_ref(self, item: int, count: int) -> None:
        self.items[item].references += count
        if self.items[item].references < 0:
            self.problem = "more references dropped than held"

    def _add(self, token: int, group: int) -> int:
        member, of = self.items[token], self.items[group]
        of.members += 1
        if member.pending:
            member.groups.append(of)
        else:
            of.error |= member.error
            self._one_less(of)
        return of.members - 1

    def _settle(self, item: int, error: bool = False) -> None:
        self.items[item].error = error
        for group in self.items[item].groups:
            group.error |= error
            self._one_less(group)
        self._one_less(self.items[item])

    def _one_less(self, item: _Item) -> None:
        item.pending -= 1
        if item.pending < 0:
            self.problem = "a group has more tokens than it was made for, or a token is made available twice"
        if item.pending == 0:
            self.queue.extend(item.continuations)

    def _wait(self, item: int) -> None:
        while self.items[item].pending > 0:
            if not self.queue:
                self.problem = f"deadlock: {self.items[item].pending} tasks that are waited for were never made"
                return
            handle, resume = self.queue.popleft()
            _RESUME(resume)(handle)

    def _then(self, item: int, handle: int, resume: int) -> None:
        if self.items[item].pending > 0:
            self.items[item].continuations.append((handle, resume))
        else:
            self.queue.append((handle, resume))
