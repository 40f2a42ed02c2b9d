"""Assembly text to a `Program`: host object code, initial data and the tables that explain the counters.

A program is kept on disk under a key of everything that shapes it, so a second run loads it in milliseconds.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import re
import tempfile
from dataclasses import asdict, dataclass, field
from pathlib import Path

from hexagon_mlir.sim import cache_model, check_model, host, layout
from hexagon_mlir.sim.accesses import AccessModel
from hexagon_mlir.sim.asm import AsmError, Module, parse
from hexagon_mlir.sim.blocks import Graph, build
from hexagon_mlir.sim.decode import FormError
from hexagon_mlir.sim.float_kinds import faults as float_faults
from hexagon_mlir.sim.hostfns import CALLBACKS, INLINE, wrapper
from hexagon_mlir.sim.image import Site, site_of
from hexagon_mlir.sim.isa.sticky import USR
from hexagon_mlir.sim.link import SimError, assign_addresses, data_image
from hexagon_mlir.sim.liveness import ALL, read_after_return
from hexagon_mlir.sim.lower import FunctionLowering, Image
from hexagon_mlir.sim.timing import Model
from hexagon_mlir.targets import Target

VERSION = 1
"""Raise when the meaning of a stored program changes; the sources of the simulator are hashed as well."""


@dataclass
class BlockInfo:
    """Static facts of one basic block."""

    function: str
    label: str
    packets: int
    hvx_packets: int
    stalls: dict[str, int]
    source: str
    """'file:line' of the block's first packet, or ''."""


@dataclass
class Program:
    """A translated module."""

    code: bytes
    blocks: list[BlockInfo] = field(default_factory=list)
    branches: list[tuple[str, str, bool]] = field(default_factory=list)
    """Function, block label and static hint of each conditional branch."""
    traps: list[str] = field(default_factory=list)
    callbacks: list[str] = field(default_factory=list)
    data: list[tuple[int, str]] = field(default_factory=list)
    """(guest address, bytes as hex)."""
    symbols: dict[str, int] = field(default_factory=dict)
    functions: list[str] = field(default_factory=list)
    data_end: int = layout.DATA_BASE
    memos: int = 0
    """Groups of accesses noted by the code, see `accesses`."""
    sites: list[Site] = field(default_factory=list)
    """Packets by number, in a checked build."""
    float_kinds: list[tuple[int, str]] = field(default_factory=list)
    """(packet number, message) of each read of the wrong float kind, in a checked build."""


def _dispatcher(image: Image, module: Module) -> str:
    """``g__dispatch(state, address)``: call the function at a guest address."""
    names = [*module.functions]
    hosts = sorted(set(image.host_used))
    cases = []
    bodies = []
    for index, (prefix, name) in enumerate([*(("g_", n) for n in names), *(("h_", n) for n in hosts)]):
        cases.append(f"i32 {image.symbols[name]}, label %c{index}")
        bodies.append(f'c{index}:\n  call void @"{prefix}{name}"(ptr %st)\n  ret void')
    trap = image.trap("call of an address that is no function: {argument:#x}")
    return f"""define void @g__dispatch(ptr %st, i32 %address) {{
  switch i32 %address, label %unknown [ {' '.join(cases)} ]
{chr(10).join(bodies)}
unknown:
  %a = getelementptr i8, ptr %st, i32 {layout.ARGUMENT}
  store i32 %address, ptr %a
  %t = getelementptr i8, ptr %st, i32 {layout.TRAP}
  store i32 {trap}, ptr %t
  ret void
}}"""


def _graphs(module: Module, taken: set[str]) -> list[Graph]:
    graphs = []
    for function in module.functions.values():
        if not function.packets:
            raise SimError(f"function '{function.name}' has no instructions")
        try:
            graphs.append(build(function, taken))
        except FormError as error:
            raise SimError(f"{error} in function '{function.name}'") from error
    return graphs


def _address_taken_hosts(module: Module) -> set[str]:
    """Host functions whose address stands in data or in an immediate."""
    hosts = {r.symbol for section in module.sections for r in section.relocations}
    for function in module.functions.values():
        for packet in function.packets:
            for _, text in packet.lines:
                if "##" in text:
                    hosts.update(part.split(")")[0].split(",")[0].strip() for part in text.split("##")[1:])
    return {name for name in hosts if name in INLINE or name in CALLBACKS}


def translate(
    text: str, target: Target, memory_model: bool, check: bool = False, keep_vectors: bool = False
) -> tuple[str, Program]:
    """Host IR of a module and its tables (without object code).

    With ``keep_vectors`` the state record has all vector registers after a return, read by the program or not.
    """
    try:
        module = parse(text)
    except AsmError as error:
        raise SimError(str(error)) from error
    symbols, bases, taken = assign_addresses(module)
    program = Program(b"", data=data_image(module, symbols, bases), functions=list(module.functions))
    image = Image(
        symbols, set(module.functions), taken, program.traps, program.branches,
        _address_taken_hosts(module), AccessModel(target) if memory_model else None, program.sites if check else None,
    )  # fmt: skip
    program.data_end = max((bases[i] + len(s.data) for i, s in enumerate(module.sections)), default=layout.DATA_BASE)
    model = Model(target)
    declarations: set[str] = set()
    pieces = [cache_model.declarations(memory_model)]
    if check:
        pieces.append(check_model.helpers(int(target.vector_bytes.value)))
    graphs = _graphs(module, taken)
    image.sticky = any(
        insn.key in ("R=C", "RR=CC") and USR in source.units()
        for graph in graphs for block in graph.blocks for packet in block.packets for insn in packet.insns
        for source in insn.sources
    )  # fmt: skip
    returned = read_after_return(graphs)
    for graph in graphs:
        if check:
            for packet, message in float_faults(graph):
                program.float_kinds.append((len(program.sites), message))
                program.sites.append(site_of(graph.function.name, packet.packet))
        costs = model.function(graph)
        first = len(program.blocks)
        for block, cost in zip(graph.blocks, costs, strict=True):
            loc = block.packets[0].packet.loc
            program.blocks.append(
                BlockInfo(
                    graph.function.name, block.label, cost.packets, cost.hvx_packets, cost.stalls,
                    f"{loc[0]}:{loc[1]}" if loc else "",
                )
            )  # fmt: skip
        visible = ALL if keep_vectors else returned[graph.function.name]
        try:
            pieces.append(FunctionLowering(graph, first, image, declarations, visible).lower())
        except FormError as error:
            raise SimError(f"{error} in function '{graph.function.name}'") from error
    if image.model:
        pieces += image.model.tables
        program.memos = image.model.memos
    program.callbacks = sorted(name for name in image.host_used if name in CALLBACKS)
    for name in sorted(image.host_used):
        index = program.callbacks.index(name) if name in CALLBACKS else 0
        pieces.append(wrapper(name, index, declarations, check_model.COPIES.get(name) if check else None))
    pieces.append(_dispatcher(image, module))
    program.symbols = {
        name: address
        for name, address in symbols.items()
        if name in program.functions or address >= layout.DATA_BASE
    }
    ir = "\n".join([*pieces, *sorted(declarations)])
    return _declared_once(ir), program


def _declared_once(ir: str) -> str:
    """``ir`` without the second and later declarations of a function."""
    seen: set[str] = set()
    lines = []
    for line in ir.split("\n"):
        found = re.match(r"declare [^@]*@([^(]+)", line)
        if found is None or found.group(1) not in seen:
            lines.append(line)
        if found:
            seen.add(found.group(1))
    return "\n".join(lines)


def _key(text: str, target: Target, memory_model: bool, check: bool) -> str:
    digest = hashlib.sha256()
    for part in (str(VERSION), _sources(), text, repr(target), str(memory_model), str(check), *host.cpu()):
        digest.update(part.encode() + b"\0")
    return digest.hexdigest()


def _sources() -> str:
    """Hash of the simulator's own source files."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def cache_directory() -> Path:
    override = os.environ.get("HEXAGON_MLIR_CACHE_DIR")
    return Path(override) if override else Path.home() / ".cache" / "hexagon-mlir"


def _store(path: Path, program: Program) -> None:
    """Write atomically; a full or read-only disk only costs the cache."""
    head = asdict(program)
    head.pop("code")
    header = json.dumps(head).encode()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as stream:
            stream.write(len(header).to_bytes(8, "little") + header + program.code)
        os.replace(stream.name, path)
    except OSError:
        return


def _load(path: Path) -> Program | None:
    try:
        raw = path.read_bytes()
        size = int.from_bytes(raw[:8], "little")
        head = json.loads(raw[8 : 8 + size])
    except (OSError, ValueError):
        return None
    head["blocks"] = [BlockInfo(**block) for block in head["blocks"]]
    head["sites"] = [Site(**site) for site in head["sites"]]
    head["data"] = [(address, text) for address, text in head["data"]]
    return Program(code=raw[8 + size :], **head)


@functools.cache
def model_code(target: Target) -> bytes:
    """Object code of the cache model, to be loaded beside an exact program's; kept on disk like a program."""
    ir = cache_model.helpers(target)
    key = hashlib.sha256("\0".join((ir, *host.cpu())).encode()).hexdigest()
    path = cache_directory() / "sim" / f"{key}.model"
    program = _load(path)
    if program is None:
        program = Program(host.compile_object(ir))
        _store(path, program)
    return program.code


def obtain(text: str, target: Target, memory_model: bool = True, check: bool = False) -> Program:
    """The program of ``text``: from the cache, or translated and stored."""
    path = cache_directory() / "sim" / f"{_key(text, target, memory_model, check)}.bin"
    program = _load(path)
    if program is None:
        ir, program = translate(text, target, memory_model, check)
        program.code = host.compile_object(ir)
        _store(path, program)
    return program
