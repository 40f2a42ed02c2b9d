"""Tile loops by transform-dialect sequences: each group's root is tiled and its members are fused into the loop."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

from hexagon_mlir.ir import ir
from hexagon_mlir.ir.query import find_ops
from hexagon_mlir.pass_infra import CLEAN, PassContext, UpstreamStep
from hexagon_mlir.pass_infra.schedule import apply_schedule, wrap_sequence
from hexagon_mlir.passes.lib.vector_loop import spreads
from hexagon_mlir.passes.tcm_tiling.groups import Group, linalg_ops
from hexagon_mlir.passes.tcm_tiling.promote import VIEWS

_ROOT, _LOOP = "hexagon.tile_root", "hexagon.tile_loop"
_PEELED = ("hexagon.main_tiles", "hexagon.last_tile")
_FOR = '!transform.op<"scf.for">'
_BARRIER = "builtin.unrealized_conversion_cast"
HOIST = UpstreamStep("loop-invariant-code-motion,loop-invariant-subset-hoisting")
"""Hoists slices of a result out of loops, which then carry them."""


@dataclass(frozen=True)
class Tiles:
    """Tiles of group ``number``: the ops of one tile, the outermost loop over the tiles (None for a peeled tile), and
    whether that loop or a nested one carries their accumulators."""

    number: int
    ops: list[ir.Operation]
    loop: ir.Operation | None = None
    carries: bool = False


def tile_groups(module: ir.Module, tiled: list[tuple[Group, list[int]]], origin: str,
                context: PassContext) -> list[Tiles]:
    """Tile each root by its sizes (0 = whole) and fuse the members into its loop; loops come before peeled tiles."""
    if not tiled:
        return []
    barriers = [barrier for group, _ in tiled for barrier in _keep_out(group)]
    tile_ops(module, [(group.root, sizes) for group, sizes in tiled], "fuse", origin, context,
             {number for number, (group, sizes) in enumerate(tiled) if _is_peeled(group, sizes)})
    for barrier in barriers:
        barrier.results[0].replace_all_uses_with(barrier.operands[0])
        barrier.erase()
    if any(group.carries for group, _ in tiled):
        HOIST.run(module, context)
    CLEAN.run(module, context)  # equal slices of one tensor for several ops are merged
    found = []
    for loop in find_ops(module, lambda op: _LOOP in op.attributes):
        number = ir.IntegerAttr(loop.attributes[_LOOP]).value
        found.append(Tiles(number, linalg_ops(loop), loop, tiled[number][0].carries))
        del loop.attributes[_LOOP]
    loops = {tiles.number for tiles in found}
    for mark in _PEELED:
        found += [Tiles(number, ops) for number, ops in _take_marked(module, mark).items()
                  if mark == _PEELED[-1] or number not in loops]
    return found


def _take_marked(module: ir.Module, mark: str) -> dict[int, list[ir.Operation]]:
    """The ops that carry ``mark``, which they lose, by its number."""
    ops: dict[int, list[ir.Operation]] = {}
    for op in find_ops(module, lambda op: mark in op.attributes):
        ops.setdefault(ir.IntegerAttr(op.attributes[mark]).value, []).append(op)
        del op.attributes[mark]
    return ops


def _is_peeled(group: Group, sizes: list[int]) -> bool:
    """True when the last tile is peeled: a contraction's register blocks need static sizes."""
    cut = [(extent, size) for extent, size in zip(group.extents, sizes, strict=True) if size]
    return (len(cut) == 1 and group.dynamic is None and cut[0][0] % cut[0][1] > 0 and not group.carries
            and any(spreads(op, position) for op in group.members for position in range(len(op.operands))))


def _keep_out(group: Group) -> list[ir.Operation]:
    """Insert casts that keep the fusion from producers outside the group."""
    barriers = []
    for op in group.members:
        for position, value in enumerate(op.operands):
            if isinstance(value.type, ir.RankedTensorType) and _comes_from_elsewhere(value, group):
                with op.location, ir.InsertionPoint(op):
                    cast = ir.Operation.create(_BARRIER, results=[value.type], operands=[value])
                op.operands[position] = cast.results[0]
                barriers.append(cast)
    return barriers


def _comes_from_elsewhere(value: ir.Value, group: Group) -> bool:
    """True when ``value`` is, or is a view of, the result of a linalg op that is no member, or of a loop."""
    while not isinstance(value.owner, ir.Block) and value.owner.operation.name in VIEWS:
        value = value.owner.operation.operands[0]
    owner = value.owner
    return not isinstance(owner, ir.Block) and owner.operation.name.startswith(("linalg.", "scf.")) \
        and owner.operation not in group.members


def tile_ops(module: ir.Module, decided: list[tuple[ir.Operation, list[int]]], kind: str, origin: str,
             context: PassContext, peeled: Set[int] = frozenset()) -> None:
    """Tile each op by its sizes (0 = that loop whole), ``kind`` being tile_using_for or fuse.

    The last tile of those whose number is in ``peeled`` is split off.
    """
    any_op = "!transform.any_op"
    lines = []
    for number, (op, sizes) in enumerate(decided):
        if not any(sizes):
            continue
        op.attributes[f"{_ROOT}{number}"] = ir.UnitAttr.get()
        lines.append(f"    %op{number} = transform.structured.match attributes{{{_ROOT}{number}}} in %root : "
                     f"({any_op}) -> {any_op}")
        loops = [f"%loop{number}_{i}" for i, size in enumerate(sizes) if size]
        results = ", ".join([any_op] * (1 + len(loops)))
        cleanup = " {apply_cleanup}" if kind == "fuse" else ""
        lines.append(f"    {', '.join([f'%tiled{number}', *loops])} = transform.structured.{kind} %op{number} "
                     f"tile_sizes [{', '.join(map(str, sizes))}]{cleanup} : ({any_op}) -> ({results})")
        mark = f"%number{number} : {any_op}, !transform.param<i64>"
        if kind == "fuse":
            lines.append(f"    %number{number} = transform.param.constant {number} : i64 -> !transform.param<i64>")
        if kind == "fuse" and number not in peeled:
            lines.append(f'    transform.annotate {loops[0]} "{_LOOP}" = {mark}')
        elif kind == "fuse":
            lines += [f"    %for{number} = transform.cast {loops[0]} : {any_op} to {_FOR}",
                      f"    %main{number}, %last{number} = transform.loop.peel %for{number} : ({_FOR}) -> "
                      f"({any_op}, {any_op})",
                      f'    transform.annotate %main{number} "{_LOOP}" = {mark}']
            for part, name in zip(("main", "last"), _PEELED, strict=True):
                lines += [f"    %{part}ops{number} = transform.structured.match interface{{LinalgOp}} in "
                          f"%{part}{number} : ({any_op}) -> {any_op}",
                          f'    transform.annotate %{part}ops{number} "{name}" = {mark}']
    apply_schedule(module, wrap_sequence("\n".join(lines) + "\n"), origin, context)
    for op in find_ops(module, lambda op: any(str(name).startswith(_ROOT) for name in op.attributes)):
        for name in [str(name) for name in op.attributes if str(name).startswith(_ROOT)]:
            del op.attributes[name]
