"""A model compiled once for any sizes, from the same program at several examples of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from hexagon_mlir import targets
from hexagon_mlir.codegen.generic_sizes.functions import ENGINE_SIZES
from hexagon_mlir.codegen.generic_sizes.operations import Differs
from hexagon_mlir.codegen.generic_sizes.schedule import GenericSchedule, Places, build_generic_schedule
from hexagon_mlir.codegen.memory_plan import assign_slots, lifetimes
from hexagon_mlir.codegen.schedule import Progress
from hexagon_mlir.exec.model import ModelProgram
from hexagon_mlir.exec.progress import ProgressBar
from hexagon_mlir.frontend.torch.clock import Clock
from hexagon_mlir.frontend.torch.domain import Domain
from hexagon_mlir.frontend.torch.graph import Constant, TorchGraph
from hexagon_mlir.frontend.torch.importer import ENTRY
from hexagon_mlir.frontend.torch.model import CompiledModel
from hexagon_mlir.frontend.torch.prepare import Prepared, prepare
from hexagon_mlir.frontend.torch.result import CompilationResult, Signature
from hexagon_mlir.ir import HexError
from hexagon_mlir.pass_infra.runner import RunOptions
from hexagon_mlir.settings import Settings

ORIGIN = "torch-specialize"
ONCE, PER_SIZE = "compiled once for any sizes", "compiled for each combination of sizes"
"""How remarks begin that say which of both a model is."""
SIZES_KEPT = 256
"""Of so many combinations of sizes a model keeps what `GenericModel.at` gives."""


@dataclass(frozen=True)
class Recipe:
    """How a graph is compiled: as `hexagon_mlir.compile`."""

    target: str
    pipeline: str
    settings: Settings
    numerics: str
    progress: Progress | None = None
    options: RunOptions | None = None


class GenericModel:
    """``schedule`` and ``signature`` of one example, with places of sizes in the table of the schedule: ``shapes`` of
    the arguments, ``views`` of the constants whose shapes depend on sizes, ``counts`` the results that are sizes."""

    def __init__(self, schedule: GenericSchedule, signature: Signature, shapes: Sequence[Places],
                 views: Mapping[int, Places], counts: Mapping[int, int],
                 result: Callable[[ModelProgram], CompilationResult], progress: Progress | None):
        self.schedule, self.signature, self.shapes, self.views = schedule, signature, shapes, views
        self.counts, self.result, self.progress = counts, result, progress
        one = schedule.one
        one.slots = assign_slots([*lifetimes(one.calls, one.buffers, one.outputs).values()])
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
        outputs = [Constant(values[self.counts[number]]) if number in self.counts else output
                   for number, output in enumerate(self.signature.outputs)]
        program = ModelProgram(schedule, self.tcm)
        model = CompiledModel(schedule, replace(self.signature, shapes=shapes, constants=constants, outputs=outputs),
                              self.result(program), self.progress)
        model.program = program
        return model


def compile_examples(graph_at: Callable[[Mapping[str, int]], TorchGraph], domain: Domain, recipe: Recipe
                     ) -> GenericModel:
    """The model for any sizes of ``domain``, from what ``graph_at`` gives for examples of them; raises `HexError` where
    there is none."""
    if recipe.numerics == "mixed" and recipe.settings.matrix_engine and targets.get(recipe.target).has_matrix_engine:
        raise HexError.plain(ENGINE_SIZES, origin=ORIGIN)
    usual, small = domain.examples(), domain.examples(small=True)
    try:
        return compile_generic([graph_at(sizes) for sizes in usual], usual, recipe)
    except Differs:  # tiles of attention, for one, of which few rows need one
        if small == usual:
            raise
    return compile_generic([graph_at(sizes) for sizes in small], small, recipe)


def compile_generic(graphs: Sequence[TorchGraph], examples: Sequence[Mapping[str, int]], recipe: Recipe
                    ) -> GenericModel:
    """Compile the program whose ``graphs`` at ``examples`` of its sizes are rewritten in place.

    Raises `Differs` if it is another program at another size, and `HexError` where a kernel has no code.
    """
    clock, progress = Clock(), recipe.progress or ProgressBar()
    for graph in graphs:
        graph.sizes_vary = True
    twins = [prepare(graph, recipe.target, recipe.pipeline, clock, recipe.settings, recipe.numerics, recipe.options)
             for graph in graphs]
    signatures = [twin.signature() for twin in twins]
    views = _differing_constants(signatures)
    _check_alike(signatures)
    with clock.phase("code"):
        schedule = build_generic_schedule([twin.module for twin in twins], examples, ENTRY, recipe.target,
                                          recipe.pipeline, progress, twins[0].settings, recipe.options)
    table = schedule.table
    shapes = [tuple(table.place(numbers, "an input") for numbers in zip(*(s.shapes[n][0] for s in signatures),
                                                                        strict=True))
              for n in range(len(signatures[0].shapes))]
    counts = {place: table.place(numbers, "a result") for place, numbers in _counts(signatures).items()}
    return GenericModel(schedule, signatures[0], shapes, {number: shapes[number] for number in views}, counts,
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
        for what in ("inputs", "names", "result_dtypes", "bounds", "fixed", "keys"):
            if getattr(first, what) != getattr(other, what):
                raise Differs("the model", f"its {what} depend on sizes")
        if _tensors(first) != _tensors(other):
            raise Differs("the model", "its results depend on sizes")
        if [number for number, _ in first.mutations] != [number for number, _ in other.mutations]:
            raise Differs("the model", "what it changes depends on sizes")


def _tensors(signature: Signature) -> list[Any]:
    """The results, without values of numbers."""
    return [type(output.value) if isinstance(output, Constant) else output for output in signature.outputs]


def _counts(signatures: Sequence[Signature]) -> dict[int, tuple[int, ...]]:
    """The results that are numbers which depend on sizes. Raises `Differs` for those that are no integers."""
    found = {}
    for place, values in enumerate(zip(*(signature.outputs for signature in signatures), strict=True)):
        numbers = [output.value for output in values if isinstance(output, Constant)]
        if any(number != numbers[0] for number in numbers):
            if any(type(number) is not int for number in numbers):
                raise Differs("the model", f"its result {place} depends on sizes")
            found[place] = tuple(numbers)
    return found


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
