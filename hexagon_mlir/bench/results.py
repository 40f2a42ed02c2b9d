"""What ``hexmlir bench`` has measured: a file of JSON, a table, and what changed since an older one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from hexagon_mlir.bench import ways
from hexagon_mlir.ir import HexError, read_all
from hexagon_mlir.version import VERSION

FORMAT = 1
SIGNIFICANT = 0.02
"""Changes of less are noise of other decisions: the simulator itself gives the same cycles each time."""
NOTE = "Cycles of an approximate model of the chip: compare ratios, not absolute times. Operands start in DDR."


@dataclass(frozen=True)
class Measured:
    """One kernel: ``cycles`` by way, ``failures`` (why) of the ways that do not work, and of the fastest of ours the
    ``bound``: cycles that the busiest unit needs, and which it is (`hexagon_mlir.bench.bounds`)."""

    size: str
    cycles: dict[str, int]
    failures: dict[str, str]
    bound: int
    by: str

    @property
    def ours(self) -> int | None:
        """The fewest cycles of ours; None when no way works."""
        return min((cycles for way, cycles in self.cycles.items() if way in ways.OURS), default=None)

    @property
    def share(self) -> float | None:
        """The part of our cycles that the bound is."""
        return self.bound / self.ours if self.ours else None

    def ratio(self, other: str) -> float | None:
        """The cycles of ``other``, which is none of ours, over ours."""
        return self.cycles[other] / self.ours if self.ours and other in self.cycles else None


@dataclass(frozen=True)
class Results:
    """Of one target; ``kernels`` by name."""

    target: str
    kernels: dict[str, Measured]
    version: str = VERSION
    format: int = FORMAT


@dataclass(frozen=True)
class Change:
    """Cycles of one way of a kernel before and now; None where there were or are none."""

    kernel: str
    way: str
    before: int | None
    now: int | None

    @property
    def significant(self) -> bool:
        """Whether it works or fails now and did not before, or its cycles changed by more than `SIGNIFICANT`."""
        return not self.before or not self.now or abs(self.now / self.before - 1) > SIGNIFICANT


@dataclass(frozen=True)
class Comparison:
    """``changes``, the largest first; ``ratio`` is the geometric mean of cycles now over before, of those in both."""

    changes: list[Change] = field(default_factory=list)
    ratio: float = 1.0


def encoded(results: Results) -> bytes:
    """``results`` as JSON."""
    return msgspec.json.format(msgspec.json.encode(results), indent=1) + b"\n"


def read(path: Path) -> Results:
    """The results in a file of `encoded`; raises `HexError` for anything else."""
    try:
        with path.open("rb") as stream:
            results = msgspec.json.decode(read_all(stream, str(path)), type=Results)
    except OSError as error:
        raise HexError.plain(f"cannot read the file: {error.strerror}", file=str(path)) from None
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise HexError.plain(f"no results of hexmlir bench: {error}", file=str(path)) from None
    if results.format != FORMAT:
        raise HexError.plain(f"format {results.format} of the file is not {FORMAT}", file=str(path),
                             hint="measure again")
    return results


def compared(before: Results, now: Results) -> Comparison:
    """What is different in ``now``; kernels that were not measured in both are left out."""
    changes, ratios = [], []
    for name, measured in now.kernels.items():
        old = before.kernels.get(name)
        if old is None or old.size != measured.size:
            continue
        for way in dict.fromkeys([*old.cycles, *measured.cycles]):
            change = Change(name, way, old.cycles.get(way), measured.cycles.get(way))
            if change.before and change.now:
                ratios.append(change.now / change.before)
            if change.before != change.now:
                changes.append(change)
    return Comparison(sorted(changes, key=_weight, reverse=True), geometric_mean(ratios) or 1.0)


def _weight(change: Change) -> float:
    return abs(math.log(change.now / change.before)) if change.now and change.before else math.inf


def markdown(results: Results) -> str:
    """The table, with geometric means of the cycles of others over ours, and what does not work."""
    kernels = results.kernels
    used = _used(kernels.values())
    others = [way for way in used if way not in ways.OURS]
    rows = [[name, m.size, *(_number(m.cycles.get(way)) for way in used), *(_times(m.ratio(way)) for way in others),
             f"{m.bound:,} ({m.by})" if m.by else "-", f"{m.share:.0%}" if m.share else "-"]
            for name, m in kernels.items()]
    headers = ("kernel", "size", *used, *(f"{way} / ours" for way in others), "bound", "share of the bound")
    lines = [f"Target {results.target}, simulated cycles; hexagon-mlir {results.version}.", ""]
    lines += [*_table(headers, rows), "", *_means(kernels, others), ""]
    lines += [f"* {name}, {way}: {why}" for name, m in kernels.items() for way, why in m.failures.items()]
    return "\n".join([*lines, NOTE, ""])


def _used(measured: Iterable[Measured]) -> list[str]:
    """The ways that work for some kernel, in the order of the table: files that a user names come last."""
    found = dict.fromkeys(way for one in measured for way in one.cycles)
    return [*(way for way in ways.WAYS if way in found), *(way for way in found if way not in ways.WAYS)]


def _means(kernels: Mapping[str, Measured], others: Iterable[str]) -> list[str]:
    """Of each of the ``others``: the geometric mean over ours, and where it is faster."""
    lines = []
    for way in others:
        ratios = {name: ratio for name, one in kernels.items() if (ratio := one.ratio(way))}
        if mean := geometric_mean(list(ratios.values())):
            faster = [f"{name} ({ratio:.2f})" for name, ratio in ratios.items() if ratio < 1]
            lines.append(f"* cycles of {way} over the fewest of ours, geometric mean of {len(ratios)}: {mean:.2f}; "
                         f"below 1: {', '.join(faster) or 'none'}")
    shares = [one.share for one in kernels.values() if one.share]
    if mean := geometric_mean(shares):
        lines.append(f"* share of the bound, geometric mean: {mean:.0%}")
    return lines


def difference(comparison: Comparison) -> str:
    """``comparison`` as a table."""
    if not comparison.changes:
        return "no cycles changed\n"
    rows = [[change.kernel, change.way, _number(change.before), _number(change.now),
             f"{change.now / change.before - 1:+.2%}" if change.now and change.before else "-",
             "yes" if change.significant else "no"] for change in comparison.changes]
    return "\n".join([*_table(("kernel", "way", "before", "now", "change", "significant"), rows), "",
                      f"Cycles now over before, geometric mean: {comparison.ratio:.4f}.", ""])


def _times(ratio: float | None) -> str:
    return f"{ratio:.1f}x" if ratio else "-"


def _number(cycles: int | None) -> str:
    return "-" if cycles is None else f"{cycles:,}"


def _table(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(headers)} |", f"|{'---|' * len(headers)}", *(f"| {' | '.join(row)} |" for row in rows)]


def geometric_mean(values: Sequence[float]) -> float | None:
    """Of ``values``, which are positive; None of no values."""
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None

