"""Runs one layer of Qwen3-4B with weights of 4 bits on a prompt, and compares it with PyTorch in f64.

    python bench/qwen3.py                 # 512 tokens in mixed precision: minutes
    python bench/qwen3.py --tokens 64

Weights are random multiples of an f16 scale for 32 of a column. It prints the kernels with the share of the matrix
engine's rate that each reaches. The last line counts the products of weights alone, without attention, as for a
published run of the whole model (``bench/narrow_products.py``).
"""

from __future__ import annotations

import argparse
import sys
import warnings
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import hexagon_mlir as hx
from bench.corpus.model_zoo import LlamaBlock
from bench.gpt2 import kernel_rows
from bench.narrow_products import PUBLISHED, layer, narrow_weights
from bench.tables import show, table

WIDTH, HEADS, GROUPS, HIDDEN, DEPTH = 2560, 32, 8, 9728, 128
"""Of Qwen3-4B."""


def block() -> LlamaBlock:
    """A layer whose weights have 4 bits."""
    module = LlamaBlock(WIDTH, HEADS, GROUPS, HIDDEN, DEPTH, norm_heads=True).eval()
    generator = torch.Generator().manual_seed(0)
    for child in module.children():
        if isinstance(child, torch.nn.Linear):
            columns, depth = child.weight.shape
            child.weight.data = narrow_weights(depth, columns, generator).T.contiguous()
    return module


def run(tokens: int = 512) -> tuple[hx.CompiledModel, torch.Tensor, torch.Tensor]:
    """The layer after its run on ``tokens`` in mixed precision, its result, and that of PyTorch in f64."""
    torch.manual_seed(0)
    module, given = block(), torch.randn(1, tokens, WIDTH)
    with torch.no_grad():
        model = hx.compile(torch.export.export(module, (given,)), numerics="mixed")
        return model, model(given), module.double()(given.double())


def array(tokens: int = 512) -> float:
    """Cycles of the engine's multiplier array for the products of weights."""
    return sum(product.times * product.array for product in layer(tokens))


def main() -> None:
    """Compile, run, compare and print."""
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokens", type=int, default=512)
    options = parser.parse_args()
    model, got, expected = run(options.tokens)
    cycles = model.last_run.cycles
    grid = table(f"A layer of Qwen3-4B, weights of 4 bits, {options.tokens} tokens, mixed, v75, simulated",
                 ("kernel", "calls", "cycles", "of the engine's rate"))
    for name, calls, of_all, share in kernel_rows(model.last_run.launches):
        grid.add_row(name, str(calls), f"{of_all:,}", f"{share:.0%}")
    show(grid, 120)
    print(f"{cycles:,} cycles; the products of weights are {array(options.tokens) / cycles:.0%} of the engine's rate, "
          f"of the published run {PUBLISHED:.0%}; largest difference from f64 {(got - expected).abs().max():.1e} of "
          f"values up to {expected.abs().max():.2f}")


if __name__ == "__main__":
    main()
