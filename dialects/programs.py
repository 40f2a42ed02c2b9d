"""What is known of the order of a kernel's programs, as an attribute of its function."""

from __future__ import annotations

from enum import Enum

from hexagon_mlir.ir import ir

PROGRAMS = "hexagon.programs"
GRID_ARGUMENTS = 6
"""The last arguments, i32: number of programs along x, y, z, then the program's id along x, y, z."""


class Order(Enum):
    """``UNPROVEN`` programs run in parallel when the user asks for threads, ``ORDERED`` ones never."""

    INDEPENDENT = "independent"
    UNPROVEN = "unproven"
    ORDERED = "ordered"


def mark(function: ir.Operation, order: Order) -> None:
    """Write ``order`` on ``function``."""
    function.attributes[PROGRAMS] = ir.StringAttr.get(order.value)


def has_order(function: ir.Operation) -> bool:
    """True for a Triton kernel, if only by a mark that is none."""
    return PROGRAMS in function.attributes


def order_on(function: ir.Operation) -> Order | None:
    """The order on ``function``; None when it is no Triton kernel. Raises ValueError for a mark that is none."""
    if PROGRAMS not in function.attributes:
        return None
    attribute = function.attributes[PROGRAMS]
    text = ir.StringAttr(attribute).value if isinstance(attribute, ir.StringAttr) else str(attribute)
    if text not in [order.value for order in Order]:
        raise ValueError(f"{PROGRAMS} is {text}")
    arguments = function.regions[0].blocks[0].arguments if function.regions[0].blocks else []
    if [str(a.type) for a in list(arguments)[-GRID_ARGUMENTS:]] != ["i32"] * GRID_ARGUMENTS:
        raise ValueError(f"{PROGRAMS} on a function whose last {GRID_ARGUMENTS} arguments are not i32")
    return Order(text)


def forget(function: ir.Operation) -> None:
    """Take the mark away."""
    if PROGRAMS in function.attributes:
        del function.attributes[PROGRAMS]


def may_spread(order: Order | None, threads: int) -> bool:
    """True when programs may run in parallel; ``threads`` is what the user asked for, 0 for nothing."""
    return threads != 1 and (order is Order.INDEPENDENT or (order is Order.UNPROVEN and threads > 1))
