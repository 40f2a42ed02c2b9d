"""Every form LLVM was seen to emit for kernels (inventory.txt) translates to valid host IR."""

import itertools
import re
from pathlib import Path

import pytest

from hexagon_mlir import targets
from hexagon_mlir.sim.translation import host
from hexagon_mlir.sim.translation.translate import translate

INVENTORY = Path(__file__).with_name("inventory.txt").read_text().splitlines()
PRODUCERS = {"r": "{} = add(r10,#1)", "v": "{} = vxor(v20,v21)", "p": "{} = cmp.eq(r10,#0)"}
FRAME = {
    "allocframe(rD,#I):raw": "allocframe(r29,#8):raw",
    "allocframe(#I)": "allocframe(#8)",
}


def concrete(form):
    """Instruction lines of a packet that shows ``form``: registers, numbers, labels filled in."""
    if form in FRAME:
        return [FRAME[form]]
    counter = itertools.count(1)

    def register(match):
        letter, kind = match.groups()
        if letter == "c":
            return "c15:14"
        if letter in "pq":
            return f"{letter}0"
        number = next(counter)
        return f"{letter}{2 * number + 1}:{2 * number}" if kind == "DD" else f"{letter}{number}"

    text = re.sub(r"rDD = dealloc(\w+)\(rD\)", r"r31:30 = dealloc\1(r30)", form)
    text = re.sub(r"\b([rvpqc])(DD|D)\b", register, text)
    text = text.replace("@sym", "table").replace("@L", ".LBB0_1").replace("##I", "##3").replace("#I", "#3")
    if re.match(r"^(call|.*jump) table$", text):
        text = text.replace("table", "g")
    lines = [text]
    if "; if" not in text:
        for name in dict.fromkeys(re.findall(r"([rvp]\d+)\.new", text)):
            lines.insert(0, PRODUCERS[name[0]].format(name))
    return lines


def assembly(form):
    packet = "\n".join(f"\t\t{line}" for line in concrete(form))
    return (
        f"\t.text\n\t.type\tf,@function\nf:\n\t{{\n{packet}\n\t}}\n.LBB0_1:\n\t{{\n\t\tjumpr r31\n\t}}\n"
        "\t.type\tg,@function\ng:\n\t{\n\t\tjumpr r31\n\t}\n\t.data\ntable:\n\t.word\t1\n"
    )


def test_inventory_is_whole():
    assert len(set(INVENTORY)) == 383


@pytest.mark.parametrize("form", INVENTORY)
def test_form_translates(form):
    ir, program = translate(assembly(form), targets.get("v75"), True)
    host.binding().parse_assembly(ir)
    assert sum(block.packets for block in program.blocks) == 3
