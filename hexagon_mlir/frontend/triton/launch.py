"""One kernel launch: Triton's bound arguments to the executor's."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from hexagon_mlir.codegen.interface import launch_grid
from hexagon_mlir.frontend.triton.lower import executor
from hexagon_mlir.frontend.triton.pointers import element_bytes, pointed
from hexagon_mlir.ir.diagnostics import HexError

if TYPE_CHECKING:
    from hexagon_mlir.frontend.triton.specialization import Specializations


def launch_kernel(name: str, binary: bytes, arch: str, grid: tuple[int, int, int], kinds: Sequence[Any],
                  args: Sequence[Any], labels: Sequence[str], compile_seconds: float = 0.0,
                  sized: Specializations | None = None) -> None:
    """Run kernel ``name``. ``kinds`` are Triton's type names (``*fp32``, ``i64``, ``constexpr``), nested in tuples;
    ``labels`` name the arguments in messages. ``sized`` has the programs that the simulator runs instead of ``binary``.
    """
    grid = launch_grid(name, grid)
    pairs = list(_flat(kinds, args, [f"{name}: argument '{label}'" for label in labels]))
    if executor() == "host":
        _host_function(name, binary)([_host_argument(arg, kind) for arg, kind in pairs], grid)
        return
    arguments, names = [arg for arg, _ in pairs], [kind for _, kind in pairs]
    if executor() == "qemu":
        from hexagon_mlir.exec import qemu

        qemu.run(binary, qemu.runs(arch)[0], arguments, names, grid)
        return
    from hexagon_mlir.exec.sim import launch

    if sized is not None and (found := sized.binary(arguments)) is not None:
        binary, compile_seconds = found.content, compile_seconds + found.seconds
    launch(binary.decode(), name, arguments, grid, arch, names, compile_seconds)


def _flat(kinds: Sequence[Any], args: Sequence[Any], labels: Sequence[str]) -> Iterator[tuple[Any, str]]:
    """(argument, type name) of what is passed at run time."""
    for kind, arg, label in zip(kinds, args, labels, strict=True):
        if isinstance(kind, tuple):
            yield from _flat(kind, arg, [label] * len(kind))
        elif isinstance(kind, str) and kind.startswith("tensordesc"):
            yield from _described(arg, kind, label)
        elif kind != "constexpr":
            yield (pointed(arg, label) if kind.startswith("*") else arg), kind


def _described(descriptor: Any, kind: str, label: str) -> Iterator[tuple[Any, str]]:
    """A tensor descriptor as the kernel takes it: its base, then sizes, then strides."""
    if not hasattr(descriptor, "block_shape"):
        raise HexError.plain(f"{label} is a descriptor, given as {type(descriptor).__name__}", origin="launch",
                             hint="pass a triton.tools.tensor_descriptor.TensorDescriptor")
    if descriptor.padding != "zero":
        raise HexError.plain(f"{label} is a descriptor with padding '{descriptor.padding}'", origin="launch",
                             hint="make the descriptor in the kernel, with tl.make_tensor_descriptor")
    element = kind.partition("<")[2].partition("[")[0]
    yield pointed(descriptor.base, label), f"*{element}"
    yield from ((size, "i32") for size in descriptor.shape)
    yield from ((stride, "i64") for stride in descriptor.strides)


@lru_cache(maxsize=32)
def _host_function(name: str, binary: bytes) -> Any:
    from hexagon_mlir.exec.host import HostFunction
    from hexagon_mlir.ir import parse

    return HostFunction(parse(binary, file="<linalg>"), name)


def _host_argument(arg: Any, kind: str) -> Any:
    """A tensor as an array of the pointer's elements, a view of all its storage from the first one on."""
    if not kind.startswith("*"):
        return arg
    size = element_bytes(kind)
    if isinstance(arg, np.ndarray):
        raw = arg
    else:
        storage = arg.untyped_storage()
        if not storage.nbytes():
            return np.zeros(0, f"u{size}")
        whole = np.ctypeslib.as_array((ctypes.c_uint8 * storage.nbytes()).from_address(storage.data_ptr()))
        raw = whole[arg.data_ptr() - storage.data_ptr():]
    return raw[:raw.size // size * size].view(f"u{size}")
