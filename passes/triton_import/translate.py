"""Translates one ``tt.func``: walks its operations in order and builds a ``func.func``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from hexagon_mlir.ir import HexError, func, ir
from hexagon_mlir.ir.diagnostics import Diagnostic, op_line
from hexagon_mlir.passes.triton_import import control, elementwise, ints, reduce, types
from hexagon_mlir.passes.triton_import.build import scalar_of
from hexagon_mlir.passes.triton_import.handlers import HANDLERS, clone
from hexagon_mlir.passes.triton_import.place import place_in_kernel
from hexagon_mlir.passes.triton_import.runtime import Runtime
from hexagon_mlir.passes.triton_import.state import base_type
from hexagon_mlir.passes.triton_import.types import Unsupported
from hexagon_mlir.passes.triton_import.values import Known, Pointer, Tensor

Remark = Callable[[ir.Operation, str], None]
_GRID_ARGUMENTS = 6
"""i32: number of programs along x, y, z, then the program's id along x, y, z."""
_DROPPED = {"llvm.intr.assume", "ttg.barrier", "gpu.barrier"}
_TERMINATORS = {"tt.return", "scf.yield", "scf.condition", "tt.reduce.return", "tt.scan.return",
                "tt.map_elementwise.return"}
_MALFORMED = (KeyError, IndexError, ValueError, TypeError, AttributeError, AssertionError, ir.MLIRError)


class Translator:
    """State of one function: the values known so far, and the grid arguments.

    ``functions`` are those of the module by name, for calls; ``calls`` is the stack of those being translated.
    ``multiplies_bf16``: the target has an engine for large products of bf16.
    """

    def __init__(self, origin: str, remark: Remark, runtime: Runtime, functions: Mapping[str, ir.Operation],
                 multiplies_bf16: bool = False):
        self.origin = origin
        self.remark = remark
        self.runtime = runtime
        self.functions = functions
        self.multiplies_bf16 = multiplies_bf16
        self.calls: list[str] = []
        self.known: dict[ir.Value, Known] = {}
        self.grid: list[ir.Value] = []

    def function(self, op: ir.Operation) -> None:
        """Build the ``func.func`` of ``op`` at the current insertion point."""
        try:
            self._function(op)
        except Unsupported as error:
            raise self.error(op, str(error), error.hint) from None
        except _MALFORMED as error:
            raise self.error(op, f"malformed operation: {_first_line(error)}") from None

    def _function(self, op: ir.Operation) -> None:
        name = ir.StringAttr(op.attributes["sym_name"]).value
        block = op.regions[0].blocks[0]
        arguments = [_argument_type(argument.type) for argument in block.arguments]
        i32 = ir.IntegerType.get_signless(32)
        with op.location:
            made = func.FuncOp(name, ir.FunctionType.get([*arguments, *[i32] * _GRID_ARGUMENTS], []))
            values = list(made.add_entry_block().arguments)
            self.grid = values[len(arguments):]
            with ir.InsertionPoint(made.entry_block):
                for place, (argument, value) in enumerate(zip(block.arguments, values, strict=False)):
                    self.known[argument] = _argument(argument.type, value, values[place + 1:])
                control.body(self, block, [])
                func.ReturnOp([])

    def of(self, value: ir.Value) -> Known:
        """The node of a TTIR value."""
        return self.known[value]

    def tensor(self, value: ir.Value) -> Tensor:
        """The node of a value that must not be a pointer."""
        node = self.known[value]
        if not isinstance(node, Tensor):
            raise Unsupported("a pointer used as a number", "convert it with .to(tl.int64)")
        return node

    def block(self, block: ir.Block) -> tuple[ir.Operation, list[Known]]:
        """Translate the operations of ``block``; returns its terminator and the terminator's operands."""
        for view in block.operations:
            op = view.operation
            if op.name in _TERMINATORS or op.name.startswith("cf."):
                return op, [self.of(v) for v in op.operands]
            self.operation(op)
        raise Unsupported("a block without terminator")

    def operation(self, op: ir.Operation) -> None:
        """Translate ``op`` and record its results. Raises `HexError` with the kernel's source position."""
        try:
            with op.location:
                results = self._translate(op)
        except Unsupported as error:
            raise self.error(op, str(error), error.hint) from None
        except _MALFORMED as error:
            raise self.error(op, f"malformed operation: {_first_line(error)}") from None
        for result, node in zip(op.results, results, strict=True):
            if types.split(result.type)[0] != node.shape:
                raise self.error(op, f"malformed operation: result type {result.type} does not fit the operands")
            self.known[result] = node

    def error(self, op: ir.Operation, message: str, hint: str = "") -> HexError:
        """An error at the line of the kernel that led to ``op``."""
        place = place_in_kernel(op.location)
        return HexError(Diagnostic("error", place, self.origin, f"{op.name}: {message}", op_line(op), hint))

    def combiner(self, op: ir.Operation) -> reduce.Combine:
        """The region of a reduction as an emitter of scalar code."""
        elements = [types.split(v.type)[1] for v in op.results]

        def combine(values: Sequence[ir.Value]) -> Sequence[ir.Value]:
            return self.scalars(op.regions[0], values, elements)

        return combine

    def scalars(self, region: ir.Region, values: Sequence[ir.Value], results: Sequence[ir.Type]) -> list[ir.Value]:
        """The scalars that ``region`` computes from ``values``."""
        block = region.blocks[0]
        for argument, value in zip(block.arguments, values, strict=True):
            self.known[argument] = Tensor(types.scalar(argument.type), data=value)
        nodes = control.body(self, block, results)
        return [scalar_of(node) for node in nodes if isinstance(node, Tensor)]

    def _translate(self, op: ir.Operation) -> Sequence[Known]:
        name = op.name
        if name in _DROPPED:
            self.remark(op, f"{name} is dropped")
            return []
        handler = HANDLERS.get(name)
        if handler is not None:
            result = handler(self, op)
            return result if isinstance(result, list) else [] if result is None else [result]
        if name in elementwise.SIMPLE:
            nodes = [self.tensor(v) for v in op.operands]
            shape, element = types.split(op.results[0].type)
            return elementwise.apply(nodes, [element], shape, elementwise.SIMPLE[name])
        if name.startswith(("arith.", "math.")) and op.results:
            return clone(self, op)
        if name == "tt.elementwise_inline_asm":
            raise Unsupported("assembly of another machine", "write it with Triton's own operations")
        raise Unsupported("not translated", "write it with other operations, or compute it outside of the kernel")


def _argument_type(type: ir.Type) -> ir.Type:
    block = types.descriptor(type)
    target = block.pointee if block is not None else types.pointee(type)
    return types.scalar(type) if target is None else base_type(target)


def _argument(type: ir.Type, value: ir.Value, following: Sequence[ir.Value]) -> Known:
    """The node of an argument; a descriptor's sizes (i32) and strides (i64) follow it."""
    block = types.descriptor(type)
    if block is None:
        target = types.pointee(type)
        return Tensor(types.scalar(type), data=value) if target is None else Pointer(value, target, ())
    rank, index = len(block.block), ints.index_type()
    numbers = [ints.cast(v, v.type, index) for v in following[: 2 * rank]]
    return replace(block, base=value, sizes=tuple(numbers[:rank]), strides=tuple(numbers[rank:]))


def _first_line(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"no attribute or value {error}"
    return (str(error).splitlines() or [type(error).__name__])[0]
