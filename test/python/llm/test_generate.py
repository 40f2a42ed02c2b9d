"""A decoder on the simulated chip: tokens equal to those of eager PyTorch, counts, refusals."""

import copy
import json
from dataclasses import replace

import numpy as np
import pytest
import torch
from llm_sizes import PROMPT, decoder, eager

import hexagon_mlir as hx
from hexagon_mlir.cli.hexmlir import main
from hexagon_mlir.frontend.llm.config import of_hugging_face
from hexagon_mlir.frontend.llm.decoder import Decoder
from hexagon_mlir.frontend.llm.rotary import RotaryScaling, frequencies, scaling_of
from hexagon_mlir.frontend.llm.sampling import Sampling

pytestmark = pytest.mark.only_values


def test_64_greedy_tokens_equal_those_of_eager_pytorch():
    module = decoder(seed=6, window=20, projection_bias=True)
    for name, parameter in module.named_parameters():
        if name.endswith("bias"):
            parameter.normal_()
        elif "down" in name or "out." in name:
            parameter.mul_(3)  # so that tokens differ
    reference = copy.deepcopy(module)
    model = hx.CausalLM(module, chunk=8)
    found = model.generate(PROMPT, 64)
    assert found == eager(reference, PROMPT, 64) and len(set(found)) > 5
    assert set(model.programs) == {8, 1}, "a program for chunks, one for tokens, nothing else is compiled"
    assert (model.prefill.tokens, model.decode.tokens, model.place) == (10, 63, 73)
    assert model.programs[1].signature.constants.keys(), "weights are constants of the program"
    ours = {parameter.untyped_storage().data_ptr() for parameter in module.parameters()}
    for program in model.programs.values():
        held = {one.untyped_storage().data_ptr(): one for one in program.signature.constants.values()}
        copies = sum(one.nbytes for address, one in held.items() if address not in ours)
        assert copies < 0.3 * sum(parameter.nbytes for parameter in module.parameters())
    expected = model.decode.cycles / 63
    assert model.decode.tokens_per_second == pytest.approx(1.5e9 / expected) and 0 < model.decode.bound_share < 1
    assert model.generate(PROMPT, 3) == found[:3], "the caches are emptied before"
    with pytest.raises(hx.HexError, match="69 tokens after 12"):
        model.scores([1] * 69)
    with pytest.raises(hx.HexError, match="no tokenizer"):
        model.generate("text")
    with pytest.raises(hx.HexError, match=r"index 70 .* out of range"):
        model.scores([70])


@pytest.mark.parametrize(("window", "size"), [
    *(pytest.param(window, 192, marks=pytest.mark.full) for window in (0, 7)), (7, 1024)])
def test_greedy_tokens_of_a_cache_that_threads_share_in_parts(window, size):
    """Attention of one query on so many keys is a kernel of parts, most of which see no key; of the longer cache, the
    first quarter is read."""
    module = decoder(size=size, seed=6, window=window)
    for name, parameter in module.named_parameters():
        if "down" in name or "out." in name:
            parameter.mul_(3)
    reference, model = copy.deepcopy(module), hx.CausalLM(module, chunk=8)
    found = model.generate(PROMPT, 24)
    assert found == eager(reference, PROMPT, 24) and len(set(found)) > 5
    assert any("query_attention" in kernel.name for kernel in model.programs[1].schedule.kernels)


def test_windows_hide_earlier_tokens():
    """Of a decoder with a window of 5, what is 5 places back makes no difference; tied weights are one tensor."""
    module = decoder(window=5, tied=True, groups=1, size=20)
    assert module.head.weight is module.embedding.weight
    with torch.no_grad():
        scores = [module(torch.tensor([prompt]), torch.arange(10), torch.tensor([9]))
                  for prompt in (PROMPT, [60, *PROMPT[1:5], *PROMPT[5:]], [*PROMPT[:5], 60, *PROMPT[6:]])]
    assert torch.equal(scores[0], scores[1]) and (scores[0] - scores[2]).abs().max() > 0.01
    with pytest.raises(hx.HexError, match="chunks of 21 tokens"):
        hx.CausalLM(module, chunk=21)


@pytest.mark.parametrize(("window", "windowed_from", "masks"), [(0, 0, 1), (5, 0, 1), (5, 1, 2)])
def test_what_queries_see_is_computed_once_for_all_layers(window, windowed_from, masks):
    module = decoder(window=window, windowed_from=windowed_from, layers=3)
    program = torch.export.export(module, (torch.zeros(1, 1, dtype=torch.int64), torch.arange(1), torch.tensor([0])))
    called = [str(node.target) for node in program.graph.nodes]
    assert called.count("aten.le.Tensor") == masks and called.count("aten.scaled_dot_product_attention.default") == 3


def test_sampling():
    scores, generator = torch.tensor([0.0, 3.0, 2.0, -1.0]), torch.Generator().manual_seed(1)
    assert Sampling().choose(scores, generator) == 1
    drawn = {(k, p): {Sampling(1.0, k, p).choose(scores, generator) for _ in range(200)}
             for k, p in ((0, 1.0), (2, 1.0), (0, 0.6), (1, 1.0))}
    assert drawn == {(0, 1.0): {0, 1, 2, 3}, (2, 1.0): {1, 2}, (0, 0.6): {1}, (1, 1.0): {1}}
    with pytest.raises(hx.HexError, match="NaN"):
        Sampling().choose(torch.tensor([0.0, float("nan")]), generator)
    for wrong in ((-1.0, 0, 1.0), (1.0, -1, 1.0), (1.0, 0, 0.0), (float("nan"), 0, 1.0)):
        with pytest.raises(hx.HexError, match="temperature"):
            Sampling(*wrong)


def test_scaled_rotations():
    plain = frequencies(16, 10000.0, None)
    assert torch.equal(frequencies(16, 10000.0, RotaryScaling("linear", 4.0)), plain / 4)
    scaled = frequencies(16, 10000.0, RotaryScaling("llama3", 8.0, 1.0, 4.0, 1024))
    assert torch.equal(scaled[:2], plain[:2]) and torch.allclose(scaled[-2:], plain[-2:] / 8)
    assert ((plain / 8 <= scaled) & (scaled <= plain)).all()


def test_scaled_rotations_of_yarn():
    """Numbers of transformers 5.24.0."""
    given = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768}
    scaling = scaling_of(given, 131072)
    assert scaling.length == pytest.approx(1.138629436111989) and scaling_of(
        {"type": "yarn", "factor": 4.0}, 32768) == scaling
    wanted = [1.0, 1.7783e-01, 3.1623e-02, 4.2176e-03, 5.0000e-04, 4.4457e-05, 7.9057e-06, 1.4059e-06]
    np.testing.assert_allclose(frequencies(16, 1e6, scaling), wanted, rtol=1e-4)
    scaling = scaling_of({"rope_type": "yarn", "factor": 40.0, "original_max_position_embeddings": 64, "beta_fast": 16,
                          "beta_slow": 2, "truncate": False, "mscale": 0.7, "mscale_all_dim": 1.0}, None)
    assert scaling.length == pytest.approx(0.9191559952044436)
    wanted = [1.0, 0.36845663189888, 0.0981689840555191, 0.004445698577910662, 0.0024999999441206455,
              0.0014058533124625683]
    np.testing.assert_allclose(frequencies(32, 1e4, scaling)[:6], wanted, rtol=1e-5)
    assert scaling_of({**given, "attention_factor": 2}, None).length == 2
    module = decoder(size=16)
    longer = Decoder(replace(module.config, scaling=scaling_of(given, None)), 16)
    assert torch.allclose(longer.cos[0], torch.tensor(1.1386294)) and not longer.sin[0].any()


QWEN3 = {"model_type": "qwen3", "vocab_size": 151936, "hidden_size": 1024, "num_hidden_layers": 28,
         "num_attention_heads": 16, "num_key_value_heads": 8, "head_dim": 128, "intermediate_size": 3072,
         "max_position_embeddings": 40960, "rope_theta": 1000000, "rms_norm_eps": 1e-06, "tie_word_embeddings": True,
         "sliding_window": None, "use_sliding_window": False, "eos_token_id": 151645}


def test_published_sizes():
    config = of_hugging_face(QWEN3)
    assert (config.depth, config.norm_heads, config.tied, config.window) == (128, True, True, 0)
    assert config.stops == (151645,)
    assert config.weights == 28 * (1024 * 128 * 48 + 3 * 1024 * 3072) + 151936 * 1024
    llama = of_hugging_face({**QWEN3, "model_type": "llama", "head_dim": None, "rope_scaling": {
        "rope_type": "llama3", "factor": 32.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
        "original_max_position_embeddings": 8192}})
    assert (llama.depth, llama.norm_heads) == (64, False) and llama.scaling == RotaryScaling("llama3", 32.0)


@pytest.mark.parametrize(("changed", "message"), [
    ({"model_type": "mamba"}, "model_type 'mamba'"), ({"hidden_size": -1}, "'width' is -1"),
    ({"vocab_size": 1 << 40}, "'vocabulary' is"), ({"num_hidden_layers": "many"}, "'layers' is many"),
    ({"num_key_value_heads": 3}, "'heads' is 16"), ({"num_experts": 8}, "mixture of experts"),
    ({"rope_theta": float("inf")}, "'theta' is inf"), ({"rms_norm_eps": None}, "'epsilon' is None"),
    ({"rope_scaling": {"type": "longrope", "factor": 4.0}}, "rotary scaling 'longrope'"),
    ({"rope_scaling": {"type": "yarn", "factor": "4"}}, "'rotary scaling' is"), ({"rope_theta": 1.0}, "'theta' is 1.0"),
    ({"rope_scaling": {"type": "yarn", "factor": 4, "beta_fast": 1}}, "a low bound"),
    ({"rope_scaling": {"type": "yarn", "factor": 4, "mscale": -1}}, "'rotary scaling' is"),
    ({"hidden_act": "gelu"}, "gelu")])
def test_other_configurations_are_refused(changed, message):
    with pytest.raises(hx.HexError, match=message):
        of_hugging_face({**QWEN3, **changed})


@pytest.mark.parametrize(("words", "message"), [
    ([], "usage:"), (["x"], "one of --prompt and --prompt-tokens"), (["x", "--prompt"], "--prompt needs a value"),
    (["x", "y", "--prompt=a"], "one folder or GGUF file"), (["x", "--tokens=many"], "'many', which is no number"),
    (["x", "--prompt-tokens=1,a"], "'1,a'"), (["x", "--fast=1"], "unknown option --fast"),
    (["/nowhere", "--prompt-tokens=1"], "cannot read"),
    (["x", "--prompt-tokens=1", "--dtype=f8"], "unknown dtype 'f8'")])
def test_command_line(words, message, capsys):
    code = main(["generate", *words])
    printed = capsys.readouterr()
    assert message in printed.out + printed.err and (code == 0) == (words == []), json.dumps(words)
