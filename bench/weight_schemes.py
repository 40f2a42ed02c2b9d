"""A product with 2048 x 2048 weights of each scheme: bytes of its constants, cycles cold from DDR, the error.

    python bench/weight_schemes.py            # the table of docs/models.md
    python bench/weight_schemes.py int8       # rows whose name holds a word
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import torch
import torchao.quantization as torchao
from torch import nn

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import hexagon_mlir as hx
from hexagon_mlir.frontend.llm.block_layers import BlockLinear
from hexagon_mlir.frontend.llm.gguf import GgufTensor
from hexagon_mlir.frontend.llm.gguf_blocks import SCHEMES
from hexagon_mlir.frontend.llm.packed_codes import PackedTensors

SIZE = 2048
ROWS = (1, 4)
_GGUF = {scheme.name: scheme for scheme in SCHEMES.values()}
_HALVES = {"Q4_0": (0,), "Q4_1": (0, 2), "Q8_0": (0,), "Q4_K": (0, 2), "Q6_K": (208,)}
"""Bytes of a block at which its f16 scales are."""


def plain(dtype: torch.dtype = torch.float32, size: int = SIZE) -> nn.Module:
    """Random weights."""
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(size, size, bias=False, dtype=dtype)).eval()


def of_torchao(config: object, dtype: torch.dtype = torch.float32, size: int = SIZE) -> nn.Module:
    """Quantized by torchao."""
    model = plain(dtype, size)
    torchao.quantize_(model, config)
    return model


def of_gguf(name: str, size: int = SIZE) -> nn.Module:
    """Weights of random blocks of a GGUF file, as they are read: codes."""
    scheme, generator = _GGUF[name], np.random.default_rng(0)
    blocks = generator.integers(0, 256, (size * size // scheme.weights_in_block, scheme.nbytes), np.uint8)
    for place in _HALVES.get(name, ()):
        scales = (0.01 * (1 + generator.random(len(blocks)))).astype(np.float16)
        blocks[:, place: place + 2] = scales.view(np.uint8).reshape(-1, 2)
    if name == "MXFP4":
        blocks[:, 0] = generator.integers(118, 124, len(blocks))
    stored = GgufTensor((size, size), scheme, blocks).stored(torch.float32)
    assert stored is not None
    return BlockLinear(stored).eval()


def of_gptq(size: int = SIZE, group: int = 128) -> nn.Module:
    """Random codes of GPTQ with zero points, as safetensors have them."""
    generator, top = torch.Generator().manual_seed(0), 1 << 31
    words = [torch.randint(-top, top, shape, generator=generator).to(torch.int32)
             for shape in ((size // 8, size), (size // group, size // 8))]
    scales = (0.01 * (1 + torch.rand(size // group, size, generator=generator))).half()
    tensors = {"a.qweight": words[0], "a.qzeros": words[1], "a.scales": scales}
    found = PackedTensors({"quantization_config": {"quant_method": "gptq"}}, tensors).find("a.weight", (size, size))
    assert found is not None
    stored = found.stored(torch.float32)
    assert stored is not None
    return BlockLinear(stored).eval()


def _int4(**options: object) -> object:
    """Four bits in groups of 32."""
    return torchao.IntxWeightOnlyConfig(weight_dtype=getattr(torch, "int4"),  # noqa: B009  (its stubs lack it)
                                        granularity=torchao.PerGroup(32), **options)


MODELS: dict[str, Callable[..., nn.Module]] = {
    "f32": plain,
    "f16": partial(plain, torch.float16),
    "int8 per channel, dynamic int8 rows (torchao)": partial(of_torchao,
                                                             torchao.Int8DynamicActivationInt8WeightConfig()),
    "int8 per channel (torchao)": partial(of_torchao, torchao.Int8WeightOnlyConfig()),
    "int8 per channel, f16 rows (torchao)": partial(of_torchao, torchao.Int8WeightOnlyConfig(), torch.float16),
    "int4 in 32 (torchao)": partial(of_torchao, _int4()),
    "int4 in 32, zero points (torchao)": partial(
        of_torchao, _int4(mapping_type=torchao.MappingType.ASYMMETRIC)),
    "int4 in 128, zero points (GPTQ)": of_gptq,
    **{f"{name} (GGUF)": partial(of_gguf, name) for name in ("Q4_0", "Q4_1", "Q8_0", "Q4_K", "Q6_K", "MXFP4")},
}


def constant_bytes(compiled: hx.TorchModel) -> int:
    """Bytes of all constants of a compiled model."""
    return sum(constant.nbytes for constant in compiled.signature.constants.values()
               if isinstance(constant, torch.Tensor))


def measured(make: Callable[[], nn.Module], rows: int) -> tuple[int, int, float]:
    """Bytes, cycles, and the error's part of the result that PyTorch computes, both as norms."""
    model = make()
    torch.manual_seed(1)
    x = torch.randn(rows, SIZE)
    dtype = next((p.dtype for p in model.parameters()), torch.float32)
    x = x.to(dtype)
    with torch.no_grad():
        program = torch.export.export(model, (x,))
        compiled = hx.compile(program)
        found, expected = compiled(x).double(), program.module()(x).double()
    return constant_bytes(compiled), compiled.last_run.cycles, float((found - expected).norm() / expected.norm())


def main() -> None:
    """Print the rows whose name holds a word of the command line."""
    for name, make in MODELS.items():
        if sys.argv[1:] and not any(word in name for word in sys.argv[1:]):
            continue
        results = [measured(make, rows) for rows in ROWS]
        cells = [f"{results[0][0]:,}"] + [f"{cycles:,} | {error:.1e}" for _, cycles, error in results]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
