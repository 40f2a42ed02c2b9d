"""One graph of torch.compile, executed by the bytecode machine: nothing is compiled, for any sizes."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.fx import GraphModule

from hexagon_mlir import targets
from hexagon_mlir.bytecode.encode import Encoder
from hexagon_mlir.bytecode.machine import Machine
from hexagon_mlir.frontend.torch.bytecode_groups import group_of
from hexagon_mlir.frontend.torch.torch_settings import TorchSettings
from hexagon_mlir.ir import HexError


class BytecodeForward:
    """Called with flat arguments of any sizes that ``module`` takes. A graph that has no bytecode is left to
    ``otherwise``, with a warning, and so are sizes for which there is none, such as rows that exceed TCM; the call
    raises `HexError` instead where the settings have no fallback.
    """

    def __init__(self, module: GraphModule, settings: TorchSettings, otherwise: Callable[..., Any]) -> None:
        self.module, self.settings, self.otherwise = module, settings, otherwise
        self.program: _Program | None = None
        self.has_none = False

    def __call__(self, *arguments: Any) -> Any:
        if self.has_none:
            return self.otherwise(*arguments)
        try:
            self.program = self.program or _Program(self.module, self.settings)
            call = self.program.encoded(arguments)
        except HexError as error:
            if self.settings.fallback == "error":
                raise
            self.has_none = self.program is None
            warnings.warn(f"hexagon: a graph is compiled instead: {error}", stacklevel=2)
            return self.otherwise(*arguments)
        return call()


class _Program:
    """The bytecode of a graph; raises `HexError` for one that has none."""

    def __init__(self, module: GraphModule, settings: TorchSettings) -> None:
        self.settings, self.found = settings, group_of(module)
        self.encoder = Encoder(self.found.group, targets.get(settings.target))
        self.machine = Machine(settings.target)

    def encoded(self, arguments: Sequence[Any]) -> Callable[[], Sequence[torch.Tensor]]:
        """What computes the results for ``arguments``; raises `HexError` for sizes that have no bytecode."""
        given = [arguments[place] for place in self.found.inputs]
        if self.found.numbers is not None:
            given += [torch.as_tensor(number, dtype=torch.float32) for number in self.found.numbers(*arguments)]
        arrays = [tensor.detach().contiguous().numpy() for tensor in given]
        shapes = [array.shape for array in arrays]
        program = self.machine.load(self.encoder.encode(shapes))
        results = [torch.empty(shape) for shape in self.encoder.output_shapes(self.encoder.sizes(shapes))]

        def call() -> Sequence[torch.Tensor]:
            self.machine.run(program, *arrays, *(result.numpy() for result in results),
                             arithmetic=self.settings.arithmetic)
            return [result.squeeze(-1) if squeezed else result
                    for result, squeezed in zip(results, self.found.squeezed, strict=True)]

        return call
