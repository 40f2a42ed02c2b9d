"""Groups of linalg ops that can share a tile loop: analysis only, nothing is changed.

A group has a root, whose loops are tiled; its other members produce operands of the root or of each other. ``A tensor's
dimension follows loop i'' means that a tile of the root needs as much of this dimension as tile size i (a window where
tiles overlap); None means all of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import prod

from hexagon_mlir.dialects.block_weights import TILES_LOOP, code_bits
from hexagon_mlir.ir import ir
from hexagon_mlir.ir.query import find_ops, static_bytes
from hexagon_mlir.ir.windows import Window, terms_of, window_of
from hexagon_mlir.passes.lib.vector_loop import indexing_maps

_ASSUMED = 1 << 20
"""Assumed product of the trip counts when one is known only at run time: enough for many tiles."""
_LEAST_ASSUMED = 1 << 10
"""Assumed trip count of such a loop, at least."""
_SHORT = 16
"""Iterations of all loops that may be cut: tiles are too large to be transferred during the work on others."""
_LARGE = 1 << 16
"""Bytes of a tensor whose transfer is worth tiles."""
Following = tuple[Window | None, ...]
"""For each dimension of a tensor: the window of the root's loop that it follows, or None."""


@dataclass
class Group:
    """``members`` in order, the root last. ``extents`` and ``parallel`` describe the root's loops.

    ``followed`` holds the dimensions of every tensor that a member reads or writes; an input from outside may have
    several entries. ``cuttable`` are the loops that may be tiled without recomputation. With ``carries`` reductions are
    among them: tiles carry the partial accumulation. ``dynamic`` is the loop whose extent is known only at run time
    (``extents`` has an assumed one): it must be tiled.
    """

    root: ir.Operation
    extents: list[int]
    parallel: list[bool]
    members: list[ir.Operation] = field(default_factory=list)
    followed: dict[ir.Value, set[Following]] = field(default_factory=dict)
    cuttable: list[int] = field(default_factory=list)
    carries: bool = False
    dynamic: int | None = None

    def size(self, value: ir.Value, dim: int) -> int | None:
        """The assumed size of dynamic dimension ``dim`` of ``value``, by the loop that it follows."""
        windows = {way[dim] for way in self.followed.get(value, ())}
        return max((self.extents[w.loop] for w in windows if w is not None and w.plain), default=None)

    def internal(self, value: ir.Value) -> bool:
        """True when a member other than the root makes ``value``."""
        owner = value.owner
        return not isinstance(owner, ir.Block) and owner.operation in self.members and owner.operation != self.root


def find_groups(operations: list[ir.Operation], refuse: Callable[[ir.Operation, str], None]) -> list[Group]:
    """Groups that cover ``operations`` (linalg ops of one block, in order); what cannot be tiled is ``refuse``d.

    A producer joins the group of its users when all of them are in it and a tile of the root needs one tile of the
    producer.
    """
    groups: list[Group] = []
    taken: set[ir.Operation] = set()
    for op in reversed(operations):
        if op in taken:
            continue
        group = _start(op)
        if isinstance(group, str):
            refuse(op, group)
            taken.add(op)
            continue
        _grow(group, [o for o in operations if o not in taken])
        if not group.cuttable and len(group.members) > 1:  # separate tiled groups are better than one untiled group
            only = alone(op)
            group = only if only.cuttable else group
        elif len(group.members) > 1:
            _leave_small(group)
        if not _bounded(group):
            if sum(not is_fill(member) for member in group.members) > 1:  # to stream each through TCM moves more
                refuse(op, "dynamic shape")
                taken.update(group.members)
                continue
            group = alone(op)
            if not _bounded(group):
                refuse(op, "dynamic shape")
                taken.add(op)
                continue
        taken.update(group.members)
        groups.append(group)
    return groups[::-1]


def alone(op: ir.Operation) -> Group:
    """The group of ``op``, which a group can have, and no other."""
    group = _start(op)
    assert isinstance(group, Group)
    _close(group, [op])
    return group


def _bounded(group: Group) -> bool:
    """True when the sizes of all tiles are bounded: dynamic dimensions follow the one loop that will be cut."""
    dynamic = {window.loop if window is not None and window.plain else None
               for value, ways in group.followed.items() for way in ways
               for dim, window in enumerate(way) if ir.RankedTensorType(value.type).is_dynamic_dim(dim)}
    return dynamic <= {group.dynamic} & set(group.cuttable)


def streaming(group: Group) -> Group:
    """The root of ``group`` with the members that can be tiled with it along every loop, reductions included."""
    part = _start(group.root)
    assert isinstance(part, Group)
    part.carries = True
    _close(part, [group.root])
    most, starts = part.cuttable, list(group.root.operands)[-len(group.root.results):]
    for op in reversed(group.members):
        if op in part.members or not _only_used_by(op, set(part.members)) or any(v in starts for v in op.results):
            continue  # the initial value of the root is computed before its first tile
        smaller = part.members
        _close(part, [o for o in group.members if o in smaller or o == op])
        if part.cuttable != most:
            _close(part, smaller)
    return part


def _start(op: ir.Operation) -> Group | str:
    maps = maps_of(op)
    if maps is None:
        return f"{op.name} has no indexing maps"
    reason = _irregular(op, maps)
    if reason:
        return reason
    count = maps[0].n_dims
    extents = _extents(op, maps)
    if len(extents) != count:
        return "a loop that indexes no operand"
    unknown = [loop for loop in range(count) if extents[loop] == ir.ShapedType.get_dynamic_size()]
    parallel = parallel_loops(op, maps)
    if len(unknown) > 1 or not all(parallel[loop] for loop in unknown):
        return "dynamic shape"
    known = prod(extents[loop] for loop in range(count) if loop not in unknown)
    assumed = max(_LEAST_ASSUMED, _ASSUMED // max(1, known))
    sizes = [assumed if loop in unknown else extents[loop] for loop in range(count)]
    return Group(op, sizes, parallel, [op], dynamic=unknown[0] if unknown else None)


def _extents(op: ir.Operation, maps: list[ir.AffineMap]) -> dict[int, int]:
    """Trip counts of the loops that index some operand by themselves."""
    return {result.position: value.type.shape[dim] for value, map_ in zip(op.operands, maps, strict=True)
            for dim, result in enumerate(map_.results if isinstance(value.type, ir.RankedTensorType) else ())
            if isinstance(result, ir.AffineDimExpr)}


def _irregular(op: ir.Operation, maps: list[ir.AffineMap]) -> str:
    """Why tiles of ``op`` are not slices of its operands, or nothing."""
    for value in op.operands:
        if isinstance(value.type, ir.RankedTensorType) and not value.type.has_static_shape and not all(
                isinstance(result, ir.AffineDimExpr) for map_ in maps for result in map_.results):
            return "dynamic shape"
    for map_, windows in zip(maps, _windows(op, maps), strict=True):
        for result, window in zip(map_.results, windows, strict=False):
            if window is None and _divided_loop(result) is None:
                return f"index expression {result} is neither a loop index nor a window"
    if any(not window.plain for of in _windows(op, maps)[-len(op.results):] for window in of if window is not None):
        return "a result that is not indexed by loops alone"
    return ""


def _windows(op: ir.Operation, maps: list[ir.AffineMap]) -> list[tuple[Window | None, ...]]:
    """For each operand, the window of the loops of ``op`` that each dimension needs."""
    parallel, extents = parallel_loops(op, maps), _extents(op, maps)
    return [tuple(window_of(result, parallel, extents.get) for result in map_.results)
            if isinstance(value.type, ir.RankedTensorType) else ()
            for value, map_ in zip(op.operands, maps, strict=True)]


def _grow(group: Group, available: list[ir.Operation]) -> None:
    members = [group.root]
    chosen = {group.root}
    grown = True
    while grown:
        grown = False
        for op in reversed(available):
            if op in chosen or not _only_used_by(op, chosen):
                continue
            maps = maps_of(op)
            if maps is None or _irregular(op, maps) or len(op.results) == 0 or _divided_loops(maps):
                continue
            chosen.add(op)
            grown = True
    members = [op for op in available if op in chosen]
    _close(group, members)


def _leave_small(group: Group) -> None:
    """Take those members out of ``group`` that leave it only short loops to cut: those that do not follow its longest
    one, as the transposed copy of a few columns that all rows are multiplied with."""
    longest = max((loop for loop, parallel in enumerate(group.parallel) if parallel),
                  key=lambda loop: group.extents[loop], default=None)
    if longest is None or longest in group.cuttable or prod(
            group.extents[loop] for loop in group.cuttable) > _SHORT:
        return

    def follows(value: ir.Value) -> bool:
        return any(window is not None and window.loop == longest
                   for way in group.followed.get(value, ()) for window in way)

    if not any(follows(value) and (static_bytes(value.type) or 0) >= _LARGE for value in group.followed):
        return
    kept = {group.root}
    for op in reversed(group.members):
        if (is_fill(op) or any(map(follows, op.results))) and _only_used_by(op, kept):
            kept.add(op)
    whole = group.members
    _close(group, [op for op in whole if op in kept])
    if longest not in group.cuttable:
        _close(group, whole)


def _only_used_by(op: ir.Operation, chosen: set[ir.Operation]) -> bool:
    users = [use.owner.operation for result in op.results for use in result.uses]
    return bool(users) and all(user in chosen for user in users)


def _close(group: Group, members: list[ir.Operation]) -> None:
    """Set members, followed dimensions and cuttable loops. A loop on which two uses of a tensor disagree is not
    tiled, nor one whose quotient indexes a dimension."""
    group.members = members
    whole = _divided_loops(maps_of(group.root) or [])
    while True:
        group.followed, conflicts = _follow(group, whole)
        if not conflicts:
            break
        whole |= conflicts
    inside = _loops_in_windows(group.root)
    cuttable = [loop for loop in range(len(group.extents)) if (group.parallel[loop] or group.carries)
                and loop not in whole and (group.parallel[loop] or loop not in inside)
                and (loop == TILES_LOOP or not code_bits(group.root))]
    for op in members:
        if op == group.root or is_fill(op):
            continue
        followed = {window.loop for result in op.results for way in group.followed.get(result, ())
                    for window in way if window is not None}
        cuttable = [loop for loop in cuttable if loop in followed]  # else it would be recomputed for every tile
    group.cuttable = cuttable


def is_fill(op: ir.Operation) -> bool:
    """True for an op that only broadcasts scalars: cheap enough to recompute."""
    inputs = list(op.operands)[:-len(op.results)]
    return op.name == "linalg.fill" or not any(isinstance(v.type, ir.RankedTensorType) for v in inputs)


def _follow(group: Group, whole: set[int]) -> tuple[dict[ir.Value, set[Following]], set[int]]:
    """Followed dimensions with the loops ``whole`` uncut, and the loops that uses disagree on."""
    followed: dict[ir.Value, set[Following]] = {}
    conflicts: set[int] = set()
    for op in reversed(group.members):
        maps = maps_of(op)
        assert maps is not None
        loops: list[int | None] = [None] * maps[0].n_dims
        if op == group.root:
            loops = [loop if loop not in whole else None for loop in range(len(loops))]
        else:
            for result, map_ in zip(op.results, maps[-len(op.results):], strict=True):
                for way in followed.get(result, set()):
                    for expression, window in zip(map_.results, way, strict=True):
                        position = expression.position
                        loop = None if window is None else window.loop
                        if window is not None and not window.plain:  # adjacent tiles would both compute the overlap
                            conflicts.add(window.loop)
                        if loops[position] not in (None, loop):
                            conflicts |= {x for x in (loops[position], loop) if x is not None}
                        loops[position] = loop
        for value, own in zip(op.operands, _windows(op, maps), strict=True):
            if isinstance(value.type, ir.RankedTensorType):
                followed.setdefault(value, set()).add(tuple(_followed(window, loops) for window in own))
        if op == group.root:
            for result, own in zip(op.results, _windows(op, maps)[-len(op.results):], strict=True):
                followed.setdefault(result, set()).add(tuple(_followed(window, loops) for window in own))
    for value, ways in followed.items():
        if len(ways) > 1 and group.internal(value):
            for dims in zip(*ways, strict=True):
                if len(set(dims)) > 1:
                    conflicts |= {window.loop for window in dims if window is not None}
    return followed, conflicts


def _followed(own: Window | None, loops: list[int | None]) -> Window | None:
    """A window of an op's loop as one of the root's ``loops``."""
    loop = None if own is None else loops[own.loop]
    return None if own is None or loop is None else Window(loop, own.step, own.length)


def _divided_loops(maps: list[ir.AffineMap]) -> set[int]:
    """The loops of which ``maps`` read the quotient by a constant."""
    found = (_divided_loop(result) for map_ in maps for result in map_.results)
    return {loop for loop in found if loop is not None}


def _divided_loop(result: ir.AffineExpr) -> int | None:
    """The loop whose quotient by a constant ``result`` is; None for other expressions."""
    if not isinstance(result, ir.AffineFloorDivExpr):
        return None
    divides = isinstance(result.lhs, ir.AffineDimExpr) and isinstance(result.rhs, ir.AffineConstantExpr)
    return result.lhs.position if divides else None


def _loops_in_windows(op: ir.Operation) -> set[int]:
    """Loops that index a dimension together with others."""
    return {loop for map_ in maps_of(op) or [] for result in map_.results
            if not isinstance(result, ir.AffineDimExpr) for loop in terms_of(result) or ()}


def maps_of(op: ir.Operation) -> list[ir.AffineMap] | None:
    """Indexing maps of a linalg op, one per operand; None for those without (softmax, pack, ...)."""
    maps = indexing_maps(op)
    return None if maps is None else [ir.AffineMapAttr(a).value for a in maps]


def parallel_loops(op: ir.Operation, maps: list[ir.AffineMap]) -> list[bool]:
    """For each loop of ``op``, whether its iterations are independent."""
    if "iterator_types" in op.attributes:
        return ["parallel" in str(kind) for kind in op.attributes["iterator_types"]]
    written = {result.position for result in maps[-1].results}
    return [loop in written for loop in range(maps[0].n_dims)]


def linalg_ops(root: ir.Operation) -> list[ir.Operation]:
    """The linalg ops on tensors in ``root``, in order."""
    return find_ops(root, is_linalg)


def is_linalg(op: ir.Operation) -> bool:
    """True for a linalg op with a result."""
    return op.name.startswith("linalg.") and len(op.regions) == 1 and len(op.results) > 0
