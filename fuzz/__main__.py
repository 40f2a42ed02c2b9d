"""``python -m fuzz KIND --seeds FIRST:END``: random programs, each compared with what else computes it."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence

KINDS = {
    "packets": ("fuzz.packets", "packets: translated code against the reference interpreter"),
    "matrix": ("fuzz.matrix", "programs of the matrix engine: the translated simulator against the reference"),
    "llvm-ir": ("fuzz.llvm_ir", "vector functions in LLVM IR: Hexagon code on the simulator against the host"),
    "programs": ("fuzz.programs", "linalg programs of one operation against numpy"),
    "chains": ("fuzz.programs", "linalg programs of several operations against numpy"),
    "torch": ("fuzz.torch_modules", "PyTorch modules against eager"),
    "torch-sizes": ("fuzz.sized_modules", "PyTorch modules compiled once for any sizes against eager at several"),
    "quantized": ("fuzz.quantized_modules", "quantized PyTorch models against f64 on the same bytes and codes"),
    "triton-pointers": ("fuzz.triton.run", "Triton kernels over pointer expressions and masks against the interpreter"),
    "triton-language": ("fuzz.triton.run", "over the language"),
    "triton-memory": ("fuzz.triton.run", "over pointers, descriptors, atomics, updates in place"),
    "triton-numbers": ("fuzz.triton.run", "over NaN, infinities, ends of types, on v79"),
    "triton-floats": ("fuzz.triton.floats", "float arithmetic against float64, within bounds of the chip's arithmetic"),
}
"""Name -> the module, whose ``add_options`` and ``run`` are called, and what is generated."""


def seeds(text: str) -> range:
    """``100`` is 0 to 99, ``40:60`` is 40 to 59."""
    first, colon, end = text.partition(":")
    return range(int(first), int(end)) if colon else range(int(first))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one kind; 1 when a seed failed."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    parser = argparse.ArgumentParser(
        prog="python -m fuzz", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="kinds (KIND --help tells more):\n"
               + "".join(f"  {kind:16} {what}\n" for kind, (_, what) in KINDS.items()))
    parser.add_argument("kind", choices=KINDS, metavar="KIND")
    if words[:1] and words[0] in KINDS:
        module = importlib.import_module(KINDS[words[0]][0])
        parser.description, parser.epilog = module.__doc__, None
        parser.add_argument("--seeds", type=seeds, default=range(100), help="N, or FIRST:END; 100 if not given")
        module.add_options(parser)
        options = parser.parse_args(words)
        return int(module.run(options))
    parser.parse_args(words)
    return 2


if __name__ == "__main__":
    sys.exit(main())
