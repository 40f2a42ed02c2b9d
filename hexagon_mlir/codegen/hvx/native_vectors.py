"""Vector arithmetic of LLVM IR on HVX registers: wide vectors in native parts, qfloat values kept between operations.

LLVM 22 converts to IEEE after most qfloat operations, and widens and narrows through general shuffles. Here each
vector value becomes a list of native parts:

* Sums and products are qf32 or qf16 intrinsics. A value is converted once, where an operation other than arithmetic
  reads it. Multiplications need normalised operands: those that `value_ranges` cannot prove normalised are converted
  first. Loop-carried sums stay in qfloat.
* Conversions between 16 and 32 bits (8 and 16) leave even lanes in one part and odd lanes in the other, which does not
  affect arithmetic; only memory accesses and unknown operations restore the order of lanes.

The lane stride is the distance of adjacent lanes of a part in the whole vector: 1 as in memory, 2 for even and odd
lanes, 4 for every fourth. Unknown operations stay unchanged, on whole vectors.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from hexagon_mlir.codegen.hvx.dot_products import make_dot_product
from hexagon_mlir.codegen.hvx.fixed_point import make_fixed_point
from hexagon_mlir.codegen.hvx.half_conversions import narrowed_halves, narrowed_whole, widened_whole
from hexagon_mlir.codegen.hvx.half_integers import make_half_integer
from hexagon_mlir.codegen.hvx.native_parts import FORMATS, PartBuilder, Value
from hexagon_mlir.codegen.hvx.qfloat_formats import FloatFormats
from hexagon_mlir.codegen.hvx.saturating_packs import Clamp, clamped, packed
from hexagon_mlir.codegen.hvx.split_plan import VECTOR_BITS, SplitPlan
from hexagon_mlir.codegen.hvx.value_forms import constant
from hexagon_mlir.codegen.hvx.widening_products import make_widening_product
from hexagon_mlir.llvmir import CASTS, Declarations, Function, Instruction, Module, renamed
from hexagon_mlir.llvmir.types import mask_numbers, split_type, vector_type
from hexagon_mlir.targets.disputed import NarrowingOrder

_ARITHMETIC = tuple(f" x {element}>" for element in ("half", "float", "i32", "i16", "i8"))


def has_vector_arithmetic(text: str) -> bool:
    """Whether ``text`` has vectors of element types that HVX has."""
    return any(element in text for element in _ARITHMETIC)


def use_native_vectors(module: Module, qfloat: bool, floats: bool = True, converts: bool = True,
                       legacy: bool | None = None, narrowing_order: str = NarrowingOrder.FIRST_EVEN) -> Module:
    """``module`` with the vector arithmetic of every function rewritten; with ``qfloat`` values stay in that format.

    Without ``floats`` the chip's HVX has integers only. ``converts``: it has ``v.sf = v.w`` (from v73 on). ``legacy``:
    the chip computes in legacy qfloat (v68 to v75); defaults to ``qfloat``. ``narrowing_order`` is a
    `NarrowingOrder`.
    """
    legacy = qfloat if legacy is None else legacy
    declared: Declarations = {}

    def rewritten(function: Function) -> Function:
        if not has_vector_arithmetic(function.text):
            return function
        return FunctionRewriter(function, qfloat, floats, declared, converts, legacy, narrowing_order).rewrite()

    return module.map(rewritten).declaring(declared)


class FunctionRewriter(PartBuilder):
    """Rewrites one function; use as ``FunctionRewriter(function, ...).rewrite()``."""

    def __init__(self, function: Function, qfloat: bool, floats: bool, declared: Declarations, converts: bool,
                 legacy: bool, narrowing_order: str):
        self.function, self.instructions = function, function.records
        self.converts, self.legacy = converts, legacy
        self.plan = SplitPlan(self.instructions, floats)
        super().__init__(self.plan.definitions, qfloat, declared, narrowing_order)
        self.ours, self.bits, self.lane_strides = self.plan.names, self.plan.bits, self.plan.lane_strides
        self.incoming: dict[tuple[str, str], list[str]] = {}
        """(phi, predecessor block) -> parts."""
        self.phis_after: dict[str, list[Instruction]] = {}
        """block -> the phis of its successors."""

    def rewrite(self) -> Function:
        """The rewritten function; itself where nothing in it is split."""
        converted = self.legacy and not self.function.by_opcode.keys().isdisjoint(("fpext", "fptrunc"))
        if not self.ours and not converted:
            return self.function
        self.formats = FloatFormats(self.plan, self.function.users, self.qfloat)
        for i in self.function.by_opcode.get("phi", ()):
            for block in dict.fromkeys(i.incoming):
                self.phis_after.setdefault(block, []).append(i)
        phis: list[tuple[int, Instruction]] = []
        for i in self.instructions:
            self.block, self.debug = i.block, i.debug
            if i.opcode == "phi" and i.result in self.ours:
                phis.append((len(self.out), i))
                self._declare_phi(i)
                continue
            if i.opcode in ("br", "switch"):
                self._before_branch(i)
            if i.result in self.ours or (i.opcode == "store" and i.operands and i.operands[0] in self.ours):
                self._rewrite(i)
            elif self.legacy and self._converts_whole_halves(i):
                pass
            else:
                self.out.append(self._kept(i))
        for place, i in reversed(phis):
            self.out[place:place] = self._phi_lines(i)
        return Function.of(self.out)

    # -- one instruction -----------------------------------------------------------------------------------------

    def _rewrite(self, i: Instruction) -> None:
        if i.opcode == "store":
            self._store(i)
            return
        vector = vector_type(i.type)
        assert vector is not None
        value = Value(vector[1], vector[0], self.bits[i.result], self.lane_strides[i.result], i.block)
        self.values[i.result] = value
        if i.opcode == "load":
            value.parts = self._load(i, value)
        elif i.opcode == "shufflevector":
            self._shuffle(i, value)
        elif (self.converts and make_half_integer(self, self.plan, i, value)) or \
                make_fixed_point(self, self.plan, i, value) or make_dot_product(self, self.plan, i, value):
            pass
        elif make_widening_product(self, self.plan, i, value):
            value.normal = self.formats.is_normal(i.result) if i.opcode == "fmul" else True
        elif i.result in self.formats.qfloats:
            self._arithmetic(i, value)
        elif i.opcode in CASTS and self.plan.cast_kind(i) != "same":
            self._convert(i, value)
        else:
            self._elementwise(i, value)

    def _load(self, i: Instruction, value: Value) -> list[str]:
        suffix = _alignment(i)
        pointer = i.operands[0]
        return [self.emit(f"load {value.native}, ptr {self.offset(pointer, part)}{suffix}")
                for part in range(value.lanes * value.bits // VECTOR_BITS)]

    def _store(self, i: Instruction) -> None:
        value = self.values[i.operands[0]]
        suffix = _alignment(i)
        for number, part in enumerate(self.with_stride(i.operands[0], value, 1)):
            place = self.offset(i.operands[1], number)
            self.out.append(f"  store {value.native} {part}, ptr {place}{suffix}{i.debug}")

    def _shuffle(self, i: Instruction, value: Value) -> None:
        kind = self.plan.shuffle_kind(i)
        count = value.lanes * value.bits // VECTOR_BITS
        if kind == "splat":
            inner = self.definitions[i.operands[0]]
            one = self.emit(f"insertelement {value.native} poison, {inner.types[1]} {inner.operands[1]}, i64 0")
            lanes = VECTOR_BITS // value.bits
            value.splat = True
            value.parts = [self.emit(f"shufflevector {value.native} {one}, {value.native} poison, "
                                     f"<{lanes} x i32> zeroinitializer")] * count
            return
        sources = [self.value(o, t) for o, t in zip(i.operands[:2], i.types[:2], strict=True) if o != "poison"]
        if kind == "interleave":  # the parts of a value of lane stride 2
            value.parts = [self.with_stride(o, s, 1)[0] for o, s in zip(i.operands, sources, strict=False)]
            return
        if kind in ("even", "odd"):
            low, high = (self.with_stride(o, s, 1)[0] for o, s in zip(i.operands, sources, strict=False))
            value.parts = [self.pair("vdealvdd", low, high, value)[kind == "odd"]]
            return
        if kind in ("first", "second"):
            self._alternate(i, value, sources[0], kind == "second")
            return
        mask = mask_numbers(i.operands[2], value.lanes)
        assert mask is not None
        first = mask[0] * value.bits // VECTOR_BITS
        if self.qfloat and all(s.qfloats and not s.parts and s.lane_stride == 1 for s in sources):
            value.qfloats = [c for s in sources for c in s.qfloats][first:first + count]
            value.normal = all(s.normal for s in sources)
            self.formats.qfloats.add(i.result)
            return
        parts = [p for o, s in zip(i.operands, sources, strict=False) for p in self.with_stride(o, s, 1)]
        value.parts = parts[first:first + count]

    def _alternate(self, i: Instruction, value: Value, source: Value, second: bool) -> None:
        """One of the two parts of ``source``, with every second lane of it."""
        if self.qfloat and source.qfloats and not source.parts and source.lane_stride == 2:
            value.qfloats = [source.qfloats[second]]
            value.normal = source.normal
            self.formats.qfloats.add(i.result)
            return
        value.parts = [self.with_stride(i.operands[0], source, 2)[second]]

    def _elementwise(self, i: Instruction, value: Value) -> None:
        """The same instruction on every part."""
        columns: list[list[str]] = []
        for operand, type_ in zip(i.operands, i.types, strict=True):
            if type_.startswith("<"):
                source = self.value(operand, type_, value.bits if type_.endswith("i1>") else 0)
                columns.append([f"{self._native(type_, value.bits)} {p}"
                                for p in self.with_stride(operand, source, value.lane_stride)])
            else:
                columns.append([f"{type_} {operand}"] * (value.lanes * value.bits // VECTOR_BITS))
        rows = list(zip(*columns, strict=True))
        native = self._native(i.type, value.bits)
        if i.opcode == "call":
            name = i.callee_with_lanes(VECTOR_BITS // value.bits)
            types = [self._native(t, value.bits) if t.startswith("<") else t for t in i.types]
            self.declared[name] = f"declare {native} {name}({', '.join(types)})"
            value.parts = [self.emit(f"call {native} {name}({', '.join(row)})") for row in rows]
        elif i.opcode == "sitofp" and i.types[0].endswith("x i32>") and self.converts:
            words = [row[0].split("> ", 1)[1] for row in rows]
            value.parts = [self.as_type(self.intrinsic("vconv.sf.w", "<32 x i32>", ("<32 x i32>", w)), native)
                           for w in words]
        elif i.opcode == "sitofp" and i.types[0].endswith("x i16>") and value.element == "half" and self.converts \
                and self.legacy:
            numbers = [self.words(row[0].split("> ", 1)[1], self._native(i.types[0], value.bits)) for row in rows]
            value.parts = [self.as_type(self.intrinsic("vconv.hf.h", "<32 x i32>", ("<32 x i32>", w)), native)
                           for w in numbers]
        elif i.opcode == "bitcast":
            before = self._native(i.types[0], value.bits)
            value.parts = [self.recast(row[0].split("> ", 1)[1], before, native) for row in rows]
        elif i.opcode in CASTS:
            flags = f"{i.flags} " if i.flags else ""
            value.parts = [self.emit(f"{i.opcode} {flags}{row[0]} to {native}") for row in rows]
        else:
            flags = f"{i.flags} " if i.flags else ""
            separate = i.opcode in ("select",)
            value.parts = [self.emit(f"{i.opcode} {flags}" + (", ".join(row) if separate else ", ".join(
                [row[0], *(text.split("> ", 1)[1] for text in row[1:])]))) for row in rows]

    def _native(self, type_: str, bits: int) -> str:
        vector = vector_type(type_)
        assert vector is not None
        return f"<{VECTOR_BITS // bits} x {vector[1]}>"

    # -- qfloat --------------------------------------------------------------------------------------------------

    def _arithmetic(self, i: Instruction, value: Value) -> None:
        value.normal = self.formats.is_normal(i.result)
        if i.opcode == "fpext":
            self._convert(i, value)
            return
        ieee, qfloat = FORMATS[value.element]
        sources = [self._at_stride(o, self.value(o, t), value.lane_stride)
                   for o, t in zip(i.operands, i.types, strict=True)]
        left, right = sources
        operands = i.operands
        if i.opcode == "fmul":
            if i.result in self.formats.negated:
                left, right = (_negative(v) if v.splat and constant(v.parts[0]) is not None else v for v in sources)
                if constant(i.operands[0]) is not None:
                    right = sources[1]  # one factor only
                operands = [_negated(o) if v is not s else o
                            for o, v, s in zip(i.operands, (left, right), sources, strict=True)]
            if i.result in self.formats.in_qfloat:
                a, b = self.as_qfloat(operands[0], left, True), self.as_qfloat(operands[1], right, True)
                value.qfloats = self.binary(f"vmpy.{qfloat}", a, b)
            else:
                a, b = self._as_words(operands[0], left), self._as_words(operands[1], right)
                value.qfloats = self.binary(f"vmpy.{qfloat}.{ieee}", a, b)
            return
        name = "vadd" if i.opcode == "fadd" or i.operands[1] in self.formats.negated else "vsub"
        if left.qfloats and right.qfloats:
            value.qfloats = self.binary(f"{name}.{qfloat}", left.qfloats, right.qfloats)
        elif left.qfloats:
            value.qfloats = self.binary(f"{name}.{qfloat}.mix", left.qfloats, self._as_words(i.operands[1], right))
        elif right.qfloats and name == "vadd":
            value.qfloats = self.binary(f"{name}.{qfloat}.mix", right.qfloats, self._as_words(i.operands[0], left))
        elif right.qfloats:  # there is no sf - qf32
            value.qfloats = self.binary(f"vsub.{qfloat}", self.as_qfloat(i.operands[0], left), right.qfloats)
        else:
            value.qfloats = self.binary(f"{name}.{ieee}", self._as_words(i.operands[0], left),
                                        self._as_words(i.operands[1], right))

    def _at_stride(self, operand: str, value: Value, stride: int) -> Value:
        if value.splat or value.lane_stride == stride:
            return value
        parts = self.with_stride(operand, value, stride)
        return Value(value.element, value.lanes, value.bits, stride, self.block, parts)

    def _as_words(self, operand: str, value: Value) -> list[str]:
        parts = self.ieee(operand, value)
        if value.splat:
            return [self.words(parts[0], value.native)] * len(parts)
        return [self.words(p, value.native) for p in parts]

    def binary(self, name: str, left: list[str], right: list[str]) -> list[str]:
        return [self.intrinsic(name, "<32 x i32>", ("<32 x i32>", a), ("<32 x i32>", b))
                for a, b in zip(left, right, strict=True)]

    # -- widths --------------------------------------------------------------------------------------------------

    def _convert(self, i: Instruction, value: Value) -> None:
        clamp = clamped(self.plan, i)
        if clamp is not None:
            self._saturate(clamp, value)
            return
        source = self.value(i.operands[0], i.types[0])
        if self.plan.cast_kind(i) == "widen":
            bits, stride = source.bits, source.lane_stride
            parts = self.with_stride(i.operands[0], source, stride)
            while bits < value.bits:
                parts, bits, stride = self.widened(i.opcode, parts, bits, stride), 2 * bits, 2 * stride
            value.lane_stride = stride
            if i.opcode == "fpext" and self.qfloat:
                value.qfloats, value.from_half = parts, True
                value.specials = self.formats.shows_bits(i.result)
            else:
                value.parts = [self.as_type(p, value.native) for p in parts] if i.opcode == "fpext" else parts
        else:
            self._narrow(i, source, value)

    def _saturate(self, clamp: Clamp, value: Value) -> None:
        source = self.value(clamp.operand, clamp.type)
        ratio = source.bits // value.bits
        packs = value.lane_stride == 1 and source.lane_stride < ratio
        stride = source.lane_stride if packs else value.lane_stride * ratio
        parts, bits = self.with_stride(clamp.operand, source, stride), source.bits
        while bits > value.bits:
            parts, stride = packed(self, parts, bits, stride, clamp.signed or bits > 2 * value.bits)
            bits //= 2
        value.parts = parts

    def _narrow(self, i: Instruction, source: Value, value: Value) -> None:
        ratio = source.bits // value.bits
        floats = i.opcode == "fptrunc"
        wanted = value.lane_stride * ratio
        deals = floats and self.qfloat and wanted == 2 and source.lane_stride == 1 and not source.splat
        if deals or (not floats and source.lane_stride < wanted):
            wanted = source.lane_stride
        if floats and self.qfloat and source.lane_stride == wanted:
            parts = self.as_qfloat(i.operands[0], source)
        else:
            parts = self.with_stride(i.operands[0], source, wanted)
            if floats and self.qfloat:
                moved = Value("float", source.lanes, 32, wanted, self.block, parts)
                parts = self.as_qfloat(i.operands[0] + " ordered", moved)
        if source.splat and not source.qfloats:
            parts = self.ieee(i.operands[0], source) if not (floats and self.qfloat) else parts
        bits, stride = source.bits, wanted
        finish = self._finish_half(i, source, wanted) if floats and self.qfloat else None
        while bits > value.bits:
            parts, stride = self.narrowed(floats, parts, bits, stride, finish)
            bits //= 2
        if deals:  # one vector, not two
            parts = [self.intrinsic("vdealh", "<32 x i32>", ("<32 x i32>", part)) for part in parts]
        value.parts = [self.as_type(p, value.native) for p in parts] if floats else parts

    def _finish_half(self, i: Instruction, source: Value, stride: int) -> Callable[[str, int, int], str] | None:
        """The correction of f16 numbers from qfloat: infinity on overflow, and NaN where the source was NaN."""
        if "ninf" in i.flags or "fast" in i.flags or self.formats.fits_half(i.operands[0]):
            return None
        if source.qfloats or "nnan" in i.flags or constant(i.operands[0]) is not None:  # a qfloat sum is never NaN
            return lambda made, low, high: narrowed_halves(self, made, None)
        words = [self.words(p, source.native) for p in self.with_stride(i.operands[0], source, stride)]
        return lambda made, low, high: narrowed_halves(self, made, (words[low], words[high]))

    # -- whole vectors and loops ---------------------------------------------------------------------------------

    def _converts_whole_halves(self, i: Instruction) -> bool:
        """Emit ``i``, with its corrections, if it is a conversion between f16 and f32 that stays whole."""
        if i.opcode not in ("fpext", "fptrunc") or not i.types:
            return False
        before, after = vector_type(i.types[0]), vector_type(i.type)
        if before is None or after is None or {before[1], after[1]} != {"half", "float"}:
            return False
        right = self._kept(i).split(" = ", 1)[1].removesuffix(i.debug)
        if i.opcode == "fpext":
            widened_whole(self, right, i.result, after[0], self.formats.shows_bits(i.result))
        elif "ninf" in i.flags or "fast" in i.flags:
            return False
        else:
            source = self._whole(i.operands[0]) if i.operands[0] in self.ours else i.operands[0]
            narrowed_whole(self, right, source, i.result, after[0])
        return True

    def _kept(self, i: Instruction) -> str:
        """The text of an unchanged instruction, with split operands concatenated."""
        text = i.text
        if self.ours.isdisjoint(i.mentioned):
            return text
        if i.opcode == "phi":
            for operand, block in zip(i.operands, i.incoming, strict=False):
                if operand in self.ours:
                    text = text.replace(f"[ {operand}, %{block} ]", f"[ {operand}.in.{block}, %{block} ]")
            return text
        return renamed(text, {operand: self._whole(operand) for operand in i.mentioned if operand in self.ours})

    def _whole(self, name: str) -> str:
        """Split value ``name`` as one vector in memory order."""
        value = self.values[name]
        parts = self.with_stride(name, value, 1)
        return self.cached(name, "whole", value.block, lambda: [self.concatenated(parts, value)])[0]

    def _declare_phi(self, i: Instruction) -> None:
        vector = vector_type(i.type)
        assert vector is not None
        value = Value(vector[1], vector[0], self.bits[i.result], self.lane_strides[i.result], i.block)
        names = [f"{i.result}.{k}" for k in range(value.lanes * value.bits // VECTOR_BITS)]
        if i.result in self.formats.qfloats:
            value.qfloats, value.normal = names, False
        else:
            value.parts = names
        self.values[i.result] = value

    def _before_branch(self, branch: Instruction) -> None:
        """The incoming values of the phis in the successors of ``branch``, in the phis' format."""
        for i in self.phis_after.get(branch.block, ()):
            if i.result not in self.ours:
                self._before_kept_phi(i, branch.block)
                continue
            for operand, block in zip(i.operands, i.incoming, strict=True):
                if block != branch.block:
                    continue
                value = self.value(operand, i.type)
                phi_stride = self.lane_strides[i.result]
                if i.result in self.formats.qfloats:
                    value = self._at_stride(operand, value, phi_stride)
                    self.incoming[i.result, block] = self.as_qfloat(operand, value)
                else:
                    self.incoming[i.result, block] = self.with_stride(operand, value, phi_stride)

    def _before_kept_phi(self, phi: Instruction, block: str) -> None:
        for operand in dict.fromkeys(o for o, b in zip(phi.operands, phi.incoming, strict=False)
                                     if b == block and o in self.ours):
            whole = self._whole(operand)
            self.out.append(f"  {operand}.in.{block} = bitcast {phi.type} {whole} to {phi.type}")

    def _phi_lines(self, i: Instruction) -> list[str]:
        value = self.values[i.result]
        names = value.qfloats or value.parts
        type_ = "<32 x i32>" if value.qfloats else value.native
        lines = []
        for number, name in enumerate(names):
            sources = ", ".join(f"[ {self.incoming[i.result, block][number]}, %{block} ]" for block in i.incoming)
            lines.append(f"  {name} = phi {type_} {sources}{i.debug}")
        return lines


def _alignment(access: Instruction) -> str:
    """The alignment of a part of ``access``, as text."""
    return f", align {min(access.alignment, VECTOR_BITS // 8)}" if access.alignment else ""


def _negated(operand: str) -> str:
    """A splat constant of floats with its sign changed."""
    if operand == "zeroinitializer":
        return operand
    kind, text = split_type(operand[7:-1])
    if text.startswith("0xH"):
        text = f"0xH{int(text[3:], 16) ^ 0x8000:04X}"
    elif text.startswith("0x"):
        text = f"0x{int(text, 16) ^ (1 << 63):016X}"
    else:
        text = text[1:] if text.startswith("-") else f"-{text}"
    return f"splat ({kind} {text})"


def _negative(value: Value) -> Value:
    return replace(value, parts=[_negated(value.parts[0])] * len(value.parts))
