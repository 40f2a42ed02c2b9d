"""Decoders with mixtures of experts: tokens of eager PyTorch, bytes of the chosen experts alone, files, refusals."""

import copy
import json

import numpy as np
import pytest
import torch
from llm_files import write_gguf, write_safetensors
from llm_sizes import PROMPT, SIZES, decoder, eager

import hexagon_mlir as hx
from hexagon_mlir.frontend.llm import gguf
from hexagon_mlir.frontend.llm.block_layers import stacked, stored
from hexagon_mlir.frontend.llm.config import DecoderConfig, of_hugging_face
from hexagon_mlir.frontend.llm.decoder import Decoder
from hexagon_mlir.frontend.llm.experts import Experts
from hexagon_mlir.frontend.llm.weights import _experts_of_codes

pytestmark = pytest.mark.only_values

MIXTURE = dict(experts=3, chosen=2, expert_hidden=24)
QWEN = SIZES | {"model_type": "qwen3_moe", "num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 24,
                "norm_topk_prob": True, "num_hidden_layers": 2, "mlp_only_layers": [0]}
MIXTRAL = SIZES | {"model_type": "mixtral", "num_local_experts": 4, "num_experts_per_tok": 2, "intermediate_size": 24}


def test_greedy_tokens_equal_those_of_eager_pytorch():
    """A dense layer before one with experts; a chunk of the prompt is multiplied with all of them."""
    module = decoder(seed=3, layers=2, dense_layers=frozenset({0}), **MIXTURE)
    reference = copy.deepcopy(module)
    model = hx.CausalLM(module, chunk=8)
    found = model.generate(PROMPT, 16)
    assert found == eager(reference, PROMPT, 16) and len(set(found)) > 4
    assert set(model.programs) == {8, 1}
    assert 0 < model.decode.bound_share < 1 and 0 < model.prefill.bound_share < 1


def test_many_experts_read_prompts_token_by_token():
    module = decoder(seed=4, size=16, **MIXTURE | dict(experts=20, normalized=False))
    reference = copy.deepcopy(module)
    model = hx.CausalLM(module, chunk=8)
    assert model.generate(PROMPT, 4) == eager(reference, PROMPT, 4) and set(model.programs) == {1}


@pytest.mark.only_values(False)
def test_only_the_chosen_experts_move():
    config = DecoderConfig(vocabulary=70, width=256, layers=1, heads=4, groups=2, depth=16, hidden=48, experts=16,
                           chosen=2, expert_hidden=128)
    torch.manual_seed(0)
    module = Experts(config).eval()
    for parameter in module.parameters():
        parameter.requires_grad_(False).normal_(0, 0.1)
    x = torch.randn(1, 1, 256)
    with torch.no_grad():
        model = hx.compile(torch.export.export(module, (x,)))
        for place in range(3):
            given = x.roll(place, -1)
            torch.testing.assert_close(model(given), module(given), rtol=1e-4, atol=1e-4)
            needed = 4 * 256 * (16 + 2 * 3 * 128)
            assert needed < model.last_run.ddr_bytes < 1.15 * needed


def of_codes(experts, rows, width, dtype=torch.float32, seed=0):
    """Several matrices of Q4_0, and the same as floats (experts, rows, width)."""
    generator, parts = torch.Generator().manual_seed(seed), []
    for _ in range(experts):
        codes = torch.randint(0, 16, (rows, width), dtype=torch.uint8, generator=generator)
        scales = (torch.rand(rows, width // 32, generator=generator) + 0.5) / width**0.5 / 4
        parts.append(stored(codes.__getitem__, scales.half(), 4, dtype))
    return stacked(parts), torch.stack([one.matrix().T for one in parts])


@pytest.mark.only_values(False)
def test_only_the_codes_of_the_chosen_experts_move():
    """A chunk is multiplied with those of all."""
    config = DecoderConfig(vocabulary=70, width=512, layers=1, heads=4, groups=2, depth=16, hidden=48, experts=16,
                           chosen=2, expert_hidden=256)
    torch.manual_seed(0)
    module, floats = Experts(config).eval(), Experts(config).eval()
    module.router.weight.data = floats.router.weight.data = torch.randn(16, 512) * 0.1
    for name, sizes in (("gate_up", (16, 512, 512)), ("down", (16, 512, 256))):
        tables, weights = of_codes(*sizes)
        module.take_codes(name, tables)
        getattr(floats, name).data = weights
    x = torch.randn(1, 1, 512)
    with torch.no_grad():
        model = hx.compile(torch.export.export(module, (x,)))
        for place in range(3):
            given = x.roll(place, -1)
            torch.testing.assert_close(module(given), floats(given), rtol=1e-4, atol=1e-5)
            torch.testing.assert_close(model(given), floats(given), rtol=1e-4, atol=1e-4)
            needed = 4 * 512 * 16 + 2 * 3 * 256 * 512 * 4.5 / 8
            assert needed < model.last_run.ddr_bytes < 1.25 * needed
        assert model.result.saved_bytes == 2 * 3 * 256 * 512 * (32 - 4.5) / 8
        chunk = torch.randn(1, 3, 512)
        model = hx.compile(torch.export.export(module, (chunk,)))
        torch.testing.assert_close(model(chunk), floats(chunk), rtol=1e-4, atol=1e-4)
        assert model.result.saved_bytes > 0


def test_experts_of_codes_in_gguf_files(tmp_path):
    """The codes of gates and of what they gate are one table; of 24 rows, which are no whole tile, they are floats."""
    generator = np.random.default_rng(0)
    for hidden in (64, 24):
        tensors = {}
        for name, shape in (("gate", (4, hidden, 32)), ("up", (4, hidden, 32)), ("down", (4, 32, hidden))):
            kind, count = (0, 4) if name == "down" and hidden == 24 else (2, 18 / 32)
            raw = generator.integers(0, 256, int(np.prod(shape) * count), dtype=np.uint8)
            if kind == 2:
                raw.reshape(-1, 18)[:, 1] = 0x20  # scales are small
            tensors[f"blk.0.ffn_{name}_exps.weight"] = shape, kind, raw.tobytes()
        write_gguf(tmp_path / "m.gguf", {}, tensors)
        file = gguf.read(tmp_path / "m.gguf").tensors
        found = _experts_of_codes(torch.Size((4, 2 * hidden, 32)), lambda name, shape, file=file: file[name].stored(
            torch.float32), "0", "gate_up", 1)
        if hidden == 24:
            assert found is None
            continue
        floats = torch.cat([file[f"blk.0.ffn_{name}_exps.weight"].dequantized() for name in ("gate", "up")], 1)
        assert torch.equal(found.matrix().transpose(1, 2), floats)
        down = _experts_of_codes(torch.Size((4, 32, 64)), lambda name, shape, file=file: file[name].stored(
            torch.float32), "0", "down", 1)
        assert torch.equal(down.matrix().transpose(1, 2), file["blk.0.ffn_down_exps.weight"].dequantized())


def test_chunks_and_rows_agree():
    """Each row of a chunk has the shares of its own experts; normalized ones or not."""
    torch.manual_seed(0)
    for normalized in (False, True):
        module = Experts(DecoderConfig(70, 32, 1, 4, 2, 16, 48, **MIXTURE, normalized=normalized)).eval()
        for parameter in module.parameters():
            parameter.requires_grad_(False).normal_(0, 0.5)
        x = torch.randn(1, 7, 32)
        torch.testing.assert_close(module(x), torch.cat([module(row) for row in x.split(1, 1)], 1))


def files_of(folder, sizes, module):
    """A folder in the layout of its family: a tensor for each expert."""
    names = {"gate": "gate_proj", "up": "up_proj", "down": "down_proj"}
    mixtral = sizes["model_type"] == "mixtral"
    if mixtral:
        names = {"gate": "w1", "up": "w3", "down": "w2"}
    tensors = {}
    for name, weight in module.state_dict().items():
        name = name.replace("embedding.", "model.embed_tokens.").replace("head.", "lm_head.")
        for ours, theirs in (("norm1", "input_layernorm"), ("norm2", "post_attention_layernorm"),
                             ("attention.out", "self_attn.o_proj"), ("attention.q.", "self_attn.q_proj."),
                             ("attention.k.", "self_attn.k_proj."), ("attention.v.", "self_attn.v_proj."),
                             ("attention.", "self_attn.")):
            name = name.replace(ours, theirs)
        name = f"model.{name}" if name.startswith(("layers", "norm.")) else name
        block = "block_sparse_moe" if mixtral else "mlp"
        if name.endswith("mlp.router.weight"):
            tensors[name.replace("mlp.router", f"{block}.gate")] = weight
        elif name.endswith(("mlp.gate_up", "mlp.down")):
            parts = weight.chunk(2, 1) if name.endswith("gate_up") else [weight]
            for part, which in zip(parts, ("gate", "up") if len(parts) == 2 else ("down",), strict=True):
                for number, expert in enumerate(part):
                    prefix = name.rsplit(".", 2)[0]
                    tensors[f"{prefix}.{block}.experts.{number}.{names[which]}.weight"] = expert
        elif ".mlp." in name:
            tensors[name.replace(".weight", "_proj.weight")] = weight
        else:
            tensors[name] = weight
    (folder / "config.json").write_text(json.dumps(sizes))
    write_safetensors(folder / "model.safetensors", tensors)
    return tensors


def random(sizes):
    module = Decoder(of_hugging_face(sizes), 16)
    torch.manual_seed(7)
    for parameter in module.parameters():
        parameter.normal_(0, 0.3)
    return module


@pytest.mark.parametrize("sizes", (QWEN, MIXTRAL), ids=("qwen3_moe", "mixtral"))
def test_folders(tmp_path, sizes):
    module = random(sizes)
    tensors = files_of(tmp_path, sizes, module)
    model = hx.load_causal_lm(tmp_path, context=16)
    assert model.decoder.config.experts == 4 and model.decoder.config.normalized
    assert model.decoder.config.dense_layers == ({0} if sizes is QWEN else set())
    for (name, ours), theirs in zip(model.decoder.named_parameters(), module.parameters(), strict=True):
        assert torch.equal(ours, theirs), name
    (broken,) = [name for name in tensors if name.endswith(("experts.2.up_proj.weight", "experts.2.w3.weight"))][:1]
    write_safetensors(tmp_path / "model.safetensors", tensors | {broken: tensors[broken][:-1]})
    with pytest.raises(hx.HexError, match=r"experts\.2\.\w+\.weight' has shape \(23, 32\)"):
        hx.load_causal_lm(tmp_path, context=16)
    write_safetensors(tmp_path / "model.safetensors", {n: t for n, t in tensors.items() if n != broken})
    with pytest.raises(hx.HexError, match=r"no tensor '.*experts\.2\."):
        hx.load_causal_lm(tmp_path, context=16)


@pytest.mark.parametrize("family", ("qwen3moe", "llama"))
def test_gguf_files(tmp_path, family):
    module = random({**QWEN, "mlp_only_layers": []} if family == "qwen3moe" else MIXTRAL)
    numbers = {"embedding_length": 32, "block_count": module.config.layers, "attention.head_count": 4,
               "attention.head_count_kv": 2, "attention.key_length": 16, "feed_forward_length": 24,
               "context_length": 64, "rope.freq_base": 10000.0, "attention.layer_norm_rms_epsilon": 1e-6,
               "expert_count": 4, "expert_used_count": 2}
    metadata = {"general.architecture": family, **{f"{family}.{name}": value for name, value in numbers.items()}}
    tensors = {}
    for name, weight in module.state_dict().items():
        for ours, theirs in (("embedding", "token_embd"), ("head", "output"), ("layers.", "blk."),
                             ("attention.out", "attn_output"), ("norm1", "attn_norm"), ("norm2", "ffn_norm"),
                             ("attention.", "attn_"), ("mlp.router", "ffn_gate_inp"),
                             ("mlp.down", "ffn_down_exps.weight")):
            name = name.replace(ours, theirs)
        name = "output_norm.weight" if name == "norm.weight" else name
        if family == "llama" and ("attn_q." in name or "attn_k." in name):
            weight = weight.reshape(-1, 2, 8, 32).transpose(1, 2).reshape(weight.shape)
        parts = {name: weight}
        if name.endswith("gate_up"):
            parts = {name.replace("mlp.gate_up", f"ffn_{which}_exps.weight"): part
                     for which, part in zip(("gate", "up"), weight.chunk(2, 1), strict=True)}
        tensors |= {n: (tuple(w.shape), 0, w.contiguous().numpy().tobytes()) for n, w in parts.items()}
    write_gguf(tmp_path / "m.gguf", metadata, tensors)
    model = hx.load_causal_lm(tmp_path / "m.gguf", context=16)
    for (name, ours), theirs in zip(model.decoder.named_parameters(), module.parameters(), strict=True):
        assert torch.equal(ours, theirs), name


@pytest.mark.parametrize("changed, message", [
    ({"num_experts": -1}, "'experts' is -1"),
    ({"num_experts": 1 << 20}, "'experts' is"), ({"num_experts_per_tok": 5}, "'chosen' is 5"),
    ({"num_experts_per_tok": True}, "'chosen' is True"), ({"num_experts_per_tok": None}, "'chosen' is None"),
    ({"moe_intermediate_size": "many"}, "'expert_hidden' is many"), ({"decoder_sparse_step": 0}, "sparse_step"),
    ({"mlp_only_layers": 3}, "sparse_step"), ({"num_hidden_layers": 1 << 40}, "'layers'"),
    ({"model_type": "qwen3"}, "a mixture of experts in model_type 'qwen3'")])
def test_sizes_that_are_none(changed, message):
    with pytest.raises(hx.HexError, match=message):
        of_hugging_face(QWEN | changed)
