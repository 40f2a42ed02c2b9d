"""Runs one layer of Qwen3-0.6B with random weights on one token, and compares its cycles with the DDR bound.

    python bench/decode.py                              # caches of 256 tokens, f16, weights of 4 bits
    python bench/decode.py --context 4096 --dtype f32

The bound is the time in which DMA moves the weights of all products and the keys and values that the token sees. A
rate for all layers is printed beside a published one: an estimate of 28 times this layer, without the head.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.gpt2 import kernel_rows
from bench.narrow_products import narrow_weights
from bench.tables import show, table
from hexagon_mlir.frontend.llm.config import DecoderConfig
from hexagon_mlir.frontend.llm.decoder import Decoder
from hexagon_mlir.frontend.llm.model import DTYPES, CausalLM

REQUIRED = 0.85
"""Of the DDR bound, with caches of 256 and of 4,096 tokens."""
LAYERS, PUBLISHED = 28, 85.0
"""Of Qwen3-0.6B; tokens per second of the whole model on v81 (llama.cpp pull request 21554)."""


def layer(context: int, dtype: str) -> CausalLM:
    """The layer with weights of 4 bits and caches of ``context`` tokens, all but one of them filled."""
    torch.manual_seed(0)
    config = DecoderConfig(vocabulary=64, width=1024, layers=1, heads=16, groups=8, depth=128, hidden=3072,
                           context=context, norm_heads=True)
    decoder, generator = Decoder(config, context, DTYPES[dtype]), torch.Generator().manual_seed(0)
    for module in decoder.modules():
        if isinstance(module, torch.nn.Linear):
            columns, depth = module.weight.shape
            module.weight.data = narrow_weights(depth, columns, generator).T.contiguous().to(DTYPES[dtype])
    for one in decoder.layers:
        one.attention.keys.normal_()
        one.attention.values.normal_()
    model = CausalLM(decoder, chunk=min(32, context))
    model.place = context - 1
    return model


def main() -> None:
    """Compile, run and print."""
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--context", type=int, default=256)
    parser.add_argument("--dtype", choices=sorted(DTYPES), default="f16")
    options = parser.parse_args()
    model = layer(options.context, options.dtype)
    model.scores([5])
    run = model.program(1).last_run
    grid = table(f"A layer of Qwen3-0.6B, {options.dtype}, weights of 4 bits, {options.context} tokens, v75, simulated",
                 ("kernel", "calls", "cycles"))
    for name, calls, cycles, _ in kernel_rows(run.launches):
        grid.add_row(name, str(calls), f"{cycles:,}")
    show(grid, 120)
    print(f"{run.cycles:,} cycles, {run.ddr_bytes:,} bytes from and to DDR, {model.decode.needed_bytes:,} needed; "
          f"{model.decode.bound_share:.0%} of the DDR bound, {REQUIRED:.0%} required")
    print(f"{LAYERS} such layers: {model.decode.tokens_per_second / LAYERS:,.0f} tokens/s at the target's clock, an "
          f"estimate without the head; published for v81: {PUBLISHED:.0f}")


if __name__ == "__main__":
    main()
