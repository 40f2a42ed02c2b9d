"""Which values of a function are kept in qfloat, and which format its multiplications take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hexagon_mlir.codegen.hvx.half_conversions import OVERFLOW
from hexagon_mlir.codegen.hvx.multiply_formats import OUTSIDE, Availability, choose_formats
from hexagon_mlir.codegen.hvx.native_parts import FORMATS
from hexagon_mlir.codegen.hvx.split_plan import SplitPlan
from hexagon_mlir.codegen.hvx.value_forms import constant
from hexagon_mlir.codegen.hvx.value_ranges import Ranges
from hexagon_mlir.llvmir import Instruction
from hexagon_mlir.llvmir.types import vector_type

SUMS = frozenset({"fadd", "fsub"})
NORMALISED = 4.0
"""Cost of normalising a sum in qfloat, against 1 for a conversion: adding zero has the same latency, but changes a
quarter of all numbers by one unit in the last place; a conversion changes none."""
_FLOAT_USERS = frozenset({"fadd", "fsub", "fmul", "fptrunc"})


class FloatFormats:
    """``qfloats`` are computed or carried in qfloat, ``in_qfloat`` products take qfloat operands, ``negated`` products
    are computed with the opposite sign, because additions replace their subtractions.
    """

    def __init__(self, plan: SplitPlan, users: Mapping[str, Sequence[Instruction]], qfloat: bool):
        self.instructions, self.definitions, self.ours = plan.instructions, plan.definitions, plan.names
        self.users, self.qfloat = users, qfloat
        self.ranges = Ranges()
        for i in self.instructions:
            self.ranges.visit(i)
        self.normal = self.ranges.normal
        self.qfloat_phis = self._find_qfloat_phis()
        self.qfloats = {name for name in self.ours if self._is_qfloat(name)}
        self.in_qfloat = self._choose_formats()
        self.negated = {name for name in self.qfloats if self._wants_negative(name)}

    def _wants_negative(self, name: str) -> bool:
        """True for a product with a constant that is only subtracted from IEEE values: ``sf - qf32`` does not exist."""
        i = self.definitions[name]
        if i.opcode != "fmul" or not any(constant(o) is not None for o in i.operands):
            return False
        return all(u.opcode == "fsub" and u.result in self.qfloats and u.operands[1] == name and u.operands[0] != name
                   for u in self.users.get(name, [])) and any(
            u.operands[0] not in self.qfloats and u.operands[0].startswith("%") for u in self.users.get(name, []))

    def _is_qfloat(self, name: str) -> bool:
        """True when ``name`` is computed, or carried by a loop, in qfloat."""
        i = self.definitions[name]
        vector = vector_type(i.type)
        if not self.qfloat or vector is None or vector[1] not in FORMATS:
            return False
        if i.opcode == "phi":
            return name in self.qfloat_phis
        return i.opcode in SUMS or i.opcode == "fmul" or (i.opcode == "fpext" and vector[1] == "float")

    def _find_qfloat_phis(self) -> set[str]:
        """Loop-carried sums, through all loops of a nest: phis whose back-edge values are only sums and such phis."""
        phis = {name: i for name in self.ours if (i := self.definitions[name]).opcode == "phi"
                and (vector := vector_type(i.type)) is not None and vector[1] in FORMATS}
        made = {name: [d for o in i.operands if (d := self.definitions.get(o)) is not None and d.result in self.ours]
                for name, i in phis.items()}
        place = {i.result: number for number, i in enumerate(self.instructions) if i.result}
        back = {name: [d for d in made[name] if place[d.result] > place[name]] for name in phis}
        kept = set(phis)
        while refused := {name for name in kept if any(d.opcode not in SUMS and d.result not in kept
                                                       for d in back[name])}:
            kept -= refused
        found = {name for name in kept if self._carries_sum(made[name], name)}
        while added := {name for name in kept - found if any(d.result in found for d in made[name])
                         or any(u.result in found for u in self.users.get(name, []))}:
            found |= added
        return found

    def _carries_sum(self, made: Sequence[Instruction], name: str) -> bool:
        """True when phi ``name`` carries a sum that is computed from it in the same block."""
        blocks = {d.block for d in made if d.opcode in SUMS}
        return any(u.opcode in SUMS and u.block in blocks for u in self.users.get(name, []))

    def _choose_formats(self) -> set[str]:
        """Products that take qfloat operands."""
        products = [i for i in self.instructions if i.opcode == "fmul" and i.result in self.qfloats]
        stays = {i.result for i in self.instructions if i.result in self.qfloats and i.opcode != "fpext"}
        readers = [i for i in self.instructions if i.result not in stays and i.opcode != "fptrunc"]
        needs_ieee = {o for i in readers for o in i.mentioned}
        values: dict[str, Availability] = {}
        for i in products:
            for operand in i.operands:
                values[operand] = self._availability(operand, i.block, operand in needs_ieee)
        chosen = choose_formats([(i.operands[0], i.operands[1]) for i in products], values)
        return {i.result for i, qfloat in zip(products, chosen, strict=True) if qfloat}

    def _availability(self, operand: str, block: str, needs_ieee: bool) -> Availability:
        if not operand.startswith("%"):
            return Availability(0.0, OUTSIDE)
        definition = self.definitions.get(operand)
        cost = 1.0 if definition is not None and definition.block == block else OUTSIDE
        if operand in self.qfloats:
            return Availability(0.0 if needs_ieee else cost, 0.0 if self.is_normal(operand) else NORMALISED)
        return Availability(0.0, cost)

    def shows_bits(self, name: str) -> bool:
        """True when an operation uses or forwards the bits of ``name``."""
        return any(u.opcode not in _FLOAT_USERS for u in self.users.get(name, []))

    def fits_half(self, name: str) -> bool:
        """True when the f32 ``name`` is provably in the range of f16; infinity and NaN of f16 are preserved."""
        low, high = self.ranges.interval(name)
        return low >= -OVERFLOW and high <= OVERFLOW

    def is_normal(self, name: str) -> bool:
        """True when qfloat value ``name`` is provably normalised."""
        return name in self.normal or self.definitions[name].opcode == "fpext"
