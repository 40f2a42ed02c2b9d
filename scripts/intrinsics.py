#!/usr/bin/env python3
"""Compile every intrinsic of clang's headers and decode what comes out.

    scripts/intrinsics.py

Writes test/golden/intrinsics.txt: one instruction for each form that clang emits for an intrinsic, on every chip.
Needs the ``ziglang`` package, whose clang and headers are used.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import ziglang

from hexagon_mlir.isa.decode import FormError, decode_one
from hexagon_mlir.isa.reader import parse
from hexagon_mlir.whole_files import write_files

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "test" / "golden" / "intrinsics.txt"
HEADERS = Path(ziglang.__file__).parent / "lib" / "include"
VERSIONS = ("67t", "68", "73", "75", "79", "81")
TYPES = {"Byte": "unsigned char", "Address": "void*", "Float32": "float", "Float64": "double", "Word32": "int",
         "Word64": "long long", "UWord32": "unsigned", "UWord64": "unsigned long long"}  # fmt: skip
PROTOTYPE = re.compile(r"C Intrinsic Prototype:\s*([\w*]+) (\w+)\(([^)]*)\)")
HEAD = """#include <hexagon_types.h>
#include <hexagon_protos.h>
#include <hvx_hexagon_protos.h>
"""


def intrinsics() -> list[tuple[str, str, list[str]]]:
    """(result, name, parameters) of every prototype."""
    text = (HEADERS / "hexagon_protos.h").read_text() + (HEADERS / "hvx_hexagon_protos.h").read_text()
    return [(r, n, [" ".join(p.split()) for p in a.split(",") if p.strip()]) for r, n, a in PROTOTYPE.findall(text)]


def function(result: str, name: str, parameters: list[str]) -> str:
    """A C function around one intrinsic, on one line; immediates are 1, or 4 or 8 where only multiples do."""
    given, formal = [], []
    for index, parameter in enumerate(parameters):
        kind, label = parameter.rsplit(" ", 1)
        if re.match(r"I[a-zA-Z]\d", label):
            given.append("8" if re.search("memd.*circ|_mpyi_RIR", name) else "4" if "circ" in name else "1")
            continue
        kind = TYPES.get(kind, kind)
        formal.append(f"{kind} p{index}" if kind != "HVX_VectorPred" else f"HVX_Vector p{index}")
        given.append(f"p{index}" if kind != "HVX_VectorPred" else f"Q6_Q_vand_VR(p{index},-1)")
    call = f"{name}({','.join(given)})"
    if result == "HVX_VectorPred":
        return f"HVX_Vector f_{name}({','.join(formal)}) {{ return Q6_V_vand_QR({call},-1); }}"
    back = "" if result == "void" else "return "
    return f"{TYPES.get(result, result)} f_{name}({','.join(formal)}) {{ {back}{call}; }}"


def assembly(functions: list[str], version: str) -> tuple[str, set[int]]:
    """What clang makes of them, and the functions it refuses on this chip."""
    hvx = [f"-mhvx=v{version.rstrip('t')}", "-mhvx-length=128B"]
    floats = [] if version == VERSIONS[0] else ["-mhvx-ieee-fp", "-mhvx-qfloat"]
    command = [sys.executable, "-Pm", "ziglang", "clang", "-target", "hexagon-linux-musl", f"-mv{version}"]
    command += [*hvx, *floats, "-mcabac", "-O1", "-w", "-ferror-limit=0", "-S", "-o", "-"]
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "intrinsics.c"
        source.write_text(HEAD + "\n".join(functions) + "\n")
        done = subprocess.run([*command, f"-I{HEADERS}", str(source)], capture_output=True, text=True)
    bad = {int(n) - HEAD.count("\n") - 1 for n in re.findall(r"intrinsics\.c:(\d+):\d+: error", done.stderr)}
    if done.returncode and not bad:
        raise SystemExit(done.stderr[-2000:])
    return done.stdout, bad


def compiled(version: str) -> tuple[str, list[str]]:
    """The assembly of all intrinsics of a chip, and the names of those it does not have."""
    rest, without = intrinsics(), []
    while True:
        text, bad = assembly([function(*item) for item in rest], version)
        if not bad:
            return text, without
        without += [name for index, (_, name, _) in enumerate(rest) if index in bad]
        rest = [item for index, item in enumerate(rest) if index not in bad]


def main() -> int:
    forms: dict[str, str] = {}
    unknown: dict[str, str] = {}
    total = len(intrinsics())
    everywhere = {name for _, name, _ in intrinsics()}
    for version in VERSIONS:
        text, without = compiled(version)
        everywhere &= set(without)
        for body in parse(text).functions.values():
            for packet in body.packets:
                for line, written in packet.lines:
                    for part in (piece.strip() for piece in written.split(";")):
                        try:
                            forms.setdefault(decode_one(line, part).key, part)
                        except FormError as error:
                            unknown.setdefault(error.why, part)
        print(f"v{version}: {total - len(without)} of {total} intrinsics")
    write_files({OUT: ("\n".join(sorted([*forms.values(), *unknown.values()])) + "\n").encode()})
    print(f"{len(forms)} forms decode, {len(unknown)} do not:", *unknown.values(), sep="\n  ")
    print(f"{len(everywhere)} intrinsics compile for no chip:", *sorted(everywhere), sep="\n  ")
    return 0


if __name__ == "__main__":
    sys.exit(main())
