"""Values of the matrix engine: the golden cases from assembly text, products of whole matrices, refused programs."""

import functools

import numpy as np
import pytest
from sim.forms_harness import function
from sim.matrix_harness import (
    IDENTITY,
    TCM,
    TILE,
    convert,
    from_half_tiles,
    half_product,
    half_tiles,
    load_bias,
    machine_of,
    store,
    transfer,
    weight_tiles,
)

from bench.engine_golden import cases
from hexagon_mlir import targets
from hexagon_mlir.sim import Machine, SimError
from hexagon_mlir.sim.matrix_engine.engine import MatrixEngine, Packet
from hexagon_mlir.sim.matrix_engine.formats import NEGATIVE_INFINITY, POSITIVE_INFINITY
from hexagon_mlir.sim.memory_system.memory import Memory
from hexagon_mlir.sim.translation import code

CASES = cases()
NAMES = [case["name"] for case in CASES]


def _addresses(text):
    """Registers of a packet that hold addresses: the first operands of mxmem and mxmem2."""
    return {part.split("(")[1][:2] for part in text.split("mxmem")[1:]}


def _packets(case):
    yield transfer("r0", case["usr"])
    yield ["usr = r0"]
    for step in case["steps"]:
        addresses = _addresses(step["asm"])
        for register, value in step["regs"].items():
            yield transfer(register, value + (TCM if register in addresses else 0))
        yield [line.strip() for line in step["asm"].strip("{} ").split(";")]


@functools.cache
def _machine(chip):
    numbers = [n for n, case in enumerate(CASES) if case["chip"] == chip]
    texts = [function(f"case{n}", list(_packets(CASES[n]))) for n in numbers]
    return Machine("".join(texts), chip)


@pytest.mark.parametrize("number", range(len(CASES)), ids=NAMES)
def test_golden_case(number):
    case = CASES[number]
    machine = _machine(case["chip"])
    machine.reset()
    for offset, data in case["in"]:
        machine.write(TCM + offset, data)
    machine.run(f"case{number}")
    for offset, data in case["out"]:
        np.testing.assert_array_equal(machine.read(TCM + offset, np.uint8, data.size), data)


@pytest.mark.parametrize("chip", ["v73", "v75", "v79", "v81"])
@pytest.mark.parametrize("channels", [32, 224, 1024])
def test_product_of_halves_is_that_of_float32_rounded(chip, channels):
    rng = np.random.default_rng(channels)
    a, b = rng.standard_normal((32, channels)), rng.standard_normal((channels, 32))
    tiles = channels // 32
    weights, results = tiles * TILE, 2 * tiles * TILE
    machine = machine_of(["mxclracc.hf"], *load_bias(results), *half_product(0, weights, tiles), *convert(),
                         *store(results + TILE), chip=chip)
    machine.write(TCM, half_tiles(a))
    machine.write(TCM + weights, weight_tiles(b))
    machine.write(TCM + results, IDENTITY)
    machine.run("f")
    found = from_half_tiles(machine.read(TCM + results + TILE, np.uint8, TILE), 32, 32)
    exact = (a.astype(np.float16).astype(np.float64) @ b.astype(np.float16).astype(np.float64)).astype(np.float16)
    differing = np.abs(found.view(np.int16).astype(int) - exact.view(np.int16).astype(int))
    assert differing.max() <= 1 and (differing > 0).mean() < 0.005


def test_integers_below_2048_are_exact():
    a, b = np.arange(32 * 32).reshape(32, 32) % 7 - 3, np.arange(32 * 32).reshape(32, 32) % 5 - 2
    machine = machine_of(["mxclracc.hf"], *load_bias(2 * TILE), *half_product(0, TILE, 1), *convert(), *store(3 * TILE))
    machine.write(TCM, half_tiles(a))
    machine.write(TCM + TILE, weight_tiles(b))
    machine.write(TCM + 2 * TILE, IDENTITY)
    machine.run("f")
    np.testing.assert_array_equal(from_half_tiles(machine.read(TCM + 3 * TILE, np.uint8, TILE), 32, 32), a @ b)


def test_more_than_32_tiles_are_dropped():
    ones = np.ones((32, 33 * 32))
    machine = machine_of(["mxclracc.hf"], *load_bias(70 * TILE), *half_product(0, 33 * TILE, 33), *convert(),
                         *store(71 * TILE))
    machine.write(TCM, half_tiles(ones))
    machine.write(TCM + 33 * TILE, weight_tiles(ones.T))
    machine.write(TCM + 70 * TILE, IDENTITY)
    result = machine.run("f")
    assert set(from_half_tiles(machine.read(TCM + 71 * TILE, np.uint8, TILE), 32, 32).ravel()) == {1024}
    assert result.matrix.macs == 32 * 32**3


def test_bias_registers_come_back():
    table = np.arange(64, dtype=np.uint32) * 0x01010101
    machine = machine_of(*load_bias(1024 + 2), transfer("r5", TCM + 2048 + 2), ["mxmem2(r5) = bias"],
                         transfer("r5", TCM + 4096 + 2), ["mxmem(r5) = bias"])
    machine.write(TCM + 1024, table)
    result = machine.run("f")
    np.testing.assert_array_equal(machine.read(TCM + 2048, np.uint32, 64), table)
    np.testing.assert_array_equal(machine.read(TCM + 4096, np.uint32, 64), np.concatenate([table[:32], [0] * 32]))
    assert (result.matrix.read_bytes, result.matrix.written_bytes) == (256, 384)


def test_accumulators_shift_and_swap():
    """A table of zeros has scale 2048 and exponent 0: a conversion that wraps gives bits 31:24."""
    packets = [
        ["mxclracc"], *load_bias(8192), transfer("r0", TCM), transfer("r1", TILE - 1), transfer("r2", TCM + TILE),
        transfer("r3", 1023), ["activation.ub = mxmem(r0,r1):deep:cm", "weight.b = mxmem(r2,r3)"],
        ["mxswapacc"], ["acc = mxshl(acc,#16)"], ["mxswapacc"], ["acc = mxshl(acc,#16)"],
        transfer("r7", 2), ["cvt.ub = acc(r7)"], transfer("r8", TCM + 3 * TILE), transfer("r9", 0),
        ["mxmem(r8,r9):cm = cvt"],
    ]  # fmt: skip
    machine = machine_of(*packets)
    machine.write(TCM, np.full(TILE, 255, np.uint8))
    machine.write(TCM + TILE, np.full(1024, 1, np.uint8))
    machine.run("f")
    assert 255 * 32 << 16 == 0x1FE00000
    assert set(machine.read(TCM + 3 * TILE, np.uint8, TILE)) == {0x1F}


# -- wrong programs --------------------------------------------------------------------------------------------
def _product(start, shape, weight, length, mode=""):
    registers = {"r0": start, "r1": shape, "r2": weight, "r3": length}
    return [*(transfer(register, value) for register, value in registers.items()),
            [f"activation.hf = mxmem(r0,r1){mode}", "weight.hf = mxmem(r2,r3)"]]


@pytest.mark.parametrize(("packets", "message"), [
    (_product(0x40000000, TILE - 1, TCM, TILE - 1), "activation of 2048 bytes at 0x40000000 is not in TCM"),
    (_product(TCM, TILE - 1, TCM - 128, TILE - 1), "weight of 2048 bytes at 0xd7ffff80 is not in TCM"),
    (_product(TCM + 256, 0x77C - 0x1000, TCM, 9215), "activation of 2048 bytes at 0xd7fff000 is not in TCM"),
    (_product(TCM + (8 << 20) - TILE, 2 * TILE - 1, TCM, 65535, ":deep"), "activation of 4096 bytes at 0xd87ff800"),
    ([transfer("r0", 0), transfer("r1", 0), ["mxmem(r0,r1) = cvt"]], "result of 2048 bytes at 0x0"),
    ([transfer("r0", 0x1000), ["bias = mxmem2(r0)"]], "bias of 256 bytes at 0x1000"),
    ([transfer("r0", 4), ["cvt.ub = acc(r0)"]], "not modelled"),
])  # fmt: skip
def test_faults_stop_the_program(packets, message):
    machine = machine_of(*packets)
    with pytest.raises(SimError, match=message) as caught:
        machine.run("f")
    assert caught.value.asm_line > 0


@pytest.mark.parametrize(("chip", "packet", "message"), [
    ("v67", ["mxclracc"], "exists from v68 on"),
    ("v68", ["mxclracc.hf"], "float accumulators of v68 are not modelled"),
    ("v68", ["cvt.ub = acc(r0)"], "exists from v73 on"),
    ("v79", ["acc = mxshl(acc,#16)"], "exists up to v75"),
    ("v79", ["activation.f8 = mxmem(r0,r1)", "weight.f8 = mxmem(r2,r3)"], "not modelled"),
])  # fmt: skip
def test_chips_without_a_form_refuse_it(chip, packet, message):
    with pytest.raises(SimError, match=message):
        machine_of(packet, chip=chip)


def test_the_function_behind_packets_cannot_be_called():
    text = function("f", [["allocframe(#8)"], ["call matrix.packet"]])
    with pytest.raises(SimError, match="without a packet"):
        Machine(text).run("f")


def test_integers_run_on_v68():
    packets = [["mxclracc"], *load_bias(8192), transfer("r0", TCM), transfer("r1", TILE - 1),
               transfer("r2", TCM + TILE), transfer("r3", 1023),
               ["activation.ub = mxmem(r0,r1):cm", "weight.b = mxmem(r2,r3)"],
               transfer("r8", TCM + 2 * TILE), transfer("r9", 0), ["mxmem(r8,r9):after:cm:sat.ub = acc"]]  # fmt: skip
    machine = machine_of(*packets, chip="v68")
    machine.write(TCM, np.full(TILE, 2, np.uint8))
    machine.write(TCM + TILE, np.full(1024, 3, np.uint8))
    machine.write(TCM + 8192, np.repeat(np.array([24 << 10, 0], np.uint32), 32))  # bits 7:0 of 2 * 3 * 32
    machine.run("f")
    assert set(machine.read(TCM + 2 * TILE, np.uint8, TILE)) == {192}


# -- ways to run -----------------------------------------------------------------------------------------------
LOOP = [
    ["mxclracc.hf"], *load_bias(64 * TILE), transfer("r0", TCM), transfer("r1", TILE - 1),
    transfer("r2", TCM + 32 * TILE), transfer("r3", TILE - 1), ["loop0(.LT,#4)"],
]  # fmt: skip
REST = [*convert(), *store(65 * TILE)]


def _looping():
    """A program whose products are in a hardware loop, beside the update of both addresses."""
    before, after = (function("f", list(part)).split("f:\n")[1].replace("\t{\n\t\tjumpr r31\n\t}\n", "")
                     for part in (LOOP, REST))  # fmt: skip
    body = ("\t{\n\t\tr0 = add(r0,##2048)\n\t\tr2 = add(r2,##2048)\n\t\tactivation.hf = mxmem(r0,r1)\n"
            "\t\tweight.hf = mxmem(r2,r3)\n\t} :endloop0\n")
    head = function("f", [["nop"]]).split("f:\n")[0]
    return f"{head}f:\n{before}.LT:\n{body}{after}\t{{\n\t\tjumpr r31\n\t}}\n"


def _run_loop(**options):
    rng = np.random.default_rng(3)
    a, b = rng.integers(-3, 4, (32, 128)), rng.integers(-3, 4, (128, 32))
    machine = Machine(_looping(), **options)
    machine.write(TCM, half_tiles(a))
    machine.write(TCM + 32 * TILE, weight_tiles(b))
    machine.write(TCM + 64 * TILE, IDENTITY)
    result = machine.run("f")
    np.testing.assert_array_equal(from_half_tiles(machine.read(TCM + 65 * TILE, np.uint8, TILE), 32, 32), a @ b)
    return result


def test_a_packet_reads_its_registers_before_it_writes_them():
    assert _run_loop().matrix.products == 4


def test_quick_and_fast_code_agree(monkeypatch):
    quick = _run_loop()
    monkeypatch.setattr(code, "QUICK_PACKETS", -1)
    fast = _run_loop()
    assert fast.cycles == quick.cycles and fast.matrix == quick.matrix and fast.stalls == quick.stalls


def test_fast_memory_gives_the_same_values():
    assert _run_loop(memory="fast").matrix == _run_loop().matrix


def test_a_checked_run_knows_what_the_engine_has_written():
    """The results are read by the program: bytes that no store of the program wrote."""
    text = _looping().replace("\t{\n\t\tjumpr r31\n\t}\n", f"\t{{\n\t\tr0 = ##{TCM + 65 * TILE - (1 << 32)}\n\t}}\n"
                              "\t{\n\t\tr0 = memw(r0+#0)\n\t}\n\t{\n\t\tjumpr r31\n\t}\n")
    machine = Machine(text, check=True)
    machine.alloc_tcm_at(TCM, 66 * TILE)
    for offset, size in ((0, 4 * TILE), (32 * TILE, 4 * TILE), (64 * TILE, 256)):
        machine.write(TCM + offset, np.zeros(size, np.uint8))
    assert not [report for report in machine.run("f").reports if report.rule == "uninitialised"]


@pytest.mark.parametrize(("significand", "kind"), [((1 << 29) - 1, POSITIVE_INFINITY), (-(1 << 29), NEGATIVE_INFINITY)])
@pytest.mark.parametrize(("chip", "greatest"), [("v75", 63), ("v81", 255)])
def test_an_exponent_beyond_the_greatest_makes_an_infinity(chip, greatest, significand, kind):
    """No run of packets comes there, so the state is set: a small product more carries into the next exponent."""
    memory = Memory(targets.get(chip))
    engine = MatrixEngine(memory, targets.get(chip))
    sign = 1 if significand > 0 else -1
    memory.write(TCM, half_tiles(np.full((32, 32), sign)))
    memory.write(TCM + TILE, weight_tiles(np.ones((32, 32))))
    floats = engine.state.float
    floats.significands[0], floats.exponents[0] = significand, greatest
    packet = Packet.of(["activation.hf=mxmem(R,R)", "weight.hf=mxmem(R,R)"])
    engine.execute(packet, (TCM, TILE - 1, TCM + TILE, TILE - 1), 0)
    assert set(floats.kinds[0].ravel()) == {kind} and set(floats.kinds[1].ravel()) == {0}
    assert set(floats.exponents[0].ravel()) == {greatest}
