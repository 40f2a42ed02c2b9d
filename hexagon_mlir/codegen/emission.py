"""Compiles LLVM IR to code, with a disk cache."""

from __future__ import annotations

import json
from collections.abc import Sequence

from hexagon_mlir import pipelines
from hexagon_mlir.codegen import cache
from hexagon_mlir.codegen.assembly import Assembly
from hexagon_mlir.codegen.matrix_engine.definitions import with_definitions, with_routines
from hexagon_mlir.codegen.module_splitting import divide
from hexagon_mlir.codegen.processes.worker import workers
from hexagon_mlir.codegen.trace import Made, Trace
from hexagon_mlir.isa.concatenation import concatenated
from hexagon_mlir.llvmir import MODULE_END
from hexagon_mlir.settings import DEFAULT_SETTINGS, Search, Settings
from hexagon_mlir.targets import Target

FEW = 2
"""Tries for code of which few are worth their time. Of 64 functions of GhostNet, static costs are 5.4 % lower after the
second try, 0.7 % more after the third, 0.1 % more after the fourth."""


class Emission:
    """The assembly of a program whose modules of LLVM IR are added one by one, and compiled as they are added.

    Their ``pipeline`` determines what LLVM may do to their loops (`pipelines.LlvmLoops`); ``among_many`` as in
    `Assembly`.
    """

    def __init__(self, target: Target, pipeline: str, settings: Settings, position_independent: bool = False,
                 among_many: bool = False):
        self._among_many = among_many
        self._target = target
        self._request = _request(target, pipeline, settings, "asm", position_independent)
        self._queue = workers().queue()
        self._made: list[tuple[str, str | Assembly]] = []

    def add(self, llvm_ir: str, share: float = 1.0) -> None:
        """Add a module, which is this ``share`` of the program; its code does not depend on the other modules."""
        name = _name(llvm_ir, {**self._request, "share": share})
        found = cache.load(name)
        self._made.append((name, found.decode() if found is not None else
                           Assembly(divide(llvm_ir), self._request, workers(), self._queue, share, self._among_many)))

    def finish(self) -> str:
        """The assembly; raises `HexError`. Ctrl-C ends the requests in progress."""
        try:
            self._queue.finish()
        except KeyboardInterrupt:
            workers().stop()
            raise
        texts = []
        for name, made in self._made:
            texts.append(made if isinstance(made, str) else made.text())
            if made is not texts[-1]:
                cache.store(name, texts[-1].encode())
        return with_routines(concatenated(texts, "m"), self._target)

    def close(self) -> None:
        """No module will be added any more."""
        self._queue.close()


def emit(llvm_ir: str, target: Target, kind: str = "asm", pipeline: str = "default",
         settings: Settings = DEFAULT_SETTINGS, position_independent: bool = False) -> str | bytes:
    """Assembly text (``asm``), object bytes (``obj``) or optimised LLVM IR text (``llvm``) for ``llvm_ir``, the output
    of ``pipeline``; raises `HexError`.
    """
    if kind == "asm":
        emission = Emission(target, pipeline, settings, position_independent)
        emission.add(llvm_ir)
        return emission.finish()
    if kind == "obj":
        llvm_ir = with_definitions(llvm_ir, target)
    request = _request(target, pipeline, settings, kind, position_independent)
    name = _name(llvm_ir, request)
    data = cache.load(name)
    if data is None:
        data = workers().request(request, llvm_ir)
        cache.store(name, data)
    return data if kind == "obj" else data.decode()


def traced(llvm_ir: str, target: Target, pipeline: str, settings: Settings) -> tuple[str, Trace]:
    """The assembly as by `emit`, and the trace of the steps; the cache is not read."""
    request = {**_request(target, pipeline, settings, "asm", False), "traced": True}
    parts = divide(llvm_ir)
    texts: list[str] = []
    made: Trace = []
    for part in parts:
        answer = json.loads(workers().request({**request, "share": len(part) / sum(map(len, parts))}, part))
        texts.append(answer["assembly"])
        made += [Made(*entry) for entry in answer["steps"]]
    return concatenated(texts), made


def linked(modules: Sequence[str], target: Target) -> str:
    """The ``modules`` of LLVM IR of one program as one."""
    if len(modules) == 1:
        return modules[0]
    return workers().request({"cpu": target.cpu, "features": target.features, "kind": "linked"},
                             MODULE_END.join(modules)).decode()


def _request(target: Target, pipeline: str, settings: Settings, kind: str, position_independent: bool) -> dict:
    return {"cpu": target.cpu, "features": target.features, "kind": kind, "loops": pipelines.named(pipeline).llvm_loops,
            "position_independent": position_independent, "qfloat": settings.qfloat,
            "tries": {Search.FEW: FEW, Search.NONE: 1}.get(Search(settings.search), 0),
            "narrowing_order": target.disputed.narrowing_order}


def _name(llvm_ir: str, request: dict) -> str:
    """The cache key of ``request``."""
    return f"{cache.key(cache.compiler(), llvm_ir, *(f'{k}={request[k]}' for k in sorted(request)))}.{request['kind']}"
