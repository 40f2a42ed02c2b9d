"""The translated simulator against the reference interpreter: random packets and whole functions."""

import re

import numpy as np
import pytest
from sim.forms_harness import function
from sim.kernels import CONTROL, SAXPY, assembly
from sim.test_inventory import INVENTORY
from sim.test_inventory import assembly as one_form

from hexagon_mlir import targets
from hexagon_mlir.isa.decode import decode, decode_one
from hexagon_mlir.isa.form import FORMS
from hexagon_mlir.isa.listing import FLOW, OTHER, concrete, memory_templates, templates
from hexagon_mlir.isa.reader import parse
from hexagon_mlir.sim import Arg64, Arithmetic, Machine, SimError
from hexagon_mlir.sim.reference import Interpreter, find, find_chip
from hexagon_mlir.sim.reference.arithmetic import Model, model
from hexagon_mlir.sim.reference.compare import check
from hexagon_mlir.sim.reference.exact import DOUBLE, HALF, SINGLE, multiply_add, rounded, value
from hexagon_mlir.sim.reference.packet import _Execution
from hexagon_mlir.sim.reference.random_packets import Generator
from hexagon_mlir.sim.reference.rules import depends
from hexagon_mlir.sim.semantics.float_model import FloatModel


@pytest.mark.parametrize("count", [None, pytest.param(3000, marks=pytest.mark.full)])
@pytest.mark.parametrize("arithmetic", Arithmetic)
def test_random_packets_agree(arithmetic, count):
    """Each form is in one. Quick code too has all of them."""
    found = check(count, 0, arithmetic=arithmetic, quick=arithmetic is Arithmetic.IEEE)
    assert not found, "\n".join(str(difference) for difference in found[:5])


def test_the_default_is_the_chip():
    """Of everything that computes; 2 * 2 in qf32 of v75 tells it from IEEE numbers."""
    assert {Model().arithmetic, model(targets.get("v75")).arithmetic, FloatModel().arithmetic} == {Arithmetic.CHIP}
    text = function("f", [["v0 = vmem(r0+#0)"], ["v1.qf32 = vmpy(v0.sf,v0.sf)"], ["v2.sf = v1.qf32"],
                          ["vmem(r0+#0) = v2"]])  # fmt: skip
    for machine in (Machine(text), Interpreter(text)):
        address = machine.alloc_ddr(128)
        machine.write(address, np.full(32, 2, np.float32))
        machine.run("f", [address])
        assert set(machine.read(address, np.uint32, 32).tolist()) == {0x40800001}


def test_the_comparison_sees_a_wrong_rule(monkeypatch):
    from hexagon_mlir.sim.reference import packet

    monkeypatch.setattr(packet, "find", lambda key: (lambda a, b: a + b + 1) if key == "R=add(R,R)" else find(key))
    found = check(20, 0, only=r"^R=add\(R,R\)$")
    assert found and found[0].translated != found[0].reference


@pytest.mark.parametrize("form", INVENTORY)
def test_every_form_llvm_emits_has_a_rule(form):
    newest = model(targets.get("v81"))
    for packet in parse(one_form(form)).functions["f"].packets:
        for insn in decode(packet):
            assert insn.kind != "alu" or find_chip(insn.key, newest) or find(insn.key), insn.key


DMA = {"dmstart(R)", "dmlink(R,R)", "R=dmpoll", "R=dmwait", "R=dmpause", "dmresume(R)"}
"""Without a rule: a transfer needs an engine and a clock beside the packets."""
NOT_FUZZED = {
    *DMA,
    # flow beyond one packet: the whole functions below
    "jump L", "if(P) jump:t L", "jumpr R", "call L", "callr R", "loop0(L,R)", "loop0(L,I)", "loop1(L,R)", "loop1(L,I)",
    "p3=sp1loop0(L,R)", "p3=sp2loop0(L,R)", "p3=sp3loop0(L,R)", "dealloc_return", "if(R==#0) jump:t L",
    "if(R!=#0) jump:t L", "if(R>=#0) jump:t L", "if(R<=#0) jump:t L",
    # no effect on values
    "release(R):at", "dcfetch(R+I)", "dccleana(R)", "dccleaninva(R)", "dcinva(R)", "icinva(R)", "l2fetch(R,R)",
    "l2fetch(R,RR)", "barrier", "syncht", "isync", "nop", "pause(I)", "hintjr(R)", "trace(R)", "brkpt",
    "vmem(R+I):scatter_release",
    # time
    "RR=c15:14", "RR=c19:18", "RR=c31:30",
}  # fmt: skip
FORWARDED = re.compile(r"\.new|\.cur|\.tmp")
"""Made by `Generator.forwarding`."""


def test_every_listed_form_has_a_rule_but_dma():
    newest = model(targets.get("v81"))
    assert [key for key in FORMS if (find_chip(key, newest) if depends(key, newest) else find(key)) is None] == []
    kinds = {t: decode_one(0, concrete(t)).kind for t in (*memory_templates(), *FLOW, *OTHER)}
    assert {t for t, kind in kinds.items() if not hasattr(_Execution, "do_" + kind)} == DMA


def test_the_generator_makes_every_listed_form():
    made = set(Generator(0).keys)
    left = set(templates()) - made
    assert {t for t in left if not FORWARDED.search(t)} == NOT_FUZZED


def test_full_packets_have_every_form(monkeypatch):
    keys, kept, instructions = {}, [], Generator.instructions

    def made(self, key):
        pieces = instructions(self, key)
        kept.extend(pieces)
        return [keys.setdefault(id(piece), key) and piece for piece in pieces]

    monkeypatch.setattr(Generator, "instructions", made)
    generator, packets = Generator(0, full=True), []
    while generator.order or not packets:
        packets.append(generator.packet())
    assert {keys[id(piece)] for packet in packets for piece in packet if id(piece) in keys} == set(generator.keys)
    assert len(packets) < 0.6 * len(generator.keys)


# -- the interpreter's own arithmetic against numpy --------------------------------------------------------
@pytest.mark.parametrize(("format_", "kind"), [(HALF, np.float16), (SINGLE, np.float32), (DOUBLE, np.float64)])
def test_rounding_agrees_with_numpy(format_, kind):
    rng = np.random.default_rng(3)
    size = format_.bits // 8
    patterns = rng.integers(0, 256, (2, 400, size), np.uint8).view(f"<u{size}").reshape(2, 400)
    numbers = patterns.view(kind)
    with np.errstate(all="ignore"):
        sums, products = numbers[0] + numbers[1], numbers[0] * numbers[1]
    one = format_.bias << format_.fraction_bits
    for index, (a, b) in enumerate(zip(*patterns.tolist(), strict=True)):
        zero = (a ^ b) & format_.sign
        for want, got in (
            (sums[index], multiply_add(a, one, b, format_)), (products[index], multiply_add(a, b, zero, format_)),
        ):  # fmt: skip
            if np.isnan(want):
                assert got & ~format_.sign > format_.infinity
            else:
                assert got == int(np.array(want).view(f"<u{size}"))
    assert all(rounded(value(a, format_), format_, a // format_.sign) == a
               for a in patterns[0].tolist() if a & ~format_.sign < format_.infinity)  # fmt: skip


# -- whole functions ---------------------------------------------------------------------------------------
def both(text, entry, arguments, buffers=()):
    """(return value, packets, buffers) of both implementations in IEEE arithmetic; buffers are arguments too."""
    results = []
    for kind in (Machine, Interpreter):
        machine = kind(text, arithmetic="ieee")
        addresses = []
        for data in buffers:
            addresses.append(machine.alloc_ddr(data.nbytes))
            machine.write(addresses[-1], data)
        result = machine.run(entry, [*addresses, *arguments])
        contents = [machine.read(a, d.dtype, d.size).tobytes() for a, d in zip(addresses, buffers, strict=True)]
        results.append((result.return_value & 0xFFFFFFFF, result.packets, contents))
    return results


@pytest.mark.parametrize("count", (0, 1, 33, 128, 200))
def test_saxpy(count):
    rng = np.random.default_rng(count)
    x, y = (rng.standard_normal(256).astype(np.float32) for _ in range(2))
    translated, reference = both(assembly(SAXPY), "saxpy", [2.5, count], [x, y])
    assert translated[1:] == reference[1:]
    want = np.where(np.arange(256) < count, np.float32(2.5) * x + y, y)
    np.testing.assert_array_equal(np.frombuffer(reference[2][1], np.float32), want)


@pytest.mark.parametrize(
    ("entry", "arguments"),
    [
        ("fib", [15]), ("choose", [0, 21]), ("choose", [1, 21]), *[("jumptable", [n, 3]) for n in range(7)],
        ("wide", [Arg64(0x123456789ABCDEF), Arg64(-99999), 13]),
        ("many", [1, 2, 3, 4, 5, 6, 7, Arg64(8 << 32 | 9), 10]), ("callsmath", [1.5]),
    ],
)  # fmt: skip
def test_control_flow(entry, arguments):
    translated, reference = both(assembly(CONTROL), entry, arguments)
    assert translated == reference


def test_loops_and_memory():
    rng = np.random.default_rng(9)
    a, b = (rng.integers(-1000, 1000, 64).astype(np.int32) for _ in range(2))
    translated, reference = both(assembly(CONTROL), "matmul", [8], [a, b, np.zeros(64, np.int32)])
    assert translated == reference
    want = a.reshape(8, 8) @ b.reshape(8, 8)
    np.testing.assert_array_equal(np.frombuffer(reference[2][2], np.int32).reshape(8, 8), want)


def test_reference_errors_name_the_place():
    with pytest.raises(SimError, match="no function 'g'"):
        Interpreter(function("f", [["r0 = r1"]])).run("g")
    with pytest.raises(SimError, match="unknown symbol 'nobody'"):
        Interpreter(function("f", [["call nobody"]])).run("f")
    with pytest.raises(SimError, match="did not finish within 100 packets"):
        text = function("f", [["r0 = r1"], ["jump .Lhere"]]).replace("\t{\n\t\tr0", ".Lhere:\n\t{\n\t\tr0", 1)
        Interpreter(text).run("f", max_packets=100)
