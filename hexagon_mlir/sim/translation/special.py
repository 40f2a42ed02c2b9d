"""Vector instructions that loop over lanes with memory or the whole register file: gather, scatter, histogram.

Each calls a small IR function, added to the module once. Gather and scatter work on TCM only (HVX V73 PRM
80-N2040-54, 5.3); bytes past ``Rt + Mu`` are left alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hexagon_mlir.isa.decode import GATHERED, FormError, Insn, Operand
from hexagon_mlir.sim import layout
from hexagon_mlir.sim.semantics.lanes import VECTOR, VECTOR_BYTES
from hexagon_mlir.sim.semantics.value import Type, Val

if TYPE_CHECKING:
    from hexagon_mlir.sim.translation.packet import PacketLowering

VECTOR_COUNT = 32


def _lanes_loop(name: str, body: str, aligned: bool = False) -> str:
    """@name(base, rt, last, offsets, wide, data, mask, size): ``body`` for every byte it may touch.

    ``offsets`` are halfwords for halfword elements, words otherwise; ``wide`` means a register pair of word
    offsets, even elements in the low register.
    """
    return f"""define internal void @{name}(ptr %base, i32 %rt, i32 %last, ptr %offsets, i1 %wide, ptr %data,
    ptr %mask, i32 %size) noinline {{
entry:
  %count = udiv i32 {VECTOR_BYTES}, %size
  %half = icmp eq i32 %size, 2
  %short = xor i1 %wide, true
  %narrow = and i1 %half, %short
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %in, %next ]
  %b = phi i32 [ 0, %entry ], [ %bn, %next ]
  %pair = lshr i32 %i, 1
  %odd = and i32 %i, 1
  %high = shl i32 %odd, 5
  %inpair = add i32 %pair, %high
  %word = select i1 %wide, i32 %inpair, i32 %i
  %ph = getelementptr i16, ptr %offsets, i32 %i
  %pw = getelementptr i32, ptr %offsets, i32 %word
  %px = select i1 %narrow, ptr %ph, ptr %pw
  %low = load i16, ptr %px, align 2
  %lowx = zext i16 %low to i32
  %whole = load i32, ptr %px, align 2
  %written = select i1 %narrow, i32 %lowx, i32 %whole
  %unit = sub i32 0, {'%size' if aligned else '1'}
  %offset = and i32 %written, %unit
  %where = add i32 %offset, %b
  %lane = mul i32 %i, %size
  %byte = add i32 %lane, %b
  %pm = getelementptr i8, ptr %mask, i32 %byte
  %m = load i8, ptr %pm
  %on = icmp ne i8 %m, 0
  %below = icmp ule i32 %where, %last
  %above = icmp uge i32 %where, %offset
  %inside = and i1 %below, %above
  %do = and i1 %on, %inside
  %pd = getelementptr i8, ptr %data, i32 %byte
  br i1 %do, label %act, label %skip
act:
  %guest = add i32 %rt, %where
  %g64 = zext i32 %guest to i64
  %pg = getelementptr i8, ptr %base, i64 %g64
{body}
  br label %next
skip:
  br label %next
next:
  %b1 = add i32 %b, 1
  %full = icmp eq i32 %b1, %size
  %i1 = add i32 %i, 1
  %bn = select i1 %full, i32 0, i32 %b1
  %in = select i1 %full, i32 %i1, i32 %i
  %end = icmp eq i32 %in, %count
  br i1 %end, label %done, label %loop
done:
  ret void
}}"""


GATHER = _lanes_loop("sim_gather", """  %value = load i8, ptr %pg
  store i8 %value, ptr %pd
  %pw2 = getelementptr i8, ptr %pd, i32 128
  store i8 -1, ptr %pw2""")
"""Also marks the bytes it wrote in the 128 bytes after the data."""
SCATTER = _lanes_loop("sim_scatter", """  %value = load i8, ptr %pd
  store i8 %value, ptr %pg""")


def _scatter_add(bits: int) -> str:
    """Whole elements are added at once, at offsets rounded down to the element size."""
    size = bits // 8
    return _lanes_loop(f"sim_scatter_add{bits}", f"""  %first = icmp eq i32 %b, 0
  %lastbyte = add i32 %where, {size - 1}
  %fits = icmp ule i32 %lastbyte, %last
  %whole2 = and i1 %first, %fits
  br i1 %whole2, label %sum, label %skip
sum:
  %v = load i{bits}, ptr %pd, align 1
  %o = load i{bits}, ptr %pg, align 1
  %s = add i{bits} %v, %o
  store i{bits} %s, ptr %pg, align 1""", aligned=True)


def _in_memory(packet: PacketLowering, *vectors: Val, room: int = 0) -> str:
    """Vectors one after another in host memory, then ``room`` zeroed vectors."""
    code = packet.code
    base = code.alloca(Type(VECTOR.lanes * (len(vectors) + room), "i", 32))
    for index in range(len(vectors) + room):
        pointer = "%" + code.name()
        code.put(f"{pointer} = getelementptr i8, ptr {base}, i32 {VECTOR_BYTES * index}")
        value = vectors[index].as_(VECTOR) if index < len(vectors) else code.const(0, VECTOR)
        code.store(value, pointer, VECTOR_BYTES)
    return base


def _checked(text: str, check: str) -> str:
    """The lane loop of a checked build: it calls ``check`` for every byte it touches."""
    text = text.replace("i32 %size) noinline", "i32 %size, ptr %st, i32 %site) noinline")
    touched = "  %guest = add i32 %rt, %where\n"
    return text.replace(touched, f"{touched}  call void @{check}(ptr %st, i32 %guest, i32 %site)\n")


def _call_lanes(packet: PacketLowering, insn: Insn, function: str, text: str, data: str, size: int) -> None:
    """The common part of gather and scatter: TCM check, offsets, mask, call."""
    rt, mu, offsets = (packet.value(s) for s in insn.sources[:3])
    code = packet.code
    trap = packet.image.trap(f"{insn.kind} outside TCM at {{argument:#x}} in '{packet.function.name}'")
    rt = rt & -size
    last = mu | (size - 1)
    outside = rt.icmp("ult", layout.TCM_BASE) | (rt + last).icmp("ult", rt)
    packet.function.guard(outside, trap, rt)
    wide = isinstance(offsets, tuple)
    places = _in_memory(packet, *(offsets if wide else (offsets,)))
    mask = packet.mask_of(insn.condition) if insn.condition else code.const(-1, VECTOR)
    if not (wide and insn.condition):  # lanes of the mask are not those of the offsets
        packet.must_be_defined(insn.sources[2:], mask if insn.condition else None)
    masks = _in_memory(packet, mask)
    extra = ""
    if packet.image.sites is not None:
        text = _checked(text, "ck_sload1" if insn.kind == "gather" else "ck_sstore1")
        extra = f", ptr %st, i32 {packet.function.site}"
    code.declarations.add(text)
    code.put(
        f"call void @{function}(ptr %base, i32 {rt.name}, i32 {last.name}, ptr {places}, i1 {str(wide).lower()},"
        f" ptr {data}, ptr {masks}, i32 {size}{extra})"
    )


ELEMENT_BYTES = {"w": 4, "h": 2}


def gather(packet: PacketLowering, insn: Insn) -> None:
    """VTMP and the mask of bytes that were gathered; the store of the packet writes only those."""
    data = _in_memory(packet, room=2)
    _call_lanes(packet, insn, "sim_gather", GATHER, data, ELEMENT_BYTES[insn.access])
    code = packet.code
    written = "%" + code.name()
    code.put(f"{written} = getelementptr i8, ptr {data}, i32 {VECTOR_BYTES}")
    packet.writes[(GATHERED.cls, 0)] = [(code.load(data, VECTOR, VECTOR_BYTES), None)]
    packet.writes[(GATHERED.cls, 1)] = [(code.load(written, VECTOR, VECTOR_BYTES), None)]


def scatter(packet: PacketLowering, insn: Insn) -> None:
    data = _in_memory(packet, packet.value(insn.sources[3]))
    size = ELEMENT_BYTES[insn.access]
    add = insn.op == "+="
    name, text = (f"sim_scatter_add{8 * size}", _scatter_add(8 * size)) if add else ("sim_scatter", SCATTER)
    packet.later(lambda: _call_lanes(packet, insn, name, text, data, size))


# -- histogram -----------------------------------------------------------------------------------------------
def _histogram(kind: str, bits: int, saturating: bool, body: str, steps: int) -> str:
    """@sim_<kind>(file, input, mask, parity): counts into the register file at ``file``.

    ``body`` sets %vector, %element and %weight (i32) and %chosen (i1) from %i; %pm points at the mask.
    """
    add = "call i32 @llvm.umin.i32(i32 %sum, i32 65535)" if saturating else "add i32 %sum, 0"
    return f"""define internal void @sim_{kind}(ptr %file, ptr %input, ptr %mask, i32 %parity) noinline {{
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %in, %next ]
{body}
  br i1 %chosen, label %act, label %next
act:
  %row = mul i32 %vector, {VECTOR_BYTES}
  %column = mul i32 %element, {bits // 8}
  %at = add i32 %row, %column
  %p = getelementptr i8, ptr %file, i32 %at
  %old = load i{bits}, ptr %p
  %wide = {'zext i16 %old to i32' if bits == 16 else 'add i32 %old, 0'}
  %sum = add i32 %wide, %weight
  %kept = {add}
  %new = {'trunc i32 %kept to i16' if bits == 16 else 'add i32 %kept, 0'}
  store i{bits} %new, ptr %p
  br label %next
next:
  %in = add i32 %i, 1
  %end = icmp eq i32 %in, {steps}
  br i1 %end, label %done, label %loop
done:
  ret void
}}"""


_BYTE = """  %pi = getelementptr i8, ptr %input, i32 %i
  %v8 = load i8, ptr %pi
  %v = zext i8 %v8 to i32
  %vector = lshr i32 %v, 3
  %low = and i32 %v, 7
  %lane = lshr i32 %i, 4
  %eight = shl i32 %lane, 3
  %element = or i32 %eight, %low
  %weight = add i32 0, 1
  %pm = getelementptr i8, ptr %mask, i32 %i
  %m = load i8, ptr %pm
  %chosen = icmp ne i8 %m, 0"""
_WEIGHTED = """  %pi = getelementptr i16, ptr %input, i32 %i
  %h = load i16, ptr %pi
  %h32 = zext i16 %h to i32
  %v = and i32 %h32, 255
  %weight = lshr i32 %h32, 8
  %vector = lshr i32 %v, 3
  %two = shl i32 %i, 1
  %pm = getelementptr i8, ptr %mask, i32 %two
  %m = load i8, ptr %pm
  %on = icmp ne i8 %m, 0"""
_HALF = _WEIGHTED + """
  %low = and i32 %v, 7
  %block = and i32 %i, -8
  %element = or i32 %block, %low
  %chosen = and i1 %on, true"""
_WORD = _WEIGHTED + """
  %v1 = lshr i32 %v, 1
  %low = and i32 %v1, 3
  %i1 = lshr i32 %i, 1
  %block = and i32 %i1, -4
  %element = or i32 %block, %low
  %bit = and i32 %v, 1
  %same = icmp eq i32 %bit, %parity
  %any = icmp ugt i32 %parity, 1
  %fits = or i1 %same, %any
  %chosen = and i1 %on, %fits"""
HISTOGRAMS = {
    "vhist": _histogram("vhist", 16, False, _BYTE, VECTOR_BYTES),
    "vwhist256": _histogram("vwhist256", 16, False, _HALF, VECTOR_BYTES // 2),
    "vwhist256sat": _histogram("vwhist256sat", 16, True, _HALF, VECTOR_BYTES // 2),
    "vwhist128": _histogram("vwhist128", 32, False, _WORD, VECTOR_BYTES // 2),
}
ANY_PARITY = 2


def histogram(packet: PacketLowering, insn: Insn) -> None:
    """Counts the bytes of the packet's ``.tmp`` load in all 32 vector registers."""
    if not packet.forwarded:
        raise FormError(insn.line, insn.text, "a histogram needs a .tmp load in its packet")
    code = packet.code
    unit, source = next((unit, value) for unit, value in packet.forwarded.items() if unit[0] == "V")
    operands = insn.sources[VECTOR_COUNT:]
    mask, parity = code.const(-1, VECTOR), ANY_PARITY
    for operand in operands:
        if operand.cls == "Q":
            mask = packet.value(operand)
        else:
            parity = operand.number
    packet.must_be_defined([Operand(*unit), *operands])
    registers = [packet.old_value(("V", n)) for n in range(VECTOR_COUNT)]
    file = _in_memory(packet, *registers)
    name = insn.op + ("sat" if insn.access else "")
    code.declarations.add(HISTOGRAMS[name])
    if insn.access:
        code.declarations.add("declare i32 @llvm.umin.i32(i32, i32)")
    code.put(
        f"call void @sim_{name}(ptr {file}, ptr {_in_memory(packet, source)}, ptr {_in_memory(packet, mask)},"
        f" i32 {parity})"
    )
    for n in range(VECTOR_COUNT):
        pointer = "%" + code.name()
        code.put(f"{pointer} = getelementptr i8, ptr {file}, i32 {VECTOR_BYTES * n}")
        packet.write(Operand("V", n), code.load(pointer, VECTOR, VECTOR_BYTES), None)


__all__ = ["gather", "histogram", "scatter"]
