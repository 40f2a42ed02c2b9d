"""Fake results: sizes, strides and types as PyTorch's own fake tensors have them."""

import pytest
import torch
from torch._decomp import meta_table
from torch._subclasses.fake_impls import op_implementations_dict
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode

from hexagon_mlir.frontend.torch.fake_tensors import fake_like, quick_batch_norm, result_of

aten = torch.ops.aten
BATCH_NORM = aten._native_batch_norm_legit_no_training.default


def described(value):
    assert isinstance(value, FakeTensor)
    return tuple(value.shape), value.stride(), value.dtype, value.device


def image(sizes=(2, 3, 5, 7), dtype=torch.float32):
    return torch.empty(sizes, dtype=dtype)


CALLS = {
    "permute": (aten.permute.default, lambda: (image(), [0, 2, 3, 1])),
    "clone keeps strides": (aten.clone.default, lambda: (image().permute(0, 2, 3, 1),)),
    "types are promoted": (aten.add.Tensor, lambda: (image(dtype=torch.int8), image((7,), torch.float16))),
    "no elements": (aten.mm.default, lambda: (image((0, 5)), image((5, 3)))),
    "concatenation": (aten.cat.default, lambda: ([image(), image((2, 3, 1, 7))], 2)),
    "split": (aten.split.Tensor, lambda: (image(), 2, 3)),
    "comparison": (aten.lt.Scalar, lambda: (image(), 0)),
    "convolution": (aten.convolution.default, lambda: (image(), image((4, 3, 2, 2)), None, [1, 1], [0, 0], [1, 1],
                                                        False, [0, 0], 1)),
    "without tensors": (aten.full.default, lambda: ([3, 5], 1.0)),
}


@pytest.mark.parametrize("name", CALLS)
def test_results_are_those_of_the_mode(name):
    target, arguments = CALLS[name]
    mode = FakeTensorMode()
    with mode:
        given = arguments()
        expected = target(*given)
    got = result_of(mode, target, given, {})
    pairs = [(got, expected)] if isinstance(expected, torch.Tensor) else list(zip(got, expected, strict=True))
    assert [described(ours) for ours, _ in pairs] == [described(theirs) for _, theirs in pairs]
    assert all(ours.fake_mode is mode for ours, _ in pairs)


def test_a_wrong_call_is_refused_as_by_pytorch():
    mode = FakeTensorMode()
    with mode:
        given = image((2, 3)), image((5, 7))
    with pytest.raises(RuntimeError, match="3"):
        result_of(mode, aten.mm.default, given, {})


@pytest.mark.parametrize(("target", "shape"), [(aten.mm.default, (3, 3)), (aten.bmm.default, (2, 3, 3))])
def test_factors_of_two_types_are_refused(target, shape):
    """Neither meta tensors nor the mode look at them."""
    mode = FakeTensorMode()
    with mode:
        factors = torch.empty(shape, dtype=torch.int64), torch.empty(shape)
    with pytest.raises(RuntimeError, match="factors of float32 and int64"):
        result_of(mode, target, factors, {})


def test_fake_like_has_sizes_strides_and_type():
    real = torch.zeros(4, 6, dtype=torch.float16).t()[:, 1:]
    assert described(fake_like(FakeTensorMode(), real)) == ((6, 3), (1, 6), torch.float16, torch.device("cpu"))


IMAGES = {
    "contiguous": lambda: image(),
    "channels last, f16": lambda: image(dtype=torch.float16).to(memory_format=torch.channels_last),
    "transposed": lambda: image().transpose(2, 3),
    "rows": lambda: image((5, 3)),
    "no images": lambda: image((0, 3, 5, 7)),
}


@pytest.mark.parametrize("name", IMAGES)
def test_batch_norm_is_that_of_the_decomposition(name):
    def run():
        with FakeTensorMode():
            return BATCH_NORM(IMAGES[name](), *[torch.empty(3) for _ in range(4)], 0.1, 1e-5)

    expected = [described(one) for one in run()]
    with quick_batch_norm():
        assert [described(one) for one in run()] == expected


def test_batch_norm_refuses_other_numbers_of_channels():
    with FakeTensorMode(), quick_batch_norm(), pytest.raises(RuntimeError):
        BATCH_NORM(image(), *[torch.empty(4) for _ in range(4)], 0.1, 1e-5)


def test_tables_of_pytorch_are_as_before():
    before = dict(op_implementations_dict), dict(meta_table)
    with pytest.raises(ValueError, match="inside"), quick_batch_norm():
        assert BATCH_NORM in meta_table
        raise ValueError("inside")
    assert (op_implementations_dict, meta_table) == before


def test_a_model_with_batch_norm_has_the_values_of_eager():
    torch.manual_seed(0)
    layers = [torch.nn.Conv2d(3, 5, 3), torch.nn.BatchNorm2d(5), torch.nn.ReLU()]
    model = torch.nn.Sequential(*layers).eval()
    model[1].running_mean.normal_()
    model[1].running_var.uniform_(0.5, 2)
    given = torch.randn(2, 3, 7, 9)
    with torch.no_grad():
        torch.testing.assert_close(torch.compile(model, backend="hexagon")(given), model(given), atol=1e-5, rtol=1e-5)
