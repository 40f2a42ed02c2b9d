"""The machine on a chip: compiled once for each target, kept in the cache of generated code, launched on programs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from hexagon_mlir import pipelines, targets
from hexagon_mlir.bytecode import layout
from hexagon_mlir.bytecode.check import check
from hexagon_mlir.bytecode.contents import ORIGIN, Program
from hexagon_mlir.bytecode.program import ENTRY, machine_text
from hexagon_mlir.bytecode.shape import Shape
from hexagon_mlir.codegen import cache as code_cache
from hexagon_mlir.codegen.compile import compile_module
from hexagon_mlir.exec.sim import launch
from hexagon_mlir.ir import HexError, parse
from hexagon_mlir.sim import RunResult


class Machine:
    """Executes bytecode on ``target``, in the simulator; raises `HexError` for an unknown chip, or one without HVX
    floats."""

    def __init__(self, target: str = targets.DEFAULT) -> None:
        chip = pipelines.target_of(target)
        if not chip.vector_float:
            raise HexError.plain(f"HVX of {target} has no floating point", "take a later chip", ORIGIN)
        self.target, self.shape = target, Shape.of(chip)

    @property
    def asm(self) -> str:
        """The machine's assembly, from the cache if it is there."""
        return _assembly(self.target)

    def load(self, code: bytes) -> Program:
        """The program ``code``, checked for this machine; raises `HexError`."""
        return check(code, self.shape)

    def run(self, program: Program, *arrays: np.ndarray, arithmetic: str | None = None) -> RunResult:
        """Execute ``program`` on its buffers, in their order; those it writes are written in place.

        ``arithmetic`` of the simulator is "chip" or "ieee", as in `hexagon_mlir.api.CompiledKernel.run`.
        Raises `HexError` unless they are contiguous arrays of f32 or f16 of its sizes, and those it writes writable and
        apart from others.
        """
        _check_arrays(program, arrays)
        nothing = np.zeros(1, np.int8)
        rest = [nothing] * (layout.MAX_BUFFERS - len(arrays))
        return launch(self.asm, ENTRY, [program.words, *arrays, *rest], target=self.target, whole_storage=False,
                      arithmetic=arithmetic)


@cache
def _assembly(target: str) -> str:
    text = machine_text(Shape.of(targets.get(target)))
    name = code_cache.key("bytecode machine", target, text, code_cache.whole_compiler())
    if (found := code_cache.load(name)) is not None:
        return found.decode()
    asm = compile_module(parse(text, file="<bytecode machine>"), target, pipelines.BYTECODE_MACHINE).asm
    code_cache.store(name, asm.encode())
    return asm


def _check_arrays(program: Program, arrays: Sequence[np.ndarray]) -> None:
    if len(arrays) != len(program.buffers):
        raise HexError.plain(f"{len(arrays)} arrays", f"the program has {len(program.buffers)} buffers", ORIGIN)
    for number, (buffer, array) in enumerate(zip(program.buffers, arrays, strict=True)):
        type_ = np.dtype(np.float16 if buffer.half else np.float32)
        if not isinstance(array, np.ndarray) or array.dtype != type_ or array.size != buffer.elements:
            what = f"{array.size} elements of {array.dtype}" if isinstance(array, np.ndarray) else str(type(array))
            raise HexError.plain(f"buffer {number}: {what}", f"{buffer.elements} elements of {type_}", ORIGIN)
        if not array.flags.c_contiguous or (buffer.written and not array.flags.writeable):
            raise HexError.plain(f"buffer {number} is not contiguous, or read-only", "pass a copy", ORIGIN)
        others = [other for place, other in enumerate(arrays) if place != number]
        if buffer.written and any(np.may_share_memory(array, other) for other in others):
            raise HexError.plain(f"buffer {number} overlaps another", "results have their own memory", ORIGIN)
