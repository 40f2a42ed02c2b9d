"""Kernels of `hexagon_mlir.bench.size_kernels` as groups of operators for bytecode."""

from __future__ import annotations

from collections.abc import Callable

from hexagon_mlir.bytecode.group import Group, Inverse


def add() -> Group:
    """The sum of two matrices."""
    group = Group()
    group.output(group.apply("add", group.input("rows", "columns"), group.input("rows", "columns")))
    return group


def gelu() -> Group:
    """GELU of a matrix."""
    group = Group()
    group.output(group.apply("gelu", group.input("rows", "columns")))
    return group


def softmax() -> Group:
    """Of each row of a matrix."""
    group = Group()
    x = group.input("rows", "columns")
    e = group.apply("exp", group.apply("sub", x, group.apply("reduce_max", x)))
    group.output(group.apply("mul", e, group.apply("reciprocal", group.apply("reduce_sum", e))))
    return group


def rms_norm() -> Group:
    """Of each row of a matrix, without weights."""
    group = Group()
    x = group.input("rows", "columns")
    mean = group.apply("mul", group.apply("reduce_sum", group.apply("square", x)), Inverse("columns"))
    group.output(group.apply("mul", x, group.apply("rsqrt", group.apply("add", mean, 1e-5))))
    return group


GROUPS: dict[str, Callable[[], Group]] = {"vector add": add, "GELU": gelu, "softmax": softmax, "RMS norm": rms_norm}
"""By the name of the kernel."""
