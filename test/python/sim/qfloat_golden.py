"""The golden lanes of ``test/golden/qfloat`` as programs: for each form its assembly, input bytes and expected bytes.

A program is a function ``f(r0 = inputs, r1 = results)`` that loads its operands, runs the form once on whole vectors
and stores what it wrote. Any implementation that runs assembly can be asked: see `Program`.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

ARCHIVE = Path(__file__).parents[2] / "golden" / "qfloat" / "qfloat.npz"
VECTOR = 128
CHIPS = {"v75": "v75", "v79": "v79", "v81": "v81", "ieee": "v81"}
"""A chip that has all forms of a generation."""
BITS = {"sf": 32, "qf32": 32, "w": 32, "hf": 16, "qf16": 16, "bf": 16, "h": 16, "uh": 16, "f8": 8, "b": 8, "ub": 8}
_OPERAND = re.compile(r"(VV|V|Q)(?:\.(\w+))?")
Place = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
"""Entries of a form to the register (0 or 1) and the element there that each stands in."""


def _plain(entry: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return entry * 0, entry


def _halves(entry: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Even entries in the low (or first) register, odd ones in the other."""
    return entry % 2, entry // 2


def _byte_pairs(entry: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Two of the first register, two of the second."""
    return entry // 2 % 2, entry // 4 * 2 + entry % 2


@dataclass(frozen=True)
class Operand:
    """A register or two of a form, beginning with ``number``."""

    field: str
    """In the archive: a, b, c, out."""
    number: int
    pair: bool
    bits: int
    place: Place
    predicate: bool = False
    extended: bool = False
    """It has extension bits in the archive."""

    @property
    def registers(self) -> range:
        """Their numbers."""
        return range(self.number, self.number + 1 + self.pair)


@dataclass(frozen=True)
class Program:
    """One form of one generation, and the vectors it takes: `text` is assembly for ``chip``.

    ``inputs`` is (runs, bytes), one row per call of ``f``; ``expected`` is (runs, bytes), and ``care`` marks the bytes
    that count. ``lanes`` is the number of entries of the archive.
    """

    generation: str
    form: str
    chip: str
    text: str
    inputs: np.ndarray
    expected: np.ndarray
    care: np.ndarray
    lanes: int

    @property
    def name(self) -> str:
        """For messages."""
        return f"{self.generation}/{self.form}"

    def wrong(self, results: np.ndarray) -> str:
        """What differs in ``results``, (runs, bytes): '' if nothing does."""
        bad = (results != self.expected) & self.care
        if not bad.any():
            return ""
        run, byte = np.argwhere(bad)[0]
        where = slice(byte // 4 * 4, byte // 4 * 4 + 4)
        word, right = (int(x[run, where].view(np.uint32)[0]) for x in (results, self.expected))
        return f"{self.name}: byte {byte} of run {run}: {word:#010x}, not {right:#010x}; {int(bad.sum())} bytes in all"


@functools.cache
def archive() -> dict[tuple[str, str], dict[str, np.ndarray]]:
    """(generation, form) -> field -> one entry per lane."""
    forms: dict[tuple[str, str], dict[str, np.ndarray]] = {}
    with np.load(ARCHIVE) as data:
        for key in data.files:
            generation, form, field = key.split("/")
            forms.setdefault((generation, form), {})[field] = data[key]
    return forms


def programs(generation: str, alone: bool = False) -> Iterator[Program]:
    """Every form of a generation; ``alone`` gives every entry a run of its own, in all lanes."""
    for (found, form), fields in archive().items():
        if found == generation:
            yield _program(generation, form, fields, alone)


def _operands(form: str, fields: dict[str, np.ndarray]) -> list[Operand]:
    """The result (``c`` before it when the form accumulates) and the sources."""
    left, right = re.split(r"\+?=", form, maxsplit=1)
    found = []
    sources = _OPERAND.findall(right)
    for index, (cls, suffix) in enumerate([*_OPERAND.findall(left), *sources]):
        field = "out" if index == 0 else "ab"[index - 1]
        if field == "b" and "b" not in fields:
            break  # the second source of a narrowing conversion: more lanes of the first
        place: Place = _halves if cls == "VV" else _plain
        pair = cls == "VV"
        if field == "a" and len(sources) == 2 and "b" not in fields:
            place, pair = (_byte_pairs if left in ("V.b", "V.ub") else _halves), True
        found.append(Operand(field, 10 if index == 0 else 2 * index - 2, pair, BITS.get(suffix, 0), place, cls == "Q",
                             f"{field}ext" in fields))  # fmt: skip
    return found


def _program(generation: str, form: str, fields: dict[str, np.ndarray], alone: bool) -> Program:
    result, *sources = _operands(form, fields)
    count = len(fields["a"])
    kind = sources[0]
    per_run = VECTOR * 8 // kind.bits * (2 if kind.pair else 1)
    result = replace(result, bits=kind.bits if result.predicate else 8 * fields["out"].itemsize)
    runs = count if alone else -(-count // per_run)
    lanes = np.arange(runs * per_run).reshape(runs, per_run)
    entries = lanes // per_run if alone else np.minimum(lanes, count - 1)  # the last one fills up
    operands = [*sources, *([replace(result, field="c")] if "c" in fields else [])]
    lines, blocks = ["r9 = #-1"], []
    for operand in operands:
        for register in operand.registers:
            lines += [f"v{register} = vmem(r0++#1)"]
        blocks.append(_spread(operand, fields[operand.field][entries]))
    for operand in operands:
        if operand.extended:
            for register in operand.registers:
                lines += ["v20 = vmem(r0++#1)", "v20.x = vsetqfext(v20,r9)"]
                lines.append(f"v{register} = vmerge(v20.x,v{register}.w)")
            blocks.append(_spread(operand, _as_bytes(fields[operand.field + "ext"][entries], operand.bits)))
    lines.append(_line(form, sources, result))
    expected = [_spread(result, fields["out"][entries])]
    if result.predicate:
        lines += ["v12 = vand(q0,r9)", "vmem(r1++#1) = v12"]
    else:
        lines += [f"vmem(r1++#1) = v{register}" for register in result.registers]
    if result.extended:
        for register in result.registers:
            lines += [f"v20 = vgetqfext(v{register}.x,r9)", "vmem(r1++#1) = v20"]
        expected.append(_spread(result, _as_bytes(fields["outext"][entries], result.bits)))
    text = "\t.text\n\t.globl\tf\n\t.type\tf,@function\nf:\n"
    text += "".join(f"\t{{\n\t\t{line}\n\t}}\n" for line in [*lines, "jumpr r31"])
    wanted = np.concatenate(expected, axis=1)
    return Program(generation, form, CHIPS[generation], text, np.concatenate(blocks, axis=1), wanted,
                   np.ones(wanted.shape, bool), count)  # fmt: skip


def _as_bytes(bits: np.ndarray, width: int) -> np.ndarray:
    """Extension bits as ``vgetqfext`` shows them: a byte of ones for each that is set, in lanes of ``width``."""
    return sum((bits >> n & 1).astype(f"u{width // 8}") * (0xFF << 8 * n) for n in range(width // 8))


def _spread(operand: Operand, values: np.ndarray) -> np.ndarray:
    """(runs, entries) as (runs, bytes) of the operand's registers."""
    runs, entries = values.shape
    if operand.predicate:
        return np.repeat(np.where(values, 255, 0).astype(np.uint8), operand.bits // 8, axis=1)
    per_register = VECTOR * 8 // operand.bits
    registers = np.zeros((runs, 2 if operand.pair else 1, per_register), values.dtype)
    register, element = operand.place(np.arange(entries))
    registers[:, register, element] = values
    return registers.reshape(runs, -1).view(np.uint8)


def _line(form: str, sources: list[Operand], result: Operand) -> str:
    """The form with the registers that `_operands` gave them."""
    left, assign, right = re.split(r"(\+?=)", form, maxsplit=1)
    names = []
    for source in sources:
        if source.pair and "VV" not in right:
            names += [f"v{source.number}", f"v{source.number + 1}"]
        else:
            names.append(f"v{source.number + 1}:{source.number}" if source.pair else f"v{source.number}")
    pending = iter(names)
    right = re.sub(r"VV|V", lambda _: next(pending), right)
    dest = "q0" if result.predicate else "v11:10" if result.pair else "v10"
    return re.sub(r"VV|V|Q", dest, left) + f" {assign} " + right
