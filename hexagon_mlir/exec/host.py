"""Runs a module of any stage on this machine: to test that a pass preserves semantics, and to debug kernels.

Slow and without a cycle model; the simulator is `hexagon_mlir.exec.sim`.
"""

from __future__ import annotations

import ctypes
import itertools
import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import llvmlite.binding as llvm
import ml_dtypes
import numpy as np

from hexagon_mlir.exec.host_async import HostTasks
from hexagon_mlir.exec.host_dma import HostDma
from hexagon_mlir.exec.host_engine import HostEngine
from hexagon_mlir.exec.host_lowering import ORIGIN, HostProgram, lower
from hexagon_mlir.exec.host_memory import HostMemory, SharedArrays
from hexagon_mlir.exec.host_wide import apart
from hexagon_mlir.ir import Diagnostic, HexError, Place, ir
from hexagon_mlir.llvmir.names import with_globals_renamed
from hexagon_mlir.sim.host_library.kernel_output import AssertionFailed, printed
from hexagon_mlir.sim.translation import half_functions

Argument = np.ndarray | int | float | bool
_SCALARS: dict[str, Any] = {
    "i1": ctypes.c_bool, "i8": ctypes.c_int8, "i16": ctypes.c_int16, "i32": ctypes.c_int32, "i64": ctypes.c_int64,
    "index": ctypes.c_int64, "f32": ctypes.c_float, "f64": ctypes.c_double,
}
_NUMPY: dict[str, Any] = {
    "i1": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "index": np.int64,
    "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64,
}
_SHAPED = re.compile(r"(memref|tensor)<((?:\d+x)*)([a-z]+\d*)(?:, .*)?>")
_BF16_HELPERS = """
define linkonce_odr float @__extendbfsf2(bfloat %x) {
  %i = bitcast bfloat %x to i16
  %w = zext i16 %i to i32
  %s = shl i32 %w, 16
  %f = bitcast i32 %s to float
  ret float %f
}
define linkonce_odr bfloat @__truncsfbf2(float %x) {
  %i = bitcast float %x to i32
  %h = lshr i32 %i, 16
  %odd = and i32 %h, 1
  %bias = add i32 %odd, 32767
  %r = add i32 %i, %bias
  %t = lshr i32 %r, 16
  %nan = fcmp uno float %x, 0.0
  %quiet = or i32 %h, 64
  %v = select i1 %nan, i32 %quiet, i32 %t
  %n = trunc i32 %v to i16
  %b = bitcast i16 %n to bfloat
  ret bfloat %b
}
"""
_COROUTINES = "@llvm.coro."


class HostFunction:
    """One lowered and compiled entry point; calling it runs it.

    ``level`` is LLVM's level of code generation, 0 to 3: 0 takes less than half of the time of 1, if code runs once.
    """

    def __init__(self, module: ir.Module, entry: str, level: int = 1):
        self.program = lower(module, entry)
        self.entry = entry
        self.memory = HostMemory()
        self.shared = SharedArrays(self.memory, [])
        self.failure: AssertionFailed | None = None
        """The first failed assertion of the running launch; the kernel itself cannot be stopped."""
        self.tasks = HostTasks(self.memory.allocate, ORIGIN)
        self.dma = HostDma(ORIGIN)
        self.matrix_engine = HostEngine(ORIGIN)
        self.engine, self.keep = _compile(self.program, self, level)

    def __call__(self, args: Sequence[Argument], grid: Sequence[int] | None = None) -> list[np.ndarray]:
        """Run with ``args``; see `run_on_host`."""
        types = self.program.arguments
        if grid is not None:
            types = types[:-6]
        if len(args) != len(types):
            raise HexError.plain(f"'{self.entry}' takes {len(types)} arguments, {len(args)} given", origin=ORIGIN)
        self.tasks.begin()
        self.dma.begin()
        self.matrix_engine.begin()
        try:
            results = self._run(self.memory, args, types, grid)
            self.tasks.end()
            self.dma.end()
            self.matrix_engine.end()
            return results
        finally:
            self.memory.close()

    def _run(self, memory: HostMemory, args: Sequence[Argument], types: Sequence[str],
             grid: Sequence[int] | None) -> list[np.ndarray]:
        arrays, outputs = [], []
        words: list[Any] = []
        kinds: list[Any] = []
        for place, (arg, type) in enumerate(zip(args, types, strict=True)):
            _check(self.entry, place, arg, type)
            if isinstance(arg, np.ndarray):
                arrays.append(arg)
        shared = self.shared = SharedArrays(memory, arrays)
        self.failure = None
        for arg, type in zip(args, types, strict=True):
            kinds.append(ctypes.c_void_p if isinstance(arg, np.ndarray) else _SCALARS[type])
            words.append(shared.address(arg) if isinstance(arg, np.ndarray) else arg)
        scalar = None
        for type in self.program.results:
            match = _SHAPED.fullmatch(type)
            if match is None:
                if scalar is not None or type not in _SCALARS:
                    raise HexError.plain(f"result of type {type}", origin=ORIGIN)
                scalar = type
                continue
            out = np.zeros(_shape(match), _NUMPY[match[3]])
            outputs.append((out, memory.allocate(out.nbytes)))
            words.append(outputs[-1][1])
            kinds.append(ctypes.c_void_p)
        code = self.engine.get_function_address(self.entry)
        call = ctypes.CFUNCTYPE(_SCALARS[scalar] if scalar else None, *kinds, *[ctypes.c_int32] * (6 if grid else 0))
        returned = self._each_program(memory, call(code), words, grid, len(args))
        if self.failure is not None:
            place = Place(self.failure.file, self.failure.line, self.failure.column)
            raise HexError(Diagnostic("error", place, ORIGIN, self.failure.message))
        shared.write_back([a for a, t in zip(args, types, strict=True)
                           if isinstance(a, np.ndarray) and not t.startswith("tensor")])
        for out, address in outputs:
            ctypes.memmove(out.ctypes.data, address, out.nbytes)
        results = [out for out, _ in outputs]
        return [*results, np.asarray(returned, _NUMPY[scalar])] if scalar else results

    def _each_program(self, memory: HostMemory, call: Callable[..., Any], words: list[Any],
                      grid: Sequence[int] | None, inputs: int) -> Any:
        if grid is None:
            return call(*words)
        gx, gy, gz = grid
        kept = set(memory.sizes)
        for z, y, x in itertools.product(range(gz), range(gy), range(gx)):
            call(*words[:inputs], gx, gy, gz, x, y, z, *words[inputs:])
            memory.free_all_but(kept)
            if self.failure is not None:
                break
        return None


def run_on_host(module: ir.Module, entry: str, args: Sequence[Argument],
                grid: Sequence[int] | None = None) -> list[np.ndarray]:
    """Run function ``entry`` of a copy of ``module`` and return its results.

    Numpy arrays stand for memrefs (written in place; ``memref<1xT>`` is a bare pointer) and tensors (not written),
    numbers for scalars. With ``grid`` the last six i32 arguments are the numbers of programs and the program id
    along x, y, z: the function runs once per program, x fastest. Raises `HexError` for what cannot be lowered.
    """
    return HostFunction(module, entry)(args, grid)


def _shape(match: re.Match[str]) -> tuple[int, ...]:
    return tuple(int(n) for n in match[2].split("x") if n)


def _check(entry: str, place: int, arg: Argument, type: str) -> None:
    match = _SHAPED.fullmatch(type)
    where = f"argument {place} of '{entry}' ({type})"
    if type == "!llvm.ptr":
        return
    if match is None:
        if type not in _SCALARS:
            raise HexError.plain(f"{where} cannot be passed on the host", origin=ORIGIN)
        if isinstance(arg, np.ndarray) and arg.ndim:
            raise HexError.plain(f"{where} is a scalar, an array was given", origin=ORIGIN)
        return
    if not isinstance(arg, np.ndarray):
        raise HexError.plain(f"{where} needs an array, not {arg!r}", origin=ORIGIN)
    width = np.dtype(_NUMPY[match[3]]).itemsize if match[3] in _NUMPY else None
    if width is None or arg.dtype.itemsize != width:
        raise HexError.plain(f"{where} does not match an array of {arg.dtype}", origin=ORIGIN)
    if _shape(match) != (1,) and (arg.shape != _shape(match) or not arg.flags.c_contiguous):
        raise HexError.plain(f"{where} does not match a {'' if arg.flags.c_contiguous else 'strided '}array of "
                             f"shape {arg.shape}", origin=ORIGIN)


@cache
def _initialize_llvm() -> None:
    """Code generation for this machine, once in a process."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    for library in ("libm.so.6", "libgcc_s.so.1"):
        llvm.load_library_permanently(library)


def _compile(program: HostProgram, owner: HostFunction, level: int) -> tuple[Any, list[Any]]:
    """An execution engine with the program, and the objects that must outlive it."""
    _initialize_llvm()
    functions = _runtime(owner)
    own_names: dict[str, str] = {}
    keep: list[Any] = []
    for name, function in functions.items():
        # every engine has its own: names contain the address, so that programs do not share memory
        address = ctypes.cast(function, ctypes.c_void_p).value
        unique = f"{name}_{address:x}"
        llvm.add_symbol(unique, address)
        own_names[name] = unique
        keep.append(function)
    text = with_globals_renamed(apart(program.llvm_ir), own_names)
    if "bfloat" in text:
        text += _BF16_HELPERS
    if "half" in text:
        text += half_functions.LLVM_IR
    try:
        parsed = llvm.parse_assembly(text)
        parsed.verify()
    except RuntimeError as error:
        raise HexError.plain(str(error).splitlines()[0], origin=ORIGIN) from None
    missing = [f.name for f in parsed.functions
               if f.is_declaration and not f.name.startswith("llvm.") and not llvm.address_of_symbol(f.name)]
    if missing:
        raise HexError.plain(f"'{missing[0]}' is not defined and not part of the runtime", origin=ORIGIN)
    # the CPU's own bf16 conversion flushes denormals
    features = llvm.get_host_cpu_features().flatten() + ",-avx512bf16"
    machine = llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=features, opt=level, jit=True)
    if _COROUTINES in text:
        builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=0))
        builder.getModulePassManager().run(parsed, builder)
    engine = llvm.create_mcjit_compiler(parsed, machine)
    engine.finalize_object()
    return engine, keep


def _runtime(owner: HostFunction) -> dict[str, Any]:
    """malloc and the runtime's functions, as ctypes callbacks."""
    pointer, i32, size = ctypes.c_void_p, ctypes.c_int32, ctypes.c_size_t

    def allocate(nbytes: int, align: int = 0) -> int:
        return owner.memory.allocate(nbytes)

    def release(address: int | None) -> None:
        owner.memory.free(address or 0)

    def show(value: int, text: int, index: int, x: int, y: int, z: int) -> None:
        print(printed(ctypes.string_at(text).decode(), value, index, (x, y, z)))

    def fail(text: int, x: int, y: int, z: int) -> None:
        owner.failure = owner.failure or AssertionFailed(ctypes.string_at(text).decode(), (x, y, z))

    i64 = ctypes.c_int64
    return {
        "hexmlir_rt_print": ctypes.CFUNCTYPE(None, i64, pointer, *[i32] * 4)(show),
        "hexmlir_rt_assert_failed": ctypes.CFUNCTYPE(None, pointer, i32, i32, i32)(fail),
        "hexmlir_rt_pointer": ctypes.CFUNCTYPE(pointer, ctypes.c_uint64)(lambda a: owner.shared.resolved(a)),
        **owner.tasks.functions(),
        **owner.dma.functions(),
        **owner.matrix_engine.functions(),
        "malloc": ctypes.CFUNCTYPE(pointer, size)(allocate),
        "free": ctypes.CFUNCTYPE(None, pointer)(release),
        "aligned_alloc": ctypes.CFUNCTYPE(pointer, size, size)(lambda align, nbytes: allocate(nbytes)),
        "hexmlir_rt_tcm_alloc": ctypes.CFUNCTYPE(pointer, i32, i32)(allocate),
        "hexmlir_rt_tcm_free": ctypes.CFUNCTYPE(None, pointer)(release),
        "hexmlir_tcm_slot": ctypes.CFUNCTYPE(pointer, pointer)(lambda address: address),
        "hexmlir_frame_pointer": ctypes.CFUNCTYPE(pointer, pointer)(lambda address: address),
    }
