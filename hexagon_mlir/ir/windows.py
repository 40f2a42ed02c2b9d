"""Windows: the indices that tiles of a loop take of a dimension, overlaps of convolutions included."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from torch_mlir import ir


@dataclass(frozen=True)
class Window:
    """A dimension read at ``loop * step + k`` for every k below ``length``; of a plain loop index both are 1."""

    loop: int
    step: int = 1
    length: int = 1

    @property
    def plain(self) -> bool:
        """True where the index is the loop itself."""
        return self.step == 1 and self.length == 1

    def size(self, count: int) -> int:
        """Indices that ``count`` neighbouring iterations take."""
        return (count - 1) * self.step + self.length


def terms_of(expression: ir.AffineExpr) -> dict[int, int] | None:
    """Loop -> factor of a sum of loop indices times positive constants; None for other expressions."""
    if isinstance(expression, ir.AffineDimExpr):
        return {expression.position: 1}
    if isinstance(expression, ir.AffineAddExpr):
        left, right = terms_of(expression.lhs), terms_of(expression.rhs)
        return None if left is None or right is None or left.keys() & right.keys() else {**left, **right}
    if isinstance(expression, ir.AffineMulExpr):
        for inner, factor in ((expression.lhs, expression.rhs), (expression.rhs, expression.lhs)):
            if isinstance(factor, ir.AffineConstantExpr) and factor.value > 0 and (terms := terms_of(inner)):
                return {loop: own * factor.value for loop, own in terms.items()}
    return None


def window_of(expression: ir.AffineExpr, parallel: Sequence[bool],
              extent: Callable[[int], int | None]) -> Window | None:
    """The window that ``expression`` is: one loop of those that are ``parallel``, any others of known ``extent``."""
    terms = terms_of(expression)
    if terms is None:
        return None
    own = [loop for loop in terms if parallel[loop]] or list(terms)
    if len(own) != 1:
        return None
    length = 1
    for loop, factor in terms.items():
        if loop != own[0]:
            count = extent(loop)
            if not count:
                return None
            length += (count - 1) * factor
    return Window(own[0], terms[own[0]], length)


def outer_window_of(expression: ir.AffineExpr, parallel: Sequence[bool],
                    extent: Callable[[int], int | None]) -> Window | None:
    """As `window_of`, also where several loops are ``parallel``: the window of the one with the largest steps, with all
    iterations of the others.
    """
    terms = terms_of(expression)
    if terms is None:
        return None
    own = [loop for loop in terms if parallel[loop]]
    if len(own) < 2:
        return window_of(expression, parallel, extent)
    outer = max(own, key=terms.__getitem__)
    return window_of(expression, [loop == outer for loop in range(len(parallel))], extent)
