"""Weights of each scheme stay as many bytes as the scheme says, and products are those of the dequantized weights."""

from collections import Counter

import pytest
import torch

import hexagon_mlir as hx
from bench import weight_schemes
from hexagon_mlir.frontend.llm.block_layers import BlockLinear

pytestmark = pytest.mark.only_values

SIZE = 256
WEIGHTS, BLOCKS = SIZE * SIZE, SIZE * SIZE // 32
NBYTES = {
    "f32": 4 * WEIGHTS, "f16": 2 * WEIGHTS,
    # the scales of the channels, and the sums of the weights of each, for the zero points of rows
    "int8 per channel, dynamic int8 rows (torchao)": WEIGHTS + 8 * SIZE,
    # ones, f16, for each 128 of a channel, and the scales of the channels
    "int8 per channel (torchao)": WEIGHTS + WEIGHTS // 128 * 2 + 4 * SIZE,
    "int8 per channel, f16 rows (torchao)": WEIGHTS + WEIGHTS // 128 * 2 + 2 * SIZE,
    "int4 in 32 (torchao)": WEIGHTS // 2 + 4 * BLOCKS,
    "int4 in 32, zero points (torchao)": WEIGHTS // 2 + 5 * BLOCKS,
    "int4 in 128, zero points (GPTQ)": WEIGHTS // 2 + 3 * WEIGHTS // 128,
    "Q4_0 (GGUF)": WEIGHTS // 2 + 2 * BLOCKS, "Q8_0 (GGUF)": WEIGHTS + 2 * BLOCKS,
    "MXFP4 (GGUF)": WEIGHTS // 2 + BLOCKS, "Q4_1 (GGUF)": WEIGHTS // 2 + 4 * BLOCKS,
    # scales and minima are bytes, of 32 and 16 weights, and f16 of 256
    "Q4_K (GGUF)": WEIGHTS // 2 + 2 * BLOCKS + 4 * BLOCKS // 8,
    "Q6_K (GGUF)": WEIGHTS * 6 // 8 + 2 * BLOCKS + 2 * BLOCKS // 8,
}


def test_all_schemes_are_here():
    assert set(NBYTES) == set(weight_schemes.MODELS)


STORED = ("Q4_0 (GGUF)", "Q4_1 (GGUF)", "Q8_0 (GGUF)", "Q4_K (GGUF)", "Q6_K (GGUF)", "MXFP4 (GGUF)",
          "int4 in 128, zero points (GPTQ)")
"""Bytes and values of these are in `test_stored_weights` too."""


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.full] * (name in STORED)) for name in NBYTES])
def test_bytes_and_values(name):
    model = weight_schemes.MODELS[name](size=SIZE)
    dtype = torch.float16 if "f16" in name else torch.float32
    x = torch.randn(3, SIZE, generator=torch.Generator().manual_seed(4)).to(dtype)
    with torch.no_grad():
        program = torch.export.export(model, (x,))
        weight = model.stored.matrix().T if isinstance(model, BlockLinear) else model[0].weight
        weight = (weight.dequantize() if hasattr(weight, "dequantize") and type(weight) is not torch.nn.Parameter
                  else weight).double()
    compiled = hx.compile(program)
    found = compiled(x).double()
    assert weight_schemes.constant_bytes(compiled) == NBYTES[name]
    sizes = x.double().abs() @ weight.abs().T
    off = (found - x.double() @ weight.T).abs()
    if "dynamic" in name:
        step = x.abs().amax(1, keepdim=True) / 127  # rows of bytes: half a step of each number
        sizes, bound = (0.505 * step * weight.abs().sum(1)).double(), 1.0
    else:
        bound = 2.0**-10 if dtype == torch.float16 else 2.0**-20
    assert bool((off <= bound * sizes).all())


class AfterSoftmax(torch.nn.Module):
    """A product whose rows are computed in its kernel."""

    def __init__(self, name, size):
        super().__init__()
        self.layer = weight_schemes.MODELS[name](size=size)

    def forward(self, x):
        return self.layer(torch.softmax(x, -1))


def test_all_parts_of_four_tiles_can_be_fetched_ahead():
    """Of codes, scales and minima, and of their factors: what a kernel fetched itself would come after all tiles that
    it starts for later kernels."""
    program = torch.export.export(AfterSoftmax("Q4_K (GGUF)", 1024).eval(), (torch.randn(1, 1024),))
    kernel, = hx.compile(program).schedule.kernels
    assert Counter(tile.argument for tile in kernel.memory.tiles) == {1: 4, 2: 4, 3: 4, 4: 4, 5: 4}
