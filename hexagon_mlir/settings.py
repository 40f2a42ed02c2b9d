"""What a user may choose for a whole compilation: each setting is declared here, with what the tools' help says of it.

Importing this takes nothing else with it: command lines are read without the MLIR bindings.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from numbers import Integral
from typing import Any

MOST = 2**31 - 1
"""No count or size is larger: addresses of the chip have 32 bits."""


class Accuracy(StrEnum):
    """How exact every math function is (bounds: docs/maths.md)."""

    ACCURATE = "accurate"
    FAST = "fast"


class Requantization(StrEnum):
    """What the matrix engine's own conversion of sums to bytes is used for (docs/engine_arithmetic.md)."""

    EXACT = "exact"
    ENGINE = "engine"


class Search(StrEnum):
    """What code is generated for several times, of which the best is taken (docs/compile_times.md)."""

    AUTO = "auto"
    ALL = "all"
    FEW = "few"
    NONE = "none"


def _setting(default: Any, help: str, value: str = "") -> Any:
    """A setting of which usage texts say ``help``, written ``--name=value``; a switch without ``value``."""
    return field(default=default, metadata={"help": help, "value": value})


@dataclass(frozen=True)
class Settings:
    """What a user may choose for a whole compilation. Raises `HexError` for values there are none of.

    ``threads``: how many may share the work; 0 takes the target's HVX contexts where that pays. ``accuracy`` of math
    functions: "accurate" or "fast", see docs/maths.md. ``qfloat``: values stay in qfloat between operations on chips
    that have it; else each result is converted to IEEE at once. ``line_info``: the assembly tells the source line of
    each instruction (``.loc``); the code is the same. ``tcm_bytes``: how much tightly coupled memory may be planned;
    0 takes the target's. ``matrix_engine``: products of f16 matrices and convolutions of f16 images may be computed by
    the matrix engine of chips that have one, in its own sums, and so may products of bf16, scaled to f16.
    ``f32_split``: so may products of f32, whose factors are split into pieces of f16 (bounds of both:
    docs/engine_arithmetic.md). ``requantization`` of sums of products of bytes: "exact" lets the matrix engine convert
    them to bytes where each is the scheme's, "engine" also where some are off by one. ``search`` for the best code
    in all ways ("all"), in two ("few"), in one ("none"), or, "auto", in two or one for the kernels of a model that take
    little of its predicted cycles, in all for others. `hexagon_mlir.compile`, the ``options`` of torch.compile, a
    Triton launch and the tools take all of them, by these names.
    """

    threads: int = _setting(0, "how many threads may share the work (default 0: the target's HVX contexts, where that "
                               "pays)", "N")
    accuracy: str = _setting(Accuracy.ACCURATE, "of math functions: accurate (default) or fast", "NAME")
    qfloat: bool = _setting(True, "keep values in qfloat between operations (default: true)")
    line_info: bool = _setting(False, "assembly that tells source lines; the code is the same")
    tcm_bytes: int = _setting(0, "how much TCM may be used (default 0: the target's)", "N")
    matrix_engine: bool = _setting(True, "products of f16 and bf16 and convolutions of f16 by the matrix engine, where "
                                         "it pays (default: true)")
    f32_split: bool = _setting(False, "products of f32 by the matrix engine too, in pieces of f16 (bound: "
                                      "docs/engine_arithmetic.md)")
    requantization: str = _setting(Requantization.EXACT, "of sums of bytes by the matrix engine: exact (default) where "
                                                         "all bytes are the scheme's, engine where some are off by "
                                                         "one, too", "NAME")
    search: str = _setting(Search.AUTO, "for the best code: all, few or none, or auto (default): few or none for "
                                        "kernels that take little of a model's cycles, else all", "NAME")

    def __post_init__(self) -> None:
        for field_ in fields(Settings):
            value, kind = getattr(self, field_.name), type(field_.default)
            if kind is bool and not isinstance(value, bool):
                raise _error(f"{field_.name} is True or False, not {value!r}")
            if kind is int and (isinstance(value, bool) or not isinstance(value, Integral)):
                raise _error(f"{field_.name} is a whole number, not {value!r}")
        if self.threads < 0:
            raise _error(f"{self.threads} threads", "0 (as many as the target has HVX contexts), 1, 2, ...")
        if max(self.threads, self.tcm_bytes) > MOST:
            raise _error(f"threads and tcm_bytes are at most {MOST}")
        if self.tcm_bytes < 0:
            raise _error(f"{self.tcm_bytes} bytes of TCM", "0 (the target's) or more")
        if self.accuracy not in tuple(Accuracy):
            raise _error(f"unknown accuracy '{self.accuracy}'", f"one of {', '.join(Accuracy)}")
        if self.requantization not in tuple(Requantization):
            raise _error(f"unknown requantization '{self.requantization}'", f"one of {', '.join(Requantization)}")
        if self.search not in tuple(Search):
            raise _error(f"unknown search '{self.search}'", f"one of {', '.join(Search)}")

    @classmethod
    def of(cls, options: object) -> Settings:
        """Those among the attributes of ``options``."""
        return Settings(**{name: getattr(options, name) for name in NAMES})

    @property
    def of_passes(self) -> dict[str, object]:
        """Options that passes of the same option name get where the pipeline gives them none."""
        return {**{name: getattr(self, name) for name in NAMES}, "accuracy": Accuracy(self.accuracy)}


NAMES = tuple(field_.name for field_ in fields(Settings))
DEFAULTS: Mapping[str, Any] = {field_.name: field_.default for field_ in fields(Settings)}
DEFAULT_SETTINGS = Settings()


def flags() -> list[tuple[str, str, str]]:
    """Of each setting: the flag's name, what it is for, and the value as usage texts show it ("" for a switch)."""
    return [(field_.name.replace("_", "-"), field_.metadata["help"], field_.metadata["value"])
            for field_ in fields(Settings)]


def _error(message: str, hint: str = "") -> Exception:
    from hexagon_mlir.ir.diagnostics import HexError  # imports the bindings

    return HexError.plain(message, hint=hint)
