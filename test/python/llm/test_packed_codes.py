"""Codes of GPTQ, AWQ and compressed-tensors in safetensors: right values, codes in memory, refusals."""

import json

import pytest
import torch
from llm_files import write_safetensors
from llm_sizes import SIZES, small

import hexagon_mlir as hx
from hexagon_mlir.frontend.llm.block_layers import BlockLinear, JoinedLinear
from hexagon_mlir.frontend.llm.packed_codes import PackedTensors
from hexagon_mlir.frontend.llm.weights import _file_name, of_folder

ROWS, DEPTH = 72, 256


def words(numbers, bits):
    """Rows of numbers in words of 32 bits, one by one; the last word may have zeros."""
    each = 32 // bits
    rows = []
    for row in numbers.tolist():
        made = [sum(number << bits * place for place, number in enumerate(row[first:first + each]))
                for first in range(0, len(row), each)]
        rows.append([word - (word >> 31 << 32) for word in made])
    return torch.tensor(rows, dtype=torch.int32)


def awq_order(numbers):
    """Of eight neighbours, those with even numbers first."""
    return numbers.reshape(len(numbers), -1, 8)[:, :, [0, 2, 4, 6, 1, 3, 5, 7]].reshape(numbers.shape)


def packed(method, codes, scales, zeros, bits):
    """The tensors of a layer; codes (N, K), scales and zeros (N, groups)."""
    if method == "gptq":
        return {"qweight": words(codes, bits).T, "qzeros": words(zeros.T - 1, bits), "scales": scales.T} if (
            bits == 8) else {"qweight": words(codes, bits).T, "qzeros": words(zeros.T - 1, bits), "scales": scales.T,
                             "g_idx": torch.arange(codes.shape[1], dtype=torch.int32) // (
                                 codes.shape[1] // scales.shape[1])}
    if method == "awq":
        return {"qweight": words(awq_order(codes.T), bits), "qzeros": words(awq_order(zeros.T), bits),
                "scales": scales.T}
    found = {"weight_packed": words(codes, bits), "weight_scale": scales,
             "weight_shape": torch.tensor(codes.shape)}
    middle = bool((zeros == 1 << bits - 1).all())
    return found if middle else found | {"weight_zero_point": words(zeros.T, bits).T}


def layer(method, bits, group, symmetric, dtype=torch.float16, rows=ROWS, depth=DEPTH, seed=0):
    """The tensors of a layer, and its weights (N, K), f64."""
    generator = torch.Generator().manual_seed(seed)
    codes = torch.randint(0, 1 << bits, (rows, depth), generator=generator)
    scales = (torch.rand(rows, depth // group, generator=generator) + 0.5).to(dtype) / depth
    zeros = torch.full(scales.shape, 1 << bits - 1) if symmetric else torch.randint(
        1, 1 << bits, scales.shape, generator=generator)
    weights = (codes - zeros.repeat_interleave(group, 1)) * scales.double().repeat_interleave(group, 1)
    return packed(method, codes, scales, zeros, bits), weights


def of_layer(method, tensors, **more):
    config = {"quantization_config": {"quant_method": method, **more}}
    return PackedTensors(config, {f"a.{name}": tensor for name, tensor in tensors.items()})


@pytest.mark.parametrize("method", ["gptq", "awq", "compressed-tensors"])
@pytest.mark.parametrize(("bits", "group", "symmetric", "dtype"), [
    (4, 128, True, torch.float16), (4, 128, False, torch.bfloat16), (4, 32, False, torch.float16),
    (4, 256, False, torch.float16), (8, 64, False, torch.float32), (4, 8, False, torch.float16)])
def test_codes_stand_for_the_weights(method, bits, group, symmetric, dtype):
    if method == "awq" and bits == 8:
        return
    tensors, weights = layer(method, bits, group, symmetric, dtype)
    found = of_layer(method, tensors).find("a.weight", (ROWS, DEPTH))
    assert torch.equal(found.matrix(), weights.float())
    stored = found.stored(torch.float32)
    if group == 8:
        assert stored is None, "scales of too few weights"
        return
    assert torch.equal(stored.matrix().T, weights.float())
    assert (stored.format.bits, stored.format.block) == (bits, min(group, 128))
    assert (stored.zeros is None) == symmetric


def test_an_order_of_groups_gives_floats():
    tensors, _ = layer("gptq", 4, 64, False)
    order = torch.randperm(DEPTH, generator=torch.Generator().manual_seed(3)) % 4
    tensors["g_idx"] = order.int()
    found = of_layer("gptq", tensors).find("a.weight", (ROWS, DEPTH))
    assert found.stored(torch.float32) is None
    equal, weights = layer("gptq", 4, 64, False)
    plain = of_layer("gptq", equal).find("a.weight", (ROWS, DEPTH))
    numbers = plain.codes(slice(0, ROWS)).int() - plain.zeros.int()[:, order]
    assert torch.equal(found.matrix(), numbers * plain.scales.float()[:, order])
    assert torch.equal(plain.matrix(), weights.float())


def test_zero_points_of_the_second_format_of_gptq():
    tensors, weights = layer("gptq", 4, 64, False)
    first = of_layer("gptq", tensors).find("a.weight", (ROWS, DEPTH))
    second = of_layer("gptq", tensors, checkpoint_format="gptq_v2").find("a.weight", (ROWS, DEPTH))
    assert torch.equal(second.matrix() - first.matrix(), first.scales.float().repeat_interleave(64, 1)) or (
        (second.matrix() - first.matrix() - first.scales.float().repeat_interleave(64, 1)).abs().max() < 1e-6)
    assert torch.equal(first.matrix(), weights.float())


@pytest.mark.parametrize(("name", "wrong"), [
    ("qweight", torch.zeros(7, ROWS, dtype=torch.int32)), ("qweight", torch.zeros(DEPTH // 8, ROWS)),
    ("qzeros", torch.zeros(3, ROWS // 8, dtype=torch.int32)), ("scales", torch.zeros(4, ROWS, dtype=torch.int32)),
    ("scales", torch.zeros(5, ROWS)), ("g_idx", torch.full((DEPTH,), 9)), ("g_idx", torch.zeros(3)),
    ("scales", torch.zeros(0, ROWS)), ("qzeros", None)])
def test_damaged_layers(name, wrong):
    tensors, _ = layer("gptq", 4, 64, False)
    tensors[name] = wrong
    tensors = {one: tensor for one, tensor in tensors.items() if tensor is not None}
    with pytest.raises(hx.HexError, match="'a"):
        of_layer("gptq", tensors).find("a.weight", (ROWS, DEPTH))


def test_unknown_methods():
    with pytest.raises(hx.HexError, match="weights of 'bitsandbytes'"):
        PackedTensors({"quantization_config": {"quant_method": "bitsandbytes"}}, {})
    assert PackedTensors({}, {}).find("a.weight", (8, 8)) is None


def folder_of(path, module, method):
    """A folder whose linear layers, but the head, are packed; ``module`` gets their weights."""
    (path / "config.json").write_text(json.dumps(SIZES | {"quantization_config": {"quant_method": method}}))
    tensors = {}
    for name, parameter in module.named_parameters():
        file_name = _file_name(name, 0)
        if parameter.dim() < 2 or "layers" not in file_name:
            tensors[file_name] = parameter.data
            continue
        parts, weights = layer(method, 4, 32, False, rows=parameter.shape[0], depth=parameter.shape[1])
        parameter.data = weights.float() * 30
        parts |= {key: part * 30 for key, part in parts.items() if "scale" in key}
        tensors |= {f"{file_name.removesuffix('weight')}{key}": part for key, part in parts.items()}
    write_safetensors(path / "a.safetensors", tensors)
    return path


@pytest.mark.parametrize("method", ["gptq", "awq", "compressed-tensors"])
def test_folder(tmp_path, method):
    module = small()
    folder = folder_of(tmp_path, module, method)
    found = of_folder(folder, 16, torch.float32)
    kinds = [type(one) for one in found.layers.modules()]
    assert BlockLinear in kinds and torch.nn.Linear not in kinds
    given = torch.tensor([[1, 2, 3]]), torch.arange(3), torch.tensor([2])
    with torch.no_grad():
        torch.testing.assert_close(found(*given), module(*given), rtol=2e-2, atol=2e-2)  # scales of f16 times 30
    if method == "gptq":
        model = hx.load_causal_lm(folder, context=16, chunk=1)
        assert JoinedLinear in {type(one) for one in model.decoder.modules()}
        with torch.no_grad():
            expected = found(torch.tensor([[5]]), torch.arange(1), torch.tensor([0]))
        torch.testing.assert_close(model.scores([5]), expected, rtol=1e-4, atol=1e-4)
        assert model.programs[1].result.saved_bytes > 0
