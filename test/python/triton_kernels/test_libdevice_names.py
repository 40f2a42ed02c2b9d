"""Every name and overload of CUDA's table of ``libdevice``: translated, or an error with a hint."""

import ast
import importlib.util
from functools import cache
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from triton.compiler.errors import CompilationError
from triton.language.extra import libdevice

from hexagon_mlir import targets
from hexagon_mlir.frontend.triton.kernel import from_kernel
from hexagon_mlir.ir import make_context, parse
from hexagon_mlir.pass_infra import PassContext, PassStep
from hexagon_mlir.pass_infra.registry import get

TABLE = Path(triton.__file__).parent / "language" / "extra" / "cuda" / "libdevice.py"
SHORT = {"int32": "i32", "int64": "i64", "uint32": "u32", "uint64": "u64"}
IN_F32 = {"j0", "j1", "jn", "y0", "y1", "yn", "cyl_bessel_i0", "cyl_bessel_i1", "erfinv", "erfcinv", "erfcx", "normcdf",
          "normcdfinv", "lgamma", "tgamma"}
"""Not for f64 numbers."""


@cache
def overloads() -> dict[str, dict[tuple[str, ...], str]]:
    """Name -> types of the operands -> type of the result."""
    found = {}
    for function in ast.parse(TABLE.read_text()).body:
        if isinstance(function, ast.FunctionDef):
            tables = [node for node in ast.walk(function) if isinstance(node, ast.Dict)]
            found[function.name] = {tuple(e.args[0].value for e in key.elts): value.elts[1].args[0].value
                                    for table in tables for key, value in zip(table.keys, table.values, strict=True)}
    return found


@pytest.fixture(scope="module")
def kernels(tmp_path_factory) -> ModuleType:
    """A module with a kernel for each name, which calls it with elements from memory."""
    lines = ["import triton", "import triton.language as tl", "from triton.language.extra import libdevice"]
    for name, forms in overloads().items():
        names = [f"x{n}" for n in range(len(next(iter(forms))))]
        lines += ["@triton.jit", f"def {name}({', '.join(names)}, out):",
                  f"    tl.store(out, libdevice.{name}({', '.join(f'tl.load({n})' for n in names)}))"]
    file = tmp_path_factory.mktemp("libdevice") / "every_function.py"
    file.write_text("\n".join(lines))
    spec = importlib.util.spec_from_file_location("every_function", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _causes(error: BaseException | None) -> str:
    """What ``error`` and those that led to it say: Triton's carry the place alone."""
    texts = []
    while error is not None:
        texts.append(str(error))
        error = error.__cause__
    return "\n".join(texts)


def test_every_overload(kernels):
    translate, context, count = PassStep(get("triton-to-linalg")()), PassContext(targets.get()), 0
    of_all = make_context()
    for name, forms in overloads().items():
        for operands, result in forms.items():
            kinds = [f"*{SHORT.get(kind, kind)}" for kind in (*operands, result)]
            signature = dict(zip([*(f"x{n}" for n in range(len(operands))), "out"], kinds, strict=True))
            count += 1
            if name in IN_F32 and "fp64" in operands:
                with pytest.raises(CompilationError) as error:
                    from_kernel(getattr(kernels, name), signature, {})
                assert "hint: convert the argument with .to(tl.float32)" in _causes(error.value), name
            else:
                translate.run(parse(from_kernel(getattr(kernels, name), signature, {}), context=of_all), context)
    assert count > 300


@triton.jit
def mixed(x, n, out):
    tl.store(out, libdevice.atan2(tl.load(x), tl.load(n)))


def test_what_is_no_overload_is_told_which_there_are():
    with pytest.raises(CompilationError, match=r"libdevice.atan2\(fp32, int32\) is none of its forms; hint: it takes"):
        from_kernel(mixed, {"x": "*fp32", "n": "*i32", "out": "*fp32"}, {})


@triton.jit
def of_doubles(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    tl.store(out + i, libdevice.asinh(a))
    tl.store(out + N + i, libdevice.acosh(a))
    tl.store(out + 2 * N + i, libdevice.atanh(1 / a))
    tl.store(out + 3 * N + i, libdevice.cbrt(a))
    tl.store(out + 4 * N + i, libdevice.erf(a))
    tl.store(out + 5 * N + i, libdevice.erfc(a))
    tl.store(out + 6 * N + i, libdevice.sinpi(a))
    tl.store(out + 7 * N + i, libdevice.exp10(a))
    tl.store(out + 8 * N + i, libdevice.rcbrt(a))


def test_doubles_on_the_machine(monkeypatch):
    """Where LLVM has no operation, the C library's functions are called."""
    monkeypatch.setenv("HEXMLIR_EXECUTOR", "sim")
    x = torch.linspace(1.01, 9, 32, dtype=torch.float64)
    out = torch.zeros(9, 32, dtype=torch.float64)
    of_doubles[(1,)](x, out, 32)
    y = x.numpy()
    expected = [np.arcsinh(y), np.arccosh(y), np.arctanh(1 / y), np.cbrt(y), torch.erf(x).numpy(),
                torch.erfc(x).numpy(), np.sin(np.pi * y), 10.0**y, 1 / np.cbrt(y)]
    np.testing.assert_allclose(out.numpy(), expected, rtol=1e-13, atol=1e-14)
