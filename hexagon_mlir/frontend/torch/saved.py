"""The content of a saved model's ``model.json``, and its consistency checks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import prod
from typing import Annotated, Literal

import msgspec
import numpy as np

from hexagon_mlir import targets
from hexagon_mlir.codegen.memory_plan import round_up
from hexagon_mlir.codegen.schedule import Buffer, Call
from hexagon_mlir.codegen.tcm_activations import padded_lifetimes, plan_activations, ports
from hexagon_mlir.dialects.kernel_memory import KernelMemory
from hexagon_mlir.exec.model import NUMPY
from hexagon_mlir.frontend.torch.nesting import Part
from hexagon_mlir.frontend.torch.result import CompilationResult

FORMAT = 9
ADDRESSES = 1 << 32
"""Bytes that the machine has addresses for: no tensor is as large."""
Count = Annotated[int, msgspec.Meta(ge=0, lt=ADDRESSES)]
Shape = tuple[Count, ...]
Dtype = Literal["float32", "float16", "bfloat16", "float64", "int64", "int32", "int16", "int8", "uint8", "bool"]
_BYTES = {"bfloat16": 2, "bool": 1}
_Hash = Annotated[str, msgspec.Meta(pattern=r"\A[0-9a-f]{64}\Z")]
_Name = Annotated[str, msgspec.Meta(pattern=r"\A\w+\Z")]


class Weight(msgspec.Struct, forbid_unknown_fields=True):
    """A tensor in ``weights.bin``, which begins ``offset`` bytes after its start."""

    offset: Annotated[int, msgspec.Meta(ge=0)]
    shape: Shape
    dtype: Dtype

    @property
    def end(self) -> int:
        """The offset after the tensor."""
        return self.offset + nbytes(self.shape, self.dtype)


class SavedKernel(msgspec.Struct, forbid_unknown_fields=True):
    """A kernel, whose code of that hash is in a file of its own; ``operands`` are the bytes of each tensor it takes."""

    name: _Name
    sha256: _Hash
    seconds: float
    calls: Count
    operands: list[Count]
    memory: KernelMemory | None


class Known(msgspec.Struct, forbid_unknown_fields=True):
    """An argument or a result that is no tensor; ``infinite`` spells what JSON has no number for."""

    constant: bool | int | float | str | None = None
    infinite: Literal["inf", "-inf", "nan"] | None = None


class Written(msgspec.Struct, forbid_unknown_fields=True):
    """Result ``result`` replaces the content of the flat argument, or of the state, of that number."""

    result: Count
    argument: Count | None = None
    state: Count | None = None


class Saved(msgspec.Struct, forbid_unknown_fields=True):
    """The whole file; see `hexagon_mlir.codegen.schedule.ModelSchedule` and
    `hexagon_mlir.frontend.torch.result.Signature`."""

    format: int
    target: str
    buffers: list[Buffer]
    calls: list[Call]
    kernels: list[SavedKernel]
    outputs: list[Count]
    output_shapes: list[Shape]
    weights: dict[Count, Weight]
    states: list[Count]
    keys: Count | None
    inputs: list[Count | None]
    names: list[_Name]
    shapes: list[tuple[Shape, Dtype]]
    results: list[Count | Known]
    result_dtypes: list[Dtype]
    bounds: dict[Count, tuple[int, int]]
    fixed: dict[Count, tuple[_Name, Known]]
    mutations: list[Written]
    in_spec: Part
    """A tuple of those by place and a dict of those by name; None where arguments are flat, as then results are."""
    out_spec: Part
    result: CompilationResult


def nbytes(shape: Shape, dtype: str) -> int:
    """Bytes of a tensor."""
    return prod(shape) * (_BYTES.get(dtype) or np.dtype(dtype).itemsize)


def faults(model: Saved) -> Iterator[str]:
    """The inconsistencies of ``model``, in order; later checks assume that earlier ones have passed."""
    if model.target not in targets.names():
        yield f"unknown target '{model.target}'"
    yield from _faults_of_buffers(model)
    yield from _faults_of_calls(model)
    yield from _faults_of_memory(model)
    yield from _faults_of_arguments(model)
    yield from _faults_of_results(model)


def _faults_of_buffers(model: Saved) -> Iterator[str]:
    taken = Counter(buffer.argument for buffer in model.buffers if buffer.argument is not None)
    if taken != Counter(range(len(model.shapes))):
        yield f"'buffers' are not of {len(model.shapes)} arguments, as 'shapes' are"
    for number, buffer in enumerate(model.buffers):
        if buffer.element not in NUMPY:
            yield f"buffers[{number}] has elements of type '{buffer.element[:40]}'"
        needed = prod(buffer.shape) * np.dtype(NUMPY[buffer.element]).itemsize
        if min(buffer.shape, default=0) < 0 or buffer.nbytes != needed or needed >= ADDRESSES:
            yield f"buffers[{number}] of shape {buffer.shape} has {buffer.nbytes} bytes"
        if buffer.argument is not None:
            shape, dtype = model.shapes[buffer.argument]
            if buffer.shape != shape or buffer.nbytes != nbytes(shape, dtype):
                yield f"buffers[{number}] is not of the shape of argument {buffer.argument}"


def _faults_of_calls(model: Saved) -> Iterator[str]:
    ready = {number for number, buffer in enumerate(model.buffers) if buffer.argument is not None}
    for step, call in enumerate(model.calls):
        if call.kernel not in range(len(model.kernels)):
            yield f"calls[{step}] is of kernel {call.kernel}, there are {len(model.kernels)}"
        for number in call.arguments:
            if number not in ready:
                yield f"calls[{step}] reads buffer {number}, which nothing has written"
        for number in call.results:
            changes = number in call.arguments and number in range(len(model.buffers)) and (
                model.buffers[number].argument in model.states)
            if not changes and (number not in range(len(model.buffers)) or number in ready):
                yield f"calls[{step}] writes buffer {number}, which is not its own"
            ready.add(number)
        sizes = [model.buffers[number].nbytes for number in (*call.arguments, *call.results)]
        if sizes != model.kernels[call.kernel].operands:
            yield f"calls[{step}] has operands of {sizes} bytes, its kernel takes {model.kernels[call.kernel].operands}"
    made = Counter(call.kernel for call in model.calls)
    for number, kernel in enumerate(model.kernels):
        if kernel.calls != made[number]:
            yield f"kernels[{number}] has {made[number]} calls, not {kernel.calls}"
    for number in range(len(model.buffers)):
        if number not in ready:
            yield f"buffers[{number}] is never written"


def _faults_of_memory(model: Saved) -> Iterator[str]:
    room = targets.get(model.target).tcm_budget_bytes
    yield from _faults_of_activations(model, room)
    for number, kernel in enumerate(model.kernels):
        memory = kernel.memory
        if memory is None:
            continue
        for tile in memory.tiles:
            if not (tile.argument in range(len(kernel.operands)) and tile.offset >= 0 and tile.row_bytes > 0
                    and tile.rows > 0 and tile.stride >= tile.row_bytes and tile.nbytes <= tile.slot_bytes
                    and tile.offset + tile.extent <= kernel.operands[tile.argument]):
                yield f"kernels[{number}] begins with a tile that is not in its argument"
        sizes = [memory.arena_bytes, *(tile.slot_bytes for tile in memory.tiles)]
        if not 0 <= memory.leading <= len(memory.tiles):
            yield f"kernels[{number}] begins with {memory.leading} of {len(memory.tiles)} tiles"
        if min(*sizes, memory.spare_cycles) < 0 or sum(sizes) > room:
            yield f"kernels[{number}] has {sum(sizes)} bytes of TCM"


def _faults_of_activations(model: Saved, room: int) -> Iterator[str]:
    """A kernel uses what is at one of its ports as memory in TCM, or in DDR: all its calls agree, and all have room."""
    numbers = [number for number, buffer in enumerate(model.buffers) if buffer.in_tcm]
    kernels: dict[tuple[int, int], bool] = {}
    for call in model.calls:
        for port, number in ports(call):
            if kernels.setdefault(port, model.buffers[number].in_tcm) != model.buffers[number].in_tcm:
                yield f"argument {port[1]} of kernels[{port[0]}] is in TCM, and is not"
    for number in numbers:
        if model.buffers[number].argument is not None or number in model.outputs:
            yield f"buffers[{number}] is in TCM, but kernels are not all that reads and writes it"
    if not numbers:
        return
    alignment = int(targets.get(model.target).tcm_alignment.value)
    lives = padded_lifetimes(model.calls, model.buffers, model.outputs)
    taken = plan_activations(numbers, lives, len(model.calls), alignment).taken
    for step, call in enumerate(model.calls):
        memory = model.kernels[call.kernel].memory
        sizes = [memory.arena_bytes, *(tile.slot_bytes for tile in memory.tiles)] if memory else [room]
        if sum(round_up(size, alignment) for size in sizes) + taken[step] > room - alignment:
            yield f"calls[{step}] has no room in TCM beside {taken[step]} bytes of activations"


def _faults_of_arguments(model: Saved) -> Iterator[str]:
    lengths = {len(model.inputs), len(model.names), len(model.shapes)}
    if len(lengths) > 1:
        yield "'inputs', 'names' and 'shapes' are not of equal length"
    given = {number for number, place in enumerate(model.inputs) if place is None}
    if given != set(model.weights) or not given.issuperset(model.states) or len(set(model.states)) < len(model.states):
        yield "'weights' and 'states' are not those arguments that have no place among the inputs"
    if model.keys is not None and (model.keys not in model.states or model.shapes[model.keys][1] != "int32"
                                   or len(model.shapes[model.keys][0]) != 2 or model.shapes[model.keys][0][1] != 2):
        yield f"'keys' is {model.keys}, which is no state of two words for each operation"
    places = [place for place in model.inputs if place is not None]
    if len(set(places)) < len(places):
        yield "two of 'inputs' are the same"
    for number, weight in model.weights.items():
        if (weight.shape, weight.dtype) != model.shapes[number]:
            yield f"weight {number} is not of the shape of argument {number}"
    for place in model.fixed:
        if place in places:
            yield f"argument {place} is one of 'inputs' and of 'fixed'"
    for number, (low, high) in model.bounds.items():
        if number >= len(model.inputs) or model.inputs[number] is None or low > high:
            yield f"'bounds' of argument {number} are {low} and {high}"


def _faults_of_results(model: Saved) -> Iterator[str]:
    if not len(model.outputs) == len(model.output_shapes) == len(model.result_dtypes):
        yield "'outputs', 'output_shapes' and 'result_dtypes' are not of equal length"
    for number, (output, shape, dtype) in enumerate(zip(model.outputs, model.output_shapes, model.result_dtypes,
                                                        strict=True)):
        if output >= len(model.buffers) or prod(shape) != prod(model.buffers[output].shape):
            yield f"output {number} is not of the shape of its buffer"
        if (dtype == "bfloat16") != (model.buffers[output].element == "bf16"):
            yield f"output {number} of type {dtype} is made of {model.buffers[output].element}"
    for result in model.results:
        if isinstance(result, int) and result >= len(model.outputs):
            yield f"'results' name output {result}, there are {len(model.outputs)}"
    numbers = {place: number for number, place in enumerate(model.inputs) if place is not None}
    for each in model.mutations:
        one = (each.state is None) != (each.argument is None)
        if not one or each.result >= len(model.outputs) or (each.state is not None and each.state not in model.states):
            yield f"'mutations' have output {each.result} replace what is not there"
        target = each.state if each.argument is None else numbers.get(each.argument)
        if target is not None and model.output_shapes[each.result] != model.shapes[target][0]:
            yield f"'mutations' have output {each.result} replace what it does not fit"
