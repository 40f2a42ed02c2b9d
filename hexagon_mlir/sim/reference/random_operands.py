"""Random operands of instruction forms: registers by role and immediates inside their fields.

r0..r19 hold data, r20..r23 buffer addresses (r23 unaligned), r24 and r25 small indices, r26 an address in TCM,
r29 and r30 stack addresses.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from hexagon_mlir.isa.decode import CONTROL_NUMBERS

DATA = 20
BASES, UNALIGNED_BASE, INDICES, TCM_BASE = (20, 21, 22), 23, (24, 25), 26
CONTROLS = ("usr", "ugp", "gp", "cs0", "cs1")
CONTROL_PAIRS = ("c7:6", "c11:10", "c13:12")
_NAMED = {6: "m0", 7: "m1"}
TOKEN = re.compile(r"PPPP|RR|R|VV|V|P|Q|I(?![A-Z])|CC|C(?!O)|M")
RANGES = (
    (r"=v(asl|asr|lsr)h\(RR,I\)|vasrhub|vasrh\(RR,I\):r", (0, 15)), (r"=v(asl|asr|lsr)w\(RR,I\)|clip", (0, 31)),
    (r"R=vasrw\(RR,I\)|(extract|extractu|insert)\(R,", (0, 31)), (r"(extract|extractu|insert)\(RR,", (0, 63)),
    (r"RR.?=(asl|asr|lsr|rol|asrrnd|cround)\(RR,I\)", (0, 63)), (r"(round|asrrnd|rol)\(R,I", (0, 31)),
    (r"(asl|asr|lsr|setbit|clrbit|togglebit|tstbit|bitsplit)\(R,I", (0, 31)),
    (r"addasl|valign|vlalign|vspliceb|vlut", (0, 7)), (r"mask\(I,I\)|sfclass|dfclass", (0, 31)),
    (r"R\.[lh]=I", (0, 65535)), (r"make\(I", (0, 1023)), (r"tableidx", (0, 15)), (r"vrcrotate|v6mpy", (0, 3)),
    (r"vdmpy\(VV.h,R.uh,I|vr(mpy|sad)\(VV.ub,R.u?b,I", (0, 1)), (r"V=I", (0, 0)), (r"clb\(", (-32, 31)),
    (r"cmp[bhw]\.gtu", (0, 127)), (r"cmpb\.eq", (0, 127)), (r"cmp[bhw]\.|lsl\(I", (-32, 31)),
)  # fmt: skip
"""The field of the immediates of a form, by the first expression found in its key."""
T = TypeVar("T")


class Operands:
    """Choices from a seed."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)

    def pick(self, options: Sequence[T]) -> T:
        return options[int(self.random.integers(len(options)))]

    def chance(self, one_in: int) -> bool:
        return int(self.random.integers(one_in)) == 0

    def number(self, low: int, high: int) -> int:
        """From ``low`` to ``high``, both included."""
        return int(self.random.integers(low, high + 1))

    def register(self, cls: str) -> str:
        if cls == "PPPP":
            return "p3:0"
        if cls in ("C", "CC"):
            return self.pick(CONTROLS if cls == "C" else CONTROL_PAIRS)
        counts = {"R": DATA, "RR": DATA // 2, "V": 32, "VV": 16, "P": 4, "Q": 4, "M": 2}
        n = self.number(0, counts[cls] - 1)
        return f"{cls[0].lower()}{2 * n + 1}:{2 * n}" if len(cls) == 2 else f"{cls.lower()}{n}"

    def immediate(self, key: str) -> str:
        for pattern, (low, high) in RANGES:
            if re.search(pattern, key):
                return f"#{self.number(low, high)}"
        wide = self.chance(4)
        return f"##{self.number(-(2**31), 2**31 - 1)}" if wide else f"#{self.number(-16, 16)}"

    def sign(self) -> str:
        """Of a condition."""
        return self.pick(("!", ""))


def singles(name: str) -> list[str]:
    """The registers of a name: a pair is two, p3:0 four, and control registers go by one name each."""
    if name in CONTROL_NUMBERS:
        return [f"c{CONTROL_NUMBERS[name]}"]
    if ":" not in name:
        return [name]
    high, low = (int(n) for n in name[1:].split(":"))
    return [_NAMED.get(n, f"{name[0]}{n}") if name[0] == "c" else f"{name[0]}{n}" for n in range(low, high + 1)]
