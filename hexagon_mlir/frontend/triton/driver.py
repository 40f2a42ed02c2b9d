"""Triton's driver side: CPU tensors in and out, launches on the simulator."""

from __future__ import annotations

import time
from typing import Any

from triton.backends.compiler import GPUTarget
from triton.backends.driver import DriverBase

from hexagon_mlir.frontend.triton.compiler import DEFAULT_ARCH

_STREAM = 0


class _Utils:
    """Properties of the device for Triton, and the loading of binaries."""

    def get_device_properties(self, device: int) -> dict[str, int]:
        return {"max_shared_mem": 1 << 30, "multiprocessor_count": 1}

    def load_binary(self, name: str, kernel: bytes, shared: int, device: int) -> tuple[Any, Any, int, int, int]:
        # registers, spills and threads are limits of GPUs: report room for any launch
        return kernel, kernel, 0, 0, 1 << 30

    def unload_module(self, module: Any) -> None:
        pass


class Launcher:
    """Runs one compiled kernel; Triton calls it with the grid and all bound arguments."""

    def __init__(self, source: Any, metadata: Any):
        self.name = metadata.name
        self.arch = metadata.arch
        self.seconds = getattr(metadata, "compile_seconds", 0.0)
        self.labels, self.kinds = [str(name) for name in source.signature], list(source.signature.values())
        self.sized = _specializations(metadata)

    def __call__(self, gx: int, gy: int, gz: int, stream: int, function: bytes, packed: Any, launch_metadata: Any,
                 enter_hook: Any, exit_hook: Any, *args: Any) -> None:
        from hexagon_mlir.frontend.triton.launch import launch_kernel

        if enter_hook is not None:
            enter_hook(launch_metadata)
        launch_kernel(self.name, function, self.arch, (gx, gy, gz), self.kinds, args, self.labels,
                      self.seconds, self.sized)
        if exit_hook is not None:
            exit_hook(launch_metadata)


def _specializations(metadata: Any) -> Any:
    """The programs for different sizes of a kernel with loops that add up products; None for any other."""
    if not getattr(metadata, "sizes", None):
        return None
    from hexagon_mlir.frontend.triton.specialization import Specializations
    from hexagon_mlir.settings import Settings

    return Specializations(metadata.linalg, metadata.sizes, metadata.arch, metadata.pipeline, Settings.of(metadata))


class HexagonDriver(DriverBase):
    """The device as Triton sees it. Never chosen by itself on a machine that has a GPU."""

    launcher_cls = Launcher

    def __init__(self) -> None:
        super().__init__()
        self.utils = _Utils()

    @classmethod
    def is_active(cls) -> bool:
        return True

    def map_python_to_cpp_type(self, ty: str) -> str:
        return ty

    def get_current_target(self) -> GPUTarget:
        return GPUTarget("hexagon", DEFAULT_ARCH, 1)

    def get_active_torch_device(self) -> Any:
        import torch

        return torch.device("cpu")

    def get_current_device(self) -> int:
        """One number per executor: Triton keeps compiled kernels by device."""
        from hexagon_mlir.frontend.triton.lower import EXECUTORS, executor

        return EXECUTORS.index(executor())

    def set_current_device(self, device: int) -> None:
        pass

    def get_current_stream(self, device: int | None = None) -> int:
        return _STREAM

    def get_device_interface(self) -> Any:
        from hexagon_mlir.frontend.triton.clock import DeviceInterface

        return DeviceInterface

    def get_benchmarker(self) -> Any:
        return _benchmark

    def get_empty_cache_for_benchmark(self) -> Any:
        return None

    def clear_cache(self, cache: Any) -> None:
        pass


def _benchmark(call: Any, quantiles: list[float] | None = None, **_: Any) -> Any:
    """Cycles of one launch, as milliseconds of the simulated clock; wall time when nothing was launched."""
    from hexagon_mlir.exec.sim import SESSION

    start = time.perf_counter()
    with SESSION.recording() as records:
        call()
    milliseconds = (time.perf_counter() - start) * 1e3
    if records:
        milliseconds = sum(record.milliseconds for record in records)
    return [milliseconds] * len(quantiles) if quantiles else milliseconds
