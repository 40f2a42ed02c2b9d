"""The options of ``torch.compile(model, backend="hexagon", options={...})``."""

from __future__ import annotations

from dataclasses import dataclass

from hexagon_mlir import pipelines, targets
from hexagon_mlir.exec import ARITHMETICS, EXECUTORS, check_executor
from hexagon_mlir.frontend.torch.rewrites.precision import check_numerics
from hexagon_mlir.ir import HexError
from hexagon_mlir.settings import Settings


@dataclass(frozen=True)
class TorchSettings(Settings):
    """``options`` of torch.compile: ``target``, ``pipeline``, ``numerics`` and those of every compilation as in
    `hexagon_mlir.compile`.

    ``fallback`` is "eager" (run what cannot be compiled with PyTorch, and warn) or "error" (raise `HexError`).
    ``executor`` is "sim" or "qemu", which needs a target that QEMU runs. ``arithmetic`` of the simulator is "chip" or
    "ieee", as in `hexagon_mlir.api.CompiledKernel.run`; None takes the default. ``dynamic`` is "code", or "bytecode":
    graphs of elementwise operations on f32 and reductions of rows are not compiled, but executed by a machine
    (docs/bytecode.md), others as with "code".
    """

    target: str = targets.DEFAULT
    pipeline: str = "default"
    numerics: str = "f32"
    fallback: str = "eager"
    executor: str = "sim"
    arithmetic: str | None = None
    dynamic: str = "code"

    def __post_init__(self) -> None:
        """Refuse settings with which no graph can be compiled: they are no reason for the eager fallback."""
        super().__post_init__()
        check_numerics(self.numerics)
        pipelines.get(self.pipeline, pipelines.target_of(self.target), self)
        for name, known in (("fallback", ("eager", "error")), ("executor", EXECUTORS),
                            ("arithmetic", (None, *ARITHMETICS)), ("dynamic", ("code", "bytecode"))):
            if getattr(self, name) not in known:
                raise HexError.plain(f"unknown {name} '{getattr(self, name)}'",
                                     hint=f"one of {', '.join(filter(None, known))}")
        check_executor(self.executor, self.arithmetic)
        if self.dynamic == "bytecode" and self.executor != "sim":
            raise HexError.plain(f"bytecode on executor '{self.executor}'", hint="the simulator executes it")
