"""Random linalg programs on tensors with the values numpy gives for them: the material of differential tests.

A program is one function; many of them go through a pipeline as one module. Everything follows from a seed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import ml_dtypes
import numpy as np

NUMPY = {"f64": np.float64, "f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16, "i64": np.int64,
         "i32": np.int32, "i16": np.int16, "i8": np.int8, "i1": np.bool_}
BITS = {"f64": 64, "f32": 32, "f16": 16, "bf16": 16, "i64": 64, "i32": 32, "i16": 16, "i8": 8, "i1": 1}
FLOATS, INTEGERS = ("f32", "f16", "bf16"), ("i8", "i16", "i32")
VECTOR_TYPES = FLOATS + INTEGERS
RAGGED = (1, 2, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 513)
SPECIAL = (0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan)
EPSILON = {"f64": 2.0 ** -52, "f32": 2.0 ** -23, "f16": 2.0 ** -10, "bf16": 2.0 ** -7}


@dataclass(frozen=True)
class Program:
    """``error`` bounds |result - expected| element by element; None asks for equal values (NaN equals NaN). ``dtype``
    of the result is the last argument's where it is not given.
    """

    name: str
    text: str
    arguments: list[np.ndarray]
    expected: np.ndarray
    error: np.ndarray | None = None
    dtype: np.dtype | None = None

    def place(self) -> np.ndarray:
        """An array for the result."""
        return np.full(self.expected.shape, 99, self.dtype or self.arguments[-1].dtype)

    def check(self, result: np.ndarray) -> None:
        """Compare ``result``; the message shows the program."""
        got, want = result.astype(np.float64), self.expected.astype(np.float64)
        with np.errstate(invalid="ignore"):
            good = (got == want) | (np.isnan(got) & np.isnan(want))
            if "f16" in self.text:  # v68 to v75: sums and products know no NaN; what is not finite is infinite in f16
                good |= ~np.isfinite(got) & ~np.isfinite(want)
            if self.error is not None:
                good |= np.abs(got - want) <= self.error
        if not good.all():
            place = tuple(int(i) for i in np.argwhere(~good)[0])
            raise AssertionError(f"{self.name}: {np.count_nonzero(~good)} of {good.size} wrong, first at {place}: "
                                 f"{got[place]!r}, expected {want[place]!r}\n{self.text}")


def run_all(programs: list[Program], call: Callable[[str, list[np.ndarray]], object]) -> None:
    """Check the result of every program; ``call`` takes a name, and the arguments with the result's array last."""
    for program in programs:
        arguments = [a.copy() for a in program.arguments]
        result = program.place()
        call(program.name, [*arguments, result])
        program.check(result)
        for given, left in zip(program.arguments[:-1], arguments[:-1], strict=True):
            assert given.tobytes() == left.tobytes(), f"{program.name} wrote to an input"


def is_float(type_: str) -> bool:
    """True for floating-point element types."""
    return "f" in type_


def values(rng: np.random.Generator, type_: str, shape: tuple[int, ...], special: bool = True) -> np.ndarray:
    """Numbers of both signs; ``special`` adds zeros, infinities and NaN."""
    if type_ == "i1":
        return rng.integers(0, 2, shape).astype(np.bool_)
    if not is_float(type_):
        limits = np.iinfo(NUMPY[type_])
        return rng.integers(limits.min, limits.max, shape, NUMPY[type_], endpoint=True)
    numbers = np.asarray(rng.normal(0, 3, shape))
    if special:
        chosen = rng.random(shape) < 0.1
        numbers = np.where(chosen, rng.choice(SPECIAL, shape), numbers)
    return numbers.astype(NUMPY[type_])


def tensor(type_: str, shape: tuple[int, ...]) -> str:
    """The MLIR tensor type."""
    return f"tensor<{''.join(f'{n}x' for n in shape)}{type_}>"


@dataclass
class Body:
    """A linalg body under construction: every emitted operation is computed with numpy at once.

    A value is (SSA name, element type, numpy array over the whole iteration space).
    """

    rng: np.random.Generator
    lines: list[str] = field(default_factory=list)
    values: list[tuple[str, str, np.ndarray]] = field(default_factory=list)

    def emit(self, code: str, type_: str, result: np.ndarray) -> tuple[str, str, np.ndarray]:
        """Append ``%v = code``."""
        name = f"%v{len(self.lines)}"
        self.lines.append(f"      {name} = {code}")
        value = (name, type_, np.asarray(result).astype(NUMPY[type_]))
        self.values.append(value)
        return value

    def pick(self, type_: str | None = None) -> tuple[str, str, np.ndarray] | None:
        """Some value of ``type_`` (or of any type but i1)."""
        fitting = [v for v in self.values if (v[1] == type_ if type_ else v[1] != "i1")]
        return fitting[self.rng.integers(len(fitting))] if fitting else None

    def grow(self, count: int) -> None:
        """Append about ``count`` random operations."""
        for _ in range(count):
            value = self.pick()
            assert value is not None
            self._float_op(value) if is_float(value[1]) else self._integer_op(value)

    def convert(self, value: tuple[str, str, np.ndarray], type_: str) -> tuple[str, str, np.ndarray]:
        """``value`` as ``type_``, by the conversion that keeps most of it."""
        name, given, array = value
        if given == type_:
            return value
        op = conversion(given, type_)
        if op == "via f32":
            return self.convert(self.convert(value, "f32"), type_)
        if op == "fptosi":  # out of range is undefined: keep what surely fits, NaN becomes 0
            zero = self.emit(f"arith.constant 0.0 : {given}", given, np.float64(0))
            top = self.emit(f"arith.constant 100.0 : {given}", given, np.float64(100))
            size = self.emit(f"math.absf {name} : {given}", given, np.abs(array))
            small = self.emit(f"arith.cmpf olt, {size[0]}, {top[0]} : {given}", "i1", size[2] < 100)
            kept = self.emit(f"arith.select {small[0]}, {name}, {zero[0]} : {given}", given,
                             np.where(small[2], array, np.zeros_like(array)))
            return self.emit(f"arith.fptosi {kept[0]} : {given} to {type_}", type_, np.trunc(kept[2]).astype(np.int64))
        return self.emit(f"arith.{op} {name} : {given} to {type_}", type_, array)

    def _float_op(self, value: tuple[str, str, np.ndarray]) -> None:
        name, type_, array = value
        other = self.pick(type_)
        assert other is not None
        binary = {"addf": np.add, "subf": np.subtract, "mulf": np.multiply, "maximumf": np.maximum,
                  "minimumf": np.minimum, "maxnumf": np.fmax, "minnumf": np.fmin}
        choice = self.rng.choice([*binary, "negf", "absf", "select", "constant", "convert"])
        if choice in binary:
            self.emit(f"arith.{choice} {name}, {other[0]} : {type_}", type_, binary[choice](array, other[2]))
        elif choice == "negf":
            self.emit(f"arith.negf {name} : {type_}", type_, -array)
        elif choice == "absf":
            self.emit(f"math.absf {name} : {type_}", type_, np.abs(array))
        elif choice == "constant":
            number = self.emit(f"arith.constant -1.5 : {type_}", type_, np.full(array.shape, -1.5))
            self.emit(f"arith.mulf {name}, {number[0]} : {type_}", type_, array * number[2])
        elif choice == "select":
            predicate, compare = [("ogt", np.greater), ("olt", np.less), ("oge", np.greater_equal),
                                  ("oeq", np.equal), ("une", np.not_equal), ("ole", np.less_equal)][
                                      self.rng.integers(6)]
            flag = self.emit(f"arith.cmpf {predicate}, {name}, {other[0]} : {type_}", "i1", compare(array, other[2]))
            self._select(flag)
        else:
            self.convert(value, str(self.rng.choice(VECTOR_TYPES)))

    def _integer_op(self, value: tuple[str, str, np.ndarray]) -> None:
        name, type_, array = value
        other = self.pick(type_)
        assert other is not None
        unsigned = np.dtype(f"u{np.dtype(NUMPY[type_]).name}")
        left, right = array.view(unsigned), other[2].view(unsigned)
        binary = {"addi": array + other[2], "subi": array - other[2], "muli": array * other[2],
                  "andi": array & other[2], "ori": array | other[2], "xori": array ^ other[2],
                  "maxsi": np.maximum(array, other[2]), "minsi": np.minimum(array, other[2]),
                  "maxui": np.maximum(left, right), "minui": np.minimum(left, right)}
        choice = self.rng.choice([*binary, "shift", "select", "extui", "convert"])
        if choice in binary:
            self.emit(f"arith.{choice} {name}, {other[0]} : {type_}", type_, binary[choice].view(NUMPY[type_]))
        elif choice == "shift":
            by = int(self.rng.integers(1, BITS[type_]))
            amount = self.emit(f"arith.constant {by} : {type_}", type_, np.full(array.shape, by))
            kind, result = [("shli", array << by), ("shrsi", array >> by), ("shrui", (left >> by).view(NUMPY[type_]))][
                self.rng.integers(3)]
            self.emit(f"arith.{kind} {name}, {amount[0]} : {type_}", type_, result)
        elif choice == "select":
            predicate, result = [("sgt", array > other[2]), ("slt", array < other[2]), ("eq", array == other[2]),
                                 ("ne", array != other[2]), ("ult", left < right), ("uge", left >= right)][
                                     self.rng.integers(6)]
            self._select(self.emit(f"arith.cmpi {predicate}, {name}, {other[0]} : {type_}", "i1", result))
        elif choice == "extui" and type_ != "i32":
            self.emit(f"arith.extui {name} : {type_} to i32", "i32", left.astype(np.int64))
        else:
            self.convert(value, str(self.rng.choice(VECTOR_TYPES)))

    def _select(self, flag: tuple[str, str, np.ndarray]) -> None:
        left = self.pick()
        assert left is not None
        right = self.pick(left[1])
        assert right is not None
        self.emit(f"arith.select {flag[0]}, {left[0]}, {right[0]} : {left[1]}", left[1],
                  np.where(flag[2], left[2], right[2]))


def conversion(given: str, wanted: str) -> str:
    """The arith op from one element type to another."""
    if is_float(given) and is_float(wanted):
        if BITS[given] == BITS[wanted]:
            return "via f32"
        return "extf" if BITS[wanted] > BITS[given] else "truncf"
    if is_float(given):
        return "fptosi"
    if is_float(wanted):
        return "sitofp"
    return "extsi" if BITS[wanted] > BITS[given] else "trunci"


def generic(name: str, loops: list[str], inputs: list[tuple[np.ndarray, str, tuple[int, ...]]],
            output: tuple[np.ndarray, str, tuple[int, ...]], body: list[str], yielded: str) -> str:
    """The text of a function with one linalg.generic. An operand is (array, element type, loops of its dimensions).

    In ``body``, input i is ``%i<i>`` and the output's old value ``%o``.
    """
    dims = ", ".join(f"d{i}" for i in range(len(loops)))
    operands = [*inputs, output]
    maps = ", ".join(f"affine_map<({dims}) -> ({', '.join(f'd{d}' for d in o[2])})>" for o in operands)
    types = [tensor(o[1], o[0].shape) for o in operands]
    ins = f"ins({', '.join(f'%a{i}' for i in range(len(inputs)))} : {', '.join(types[:-1])}) " if inputs else ""
    names = [f"%i{i}: {o[1]}" for i, o in enumerate(inputs)] + [f"%o: {output[1]}"]
    arguments = ", ".join(f"%a{i}: {t}" for i, t in enumerate(types))
    iterators = ", ".join(f'"{kind}"' for kind in loops)
    code = "\n".join(body) + ("\n" if body else "")
    return (f"  func.func @{name}({arguments}) -> {types[-1]} {{\n"
            f"    %r = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{iterators}]}}\n"
            f"      {ins}outs(%a{len(inputs)} : {types[-1]}) {{\n    ^bb0({', '.join(names)}):\n{code}"
            f"      linalg.yield {yielded} : {output[1]}\n    }} -> {types[-1]}\n"
            f"    return %r : {types[-1]}\n  }}\n")


def over_loops(array: np.ndarray, dims: tuple[int, ...], extents: tuple[int, ...]) -> np.ndarray:
    """``array``, indexed by loops ``dims``, over the whole iteration space."""
    order = np.argsort(dims)
    sorted_dims = [dims[i] for i in order]
    shape = [extents[d] if d in sorted_dims else 1 for d in range(len(extents))]
    return np.ascontiguousarray(np.broadcast_to(array.transpose(order).reshape(shape), extents))


def random_extents(rng: np.random.Generator, rank: int) -> tuple[int, ...]:
    """Ragged sizes, the whole below some 20000 elements."""
    small = (1, 2, 3, 5, 7)
    extents = [int(rng.choice(small)) for _ in range(rank)]
    extents[rng.integers(rank)] = int(rng.choice(RAGGED))
    if rank == 2 and rng.random() < 0.5:
        extents = [int(rng.choice(RAGGED[:10])) for _ in range(2)]
    return tuple(extents)


def random_elementwise(seed: int, types: tuple[str, ...] = VECTOR_TYPES) -> Program:
    """Broadcasts, transposes, mixed widths, selects; sometimes reads its output in place."""
    rng = np.random.default_rng(seed)
    rank = int(rng.integers(1, 4))
    extents = random_extents(rng, rank)
    inputs = []
    body = Body(rng)
    with np.errstate(all="ignore"):
        for number in range(int(rng.integers(1, 4))):
            type_ = str(rng.choice(types))
            dims = tuple(range(rank))
            if number and rng.random() < 0.4:
                dims = tuple(sorted(rng.choice(rank, int(rng.integers(0, rank)), replace=False).tolist()))
            elif rng.random() < 0.1:
                dims = tuple(rng.permutation(rank).tolist())
            array = values(rng, type_, tuple(extents[d] for d in dims))
            inputs.append((array, type_, dims))
            body.values.append((f"%i{number}", type_, over_loops(array, dims, extents)))
        out_type = str(rng.choice(types))
        old = values(rng, out_type, extents)
        if rng.random() < 0.25:
            body.values.append(("%o", out_type, old))
        body.grow(int(rng.integers(1, 9)))
        yielded = body.convert(body.values[-1] if body.values[-1][1] != "i1" else body.pick(), out_type)
    name = f"elementwise_{seed}"
    everything = tuple(range(rank))
    text = generic(name, ["parallel"] * rank, inputs, (old, out_type, everything), body.lines, yielded[0])
    return Program(name, text, [*[i[0] for i in inputs], old], np.broadcast_to(yielded[2], extents))


def random_transpose(seed: int) -> Program:
    """An input in another order of loops, alone or with others, through a few operations."""
    rng = np.random.default_rng(seed)
    rank = int(rng.integers(2, 5))
    extents = [int(rng.choice((1, 2, 3, 5))) for _ in range(rank)]
    for d in rng.choice(rank, 2, replace=False):
        extents[d] = int(rng.choice(RAGGED[:12]))
    everything = tuple(range(rank))
    order = everything
    while order[-1] == rank - 1:
        order = tuple(rng.permutation(rank).tolist())
    inputs, body = [], Body(rng)
    with np.errstate(all="ignore"):
        for number, dims in enumerate([order, *([everything] if rng.random() < 0.4 else []),
                                       *([order] if rng.random() < 0.2 else [])]):
            type_ = inputs[0][1] if dims == order and number else str(rng.choice(VECTOR_TYPES))
            array = values(rng, type_, tuple(extents[d] for d in dims))
            inputs.append((array, type_, dims))
            body.values.append((f"%i{number}", type_, over_loops(array, dims, tuple(extents))))
        out_type = str(rng.choice((inputs[0][1], rng.choice(VECTOR_TYPES))))
        if len(inputs) > 1 or rng.random() < 0.5:
            body.grow(int(rng.integers(1, 7)))
        yielded = body.convert(body.values[-1] if body.values[-1][1] != "i1" else body.pick(), out_type)
    old = values(rng, out_type, tuple(extents))
    text = generic(f"transpose_{seed}", ["parallel"] * rank, inputs, (old, out_type, everything), body.lines,
                   yielded[0])
    return Program(f"transpose_{seed}", text, [*[i[0] for i in inputs], old], np.broadcast_to(yielded[2], extents))


COMBINERS = {"addf": np.add, "mulf": np.multiply, "maximumf": np.maximum, "minimumf": np.minimum, "maxnumf": np.fmax,
             "minnumf": np.fmin, "addi": np.add, "muli": np.multiply, "maxsi": np.maximum, "minsi": np.minimum,
             "maxui": np.maximum, "minui": np.minimum, "andi": np.bitwise_and, "ori": np.bitwise_or,
             "xori": np.bitwise_xor}


def reduction(name: str, rng: np.random.Generator, combiner: str, type_: str, extents: tuple[int, ...],
              reduced: tuple[int, ...], square: bool = False) -> Program:
    """``out = combiner(out, x...)`` over loops ``reduced``; ``square`` multiplies the input by itself first."""
    kept = tuple(d for d in range(len(extents)) if d not in reduced)
    sums = combiner in ("addf", "mulf")
    array = values(rng, type_, extents, special=not sums)
    if combiner == "mulf":
        array = (1 + array.astype(np.float64) / 64).astype(NUMPY[type_])
    old = values(rng, type_, tuple(extents[d] for d in kept), special=not sums)
    if is_float(type_) and combiner in ("maximumf", "minimumf"):
        array = np.where(np.isnan(array) & (rng.random(extents) < 0.9), 0, array).astype(NUMPY[type_])
    body, element = [], "%i0"
    terms = array
    if square:
        op = "mulf" if is_float(type_) else "muli"
        body.append(f"      %q = arith.{op} %i0, %i0 : {type_}")
        element = "%q"
        with np.errstate(all="ignore"):
            terms = array * array
    body.append(f"      %s = arith.{combiner} %o, {element} : {type_}")
    loops = ["reduction" if d in reduced else "parallel" for d in range(len(extents))]
    text = generic(name, loops, [(array, type_, tuple(range(len(extents))))], (old, type_, kept), body, "%s")
    error = None
    if is_float(type_):
        wide = terms.astype(np.float64)
        count = int(np.prod([extents[d] for d in reduced]))
        with np.errstate(all="ignore"):
            total = COMBINERS[combiner].reduce(wide, axis=reduced)
            expected = COMBINERS[combiner](old.astype(np.float64), total)
        if sums:
            scale = np.abs(wide).sum(axis=reduced) + np.abs(old) if combiner == "addf" else np.abs(expected)
            error = (count + 2) * EPSILON[type_] * np.asarray(scale, np.float64)
    else:
        kind = np.dtype(f"u{np.dtype(NUMPY[type_]).name}") if combiner in ("maxui", "minui") else NUMPY[type_]
        with np.errstate(all="ignore"):
            total = COMBINERS[combiner].reduce(terms.view(kind), axis=reduced, dtype=kind)
            expected = COMBINERS[combiner](old.view(kind), total).astype(kind).view(NUMPY[type_])
    return Program(name, text, [array, old], np.asarray(expected), error)


def random_reduction(seed: int) -> Program:
    """Any combiner over inner, outer, middle or all loops."""
    rng = np.random.default_rng(seed)
    type_ = str(rng.choice(VECTOR_TYPES))
    fitting = [c for c in COMBINERS if c.endswith("f") == is_float(type_)]
    rank = int(rng.integers(1, 4))
    extents = random_extents(rng, rank)
    reduced = tuple(sorted(rng.choice(rank, int(rng.integers(1, rank + 1)), replace=False).tolist()))
    return reduction(f"reduction_{seed}", rng, str(rng.choice(fitting)), type_, extents, reduced, rng.random() < 0.3)


MATMULS = {
    # name -> loops of A, B and C; the first loops are parallel, the last one reduces
    "matmul": ((0, 2), (2, 1), (0, 1)),
    "matmul_transpose_b": ((0, 2), (1, 2), (0, 1)),
    "matmul_transpose_a": ((2, 0), (2, 1), (0, 1)),
    "batch_matmul": ((0, 1, 3), (0, 3, 2), (0, 1, 2)),
    "matvec": ((0, 1), (1,), (0,)),
    "vecmat": ((1,), (1, 0), (0,)),
    "dot": ((0,), (0,), ()),
}


def contraction(name: str, kind: str, seed: int, in_type: str, out_type: str, extents: tuple[int, ...]) -> Program:
    """A product summed over the last loop, in ``out_type``."""
    rng = np.random.default_rng(seed)
    a_dims, b_dims, c_dims = MATMULS[kind]
    shapes = [tuple(extents[d] for d in dims) for dims in MATMULS[kind]]
    a, b = (values(rng, in_type, shape, special=False) for shape in shapes[:2])
    c = values(rng, out_type, shapes[2], special=False)
    suffix = "f" if is_float(out_type) else "i"
    widen = "extf" if suffix == "f" else "extsi"
    body, left, right = [], "%i0", "%i1"
    if in_type != out_type:
        body = [f"      %l = arith.{widen} %i0 : {in_type} to {out_type}",
                f"      %r = arith.{widen} %i1 : {in_type} to {out_type}"]
        left, right = "%l", "%r"
    body += [f"      %p = arith.mul{suffix} {left}, {right} : {out_type}",
             f"      %s = arith.add{suffix} %o, %p : {out_type}"]
    loops = ["parallel"] * (len(extents) - 1) + ["reduction"]
    text = generic(name, loops, [(a, in_type, a_dims), (b, in_type, b_dims)], (c, out_type, c_dims), body, "%s")
    letters = "abcd"
    spec = ",".join("".join(letters[d] for d in dims) for dims in (a_dims, b_dims))
    spec += "->" + "".join(letters[d] for d in c_dims)
    if suffix == "f":
        wide = [x.astype(np.float64) for x in (a, b, c)]
        expected = np.einsum(spec, wide[0], wide[1]) + wide[2]
        scale = np.einsum(spec, np.abs(wide[0]), np.abs(wide[1])) + np.abs(wide[2])
        return Program(name, text, [a, b, c], expected, (extents[-1] + 2) * EPSILON[out_type] * scale)
    with np.errstate(all="ignore"):
        total = np.einsum(spec, a.astype(np.int64), b.astype(np.int64)) + c.astype(np.int64)
    return Program(name, text, [a, b, c], total.astype(NUMPY[out_type]))


def with_index(name: str, dim: int, extents: tuple[int, ...], type_: str) -> Program:
    """``x + index(dim)``, computed in i32 and converted."""
    rng = np.random.default_rng(dim)
    array = values(rng, type_, extents, special=False)
    numbers = np.broadcast_to(np.arange(extents[dim]).reshape([-1 if d == dim else 1 for d in range(len(extents))]),
                              extents)
    body = [f"      %x = linalg.index {dim} : index", "      %n = arith.index_cast %x : index to i32"]
    number = "%n"
    if type_ != "i32":
        body.append(f"      %c = arith.{conversion('i32', type_)} %n : i32 to {type_}")
        number = "%c"
    suffix = "f" if is_float(type_) else "i"
    body.append(f"      %s = arith.add{suffix} %i0, {number} : {type_}")
    dims = tuple(range(len(extents)))
    old = np.zeros(extents, NUMPY[type_])
    text = generic(name, ["parallel"] * len(extents), [(array, type_, dims)], (old, type_, dims), body, "%s")
    with np.errstate(all="ignore"):
        return Program(name, text, [array, old], array + numbers.astype(NUMPY[type_]))


def argmax_like(name: str, extents: tuple[int, int]) -> Program:
    """Two reductions' worth in one op: the largest index whose value is positive, along the inner loop."""
    rng = np.random.default_rng(7)
    array = values(rng, "f32", extents)
    old = np.full(extents[:1], -1, np.int32)
    body = ["      %x = linalg.index 1 : index", "      %n = arith.index_cast %x : index to i32",
            "      %z = arith.constant 0.0 : f32", "      %m = arith.constant -1 : i32",
            "      %p = arith.cmpf ogt, %i0, %z : f32", "      %k = arith.select %p, %n, %m : i32",
            "      %s = arith.maxsi %o, %k : i32"]
    text = generic(name, ["parallel", "reduction"], [(array, "f32", (0, 1))], (old, "i32", (0,)), body, "%s")
    with np.errstate(invalid="ignore"):
        expected = np.where(array > 0, np.arange(extents[1]), -1).max(axis=1)
    return Program(name, text, [array, old], expected)


def fixed_programs() -> list[Program]:
    """Every combiner in every direction, contractions of every kind, loop indices."""
    programs = []
    rng = np.random.default_rng(1)
    shapes = [((129,), (0,)), ((5, 65), (1,)), ((7, 33), (0,)), ((3, 4, 70), (0, 2)), ((2, 9, 40), (1,)),
              ((6, 8), (0, 1))]
    number = 0
    for combiner in COMBINERS:
        for type_ in ("f32", "f16", "bf16") if combiner.endswith("f") else ("i32", "i8", "i16"):
            extents, reduced = shapes[number % len(shapes)]
            programs.append(reduction(f"{combiner}_{type_}", rng, combiner, type_, extents, reduced))
            number += 1
    sizes = {"matmul": (9, 70, 17), "matmul_transpose_b": (5, 8, 65), "matmul_transpose_a": (4, 36, 9),
             "batch_matmul": (2, 4, 33, 7), "matvec": (6, 100), "vecmat": (70, 9), "dot": (300,)}
    for kind, extents in sizes.items():
        for in_type, out_type in (("f32", "f32"), ("f16", "f32"), ("i8", "i32")):
            programs.append(contraction(f"{kind}_{in_type}", kind, number, in_type, out_type, extents))
    for type_ in VECTOR_TYPES:
        programs.append(with_index(f"index_{type_}", 1 if type_ != "f32" else 0, (3, 71), type_))
    programs.append(argmax_like("last_positive", (5, 67)))
    return programs
