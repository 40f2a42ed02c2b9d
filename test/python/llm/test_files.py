"""Weights and tokenizers from safetensors and GGUF files: right values, and every damaged file is refused."""

import json
import struct

import numpy as np
import pytest
import torch
from llm_files import write_gguf, write_safetensors
from llm_sizes import SIZES, small

import hexagon_mlir as hx
from hexagon_mlir.cli.hexmlir import main
from hexagon_mlir.frontend.llm import gguf, safetensors
from hexagon_mlir.frontend.llm.gguf_blocks import SCHEMES
from hexagon_mlir.frontend.llm.weights import _file_name


def folder_of(tmp_path, module):
    (tmp_path / "config.json").write_text(json.dumps(SIZES))
    tensors = {_file_name(name, 0): parameter.data for name, parameter in module.named_parameters()}
    names = list(tensors)
    write_safetensors(tmp_path / "a.safetensors", {name: tensors[name] for name in names[:3]})
    write_safetensors(tmp_path / "b.safetensors", {name: tensors[name] for name in names[3:]})
    return tmp_path


def test_folder(tmp_path, capsys):
    module = small()
    model = hx.load_causal_lm(folder_of(tmp_path, module), context=16)
    for (name, ours), (_, theirs) in zip(model.decoder.named_parameters(), module.named_parameters(), strict=True):
        assert torch.equal(ours, theirs), name
    with torch.no_grad():
        expected = module(torch.tensor([[1, 2, 3]]), torch.arange(3), torch.tensor([2]))
    assert main(["generate", str(tmp_path), "--prompt-tokens=1,2,3", "--tokens=1", "--context=16", "--chunk=1"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith(f"{int(expected.argmax())}\n")
    assert "prefill: 3 tokens" in printed and "DDR bound" in printed
    with pytest.raises(hx.HexError, match="a context of 1000 tokens"):
        hx.load_causal_lm(tmp_path, context=1000)
    (tmp_path / "b.safetensors").unlink()
    with pytest.raises(hx.HexError, match="no tensor 'model"):
        hx.load_causal_lm(tmp_path, context=16)


def test_damaged_safetensors(tmp_path):
    file = tmp_path / "x.safetensors"
    write_safetensors(file, {"a": torch.arange(6.0).reshape(2, 3), "b": torch.ones(4).bfloat16()})
    found = safetensors.read(file)
    assert torch.equal(found["a"], torch.arange(6.0).reshape(2, 3)) and found["b"].dtype == torch.bfloat16
    good = file.read_bytes()
    header = good[8: 8 + struct.unpack("<Q", good[:8])[0]]
    for damaged in (b"", good[:5], struct.pack("<Q", 1 << 60) + good[8:], good[:-3], good.replace(b"[2, 3]", b"[2,99]"),
                    good.replace(b"[2, 3]", b"[-2,3]"), good.replace(b'"F32"', b'"F99"'),
                    struct.pack("<Q", 2) + b"[]" + good[8 + len(header):]):
        file.write_bytes(damaged)
        with pytest.raises(hx.HexError, match="no safetensors file"):
            safetensors.read(file)


def scalar_weights(name, block):
    """The weights of one block, one at a time, as ggml's reference functions read them."""
    half = lambda at: float(np.frombuffer(block, np.float16, 1, at)[0])  # noqa: E731
    if name in ("Q4_0", "Q4_1"):
        first = {"Q4_0": 2, "Q4_1": 4}[name]
        nibbles = [block[first + j] & 15 for j in range(16)] + [block[first + j] >> 4 for j in range(16)]
        return [half(0) * (n - 8) if name == "Q4_0" else half(0) * n + half(2) for n in nibbles]
    if name == "Q8_0":
        return [half(0) * (byte - 256 * (byte > 127)) for byte in block[2:]]
    if name == "MXFP4":
        nibbles = [block[1 + j] & 15 for j in range(16)] + [block[1 + j] >> 4 for j in range(16)]
        values = [0, 0.5, 1, 1.5, 2, 3, 4, 6]
        return [2.0 ** (block[0] - 127) * values[n & 7] * (-1 if n & 8 else 1) for n in nibbles]
    if name == "Q4_K":
        s, q, out = block[4:16], block[16:], []
        for group in range(8):
            if group < 4:
                scale, least = s[group] & 63, s[group + 4] & 63
            else:
                scale = (s[group + 4] & 15) | ((s[group - 4] >> 6) << 4)
                least = (s[group + 4] >> 4) | ((s[group] >> 6) << 4)
            for j in range(32):
                nibble = (q[32 * (group // 2) + j] >> (4 * (group % 2))) & 15
                out.append(half(0) * scale * nibble - half(2) * least)
        return out
    low, high, scales, out = block[:128], block[128:192], block[192:208], []
    for n in range(256):
        part, j = divmod(n, 128)
        row, column = divmod(j, 32)
        byte = low[64 * part + 32 * (row % 2) + column]
        number = ((byte >> 4 if row >= 2 else byte & 15) | (high[32 * part + column] >> (2 * row) & 3) << 4) - 32
        scale = scales[n // 16]
        out.append(half(208) * (scale - 256 * (scale > 127)) * number)
    return out


@pytest.mark.parametrize("name", ["Q4_0", "Q4_1", "Q8_0", "Q4_K", "Q6_K", "MXFP4"])
def test_blocks(name):
    scheme = next(one for one in SCHEMES.values() if one.name == name)
    rng = np.random.default_rng(0)
    blocks = rng.integers(0, 256, (5, scheme.nbytes), dtype=np.uint8)
    for at in {"Q4_0": [0], "Q4_1": [0, 2], "Q8_0": [0], "Q4_K": [0, 2], "Q6_K": [208], "MXFP4": []}[name]:
        blocks[:, at: at + 2] = rng.normal(size=(5, 1)).astype(np.float16).view(np.uint8)
    if name == "MXFP4":
        blocks[:, 0] = [100, 120, 127, 130, 140]
    expected = [scalar_weights(name, block.tobytes()) for block in blocks]
    np.testing.assert_allclose(scheme.weights(blocks), expected, rtol=1e-6, atol=1e-6)
    tensor = gguf.GgufTensor((5, scheme.weights_in_block), scheme, blocks)
    assert torch.equal(tensor.stored(torch.float32).matrix().T, tensor.dequantized()), "its codes stand for the same"
    at = {"Q6_K": 208}.get(name, 0)
    blocks[3, at: at + 2] = [255, 255]  # a NaN
    assert gguf.GgufTensor(tensor.shape, scheme, blocks).stored(torch.float32) is None


METADATA = {"general.architecture": "qwen3", "qwen3.embedding_length": 32, "qwen3.block_count": 1,
            "qwen3.attention.head_count": 4, "qwen3.attention.head_count_kv": 2, "qwen3.attention.key_length": 16,
            "qwen3.feed_forward_length": 64, "qwen3.context_length": 64, "qwen3.rope.freq_base": 10000.0,
            "qwen3.attention.layer_norm_rms_epsilon": 1e-6, "tokenizer.ggml.eos_token_id": 2}


def gguf_of(file, module, family="qwen3"):
    metadata = {name.replace("qwen3", family): value.replace("qwen3", family) if isinstance(value, str) else value
                for name, value in METADATA.items()}
    metadata |= {"tokenizer.ggml.model": "gpt2", "tokenizer.ggml.merges": ["a b"],
                 "tokenizer.ggml.tokens": ["a", "b", "<end>", "ab", *map(str, range(66))],
                 "tokenizer.ggml.token_type": [1, 1, 3] + [1] * 67}
    tensors = {}
    for name, parameter in module.named_parameters():
        weight = parameter.data
        if family == "llama" and (".attention.q." in name or ".attention.k." in name):
            weight = weight.reshape(-1, 2, 8, 32).transpose(1, 2).reshape(weight.shape)
        tensors[_file_name(name, 1)] = (tuple(weight.shape), 0, weight.contiguous().numpy().tobytes())
    write_gguf(file, metadata, tensors)
    return tensors, metadata


@pytest.mark.parametrize("family", ["qwen3", "llama"])
def test_gguf(tmp_path, family):
    module, file = small(norm_heads=family == "qwen3"), tmp_path / "m.gguf"
    tensors, metadata = gguf_of(file, module, family)
    model = hx.load_causal_lm(file, context=16)
    for (name, ours), (_, theirs) in zip(model.decoder.named_parameters(), module.named_parameters(), strict=True):
        assert torch.equal(ours, theirs), name
    assert model.decoder.config.stops == (2,) and model.decoder.config.norm_heads == (family == "qwen3")
    rows = np.random.default_rng(1).integers(0, 256, (64, 18), dtype=np.uint8)
    rows[:, :2] = np.float16([0.01]).view(np.uint8)
    write_gguf(file, metadata, tensors | {"blk.0.ffn_gate.weight": ((64, 32), 2, rows.tobytes())})
    gate = hx.load_causal_lm(file, context=16).decoder.layers[0].mlp.gate
    assert torch.equal(gate.stored.matrix().T, torch.from_numpy(SCHEMES[2].weights(rows)))
    rows[3, :2] = np.float16([np.inf]).view(np.uint8)
    write_gguf(file, metadata, tensors | {"blk.0.ffn_gate.weight": ((64, 32), 2, rows.tobytes())})
    gate = hx.load_causal_lm(file, context=16).decoder.layers[0].mlp.gate
    assert not gate.weight.isfinite().all() and gate.weight.isfinite().sum() == 63 * 32


def test_gguf_tokenizer(tmp_path):
    pytest.importorskip("tokenizers")
    file = tmp_path / "m.gguf"
    gguf_of(file, small())
    model = hx.load_causal_lm(file, context=16)
    assert model.encode("abb<end>a") == [3, 1, 2, 0] and model.text([3, 1, 0]) == "abba"


def test_damaged_gguf(tmp_path):
    file = tmp_path / "m.gguf"
    tensors, metadata = gguf_of(file, small())
    good = file.read_bytes()
    for damaged in (b"", b"GGUF", good[:100], good[:-200], b"GGML" + good[4:],
                    good[:4] + struct.pack("<I", 9) + good[8:],
                    good[:8] + struct.pack("<Q", 1 << 60) + good[16:],
                    good[:24] + struct.pack("<Q", 1 << 50) + good[32:]):
        file.write_bytes(damaged)
        with pytest.raises(hx.HexError, match="no GGUF file"):
            gguf.read(file)
    write_gguf(file, metadata, tensors | {"x": ((32,), 10, bytes(84))})
    with pytest.raises(hx.HexError, match="type 10"):
        gguf.read(file)
    write_gguf(file, metadata | {"qwen3.block_count": 1 << 30}, tensors)
    with pytest.raises(hx.HexError, match="'layers' is 1073741824"):
        hx.load_causal_lm(file)
