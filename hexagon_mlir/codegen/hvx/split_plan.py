"""Which vector values of a function can be split into native parts, and with which lane stride."""

from __future__ import annotations

from collections.abc import Sequence

from hexagon_mlir import targets
from hexagon_mlir.llvmir import CASTS, Instruction
from hexagon_mlir.llvmir.types import mask_numbers, vector_type

VECTOR_BITS = 8 * int(targets.get().vector_bytes.value)
BITS = {"float": 32, "half": 16, "bfloat": 16, "i32": 32, "i16": 16, "i8": 8}
_WORDS = VECTOR_BITS // 32
_PLAIN = frozenset({"add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr", "fdiv", "frem", "sdiv", "udiv",
                    "srem", "urem", "fadd", "fsub", "fmul", "fneg", "load", "phi", "freeze"})
_ELEMENTWISE_CALLS = frozenset({
    "fabs", "smax", "smin", "umax", "umin", "abs", "sadd.sat", "ssub.sat", "uadd.sat", "usub.sat", "maxnum", "minnum",
    "maximum", "minimum", "maximumnum", "minimumnum", "ctpop", "ctlz", "cttz"})


class SplitPlan:
    """``names`` are the values to split, ``bits[name]`` the lane width of their parts, ``lane_strides[name]`` the
    distance of adjacent lanes in them."""

    def __init__(self, instructions: Sequence[Instruction], floats: bool):
        self.instructions, self.floats = instructions, floats
        self.definitions = {i.result: i for i in instructions if i.result}
        self.places = {i.result: place for place, i in enumerate(instructions) if i.result}
        self.bits: dict[str, int] = {}
        self.lane_strides: dict[str, int] = {}
        self._shuffles: dict[str, str] = {}
        self.names = self._find()
        self._infer_lane_strides()

    def _find(self) -> set[str]:
        """Names of the values that are split; everything else stays."""
        found: set[str] = set()
        vectors = [i for i in self.instructions if i.result and i.operands and i.type.startswith("<")]
        for _ in range(3):  # masks depend on their operands, which may be later values
            before = dict(self.bits)
            for i in vectors:
                if bits := self._width(i):
                    self.bits[i.result] = bits
                    found.add(i.result)
            if self.bits == before:
                break
            vectors = [i for i in vectors if any(t.endswith("i1>") for t in (i.type, *i.types[:1]))]
        return found

    def _width(self, i: Instruction) -> int:
        """Bits per lane of the parts of ``i``'s result; 0 when ``i`` is left alone."""
        vector = vector_type(i.type)
        if vector is None:
            return 0
        lanes, element = vector
        if element == "i1":
            return self._mask_width(i, lanes)
        bits = BITS.get(element, 0)
        if not bits or lanes * bits % VECTOR_BITS:
            return 0
        if i.opcode in _PLAIN:
            return bits
        if i.opcode == "select":
            mask = self.bits.get(i.operands[0], bits if not i.operands[0].startswith("%") else 0)
            return bits if i.types[0] != "i1" and mask == bits else 0
        if i.opcode == "call":
            return bits if i.generic in _ELEMENTWISE_CALLS and all(
                not t.startswith("<") or t == i.type for t in i.types) else 0
        if i.opcode == "shufflevector":
            return bits if self.shuffle_kind(i) else 0
        if i.opcode in CASTS:
            return bits if self.cast_kind(i) else 0
        return 0

    def _mask_width(self, i: Instruction, lanes: int) -> int:
        if i.opcode in ("icmp", "fcmp"):
            source = vector_type(i.types[0])
            bits = BITS.get(source[1], 0) if source else 0
            return bits if bits and lanes * bits % VECTOR_BITS == 0 else 0
        if i.opcode in ("and", "or", "xor"):
            widths = {self.bits.get(o, 0) for o in i.operands if o.startswith("%")}
            return widths.pop() if len(widths) == 1 else 0
        return 0

    def cast_kind(self, i: Instruction) -> str:
        """``same`` (equal widths), ``widen``, ``narrow``, or '' for a cast that stays."""
        source, target = vector_type(i.types[0]), vector_type(i.type)
        if source is None or target is None or source[0] != target[0]:
            return ""
        if source[1] == "i1":
            return "same" if self.bits.get(i.operands[0]) == BITS[target[1]] else ""
        before, after = BITS.get(source[1], 0), BITS[target[1]]
        if not before or source[0] * before % VECTOR_BITS:
            return ""
        if before == after:
            return "same"
        if "bfloat" in (source[1], target[1]) or (i.opcode in ("fpext", "fptrunc") and not self.floats):
            return ""
        if i.opcode in ("sext", "zext", "fpext"):
            return "widen"
        return "narrow" if i.opcode in ("trunc", "fptrunc") else ""

    def shuffle_kind(self, i: Instruction) -> str:
        """``slice`` or ``concat`` of whole parts, ``splat`` of a scalar, ``interleave`` of two parts, their ``even`` or
        ``odd`` lanes, those of one value of two parts of words, whose lanes alternate (``first``, ``second``), or ''.
        """
        if i.result not in self._shuffles:
            self._shuffles[i.result] = self._shuffle_kind(i)
        return self._shuffles[i.result]

    def _shuffle_kind(self, i: Instruction) -> str:
        source, result = vector_type(i.types[0]), vector_type(i.type)
        if source is None or result is None:
            return ""
        native = VECTOR_BITS // BITS[result[1]]
        if i.operands[2] == "zeroinitializer":
            inner = self.definitions.get(i.operands[0])
            return "splat" if inner is not None and inner.opcode == "insertelement" and inner.operands[0] == "poison" \
                and inner.operands[-1] == "0" else ""
        numbers = mask_numbers(i.operands[2], result[0])
        if numbers is None or source[0] % native:
            return ""
        if source[0] == native and "poison" not in i.operands[:2] and numbers == [
                k + native * odd for k in range(native) for odd in (0, 1)]:
            return "interleave"
        if source[0] == native == result[0] and "poison" not in i.operands[:2] and numbers[0] in (0, 1) and numbers == [
                *range(numbers[0], 2 * native, 2)]:
            return ("even", "odd")[numbers[0]]
        if native == _WORDS and source[0] == 2 * native == 2 * result[0] and numbers[0] in (0, 1) and numbers == [
                *range(numbers[0], 2 * native, 2)] and self.definitions.get(i.operands[0]) is not None:
            return ("first", "second")[numbers[0]]
        if numbers != list(range(numbers[0], numbers[0] + len(numbers))) or numbers[0] % native:
            return ""
        if numbers[-1] < source[0]:
            return "slice"
        return "concat" if numbers[0] == 0 and len(numbers) == 2 * source[0] else ""

    def _infer_lane_strides(self) -> None:
        split = [i for i in self.instructions if i.result in self.names]
        changed: set[str] = set()
        for attempt in range(4):
            recent, changed = changed, set()  # the values changed since the last visit of an instruction, or before it
            for i in split:
                if attempt and recent.isdisjoint(i.operands) and changed.isdisjoint(i.operands):
                    continue
                if (stride := self._lane_stride(i)) and stride != self.lane_strides.get(i.result):
                    self.lane_strides[i.result] = stride
                    changed.add(i.result)
            if not changed:
                break
        for name in self.names:
            self.lane_strides.setdefault(name, 1)

    def _lane_stride(self, i: Instruction) -> int:
        """Lane stride of the result; 0 when any will do (a splat) or it is not known yet."""
        if i.opcode == "load":
            return 1
        if i.opcode == "shufflevector":
            return {"splat": 0, "interleave": 2}.get(self.shuffle_kind(i), 1)
        sources = [o for o in i.operands if o.startswith("%")]
        if i.opcode == "phi":  # a loop carries the stride in which it computes, whatever the initial value has
            place = self.places[i.result]
            sources = [o for o in sources if self.places.get(o, place) > place] or sources
        known = [k for o in sources if (k := self.lane_strides.get(o, 0) if o in self.names else 1)]
        # a vector of lane numbers is in memory order, unless another operand decides
        stride = min(known, default=int(any(o.startswith("<") for o in i.operands)))
        if i.opcode in CASTS and stride:
            source, result = vector_type(i.types[0]), vector_type(i.type)
            assert source and result
            ratio = BITS.get(result[1], 0) / max(BITS.get(source[1], 0), 1)
            if self.cast_kind(i) == "widen":
                return int(stride * ratio)
            if self.cast_kind(i) == "narrow":
                return max(int(stride * ratio), 1)
        return stride
