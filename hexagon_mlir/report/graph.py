"""The calls of a model as a drawing: a box for each call, in rows by the calls whose results they need."""

from __future__ import annotations

from dataclasses import dataclass

from hexagon_mlir.codegen.schedule import ModelSchedule

BOX_WIDTH, BOX_HEIGHT = 190, 34
_ACROSS, _DOWN = BOX_WIDTH + 24, BOX_HEIGHT + 30
_LONGEST = 26  # characters of a name that fit a box


@dataclass(frozen=True)
class Box:
    """Call ``number`` of the schedule, of ``kernel``; ``x``, ``y`` of its upper left corner."""

    number: int
    kernel: str
    text: str
    x: int
    y: int


@dataclass(frozen=True)
class Drawing:
    """``edges`` are SVG paths."""

    width: int
    height: int
    boxes: list[Box]
    edges: list[str]


def drawing(schedule: ModelSchedule) -> Drawing:
    """Of the calls of ``schedule``."""
    needs = needed(schedule)
    rows: list[int] = []
    for earlier in needs:
        rows.append(max((rows[other] + 1 for other in earlier), default=0))
    taken: dict[int, int] = {}
    boxes = []
    for number, (call, row) in enumerate(zip(schedule.calls, rows, strict=True)):
        column = taken.get(row, 0)
        taken[row] = column + 1
        name = schedule.kernels[call.kernel].name
        short = name if len(name) <= _LONGEST else f"{name[:_LONGEST - 1]}…"
        boxes.append(Box(number, name, short, column * _ACROSS + 2, row * _DOWN + 2))
    edges = [_edge(boxes[other], boxes[number]) for number, earlier in enumerate(needs) for other in earlier]
    return Drawing(max(taken.values(), default=1) * _ACROSS, (max(rows, default=0) + 1) * _DOWN, boxes, edges)


def needed(schedule: ModelSchedule) -> list[list[int]]:
    """For each call, in order, the earlier calls whose results it reads."""
    writer: dict[int, int] = {}
    found = []
    for number, call in enumerate(schedule.calls):
        found.append(sorted({writer[buffer] for buffer in call.arguments if buffer in writer}))
        writer.update(dict.fromkeys(call.results, number))
    return found


def _edge(above: Box, below: Box) -> str:
    """A curve from the lower edge of one box to the upper edge of another."""
    x, y = above.x + BOX_WIDTH // 2, above.y + BOX_HEIGHT
    to_x, to_y = below.x + BOX_WIDTH // 2, below.y
    middle = (y + to_y) // 2
    return f"M{x} {y} C{x} {middle} {to_x} {middle} {to_x} {to_y}"

