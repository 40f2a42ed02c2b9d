"""The helpers of `check_model` as IR text."""

from __future__ import annotations

import functools

from hexagon_mlir.sim import layout
from hexagon_mlir.sim.checking.access_check import AccessCheck, AccessKind
from hexagon_mlir.sim.checking.check_model import REPORT_CALLBACK
from hexagon_mlir.sim.checking.race_check import RaceCheck
from hexagon_mlir.sim.semantics.function import Function
from hexagon_mlir.sim.semantics.value import I32

_SCALAR_SIZES = 1, 2, 4, 8
"""Bytes of scalar accesses."""


@functools.cache
def helpers(vector_bytes: int) -> str:
    """All helpers of a checked build, for vectors of so many bytes."""
    words = vector_bytes // 4 + 1  # an unaligned vector touches one word more
    everything = ", ".join(["i32 -1"] * words)
    declarations: set[str] = set()
    pieces = [f"@ck_every_word = internal constant [{words} x i32] [{everything}]", _report(), _call_back()]
    pieces += [RaceCheck(write, declarations).text() for write in (False, True)]
    pieces += [AccessCheck(kind, declarations).text() for kind in _kinds(vector_bytes)]
    return "\n".join([*sorted(declarations), *pieces])


def _kinds(vector_bytes: int) -> list[AccessKind]:
    """Those that `check_model.access_name` names."""
    kinds = []
    for size in _SCALAR_SIZES:
        kinds += [AccessKind(f"ck_sload{size}", size, False, size),
                  AccessKind(f"ck_fload{size}", size, False, size, followed=True),
                  AccessKind(f"ck_sstore{size}", size, True, size)]
    kinds += [AccessKind(f"ck_{name}", vector_bytes, False, 1, lenient=True, matters=name != "vloadp", followed=True)
              for name in ("vload", "vloadu", "vloadp")]
    return [*kinds, AccessKind("ck_vstore", vector_bytes, True, vector_bytes),
            AccessKind("ck_vstoreu", vector_bytes, True, 1),
            AccessKind("ck_vstorem", vector_bytes, True, 1, masked=True)]


def _report() -> str:
    """@ck_report(st, rule, address, site): a broken rule."""
    f = Function("internal void @ck_report(ptr %st, i32 %rule, i32 %address, i32 %site)")
    f.put(f"call void @ck_tell(ptr %st, i32 %rule, i32 %address, i32 %site, i32 {REPORT_CALLBACK})")
    f.put("ret void")
    return f.text()


def _call_back() -> str:
    """@ck_tell(st, rule, address, site, index): call back number ``index`` with these words in the state record."""
    f = Function("internal void @ck_tell(ptr %st, i32 %rule, i32 %address, i32 %site, i32 %index)", "noinline")
    for name, offset in (("rule", layout.RULE), ("address", layout.FAULT), ("site", layout.SITE)):
        f.store(f.argument(name, I32), f.at("%st", offset))
    f.put(f"call void {f.pointer(layout.CALLBACK)}(i32 %index)")
    f.put("ret void")
    return f.text()
