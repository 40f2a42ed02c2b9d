"""The matrix engine in checked runs: sound programs are clean, operands count as accesses of the thread that issues.

``faults/matrix_*.s`` has a program for each of its rules.
"""

import numpy as np
import pytest
from sim.forms_harness import function
from sim.matrix_harness import TCM, convert, half_product, half_tiles, load_bias, store, transfer, weight_tiles

from hexagon_mlir.sim import Machine
from hexagon_mlir.sim.checking.rules import Rule

A, W, B, C = 0, 0x1000, 0x2000, 0x2800
BYTES = 0x4000
FRAME, RETURN = ["allocframe(#16)"], ["r31:30 = dealloc_return(r30):raw"]
WAIT = ["call hexmlir_rt_engine_wait"]
PRODUCT = [*half_product(A, W, 1), *load_bias(B), *convert(), *store(C)]


def program(*packets, wait=True, more=""):
    """``f`` with a frame; it waits for the engine last."""
    text = function("f", [FRAME, *packets, *([WAIT] if wait else []), RETURN])
    return text.replace("\t{\n\t\tjumpr r31\n\t}\n", "", 1) + more


def run(text, chip="v75", fill=True, arguments=(), nbytes=BYTES):
    """Rules that a checked run reports, in order; operands are ones, the bias table that of the identity."""
    machine = Machine(text, chip, check=True)
    assert machine.alloc_tcm(nbytes) == TCM
    if fill:
        machine.write(TCM + A, half_tiles(np.ones((32, 32))))
        machine.write(TCM + W, weight_tiles(-np.ones((32, 32))))
        machine.write(TCM + B, np.repeat(np.array([0x3C00, 0], np.uint32), 32))
    result = machine.run("f", [machine.alloc_ddr(4096), *arguments])
    return [report.rule for report in result.reports], result.reports


def rules(*args, **options):
    return run(*args, **options)[0]


def test_a_sound_program_is_clean():
    text = program(*PRODUCT, WAIT, transfer("r8", TCM + C), ["v0 = vmem(r8+#0)"], ["vmem(r8+#1) = v0"])
    assert rules(text) == []


def test_results_may_be_operands_without_a_wait():
    assert rules(program(*PRODUCT, *half_product(C, W, 1), *convert(), *store(A))) == []


@pytest.mark.parametrize("access", ["v0 = vmem(r8+#0)", "r0 = memw(r8+#0)", "memw(r8+#4) = r0"])
def test_results_before_the_wait(access):
    assert rules(program(*PRODUCT, transfer("r8", TCM + C), [access])) == [Rule.MATRIX_RESULT]


def test_memcpy_of_results_before_the_wait():
    copy = [["r16 = r0"], *PRODUCT, ["r0 = r16"], transfer("r1", TCM + C), ["r2 = #128"], ["call memcpy"]]
    assert rules(program(*copy)) == [Rule.MATRIX_RESULT]


def moved(source, to):
    """Starts a transfer of 128 bytes between offsets into TCM, or from or to (None) DDR; its descriptor is in DDR."""
    def side(register, offset):
        return [f"{register} = r16"] if offset is None else transfer(register, TCM + offset)

    return [side("r4", source), side("r5", to), ["r6 = #128"], ["memw(r16+#1024) = #0"], ["memw(r16+#1028) = r6"],
            ["memw(r16+#1032) = r4"], ["memw(r16+#1036) = r5"], ["r7 = add(r16,#1024)"], ["dmstart(r7)"]]  # fmt: skip


@pytest.mark.parametrize(("source", "to", "expected"), [
    (C, None, [Rule.MATRIX_RESULT]), (None, A, [Rule.MATRIX_OPERAND]), (None, C + 0x800, [])])  # fmt: skip
def test_transfers_beside_the_engine(source, to, expected):
    assert rules(program(["r16 = r0"], *PRODUCT, *moved(source, to), WAIT, ["r4 = dmwait"])) == expected


def test_an_operand_that_a_transfer_still_writes():
    packets = [["r16 = r0"], *moved(None, A), *half_product(A, W, 1), ["r4 = dmwait"]]
    assert rules(program(*packets)) == [Rule.USE_BEFORE_WAIT]


def test_operands_without_any_value():
    assert rules(program(*half_product(A, W, 1)), fill=False) == [Rule.UNINITIALISED]


@pytest.mark.parametrize(("bits", "expected"), [(0x7C00, True), (0xFC00, True), (0x7E01, True), (0x7BFF, False)])
def test_infinities_among_values(bits, expected):
    machine = Machine(program(*half_product(A, W, 1)), "v75", check=True)
    machine.alloc_tcm(BYTES)
    machine.write(TCM + A, np.full(8, bits, np.uint16))
    machine.write(TCM + W, np.zeros(1024, np.uint16))
    found = machine.run("f").reports
    assert [report.rule for report in found] == ([Rule.MATRIX_INFINITY] if expected else [])
    assert not expected or (found[0].address == TCM + A and "8 halves of the activation" in found[0].detail)


def test_bytes_without_a_value_are_no_infinities():
    machine = Machine(program(*half_product(A, W, 1)), "v75", check=True)
    machine.alloc_tcm(BYTES)
    machine.memory.bytes[TCM + A : TCM + A + 2048] = 0x7C
    machine.write(TCM + A, np.zeros(64, np.uint16))
    machine.write(TCM + W, np.zeros(1024, np.uint16))
    assert machine.run("f").reports == []


def test_operands_outside_the_allocation():
    assert rules(program(*half_product(BYTES - 0x800, W, 2)), fill=True) == [Rule.OUT_OF_BOUNDS]


@pytest.mark.parametrize(("packets", "address"), [
    (half_product(A | 2 << 7, W, 1), A | 2 << 7), (half_product(A, W | 4, 1), W | 4),
    (load_bias(B | 0x80), B | 0x80), (store(C | 4), C | 4)])  # fmt: skip
def test_ignored_bits_of_addresses(packets, address):
    """A deep product has no rows of a filter; weights, bias tables and results have their alignment."""
    found, reports = run(program(*packets))
    assert found == [Rule.MATRIX_MISALIGNED] and reports[0].address == TCM + address


@pytest.mark.parametrize("packets", [
    half_product(A, W | 32, 1), load_bias(B | 3), store(C | 0x83), half_product(A | 8 << 2, W, 1)])  # fmt: skip
def test_bits_that_are_no_address(packets):
    """Negated weights, a group of bias registers, an offset of results, a first channel."""
    assert Rule.MATRIX_MISALIGNED not in rules(program(*packets))


@pytest.mark.parametrize(("length", "dropped"), [(0x7FF, False), (0x77F, True), (-1, True)])
def test_dropped_work(length, dropped):
    *before, pair = half_product(A, W, 1)
    found, reports = run(program(*before, transfer("r3", length), pair))
    assert found == ([Rule.MATRIX_DROPPED] if dropped else [])
    assert not dropped or ("negative" in reports[0].detail) == (length < 0)


def test_more_tiles_than_a_packet_takes():
    assert Rule.MATRIX_DROPPED in rules(program(*half_product(A, W, 33)), nbytes=0x20000)
    assert Rule.MATRIX_DROPPED not in rules(program(*half_product(A, W, 32)), nbytes=0x20000)


def test_the_relu_is_uncertain():
    packets = [*half_product(A, W, 1), *load_bias(B), *convert(0), *store(C)]
    found, reports = run(program(*packets))
    assert found == [Rule.MATRIX_RELU] and not reports[0].certain and "1024 negative" in reports[0].detail
    assert rules(program(*[*load_bias(B), *convert(0), *store(C)])) == []


def test_memory_that_is_freed_under_the_engine():
    free = [transfer("r0", 0x1000), transfer("r1", 0x800), ["call hexmlir_rt_tcm_alloc"], ["r16 = r0"],
            *half_product(A, W, 1), ["r8 = r16"], transfer("r9", 0), *load_bias(B), *convert(),
            ["mxmem(r8,r9) = cvt"], ["r0 = r16"], ["call hexmlir_rt_tcm_free"]]  # fmt: skip
    found, reports = run(program(*free))
    assert found == [Rule.FREED_IN_FLIGHT] and "freed while the matrix engine writes it" in reports[0].detail


THREAD = function("g", [["memw(r0+#0) = r1"]])


def test_an_operand_that_another_thread_writes():
    start = [["r0 = ##g"], transfer("r1", TCM + A), ["call hexmlir_rt_thread_create"], ["r17 = r0"],
             ["call hexmlir_rt_engine_acquire"], *half_product(A, W, 1), ["call hexmlir_rt_engine_release"],
             ["r0 = r17"], ["call hexmlir_rt_thread_join"]]  # fmt: skip
    assert Rule.RACE in rules(program(*start, wait=False, more=THREAD))
    ordered = [*start[:4], *start[-2:], *start[4:-2]]
    assert rules(program(*ordered, wait=False, more=THREAD)) == []
