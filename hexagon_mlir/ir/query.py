"""Small questions many passes ask of a module: which operations, how many bytes, which memory."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from math import prod
from weakref import WeakKeyDictionary

from torch_mlir import ir, rewrite

DDR_SPACE, TCM_SPACE = 0, 1
"""Memory spaces of memref types: the default one, and the tightly coupled memory."""
GRID_SUFFIX = ".grid"
"""Behind the name of a Triton kernel: the function that runs every program of a launch. It takes the kernel's arguments
and the number of programs along x, y and z."""


def find_ops(module: ir.Module, wanted: Callable[[ir.Operation], bool]) -> list[ir.Operation]:
    """Operations of ``module`` that are ``wanted``, inner ones before the operation that holds them."""
    found: list[ir.Operation] = []
    advance = ir.WalkResult.ADVANCE  # to look it up takes half as long as the visit

    def visit(op: ir.Operation) -> ir.WalkResult:
        if wanted(op):
            found.append(op)
        return advance

    module.operation.walk(visit)
    return found


def ops_named(root: ir.Module | ir.Operation, *names: str) -> list[ir.Operation]:
    """Operations of ``root`` of one of these ``names``, inner ones before the operation that holds them.

    Twenty times as fast as `find_ops`: patterns are matched by name before Python is called. Blocks follow each other
    as they are reached; what never is reached is not found.
    """
    operation = root.operation
    finders = _finders.setdefault(operation.context, {})
    finder = finders.pop(names, None) or _Finder(operation.context, names)  # no other thread has it meanwhile
    found = finder.inside(operation)
    if finder.lasts:
        finders[names] = finder
    return [*found, operation] if operation.name in names else found


class _Finder:
    """Finds operations of certain ``names`` by patterns, which take longer to make than to search a function.

    It ``lasts`` unless a dialect that defines one of the names may still be loaded: the patterns would not know it.
    """

    def __init__(self, context: ir.Context, names: tuple[str, ...]):
        found: list[ir.Operation] = []  # `keep` refers to the list alone: cycles through patterns are not collected

        def keep(op: ir.Operation | ir.OpView, rewriter: object) -> bool:
            found.append(op.operation)
            return True  # no match: nothing is rewritten

        patterns = rewrite.RewritePatternSet(context)
        for name in names:
            patterns.add(name, keep)
        self._found, self._patterns = found, patterns.freeze()
        self.lasts = all(map(context.is_registered_operation, names))

    def inside(self, root: ir.Operation) -> list[ir.Operation]:
        """The operations in the regions of ``root``."""
        self._found.clear()
        rewrite.walk_and_apply_patterns(root, self._patterns)
        found = self._found[:]
        self._found.clear()
        return found


_finders: WeakKeyDictionary[ir.Context, dict[tuple[str, ...], _Finder]] = WeakKeyDictionary()
"""By the names that they find. They refer to their context, so they end before it."""


@cache
def names_of(dialect: str) -> tuple[str, ...]:
    """The names of all operations of ``dialect``, for `ops_named`."""
    classes = vars(import_module(f"torch_mlir.dialects._{dialect}_ops_gen")).values()
    return tuple({class_.OPERATION_NAME for class_ in classes if hasattr(class_, "OPERATION_NAME")})


def functions(module: ir.Module) -> list[ir.Operation]:
    """The functions of ``module`` that have a body; nothing inside them is visited."""
    return [view.operation for view in module.body.operations
            if view.operation.name == "func.func" and len(view.operation.regions[0].blocks)]


def yields_input(op: ir.Operation) -> bool:
    """True for a linalg op whose body gives its first input as it is, and does nothing else."""
    body = op.regions[0].blocks[0]
    return len(list(body.operations)) == 1 and body.operations[0].operands[0] == body.arguments[0]


def input_count(op: ir.Operation) -> int:
    """How many operands of linalg op ``op`` are inputs; its outputs follow them."""
    if "operandSegmentSizes" in op.attributes:
        return ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"])[0]
    return len(op.operands) // 2 if op.name == "linalg.reduce" else len(op.operands) - 1  # map, transpose, broadcast


def element_bytes(element: ir.Type) -> int:
    """Bytes from one element to the next in memory: a power of two; index is as wide as a pointer, 4 bytes."""
    bits = element.width if isinstance(element, ir.IntegerType | ir.FloatType) else 32
    return 1 << max((bits - 1).bit_length() - 3, 0)


def known_bytes(type_: ir.Type) -> int:
    """Bytes of the static dimensions of a shaped type: all of it when the shape is static."""
    shaped = ir.ShapedType(type_)
    sizes = (shaped.get_dim_size(d) for d in range(shaped.rank) if not shaped.is_dynamic_dim(d))
    return element_bytes(shaped.element_type) * prod(sizes)


def static_bytes(type_: ir.Type) -> int | None:
    """Bytes of a shaped type, or None when its shape is dynamic."""
    return known_bytes(type_) if ir.ShapedType(type_).has_static_shape else None


def memory_space(space: int) -> ir.Attribute:
    """``space`` as the attribute that memref types and alloc_tensor carry."""
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(64), space)


def in_tcm(type_: ir.MemRefType) -> bool:
    """True for a buffer in the tightly coupled memory."""
    space = type_.memory_space
    return isinstance(space, ir.IntegerAttr) and space.value == TCM_SPACE
