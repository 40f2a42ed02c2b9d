"""The weights of attention in f16: 2^(t + 10) by 16-bit integers, for all f16 numbers t up to 0."""

import numpy as np
from batch import after, on_host, on_simulator

from hexagon_mlir.frontend.torch.kernels.builder import FunctionBuilder, Type
from hexagon_mlir.frontend.torch.kernels.softmax_weights import power_of_two, reciprocal


def text(count):
    op = FunctionBuilder([Type("f16", (count,)), Type("f16", (count,))])
    out = op.generic("i,i->i", op.arguments, op.empty(Type("f16", (count,))),
                     lambda score, most, _: power_of_two(op, score, most))
    return op.text(out)


def numbers():
    """All from 0 down to the least, as a score with a maximum of 0; and scores around other maxima."""
    negative = np.arange(0x8000, 0xFC00, dtype=np.uint16).view(np.float16)
    most = np.repeat(np.array([-65504, -60000, -300.5, 7.25, 1234], np.float16), 64)
    scores = (most.astype(np.float64) - np.tile(np.arange(64) / 4, 5)).clip(-65504, None).astype(np.float16)
    return np.concatenate([negative, scores]), np.concatenate([np.zeros_like(negative), most])


def check(found, scores, most, last):
    """``last``: how far the largest may be off, relatively."""
    difference = scores.astype(np.float64) - most.astype(np.float64)
    right = np.exp2(difference + 10)
    normal = right >= 2.0**-14
    assert np.max(np.abs(found[normal] / right[normal] - 1)) < 2.0**-9
    assert np.max(np.abs(found - right)[~normal]) <= 2.0**-15
    assert np.all(found[difference <= -25.01] == 0)
    assert np.all(np.abs(found[difference == 0] / 1024 - 1) <= last), "the largest score of a row has the weight 2^10"


def test_on_the_host():
    given = numbers()
    module, _ = after(text(len(given[0])), [])
    check(on_host(module, ["kernel"])("kernel", given)[0].astype(np.float64), *given, last=0.0)


def test_on_the_simulator():
    given = numbers()
    call, asm = on_simulator(text(len(given[0])))
    assert "vmpy" in asm
    result = np.zeros_like(given[0])
    call("kernel", [*given, result])
    check(result.astype(np.float64), *given, last=2.0**-10)


def test_reciprocals():
    """Within 2^-15, of sums as of 2,048 weights."""
    numbers = np.random.default_rng(0).uniform(2.0**-5, 2.0**8, 4096).astype(np.float32)
    op = FunctionBuilder([Type("f32", numbers.shape)])
    out = op.generic("i->i", op.arguments, op.empty(Type("f32", numbers.shape)), lambda x, _: reciprocal(op, x))
    program = op.text(out)
    module, _ = after(program, [])
    results = [on_host(module, ["kernel"])("kernel", [numbers])[0], np.zeros_like(numbers)]
    on_simulator(program)[0]("kernel", [numbers, results[1]])
    for result in results:
        assert np.max(np.abs(result * numbers.astype(np.float64) - 1)) < 2.0**-15
