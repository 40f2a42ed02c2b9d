"""Loops that collect blocks of memory in a tensor: what is loaded, in terms of the first iteration."""

from __future__ import annotations

from dataclasses import dataclass

from hexagon_mlir.ir import ir
from hexagon_mlir.ir.bounds import constant_value
from hexagon_mlir.passes.block_loads.growth import (
    BOUNDS,
    Product,
    as_product,
    first_number,
    growth,
    is_fixed,
    is_invariant,
)
from hexagon_mlir.passes.lib.engine_tiles import fills

_MAXIMUM, _MINIMUM = "arith.maxsi", "arith.minsi"


@dataclass(frozen=True)
class Window:
    """``sizes`` elements of the memory at ``base``, from element ``offset`` on; ints where they are known."""

    base: ir.Value
    offset: int | ir.Value
    strides: list[int | ir.Value]
    sizes: list[int | ir.Value]


@dataclass(frozen=True)
class Rest:
    """The size of a block where memory ends: what is left from ``start``, which grows by a block, to ``end``."""

    end: ir.Value
    start: ir.Value


@dataclass(frozen=True)
class BlockLoad:
    """Carried value ``place`` of a loop: a tensor whose blocks of ``shape`` along ``axis`` are loaded one by one.

    ``window`` is that of one block; ``rest`` tells how its size along ``axis`` is computed, None where it is known.
    Elements outside the window are ``filler``. ``ops`` of the body do that and nothing else.
    """

    place: int
    axis: int
    shape: list[int]
    window: Window
    rest: Rest | None
    filler: ir.Value | None
    ops: tuple[ir.Operation, ...]


def trips(loop: ir.Operation) -> int | None:
    """Iterations of scf.for ``loop``, None where they are not known."""
    bounds = [constant_value(value) for value in list(loop.operands)[:BOUNDS]]
    if None in bounds:
        return None
    first, end, step = (bound or 0 for bound in bounds)
    return max(-(-(end - first) // step), 0) if step > 0 else None


def collected(loop: ir.Operation) -> list[int]:
    """The numbers of the carried tensors that ``loop`` only writes a loaded block to in each iteration."""
    body = loop.regions[0].blocks[0]
    found = []
    for place, value in enumerate(list(body.operations)[-1].operation.operands):
        insert = None if isinstance(value.owner, ir.Block) else value.owner.operation
        if insert is None or insert.name != "tensor.insert_slice" or _is_computed(insert.operands[0]):
            continue
        whole = body.arguments[place + 1]
        if insert.operands[1] == whole and len(list(whole.uses)) == len(list(value.uses)) == 1:
            found.append(place)
    return found


def _is_computed(block: ir.Value) -> bool:
    """True for a tensor that is no buffer's contents."""
    return isinstance(block.owner, ir.Block) or block.owner.operation.name != "bufferization.to_tensor"


def read_load(loop: ir.Operation, place: int) -> BlockLoad | str:
    """What ``loop`` collects as carried value ``place``, one of `collected`; why it cannot be loaded at once."""
    insert = list(list(loop.regions[0].blocks[0].operations)[-1].operation.operands)[place].owner.operation
    block, whole = (ir.RankedTensorType(value.type) for value in list(insert.operands)[:2])
    start, number = loop.operands[BOUNDS + place].owner, trips(loop)
    if isinstance(start, ir.Block) or start.operation.name != "tensor.empty" or number is None:
        return "it is not a new tensor, or the number of iterations is not known"
    if block.rank != whole.rank:
        return "its blocks have fewer dimensions"
    if not (block.has_static_shape and whole.has_static_shape):
        return "sizes of its blocks are not known"
    cut = [dim for dim, (part, all_) in enumerate(zip(block.shape, whole.shape, strict=True)) if part != all_]
    if len(cut) != 1 or block.shape[cut[0]] * number != whole.shape[cut[0]] or not _in_order(insert, cut[0], loop):
        return "its blocks do not follow each other along one dimension"
    if len(list(insert.operands[0].uses)) != 1:
        return "its blocks are read elsewhere"
    return _read_block(loop, place, cut[0], insert, insert.operands[0].owner.operation)


def _in_order(insert: ir.Operation, axis: int, loop: ir.Operation) -> bool:
    """True where ``insert`` writes block number i at i blocks, i from 0 on."""
    sizes = ir.RankedTensorType(insert.operands[0].type).shape
    places = list(ir.DenseI64ArrayAttr(insert.attributes["static_offsets"]))
    moved = list(insert.operands)[2:]
    if len(moved) != 1 or any(place for dim, place in enumerate(places) if dim != axis):
        return False
    return first_number(moved[0], loop) == 0 and growth(moved[0], loop) == Product(sizes[axis])


def _read_block(loop: ir.Operation, place: int, axis: int, insert: ir.Operation,
                made: ir.Operation) -> BlockLoad | str:
    """See `read_load`: the block that ``made`` makes a tensor."""
    shape = list(ir.RankedTensorType(made.results[0].type).shape)
    alloc = made.operands[0].owner
    if isinstance(alloc, ir.Block) or alloc.operation.name != "memref.alloc" or alloc.operation.block != insert.block:
        return "its blocks are no memory of the iteration"
    ops, copies, filler = [alloc.operation, made, insert], [], None
    for use in alloc.operation.results[0].uses:
        op = use.owner.operation
        if op == made:
            continue
        if op.name == "memref.subview":
            copies += [(inner.owner.operation, list(ir.DenseI64ArrayAttr(op.attributes["static_offsets"])))
                       for inner in op.results[0].uses]
            ops.append(op)
        elif op.name == "memref.copy":
            copies.append((op, [0] * len(shape)))
        elif fills(op) and op.operands[1] == alloc.operation.results[0] and filler is None:
            filler, around = op.operands[0], op.parent.operation
            if around != loop and (around.name != "scf.if" or around.parent.operation != loop
                                   or len(around.regions[0].blocks[0].operations) != 2):
                return "its blocks are filled in another way"
            ops.append(op if around == loop else around)
        else:
            return f"{op.name} uses its blocks"
    if len(copies) != 1 or any(copies[0][1]) or copies[0][0].name != "memref.copy" or \
            copies[0][0].block != insert.block:
        return "its blocks are not each one copy to their first elements"
    copy = copies[0][0]
    window = _read_window(copy.operands[0], loop)
    if isinstance(window, str):
        return window
    step = Product(shape[axis])
    rest = _read_rest(window.sizes[axis], shape[axis], loop)
    if window.sizes[axis] != shape[axis] and rest is None:
        return "the sizes of its blocks are not known to be what is left of a row"
    stride = window.strides[axis]
    pitch = Product(stride) if isinstance(stride, int) else as_product(stride)
    moved = growth(window.offset, loop) if isinstance(window.offset, ir.Value) else None
    if moved is None or moved != pitch.times(step):
        return "its blocks do not follow each other in memory"
    fixed = [value for values in (window.strides, window.sizes) for dim, value in enumerate(values)
             if isinstance(value, ir.Value) and not (values is window.sizes and dim == axis)]
    if not is_invariant(window.base, loop) or not all(
            is_fixed(value, loop) for value in [*fixed, *([filler] if filler else [])]):
        return "its blocks change from iteration to iteration"
    return BlockLoad(place, axis, shape, window, rest, filler, (*ops, copy))


def _read_window(value: ir.Value, loop: ir.Operation) -> Window | str:
    """The memory that memref ``value`` is, a part that starts where a cast pointer points to."""
    sizes: list[int | ir.Value] | None = None
    if not isinstance(value.owner, ir.Block) and value.owner.operation.name == "memref.subview":
        op = value.owner.operation
        if any(_mixed(op, "offsets", 1)) or any(stride != 1 for stride in _mixed(op, "strides", 3)):
            return "its blocks are parts of other blocks"
        sizes, value = _mixed(op, "sizes", 2), op.operands[0]
    if isinstance(value.owner, ir.Block) or value.owner.operation.name != "memref.reinterpret_cast":
        return "its blocks are not at a pointer"
    op = value.owner.operation
    cast_sizes = _mixed(op, "sizes", 2)
    return Window(op.operands[0], _mixed(op, "offsets", 1)[0], _mixed(op, "strides", 3), sizes or cast_sizes)


def _mixed(op: ir.Operation, name: str, segment: int) -> list[int | ir.Value]:
    """Offsets, sizes or strides of ``op``: numbers where they are known, else values, operand ``segment`` of ``op``."""
    segments = list(ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"]))
    values = iter(list(op.operands)[sum(segments[:segment]):sum(segments[:segment + 1])])
    dynamic = ir.ShapedType.get_dynamic_size()
    return [next(values) if number == dynamic else number
            for number in ir.DenseI64ArrayAttr(op.attributes[f"static_{name}"])]


def _read_rest(size: int | ir.Value, block: int, loop: ir.Operation) -> Rest | None:
    """How ``size`` is computed where it is max(min(end - start, block), 0) and start grows by ``block``."""
    if isinstance(size, int):
        return None
    value = _without_cast(size)
    for name, bound in ((_MAXIMUM, 0), (_MINIMUM, block)):
        if (other := _other_operand(value, name, bound)) is None:
            return None
        value = _without_cast(other)
    op = None if isinstance(value.owner, ir.Block) else value.owner.operation
    if op is None or op.name != "arith.subi" or not is_invariant(op.operands[0], loop):
        return None
    return Rest(*op.operands) if growth(op.operands[1], loop) == Product(block) else None


def _without_cast(value: ir.Value) -> ir.Value:
    while not isinstance(value.owner, ir.Block) and value.owner.operation.name == "arith.index_cast":
        value = value.owner.operation.operands[0]
    return value


def _other_operand(value: ir.Value, name: str, bound: int) -> ir.Value | None:
    """The operand of ``value``, an operation called ``name``, beside the constant ``bound``."""
    if isinstance(value.owner, ir.Block) or value.owner.operation.name != name:
        return None
    operands = list(value.owner.operation.operands)
    others = [operand for operand in operands if constant_value(operand) != bound]
    return others[0] if len(others) == 1 else None
