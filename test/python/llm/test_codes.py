"""Weights of codes in memory: once, as codes and scales, in every program that reads them; tokens as eager's."""

import copy
from dataclasses import replace

import numpy as np
import pytest
import torch
from llm_files import write_gguf
from llm_sizes import eager

import hexagon_mlir as hx
from hexagon_mlir.frontend.llm import gguf
from hexagon_mlir.frontend.llm.block_layers import BlockEmbedding, BlockLinear, BlockTable, JoinedLinear
from hexagon_mlir.frontend.llm.config import DecoderConfig
from hexagon_mlir.frontend.llm.decoder import Decoder
from hexagon_mlir.frontend.llm.gguf_blocks import SCHEMES
from hexagon_mlir.frontend.llm.weights import _file_name

pytestmark = pytest.mark.only_values

CONFIG = DecoderConfig(vocabulary=192, width=128, layers=1, heads=4, groups=2, depth=32, hidden=256, context=128,
                       norm_heads=True, tied=True)
METADATA = {"general.architecture": "qwen3", "qwen3.embedding_length": 128, "qwen3.block_count": 1,
            "qwen3.attention.head_count": 4, "qwen3.attention.head_count_kv": 2, "qwen3.attention.key_length": 32,
            "qwen3.feed_forward_length": 256, "qwen3.context_length": 128, "qwen3.rope.freq_base": 10000.0,
            "qwen3.attention.layer_norm_rms_epsilon": 1e-6}
HALVES = {"Q4_0": [(0, 1)], "Q4_1": [(0, 1), (2, -8)], "Q8_0": [(0, 1 / 16)], "Q4_K": [(0, 1 / 32), (2, 1 / 4)],
          "Q6_K": [(208, 1 / 512)]}
"""The bytes of a block at which f16 scales and minima are, and how large these are beside those of Q4_0."""


def written(file, form="Q4_0", config=CONFIG, metadata=METADATA):
    """A file of matrices of scheme ``form``; returns the bytes of their blocks."""
    rng, tensors, count = np.random.default_rng(0), {}, 0
    number, scheme = next((number, one) for number, one in SCHEMES.items() if one.name == form)
    for name, parameter in Decoder(config, 96).named_parameters():
        shape = tuple(parameter.shape)
        if len(shape) == 1:
            tensors[_file_name(name, 1)] = (shape, 0, np.ones(shape, np.float32).tobytes())
            continue
        blocks = rng.integers(0, 256, (parameter.numel() // scheme.weights_in_block, scheme.nbytes), dtype=np.uint8)
        scale = rng.uniform(0.5, 1.5, len(blocks)) * (0.1 if "embed" in name else 0.6 / shape[1]**0.5)
        if form == "MXFP4":
            blocks[:, 0] = np.frexp(scale)[1] + 126
        for place, factor in HALVES.get(form, ()):
            blocks[:, place: place + 2] = (factor * scale).astype("<f2").view(np.uint8).reshape(-1, 2)
        tensors[_file_name(name, 1)] = (shape, number, blocks.tobytes())
        count += blocks.nbytes
    write_gguf(file, metadata, tensors)
    return count


def weight_bytes(model):
    """Bytes of all weights that the model and its programs hold, each memory once."""
    decoder = model.decoder
    constants = [one for program in model.programs.values() for one in program.signature.constants.values()]
    held = {one.untyped_storage().data_ptr(): one.untyped_storage().nbytes()
            for one in (*decoder.parameters(), *decoder.buffers(), *constants)}
    others = {decoder.cos.untyped_storage().data_ptr(), decoder.sin.untyped_storage().data_ptr(), *(
        one.untyped_storage().data_ptr() for name, one in decoder.named_buffers() if name.endswith(("keys", "values")))}
    return sum(nbytes for place, nbytes in held.items() if place not in others)


@pytest.mark.parametrize("chunk", [pytest.param(1, marks=pytest.mark.full), 32])
def test_tokens_and_memory(tmp_path, chunk):
    """One layout of codes serves products of a token and those of a chunk of the prompt."""
    file = tmp_path / "m.gguf"
    of_scheme = written(file)
    model = hx.load_causal_lm(file, context=96, chunk=chunk)
    kinds = {type(module) for module in model.decoder.modules()}
    assert {BlockEmbedding, BlockLinear, JoinedLinear} <= kinds and torch.nn.Linear not in kinds
    prompt = [3, 5, 7, 11, 13]
    reference = copy.deepcopy(model.decoder)
    found = model.generate(prompt, 16)
    assert found == eager(reference, prompt, 16) and len(set(found)) > 5
    assert set(model.programs) == {1, chunk}
    assert of_scheme <= weight_bytes(model) <= 1.3 * of_scheme
    caches = sum(one.nbytes for name, one in model.decoder.named_buffers() if name.endswith(("keys", "values")))
    assert model.decode.needed_bytes < 16 * (of_scheme + caches)


def test_chunks_read_the_same_codes(tmp_path):
    """The program for a chunk of the prompt makes the matrix engine's tiles of them, in TCM. What it shares with the
    program for a token: `test_tokens_and_memory`."""
    file = tmp_path / "m.gguf"
    of_scheme = written(file)
    model = hx.load_causal_lm(file, context=96, dtype="f16")
    prompt = [3, 5, 7, 11, 13] * 8
    reference = copy.deepcopy(model.decoder)
    scores, places = model.scores(prompt), torch.arange(len(prompt))
    assert set(model.programs) == {32}
    assert of_scheme <= weight_bytes(model) <= 1.3 * of_scheme
    with torch.no_grad():
        exact = reference(torch.tensor([prompt]), places, torch.tensor([len(prompt) - 1]))
    assert (scores - exact).abs().max() < 0.01 * exact.abs().max()


@pytest.mark.full
@pytest.mark.parametrize("form", ["Q6_K", "Q4_1", "Q8_0", "Q4_K", "MXFP4"])
def test_chunks_read_the_codes_of_other_schemes(tmp_path, form):
    """A model of f16 has no floats for chunks besides its codes. Layers of each scheme: `test_stored_weights`."""
    sizes = {"qwen3.embedding_length": 256, "qwen3.attention.key_length": 64}
    file = tmp_path / "m.gguf"
    of_scheme = written(file, form, replace(CONFIG, width=256, depth=64), METADATA | sizes)
    model = hx.load_causal_lm(file, context=96, dtype="f16")
    prompt = [3, 5, 7, 11, 13] * 8
    reference = copy.deepcopy(model.decoder)
    scores, places = model.scores(prompt), torch.arange(len(prompt))
    codes = {part.untyped_storage().data_ptr(): part.untyped_storage().nbytes() for module in model.decoder.modules()
             if isinstance(module, BlockTable) for part in module.stored.packed()}
    assert set(model.programs) == {32}
    assert of_scheme <= sum(codes.values()) <= 1.07 * of_scheme
    assert sum(codes.values()) <= weight_bytes(model) <= 1.05 * sum(codes.values())
    with torch.no_grad():
        exact = reference(torch.tensor([prompt]), places, torch.tensor([len(prompt) - 1]))
    assert (scores - exact).abs().max() < 0.01 * exact.abs().max()


@pytest.mark.parametrize("form", ["Q4_0", "Q6_K"])
def test_floats_of_a_file_are_those_of_its_codes(tmp_path, form):
    file = tmp_path / "m.gguf"
    written(file, form, replace(CONFIG, width=256, depth=64), METADATA | {"qwen3.embedding_length": 256})
    tensors = gguf.read(file).tensors
    for name, tensor in tensors.items():
        matrix = tensor.stored(torch.float32)
        if len(tensor.shape) == 1:
            assert matrix is None, name
        else:
            assert torch.equal(matrix.matrix().T, tensor.dequantized()), name
