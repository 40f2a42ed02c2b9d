"""What each packet of a hot loop does, in words: by the instructions in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

from hexagon_mlir.isa.decode import Insn
from hexagon_mlir.isa.form import right_side
from hexagon_mlir.isa.packets import instructions

_STACK_POINTER = 29
_QFLOAT = ("qf32", "qf16")


def _form(*keys: str) -> Callable[[Insn], bool]:
    """Whether an instruction's form begins with one of ``keys``."""
    return lambda insn: insn.key.startswith(keys)


def _does(*mnemonics: str) -> Callable[[Insn], bool]:
    """Whether what an instruction assigns begins with one of ``mnemonics``."""
    return lambda insn: right_side(insn.key).startswith(mnemonics)


def _vectors(suffixes: Sequence[str], *rest: str) -> tuple[str, ...]:
    """The begins of forms that write a vector, or a pair, of one of ``suffixes``."""
    return tuple(f"{vector}.{suffix}{end}" for vector, suffix, end in product(("V", "VV"), suffixes, rest))


def _moves(kind: str, stack: bool) -> Callable[[Insn], bool]:
    """Whether an instruction is an aligned ``load`` or ``store`` of a vector, of the stack or not."""
    def test(insn: Insn) -> bool:
        base = insn.address.base if insn.address else None
        on_stack = base is not None and base.number == _STACK_POINTER
        return insn.kind == kind and insn.access == "vmem" and on_stack == stack

    return test


_ROLES: tuple[tuple[str, Callable[[Insn], bool]], ...] = (
    ("load", _moves("load", stack=False)),
    ("reload", _moves("load", stack=True)),
    ("product", _form(*_vectors(_QFLOAT, "=vmpy"))),
    ("integer product", _form(*_vectors(("w", "h", "uw", "uh"), *(
        f"{assigned}v{kind}mpy" for assigned, kind in product(("=", "+="), ("", "d", "r")))))),
    ("sum", _form(*_vectors(_QFLOAT, "=vadd"))),
    ("difference", _form(*_vectors(_QFLOAT, "=vsub"))),
    ("to IEEE", _form(*_vectors(("sf", "hf"), "=V.qf", "=VV.qf"))),
    ("to integer", _form(*_vectors(("w", "h"), "=V.sf", "=V.hf"))),
    ("limit", _does("vmax(", "vmin(")),
    ("shift", _does("vasl", "vasr", "vlsr")),
    ("exponent and mantissa", _form("V=vand(V,V", "V=vor(V,V", "V=vxor(V,V",
                                    *_vectors(("w", "h"), "=vadd(", "=vsub("))),
    ("test", _does("vcmp")),
    ("choose", _does("vmux")),
    ("move mask", lambda insn: _form("Q=and(", "Q=or(", "Q=not(", "Q=vand(")(insn) or _does("vand(Q")(insn)),
    ("permute", _does("valign", "vror", "vshuff", "vdeal", "vdelta", "vrdelta", "vpack", "vunpack")),
    ("copy", lambda insn: insn.key == "V=V" and not insn.mode),
    ("splat", _does("vsplat")),
    ("spill", _moves("store", stack=True)),
    ("store", _moves("store", stack=False)),
    ("address", _form(*(f"{register}={end}" for register, end in product(("R", "RR"), ("add", "combine", "I"))))),
)


def remark(lines: Sequence[str]) -> str:
    """The roles of a packet's ``lines``, each once, how often in front where it is more than once."""
    parts = []
    for name, has_role in _ROLES:
        count = sum(any(map(has_role, instructions(line))) for line in lines)
        if count:
            parts.append(f"{count} x {name}" if count > 1 else name)
    return ", ".join(parts)
