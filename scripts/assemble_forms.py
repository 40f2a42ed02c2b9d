#!/usr/bin/env python3
"""Ask clang's assembler about every form the simulator lists; prints those it takes for no chip.

    scripts/assemble_forms.py

Needs the ``ziglang`` package. A form is tried with several immediates and tied operands on v81, v79, v68 and the
audio core of v67.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from hexagon_mlir.isa.listing import MASKED, templates

CHIPS = (
    "-mv81 -mhvx=v81 -mhvx-length=128B -mhvx-ieee-fp -mhvx-qfloat -mcabac",
    "-mv79 -mhvx=v79 -mhvx-length=128B -mhvx-ieee-fp -mhvx-qfloat -mcabac",
    "-mv68 -mhvx=v68 -mhvx-length=128B",
    "-mv67t -mhvx=v66 -mhvx-length=128B -mcabac",
)
NUMBERS, TIES = (5, 1, 0, 8, -1, 32, 4), (None, 1, 2)
NAMES = {
    "R": ["r2", "r3", "r6", "r7"], "RR": ["r5:4", "r9:8", "r11:10"], "V": ["v2", "v3", "v6", "v7"],
    "VV": ["v5:4", "v9:8", "v11:10"], "P": ["p0", "p1", "p2"], "Q": ["q0", "q1"], "M": ["m0", "m1"], "C": ["usr"],
    "CC": ["c13:12"], "L": [".L"], "PPPP": ["p3:0"],
}  # fmt: skip
HEAD = "\t.text\nf:\n.L:\n"


def concrete(template: str, number: int, tied: int | None) -> str:
    """The template with registers and ``number``; operand ``tied`` of the first one's class repeats the first."""
    used: dict[str, int] = {}
    leader = re.search(r"RR|R|VV|V|P|Q", template)

    def operand(found: re.Match[str]) -> str:
        cls = found.group()
        if cls == "I":
            return f"#{number}"
        index = used[cls] = used.get(cls, -1) + 1
        if leader and cls == leader.group() and index == tied:
            index = 0
        return NAMES[cls][min(index, len(NAMES[cls]) - 1)]

    return re.sub(r"PPPP|\b(?:RR|R|VV|V|P|Q|M|I|L|CC|C)\b", operand, template)


def packet(template: str, text: str) -> str:
    """With what must stand beside it: producers of .new values, loads of a histogram, stores of a gather."""
    if "vgather" in template:
        text += "; vmem(r0+#0) = vtmp.new"
    elif "vtmp.new" in template:
        text = f"vtmp.w = vgather(r2,m0,v2.w).w; {text}"
    elif found := re.search(r"\b([rv])(\d)\.new", text):
        text = f"{found.group(1)}{found.group(2)} = {found.group(1)}9; {text}"
    elif "hist" in template:
        text = f"v2.tmp = vmem(r0+#0); {text}"
    elif ".cur=" in template or ".tmp=" in template:
        text += "; v5 = v2"
    return f"{{ {text} }}"


def refused(packets: list[str], chip: str) -> set[int]:
    """The packets in which the assembler reports an error (it stops after a few)."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "forms.s"
        source.write_text(HEAD + "\n".join(packets) + "\n")
        command = [sys.executable, "-Pm", "ziglang", "clang", "-target", "hexagon-linux-musl", *chip.split()]
        done = subprocess.run([*command, "-c", str(source), "-o", f"{folder}/forms.o"], capture_output=True, text=True)
    found = {int(line) - HEAD.count("\n") - 1 for line in re.findall(r"forms\.s:(\d+):\d+: error", done.stderr)}
    if done.returncode and not found:
        raise SystemExit(done.stderr)
    return found


def accepted(tries: list[tuple[str, str]], chip: str) -> set[str]:
    """The templates whose packet assembles."""
    while bad := refused([text for _, text in tries], chip):
        tries = [item for index, item in enumerate(tries) if index not in bad]
    return {template for template, _ in tries}


def main() -> int:
    left = set(templates())
    total = len(left)
    for chip in CHIPS:
        for tied in TIES:
            for number in NUMBERS:
                tries = [t for t in sorted(left) if "I" in t or number == NUMBERS[0]]
                texts = [(f"if (q0) {t}" if t in MASKED else t) for t in tries]
                packets = [packet(t, concrete(text, number, tied)) for t, text in zip(tries, texts, strict=True)]
                if packets:
                    left -= accepted(list(zip(tries, packets, strict=True)), chip)
    print(f"{total} forms, {len(left)} that no assembler takes", *sorted(left), sep="\n  ")
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
