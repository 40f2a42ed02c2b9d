"""The forms of the simulator as rows for ``hexmlir sim --list-forms``: template, unit, first chip generation."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hexagon_mlir.isa.decode import decode_one
from hexagon_mlir.isa.form import FORMS
from hexagon_mlir.isa.matrix import OPERATIONS

OLDEST = 68
"""The list does not distinguish forms of v68 and earlier."""
ADDRESSES = ("R+I", "R++I", "R++M", "R++M:brev", "R++I:circ(M)", "R+R<<I", "R<<I+I", "R=I", "I", "gp+I")
PLAIN_ONLY = ("R+R<<I", "I", "gp+I")
"""Address forms that the packing loads (membh, memubh, fifo) do not have."""
VECTOR_ADDRESSES = ("R+I", "R++I", "R++M")
SCALAR_LOADS = {"R": ("memb", "memub", "memh", "memuh", "memw", "membh", "memubh"),
                "RR": ("memd", "membh", "memubh", "memb_fifo", "memh_fifo")}  # fmt: skip
STORES = {"memb": ("R", "I"), "memh": ("R", "R.h", "I"), "memw": ("R", "I"), "memd": ("RR",)}
MEMOPS = ("+=R", "-=R", "&=R", "|=R", "+=I", "-=I", "=clrbit(I)", "=setbit(I)")
FLOW = (
    "jump L", "if(P) jump:t L", "jumpr R", "call L", "callr R", "loop0(L,R)", "loop0(L,I)", "loop1(L,R)", "loop1(L,I)",
    "p3=sp1loop0(L,R)", "p3=sp2loop0(L,R)", "p3=sp3loop0(L,R)", "if(cmp.eq(R.new,R)) jump:t L",
    "if(cmp.eq(R.new,I)) jump:t L", "if(cmp.gt(R.new,R)) jump:t L", "if(cmp.gt(R,R.new)) jump:t L",
    "if(cmp.gt(R.new,I)) jump:t L", "if(cmp.gtu(R.new,R)) jump:t L", "if(cmp.gtu(R.new,I)) jump:t L",
    "if(tstbit(R.new,I)) jump:t L", "if(R==#0) jump:t L", "if(R!=#0) jump:t L", "if(R>=#0) jump:t L",
    "if(R<=#0) jump:t L", "allocframe(I)", "deallocframe", "dealloc_return",
)  # fmt: skip
OTHER = (
    "R=memw_locked(R)", "RR=memd_locked(R)", "memw_locked(R,P)=R", "memd_locked(R,P)=RR", "R=memw_aq(R)",
    "RR=memd_aq(R)", "memw_rl(R):at=R", "memd_rl(R):at=RR", "release(R):at", "dczeroa(R)", "dcfetch(R+I)",
    "dccleana(R)", "dccleaninva(R)", "dcinva(R)", "icinva(R)", "l2fetch(R,R)", "l2fetch(R,RR)", "barrier", "syncht",
    "isync", "nop", "pause(I)", "hintjr(R)", "trace(R)", "brkpt", "RR=c15:14", "RR=c19:18",
    "RR=c31:30", "dmstart(R)", "dmlink(R,R)", "R=dmpoll",
    "R=dmwait", "R=dmpause", "dmresume(R)", "vmem(R+I)=V.new", "vmem(R+I):scatter_release", "V.cur=vmem(R+I)",
    "V.tmp=vmem(R+I)", "vhist", "vhist(Q)", "vwhist256", "vwhist256:sat", "vwhist256(Q)", "vwhist256(Q):sat",
    "vwhist128", "vwhist128(Q)", "vwhist128(I)", "vwhist128(Q,I)", "vtmp.w=vgather(R,M,V.w).w",
    "vtmp.h=vgather(R,M,V.h).h", "vtmp.h=vgather(R,M,VV.w).h", "vmem(R+I)=vtmp.new", "vscatter(R,M,V.w).w=V",
    "vscatter(R,M,V.w).w+=V", "vscatter(R,M,V.h).h=V", "vscatter(R,M,V.h).h+=V", "vscatter(R,M,VV.w).h=V",
    "vscatter(R,M,VV.w).h+=V",
)  # fmt: skip
MASKED = ("V.b+=V.b", "V.b-=V.b", "V.h+=V.h", "V.h-=V.h", "V.w+=V.w", "V.w-=V.w")
"""Forms that exist under a vector predicate only."""


@dataclass(frozen=True)
class Row:
    """One form; registers and immediates are class letters (see `isa.form`), ``L`` is a label."""

    template: str
    unit: str
    since: int
    last: int = 0
    """The last generation; 0 where none has dropped the form."""

    @property
    def range(self) -> str:
        if self.last:
            return f"v{max(self.since, OLDEST)}-v{self.last}"
        return f"v{self.since}+" if self.since > OLDEST else "all"


def concrete(template: str) -> str:
    """An instruction of this template."""
    names = {"R": "r2", "RR": "r5:4", "V": "v2", "VV": "v5:4", "P": "p0", "Q": "q0", "M": "m0", "I": "#8", "L": "L"}
    return re.sub(r"\b(RR|R|VV|V|P|Q|M|I|L)\b", lambda m: names[m.group()], template)


def memory_templates() -> list[str]:
    """Loads, stores and memops in every address form the decoder takes."""
    found = [
        f"{dest}={name}({a})" for dest, names in SCALAR_LOADS.items() for name in names for a in ADDRESSES
        if a not in PLAIN_ONLY or not name.endswith(("bh", "fifo"))
    ]  # fmt: skip
    found += [
        f"{name}({a})={value}" for name, values in STORES.items() for value in values for a in ADDRESSES
        if value != "I" or a == "R+I"
    ]  # fmt: skip
    found += [f"{name}(R+I){op}" for name in ("memb", "memh", "memw") for op in MEMOPS]
    for name in ("vmem", "vmemu"):
        found += [f"V={name}({a})" for a in VECTOR_ADDRESSES] + [f"{name}({a})=V" for a in VECTOR_ADDRESSES]
    return found


def templates() -> list[str]:
    """Every form of scalar and vector units, all that LLVM knows: the tables, then what the decoder takes besides."""
    return [*FORMS, *memory_templates(), *FLOW, *OTHER]


def rows() -> list[Row]:
    """Every form; a template that the decoder does not accept is an error of this list."""
    result = [
        Row(f"if(Q) {key}" if key in MASKED else key, form.unit.value, form.since) for key, form in FORMS.items()
    ]
    result += [Row(key, one.form.unit.value, one.form.since, one.form.last) for key, one in OPERATIONS.items()]
    for template in (*memory_templates(), *FLOW, *OTHER):
        insn = decode_one(0, concrete(template))
        result.append(Row(template, insn.unit.value, 0))
    return sorted(result, key=lambda row: (row.unit, row.template))
