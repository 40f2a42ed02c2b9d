"""clang's header of HVX intrinsics: of each, the instruction form, its unit, and LLVM's name."""

import re
from pathlib import Path

_HEAD = re.compile(r"(.*?)\s*C Intrinsic Prototype:.*?Instruction Type:\s*(\S+)", re.DOTALL)
_CLASSES = ((r"#[us]\d+(:\d+)?", "I"), (r"\bV([a-z])\1\d+", "VV"), (r"\bV[a-z]\d+", "V"), (r"\bR([a-z])\1\d+", "RR"),
            (r"\bR[a-z]\d+", "R"), (r"\bQ[a-z]\d", "Q"), (r"\bM[a-z]\d", "M"))
_AROUND = ("V6.vandqrt", "V6.vandvrt")
"""What turns predicates into vectors and back, round the intrinsic that is meant."""


def entries():
    """(form, unit, name of the intrinsic) of every entry; None where ``ziglang``, whose header it is, is missing."""
    try:
        import ziglang
    except ImportError:
        return None
    header = Path(ziglang.__file__).parent / "lib" / "include" / "hvx_hexagon_protos.h"
    found = []
    for entry in re.split(r"Assembly Syntax:\s*", header.read_text())[1:]:
        syntax, kind = _HEAD.match(entry).groups()
        form = _form(syntax)
        found.append((form, _unit(kind), _name(entry, form.startswith("Q"))))
    return found


def _form(syntax):
    text = "".join(syntax.split())
    for pattern, letters in _CLASSES:
        text = re.sub(pattern, letters, text)
    return re.sub(r"^if\(!?Q\)(?=V)", "", text)


def _unit(kind):
    return "v-extract" if kind == "LD" else kind.removeprefix("CVI_").lower().replace("_", "-")


def _name(body, gives_predicate):
    names = ["V6." + n.replace("_", ".") for n in re.findall(r"__builtin_HEXAGON_V6_(\w+)", body)]
    return next((name for name in names if name not in _AROUND), _AROUND[gives_predicate])
