"""LLVM's Hexagon assembly text to a `Module` of functions, packets and data sections.

Every line is either parsed or an `AsmError` that names it; no unknown line is skipped. Sections without guest data
(debug information, notes) are skipped as a whole. Words in code, which LLVM writes for a naked function with prologue
data, are packets too.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, field

from hexagon_mlir.isa import disassembler
from hexagon_mlir.isa.encoding import WORD_BITS, WORD_BYTES
from hexagon_mlir.isa.literals import Refused, integer, shown, size

DATA_BYTES = 0x1000_0000
"""Most bytes of data sections."""


class AsmError(Exception):
    """A line of assembly text that the reader does not know."""

    def __init__(self, line: int, text: str, why: str = "unknown assembly line", hint: str = "") -> None:
        self.reason = f"{why}: '{shown(text.strip())}'"
        self.hint = hint
        super().__init__(f"asm line {line}: {self.reason}")
        self.line = line
        self.text = text


@dataclass
class Packet:
    """One VLIW packet: its instruction lines as written, and its end markers."""

    lines: list[tuple[int, str]] = field(default_factory=list)
    end_loop0: bool = False
    end_loop1: bool = False
    mem_noshuf: bool = False
    loc: tuple[str, int] | None = None
    """Source file and line of the last ``.loc`` before the packet."""


@dataclass
class Function:
    """A function: packets in layout order and labels that name packet indices."""

    name: str
    line: int
    packets: list[Packet] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)


@dataclass
class Relocation:
    """A data word that holds the address of ``symbol`` + ``addend``."""

    offset: int
    size: int
    symbol: str
    addend: int
    minus: str | None = None
    line: int = 0


@dataclass
class Section:
    """Initialised guest data with the symbols defined in it (name -> byte offset)."""

    name: str
    writable: bool = True
    data: bytearray = field(default_factory=bytearray)
    align: int = 8
    relocations: list[Relocation] = field(default_factory=list)
    symbols: dict[str, int] = field(default_factory=dict)


@dataclass
class Module:
    """A whole assembly file."""

    functions: dict[str, Function] = field(default_factory=dict)
    sections: list[Section] = field(default_factory=list)
    aliases: dict[str, str] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    """Bytes of a symbol, where ``.size`` gives a number."""


_IGNORED = re.compile(
    r"\.(globl|global|weak|hidden|protected|internal|local|type|cfi_\w+|attribute|ident|addrsig\w*"
    r"|falign|extern|symver)\b"
)
_LABEL = re.compile(r'^("(?:[^"\\]|\\.)+"|[\w.$@]+):\s*(.*)$')
_INT_SIZES = {
    ".byte": 1, ".half": 2, ".hword": 2, ".short": 2, ".2byte": 2, ".word": 4, ".long": 4, ".4byte": 4,
    ".int": 4, ".quad": 8, ".xword": 8, ".8byte": 8, ".dword": 8,
}  # fmt: skip
_ESCAPES = {"n": 10, "t": 9, "r": 13, "b": 8, "f": 12, "v": 11, '"': 34, "\\": 92}
_WIDEST_FILL = 8
"""Most bytes of an element of ``.fill``; assemblers truncate wider ones to this width."""
_NAMES = frozenset('"\\')
"""Characters that are invalid in names."""
_FLAGS = re.compile(r',\s*"(\w*)"')
"""The flags of a section, after its name."""
_READ_ONLY = (".rodata", ".data.rel.ro")
"""Read-only sections, whatever their flags: those of the second kind after relocation."""
_NOT_LOADED = (".debug", ".note", ".comment", ".llvm", ".eh_frame", ".symtab", ".strtab", ".gcc_except")


def _strip_comment(line: str) -> str:
    if "//" not in line:
        return line.rstrip()
    in_string = False
    i = 0
    while i < len(line):
        ch = line[i]
        if ch == "\\" and in_string:
            i += 1
        elif ch == '"':
            in_string = not in_string
        elif ch == "/" and not in_string and line.startswith("//", i):
            return line[:i].rstrip()
        i += 1
    return line.rstrip()


_OCTAL = re.compile(r"[0-7]{1,3}")


def _string_bytes(text: str) -> bytes:
    body = text.strip()
    if len(body) < 2 or body[0] != '"' or body[-1] != '"':
        raise ValueError(text)
    body = body[1:-1]
    out = bytearray()
    i = 0
    while i < len(body):
        ch = body[i]
        if ch != "\\":
            out += ch.encode("latin-1")
            i += 1
            continue
        nxt = body[i + 1]
        if nxt in "01234567":
            digits = _OCTAL.match(body, i + 1)
            assert digits
            out.append(int(digits.group(), 8) & 255)
            i += 1 + len(digits.group())
        else:
            out.append(_ESCAPES[nxt])
            i += 2
    return bytes(out)


def _alignment(name: str, text: str) -> int:
    """Bytes that directive ``name`` with ``text`` aligns to; 0 and 1 align nothing."""
    amount = size(text)
    if name == ".p2align":
        amount = 1 << min(amount, DATA_BYTES.bit_length())
    if amount & (amount - 1) or amount > DATA_BYTES:
        raise Refused("no alignment for data sections", f"a power of two up to {DATA_BYTES}")
    return max(amount, 1)


def unquote(symbol: str) -> str:
    """A symbol without the quotes that LLVM adds to unusual names."""
    return symbol[1:-1] if symbol.startswith('"') else symbol


class Reader:
    """The state of one pass over the text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.module = Module()
        self.types: set[str] = {
            unquote(m.group(1)) for m in re.finditer(r"\.type\s+([^,\s]+),\s*@function", text)
        }
        self.files: dict[int, str] = {}
        self.section: Section | None = None
        self.in_text = True
        self.loaded = True
        self.function: Function | None = None
        self.packet: Packet | None = None
        self.loc: tuple[str, int] | None = None
        self.words: list[tuple[int, int]] = []
        """Line and value of each word of code that is not yet disassembled."""
        self.by_name: dict[str, Section] = {}
        self.data_bytes = 0
        """Bytes of data in all sections so far."""

    def read(self) -> Module:
        number = 0
        for number, raw in enumerate(self.text.split("\n"), 1):
            line = _strip_comment(raw).strip()
            if line:
                try:
                    self.line(number, line)
                except Refused as error:
                    raise AsmError(number, line, str(error), error.hint) from error
                except (ValueError, KeyError, IndexError) as error:
                    raise AsmError(number, line) from error
        self.end_words()
        if self.packet is not None:
            raise AsmError(number, "", "packet without '}' at the end of the file")
        return self.module

    def line(self, number: int, line: str) -> None:
        if self.packet is not None:
            self.packet_line(number, line)
        elif line.startswith("."):
            label = _LABEL.match(line)
            if label:
                self.label(number, unquote(label.group(1)))
            else:
                self.directive(number, line)
        elif (label := _LABEL.match(line)) and not re.match(r"^[rpvq]\d+:\d", line):
            self.label(number, unquote(label.group(1)))
            if label.group(2):
                self.line(number, label.group(2))
        elif not self.loaded:
            return
        elif line.startswith("{"):
            self.open_packet(number)
            if line[1:].strip():
                self.packet_line(number, line[1:].strip())
        elif self.in_text and self.function is not None:
            self.open_packet(number)
            assert self.packet
            self.packet.lines.append((number, line))
            self.close_packet(number)
        else:
            raise AsmError(number, line)

    def open_packet(self, number: int) -> None:
        if self.function is None:
            raise AsmError(number, "{", "packet outside a function")
        self.end_words()
        self.packet = Packet(loc=self.loc)

    def close_packet(self, number: int) -> None:
        """As assemblers do: nothing for empty braces, a nop in those that end a loop."""
        assert self.function and self.packet
        if not self.packet.lines and (self.packet.end_loop0 or self.packet.end_loop1):
            self.packet.lines.append((number, "nop"))
        if self.packet.lines:
            self.function.packets.append(self.packet)
        self.packet = None

    def packet_line(self, number: int, line: str) -> None:
        assert self.packet
        if "}" not in line:
            self.packet.lines.append((number, line))
            return
        body, marks = line.split("}", 1)
        if body.strip():
            self.packet.lines.append((number, body.strip()))
        for mark in marks.split():
            if mark in (":endloop0", ":endloop01"):
                self.packet.end_loop0 = True
            if mark in (":endloop1", ":endloop01"):
                self.packet.end_loop1 = True
            elif mark == ":mem_noshuf":
                self.packet.mem_noshuf = True
            elif mark != ":endloop0":
                raise AsmError(number, line, "unknown packet marker")
        self.close_packet(number)

    def end_words(self) -> None:
        """The words of code so far become packets."""
        if not self.words:
            return
        assert self.function
        number, packets = self.words[0][0], self.function.packets
        first = len(packets)
        origin = first * disassembler.MOST_BYTES  # keeps the labels of several runs of words apart
        try:
            found = disassembler.disassemble([word for _, word in self.words], origin)
        except Refused as error:
            raise AsmError(number, f"{self.words[0][1]:#010x}", str(error)) from error
        named = {target for packet in found for target in packet.targets()}
        for index, packet in enumerate(found, first):
            if packet.start in named:
                self.function.labels[disassembler.label(packet.start)] = index
            lines = [(number, text) for text in packet.texts()]
            packets.append(Packet(lines, packet.end_loop0, packet.end_loop1, loc=self.loc))
        self.words.clear()

    def label(self, number: int, name: str) -> None:
        self.end_words()
        if not _NAMES.isdisjoint(name):
            raise Refused("a quote or backslash in a name", "name it with letters, digits, '_', '.' and '$'")
        if self.in_text and self.loaded:
            if name in self.types or (self.function is None and not name.startswith(".L")):
                self.function = self.module.functions[name] = Function(name, number)
            elif self.function is not None:
                self.function.labels[name] = len(self.function.packets)
        elif self.section is not None:
            self.section.symbols[name] = len(self.section.data)

    def directive(self, number: int, line: str) -> None:
        name, _, rest = line.partition(" ") if "\t" not in line else line.partition("\t")
        rest = rest.strip()
        if _IGNORED.match(line):
            return
        if name == ".size":
            self.symbol_size(rest)
        elif name in (".text", ".data", ".bss", ".section", ".rodata"):
            self.open_section(name if name != ".section" else rest.split(",")[0].strip().strip('"'), rest)
        elif name == ".file":
            found = re.match(r'(\d+)\s+(.*)$', rest)
            if found:
                strings = re.findall(r'"((?:[^"\\]|\\.)*)"', found.group(2))
                self.files[integer(found.group(1))] = posixpath.join(*strings[:2])
        elif name == ".loc":
            fields = rest.split()
            self.loc = (self.files.get(integer(fields[0]), "?"), size(fields[1]))
        elif not self.loaded:
            return
        elif name in (".comm", ".lcomm"):
            self.common(rest)
        elif name in (".set", ".equ"):
            left, right = (unquote(part.strip()) for part in rest.split(",", 1))
            self.module.aliases[left] = right
        elif name in (".p2align", ".align", ".balign"):
            self.align(name, rest)
        elif self.function is not None and _INT_SIZES.get(name) == WORD_BYTES:
            self.words += [(number, integer(item) % (1 << WORD_BITS)) for item in rest.split(",")]
        elif self.section is None:
            raise AsmError(number, line)
        else:
            self.data(name, rest, number, line)

    def open_section(self, name: str, rest: str) -> None:
        self.end_words()
        self.loaded = not name.startswith(_NOT_LOADED)
        self.in_text = name.startswith(".text") or (",\"ax" in rest.replace(" ", "") and self.loaded)
        if self.in_text:
            self.section = None
            return
        self.function = None
        if self.loaded:
            if name not in self.by_name:
                flags = _FLAGS.search(rest)
                writable = not name.startswith(_READ_ONLY) and (flags is None or "w" in flags.group(1))
                self.by_name[name] = Section(name, writable)
                self.module.sections.append(self.by_name[name])
            self.section = self.by_name[name]
        else:
            self.section = None

    def symbol_size(self, rest: str) -> None:
        """``.size``: of a function it is a difference of labels, and not kept."""
        symbol, _, text = rest.rpartition(",")
        if text.strip().isdecimal():
            self.module.sizes[unquote(symbol.strip())] = size(text.strip())

    def common(self, rest: str) -> None:
        parts = [part.strip() for part in rest.split(",")]
        section = Section(f".bss.{parts[0]}")
        section.align = _alignment(".comm", parts[2]) if len(parts) > 2 else 8
        section.symbols[unquote(parts[0])] = 0
        self.module.sizes[unquote(parts[0])] = size(parts[1])
        self.extend(section, b"\0", size(parts[1]))
        self.module.sections.append(section)

    def extend(self, section: Section, piece: bytes, count: int = 1) -> None:
        """Append ``count`` times ``piece``, if the data fits guest memory."""
        self.data_bytes += len(piece) * count
        if self.data_bytes > DATA_BYTES:
            raise Refused(f"{self.data_bytes} bytes of data", f"data sections have room for {DATA_BYTES}")
        section.data += piece * count

    def align(self, name: str, rest: str) -> None:
        if self.section is None:
            return
        amount = _alignment(name, rest.split(",")[0])
        self.section.align = max(self.section.align, amount)
        self.extend(self.section, b"\0", -len(self.section.data) % amount)

    def data(self, name: str, rest: str, number: int, line: str) -> None:
        section = self.section
        assert section is not None
        if name in _INT_SIZES:
            for item in rest.split(","):
                self.word(section, item.strip(), _INT_SIZES[name], number)
        elif name in (".string", ".asciz"):
            self.extend(section, _string_bytes(rest) + b"\0")
        elif name == ".ascii":
            self.extend(section, _string_bytes(rest))
        elif name in (".space", ".zero", ".skip"):
            parts = rest.split(",")
            fill = integer(parts[1]) & 255 if len(parts) > 1 else 0
            self.extend(section, bytes([fill]), size(parts[0]))
        elif name == ".fill":
            parts = (rest + ",1,0").split(",")
            width, value = min(size(parts[1]), _WIDEST_FILL), integer(parts[2])
            self.extend(section, (value & ((1 << 8 * width) - 1)).to_bytes(width, "little"), size(parts[0]))
        else:
            raise AsmError(number, line)

    def word(self, section: Section, item: str, nbytes: int, number: int) -> None:
        if item[:1] in "-+0123456789":
            value = integer(item)
        else:
            found = re.match(r'^("[^"]+"|[\w.$@]+?)(?:-("[^"]+"|[A-Za-z_.][\w.$]*))?([+-]\d+)?$', item)
            if not found:
                raise Refused("neither a number nor a symbol", "symbol, symbol+4 and symbol-symbol are words, too")
            symbol, minus, addend = found.groups()
            distance, minus = integer(addend or "0"), minus and unquote(minus)
            place = len(section.data)
            section.relocations.append(Relocation(place, nbytes, unquote(symbol), distance, minus, number))
            value = 0
        self.extend(section, (value & ((1 << 8 * nbytes) - 1)).to_bytes(nbytes, "little"))


def parse(text: str) -> Module:
    """Read one assembly file."""
    return Reader(text).read()
