"""Functions that several programs call: each is loaded once in a process, and found by its name."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

from hexagon_mlir.sim.translation import host


class SharedCode:
    """Functions with unique names, kept with ``store`` and found again with ``load``."""

    def __init__(self, load: Callable[[str], bytes | None], store: Callable[[str, bytes], None]) -> None:
        self._load, self._store = load, store
        self._lock = threading.Lock()
        self._names: set[str] = set()
        self._objects: list[Any] = []
        self._engine: Any = None

    def provide(self, functions: Mapping[str, str]) -> bool:
        """Load ``functions``, names to IR, which may be "" where object code is stored; False when none is."""
        with self._lock:
            for name in sorted(functions.keys() - self._names):
                code = self._load(name)
                if code is None:
                    if not functions[name]:
                        return False
                    code = host.compile_object(functions[name])
                    self._store(name, code)
                self._link(name, code)
        return True

    def _link(self, name: str, code: bytes) -> None:
        llvm = host.binding()
        if self._engine is None:
            self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), host.target_machine(host.FAST))
        for each in host.resolved([code]):
            self._objects.append(llvm.ObjectFileRef.from_data(each))
            self._engine.add_object_file(self._objects[-1])
        self._engine.finalize_object()
        llvm.add_symbol(name, self._engine.get_function_address(name))
        self._names.add(name)
