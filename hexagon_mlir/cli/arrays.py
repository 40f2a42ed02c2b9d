"""Arguments and results as files in numpy's own format."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from hexagon_mlir.ir.diagnostics import HexError

if TYPE_CHECKING:
    import numpy as np


_NUMBERS = "biuf"
"""Kinds of numpy's types: truths, signed and unsigned integers, floats."""


def read_array(path: str) -> np.ndarray:
    """The array of numbers in file ``path``, elements in order and bytes in the machine's; raises `HexError`."""
    import numpy as np

    try:
        with open(path, "rb") as file:
            if file.read(len(np.lib.format.MAGIC_PREFIX)) != np.lib.format.MAGIC_PREFIX:
                raise ValueError("this is no .npy file")
            file.seek(0)
            array = np.load(file, allow_pickle=False)
            if array.dtype.kind not in _NUMBERS:
                raise ValueError(f"elements of type {array.dtype} are no numbers")
            return np.asarray(array, array.dtype.newbyteorder("<"), order="C")
    except Exception as error:  # numpy says in many ways that a header makes no sense
        reason = getattr(error, "strerror", None) or str(error).partition("\n")[0]
        raise HexError.plain(f"cannot read: {reason}", file=path, hint="numpy.save(path, array) writes one") from None


def array_bytes(array: np.ndarray) -> bytes:
    """The content of a file that holds ``array``."""
    import numpy as np

    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()
