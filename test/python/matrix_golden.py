"""The golden cases of the matrix engine in ``test/golden/hmx``, see its README.md."""

import functools
import json

import numpy as np
from support import ROOT

ARCHIVE = ROOT / "test" / "golden" / "hmx" / "hmx.npz"


@functools.cache
def cases():
    """Every case as its dictionary; ``in`` and ``out`` are lists of (offset into TCM, bytes as u8 array)."""
    with np.load(ARCHIVE) as arrays:
        found = json.loads(str(arrays["index"]))
        return [case | {side: [(at, arrays[name]) for at, name in case[side]] for side in ("in", "out")}
                for case in found]


@functools.cache
def packets():
    """Text of each packet in any case -> its 32-bit words."""
    return {step["asm"]: tuple(int(word, 16) for word in step["words"]) for case in cases() for step in case["steps"]}
