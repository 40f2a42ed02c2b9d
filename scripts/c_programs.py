"""Regenerate test/c/asm/*.s and test/c/expected/*.txt from the C programs of test/c.

The assembly is what ``zig cc -O2`` makes for hexagon-linux-musl; the expected text is what ``qemu-hexagon`` prints
for the same program linked with musl, with the exit code as its last line. Needs the ``ziglang`` package and
``qemu-hexagon`` on the path. Usage: ``python scripts/c_programs.py [NAME...]``.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from hexagon_mlir.whole_files import write_files

FOLDER = Path(__file__).resolve().parents[1] / "test" / "c"
ZIG = [sys.executable, "-Pm", "ziglang", "cc", "-target", "hexagon-linux-musl"]
SCALAR = ["-mcpu=hexagonv67"]
HVX = ["-mcpu=hexagonv67+hvxv66+hvx_length128b"]
"""The newest level qemu-hexagon 7.2 knows: scalar v67, HVX v66."""
COMPILE = ["-O2", "-g0", "-fno-unroll-loops", "-std=gnu17", "-fno-sanitize=all", "-fno-stack-protector",
           "-fno-unwind-tables", "-w"]  # fmt: skip
ABOUT_THE_LIBRARY = ("strings", "floats", "printf_formats")
"""Programs whose calls the compiler must not replace by their results."""
TIMEOUT_SECONDS = 60


def shortened(assembly: str) -> str:
    """``assembly`` without the lines no reader needs."""
    dropped = re.compile(r"\s*\.(cfi_\w+|addrsig\w*|ident|attribute|file)\b|\s*\.section\s+\"?\.(note|debug|comment)")
    return "\n".join(line.rstrip() for line in assembly.split("\n") if not dropped.match(line)).rstrip() + "\n"


def regenerate(source: Path, room: Path) -> None:
    cpu = HVX if source.stem.startswith("hvx") else SCALAR
    assembly, program = room / f"{source.stem}.s", room / source.stem
    builtins = ["-fno-builtin"] if source.stem in ABOUT_THE_LIBRARY else []
    subprocess.run([*ZIG, *cpu, *COMPILE, *builtins, "-S", "-o", assembly, source], check=True)
    short = FOLDER / "asm" / f"{source.stem}.s"
    write_files({short: shortened(assembly.read_text("latin-1")).encode("latin-1")})
    subprocess.run([*ZIG, *cpu, "-g0", "-static", "-o", program, short, "-lm"], check=True)
    done = subprocess.run(["qemu-hexagon", "-cpu", "v67", program], capture_output=True, timeout=TIMEOUT_SECONDS)
    write_files({FOLDER / "expected" / f"{source.stem}.txt": done.stdout + f"exit {done.returncode}\n".encode()})


def main(names: list[str]) -> None:
    for folder in ("asm", "expected"):
        (FOLDER / folder).mkdir(exist_ok=True)
    failed = []
    with tempfile.TemporaryDirectory() as room:
        for source in sorted(FOLDER.glob("*.c")):
            if names and source.stem not in names:
                continue
            try:
                regenerate(source, Path(room))
            except subprocess.CalledProcessError as error:
                failed.append(f"{source.name}: exit {error.returncode} of {error.cmd[3]}")
    if failed:
        raise SystemExit("\n".join(failed))


if __name__ == "__main__":
    main(sys.argv[1:])
