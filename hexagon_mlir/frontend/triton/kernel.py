"""Generic-form TTIR of a kernel, without a launch."""

from __future__ import annotations

from typing import Any

import triton  # noqa: F401 - before what it imports itself, as a plug-in

from hexagon_mlir.frontend.triton.compiler import HexagonBackend
from hexagon_mlir.frontend.triton.ttir import generic_text, optimize


def from_kernel(kernel: Any, signature: dict[str, str], constexprs: dict[str, Any] | None = None,
                arch: str = "v75") -> str:
    """Generic-form TTIR of a ``@triton.jit`` kernel.

    ``signature`` maps argument names to Triton types (``*fp32``, ``i32``, ``constexpr``), ``constexprs`` gives the
    values of the latter.
    """
    from triton._C.libtriton import ir as triton_ir
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    constexprs = constexprs or {}
    types = {name: signature.get(name, "constexpr") for name in kernel.arg_names}
    target = GPUTarget("hexagon", arch, 1)
    backend = HexagonBackend(target)
    options = backend.parse_options({})
    context = triton_ir.context()
    triton_ir.load_dialects(context)
    source = ASTSource(fn=kernel, signature=types, constexprs=constexprs)
    module = source.make_ir(target, options, backend.get_codegen_implementation(options), backend.get_module_map(),
                            context)
    optimize(module)
    return generic_text(module)
