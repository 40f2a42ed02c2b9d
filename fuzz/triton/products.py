"""Products of blocks in a random Triton kernel: of every size, in batches, of scaled operands; and scalar functions.

All sums are exact: operands are small whole numbers, scales powers of two near one.
"""

from __future__ import annotations

from math import prod

from fuzz.triton.values import ELEMENTS, Value, Values

FORMATS = {"e4m3": 1, "e5m2": 1, "e2m1": 2, "fp16": 1}
"""Elements of a byte, or of a number where that is no byte."""
SCALED = 32
"""Elements along the summed dimension that share a scale."""

FUNCTIONS = """
@triton.jit
def chosen(a, b):
    if a < b:
        return a
    else:
        if b < 0:
            return -b
    return b

@triton.jit
def ordered(a, b):
    if a < b:
        return a, b
    return b, a

@triton.jit
def counted(a):
    turns, left = a * 0, a
    while (left > 1) & (turns < 40):
        left = left // 3
        turns += 1
    return turns

@triton.jit
def neighbours(a0, a1, b0, b1):
    if a0 == b1:
        return a1, a0
    return tl.maximum(a0, b1), tl.minimum(a1, b0)
"""


class Products(Values):
    """Statements with a product, or with a function of single elements."""

    def dot(self) -> Value | None:
        """Of blocks from the pool or from memory, as they are or transposed, perhaps added to a third."""
        rank = self.random.choice([2, 2, 3])
        dtype = self.random.choice(["float16", "float32", "int8", "float16"])
        left = self.pick(lambda v: len(v.shape) == rank)
        if left is None or self.random.random() < 0.5:
            batch = (self.random.choice([1, 2, 4]),) * (rank - 2)
            left = self.load((*batch, self.random.choice([1, 1, 2, 4, 16, 32]), self.random.choice([1, 2, 4, 8, 32])),
                             dtype)
        columns = self.random.choice([1, 1, 2, 4, 8, 32, 64])
        shape = (*left.shape[:-1], columns)
        if prod(shape) > ELEMENTS:
            return None
        batch, depth = left.shape[:-2], left.shape[-1]
        if self.random.random() < 0.4:
            right = self.load((*batch, columns, depth), dtype)
            name = f"tl.permute({right.name}, {(*range(rank - 2), rank - 1, rank - 2)})"
        else:
            right = self.load((*batch, depth, columns), dtype)
            name = right.name
        left = self.convert(left, dtype)
        result, bound = ("int32", 0) if dtype == "int8" else ("float32", 1024 * depth)
        if dtype != "int8":
            left = self.small(left, 32)
        added = ""
        if self.random.random() < 0.4:
            third = self.convert(self.pick(lambda v: v.shape == shape) or self.load(shape), result)
            if third.is_float:
                third = self.small(third, 1 << 16)
            added, bound = f", acc={third.name}", bound + third.bound
        return self.name(f"tl.dot({left.name}, {name}{added})", result, shape, bound)

    def scaled(self) -> Value | None:
        """Of operands in microscaling formats."""
        rows, columns = (self.random.choice([1, 2, 8, 16]) for _ in range(2))
        depth = self.random.choice([SCALED, 2 * SCALED, 4 * SCALED])
        batch = self.random.choice([(), (), (), (1,), (2,)])
        sides, codes = [self.random.choice([*FORMATS]) for _ in range(2)], []
        for side, (kind, size) in enumerate(zip(sides, (rows, columns), strict=True)):
            along = FORMATS[kind] == 1 or size == 1 or self.random.random() < 0.7
            shape = (size, depth // FORMATS[kind]) if along else (size // 2, depth)
            block = self.operand(kind, (*batch, *(shape if side == 0 else shape[::-1])))
            scale = "None"
            if kind != "fp16" and self.random.random() < 0.8:
                numbers = self.load((*batch, size, depth // SCALED), "uint8")
                scale = f"({numbers.name} % 3 + 126).to(tl.uint8)"
            codes.append((block, scale, kind, along))
        (a, s, f, p), (b, t, g, q) = codes
        packed = f"{'' if p else ', lhs_k_pack=False'}{'' if q else ', rhs_k_pack=False'}"
        return self.name(f"tl.dot_scaled({a}, {s}, '{f}', {b}, {t}, '{g}'{packed})", "float32",
                         (*batch, rows, columns), 1 << 21)

    def operand(self, kind: str, shape: tuple[int, ...]) -> str:
        if kind == "fp16":
            return self.small(self.convert(self.load(shape, "float16"), "float16"), 16).name
        bits = self.load(shape, "uint8").name
        if kind == "e2m1":
            return bits
        # numbers from an eighth to four: every product and sum is exact in f32
        low = {"e4m3": 0x27, "e5m2": 0x33}[kind]
        return f"(({bits} & 128) | ({bits} % 24 + {low})).to(tl.uint8)"

    def mapped(self) -> Value | None:
        """A scalar function of every element."""
        value = self.pick(lambda v: bool(v.shape) and v.dtype in ("int8", "int16", "int32", "float32", "float16"))
        if value is None:
            return None
        other = self.partner(value)
        shape = self.joint(value, other)
        bound = max(value.bound, other.bound)
        kind = self.random.choice(["chosen", "ordered", "counted", "neighbours"])
        if kind == "counted":
            if value.is_float:
                return None
            return self.name(f"tl.map_elementwise(counted, {value.name})", value.dtype, value.shape)
        if kind == "chosen":
            return self.name(f"tl.map_elementwise(chosen, {value.name}, {other.name})", value.dtype, shape, bound)
        if kind == "neighbours":
            if shape[-1] < 2:
                return None
            return self.name(f"tl.map_elementwise(neighbours, {value.name}, {other.name}, pack=2)[0]", value.dtype,
                             shape, bound)
        self.count += 1
        first, second = f"a{self.count}", f"b{self.count}"
        self.line(f"{first}, {second} = tl.map_elementwise(ordered, {value.name}, {other.name})")
        self.pool.append(Value(second, value.dtype, shape, bound))
        return self.name(f"{first} + 0", value.dtype, shape, bound)

    def asserted(self) -> None:
        """Something that holds."""
        value = self.pick()
        assert value is not None
        x = value.name
        test = f"tl.abs({x}) <= {value.bound}.0" if value.is_float else f"({x} & 7) * 3 <= 21"
        mask = f", mask={self.condition(value.shape).name}" if value.shape and self.random.random() < 0.4 else ""
        self.line(f"tl.device_assert({test}, 'holds'{mask})")
