"""Loads and stores of every ``k``-th element: deinterleaving of vector pairs, then blends and one permutation.

Where ``k`` is odd, each lane of ``k`` consecutive vectors holds an element of every phase once, so that selecting by
lane collects the elements of one phase in one vector. Multiplying lane numbers by ``k`` sorts them, which is a
permutation that one ``vdelta`` does (Lawrie, "Access and alignment of data in an array processor", IEEE Trans.
Computers, 1975). Where ``k`` is even, pairs of vectors are deinterleaved into even and odd elements first.
"""

from __future__ import annotations

from collections.abc import Sequence

from hexagon_mlir.ir import ir, vector


class Phases:
    """``k`` contiguous vectors, indexed by phase: elements phase, phase + k, phase + 2 * k, ..."""

    def __init__(self, vectors: Sequence[ir.Value]):
        self.vectors = vectors
        self.halves: dict[int, Phases] = {}

    def __getitem__(self, phase: int) -> ir.Value:
        stride = len(self.vectors)
        if stride == 1:
            return self.vectors[0]
        return self._half(phase % 2)[phase // 2] if stride % 2 == 0 else self._blended(phase)

    def _half(self, odd: int) -> Phases:
        if odd not in self.halves:
            pairs = zip(self.vectors[::2], self.vectors[1::2], strict=True)
            every = range(odd, 2 * _lanes(self.vectors), 2)
            self.halves[odd] = Phases([vector.shuffle(a, b, list(every)) for a, b in pairs])
        return self.halves[odd]

    def _blended(self, phase: int) -> ir.Value:
        stride, lanes = len(self.vectors), _lanes(self.vectors)
        holder = [next(v for v in range(stride) if (v * lanes + lane) % stride == phase) for lane in range(lanes)]
        return vector.shuffle(*[_blend(self.vectors, holder)] * 2, [(phase + stride * n) % lanes for n in range(lanes)])


def interleaved(phases: Sequence[ir.Value]) -> list[ir.Value]:
    """Contiguous vectors from one vector for each phase: the inverse of `Phases`."""
    stride, lanes = len(phases), _lanes(phases)
    if stride == 1:
        return list(phases)
    if stride % 2 == 0:
        pairs = zip(interleaved(phases[::2]), interleaved(phases[1::2]), strict=True)
        return [half for even, odd in pairs for half in _halves(even, odd)]
    back = pow(stride, -1, lanes)
    spread = [vector.shuffle(v, v, [(lane - phase) * back % lanes for lane in range(lanes)])
              for phase, v in enumerate(phases)]
    return [_blend(spread, [(number * lanes + lane) % stride for lane in range(lanes)]) for number in range(stride)]


def spread(value: ir.Value, stride: int) -> list[ir.Value]:
    """Contiguous vectors whose every ``stride``-th element is one of ``value``; the others are unspecified."""
    lanes = int(ir.VectorType(value.type).shape[0])
    if stride % 2 == 0:
        return [half for part in spread(value, stride // 2) for half in _halves(part, part)]
    if stride == 1:
        return [value]
    back = pow(stride, -1, lanes)
    return [vector.shuffle(value, value, [lane * back % lanes for lane in range(lanes)])] * stride


def _halves(even: ir.Value, odd: ir.Value) -> list[ir.Value]:
    """The elements of ``even`` and ``odd`` interleaved, in one shuffle: LLVM 22 selects one ``vshuff`` for it."""
    lanes = int(ir.VectorType(even.type).shape[0])
    both = vector.shuffle(even, odd, [n for lane in range(lanes) for n in (lane, lane + lanes)])
    return [vector.shuffle(both, both, list(range(start, start + lanes))) for start in (0, lanes)]


def _blend(vectors: Sequence[ir.Value], chosen: Sequence[int]) -> ir.Value:
    """Each lane is taken from the vector that ``chosen`` has for it."""
    lanes, result = len(chosen), vectors[0]
    for number, other in enumerate(vectors[1:], 1):
        result = vector.shuffle(result, other,
                                [lane + lanes * (which == number) for lane, which in enumerate(chosen)])
    return result


def _lanes(vectors: Sequence[ir.Value]) -> int:
    return int(ir.VectorType(vectors[0].type).shape[0])
