"""Groups of operators for the tests of the bytecode, with references in numpy."""

from math import erf

import numpy as np

from hexagon_mlir.bytecode.group import Group, Inverse


def gelu_chain():
    group = Group()
    x = group.input("m", "n")
    inner = group.apply("add", group.apply("erf", group.apply("mul", x, 0.70710678)), 1.0)
    group.output(group.apply("mul", group.apply("mul", x, 0.5), inner))
    return group


def layer_norm():
    """With a weight for each column and a bias that is one number for all."""
    group = Group()
    x, weight, bias = group.input("m", "n"), group.input("n"), group.input()
    mean = group.apply("mul", group.apply("reduce_sum", x), Inverse("n"))
    centred = group.apply("sub", x, mean)
    variance = group.apply("mul", group.apply("reduce_sum", group.apply("square", centred)), Inverse("n"))
    normal = group.apply("mul", centred, group.apply("rsqrt", group.apply("add", variance, 1e-5)))
    group.output(group.apply("add", group.apply("mul", normal, weight), bias))
    return group


def layer_norm_reference(x, weight, bias):
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt((centred * centred).mean(-1, keepdims=True) + 1e-5) * weight + bias


def gelu_reference(x):
    return x * 0.5 * (1 + np.vectorize(erf, otypes=[float])(x * 0.70710678))


def softmax_reference(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)
