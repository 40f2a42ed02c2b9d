"""Triton's compiler side: the stages ttir -> linalg -> hexasm of one kernel."""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from triton.backends.compiler import BaseBackend, GPUTarget, Language

from hexagon_mlir.interpreter import uncollected
from hexagon_mlir.settings import Settings

DEFAULT_ARCH = "v75"


@dataclass(frozen=True)
class HexagonOptions(Settings):
    """Options of a launch, besides the kernel arguments. ``arch`` (Triton's word for the target), ``pipeline`` and
    the fields of `hexagon_mlir.settings.Settings` are ours and as in `hexagon_mlir.compile`.

    The other options are read by Triton's front end; warps, stages and CTAs mean nothing here and are accepted so that
    kernels tuned for GPUs still run.
    """

    arch: str = DEFAULT_ARCH
    pipeline: str = "default"
    num_warps: int = 1
    num_ctas: int = 1
    num_stages: int = 1
    warp_size: int = 1
    enable_fp_fusion: bool = True
    launch_cooperative_grid: bool = False
    supported_fp8_dtypes: tuple[str, ...] = ("fp8e5", "fp8e4nv")
    deprecated_fp8_dot_operand_dtypes: tuple[str, ...] = ()
    default_dot_input_precision: str = "ieee"
    allowed_dot_input_precisions: tuple[str, ...] = ("ieee", "tf32", "tf32x3")
    max_num_imprecise_acc_default: int = 0
    extern_libs: dict[str, str] | None = None
    debug: bool = False
    backend_name: str = "hexagon"
    sanitize_overflow: bool = False
    instrumentation_mode: str = ""
    fpsan_homomorphic_casts: bool = False
    ir_override: str | None = None

    def hash(self) -> str:
        """Part of Triton's cache key."""
        text = "_".join(f"{field.name}-{getattr(self, field.name)}" for field in fields(self))
        return hashlib.sha256(text.encode()).hexdigest()


class HexagonBackend(BaseBackend):
    """Compiles one kernel; Triton calls the stages in order and caches what each returns."""

    binary_ext = "hexasm"

    @staticmethod
    def supports_target(target: GPUTarget) -> bool:
        return target.backend in ("hexagon", "cpu")  # Inductor asks for the CPU when told to emit Triton for it

    def hash(self) -> str:
        from hexagon_mlir.frontend.triton.lower import executor  # determines the output of the last stage

        return f"hexagon-{source_hash()}-{self.target.arch}-{executor()}"

    def parse_options(self, options: dict[str, Any]) -> HexagonOptions:
        known = {field.name for field in fields(HexagonOptions)}
        given = {name: value for name, value in options.items() if name in known and value is not None}
        # overflow checks fill the IR with 64-bit arithmetic: only on explicit request
        arch = self.target.arch if self.target.backend == "hexagon" else DEFAULT_ARCH
        return HexagonOptions(**{"arch": str(arch), **given})

    def pack_metadata(self, metadata: Any) -> tuple[str, str]:
        return metadata.name, metadata.arch

    def get_codegen_implementation(self, options: HexagonOptions) -> dict[str, Any]:
        return {"min_dot_size": lambda lhs, rhs: (1, 1, 1)}

    def get_module_map(self) -> dict[str, ModuleType]:
        from hexagon_mlir.frontend.triton import libdevice

        return {"triton.language.extra.libdevice": libdevice}

    def load_dialects(self, context: Any) -> None:
        pass

    def add_stages(self, stages: dict[str, Any], options: HexagonOptions, language: Language) -> None:
        stages["ttir"] = _make_ttir
        stages["linalg"] = lambda module, metadata: _make_linalg(module, metadata, options)
        stages["hexasm"] = lambda text, metadata: _make_asm(text, metadata, options)


@uncollected()
def _make_ttir(module: Any, metadata: dict[str, Any]) -> Any:
    from hexagon_mlir.frontend.triton.ttir import optimize

    optimize(module)
    return module


@uncollected()
def _make_linalg(module: Any, metadata: dict[str, Any], options: HexagonOptions) -> str:
    from hexagon_mlir.frontend.triton.lower import PrintedText, to_linalg
    from hexagon_mlir.frontend.triton.specialization import sizes_of_loops
    from hexagon_mlir.frontend.triton.ttir import generic_text

    start = time.perf_counter()
    metadata["name"] = module.get_entry_func_name()
    metadata["shared"] = 0  # TCM is planned by our own passes
    linalg = to_linalg(generic_text(module), options.arch)
    metadata["sizes"] = sizes_of_loops(linalg, options.arch, Settings.of(options))
    text = PrintedText.of(linalg)
    metadata["linalg"] = text if metadata["sizes"] else ""
    metadata["compile_seconds"] = time.perf_counter() - start
    return text


@uncollected()
def _make_asm(text: str, metadata: dict[str, Any], options: HexagonOptions) -> bytes:
    from hexagon_mlir.frontend.triton.lower import to_binary

    start = time.perf_counter()
    binary = to_binary(text, options.arch, options.pipeline, Settings.of(options))
    metadata["compile_seconds"] = metadata.get("compile_seconds", 0.0) + time.perf_counter() - start
    return binary


@cache
def source_hash() -> str:
    """A hash over every Python source of the package, passes included: a changed compiler recompiles kernels."""
    import hexagon_mlir
    import hexagon_mlir.dialects
    import hexagon_mlir.passes

    digest = hashlib.sha256()
    for package in (hexagon_mlir, hexagon_mlir.passes, hexagon_mlir.dialects):
        for file in sorted(Path(package.__path__[0]).rglob("*.py")):
            digest.update(file.read_bytes())
    return digest.hexdigest()[:16]
