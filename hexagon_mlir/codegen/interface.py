"""The arguments and results of a compiled function, for launches, headers and linked programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Integral

from hexagon_mlir.codegen.dynamic_sizes import NO_RULES, SizeRules, read_sizes
from hexagon_mlir.ir import HexError, ir
from hexagon_mlir.ir.diagnostics import error_at

_WRITABLE = "bufferization.writable"
PROGRAMS = ("grid_x", "grid_y", "grid_z", "program_x", "program_y", "program_z")
"""The last arguments of a Triton kernel, i32 each: number of programs and program id, filled in by the launch."""

ELEMENTS = ("i1", "i8", "i16", "i32", "i64", "index", "f8E4M3FN", "f8E5M2", "f16", "bf16", "f32", "f64")
"""Element types of tensors that callers can lay out: each in 1, 2, 4 or 8 bytes, an index in 4."""


@dataclass(frozen=True)
class Tensor:
    """Shape and element type of a tensor argument or result; ``element`` as in MLIR.

    ``by_value`` arguments (tensors, not memrefs) are never written, see the pass hexagon-argument-aliasing. A size of
    None is dynamic.
    """

    shape: tuple[int | None, ...]
    element: str
    by_value: bool = False

    @property
    def dynamic(self) -> tuple[int, ...]:
        """The dimensions of dynamic size."""
        return tuple(d for d, size in enumerate(self.shape) if size is None)


@dataclass(frozen=True)
class Interface:
    """The arguments and results of the entry function. An argument is a `Tensor`, ``*f32`` (a pointer) or a scalar
    type.

    ``weights`` follow the arguments: constants that a file of their own holds (`codegen.artifacts.weights`). After the
    results' buffers there is an i32 for each dynamic dimension of the arguments, then of the results (see the pass
    hexagon-dynamic-sizes); ``sizes`` has the rules for them.
    """

    entry: str
    arguments: tuple[Tensor | str, ...]
    results: tuple[Tensor, ...]
    grid: bool
    weights: tuple[Tensor, ...] = ()
    sizes: SizeRules = NO_RULES


def launch_grid(name: str, grid: Sequence[int]) -> tuple[int, int, int]:
    """``grid`` of kernel ``name`` in three dimensions; raises `HexError` unless it is one to three counts."""
    counts = tuple(grid) if isinstance(grid, Sequence) else (grid,)
    if not 1 <= len(counts) <= 3 or not all(isinstance(count, Integral) and count >= 0 for count in counts):
        raise HexError.plain(f"{name}: a grid of ({', '.join(map(str, counts))}) programs", origin="launch",
                             hint="one to three whole numbers, none negative; triton.cdiv(n, BLOCK) rounds up")
    x, y, z = (int(count) for count in (*counts, 1, 1)[:3])
    return x, y, z


def read_interface(module: ir.Module, entry: str | None, grid: bool, weights: int = 0) -> Interface:
    """The `Interface` of ``entry``, or of the only public function of ``module``, a module at the tensor level.

    ``grid``: it is a Triton kernel, whose last arguments identify the program. The last ``weights``
    arguments were constants.
    """
    functions = [op for op in module.body.operations
                 if op.operation.name == "func.func" and not op.is_external
                 and "private" not in str(op.operation.attributes.get("sym_visibility", ""))]
    names = [f.sym_name.value for f in functions]
    if entry is None and len(names) != 1:
        raise HexError.plain(f"the module has {len(names)} public functions", hint=f"entry=one of {names}"
                             if names else "add a func.func")
    if entry is not None and entry not in names:
        raise HexError.plain(f"no public function '{entry}'", hint=f"functions: {', '.join(names)}")
    function = functions[names.index(entry) if entry is not None else 0]
    type_ = ir.FunctionType(function.operation.attributes["function_type"].value)
    arguments = [replace(kind, by_value=False) if isinstance(kind, Tensor) and writable else kind
                 for kind, writable in zip(map(kind_of, type_.inputs), _writable(function), strict=True)]
    if grid:
        arguments = arguments[:-len(PROGRAMS)]
    results = [kind_of(t) for t in type_.results]
    for place, types in (("argument", type_.inputs), ("result", type_.results)):
        for number, of in enumerate(types):
            _check(function, f"{place} {number}", of)
    tensors = tuple(r for r in results if isinstance(r, Tensor))
    if len(tensors) != len(results):
        raise HexError.plain("a function that returns a scalar", hint="return a tensor<1x...> instead")
    first = len(arguments) - weights
    constants = tuple(kind for kind in arguments[first:] if isinstance(kind, Tensor))
    tensor_like = [*arguments[:first], *tensors]
    rules = NO_RULES
    if any(kind.dynamic for kind in tensor_like if isinstance(kind, Tensor)):
        rules = read_sizes(function.operation)
        for number, (kind, sizes) in enumerate(zip(tensors, rules.results, strict=True)):
            for d in kind.dynamic:
                if sizes[d] is None:
                    raise HexError.plain(f"dimension {d} of result {number} of {function.sym_name.value} is not the "
                                         "size of an argument",
                                         hint="return into an argument that is written, or compile for the size")
    return Interface(function.sym_name.value, tuple(arguments[:first]), tensors, grid, constants, rules)


def _check(function: ir.Operation, place: str, type_: ir.Type) -> None:
    """Raise `HexError` for a tensor that callers cannot lay out."""
    if not isinstance(type_, ir.RankedTensorType | ir.MemRefType):
        return
    if str(type_.element_type) not in ELEMENTS:
        raise error_at(function, "", f"{place} has elements of type {type_.element_type}",
                       f"element types: {', '.join(ELEMENTS)}; i4 in arguments that are only extended, with an even "
                       "number of elements in a row")
    if isinstance(type_, ir.MemRefType) and type_.layout != ir.AffineMapAttr.get(
            ir.AffineMap.get_identity(type_.rank, type_.context)):
        raise error_at(function, "", f"{place} has a layout: {type_}",
                       "callers pass whole arrays: take one, and a memref.subview of it")


def _writable(function: ir.Operation) -> list[bool]:
    """Which arguments of ``function`` are marked as writable."""
    if "arg_attrs" not in function.attributes:
        return [False] * len(function.arguments)
    return [_WRITABLE in attributes and ir.BoolAttr(attributes[_WRITABLE]).value
            for attributes in function.attributes["arg_attrs"]]


def kind_of(type_: ir.Type) -> Tensor | str:
    """The representation in `Interface` of an argument of ``type_``."""
    if isinstance(type_, ir.RankedTensorType | ir.MemRefType):
        if isinstance(type_, ir.MemRefType) and type_.shape == [1]:
            return f"*{type_.element_type}"
        sizes = tuple(None if type_.is_dynamic_dim(d) else n for d, n in enumerate(type_.shape))
        return Tensor(sizes, str(type_.element_type), isinstance(type_, ir.RankedTensorType))
    return str(type_)
