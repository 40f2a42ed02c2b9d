"""A function of linalg on tensors as MLIR text, one operation at a time: SSA names are the builder's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple


class Type(NamedTuple):
    """An element type; with ``sizes``, a tensor of it."""

    element: str
    sizes: tuple[int, ...] = ()

    def __str__(self) -> str:
        return f"tensor<{'x'.join(map(str, self.sizes))}x{self.element}>" if self.sizes else self.element


INDEX, F32 = Type("index"), Type("f32")


class Value(NamedTuple):
    """An SSA value."""

    name: str
    type: Type

    def __str__(self) -> str:
        return self.name


Body = Callable[..., Value]
"""Writes the body of a linalg.generic: from the elements of inputs and output to the new element of the output."""
Offset = Value | int


class Insertion(NamedTuple):
    """``block`` as the part of a tensor of ``sizes`` at ``offsets``."""

    block: Value
    offsets: Sequence[Offset]
    sizes: tuple[int, ...]


class FunctionBuilder:
    """Writes ``@kernel``: each method adds one operation and returns its result."""

    def __init__(self, arguments: Sequence[Type]) -> None:
        self._lines: list[str] = []
        self._count = 0
        self.arguments = [self._value(type_) for type_ in arguments]

    def text(self, *results: Value) -> str:
        """The function that returns ``results``."""
        types = ", ".join(str(result.type) for result in results)
        return f"func.func @kernel({_typed(self.arguments)}) -> ({types}) {{\n" + "\n".join(
            [*self._lines, _returned(results), "}\n"])

    # -- scalars -------------------------------------------------------------------------------------------
    def constant(self, literal: object, type_: Type) -> Value:
        """``literal`` as MLIR writes it."""
        return self._add(f"arith.constant {literal} : {type_}", type_)

    def index(self, number: int) -> Value:
        """A constant index."""
        return self.constant(number, INDEX)

    def loop_index(self, dim: int) -> Value:
        """In the body of a linalg.generic: the index of its loop ``dim``."""
        return self._add(f"linalg.index {dim} : index", INDEX)

    def apply(self, operation: str, *operands: Value) -> Value:
        """``operation`` of arith or math, whose operands and result have one type."""
        type_ = operands[0].type
        return self._add(f"{operation} {_names(operands)} : {type_}", type_)

    def compare(self, predicate: str, left: Value, right: Value) -> Value:
        """Whether ``predicate`` of arith.cmpi or arith.cmpf holds (i1)."""
        operation = "arith.cmpi" if left.type.element.startswith("i") else "arith.cmpf"
        return self._add(f"{operation} {predicate}, {left}, {right} : {left.type}", Type("i1"))

    def select(self, condition: Value, yes: Value, no: Value) -> Value:
        """``yes`` where ``condition`` (i1) holds, else ``no``."""
        return self._add(f"arith.select {condition}, {yes}, {no} : {yes.type}", yes.type)

    def to_f32(self, value: Value) -> Value:
        """A float as f32."""
        return value if value.type == F32 else self._add(f"arith.extf {value} : {value.type} to f32", F32)

    def cast(self, operation: str, value: Value, element: str) -> Value:
        """``value`` as an ``element``, by ``operation`` of arith."""
        return self._add(f"{operation} {value} : {value.type} to {element}", Type(element))

    def from_f32(self, value: Value, element: str) -> Value:
        """An f32 rounded to ``element``."""
        return value if element == "f32" else self._add(f"arith.truncf {value} : f32 to {element}", Type(element))

    # -- tensors -------------------------------------------------------------------------------------------
    def empty(self, type_: Type) -> Value:
        """A tensor without values."""
        return self._add(f"tensor.empty() : {type_}", type_)

    def fill(self, scalar: Value, out: Value) -> Value:
        """``scalar`` in each element of ``out``."""
        return self._named("linalg.fill", [scalar], out)

    def extract(self, source: Value, position: Value) -> Value:
        """The element of a vector."""
        return self._add(f"tensor.extract {source}[{position}] : {source.type}", Type(source.type.element))

    def extract_slice(self, source: Value, offsets: Sequence[Offset], sizes: tuple[int, ...], drop: int = 0) -> Value:
        """A block of ``source``, without its first ``drop`` dimensions, which are of size 1."""
        type_ = Type(source.type.element, sizes[drop:])
        return self._add(f"tensor.extract_slice {source}{_block(offsets, sizes)} : {source.type} to {type_}", type_)

    def without(self, tensor: Value, dims: Sequence[int]) -> Value:
        """``tensor`` without ``dims``, which are of size 1."""
        sizes = tensor.type.sizes
        type_ = Type(tensor.type.element, tuple(size for dim, size in enumerate(sizes) if dim not in dims))
        return self._add(f"tensor.extract_slice {tensor}{_block([0] * len(sizes), sizes)} : {tensor.type} to {type_}",
                         type_)

    def expand_shape(self, source: Value, groups: Sequence[Sequence[int]], sizes: tuple[int, ...]) -> Value:
        """``source`` with ``sizes``; its dimensions are ``groups`` of these."""
        type_ = Type(source.type.element, sizes)
        return self._add(f"tensor.expand_shape {source} {[list(group) for group in groups]} output_shape {list(sizes)} "
                         f": {source.type} into {type_}", type_)

    def insert_slice(self, source: Value, into: Value, offsets: Sequence[Offset], sizes: tuple[int, ...]) -> Value:
        """``into`` with ``source`` as the block of ``sizes`` at ``offsets``."""
        return self._add(f"tensor.insert_slice {source} into {into}{_block(offsets, sizes)} : {source.type} into "
                         f"{into.type}", into.type)

    def transpose(self, matrix: Value) -> Value:
        """Columns as rows."""
        out = self.empty(Type(matrix.type.element, matrix.type.sizes[::-1]))
        return self._add(f"linalg.transpose ins({matrix} : {matrix.type}) outs({out} : {out.type}) "
                         "permutation = [1, 0]", out.type)

    def copy(self, source: Value) -> Value:
        """A tensor of its own with the values of ``source``."""
        return self._named("linalg.copy", [source], self.empty(source.type))

    def multiply(self, left: Value, right: Value, out: Value) -> Value:
        """Products of elements, in the place of ``out``."""
        return self._named("linalg.mul", [left, right], out)

    def matmul(self, left: Value, right: Value, out: Value) -> Value:
        """``out`` + left right."""
        return self._named("linalg.matmul", [left, right], out)

    def generic(self, subscripts: str, inputs: Sequence[Value], out: Value, body: Body) -> Value:
        """A linalg.generic; ``subscripts`` name the dimensions of inputs and output as einsum does (``"ik,jk->ij"``).

        Its loops are the letters in alphabetical order; those that ``out`` lacks are reductions.
        """
        loops = sorted(set(subscripts) - set(",->"))
        reads, written = subscripts.split("->")
        maps = ", ".join(f"affine_map<({', '.join(loops)}) -> ({', '.join(dims)})>"
                         for dims in (*reads.split(","), written))
        kinds = ", ".join('"parallel"' if loop in written else '"reduction"' for loop in loops)
        result = self._value(out.type)
        elements = [self._value(Type(tensor.type.element)) for tensor in (*inputs, out)]
        self._lines += [f"{result} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}} "
                        f"{_operands(inputs, out)} {{", f"^bb0({_typed(elements)}):"]
        new = body(*elements)
        self._lines += [f"linalg.yield {new} : {new.type}", f"}} -> {out.type}"]
        return result

    # -- control -------------------------------------------------------------------------------------------
    def loop(self, first: Value, end: Value, step: Value, initial: Sequence[Value],
             body: Callable[[Value, list[Value]], Sequence[Value]]) -> list[Value]:
        """An scf.for that carries values; ``body(index, carried)`` gives those of the next iteration."""
        index, carried = self._value(INDEX), [self._value(value.type) for value in initial]
        start = ", ".join(f"{name} = {value}" for name, value in zip(carried, initial, strict=True))
        types = ", ".join(str(value.type) for value in initial)
        result = self._value(INDEX).name
        self._lines.append(f"{result}:{len(carried)} = scf.for {index} = {first} to {end} step {step} "
                           f"iter_args({start}) -> ({types}) {{")
        self._lines += [f"scf.yield {_names(body(index, carried))} : {types}", "}"]
        return [Value(f"{result}#{place}", value.type) for place, value in enumerate(initial)]

    def return_where(self, condition: Value, body: Callable[[], Sequence[Value]]) -> None:
        """Where ``condition`` (i1) holds, the function returns what ``body`` gives; what follows is for elsewhere."""
        yes, no = (self._value(INDEX).name[1:] for _ in range(2))
        self._lines += [f"cf.cond_br {condition}, ^b{yes}, ^b{no}", f"^b{yes}:"]
        self._lines += [_returned(body()), f"^b{no}:"]

    def call(self, function: str, operands: Sequence[Value], types: Sequence[Type]) -> list[Value]:
        """A call of ``function``, with results of these types."""
        result = self._value(INDEX).name
        given, made = (", ".join(str(type_) for type_ in each) for each in ([one.type for one in operands], types))
        self._lines.append(f"{result}:{len(types)} = func.call @{function}({_names(operands)}) : ({given}) -> ({made})")
        return [Value(f"{result}#{place}", type_) for place, type_ in enumerate(types)]

    def parallel(self, count: int, out: Value, body: Callable[[Value], Insertion]) -> Value:
        """An scf.forall; ``body(index)`` gives the block of ``out`` that iteration ``index`` of ``count`` makes."""
        index, into, result = self._value(INDEX), self._value(out.type), self._value(out.type)
        self._lines.append(f"{result} = scf.forall ({index}) in ({count}) shared_outs({into} = {out}) -> ({out.type}) "
                           "{")
        block, offsets, sizes = body(index)
        self._lines += ["scf.forall.in_parallel {", f"tensor.parallel_insert_slice {block} into {into}"
                        f"{_block(offsets, sizes)} : {block.type} into {into.type}", "}", "}"]
        return result

    # -- text ----------------------------------------------------------------------------------------------
    def _value(self, type_: Type) -> Value:
        self._count += 1
        return Value(f"%{self._count}", type_)

    def _add(self, operation: str, type_: Type) -> Value:
        result = self._value(type_)
        self._lines.append(f"{result} = {operation}")
        return result

    def _named(self, operation: str, inputs: Sequence[Value], out: Value) -> Value:
        return self._add(f"{operation} {_operands(inputs, out)} -> {out.type}", out.type)


def _names(values: Sequence[Value]) -> str:
    return ", ".join(value.name for value in values)


def _returned(results: Sequence[Value]) -> str:
    return f"return {_names(results)} : {', '.join(str(result.type) for result in results)}"


def _typed(values: Sequence[Value]) -> str:
    return ", ".join(f"{value}: {value.type}" for value in values)


def _operands(inputs: Sequence[Value], out: Value) -> str:
    return f"ins({_names(inputs)} : {', '.join(str(value.type) for value in inputs)}) outs({out} : {out.type})"


def _block(offsets: Sequence[Offset], sizes: tuple[int, ...]) -> str:
    """Offsets, sizes and strides of a slice without gaps."""
    return f"[{', '.join(map(str, offsets))}] [{', '.join(map(str, sizes))}] [{', '.join(['1'] * len(sizes))}]"
