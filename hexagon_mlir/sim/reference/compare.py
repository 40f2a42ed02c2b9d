"""Run random packets on both implementations and report every difference."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from hexagon_mlir import targets
from hexagon_mlir.isa.blocks import DecodedPacket
from hexagon_mlir.isa.decode import Operand, decode, registers_in
from hexagon_mlir.isa.form import float_suffixes
from hexagon_mlir.isa.reader import parse
from hexagon_mlir.sim import layout
from hexagon_mlir.sim.arithmetic import DEFAULT_ARITHMETIC, Arithmetic
from hexagon_mlir.sim.memory_system.memory import Memory
from hexagon_mlir.sim.reference.arithmetic import DEFAULT_EXTENSION, Model, model
from hexagon_mlir.sim.reference.packet import Registers, execute
from hexagon_mlir.sim.reference.random_cases import FLAG, Case, module_text, random_case
from hexagon_mlir.sim.reference.random_memory import SYMBOL
from hexagon_mlir.sim.reference.random_packets import Generator, Piece
from hexagon_mlir.sim.reference.random_state import BUFFER_BYTES, TCM_WINDOW, State, random_state
from hexagon_mlir.sim.semantics.float_model import FloatModel
from hexagon_mlir.sim.translation import host
from hexagon_mlir.sim.translation.cached import routine_code, shared
from hexagon_mlir.sim.translation.program import SimError
from hexagon_mlir.sim.translation.translate import translate

ALL_FORMS = "v81"
"""A chip that has every form."""


@dataclass
class Difference:
    """One packet on which the implementations disagree."""

    packet: str
    register: str
    translated: str
    reference: str
    before: str

    def __str__(self) -> str:
        return (
            f"{self.packet}\n  {self.register}: translated {self.translated}\n"
            f"  {' ' * len(self.register)}  reference  {self.reference}\n  sources: {self.before}"
        )


class Translated:
    """Functions of a module called on bare state records."""

    def __init__(self, text: str, target: targets.Target, arithmetic: str, quick: bool) -> None:
        chosen = Arithmetic(arithmetic)
        ir, self.program = translate(text, target, False, keep_vectors=True, quick=quick, arithmetic=chosen)
        beside = [routine_code(FloatModel.of(target, chosen))] if self.program.routines else []
        shared().provide(self.program.forms)
        self.loaded = host.Loaded(host.compile_object(ir, host.QUICK if quick else host.FAST), *beside)
        self.memory = Memory(target)
        raw = np.zeros(layout.STATE_BYTES + 128, np.uint8)
        start = -raw.ctypes.data % 128
        self.state = raw[start : start + layout.STATE_BYTES]
        self.counts = np.zeros(max(1, len(self.program.blocks)), np.int64)
        self.branches = np.zeros((max(1, len(self.program.branches)), 3), np.int64)
        for offset, value in (
            (layout.BASE, self.memory.host_base), (layout.BLOCK_COUNTS, self.counts.ctypes.data),
            (layout.BRANCHES, self.branches.ctypes.data),
        ):  # fmt: skip
            self.state[offset : offset + 8].view(np.uint64)[0] = value
        self.r = self.state[layout.REGISTERS : layout.REGISTERS + 128].view(np.uint32)
        self.p = self.state[layout.PREDICATES : layout.PREDICATES + 4]
        self.v = self.state[layout.VECTORS : layout.VECTORS + 4096].reshape(32, 128)
        self.q = self.state[layout.VECTOR_PREDICATES : layout.VECTOR_PREDICATES + 512].reshape(4, 128)
        self.c = self.state[layout.CONTROLS : layout.CONTROLS + 128].view(np.uint32)
        self.extensions = self.state[layout.EXTENSIONS : layout.COUNTERS].view(np.uint32)

    def run(self, function: str, state: State, address: int) -> State:
        self.r[:], self.p[:], self.v[:], self.q[:] = state.r, state.p, state.v, state.q * np.uint8(0xFF)
        self.c[:] = state.c
        self.extensions.fill(DEFAULT_EXTENSION[0])
        buffer, tcm = _memories(self.memory, address, state)
        self.state[layout.DEPTH : layout.DEPTH + 4] = 0
        number = self.program.functions.index(function)
        entry = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self.loaded.address(f"g_{number}"))
        entry(self.state.ctypes.data)
        trap = int(self.state[layout.TRAP : layout.TRAP + 4].view(np.uint32)[0])
        if trap:
            raise SimError(self.program.traps[trap - 1])
        registers = self.r.copy(), self.p.copy(), self.v.copy(), self.q != 0, self.c.copy()
        return State(*registers, buffer.copy(), tcm.copy())


def _memories(memory: Memory, address: int, state: State) -> tuple[np.ndarray, np.ndarray]:
    """Views of the buffer and the window of TCM, filled from ``state``."""
    buffer, tcm = memory.view(address, BUFFER_BYTES), memory.view(TCM_WINDOW, BUFFER_BYTES)
    buffer[:], tcm[:] = state.buffer, state.tcm
    return buffer, tcm


def reference(
    packets: list[DecodedPacket], jumps: bool, state: State, memory: Memory, address: int, arithmetic: Model
) -> State:
    """The packets on the interpreter, until one of them jumps; ``jumps`` says whether one may."""
    registers = Registers()
    values = registers.values
    for n in range(32):
        values["R", n], values["V", n], values["C", n] = int(state.r[n]), state.v[n].copy(), int(state.c[n])
    for n in range(4):
        values["P", n], values["Q", n] = int(state.p[n]), state.q[n].copy()
    buffer, tcm = _memories(memory, address, state)
    taken = False
    for packet in packets:
        outcome = execute(packet, registers, memory.bytes, {SYMBOL: address}, model=arithmetic)
        taken = bool(outcome.transfers)
        if taken:
            break
    if jumps:
        values["R", FLAG] = int(taken)
    r = np.array([values["R", n] for n in range(32)], np.uint32)
    p = np.array([values["P", n] for n in range(4)], np.uint8)
    v = np.array([values["V", n] for n in range(32)])
    q = np.array([values["Q", n] for n in range(4)])
    c = np.array([values["C", n] for n in range(32)], np.uint32)
    return State(r, p, v, q, c, buffer.copy(), tcm.copy())


def _is_nan(raw: np.ndarray, bits: int) -> np.ndarray:
    """Per byte: part of a NaN lane of the given format."""
    if bits == -16:
        lanes = (raw.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
        bits = 16
    else:
        lanes = raw.view(f"f{bits // 8}")
    return np.repeat(np.isnan(lanes), bits // 8)


def _same(a: np.ndarray, b: np.ndarray, widths: set[int]) -> bool:
    """Equal bytes, where any NaN equals any NaN."""
    a, b = (np.ascontiguousarray(x).reshape(-1).view(np.uint8) for x in (a, b))
    wrong = a != b
    for bits in widths:
        if wrong.any() and a.size % (abs(bits) // 8) == 0:
            with np.errstate(all="ignore"):
                wrong &= ~(_is_nan(a, bits) & _is_nan(b, bits))
    return not wrong.any()


def differences(
    text: str, pieces: list[Piece], before: State, got: State, want: State, exact: bool
) -> list[Difference]:
    """The differences of the two after one packet; with ``exact``, NaN lanes must have the same pattern."""
    if all(np.array_equal(getattr(got, f.name), getattr(want, f.name)) for f in fields(State)):
        return []
    widths = {piece.float_bits for piece in pieces if piece.float_bits and not (exact and piece.unit.hvx)}
    found = []

    def report(name: str, a: np.ndarray, b: np.ndarray) -> None:
        if _same(a, b, widths):
            return
        a, b = (np.ascontiguousarray(x).view(np.uint8).reshape(-1) for x in (a, b))
        at = int(np.nonzero(a != b)[0][0]) & ~3
        sources = {name: _value(before, operands) for name, operands in registers_in(text).items()}
        listing = " ".join(f"{n}={_show(value, at)}" for n, value in sources.items())
        found.append(Difference(text, f"{name}[{at}]", _show(a, at), _show(b, at), listing))

    for n in range(0, 32, 2):
        report(f"r{n + 1}:{n}", got.r[n : n + 2], want.r[n : n + 2])
    for n in range(32):
        report(f"v{n}", got.v[n], want.v[n])
    for n in range(4):
        report(f"q{n}", got.q[n], want.q[n])
    report("p3:0", got.p, want.p)
    for n in range(32):
        report(f"c{n}", got.c[n : n + 1], want.c[n : n + 1])
    report("memory", got.buffer, want.buffer)
    report("TCM", got.tcm, want.tcm)
    return found


def _value(state: State, operands: Sequence[Operand]) -> np.ndarray:
    files = {"R": state.r, "V": state.v, "P": state.p, "Q": state.q, "C": state.c}
    units = sorted(unit for operand in operands for unit in operand.units())
    return np.concatenate([np.atleast_1d(files[cls][number]) for cls, number in units]).view(np.uint8)


def _show(raw: np.ndarray, at: int) -> str:
    """The word at ``at`` in hex, or a scalar register whole."""
    part = raw if raw.size <= 8 else raw[at % raw.size : at % raw.size + 4]
    return part.tobytes()[::-1].hex()


def check(
    count: int | None, seed: int, states: int = 1, only: str | None = None, target: str | targets.Target = ALL_FORMS,
    arithmetic: str = DEFAULT_ARITHMETIC, quick: bool = False,
) -> list[Difference]:  # fmt: skip
    """Run ``count`` random packets of forms that ``target`` has, each on ``states`` register states; without a count,
    full ones until each form has been in one.

    ``quick`` concerns the translated code, see `host.QUICK`; ``arithmetic`` both, see `Model`.
    """
    chip = targets.get(target) if isinstance(target, str) else target
    floats = model(chip, arithmetic)
    generator = Generator(seed, only, floats, chip.version, full=count is None)
    cases: list[Case] = []
    while len(cases) < count if count is not None else generator.order or not cases:
        cases.append(random_case(generator, len(cases), floats))
    module = module_text(cases)
    translated = Translated(module, chip, arithmetic, quick)
    address = translated.program.symbols[SYMBOL]
    memory = Memory(chip)
    parsed = parse(module)
    found: list[Difference] = []
    for number, case in enumerate(cases):
        packets = parsed.functions[f"f{number}"].packets[: len(case.packets)]
        decoded = [DecodedPacket(packet, decode(packet)) for packet in packets]
        gathers = any(insn.kind in ("gather", "scatter") for packet in decoded for insn in packet.insns)
        for _ in range(states):
            before = random_state(generator.random, address, gathers, float_suffixes(case.text))
            got = translated.run(f"f{number}", before, address)
            want = reference(decoded, case.jumps, before, memory, address, floats)
            found += differences(case.shown, case.pieces, before, got, want, arithmetic == "chip")
    return found
