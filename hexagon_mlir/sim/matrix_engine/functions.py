"""The functions that compute what the matrix engine does: an object of their own, compiled once and kept on disk."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

from hexagon_mlir.sim.translation import host

_P, _N, _B = ctypes.c_void_p, ctypes.c_int32, ctypes.c_bool
SIGNATURES: dict[str, tuple[type, ...]] = {
    **{f"weights_{name}": (_P, _N, _P) for name in ("b", "sm", "n", "n2x", "c", "sc", "ubit", "sbit")},
    "weights_hf": (_P, _N, _P, _P, ctypes.c_uint16),
    "activations_hf": (_P, _N, _P, _P),
    "activations_ub": (_P, _N, _P),
    "activations_cm": (_P, _N, _P),
    "products_hf": (*[_P] * 9, *[_N] * 4, _B),
    "products_ub": (*[_P] * 6, _N, _N),
    "convert_hf": (*[_P] * 6, _N, *[_B] * 5),
    "convert_ub": (*[_P] * 4, _B, _B),
    "convert_uh": (*[_P] * 4, _B, _B, _B),
    "convert_uh2": (*[_P] * 4, _B, _B, _N),
}
"""Name without its prefix -> types of the parameters."""
PREFIX = "mx_"


def library(lanes: int) -> str:
    """The IR of all functions, for vector registers of ``lanes`` words."""
    from hexagon_mlir.sim.matrix_engine import (
        float_conversion,
        float_sums,
        integer_conversion,
        integer_sums,
        operand_functions,
    )

    declarations: set[str] = set()
    texts = [
        *operand_functions.library(declarations), float_sums.products(lanes, declarations),
        integer_sums.products(lanes, declarations), float_conversion.conversion(lanes, declarations),
        *(make(lanes, declarations) for make in (
            integer_conversion.to_bytes, integer_conversion.to_halfwords, integer_conversion.to_halfwords_of_four)),
    ]  # fmt: skip
    return "\n".join([*sorted(declarations), *texts])


class Functions:
    """The functions by name, loaded: ``functions.convert_ub(..)``."""

    def __init__(self, code: bytes) -> None:
        loaded = host.Loaded(code)
        self._loaded = loaded
        for name, parameters in SIGNATURES.items():
            prototype = ctypes.CFUNCTYPE(None, *parameters)
            setattr(self, name, prototype(loaded.address(PREFIX + name)))

    def __getattr__(self, name: str) -> Callable[..., None]:
        raise AttributeError(name)
