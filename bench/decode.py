"""Runs layers of Qwen3-0.6B with random weights on one token, and compares their cycles with the DDR bound.

    python bench/decode.py                              # one layer, caches of 256 tokens, f16, weights of 4 bits
    python bench/decode.py --context 4096 --dtype f32
    python bench/decode.py --layers 28                  # all layers: minutes, most of them to find codes and compile

The bound is the time in which DMA moves the weights of all products and the keys and values that the token sees. The
head has 64 columns instead of 151,936. What is required of all layers is printed beside what they reach, and published
rates of the whole model beside the rate of 28 such layers, without the head.
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
LAYERS = 28
"""Of Qwen3-0.6B."""
PUBLISHED = (
    ("v81, llama.cpp (pull request 21554)", 85.0),
    ("Ryzen 5900X, one thread, f16, nncase", 13.87), ("Ryzen 5900X, four threads, f16, nncase", 23.5),
    ("Ryzen 5900X, one thread, f16, llama.cpp", 17.21), ("Ryzen 5900X, four threads, f16, llama.cpp", 23.2),
)
"""Tokens per second of the whole Qwen3-0.6B, with its head."""


def layer(context: int, dtype: str, layers: int = 1, width: int = 1024, heads: int = 16, hidden: int = 3072,
          ) -> CausalLM:
    """``layers`` with weights of 4 bits and caches of ``context`` tokens, all but one of them filled."""
    torch.manual_seed(0)
    config = DecoderConfig(vocabulary=64, width=width, layers=layers, heads=heads, groups=heads // 2, depth=128,
                           hidden=hidden, context=context, norm_heads=True)
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
    parser.add_argument("--layers", type=int, default=1)
    options = parser.parse_args()
    model = layer(options.context, options.dtype, options.layers)
    model.scores([5])
    run, decode = model.program(1).last_run, model.decode
    assert run is not None
    what = "A layer" if options.layers == 1 else f"{options.layers} layers"
    grid = table(f"{what} of Qwen3-0.6B, {options.dtype}, weights of 4 bits, {options.context} tokens, v75, simulated",
                 ("kernel", "calls", "cycles"))
    for name, calls, cycles, _ in kernel_rows(list(run.launches)):
        grid.add_row(name, str(calls), f"{cycles:,}")
    show(grid, 120)
    print(f"{run.cycles:,} cycles, {run.ddr_bytes:,} bytes from and to DDR, {decode.needed_bytes:,} needed")
    print(f"share of the DDR bound: {decode.bound_share:.0%}, required of all {LAYERS} layers {REQUIRED:.0%}: "
          f"{'reached' if decode.bound_share >= REQUIRED else 'not reached'}")
    print(f"{LAYERS} such layers, without the head: {decode.tokens_per_second * options.layers / LAYERS:,.0f} tokens/s "
          "at the target's clock; published, of the whole model:")
    for source, rate in PUBLISHED:
        print(f"  {source}: {rate:,.1f} tokens/s")


if __name__ == "__main__":
    main()
