"""A sample of `bench.corpus.single_ops`, which `scripts/single_ops.py` sweeps in full: odd shapes, special values."""

import sys

import pytest
from support import ROOT

sys.path.insert(0, str(ROOT))
from bench.corpus.core_ops import CALLS, UNUSED, core_aten, short_name
from bench.corpus.single_ops import cases, difference, differences

pytestmark = pytest.mark.only_values

SAMPLE = ("relu (7,) special", "clamp (7,) special", "relu6 (3, 33)", "silu (2, 5, 19)", "div (2, 5, 19)",
          "tanh (7,) special", "softmax first (3, 33)", "argmax (3, 33)", "var (3, 33)", "cat (7,)",
          "transpose (3, 33)",
          "gelu (7,) special", "mish (7,) special", "clamp min (3, 33) special", "less (7,) special",
          "is nan (7,) special", "select (3, 33)", "broadcast (2, 5, 19)", "hardswish (7,) special",
          "bilinear", "nearest uneven", "grid sample", "equal to itself", "attention masked", "index of two",
          "integer quotient", "conv2d strided", "conv2d grouped dilated", "max pool special",
          "prelu special", "GRU cell with biases", "LSTM cell with biases", "scatter into zeros", "scatter i64",
          "scatter f16", "index put accumulated", "index put of two", "index put behind", "sorted special",
          "sorted i64", "last 5 special", "top 3 of -inf", "batch norm affine", "rms norm", "instance norm 3-D",
          "and, or, xor", "bits", "conv2d quantized",
          "conv2d bytes grouped", "matmul bytes from zero points", "matmul bytes as i64", "conv2d same",
          "conv2d unbatched", "adaptive max pool", "cummax", "masked scatter", "pad circular", "signs",
          "constants returned", "only a constant", "bytes over 3", "bytes compared", "bytes reduced", "bytes of floats",
          "searchsorted", "core convolution.default 5", "core clamp.Tensor 0", "core _embedding_bag.default 0",
          "core _pdist_forward.default 3", "core scatter_reduce.two 5", "core scatter_reduce.two 9")
SIMILAR = ("conv2d unbatched", "conv2d same", "top 3 of -inf", "nearest uneven", "matmul bytes as i64", "sorted i64",
           "conv2d quantized")
"""Of the sample; another one is as these are."""
CASES = [case for case in cases() if case.name in SAMPLE]
INFINITE = ("gelu (7,) special", "mish (7,) special", "hardswish (7,) special", "prelu special", "equal to itself")
"""Products with infinity, or equality of sums that PyTorch computes: not as IEEE 754 on v75."""
PARTS = 4
"""Models of the sample."""


@pytest.mark.parametrize("part", range(PARTS))
def test_ops(part):
    found = differences([case for case in CASES if case.name not in (*INFINITE, *SIMILAR)][part::PARTS])
    assert not {name: text for name, text in found.items() if text}


@pytest.mark.ieee_arithmetic
def test_ops_of_infinity():
    found = differences([case for case in CASES if case.name in INFINITE])
    assert found == dict.fromkeys(INFINITE, "")


@pytest.mark.full
@pytest.mark.parametrize("case", [
    pytest.param(case, id=case.name, marks=[pytest.mark.ieee_arithmetic] * (case.name in INFINITE)) for case in CASES])
def test_op(case):
    assert difference(case) == ""


def test_the_sample_is_there():
    assert {case.name for case in CASES} == set(SAMPLE)


def test_every_core_op_is_called_or_has_a_reason():
    """A newer PyTorch that tags more ops as core must not pass in silence."""
    assert {short_name(op) for op in core_aten()} == set(CALLS) | set(UNUSED) and not set(CALLS) & set(UNUSED)
