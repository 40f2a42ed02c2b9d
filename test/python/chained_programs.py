"""Random programs of several linalg operations: results are read again transposed, repeated, by steps or windows."""

from __future__ import annotations

import numpy as np
from linalg_programs import COMBINERS, NUMPY, RAGGED, Body, Program, is_float, over_loops, tensor, values

_TYPES = ("f32", "f16", "i8", "i16", "i32", "f32")
_SMALL = (1, 2, 3, 4, 5, 7, 8, 12)
_EXACT = {True: ("maximumf", "minimumf"), False: ("addi", "maxsi", "minsi", "maxui", "xori")}


def _read(rng: np.random.Generator, extents: tuple[int, ...], values_: list[tuple[str, str, np.ndarray]],
          new: list[tuple[str, str, np.ndarray]]) -> tuple[str, str, list[str], np.ndarray]:
    """An operand over loops ``extents``: (name, type, the map's results, its elements over all loops)."""
    rank = len(extents)
    fitting = []
    for name, type_, array in values_:  # each dimension of an earlier value along a loop of its size
        dims: list[int] | None = []
        for size in array.shape:
            free = [d for d in range(rank) if extents[d] == size and d not in (dims or [])]
            dims = None if dims is None or not free else [*dims, int(rng.choice(free))]
        if dims is not None and array.ndim:
            fitting.append((name, type_, dims, array))
    if fitting and rng.random() < 0.75:
        name, type_, dims, array = fitting[rng.integers(len(fitting))]
        return name, type_, [f"d{d}" for d in dims], over_loops(array, tuple(dims), extents)
    type_, name = str(rng.choice(_TYPES)), f"%in{len(new)}"
    dims = [int(d) for d in rng.permutation(rank)[:int(rng.integers(1, rank + 1))]]
    if rng.random() < 0.5:
        dims = sorted(dims)
    steps = [int(rng.integers(2, 4)) if rng.random() < 0.15 else 1 for _ in dims]
    first = [int(rng.integers(0, 3)) if step > 1 else 0 for step in steps]
    left = [d for d in range(rank) if d not in dims]
    window = int(rng.choice(left)) if left and rng.random() < 0.4 else None  # the last dimension is read by windows
    if window is not None:
        steps[-1], first[-1] = 1, 0
    shape = [first[i] + (extents[d] - 1) * steps[i] + 1 for i, d in enumerate(dims)]
    if window is not None:
        shape[-1] += extents[window] - 1
    array = values(rng, type_, tuple(shape))
    new.append((name, type_, array))
    index = np.indices(extents)
    places = [first[i] + index[d] * steps[i] for i, d in enumerate(dims)]
    texts = [f"d{d}" + (f" * {steps[i]}" if steps[i] > 1 else "") + (f" + {first[i]}" if first[i] else "")
             for i, d in enumerate(dims)]
    if window is not None:
        places[-1] = places[-1] + index[window]
        texts[-1] += f" + d{window}"
    return name, type_, texts, array[tuple(places)]


def random_chain(seed: int) -> Program:
    """Two to five elementwise operations and exact reductions; the last one's result is returned."""
    rng = np.random.default_rng(seed)
    rank = int(rng.integers(1, 4))
    sizes = [int(rng.choice(_SMALL)) for _ in range(rank)]
    sizes[int(rng.integers(rank))] = int(rng.choice(RAGGED[:12]))
    made: list[tuple[str, str, np.ndarray]] = []
    inputs: list[tuple[str, str, np.ndarray]] = []
    lines: list[str] = []
    count = int(rng.integers(2, 6))
    for number in range(count):
        extents = tuple(sizes[d] for d in (rng.permutation(rank) if rng.random() < 0.2 else range(rank)))
        body = Body(rng)
        operands = []
        with np.errstate(all="ignore"):
            for place in range(int(rng.integers(1, 4))):
                name, type_, map_, array = _read(rng, extents, [*made, *inputs], inputs)
                operands.append((name, type_, map_))
                body.values.append((f"%i{place}", type_, array))
            body.grow(int(rng.integers(1, 5)))
            value = body.values[-1] if body.values[-1][1] != "i1" else body.pick()
            assert value is not None
            element, type_, array = value
            array = np.broadcast_to(array, extents)
            reduced = [int(d) for d in rng.permutation(rank)[:int(rng.integers(1, rank + 1))]] if (
                rng.random() < 0.4 and number < count - 1) else []
            kept = [d for d in range(rank) if d not in reduced]
            covered = {d for _, _, map_ in operands for d in range(rank) if f"d{d}" in map_}
            if not set(reduced) <= covered:
                reduced, kept = [], list(range(rank))
            out_dims = [int(d) for d in rng.permutation(kept)] if rng.random() < 0.2 else kept
            shape = tuple(extents[d] for d in out_dims)
            start = f"%e{number}"
            lines.append(f"  {start} = tensor.empty() : {tensor(type_, shape)}")
            if reduced:
                combiner = str(rng.choice(_EXACT[is_float(type_)]))
                initial = values(rng, type_, (1,), special=False)[0]
                text = f"{float(initial):.9e}" if is_float(type_) else str(int(initial))
                lines += [f"  %c{number} = arith.constant {text} : {type_}",
                          f"  %s{number} = linalg.fill ins(%c{number} : {type_}) outs({start} : {tensor(type_, shape)})"
                          f" -> {tensor(type_, shape)}"]
                start = f"%s{number}"
                body.lines.append(f"      %acc = arith.{combiner} %o, {element} : {type_}")
                element = "%acc"
                kind = np.dtype(f"u{np.dtype(NUMPY[type_]).name}") if combiner == "maxui" else NUMPY[type_]
                total = COMBINERS[combiner].reduce(array.view(kind), axis=tuple(reduced), dtype=kind)
                array = COMBINERS[combiner](np.asarray(initial).view(kind), total).astype(kind).view(NUMPY[type_])
            array = np.transpose(array, [kept.index(d) for d in out_dims])
        letters = ", ".join(f"d{d}" for d in range(rank))
        maps = [", ".join(map_) for _, _, map_ in operands] + [", ".join(f"d{d}" for d in out_dims)]
        kinds = ", ".join('"reduction"' if d in reduced else '"parallel"' for d in range(rank))
        known = {name: tensor(type_, a.shape) for name, type_, a in [*made, *inputs]}
        names = ", ".join(name for name, _, _ in operands)
        types = ", ".join(known[name] for name, _, _ in operands)
        arguments = ", ".join([*(f"%i{i}: {t}" for i, (_, t, _) in enumerate(operands)), f"%o: {type_}"])
        affine = ", ".join(f"affine_map<({letters}) -> ({m})>" for m in maps)
        lines += [f"  %r{number} = linalg.generic {{indexing_maps = [{affine}], iterator_types = [{kinds}]}}",
                  f"      ins({names} : {types}) outs({start} : {tensor(type_, shape)}) {{",
                  f"    ^bb0({arguments}):", *body.lines, f"      linalg.yield {element} : {type_}",
                  f"  }} -> {tensor(type_, shape)}"]
        made.append((f"%r{number}", type_, np.array(array)))
    name, type_, array = made[-1]
    arguments = ", ".join(f"{n}: {tensor(t, a.shape)}" for n, t, a in inputs)
    result = tensor(type_, array.shape)
    text = (f"func.func @chain_{seed}({arguments}) -> {result} {{\n" + "\n".join(lines)
            + f"\n  return {name} : {result}\n}}\n")
    return Program(f"chain_{seed}", text, [a for _, _, a in inputs], array, dtype=array.dtype)
