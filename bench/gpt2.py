"""Runs a whole GPT-2, 124 million parameters with random values, on a prompt, and compares it with eager PyTorch.

    python bench/gpt2.py                            # 512 tokens in mixed precision
    python bench/gpt2.py --numerics f32             # about a billion simulated cycles: minutes
    python bench/gpt2.py --tokens 32 --layers 2

It prints cycles, the largest difference of a logit from eager PyTorch in f32, at how many positions the likeliest token
is the same, and the kernels, equal calls together.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections import Counter
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import hexagon_mlir as hx
from bench.corpus.model_zoo import Gpt2
from bench.tables import show, table
from hexagon_mlir.exec.sim import LaunchRecord

_VOCABULARY = 50257


def kernel_rows(launches: list[LaunchRecord]) -> list[tuple[str, int, int, float]]:
    """Name, calls, cycles of all calls and share of them in which the matrix engine's multiplier array works."""
    calls, cycles, array = Counter[str](), Counter[str](), Counter[str]()
    for launch in launches:
        calls[launch.kernel] += 1
        cycles[launch.kernel] += launch.result.cycles
        if launch.result.matrix is not None:
            array[launch.kernel] += launch.result.matrix.array_cycles
    return [(name, count, cycles[name], array[name] / cycles[name]) for name, count in calls.items()]


def run(numerics: str, tokens: int = 512, layers: int = 12) -> tuple[hx.CompiledModel, torch.Tensor, torch.Tensor]:
    """The model after its run on a prompt of ``tokens``, its logits, and those of eager PyTorch in f32."""
    torch.manual_seed(0)
    module, prompt = Gpt2(layers).eval(), torch.randint(0, _VOCABULARY, (1, tokens))
    with torch.no_grad():
        model = hx.compile(torch.export.export(module, (prompt,)), numerics=numerics)
        return model, model(prompt), module(prompt)


def same_tokens(got: torch.Tensor, expected: torch.Tensor) -> float:
    """At what part of the positions the likeliest token is the same."""
    return float((got.argmax(-1) == expected.argmax(-1)).double().mean())


def main() -> None:
    """Compile, run, compare and print."""
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--numerics", default="mixed")
    parser.add_argument("--tokens", type=int, default=512)
    parser.add_argument("--layers", type=int, default=12)
    options = parser.parse_args()
    model, got, expected = run(options.numerics, options.tokens, options.layers)
    grid = table(f"GPT-2, {options.layers} layers, {options.tokens} tokens, {options.numerics}, v75, simulated",
                 ("kernel", "calls", "cycles", "of the engine's rate"))
    for name, calls, cycles, share in kernel_rows(model.last_run.launches):
        grid.add_row(name, str(calls), f"{cycles:,}", f"{share:.0%}")
    show(grid, 120)
    print(f"{model.last_run.cycles:,} cycles; largest difference {(got - expected).abs().max():.1e} of logits up to "
          f"{expected.abs().max():.2f}; the same token at "
          f"{same_tokens(got, expected):.2%} of {options.tokens} positions")


if __name__ == "__main__":
    main()
