"""Parses one line of LLVM's output as an `Instruction`."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from operator import itemgetter

from hexagon_mlir.llvmir.instruction import CASTS, Instruction
from hexagon_mlir.llvmir.names import GLOBAL, NAME, VALUE
from hexagon_mlir.llvmir.types import KEPT, split_commas, split_type, vector_type

_AROUND_NAMES = re.compile(f"({VALUE})")
_NUMBERED = re.compile(r"%\d+$")
_DEBUG = re.compile(r",? !\w+ !\d+")
_ASSIGNED = re.compile(rf"^  (?:({VALUE}) = )?(?:tail |musttail |notail )?([\w.]+)(.*)$", re.DOTALL)
_WORD = re.compile(r"^ ((?:[a-z]\w*(?:\([^)]*\))? |\d+ )*)"
                   r"(?=<|ptr|label|\[(?! )|\{|half|bfloat|float|double|i\d|void)")
_TYPED = re.compile(r"(?:<|ptr |label |(?:i\d+|bfloat|float|half|double) )")
_SHUFFLE = re.compile(r"(<\d+ x \w+>) ([^ ,<]+), <\d+ x \w+> ([^ ,<]+), <(\d+) x i32> (<[^>]*>|\w+)$")
# Matches the operands of nearly every line at once; other lines are parsed character by character.
_TYPE = r"(?:<\d+ x \w+>|ptr|label|i\d+|bfloat|float|half|double)"
_VALUE = rf"(?:{VALUE}|splat \(\w+ [^()]*\)|-?\w[\w.+-]*|<[^<>()]*>)"
_OPERAND = re.compile(rf"(?:({_TYPE}) )?({_VALUE})")
_OPERANDS = re.compile(rf"((?:{_TYPE} )?{_VALUE}(?:, (?:{_TYPE} )?{_VALUE})*?)(?:, align \d+)?$")
_CALL = re.compile(rf"({_TYPE}|void) ({GLOBAL})\(((?:{_TYPE} {_VALUE}(?:, {_TYPE} {_VALUE})*)?)\)(?: #\d+)?$")
_CALLED = ("@", "%", "asm ")
"""First characters of a callee."""
_WITHOUT_RESULT = frozenset({"store", "br", "ret", "switch"})


@lru_cache(KEPT)
def parse_line(line: str, block: str = "") -> Instruction:
    """One line of ``block`` as a shared record; without operands for forms that vector code does not use."""
    if not line.startswith("  "):
        return _parsed(line, block)
    pieces = _AROUND_NAMES.split(line)
    names = pieces[1::2]
    form = _form("%v".join(pieces[::2]))  # the line has no other names
    if form is None:
        return _parsed(line, block)
    made, operands_of = form
    result, mentioned = (names[0], tuple(names[1:])) if made.result else ("", tuple(names))
    return Instruction(line, block, result, made.opcode, made.flags, made.type, operands_of(names), made.types,
                       made.debug, mentioned, made.unparsed)


@lru_cache(KEPT)
def _form(template: str) -> tuple[Instruction, Callable[[list[str]], list[str]]] | None:
    """The form shared by lines that differ only in names, and a function from a line's names to its operands; None
    where a name is not in an operand. On average ten lines share a form.
    """
    *pieces, last = template.split("%v")
    made = _parsed("".join(f"{piece}%{number}" for number, piece in enumerate(pieces)) + last, "")
    places = [int(o[1:]) if _NUMBERED.match(o) else -1 for o in made.operands]
    fixed = [made.flags, made.type, made.debug, *made.types,
             *(o for o, place in zip(made.operands, places, strict=True) if place < 0)]
    return None if any("%" in text for text in fixed) else (made, _choice(made.operands, places, len(pieces)))


def _choice(operands: list[str], places: list[int], count: int) -> Callable[[list[str]], list[str]]:
    """A function that fills the ``places`` of ``operands`` from ``count`` names; -1 for a fixed operand."""
    if places == [*range(count)]:
        return list
    if places == [*range(1, count)]:
        return lambda names: names[1:]
    if len(places) < 2:
        return lambda names: [o if place < 0 else names[place] for o, place in zip(operands, places, strict=True)]
    fixed = [o for o, place in zip(operands, places, strict=True) if place < 0]
    numbers = iter(range(count, count + len(fixed)))  # of the fixed operands, after the names
    choose = itemgetter(*(next(numbers) if place < 0 else place for place in places))
    return lambda names: [*choose(names + fixed)]


def _parsed(line: str, block: str) -> Instruction:
    match = _ASSIGNED.match(line)
    if match is None:
        return Instruction(line, block, mentioned=tuple(NAME.findall(line)))
    result, opcode, rest = match.groups("")
    debug = ""
    if "!" in rest:
        debug, rest = "".join(_DEBUG.findall(line)), _DEBUG.sub("", rest)
    words = _WORD.match(rest)
    flags = words[1].strip() if words else ""
    rest = rest[words.end():] if words else rest.strip()
    found = Instruction(line, block, result, opcode, flags, debug=debug,
                        mentioned=tuple(NAME.findall(line, match.start(2))))
    try:
        _READERS.get(opcode, _read_others)(found, rest)
    except (ValueError, IndexError):
        found.operands, found.types, found.unparsed = [], [], True
    return found


def _read_call(found: Instruction, rest: str) -> None:
    if match := _CALL.match(rest):
        found.type, found.flags = match[1], match[2]
        for kind, value in _OPERAND.findall(match[3]):
            found.types.append(kind)
            found.operands.append(value)
        return
    found.type, rest = split_type(rest)
    if rest.startswith("("):  # the types of a function with variable arguments
        rest = rest[rest.index(")") + 1:].strip()
    name, _, arguments = rest.partition("(")
    found.flags = name.strip()
    if not found.flags.startswith(_CALLED):
        raise ValueError
    for part in split_commas(arguments[: arguments.rindex(")")]):
        kind, value = split_type(part)
        last = value.split(" ")[-1]  # after the attributes of an argument
        found.types.append(kind)
        found.operands.append(last if last.startswith("%") else value)


def _read_phi(found: Instruction, rest: str) -> None:
    found.type, rest = split_type(rest)
    for part in split_commas(rest):
        value, _ = split_commas(part.strip()[1:-1])
        found.operands.append(value.strip())
        found.types.append(found.type)


def _read_cast(found: Instruction, rest: str) -> None:
    source, found.type = (part.strip() for part in rest.rsplit(" to ", 1))
    kind, value = split_type(source)
    found.types, found.operands = [kind], [value]


def _read_load(found: Instruction, rest: str) -> None:
    found.type, pointer = split_commas(rest)[:2]
    found.types, found.operands = ["ptr"], [split_type(pointer)[1]]


def _read_alloca(found: Instruction, rest: str) -> None:
    found.type, found.operands, found.types = "ptr", [split_commas(rest)[0]], [""]


def _read_shuffle(found: Instruction, rest: str) -> None:
    if match := _SHUFFLE.match(rest):
        vector, first, second, lanes, mask = match.groups()
        found.operands, found.types = [first, second, mask], [vector, vector, f"<{lanes} x i32>"]
        found.type = f"<{lanes}{vector[vector.index(' '):]}"
        return
    _read_operands(found, rest)
    source, picked = vector_type(found.types[0]), vector_type(found.types[2])
    if source is None or picked is None:
        raise ValueError
    found.type = f"<{picked[0]} x {source[1]}>"


def _read_comparison(found: Instruction, rest: str) -> None:
    _read_operands(found, rest)
    vector = vector_type(found.types[0])
    found.type = f"<{vector[0]} x i1>" if vector else "i1"


def _read_select(found: Instruction, rest: str) -> None:
    _read_operands(found, rest)
    found.type = found.types[1]


def _read_others(found: Instruction, rest: str) -> None:
    _read_operands(found, rest)
    if found.opcode not in _WITHOUT_RESULT:
        found.type = found.types[0]


def _read_operands(found: Instruction, rest: str) -> None:
    """Operands between commas; one without a type has that of the one before."""
    kind = ""
    if match := _OPERANDS.match(rest):
        for type_, value in _OPERAND.findall(match[1]):
            kind = type_ or kind
            found.types.append(kind)
            found.operands.append(value)
        return
    for part in split_commas(rest):
        if part.startswith("align "):
            continue
        if _TYPED.match(part) and not _is_constant_vector(part):
            kind, part = split_type(part)
        found.types.append(kind)
        found.operands.append(part)


def _is_constant_vector(text: str) -> bool:
    """True for ``<float 1.0, ...>``, False for a type ``<2 x float> ...``."""
    return text.startswith("<") and " x " not in text[: text.index(">")].split(",")[0]


_READERS: dict[str, Callable[[Instruction, str], None]] = {
    "call": _read_call, "phi": _read_phi, "load": _read_load, "shufflevector": _read_shuffle,
    "unreachable": lambda found, rest: None,
    "alloca": _read_alloca, "icmp": _read_comparison, "fcmp": _read_comparison, "select": _read_select,
    **dict.fromkeys((*CASTS, "ptrtoint", "inttoptr"), _read_cast),
}
"""The parser of each opcode's operands; `_read_others` parses those of all other opcodes."""
