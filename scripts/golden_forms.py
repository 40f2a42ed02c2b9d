"""Regenerate test/golden/forms/*.npz: what qemu-hexagon gives for every form it knows (scalar v67, HVX v66).

Needs ``qemu-hexagon`` on the path and the ``ziglang`` package (assembler and linker). Usage:
``python scripts/golden_forms.py``. Forms the v67 assembler refuses are listed and left out.
"""

from __future__ import annotations

import io
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from hexagon_mlir.whole_files import write_files

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "test" / "python"))
from sim import golden_harness as harness  # noqa: E402

OUT = ROOT / "test" / "golden" / "forms"
ZIG = [sys.executable, "-Pm", "ziglang"]
CPU = "-mcpu=hexagonv67+hvxv66+hvx_length128b+cabac"
BATCH = 300
DRIVER = f"""
	.globl	_start
_start:
	{{ r24 = ##table }}
.Lform:
	{{ r26 = memw(r24++#4) }}
	{{ p0 = cmp.eq(r26,#0); if (p0.new) jump:nt .Lend }}
	{{ r27 = memw(r24++#4) }}
	{{ r22 = ##results }}
	{{ r23 = #{harness.STATES} }}
.Lstate:
	{{ r0 = r27; r1 = r22 }}
	{{ callr r26 }}
	{{ r27 = add(r27,##{harness.STATE_BYTES}); r22 = add(r22,##{harness.STATE_BYTES}) }}
	{{ r23 = add(r23,#-1) }}
	{{ p0 = cmp.eq(r23,#0) }}
	{{ if (!p0) jump:t .Lstate }}
	{{ r0 = #1; r1 = ##results; r2 = ##{harness.STATES * harness.STATE_BYTES} }}
	{{ r6 = #64 }}
	{{ trap0(#1) }}
	{{ jump .Lform }}
.Lend:
	{{ r0 = #0; r6 = #94 }}
	{{ trap0(#1) }}
"""


def assemble(text: str, folder: Path) -> tuple[Path, list[int]]:
    """The object file, or the lines the assembler refuses."""
    source, target = folder / "forms.s", folder / "forms.o"
    source.write_text(text)
    done = subprocess.run([*ZIG, "cc", "-target", "hexagon-linux-musl", CPU, "-c", str(source), "-o", str(target)],
                          capture_output=True, text=True)  # fmt: skip
    lines = [int(n) for n in re.findall(r"forms\.s:(\d+):\d+: error", done.stderr)]
    if done.returncode and not lines:
        raise SystemExit(done.stderr)
    return target, lines


def accepted(forms: list[tuple[str, str, list]], folder: Path) -> dict[str, tuple[str, list]]:
    """name -> (kind, packets) with the first candidate that assembles."""
    chosen: dict[str, tuple[str, list]] = {}
    for attempt in range(max(len(tries) for _, _, tries in forms)):
        rest = [(name, kind, tries[attempt]) for name, kind, tries in forms
                if name not in chosen and attempt < len(tries)]  # fmt: skip
        while rest:
            text, owner = "", []
            for index, (_, _, packets) in enumerate(rest):
                piece = harness.form_function(index, packets)
                owner += [index] * piece.count("\n")
                text += piece
            _, bad = assemble(text, folder)
            if not bad:
                chosen |= {name: (kind, packets) for name, kind, packets in rest}
                break
            refused = {owner[line - 1] for line in bad if line <= len(owner)}
            rest = [item for index, item in enumerate(rest) if index not in refused]
    return chosen


def run(forms: list[tuple[str, str, list]], folder: Path) -> tuple[list[str], np.ndarray]:
    """The forms qemu knows and their [form, state, byte] afterwards."""
    kinds = sorted({kind for _, kind, _ in forms})
    text = harness.routines() + DRIVER
    table = ""
    for index, (_, kind, packets) in enumerate(forms):
        text += harness.form_function(index, packets)
        table += f"\t.word f{index}, inputs{kinds.index(kind)}\n"
    text += f"\t.data\n\t.p2align 7\ntable:\n{table}\t.word 0\n"
    for number, kind in enumerate(kinds):
        (folder / f"inputs{number}").write_bytes(np.concatenate(harness.states(kind)).tobytes())
        text += f"\t.p2align 7\ninputs{number}:\n\t.incbin \"{folder}/inputs{number}\"\n"
    text += "\t.section .results,\"aw\",@nobits\n\t.p2align 7\nresults:\n"
    text += f"\t.space {harness.STATES * harness.STATE_BYTES}\n"
    text += f"\t.section .block,\"aw\",@nobits\n\t.p2align 12\n\t.space {0x10000}\n"
    target, bad = assemble(text, folder)
    if bad:
        raise SystemExit(f"assembler errors in lines {bad}")
    program = folder / "forms.elf"
    subprocess.run([*ZIG, "ld.lld", str(target), "-o", str(program), f"--section-start=.block={harness.BLOCK:#x}"],
                   check=True)  # fmt: skip
    with (folder / "results").open("wb") as stream:
        done = subprocess.run(["qemu-hexagon", "-cpu", "v67", str(program)], stdout=stream, stderr=subprocess.PIPE)
    raw = np.fromfile(folder / "results", np.uint8)
    size = harness.STATES * harness.STATE_BYTES
    if done.returncode or raw.size != len(forms) * size:
        at = raw.size // size
        print(f"qemu-hexagon stops ({done.returncode}) at '{forms[at][0]}': left out")
        return run([*forms[:at], *forms[at + 1 :]], folder)
    return [form for form, _, _ in forms], raw.reshape(len(forms), harness.STATES, harness.STATE_BYTES)


def group(name: str) -> str:
    """The golden file a form goes to."""
    if "mem" in name or "scatter" in name or "hist" in name or "dczero" in name:
        return "memory"
    if re.search(r"\b[VQ]|VV|v\d", name):
        return "hvx"
    return "scalar" if "jump" not in name and "loop" not in name else "memory"


def main() -> None:
    forms = list(harness.golden_forms())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        chosen = accepted(forms, folder)
        refused = [form for form, _, _ in forms if form not in chosen]
        print(f"{len(chosen)} forms; the v67 assembler refuses {len(refused)}:", *refused, sep="\n  ")
        ready = [(form, kind, packets) for form, (kind, packets) in chosen.items()]
        parts = [run(ready[i : i + BATCH], folder) for i in range(0, len(ready), BATCH)]
    results = np.concatenate([states for _, states in parts])
    known = {form for forms, _ in parts for form in forms}
    ready = [item for item in ready if item[0] in known]
    for title in ("scalar", "hvx", "memory"):
        rows = [i for i, (form, _, _) in enumerate(ready) if group(form) == title]
        first = np.stack([results[i][0] ^ harness.states(ready[i][1])[0] for i in rows])
        file = io.BytesIO()
        np.savez_compressed(
            file,
            forms=np.array([ready[i][0] for i in rows]),
            kinds=np.array([ready[i][1] for i in rows]),
            text=np.array([" / ".join(" ;; ".join(packet) for packet in ready[i][2]) for i in rows]),
            digests=np.frombuffer(
                b"".join(harness.digest(state) for i in rows for state in results[i]), np.uint8
            ).reshape(len(rows), harness.STATES, 8),
            first=first,
        )  # fmt: skip
        write_files({OUT / f"{title}.npz": file.getvalue()}, folders=[OUT])
        print(f"{title}: {len(rows)} forms, {(OUT / f'{title}.npz').stat().st_size} bytes")


if __name__ == "__main__":
    main()
