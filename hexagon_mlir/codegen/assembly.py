"""Compiles a program with LLVM, its parts and functions in parallel.

Parts are optimised in parallel, while the passes run on the next one; then code is generated for every function with
loops by itself, by any idle worker. The result does not depend on the worker. A short part of a program with many
others is one request: the others keep the workers busy.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from hexagon_mlir.codegen.processes.task_queue import Task, TaskQueue
from hexagon_mlir.codegen.processes.worker import Aborted, Workers
from hexagon_mlir.isa.concatenation import concatenated

SHORT = 1 << 16
"""Characters of LLVM IR that LLVM compiles in about 0.2 s: 93 of 107 parts of MobileViT are shorter."""


class Assembly:
    """The assembly of ``parts`` of LLVM IR, whose tasks are added to ``queue``; they are this ``share`` of a program,
    and ``request`` is as for `backend.optimize_and_emit`. ``among_many``: of many programs that are compiled at once.
    """

    def __init__(self, parts: Sequence[str], request: dict, workers: Workers, queue: TaskQueue, share: float = 1.0,
                 among_many: bool = False):
        whole = sum(map(len, parts))
        self._parts = [_Part(part, {**request, "share": share * len(part) / whole}, workers,
                             among_many and len(part) < SHORT) for part in parts]
        queue.add([Task(len(part.source), part.optimize) for part in self._parts])

    def text(self) -> str:
        """The whole assembly, once the queue has finished."""
        return concatenated([part.once_more() if part.again else concatenated(part.functions, "f")
                             for part in self._parts])


@dataclass
class _Part:
    """A part, and the assembly of its ``functions``, or of the ``whole`` part; ``again``: the request that repeats the
    whole part."""

    source: str
    header: dict
    workers: Workers
    whole: bool
    functions: list[str] = field(default_factory=list)
    again: dict = field(default_factory=dict)

    def optimize(self) -> list[Task]:
        """Run -O3; returns a code-generation task for each function, if there are several and not the ``whole`` part is
        requested."""
        if self.whole:
            self.functions = [self.workers.request(self.header, self.source).decode()]
            return []
        answer = json.loads(self.workers.request({**self.header, "kind": "functions"}, self.source))
        functions = answer["functions"]
        self.functions = [answer["assembly"]] if not functions else [""] * len(functions)
        return [Task(len(text), partial(self.generate, number, share, text))
                for number, (share, text) in enumerate(functions)]

    def generate(self, number: int, share: float, text: str) -> list[Task]:
        """Generate one function's assembly; if no variant is correct, or LLVM aborts, the part is repeated by another
        method."""
        if not self.again:
            try:
                made = self.workers.request({**self.header, "kind": "function", "share": share}, text)
                self.functions[number] = made.decode()
                self.again = self.again if made else {"attempt": 1}
            except Aborted:
                self.again = {"cautious": True}
        return []

    def once_more(self) -> str:
        """The whole part in one request, by the other method."""
        return self.workers.request({**self.header, "kind": "asm", **self.again}, self.source).decode()
