"""A model compiled once for any sizes, from the same program at several examples of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import torch

from hexagon_mlir.codegen.generic_sizes.operations import Differs
from hexagon_mlir.codegen.generic_sizes.schedule import GenericSchedule, Places, build_generic_schedule
from hexagon_mlir.codegen.schedule import Progress
from hexagon_mlir.exec.memory_plan import assign_slots, lifetimes
from hexagon_mlir.exec.model import ModelProgram
from hexagon_mlir.exec.progress import ProgressBar
from hexagon_mlir.frontend.torch.clock import Clock
from hexagon_mlir.frontend.torch.graph import TorchGraph
from hexagon_mlir.frontend.torch.importer import ENTRY
from hexagon_mlir.frontend.torch.model import CompiledModel
from hexagon_mlir.frontend.torch.prepare import Prepared, prepare
from hexagon_mlir.frontend.torch.result import CompilationResult, Signature
from hexagon_mlir.settings import Settings


@dataclass(frozen=True)
class Recipe:
    """How a graph is compiled: as `hexagon_mlir.compile`."""

    target: str
    pipeline: str
    settings: Settings
    numerics: str
    progress: Progress | None = None


class GenericModel:
    """``schedule`` and ``signature`` of one example, with places of sizes in the table of the schedule: ``shapes`` of
    the arguments, ``views`` of the constants whose shapes depend on sizes."""

    def __init__(self, schedule: GenericSchedule, signature: Signature, shapes: Sequence[Places],
                 views: Mapping[int, Places], result: Callable[[ModelProgram], CompilationResult],
                 progress: Progress | None):
        self.schedule, self.signature, self.shapes, self.views = schedule, signature, shapes, views
        self.result, self.progress = result, progress
        schedule.one.slots = assign_slots([*lifetimes(schedule.one).values()])
        self.tcm = ModelProgram(schedule.one).tcm

    @property
    def kernels(self) -> int:
        """How many kernels were compiled."""
        return len(self.schedule.one.kernels)

    def at(self, sizes: Mapping[str, int]) -> CompiledModel:
        """The model for ``sizes`` of the symbols: shapes and a memory plan, without a compilation."""
        schedule, values = self.schedule.at(sizes), self.schedule.table.values(sizes)
        shapes = [(tuple(values[place] for place in places), dtype)
                  for places, (_, dtype) in zip(self.shapes, self.signature.shapes, strict=True)]
        constants = dict(self.signature.constants)
        for number, places in self.views.items():
            whole = constants[number]
            constants[number] = whole.as_strided([values[place] for place in places], whole.stride())
        program = ModelProgram(schedule, self.tcm)
        model = CompiledModel(schedule, replace(self.signature, shapes=shapes, constants=constants),
                              self.result(program), self.progress)
        model.program = program
        return model


def compile_generic(graphs: Sequence[TorchGraph], examples: Sequence[Mapping[str, int]], recipe: Recipe
                    ) -> GenericModel:
    """Compile the program whose ``graphs`` at ``examples`` of its sizes are rewritten in place.

    Raises `Differs` if it is another program at another size, and `HexError` where a kernel has no code.
    """
    clock, progress = Clock(), recipe.progress or ProgressBar()
    twins = [prepare(graph, recipe.target, recipe.pipeline, clock, recipe.settings, recipe.numerics)
             for graph in graphs]
    signatures = [twin.signature() for twin in twins]
    views = _differing_constants(signatures)
    _check_alike(signatures)
    with clock.phase("code"):
        schedule = build_generic_schedule([twin.module for twin in twins], examples, ENTRY, recipe.target,
                                          recipe.pipeline, progress, twins[0].settings)
    table = schedule.table
    shapes = [tuple(table.place(numbers, "an input") for numbers in zip(*(s.shapes[n][0] for s in signatures),
                                                                        strict=True))
              for n in range(len(signatures[0].shapes))]
    return GenericModel(schedule, signatures[0], shapes, {number: shapes[number] for number in views},
                        _results(twins[0], signatures[0], schedule, clock), progress)


def _results(first: Prepared, signature: Signature, schedule: GenericSchedule, clock: Clock
             ) -> Callable[[ModelProgram], CompilationResult]:
    weight_bytes = sum(tensor.numel() * tensor.element_size() for tensor in signature.constants.values())

    def result(program: ModelProgram) -> CompilationResult:
        memory = program.memory
        return CompilationResult(
            tuple(first.records), clock.seconds, first.ops, len(schedule.one.kernels), len(schedule.one.calls),
            len(memory.offsets), memory, weight_bytes, clock.cpu_seconds, clock.llvm_seconds, program.tcm.nbytes,
            tuple(program.streamed_bytes), saved_bytes=first.saved, remarks=tuple(first.graph.remarks))

    return result


def _check_alike(signatures: Sequence[Signature]) -> None:
    """Raise `Differs` unless arguments and results are the same but for their sizes."""
    first = signatures[0]
    for other in signatures[1:]:
        for what in ("inputs", "outputs", "names", "result_dtypes", "bounds", "fixed", "keys"):
            if getattr(first, what) != getattr(other, what):
                raise Differs("the model", f"its {what} depend on sizes")
        if [number for number, _ in first.mutations] != [number for number, _ in other.mutations]:
            raise Differs("the model", "what it changes depends on sizes")


def _differing_constants(signatures: Sequence[Signature]) -> list[int]:
    """The constants whose shapes depend on sizes: views of one tensor. Raises `Differs` for other ones that differ."""
    views = []
    for number, one in signatures[0].constants.items():
        others = [signature.constants.get(number) for signature in signatures[1:]]
        if all(other is not None and _same(one, other) for other in others):
            continue
        if not all(other is not None and _place(one) == _place(other) for other in others):
            raise Differs(signatures[0].names[number], "a constant depends on sizes")
        views.append(number)
    if any(len(signature.constants) != len(signatures[0].constants) for signature in signatures):
        raise Differs("the model", "its constants depend on sizes")
    return views


def _place(tensor: torch.Tensor) -> tuple[int, torch.dtype, tuple[int, ...]]:
    return tensor.data_ptr(), tensor.dtype, tensor.stride()


def _same(one: torch.Tensor, other: torch.Tensor) -> bool:
    """True for tensors of one shape with the same bytes."""
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    if _place(one) == _place(other):
        return True
    left, right = (t.detach().contiguous().reshape(-1).view(torch.uint8) for t in (one, other))
    return torch.equal(left, right)
