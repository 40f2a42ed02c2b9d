"""Many one-instruction functions in one module: load operands, run the instruction, store the results."""

import functools

import numpy as np

from hexagon_mlir.sim import Arithmetic, Machine

VECTOR_INPUTS = ("v0", "v1", "v4", "v5", "v10", "v11", "v6")
"""Registers loaded from consecutive input vectors; v6 also becomes q0 (bytes that are not zero) ."""
LOADS = "\n".join(f"\t{{\n\t\t{name} = vmem(r0+#{i})\n\t}}" for i, name in enumerate(VECTOR_INPUTS))


def function(name, packets):
    """Assembly of a function from packets given as lists of instruction lines."""
    body = "\n".join("\t{\n" + "\n".join(f"\t\t{line}" for line in packet) + "\n\t}" for packet in packets)
    return f"\t.text\n\t.globl\t{name}\n\t.type\t{name},@function\n{name}:\n{body}\n\t{{\n\t\tjumpr r31\n\t}}\n"


def vector_function(name, lines):
    """r0 = inputs, r1 = outputs, r2 and r3 scalar operands; results in v11:10 and q0."""
    before = LOADS + "\n\t{\n\t\tr9 = #-1\n\t}\n\t{\n\t\tq0 = vand(v6,r9)\n\t}\n"
    before += "\t{\n\t\tq1 = vand(v1,r9)\n\t}\n"
    after = [["vmem(r1+#0) = v10"], ["vmem(r1+#1) = v11"], ["v12 = vand(q0,r9)"], ["vmem(r1+#2) = v12"],
             ["memw(r1+#384) = r10"]]
    text = function(name, [lines, *after])
    return text.replace(f"{name}:\n", f"{name}:\n{before}", 1)


def scalar_function(name, lines):
    """r1:0 = in, out; operands r3:2, r5:4, old r11:10 and p0, p1; results r11:10 and p0."""
    before = [["r3:2 = memd(r0+#0)"], ["r5:4 = memd(r0+#8)"], ["r11:10 = memd(r0+#16)"],
              ["r6 = memw(r0+#24)"], ["p0 = r6"], ["r6 = memw(r0+#28)"], ["p1 = r6"]]
    after = [["memd(r1+#0) = r11:10"], ["r12 = p0"], ["memw(r1+#8) = r12"]]
    return function(name, [*before, lines, *after])


class Bench:
    """A machine with one function per instruction; floats are IEEE numbers."""

    def __init__(self, vector_forms, scalar_forms):
        self.names = {}
        text = ""
        for make, forms in ((vector_function, vector_forms), (scalar_function, scalar_forms)):
            for form in forms:
                self.names[form] = f"f{len(self.names)}"
                text += make(self.names[form], form.split(" ;; "))
        self.machine = Machine(text, "v81", profile=False, arithmetic=Arithmetic.IEEE)
        self.input = self.machine.alloc_ddr(128 * 8)
        self.output = self.machine.alloc_ddr(128 * 8)

    def vector(self, form, vectors, r2=0, r3=0):
        """(v10, v11, q0 mask bytes, r10) after the instruction; ``vectors`` are seven uint8 arrays."""
        self.machine.write(self.input, np.concatenate(vectors))
        self.machine.run(self.names[form], [self.input, self.output, r2, r3])
        raw = self.machine.read(self.output, np.uint8, 388)
        return raw[:128], raw[128:256], raw[256:384], int(raw[384:388].view(np.uint32)[0])

    def scalar(self, form, r32, r54=0, old=0, p0=0, p1=0):
        """(r11:10, p0) after the instruction, unsigned."""
        values = np.array([r32, r54, old, p0 | p1 << 32], np.uint64)
        self.machine.write(self.input, values)
        self.machine.run(self.names[form], [self.input, self.output])
        raw = self.machine.read(self.output, np.uint64, 2)
        return int(raw[0]), int(raw[1]) & 0xFF


@functools.cache
def random_vectors():
    """Seven fixed vectors of random bytes; the last one is a sparse mask."""
    rng = np.random.default_rng(7)
    vectors = [rng.integers(0, 256, 128, np.uint8) for _ in range(6)]
    return [*vectors, rng.integers(0, 2, 128).astype(np.uint8) * 0x31]


@functools.cache
def float_vectors(half=False):
    """Seven fixed vectors of ordinary f32 (or f16) values with zeros, infinities and denormals; no NaN."""
    rng = np.random.default_rng(11)
    kind, count = (np.float16, 64) if half else (np.float32, 32)
    vectors = []
    for i in range(6):
        values = (rng.standard_normal(count) * 10).astype(kind)
        values[i] = 0.0
        values[i + 7] = np.inf if i % 2 == 0 else 1.0
        values[i + 13] = np.finfo(kind).tiny / 4
        vectors.append(values.view(np.uint8))
    return [*vectors, random_vectors()[6]]
