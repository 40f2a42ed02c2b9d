"""Runs layers of Qwen3-0.6B with random weights on one token, and compares their cycles with the DDR bound.

    python bench/decode.py                              # one layer, caches of 256 tokens, f16, weights of 4 bits
    python bench/decode.py --context 4096 --dtype f32
    python bench/decode.py --layers 28 --vocabulary 151936    # the whole model: a minute or two

The bound is the time in which DMA moves the weights of all products and the keys and values that the token sees. The
head has 64 columns instead of 151,936 if nothing else is said, and its codes are those of the embedding. What is
required of all layers is printed beside what they reach, and published rates of the whole model beside the rate of 28
such layers.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from pathlib import Path
from typing import Any

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.gpt2 import kernel_rows
from bench.tables import show, table
from hexagon_mlir.dialects.block_weights import codes_shape, scales_shape
from hexagon_mlir.dialects.engine_tiles import TILE
from hexagon_mlir.frontend.llm.block_layers import BlockEmbedding, BlockLinear
from hexagon_mlir.frontend.llm.config import DecoderConfig
from hexagon_mlir.frontend.llm.decoder import Decoder, RmsNorm
from hexagon_mlir.frontend.llm.model import DTYPES, CausalLM
from hexagon_mlir.frontend.torch.stored_weights import StoredWeights

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
          vocabulary: int = 64) -> CausalLM:
    """``layers`` with weights of 4 bits and caches of ``context`` tokens, all but one of them filled."""
    torch.manual_seed(0)
    config = DecoderConfig(vocabulary=vocabulary, width=width, layers=layers, heads=heads, groups=heads // 2, depth=128,
                           hidden=hidden, context=context, norm_heads=True)
    decoder, generator = Decoder(config, context, DTYPES[dtype], device="meta"), torch.Generator().manual_seed(0)
    for module in list(decoder.modules()):
        for name, child in module.named_children():
            if isinstance(child, torch.nn.Linear):
                setattr(module, name, BlockLinear(random_codes(*child.weight.shape, DTYPES[dtype], generator)))
            elif isinstance(child, RmsNorm):
                child.weight = torch.nn.Parameter(torch.ones(child.weight.shape, dtype=DTYPES[dtype]), False)
    head: Any = decoder.head
    decoder.embedding = BlockEmbedding(head.stored)
    for one in decoder.layers:
        one.attention.keys.normal_()
        one.attention.values.normal_()
    model = CausalLM(decoder, chunk=min(32, context))
    model.place = context - 1
    return model


def random_codes(rows: int, width: int, dtype: torch.dtype, generator: torch.Generator) -> StoredWeights:
    """Weights of 4 bits; a row of them times a column of standard normal values is about one."""
    codes = torch.randint(0, 256, codes_shape(rows, width, TILE, 4), dtype=torch.uint8, generator=generator)
    scales = (torch.rand(scales_shape(rows, width, TILE), generator=generator) + 0.5) / width**0.5 / 8
    return StoredWeights(codes.view(torch.int8), scales.half(), rows, width, dtype)


def main() -> None:
    """Compile, run and print."""
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--context", type=int, default=256)
    parser.add_argument("--dtype", choices=sorted(DTYPES), default="f16")
    parser.add_argument("--layers", type=int, default=1)
    parser.add_argument("--vocabulary", type=int, default=64)
    options = parser.parse_args()
    model = layer(options.context, options.dtype, options.layers, vocabulary=options.vocabulary)
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
    head = f"with a head of {options.vocabulary:,} columns"
    print(f"{LAYERS} such layers, {head}: {decode.tokens_per_second * options.layers / LAYERS:,.0f} tokens/s "
          "at the target's clock; published, of the whole model:")
    for source, rate in PUBLISHED:
        print(f"  {source}: {rate:,.1f} tokens/s")


if __name__ == "__main__":
    main()
