"""Masked loads as whole loads with a choice of lanes, which is what HVX does anyway.

LLVM 22's vector alignment (HexagonVectorCombine) turns unaligned accesses into aligned ones that neighbours share; it
joined masked loads at odd offsets to the wrong vectors. Done after LLVM's optimiser, which could conclude from a whole
load that the memory behind the mask exists.
"""

from __future__ import annotations

import re

_LOAD = re.compile(
    r"^(?P<indent>\s*)(?P<result>%\S+) = (?:tail )?call (?P<type><\d+ x \w+>) @llvm\.masked\.load\.\S+?\("
    r"ptr (?:\w+ )*?(?P<align>align \d+ )?(?P<pointer>%\S+), (?P<mask><\d+ x i1> \S+), (?P<other><\d+ x \w+> .+?)\)"
    r"(?:, !.*| #\d+)*$",
    re.MULTILINE,
)


def masked_loads_as_selects(llvm_ir: str) -> str:
    """``llvm_ir`` without the masked loads whose mask and address are values."""

    def rewrite(load: re.Match[str]) -> str:
        indent, result, kind = load["indent"], load["result"], load["type"]
        whole = f'{result[:-1]}.whole"' if result.endswith('"') else f"%whole.{result[1:]}"
        align = f", {load['align'].strip()}" if load["align"] else ", align 1"
        return (f"{indent}{whole} = load {kind}, ptr {load['pointer']}{align}\n"
                f"{indent}{result} = select {load['mask']}, {kind} {whole}, {load['other']}")

    return _LOAD.sub(rewrite, llvm_ir)
