"""Instruction forms on whole machine states: what both the golden files and the simulator are made from.

A state is one header of 32 words (r2..r15, p3:0, m0, m1, cs0, cs1, usr), four predicate masks, v0..v15 and the 1 KiB
memory block the memory forms work on. A form's function loads a state, runs the form's packets, stores the state.
"""

import hashlib
import re

import numpy as np

from hexagon_mlir.isa.form import FORMS

STATES = 40
VECTOR = 128
HEADER_WORDS = ("r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "p3:0",
                "m0", "m1", "cs0", "cs1", "usr")  # fmt: skip
VECTORS, PREDICATES, BLOCK_VECTORS = 16, 4, 8
BLOCK_BYTES = BLOCK_VECTORS * VECTOR
STATE_BYTES = VECTOR * (1 + PREDICATES + VECTORS + BLOCK_VECTORS)
VECTOR_START = VECTOR * (1 + PREDICATES)
BLOCK_START = VECTOR_START + VECTOR * VECTORS
BLOCK = 0xD801_0000
"""Guest address of the memory block: in the simulator's TCM, and 64 KiB aligned for bit-reversed addresses."""
GATHER_REGION = 512
GATHER_DEST = BLOCK + 768
FLOAT_WORDS = re.compile(r"sf|df|\.hf|\.bf|\.qf|\.f8|convert")
SEEDS = re.compile(r"sfrecipa|sfinvsqrta|sffixup|sfclass|dfclass|sfmake|dfmake|[sd]fcmp")
"""Float forms whose results are exact in any model."""
FLAGS = re.compile(r"(?=.*=(sf|df|convert_))(?!.*(V|dfmpy))")
"""Scalar float forms of which the sticky bits of USR are looked at."""
SINGLES = np.array([0, 0x80000000, 0x3F800000, 0xBF800001, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001, 0x7F7FFFFF,
                    1, 0x80000001, 0x007FFFFF, 0x00800000, 0x00800001, 0x33800000, 0x4B000001, 0xCF000000, 0x4F7FFFFF,
                    0xBE99999A, 0x5F000000, 0x20000000, 0x60000001], np.uint32)  # fmt: skip
"""Zeros, ones, infinities, both NaNs, the extremes, denormals, halves, and borders of the integer types."""


# -- states --------------------------------------------------------------------------------------------------
def _noise(label, count):
    return np.frombuffer(hashlib.shake_256(label.encode()).digest(count), np.uint8).copy()


EDGES = np.array([0, 1, 2, 0x7F, 0x80, 0x81, 0xFF, 0xFE, 0x7FFF, 0x8000, 0x8001, 0xFFFF, 0x7FFFFFFF, 0x80000000,
                  0x80000001, 0xFFFFFFFF, 0x7F7F7F7F, 0x80808080, 0x7FFF7FFF, 0x80008000, 0x00FF00FF,
                  0xFF00FF00], np.uint32)  # fmt: skip




def _put(state, name, value):
    at = 4 * HEADER_WORDS.index(name)
    state[at : at + 4] = np.array([value & 0xFFFFFFFF], np.uint32).view(np.uint8)


def states(kind):
    """The ``STATES`` input states of a kind: plain, float, memory, circular, reversed, gather-w, gather-h."""
    result = []
    for index in range(STATES):
        state = _noise(f"{kind} {index}", STATE_BYTES)
        if index < STATES // 4:  # edge values
            picks = EDGES[_noise(f"edge {kind} {index}", STATE_BYTES // 4) % EDGES.size]
            state = picks.view(np.uint8).copy()
        for q in range(PREDICATES):  # masks are whole bytes
            start = VECTOR * (1 + q)
            state[start : start + VECTOR] = np.where(state[start : start + VECTOR] & 1, 255, 0)
        pick = int(_noise(f"address {kind} {index}", 4).view(np.uint32)[0])
        _put(state, "usr", 0)
        _ADDRESSES[kind](state, pick, index)
        result.append(state)
    return result


def _plain(state, pick, index):
    pass


def _floats(state, pick, index):
    """Single-precision specials in the lower and upper words of the pairs; doubles of all sizes in some states."""
    noise = _noise(f"float {index}", 56).view(np.uint32)
    values = SINGLES[noise[:14] % SINGLES.size]
    if index % 2:
        values[1::2] = (noise[1::2] >> 20 << 20) ^ (values[1::2] & 0x000FFFFF)
    state[:56] = values.view(np.uint8)


def _memory(state, pick, index):
    _put(state, "r2", BLOCK + 256 + 8 * (pick % 32))
    _put(state, "r3", pick >> 8 & 15)
    _put(state, "m0", 8 * ((pick >> 16) % 33 - 16))


def _circular(state, pick, index):
    increment = (pick >> 8) % 7 - 3
    field = (increment >> 7 & 15) << 28 | (increment & 127) << 17
    if index % 2:
        length, start, exponent = 64 + 8 * (pick >> 16 & 15), BLOCK + 128 + 8 * (pick >> 20 & 15), 0
    else:
        length, start, exponent = 96 + 8 * (pick >> 16 & 3), BLOCK + 256, 5
    _put(state, "m0", field | exponent << 24 | length)
    _put(state, "cs0", start)
    _put(state, "r2", start + 8 * (pick % (length // 8)))


def _reversed(state, pick, index):
    offset = 8 * (pick % (BLOCK_BYTES // 8))
    _put(state, "r2", BLOCK + int(f"{offset:016b}"[::-1], 2))
    _put(state, "m0", pick >> 16)


def _gathers(dtype):
    """Offsets aligned and inside the region: qemu-hexagon 7.2 does not check the region's end."""
    def fill(state, pick, index):
        values = _noise(f"offsets {index}", VECTOR * VECTORS).view(dtype)
        size = np.dtype(dtype).itemsize
        count = (GATHER_REGION - 32) // size
        state[VECTOR_START:BLOCK_START] = (values % count * size).astype(dtype).view(np.uint8)
        _put(state, "r2", BLOCK)
        _put(state, "r3", GATHER_DEST)
        _put(state, "m0", GATHER_REGION - 1 - 4 * (pick % 8))
    return fill


_ADDRESSES = {
    "plain": _plain, "float": _floats, "memory": _memory, "circular": _circular, "reversed": _reversed,
    "gather-w": _gathers(np.uint32), "gather-h": _gathers(np.uint16),
}  # fmt: skip


# -- forms ---------------------------------------------------------------------------------------------------
NUMBERS = (5, 3, 1, 0, 2, 4, 8, 16, -1)
"""Immediates to try, in this order, until the assembler takes the form."""


def concrete(template, number, tied=None):
    """The template with registers and ``number`` filled in; each class counts its own registers.

    ``tied`` is the position among the operands of the first one's class that repeats the first.
    """
    used = {}
    leader = re.search(r"RR|R|VV|V|P|Q", template).group()

    def operand(match):
        cls = match.group()
        index = used[cls] = used.get(cls, -1) + 1
        if cls == leader and index == tied:
            index = 0
        if cls == "I":
            return f"#{number}"
        low = 2 * index + 2
        return {"R": f"r{4 + index}", "RR": f"r{2 * index + 9}:{2 * index + 8}", "P": f"p{index}", "V": f"v{index}",
                "VV": f"v{low + 7}:{low + 6}", "Q": f"q{index}", "M": f"m{index}", "PPPP": "p3:0"}[cls]  # fmt: skip

    return re.sub(r"PPPP|RR|R|VV|V|P|Q|I|M", operand, template)


def register_forms():
    """(template, kind, candidate packets) of every integer form of the tables that works on registers alone."""
    for template in sorted(FORMS):
        if FLAGS.search(template):
            result = "RR" if template.startswith("RR") else "R"
            cleared = ["r9:8=combine(#0,#0)" if result == "RR" else "r4=#0"]
            yield f"{template} flags", "float", [[[concrete(template, 1, tied)], cleared] for tied in (None, 1)]
        inexact = FLOAT_WORDS.search(template) and not SEEDS.search(template)
        if inexact or "C" in template or re.search("pc|deprecated", template):
            continue
        tries = NUMBERS if "I" in template else (0,)
        yield template, "plain", [[[concrete(template, n, tied)]] for tied in (None, 1, 2) for n in tries]


SCALAR_LOADS = ("memb", "memub", "memh", "memuh", "memw")
MODES = {"(r2+#8)": "memory", "(r2++#4)": "memory", "(r2++m0)": "memory", "(r2+r3<<#2)": "memory",
         "(r2++#4:circ(m0))": "circular", "(r2++I:circ(m0))": "circular", "(r2++m0:brev)": "reversed"}  # fmt: skip


def memory_forms():
    """(name, kind, candidate packets) of loads, stores, memops and what spans more than one instruction."""
    def one(*packets, kind="memory"):
        return " / ".join(" ;; ".join(packet) for packet in packets), kind, [[list(packet) for packet in packets]]

    for mode, kind in MODES.items():
        for name in SCALAR_LOADS:
            yield one([f"r4={name}{mode}"], kind=kind)
        eight = mode.replace("++#4", "++#8")
        yield one([f"r9:8=memd{eight}"], kind=kind)
        yield one([f"memd{eight}=r9:8"], kind=kind)
        if "<<" not in mode:
            for name in ("membh", "memubh"):
                yield one([f"r9:8={name}{mode}"], kind=kind)
                yield one([f"r4={name}{mode}"], kind=kind)
            for name in ("memb_fifo", "memh_fifo"):
                yield one([f"r9:8={name}{mode}"], kind=kind)
        for name, value in (("memb", "r4"), ("memh", "r4"), ("memh", "r4.h"), ("memw", "r4")):
            yield one([f"{name}{mode}={value}"], kind=kind)
        for name in ("memb", "memh", "memw"):
            yield one(["r4=add(r5,r6)", f"{name}{mode}=r4.new"], kind=kind)
        yield one(["r4=vextract(v0,r5)"], ["nop"], kind="plain")
    for test in ("p0", "!p0"):
        for name in SCALAR_LOADS:
            yield one([f"if({test}) r4={name}(r2+#8)"])
            yield one([f"if({test}) r4={name}(r2++#4)"])
        for name in ("memb", "memh", "memw"):
            yield one([f"if({test}) {name}(r2+#8)=r4"])
            yield one(["p0=cmp.gt(r5,r6)", f"if({test}.new) {name}(r2++#4)=r4"])
        for base in ("add(r5,r6)", "sub(r5,r6)", "and(r5,r6)", "or(r5,r6)", "xor(r5,r6)", "add(r5,#3)", "aslh(r5)",
                     "zxth(r5)", "sxtb(r5)", "combine(r5,r6)"):  # fmt: skip
            dest = "r9:8" if base.startswith("comb") else "r4"
            yield one([f"if({test}) {dest}={base}"])
        for dest in ("v2=v3", "v7:6=vcombine(v1,v0)"):
            yield one([f"if({test}) {dest}"])
    for name in ("memb", "memh", "memw"):
        for op in ("+=", "-=", "&=", "|="):
            yield one([f"{name}(r2+#8){op}r4"])
        for op in ("+=#3", "-=#5", "=clrbit(#3)", "=setbit(#6)"):
            yield one([f"{name}(r2+#8){op}"])
        yield one([f"{name}(r2+#8)=#-7"])
    yield one(["r4=memw_locked(r2)"])
    yield one(["r9:8=memd_locked(r2)"])
    yield one(["dczeroa(r2)"])
    for mode in ("(r2+#1)", "(r2++#1)", "(r2++m0)"):
        for name in ("vmem", "vmemu"):
            yield one([f"v0={name}{mode}"])
            yield one([f"{name}{mode}=v0"])
        yield one([f"v1.cur=vmem{mode}", "v0.w=vadd(v1.w,v2.w)"])
        yield one([f"v1.tmp=vmem{mode}", "v0.w=vadd(v1.w,v2.w)"])
        yield one(["v1.w=vadd(v2.w,v3.w)", f"vmem{mode}=v1.new"])
        for test in ("p0", "!p0"):
            yield one([f"if({test}) v0=vmem{mode}"])
            yield one([f"if({test}) vmem{mode}=v0"])
            # no consumer: what it would read of a cancelled .tmp or .cur load is not specified
            yield one([f"if({test}) v1.cur=vmem{mode}", "v0.w=vadd(v2.w,v3.w)"])
        for test in ("q0", "!q0"):
            yield one([f"if({test}) vmem{mode}=v0"])
    for test in ("q0", "!q0"):
        for suffix in ("b", "h", "w"):
            for op in ("+=", "-="):
                yield one([f"if({test}) v0.{suffix}{op}v1.{suffix}"], kind="plain")
    for size, offset in (("w", "v0.w"), ("h", "v0.h"), ("h", "v3:2.w")):
        kind = "gather-h" if offset == "v0.h" else "gather-w"
        for prefix in ("", "if(q0) "):
            yield one([f"{prefix}vtmp.{size}=vgather(r2,m0,{offset}).{size}", "vmem(r3+#0)=vtmp.new"], kind=kind)
            yield one([f"{prefix}vscatter(r2,m0,{offset}).{size}=v5"], kind=kind)
        yield one([f"vscatter(r2,m0,{offset}).{size}+=v5"], kind=kind)
    for call in ("vhist", "vhist(q0)", "vwhist256", "vwhist256(q0)", "vwhist256:sat", "vwhist256(q0):sat", "vwhist128",
                 "vwhist128(q0)", "vwhist128(#0)", "vwhist128(q0,#1)"):  # fmt: skip
        yield one(["v15.tmp=vmem(r2+#0)", call])
    for compare in ("cmp.eq(r4.new,#1)", "cmp.gt(r4.new,r5)", "cmp.gt(r5,r4.new)", "cmp.gtu(r4.new,#7)",
                    "cmp.eq(r4.new,#-1)", "tstbit(r4.new,#0)"):  # fmt: skip
        for mark in ("", "!"):
            yield one(["r4=and(r6,r7)", f"if({mark}{compare}) jump:nt 1f"], ["r8=#77"], ["1: nop"], kind="plain")
    for op in ("==", "!=", ">=", "<="):
        yield one([f"if(r4{op}#0) jump:nt 1f"], ["r8=#77"], ["1: nop"], kind="plain")
    for compare in ("cmp.eq(r4,#1)", "cmp.gt(r4,r5)", "cmp.gtu(r4,r5)", "tstbit(r4,#0)"):
        yield one([f"p0={compare}; if(p0.new) jump:t 1f"], ["r8=#77"], ["1: nop"], kind="plain")
    yield one(["if(p0) jump 1f", "if(p1) jump 2f"], ["r8=#77"], ["1: r9=#78"], ["2: nop"], kind="plain")
    for stages in (1, 2, 3):
        yield one([f"p3=sp{stages}loop0(1f,#5)"], ["1: r4=add(r4,r5)", "if(p3) r6=add(r6,#1)"], ["nop"],
                  ["r7=add(r7,#3) }:endloop0 {"], kind="plain")  # fmt: skip
    yield one(["loop1(1f,#3)"], ["1: loop0(2f,#4)"], ["2: r4=add(r4,r5)"], ["nop"],
              ["r6=add(r6,r4) }:endloop01 {"], kind="plain")  # fmt: skip


def golden_forms():
    """Every (name, kind, candidates) once."""
    seen = set()
    for name, kind, candidates in [*register_forms(), *memory_forms()]:
        if name not in seen:
            seen.add(name)
            yield name, kind, candidates


# -- assembly ------------------------------------------------------------------------------------------------
def body(packets, tag):
    """Text of the packets; local labels ``1`` and ``2`` get the function's tag."""
    lines = []
    for packet in packets:
        first = packet[0]
        found = re.match(r"([12]): (.*)", first)
        if found:
            lines.append(f".L{tag}_{found.group(1)}:")
            packet = [found.group(2), *packet[1:]]
        text = "\n\t\t".join(re.sub(r"\b([12])f\b", rf".L{tag}_\1", line) for line in packet)
        if text.endswith("{"):
            head, mark = text[:-1].split("}")
            lines.append(f"\t{{\n\t\t{head.strip()}\n\t}} {mark.strip()}")
        else:
            lines.append(f"\t{{\n\t\t{text}\n\t}}")
    return "\n".join(lines)


def _function(name, text):
    return f"\t.globl\t{name}\n\t.type\t{name},@function\n{name}:\n{text}\n"


def _packets(*lines):
    return "\n".join(f"\t{{\n\t\t{line}\n\t}}" for line in lines)


def routines():
    """``load_state`` (r0 in, r1 out) and ``store_state``; they keep r16 and r17 and use r18 to r21."""
    words = [(4 * i, name) for i, name in enumerate(HEADER_WORDS)]
    load = ["r16 = r0", "r17 = r1", f"r19 = add(r16,#{VECTOR})", "r20 = #-1"]
    for q in range(PREDICATES):
        load += ["v0 = vmem(r19++#1)", f"q{q} = vand(v0,r20)"]
    load += [f"r21 = add(r16,##{BLOCK_START})", f"r20 = ##{BLOCK}"]
    for _ in range(BLOCK_VECTORS):
        load += ["v0 = vmem(r21++#1)", "vmem(r20++#1) = v0"]
    load += [f"v{v} = vmem(r19++#1)" for v in range(VECTORS)]
    for at, name in words:
        if name.startswith("r"):
            load.append(f"{name} = memw(r16+#{at})")
        else:
            load += [f"r20 = memw(r16+#{at})", f"{name} = r20"]
    store = []
    for at, name in words:
        if name.startswith("r"):
            store.append(f"memw(r17+#{at}) = {name}")
        else:
            store += [f"r20 = {name}", f"memw(r17+#{at}) = r20"]
    store += ["r20 = #0"] + [f"memw(r17+#{4 * i}) = r20" for i in range(len(words), 32)]
    store += [f"r19 = add(r17,##{VECTOR_START})"] + [f"vmem(r19++#1) = v{v}" for v in range(VECTORS)]
    store += [f"r21 = ##{BLOCK}"]
    for _ in range(BLOCK_VECTORS):
        store += ["v0 = vmem(r21++#1)", "vmem(r19++#1) = v0"]
    store += [f"r19 = add(r17,#{VECTOR})", "r20 = #-1"]
    for q in range(PREDICATES):
        store += [f"v0 = vand(q{q},r20)", "vmem(r19++#1) = v0"]
    return "\t.text\n" + _function("load_state", _packets(*load, "jumpr r31")) + _function(
        "store_state", _packets(*store, "jumpr r31"))  # fmt: skip


def form_function(index, packets):
    head = _packets("r18 = r31", "call load_state")
    tail = _packets("call store_state", "r31 = r18", "jumpr r31")
    return _function(f"f{index}", f"{head}\n{body(packets, index)}\n{tail}")


def digest(state):
    return hashlib.blake2b(state.tobytes(), digest_size=8).digest()
