"""Programs whose transfers and tasks are waited for: linalg in tiles, as the TCM is said to be small, and examples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from stage_cases import example
from tiled_programs import CASES, small_target

from bench.combinations import kernels
from hexagon_mlir import targets
from hexagon_mlir.codegen import compile_module
from hexagon_mlir.exec import sim
from hexagon_mlir.ir import parse


@dataclass(frozen=True)
class Program:
    """MLIR of a function f; a call compiles it for ``tcm`` bytes of TCM, launches it and compares the values."""

    text: str
    arguments: list[np.ndarray]
    expected: np.ndarray
    tcm: int

    def __call__(self) -> None:
        compiled = compile_module(parse(self.text), small_target(self.tcm))
        result = np.zeros(self.expected.shape, np.float32)
        sim.launch(compiled.asm, "f", [*(a.copy() for a in self.arguments), result], target=targets.DEFAULT)
        scale = 1 + np.abs(self.expected).max()
        np.testing.assert_allclose(result, self.expected, rtol=0, atol=2e-5 * scale)


def programs() -> dict[str, Callable[[], None]]:
    """Groups with reductions and carried accumulators, and the elementwise kernels of the paper, ragged."""
    found: dict[str, Callable[[], None]] = {
        name: Program(*case, tcm=tcm) for name, (case, tcm) in CASES.items()}
    for kernel, shape, tcm in zip(kernels(), ((7, 3001), (20003,), (30011,), (5, 4099)),
                                  (64 << 10, 32 << 10, 48 << 10, 24 << 10), strict=True):
        small = replace(kernel, shape=shape)
        inputs = [np.random.default_rng(n).normal(0, 1, shape).astype(np.float32) for n in range(kernel.inputs)]
        found[kernel.name] = Program(small.text, inputs, kernel.expected(*inputs), tcm)
    return found


def examples() -> dict[str, Callable[[], None]]:
    """The Triton examples on small ragged shapes, against PyTorch; each call loads the module anew, to be compiled."""
    import torch
    from torch.nn import functional

    def rand(*shape: int) -> torch.Tensor:
        return torch.randn(*shape, generator=torch.Generator().manual_seed(sum(shape)))

    def close(name: str, *arguments: Any, expected: Any, backward: bool = False, **options: Any) -> None:
        given = [a.requires_grad_(backward) if isinstance(a, torch.Tensor) else a for a in arguments]
        got = example(name).run(*given, **options)
        torch.testing.assert_close(got, expected, rtol=1e-4, atol=1e-4)
        if backward:
            got.backward(torch.ones_like(got))

    x, rows, weight = rand(3001), rand(13, 200), rand(200)
    a, b = rand(45, 70), rand(70, 33)
    q, k, v = (rand(1, 45, 16) * scale for scale in (1, 2, 3))
    pairs = [(a, b), (rand(5, 9), rand(9, 40))]
    return {
        "vector_add": partial(close, "vector_add", x, x.flip(0), 512, expected=x + x.flip(0)),
        "gelu": partial(close, "gelu", x, 512, expected=functional.gelu(x, approximate="tanh")),
        "dropout": partial(close, "dropout", x, 0.0, 7, 512, expected=x),
        "libdevice": lambda: close("libdevice", x.tanh(), 512, expected=example("libdevice").expected(x.tanh())),
        "softmax": partial(close, "softmax", rows, expected=torch.softmax(rows, 1)),
        "rms_norm": partial(close, "rms_norm", rows, weight, expected=functional.rms_norm(rows, (200,), weight, 1e-6)),
        "layer_norm": partial(close, "layer_norm", rows.clone(), weight.clone(), weight.flip(0), backward=True,
                              expected=functional.layer_norm(rows, (200,), weight, weight.flip(0))),
        "matmul": partial(close, "matmul", a, b, expected=a @ b),
        "persistent_matmul": partial(close, "persistent_matmul", rand(50, 72), rand(37, 72), 3,
                                     expected=rand(50, 72) @ rand(37, 72).t()),
        "grouped_matmul": partial(close, "grouped_matmul", pairs, expected=[a @ b for a, b in pairs]),
        "attention": partial(close, "attention", q.clone(), k.clone(), v.clone(), True, backward=True,
                             expected=functional.scaled_dot_product_attention(q, k, v, is_causal=True)),
    }
