"""Random LLVM IR vector functions on the host and, through LLVM's Hexagon code generator, on the simulator.

The host's own code generator is the oracle, and the simulator computes in IEEE numbers. Operations that LLVM is known
to miscompile for Hexagon are tagged with the fault (`FAULTS`); a difference in a function without one is new.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hexagon_mlir import targets
from hexagon_mlir.sim import Arithmetic, Machine
from hexagon_mlir.sim.translation import host

TRIPLE = "hexagon-unknown-linux-musl"
VECTOR_BYTES = 128
INPUTS = 3
DTYPES: dict[str, Any] = {"i32": np.uint32, "i16": np.uint16, "i8": np.uint8, "float": np.uint32, "half": np.uint16}
FLOATS: dict[str, Any] = {"float": np.float32, "half": np.float16}

FAULTS = {
    "shuffle-repeated": "a shuffle of 32-bit lanes that repeats lanes splats a byte of a word (pull request 204808)",
    "equal-bits": "fcmp oeq/une compare bits: NaN equals NaN, -0 differs from +0 (pull request 211570)",
    "never-unordered": "fcmp uno/ord compares bits, so that nothing is unordered",
    "nan-order": "fcmp oge/ole/ult/ugt/ule/uge are negated or swapped: the order of NaN is lost (issue 220983)",
    "minmax-nan": "fcmp ogt/olt and select of the same two values become vmax/vmin: NaN picks another one",
    "fixed-point-product": "mul and a shift right by a constant become a double-width product: the wrap is lost",
}
"""Faults of LLVM 22's Hexagon code generator that random functions show."""
_COMPARES = {
    "ogt": "", "olt": "", "oeq": "equal-bits", "une": "equal-bits", "uno": "never-unordered", "ord": "never-unordered",
    "oge": "nan-order", "ole": "nan-order", "ult": "nan-order", "ugt": "nan-order", "ule": "nan-order",
    "uge": "nan-order",
}  # fmt: skip
_INTEGER = ("add", "sub", "mul", "and", "or", "xor")
_INTRINSICS = ("smax", "smin", "umax", "umin", "sadd.sat", "ssub.sat", "uadd.sat", "usub.sat")
_PREDICATES = ("eq", "ne", "slt", "sgt", "sle", "sge", "ult", "ugt", "ule", "uge")


@dataclass
class Function:
    """One generated function: three input vectors, one output."""

    name: str
    element: str
    lanes: int
    text: str
    declarations: set[str] = field(default_factory=set)
    faults: set[str] = field(default_factory=set)


@dataclass
class Mismatch:
    """A function whose results differ."""

    function: Function
    lane: int
    host: int
    simulated: int

    def __str__(self) -> str:
        return f"lane {self.lane}: host {self.host:#x}, simulated {self.simulated:#x}\n{self.function.text}"


class Generator:
    """Functions from a seed; ``faulty`` lets operations with known faults in."""

    def __init__(self, seed: int, faulty: bool = False) -> None:
        self.random = np.random.default_rng(seed)
        self.faulty = faulty

    def pick(self, options):
        return options[int(self.random.integers(len(options)))]

    def function(self, name: str) -> Function:
        element = self.pick(tuple(DTYPES))
        lanes = VECTOR_BYTES // np.dtype(DTYPES[element]).itemsize
        ty = f"<{lanes} x {element}>"
        self.made = Function(name, element, lanes, "")
        self.lines = [f"  %v{i} = load {ty}, ptr %p{i}, align {VECTOR_BYTES}" for i in range(INPUTS)]
        self.values = [f"%v{i}" for i in range(INPUTS)]
        self.shuffled: set[str] = set()
        self.products: set[str] = set()
        self.float_kinds: set[str] = set()
        for _ in range(int(self.random.integers(2, 9))):
            self.values.append(self.operation(element, lanes, ty))
        pointers = ", ".join(f"ptr %p{i}" for i in range(INPUTS))
        self.lines.append(f"  store {ty} {self.values[-1]}, ptr %out, align {VECTOR_BYTES}\n  ret void")
        body = "\n".join(self.lines)
        self.made.text = f"define void @{name}({pointers}, ptr %out) {{\n{body}\n}}"
        return self.made

    def emit(self, text: str) -> str:
        name = f"%t{len(self.lines)}"
        self.lines.append(f"  {name} = {text}")
        return name

    def value(self) -> str:
        """Mostly a recent one, so that little of the function is dead."""
        recent = self.values[-2:] if self.random.integers(2) else self.values
        return self.pick(recent)

    def two(self) -> tuple[str, str]:
        """Two different values: LLVM folds operations on equal ones, which hides a fault from its tag."""
        a, b = self.value(), self.value()
        return a, b if a != b else "%v1" if a == "%v0" else "%v0"

    def intrinsic(self, base: str, ty: str, lanes: int, element: str, *values: str) -> str:
        suffix = f"v{lanes}" + {"float": "f32", "half": "f16"}.get(element, element)
        self.made.declarations.add(f"declare {ty} @llvm.{base}.{suffix}({', '.join([ty] * len(values))})")
        return self.emit(f"call {ty} @llvm.{base}.{suffix}({', '.join(f'{ty} {v}' for v in values)})")

    def operation(self, element: str, lanes: int, ty: str) -> str:
        if self.random.integers(5) == 0:
            return self.shuffle(element, lanes, ty)
        a, b = self.two()
        if element in FLOATS:
            kind = int(self.random.integers(6))
            if kind >= 3 and self.mixes("sign" if kind < 5 else "compare"):
                kind -= 3
            if kind < 3:
                return self.emit(f"{('fadd', 'fsub', 'fmul')[kind]} {ty} {a}, {b}")
            if kind == 3:
                return self.emit(f"fneg {ty} {a}")
            if kind == 4:
                return self.intrinsic("fabs", ty, lanes, element, a)
            predicate = self.pick([p for p, fault in _COMPARES.items() if self.faulty or not fault])
            if _COMPARES[predicate]:
                self.made.faults.add(_COMPARES[predicate])
            return self.float_select(predicate, a, b, lanes, ty)
        kind = int(self.random.integers(5))
        bits = int(element[1:])
        if kind == 0:
            return self.intrinsic(self.pick(_INTRINSICS), ty, lanes, element, a, b)
        if kind == 1:
            return self.select(self.emit(f"icmp {self.pick(_PREDICATES)} {ty} {a}, {b}"), lanes, ty)
        if kind == 2:
            amount = self.emit(f"and {ty} {b}, splat ({element} {bits - 1})")
            if self.random.integers(2) and not self.scales(a):
                amount = f"splat ({element} {int(self.random.integers(bits))})"
            op = self.pick(("shl", "lshr", "ashr"))
            return self.emit(f"{op} {ty} {a}, {amount}")
        op = self.pick(_INTEGER)
        name = self.emit(f"{op} {ty} {a}, {b}")
        if op == "mul":
            self.products.add(name)
        return name

    def scales(self, value: str) -> bool:
        """LLVM combines the shift of a product by a constant to a fixed-point product; True when that must be
        avoided."""
        if value in self.products and self.faulty:
            self.made.faults.add("fixed-point-product")
        return value in self.products and not self.faulty

    def select(self, condition: str, lanes: int, ty: str) -> str:
        yes, no = self.two()
        return self.emit(f"select <{lanes} x i1> {condition}, {ty} {yes}, {ty} {no}")

    def mixes(self, kind: str) -> bool:
        """With sign changes around a select LLVM combines it to a vmin; True when that must be avoided."""
        if not self.faulty and self.float_kinds - {kind}:
            return True
        self.float_kinds.add(kind)
        if len(self.float_kinds) > 1:
            self.made.faults.add("minmax-nan")
        return False

    def float_select(self, predicate: str, a: str, b: str, lanes: int, ty: str) -> str:
        condition = self.emit(f"fcmp {predicate} {ty} {a}, {b}")
        yes, no = self.two()
        if {yes, no} == {a, b}:
            if self.faulty:
                self.made.faults.add("minmax-nan")
            else:
                no = self.emit(f"fmul {ty} {no}, {no}")
        return self.emit(f"select <{lanes} x i1> {condition}, {ty} {yes}, {ty} {no}")

    def shuffle(self, element: str, lanes: int, ty: str) -> str:
        a, b = self.value(), self.value()
        if a == b or {a, b} & self.shuffled:  # LLVM merges shuffles, and the merged one may repeat lanes
            if not self.faulty:
                a, b = "%v0", "%v1"
            else:
                self.made.faults.add("shuffle-repeated")
        index = np.arange(lanes)
        kind = self.pick(("rotate", "reverse", "splat", "permutation", "interleave", "splice", "blend",
                          *(("repeated",) if self.faulty else ())))  # fmt: skip
        shift = int(self.random.integers(1, lanes))
        mask = {
            "rotate": (index + shift) % lanes, "reverse": index[::-1], "splat": np.full(lanes, shift),
            "permutation": self.random.permutation(lanes), "splice": index + shift,
            "interleave": np.stack([index[: lanes // 2], index[: lanes // 2] + lanes], axis=1).reshape(-1),
            "blend": index + lanes * self.random.integers(0, 2, lanes),
            "repeated": self.random.integers(0, lanes, lanes),
        }[kind]  # fmt: skip
        if kind == "repeated":
            self.made.faults.add("shuffle-repeated")
        indices = ", ".join(f"i32 {int(i)}" for i in mask)
        name = self.emit(f"shufflevector {ty} {a}, {ty} {b}, <{lanes} x i32> <{indices}>")
        self.shuffled.add(name)
        return name


def inputs(function: Function, random: np.random.Generator) -> list[np.ndarray]:
    """Random bits; for floats ordinary numbers with zeros, infinities, NaN, denormals and ties between them."""
    vectors = []
    for _ in range(INPUTS):
        dtype = DTYPES[function.element]
        if function.element in FLOATS:
            kind = FLOATS[function.element]
            info = np.finfo(kind)
            values = (random.standard_normal(function.lanes) * 8).astype(kind)
            special = [0.0, -0.0, np.inf, -np.inf, np.nan, info.tiny / 4, -info.tiny / 2, info.max, 1.0, 1.5]
            where = random.integers(0, 4, function.lanes) == 0
            values[where] = random.choice(np.array(special, kind), int(where.sum()))
            vectors.append(values.view(dtype))
        else:
            small = random.integers(-5, 6, function.lanes).astype(np.int64).astype(dtype)
            vectors.append(np.where(random.integers(0, 3, function.lanes) == 0, small,
                                    random.integers(0, np.iinfo(dtype).max, function.lanes, dtype, True)))  # fmt: skip
    return vectors


def module_text(functions: list[Function]) -> str:
    declarations = sorted({d for f in functions for d in f.declarations})
    return "\n".join([*declarations, *(f.text for f in functions)])


def hexagon_assembly(ir: str, target: targets.Target, level: int = 2) -> str:
    llvm = host.binding()
    llvm.set_option("random-ir", "-hvc-vi=true")  # LLVM's default: code generation in this process turns it off
    machine = llvm.Target.from_triple(TRIPLE).create_target_machine(cpu=target.cpu, features=target.features, opt=level)
    module = llvm.parse_assembly(ir)
    module.triple, module.data_layout = TRIPLE, str(machine.target_data)
    return machine.emit_assembly(module)


class HostCode:
    """The module compiled for this machine."""

    def __init__(self, ir: str) -> None:
        llvm = host.binding()
        machine = host.target_machine(2)
        module = llvm.parse_assembly(ir)
        module.triple, module.data_layout = machine.triple, str(machine.target_data)
        self.engine = llvm.create_mcjit_compiler(module, machine)
        self.engine.finalize_object()

    def run(self, function: Function, vectors: list[np.ndarray]) -> np.ndarray:
        raw = np.zeros(VECTOR_BYTES * (INPUTS + 2), np.uint8)
        start = -raw.ctypes.data % VECTOR_BYTES
        room = raw[start : start + VECTOR_BYTES * (INPUTS + 1)].reshape(INPUTS + 1, VECTOR_BYTES)
        room[:INPUTS] = [v.view(np.uint8) for v in vectors]
        prototype = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * (INPUTS + 1))
        entry = prototype(self.engine.get_function_address(function.name))
        entry(*(row.ctypes.data for row in room))
        return room[INPUTS].copy().view(DTYPES[function.element])


def mismatch(function: Function, want: np.ndarray, got: np.ndarray) -> Mismatch | None:
    """The first lane that differs; any NaN equals any NaN."""
    wrong = want != got
    if function.element in FLOATS:
        kind = FLOATS[function.element]
        wrong &= ~(np.isnan(want.view(kind)) & np.isnan(got.view(kind)))
    if not wrong.any():
        return None
    lane = int(np.flatnonzero(wrong)[0])
    return Mismatch(function, lane, int(want[lane]), int(got[lane]))


def check(functions: list[Function], seed: int, target: str = targets.DEFAULT, repeats: int = 2) -> list[Mismatch]:
    """Run every function on random inputs on both sides; the functions that differ."""
    ir = module_text(functions)
    chip = targets.get(target)
    machine = Machine(hexagon_assembly(ir, chip), chip, memory="fast", arithmetic=Arithmetic.IEEE)
    native = HostCode(ir)
    addresses = [machine.alloc_ddr(VECTOR_BYTES) for _ in range(INPUTS + 1)]
    random = np.random.default_rng(seed)
    found: list[Mismatch] = []
    for function in functions:
        for _ in range(repeats):
            vectors = inputs(function, random)
            for address, vector in zip(addresses, vectors, strict=False):
                machine.write(address, vector)
            machine.run(function.name, addresses)
            got = machine.read(addresses[-1], DTYPES[function.element], function.lanes)
            difference = mismatch(function, native.run(function, vectors), got)
            if difference:
                found.append(difference)
                break
    return found
