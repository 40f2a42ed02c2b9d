"""A model for any sizes: kernels compiled once, and formulas for what a schedule for certain sizes consists of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from hexagon_mlir import targets
from hexagon_mlir.codegen.generic_sizes.formulas import Formula, Numbers, fit
from hexagon_mlir.codegen.generic_sizes.functions import GenericFunction, generalize
from hexagon_mlir.codegen.generic_sizes.operations import Differs
from hexagon_mlir.codegen.model_calls import Buffer, Call, Calls, module_text, read_calls
from hexagon_mlir.codegen.schedule import Kernel, ModelSchedule, Progress, compile_all
from hexagon_mlir.interrupts import deferred
from hexagon_mlir.ir import ir
from hexagon_mlir.pass_infra.runner import RunOptions
from hexagon_mlir.settings import Search, Settings


class Table:
    """Numbers that are formulas over the model's sizes, each once."""

    def __init__(self, examples: Sequence[Mapping[str, int]]) -> None:
        self.known = {name: tuple(sizes[name] for sizes in examples) for name in examples[0]}
        self.places: dict[Numbers, int] = {}
        self.formulas: list[Formula[str]] = []

    def place(self, numbers: Numbers, of: str) -> int:
        """The place of ``numbers`` in what `values` gives; raises `Differs`, naming ``of``."""
        if numbers not in self.places:
            formula = fit(numbers, self.known)
            if formula is None:
                raise Differs(of, f"the sizes {', '.join(map(str, numbers))} are no formula over those of inputs")
            self.places[numbers] = len(self.formulas)
            self.formulas.append(formula)
        return self.places[numbers]

    def values(self, sizes: Mapping[str, int]) -> list[int]:
        """The numbers for ``sizes``."""
        return [formula.value(sizes) for formula in self.formulas]


Places = tuple[int, ...]
"""Numbers by their places in a `Table`."""


@dataclass
class GenericSchedule:
    """A `ModelSchedule` for any sizes: ``buffers`` are (shape, bytes) by places in ``table``; ``numbers`` and ``sizes``
    of each kernel are what its calls take besides buffers."""

    one: ModelSchedule
    table: Table
    buffers: list[tuple[Places, int]]
    output_shapes: list[Places]
    numbers: list[Places]
    sizes: list[Places]

    def at(self, sizes: Mapping[str, int]) -> ModelSchedule:
        """The schedule for ``sizes``: nothing is compiled."""
        values = self.table.values(sizes)

        def of(places: Places) -> tuple[int, ...]:
            return tuple([values[place] for place in places])

        numbers, extents = [of(places) for places in self.numbers], [of(places) for places in self.sizes]
        buffers = [Buffer(of(shape), one.element, values[nbytes], one.argument)
                   for one, (shape, nbytes) in zip(self.one.buffers, self.buffers, strict=True)]
        calls = [Call(call.kernel, call.arguments, call.results, numbers[call.kernel], extents[call.kernel])
                 for call in self.one.calls]
        return replace(self.one, buffers=buffers, calls=calls, output_shapes=[of(s) for s in self.output_shapes])


def build_generic_schedule(modules: Sequence[ir.Module], examples: Sequence[Mapping[str, int]], entry: str, target: str,
                           pipeline: str, progress: Progress | None, settings: Settings,
                           options: RunOptions | None = None) -> GenericSchedule:
    """Compile the kernels of ``modules``, one model at the sizes of each of ``examples``, once for all sizes.

    Raises `Differs` where the model at another size is other code, and `HexError` where a kernel has no code.
    """
    twins = [read_calls(module, entry) for module in modules]
    first, table = twins[0], Table(examples)
    if len({_structure(twin) for twin in twins}) > 1:
        raise Differs(_differing(twins), "other sizes have other kernels")
    buffers = [(_places(table, [twin.buffers[n].shape for twin in twins], "buffer"),
                table.place(tuple(twin.buffers[n].nbytes for twin in twins), "buffer"))
               for n in range(len(first.buffers))]
    shapes = [_places(table, [twin.output_shapes[n] for twin in twins], "result")
              for n in range(len(first.output_shapes))]
    on_engine = settings.matrix_engine and targets.get(target).has_matrix_engine
    with deferred():
        functions = [generalize([module_text(twin.functions[twin.kernels[n]]) for twin in twins], on_engine)
                     for n in range(len(first.kernels))]
    numbers = [tuple(table.place(n, name) for n in one.numbers) for one, name in _named(functions, first)]
    sizes = [tuple(table.place(n, name) for n in one.sizes) for one, name in _named(functions, first)]
    own = replace(settings, search=Search.FEW if settings.search == Search.AUTO else settings.search,
                  tcm_bytes=settings.tcm_bytes or targets.get(target).tcm_share_bytes)
    kernels = compile_all([one.text for one in functions], target, pipeline, progress, [own] * len(functions), options)
    schedule = ModelSchedule(target, first.buffers, first.calls, first.outputs, first.output_shapes,
                             _counted(kernels, first), pipeline, settings)
    return GenericSchedule(schedule, table, buffers, shapes, numbers, sizes)


def _structure(calls: Calls) -> tuple[object, ...]:
    """What a model has in common with itself at other sizes."""
    return (tuple(calls.calls), tuple(calls.outputs), tuple(calls.kernels),
            tuple((len(one.shape), one.element, one.argument) for one in calls.buffers))


def _differing(twins: Sequence[Calls]) -> str:
    """The name of the first kernel that not all of ``twins`` call."""
    names = [[twin.kernels[call.kernel] for call in twin.calls] for twin in twins]
    return next((mine for mine, *others in zip(*names, strict=False) if set(others) != {mine}), names[0][-1])


def _places(table: Table, shapes: Sequence[tuple[int, ...]], of: str) -> Places:
    return tuple(table.place(numbers, of) for numbers in zip(*shapes, strict=True))


def _named(functions: Sequence[GenericFunction], calls: Calls) -> list[tuple[GenericFunction, str]]:
    return list(zip(functions, calls.kernels, strict=True))


def _counted(kernels: Sequence[Kernel], calls: Calls) -> list[Kernel]:
    return [replace(kernel, calls=count) for kernel, count in zip(kernels, calls.counts, strict=True)]
