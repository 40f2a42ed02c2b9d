"""Random programs over every k-th element and over rows of a few elements, with the values numpy gives for them."""

from __future__ import annotations

import numpy as np
from linalg_programs import EPSILON, NUMPY, VECTOR_TYPES, Program, is_float, tensor, values


def _sizes(rng: np.random.Generator, rank: int) -> tuple[int, ...]:
    short, long = rng.integers(1, 17, rank), rng.integers(1, 140, rank)
    return tuple(int(s) for s in np.where(np.arange(rank) == rng.integers(rank), long, short))


def random_strided(seed: int) -> Program:
    """y with x[first::stride, ...], its dimensions in any order, added to every ``stride``-th element of it; or with
    that summed along one dimension.
    """
    rng = np.random.default_rng(seed)
    type_, rank = str(rng.choice(VECTOR_TYPES)), int(rng.integers(1, 4))
    sizes = _sizes(rng, rank)
    order = [int(d) for d in rng.permutation(rank)]
    summed = int(rng.integers(rank)) if rank > 1 and rng.random() < 0.4 else None
    kept = [d for d in range(rank) if d != summed]
    strides, out_strides = (np.where(rng.random(n) < 0.4, rng.integers(2, 10, n), 1).tolist()
                            for n in (rank, len(kept)))
    starts, out_starts = ([int(rng.integers(0, s)) for s in of] for of in (strides, out_strides))
    shape = tuple(sizes[d] for d in order)
    part = tuple(sizes[d] for d in kept)
    x = values(rng, type_, tuple(n * s for n, s in zip(shape, strides, strict=True)), special=summed is None)
    y = values(rng, type_, tuple(n * s for n, s in zip(part, out_strides, strict=True)), special=summed is None)
    letters = "ijk"[:rank]
    kinds = ", ".join('"reduction"' if d == summed else '"parallel"' for d in range(rank))
    maps = [", ".join(letters[d] for d in dims) for dims in (order, kept)]
    affine = ", ".join(f"affine_map<({', '.join(letters)}) -> ({m})>" for m in maps)
    name, out = f"strided_{seed}", tensor(type_, part)
    text = f"""
func.func @{name}(%x: {tensor(type_, x.shape)}, %y: {tensor(type_, y.shape)}) -> {tensor(type_, y.shape)} {{
  %a = tensor.extract_slice %x{starts} {list(shape)} {strides} : {tensor(type_, x.shape)} to {tensor(type_, shape)}
  %b = tensor.extract_slice %y{out_starts} {list(part)} {out_strides} : {tensor(type_, y.shape)} to {out}
  %r = linalg.generic {{indexing_maps = [{affine}], iterator_types = [{kinds}]}}
      ins(%a : {tensor(type_, shape)}) outs(%b : {out}) {{
  ^bb0(%v: {type_}, %o: {type_}):
    %s = arith.add{'f' if is_float(type_) else 'i'} %o, %v : {type_}
    linalg.yield %s : {type_}
  }} -> {out}
  %z = tensor.insert_slice %r into %y{out_starts} {list(part)} {out_strides} : {out} into {tensor(type_, y.shape)}
  return %z : {tensor(type_, y.shape)}
}}
"""
    every = x[tuple(slice(b, None, s) for b, s in zip(starts, strides, strict=True))]
    every = np.transpose(every, [order.index(d) for d in range(rank)])
    chosen = tuple(slice(b, None, s) for b, s in zip(out_starts, out_strides, strict=True))
    expected, error = y.copy(), None
    with np.errstate(over="ignore", invalid="ignore"):
        if summed is None:
            expected[chosen] = y[chosen] + every
        else:
            exact = np.float64 if is_float(type_) else NUMPY[type_]
            expected[chosen] = (y[chosen].astype(exact) + every.astype(exact).sum(axis=summed, dtype=exact)).astype(
                NUMPY[type_])
            if is_float(type_):
                error = np.zeros(y.shape)
                size = np.abs(every.astype(np.float64)).sum(axis=summed) + np.abs(y[chosen].astype(np.float64))
                error[chosen] = (sizes[summed] + 1) * EPSILON[type_] * size
    return Program(name, text, [x, y], expected, error)
