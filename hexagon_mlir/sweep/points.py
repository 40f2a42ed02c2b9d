"""What a sweep measures: programs, each for every combination of a target, settings and sizes."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import msgspec

from hexagon_mlir.version import VERSION

Kind = Literal["kernel", "corpus", "script"]
Value = bool | int | str


class Program(msgspec.Struct, frozen=True):
    """``name`` is what tables call it; ``text`` the MLIR of a kernel, in which ``$NAME`` stands for a size, the name of
    a kernel of the corpus, or the path of a script, which gets sizes as arguments ``--NAME=N``; ``digest`` of what is
    not in ``text``: a script's contents."""

    name: str
    kind: Kind
    text: str
    digest: str = ""


class Point(msgspec.Struct, frozen=True):
    """One combination, in the order of `axes`."""

    program: Program
    target: str
    settings: tuple[tuple[str, Value], ...] = ()
    sizes: tuple[tuple[str, int], ...] = ()

    @property
    def key(self) -> str:
        """Equal for points that are measured alike: of everything that cycles depend on."""
        return hashlib.sha256(msgspec.json.encode((VERSION, self))).hexdigest()

    @property
    def label(self) -> str:
        """For progress and errors."""
        return " ".join([self.program.name, self.target, *(f"{name}={value}" for name, value in self.settings),
                         *(f"{name}={size}" for name, size in self.sizes)])


def points(programs: Iterable[Program], targets: Sequence[str], settings: Mapping[str, Sequence[Value]],
           sizes: Mapping[str, Sequence[int]]) -> list[Point]:
    """Every combination, the last size fastest; kernels of the corpus have sizes of their own.

    >>> kernel = Program("k", "kernel", "...")
    >>> [point.label for point in points([kernel], ["v75"], {"threads": [1, 4]}, {"N": [8]})]
    ['k v75 threads=1 N=8', 'k v75 threads=4 N=8']
    """
    return [Point(program, target, chosen, measured) for program in programs for target in targets
            for chosen in _combinations(settings)
            for measured in _combinations({} if program.kind == "corpus" else sizes)]


def _combinations(axes: Mapping[str, Sequence[Any]]) -> list[tuple[tuple[str, Any], ...]]:
    return [tuple(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())]
