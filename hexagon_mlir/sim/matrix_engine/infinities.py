"""Infinities and NaN among products: what they make of the accumulators with USR bit 20 set."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hexagon_mlir.sim.matrix_engine.formats import NAN, NEGATIVE_INFINITY, POSITIVE_INFINITY

INFINITY, MAGNITUDE = 0x7C00, 0x7FFF


class Classes(NamedTuple):
    """Which elements of an operand are what; f32 of 0 and 1, so that a product of matrices counts."""

    nan: np.ndarray
    zero: np.ndarray
    positive: np.ndarray
    """Above zero, infinity included."""
    negative: np.ndarray
    positive_infinity: np.ndarray
    negative_infinity: np.ndarray


def classes(halves: np.ndarray, present: np.ndarray | None = None) -> Classes:
    """``halves``: bits of half precision, uint16; elements that are not ``present`` belong nowhere."""
    magnitude, negative = halves & MAGNITUDE, halves > MAGNITUDE
    nan, infinite, zero = magnitude > INFINITY, magnitude == INFINITY, magnitude == 0
    number = ~nan & ~zero
    found = [nan, zero, number & ~negative, number & negative, infinite & ~negative, infinite & negative]
    return Classes(*((one if present is None else one & present).astype(np.float32) for one in found))


def kinds(a: Classes, w: Classes) -> np.ndarray:
    """Kinds (`formats`) of the sums of products: ``a`` [rows][channels], ``w`` [channels][columns]."""
    a_infinite, w_infinite = a.positive_infinity + a.negative_infinity, w.positive_infinity + w.negative_infinity
    present = w.nan + w.zero + w.positive + w.negative
    nan = a.nan @ present + np.ones_like(a.nan) @ w.nan + a_infinite @ w.zero + a.zero @ w_infinite
    positive = (a.positive_infinity @ w.positive + a.negative_infinity @ w.negative
                + a.positive @ w.positive_infinity + a.negative @ w.negative_infinity)
    negative = (a.positive_infinity @ w.negative + a.negative_infinity @ w.positive
                + a.positive @ w.negative_infinity + a.negative @ w.positive_infinity)
    return (nan > 0) * NAN | (positive > 0) * POSITIVE_INFINITY | (negative > 0) * NEGATIVE_INFINITY
