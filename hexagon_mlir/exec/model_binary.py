"""A whole model as files to link: the objects of its kernels, and C that calls them in order.

Weights stay in a file that is mapped; activations live in an arena that the caller gives, planned as on the simulator.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hexagon_mlir.codegen.artifacts import c_interface, link
from hexagon_mlir.codegen.artifacts.c_interface import ARENA, WEIGHTS, Function, Parameter
from hexagon_mlir.codegen.artifacts.c_names import c_name
from hexagon_mlir.codegen.artifacts.weights import Weights, lay_out
from hexagon_mlir.codegen.memory_plan import lifetimes, plan
from hexagon_mlir.codegen.schedule import ModelSchedule
from hexagon_mlir.exec.elf import kernel_object, linked_program
from hexagon_mlir.exec.model import NUMPY, ModelRun
from hexagon_mlir.exec.qemu import run
from hexagon_mlir.exec.tcm_plan import TcmPlan, plan_schedule
from hexagon_mlir.exec.tcm_text import TCM, TILES, TcmText
from hexagon_mlir.ir import HexError
from hexagon_mlir.targets import get

ORIGIN = "link"

@dataclass(frozen=True)
class ModelBinary:
    """``function`` takes the model's inputs, its results, the weights file and an arena. ``source`` is its C text."""

    schedule: ModelSchedule
    function: Function
    source: str
    inputs: tuple[int, ...]
    """The model's arguments that the function's first parameters are."""
    weights: Weights | None

    @property
    def alignment(self) -> int:
        """Bytes that tensors are aligned to."""
        return int(get(self.schedule.target).vector_bytes.value)

    @property
    def header(self) -> str:
        """The header that ``source`` includes."""
        return c_interface.header(self.function, self.alignment)

    def files(self, position_independent: bool = False) -> dict[str, bytes]:
        """What is linked: the objects, the C text and its header."""
        schedule, name = self.schedule, self.function.name
        files = {f"{name}.c": self.source.encode(), f"{name}.h": self.header.encode()}
        for number, kernel in enumerate(schedule.kernels):
            if not kernel.llvm_ir:
                raise HexError.plain("a model that was loaded has no objects, only assembly", origin=ORIGIN,
                                     hint="link from the program it was exported from: hexmlir compile MODEL.pt2")
            files[f"{number}.o"] = kernel_object(kernel.llvm_ir, kernel.name, schedule.target,
                                                 schedule.pipeline, schedule.settings,
                                                 position_independent, _symbol(name, kernel.name))
        return files

    def object(self) -> bytes:
        """One relocatable object."""
        return link.relocatable(self.files())

    def shared_object(self) -> bytes:
        """A shared object without the runtime."""
        return link.shared_object(self.files(position_independent=True))

    def program(self) -> bytes:
        """An ELF program around the model, see docs/device.md."""
        return linked_program(self.files(), self.function)

    def run(self, arguments: Sequence[np.ndarray]) -> ModelRun:
        """Run under QEMU with ``arguments``, all of the model's (its weights are mapped all the same)."""
        elements = [NUMPY[p.element] for p in self.function.parameters if p.written and p.given]
        outputs = tuple(map(np.zeros, self.schedule.output_shapes, elements))
        given = [arguments[number] for number in self.inputs]
        counters = run(self.program(), self.schedule.target, [*given, *outputs], weights=self.weights)
        return ModelRun(outputs, (), counters)


def build(schedule: ModelSchedule, inputs: Sequence[tuple[int, str]], constants: Mapping[int, np.ndarray],
          name: str = "model") -> ModelBinary:
    """``inputs`` are (number, name) of the model's arguments in the order of parameters, ``constants`` the others."""
    name = c_name(name)
    alignment = int(get(schedule.target).vector_bytes.value)
    weights = lay_out([*constants.values()], alignment) if constants else None
    places: dict[int, str] = {}
    parameters = []
    numbers = {buffer.argument: number for number, buffer in enumerate(schedule.buffers) if buffer.argument is not None}
    taken = {WEIGHTS, ARENA, TCM, TILES, name}
    for argument, given in inputs:
        buffer = schedule.buffers[numbers[argument]]
        parameter = Parameter(_fresh(c_name(given), taken), buffer.element, buffer.shape, False)
        places[numbers[argument]] = parameter.name
        parameters.append(parameter)
    changed = {number for call in schedule.calls for number in call.results if number in places}
    copies, starts = [], []
    for number, (buffer_number, shape) in enumerate(zip(schedule.outputs, schedule.output_shapes, strict=True)):
        buffer = schedule.buffers[buffer_number]
        parameter = Parameter(_fresh(f"result{number}", taken), buffer.element, shape, True)
        parameters.append(parameter)
        if buffer.argument is None and buffer_number not in places:
            places[buffer_number] = parameter.name  # its kernel writes the result itself
        elif buffer_number in changed:
            starts.append((parameter.name, places[buffer_number], buffer.nbytes))
            places[buffer_number] = parameter.name  # kernels change the result
            changed.remove(buffer_number)
        else:
            copies.append((parameter.name, buffer_number))
    if weights is not None:
        parameters.append(Parameter(WEIGHTS, "", (weights.nbytes,), False))
        for argument, offset in zip(constants, weights.offsets, strict=True):
            places[numbers[argument]] = f"(const char *){WEIGHTS} + {offset}"
    tcm = plan_schedule(schedule)
    places |= {number: f"{TCM} + {offset}" for number, offset in tcm.activations.items()}
    lives = lifetimes(schedule.calls, schedule.buffers, schedule.outputs)
    inner = {number: interval for number, interval in lives.items() if number not in places}
    memory = plan([*inner.values()], alignment)
    if memory.arena_bytes:
        # masked loads of a tail may read past the last buffer
        parameters.append(Parameter(ARENA, "", (memory.arena_bytes + 2 * alignment,), True))
    places |= {number: f"(char *){ARENA} + {offset}" for number, offset in zip(inner, memory.offsets, strict=True)}
    function = Function(name, schedule.target, tuple(parameters), weights_key=weights.key if weights else 0,
                        what="Model")
    return ModelBinary(schedule, function, _source(schedule, tcm, function, places, starts, copies),
                       tuple(argument for argument, _ in inputs), weights)


def _fresh(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def _symbol(model: str, kernel: str) -> str:
    return f"{model}_{kernel}"


def _source(schedule: ModelSchedule, plan: TcmPlan, function: Function, places: Mapping[int, str],
            starts: Sequence[tuple[str, str, int]], copies: Sequence[tuple[str, int]]) -> str:
    """The model in C: what it changes is copied first (``starts``), unless the caller passes one memory for both."""
    names = [_symbol(function.name, kernel.name) for kernel in schedule.kernels]
    types = {call.kernel: ["const void *"] * len(call.arguments) + ["void *"] * len(call.results)
             for call in schedule.calls}
    used = {places[n] for call in schedule.calls for n in call.arguments} | {places[n] for _, n in copies}
    used |= {given for _, given, _ in starts}
    tcm = TcmText(schedule, plan, places)
    return "\n".join([
        f"/* Model '{function.name}' for Hexagon {function.target}, compiled by hexagon-mlir: its kernels in order.",
        " * The object that comes with this text holds it already. */",
        f'#include "{function.name}.h"', "",
        *tcm.declarations(),
        *(f"void {names[kernel]}({', '.join([*words, *tcm.types(kernel)])});" for kernel, words in types.items()),
        "", f"{function.prototype} {{",
        *(f"  (void){p.name};" for p in function.parameters if p.given and not p.written and p.name not in used),
        *(f"  if ((const void *){name} != (const void *){given}) __builtin_memcpy({name}, {given}, {size});"
          for name, given, size in starts),
        *tcm.begin(),
        *(f"{tcm.call(step, names[call.kernel], [places[n] for n in (*call.arguments, *call.results)])}"
          for step, call in enumerate(schedule.calls)),
        *tcm.end(),
        *(f"  __builtin_memcpy({name}, {places[n]}, {schedule.buffers[n].nbytes});" for name, n in copies),
        "}", ""])
