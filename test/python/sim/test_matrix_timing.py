"""Time of the matrix engine, worked out by hand from the numbers of v75: queue, two servers, one holder."""

import numpy as np
import pytest
from sim.forms_harness import function
from sim.matrix_harness import TILE, half_product, load_bias, machine_of, store, transfer

from hexagon_mlir import targets
from hexagon_mlir.exec.session import LaunchRecord
from hexagon_mlir.isa.matrix import Kind
from hexagon_mlir.report import text
from hexagon_mlir.sim import Machine, SimError, trace
from hexagon_mlir.sim.matrix_engine.timing import Clock, Effect

V75 = targets.get("v75")
Q8 = 256
RETURN = 1
"""Cycles after the last packet's that a run has beside the engine's: the branch of the return."""


def product(tiles, current=0, both=False):
    return Effect(Kind.ACTIVATION, True, current, both, 32 * tiles, 32)


def convert(current=0):
    return Effect(Kind.CONVERT, True, current)


STORE = Effect(Kind.STORE, False, 0, written_bytes=TILE)


def spans(*arrivals):
    """Begin and end in cycles of each (cycle, effect)."""
    clock = Clock(V75)
    clock.trace = True
    for now, effect in arrivals:
        clock.issue(effect, now * Q8, 0)
    return [(span.begin // Q8, span.end // Q8) for span in clock.spans], clock


def test_numbers_are_those_the_cases_were_worked_out_for():
    names = ("half_tile", "byte_tile", "packet", "convert", "store", "bias", "result")
    assert [getattr(V75, f"matrix_{name}_cycles").value for name in names] == [8, 4, 3, 24, 16, 8, 60]
    assert V75.matrix_queue_packets.value == 8


@pytest.mark.parametrize("tiles", [1, 3, 32])
def test_a_deep_packet_takes_eight_cycles_for_a_tile_and_three_more(tiles):
    assert spans((10, product(tiles)))[0] == [(10, 10 + 8 * tiles + 3)]
    machine = machine_of(*half_product(0, 0, tiles))
    result = machine.run("f")
    assert result.matrix.array_cycles == 8 * tiles + 3
    assert result.matrix.tile_cycles == 8 * tiles
    assert result.matrix.macs == tiles * 32**3
    assert result.matrix.read_bytes == 2 * tiles * TILE
    assert result.stalls["matrix-wait"] == 8 * tiles + 3 - RETURN - 1  # issued a cycle before the return


def test_products_wait_for_tiles_that_the_engine_stores():
    """A store of the tile at 0x1000 ends at 54 and arrives 20 cycles later: products of it, and only they, wait."""
    arrivals = [(0, product(1)), (0, convert()), (0, Effect(Kind.STORE, False, 0, written_bytes=TILE,
                                                            result=(0x1000, 0x1000 + TILE)))]
    begins = {}
    for first, last in ((0x1000, 0x1800), (0x800, 0x1001), (0x17FF, 0x3000), (0, 0x1000), (0x1800, 0x2000)):
        reading = Effect(Kind.ACTIVATION, True, 1, False, 32, 32, activations=(first, last))
        begins[first] = spans(*arrivals, (20, reading))[0][-1][0]
    assert begins == {0x1000: 71, 0x800: 71, 0x17FF: 71, 0: 20, 0x1800: 20}


def test_a_program_that_multiplies_what_the_engine_stored():
    """A conversion and its store begin with the end of one product; 60 cycles later the next one begins."""
    def array_begins(activation):
        machine = machine_of(*load_bias(0), *half_product(0x1000, 0, 1), transfer("r7", 2), ["cvt.hf = acc(r7)"],
                             *store(0x8000), *half_product(activation, 0, 1))
        machine.run("f", trace=True)
        return [span.begin // Q8 for span in machine.matrix.clock.spans if span.what == "products"]

    stored, other = array_begins(0x8000), array_begins(0x2000)
    assert stored[0] == other[0]
    assert stored[1] == stored[0] + 8 + 3 + 60
    assert other[1] < stored[1] - 30


def test_weights_for_64_columns_take_twice_as_long():
    machine = machine_of(*half_product(0, 0, 3, ":deep"))
    result = machine.run("f")
    assert result.matrix.array_cycles == 2 * 3 * 8 // 2 + 3  # its weights end after three of six steps
    machine = machine_of(*half_product(0, 0, 3, ":deep")[:-2], transfer("r3", 6 * TILE - 1),
                         *half_product(0, 0, 3, ":deep")[-1:])
    assert machine.run("f").matrix.array_cycles == 2 * 3 * 8 + 3


def test_a_conversion_waits_for_its_products_and_the_next_products_do_not():
    found, clock = spans((0, product(10)), (1, convert(0)), (2, STORE), (3, product(10, 1)), (4, convert(1)),
                         (5, STORE))
    assert found == [(0, 83), (83, 107), (107, 123), (83, 166), (166, 190), (190, 206)]
    assert clock.drained() == (206 + 60 - 40) * Q8


@pytest.mark.parametrize(("channels", "measured"), [(256, 16.6e12), (512, 17.0e12), (1024, 17.0e12)])
def test_chains_of_byte_layers_run_as_fast_as_measured(channels, measured):
    """MACs a second of the loops on SM8475 (v69) at 1.40 GHz, v73's numbers: pairs of tiles, weights for both sets."""
    clock, now, pairs = Clock(targets.get("v73")), 0, 50
    for _ in range(pairs):
        for packet in [Effect(Kind.ACTIVATION, False, 0, True, 64, 32)] * (channels // 32) + [
            Effect(Kind.CONVERT_STORE, False, current, written_bytes=TILE) for current in (0, 1)
        ]:
            now = clock.next_place(now + Q8)
            clock.issue(packet, now, 0)
    rate = clock.use.macs / (clock.drained() / Q8) * 1.4e9
    assert rate == pytest.approx(measured, rel=0.05)


def test_a_second_conversion_waits_for_the_store_of_the_first():
    both = Effect(Kind.CONVERT_STORE, True, 0, written_bytes=TILE)
    found, _ = spans((0, product(1)), (0, both), (0, product(1, 1)), (0, Effect(Kind.CONVERT_STORE, True, 1)))
    assert found == [(0, 11), (11, 51), (11, 22), (51, 91)]


def test_a_conversion_waits_for_products_in_either_set():
    found, _ = spans((0, product(2, 1, both=True)), (0, convert(0)), (0, product(2, 1)), (0, convert(0)))
    assert found == [(0, 19), (19, 43), (19, 38), (43, 67)]


def test_integers_and_floats_share_the_array():
    found, _ = spans((0, Effect(Kind.ACTIVATION, False, 0, False, 64, 32)), (0, product(1)))
    assert found == [(0, 11), (11, 22)]


def test_a_full_queue_stalls_the_thread():
    """The first packet begins at once, eight wait; the tenth is taken when the second one begins."""
    issued = 12
    machine = machine_of(*half_product(0, 0, 32)[:-1], *half_product(0, 0, 32)[-1:] * issued)
    result = machine.run("f")
    packet = 32 * 8 + 3
    # packet n + 9 is taken n * 259 cycles after the first: 3 of them stall, the first issued 9 cycles after it
    assert result.stalls["matrix-queue"] == (packet - 9) + (packet - 1) + (packet - 1)
    assert result.matrix.array_cycles == issued * packet
    assert result.cycles == pytest.approx(issued * packet, abs=12)


def test_nine_packets_do_not_stall():
    machine = machine_of(*half_product(0, 0, 32)[:-1], *half_product(0, 0, 32)[-1:] * 9)
    assert "matrix-queue" not in machine.run("f").stalls


def test_bias_and_store_are_the_converters():
    machine = machine_of(*load_bias(0), *store(TILE))
    result = machine.run("f")
    assert result.matrix.converter_cycles == 8 + 16
    assert result.matrix.stores == 1 and result.matrix.written_bytes == TILE


def test_cycles_are_the_same_in_every_run():
    machine = machine_of(*half_product(0, 0, 5) * 4)
    first, second = machine.run("f"), machine.run("f")
    assert first.cycles == second.cycles and first.matrix == second.matrix


def test_programs_without_the_engine_have_no_use_of_it():
    assert Machine(function("f", [["r0 = #1"]])).run("f").matrix is None


# -- the runtime's functions -----------------------------------------------------------------------------------
def calling(*steps, name="f"):
    """A function of packets and, as text, names of functions to call; it keeps r16."""
    body = [["allocframe(#8)"], ["memd(r29+#0) = r17:16"]]
    for step in steps:
        body += [[f"call {step}"]] if isinstance(step, str) else [step]
    text = function(name, [*body, ["r17:16 = memd(r29+#0)"], ["r31:30 = dealloc_return(r30):raw"]])
    return text.replace("\t{\n\t\tjumpr r31\n\t}\n", "")


def test_wait_stalls_until_everything_is_done():
    text = calling(*half_product(0, 0, 32), *store(3 * TILE), "hexmlir_rt_engine_wait", "hexmlir_rt_cycles")
    machine = Machine(text)
    result = machine.run("f")
    issue = len(half_product(0, 0, 32)) + 2
    assert result.return_value == pytest.approx(issue + 32 * 8 + 3, abs=30)
    assert result.stalls["matrix-wait"] > 200


@pytest.mark.parametrize(("passes", "bound"), [(1500, "engine"), (5000, "thread")])
def test_a_thread_works_beside_the_engine(passes, bound):
    """Eight packets fit in the queue: the thread goes on at once, and the longer of both decides."""
    body = f"\t{{\n\t\tloop0(.LB,##{passes})\n\t}}\n.LB:\n\t{{\n\t\tr5 = add(r5,#1)\n\t}} :endloop0\n"
    packets = [*half_product(0, 0, 32)[:-1], *half_product(0, 0, 32)[-1:] * 8]
    text = function("f", packets).replace("\t{\n\t\tjumpr r31", body + "\t{\n\t\tjumpr r31")
    result = Machine(text).run("f")
    busy = 8 * (32 * 8 + 3)
    assert result.cycles == pytest.approx(busy if bound == "engine" else passes, abs=20)
    assert ("matrix-wait" in result.stalls) == (bound == "engine")


def test_acquire_twice_and_release_without_are_errors():
    for steps, message in ((("hexmlir_rt_engine_acquire",) * 2, "holds the matrix engine"),
                           (("hexmlir_rt_engine_release",), "does not hold")):
        with pytest.raises(SimError, match=message):
            Machine(calling(*steps)).run("f")


def _forked(work):
    """``f`` makes two threads that run ``work``, each with its own number as argument, and joins them."""
    create = [["r0 = ##work"], ["r1 = #1"]], [["r0 = ##work"], ["r1 = #2"]]
    main = calling(*create[0], "hexmlir_rt_thread_create", ["r16 = r0"], *create[1], "hexmlir_rt_thread_create",
                   ["r17 = r0"], ["r0 = r16"], "hexmlir_rt_thread_join", ["r0 = r17"], "hexmlir_rt_thread_join")
    return Machine(main + calling(*work, name="work"))


def test_two_threads_take_turns():
    packets = 20  # more cycles than it takes to create a thread
    work = ["hexmlir_rt_engine_acquire", *half_product(0, 0, 32) * packets, "hexmlir_rt_engine_release"]
    machine = _forked(work)
    results = [machine.run("f", trace=True) for _ in range(2)]
    assert results[0].cycles == results[1].cycles
    spans = machine.matrix.clock.spans
    assert [span.thread for span in spans] == [1] * packets + [2] * packets
    assert spans[packets].begin - spans[packets - 1].end == pytest.approx(50 * Q8, abs=40 * Q8)
    assert results[0].matrix.products == 2 * packets
    second = results[0].threads[2]
    assert second.busy < second.end - second.begin - packets * 259 // 2  # it did not spin


def test_one_thread_cannot_use_what_another_holds():
    acquire = calling("hexmlir_rt_engine_acquire", ["r0 = ##work"], ["r1 = #1"], "hexmlir_rt_thread_create",
                      "hexmlir_rt_thread_join")
    with pytest.raises(SimError, match="held by thread 0 'f'"):
        Machine(acquire + calling(*half_product(0, 0, 1), name="work")).run("f")


def test_a_thread_that_ends_waits_for_its_packets():
    main = calling(["r0 = ##work"], ["r1 = #1"], "hexmlir_rt_thread_create", "hexmlir_rt_thread_join")
    result = Machine(main + calling(*half_product(0, 0, 32), name="work")).run("f")
    assert result.threads[1].end - result.threads[1].begin >= 32 * 8 + 3
    assert result.cycles >= result.threads[1].end


def test_utilization_is_products_over_what_the_array_could_do():
    machine = machine_of(*half_product(0, 0, 32)[:-1], *half_product(0, 0, 32)[-1:] * 4)
    result = machine.run("f")
    assert result.matrix.utilization(result.cycles) == pytest.approx(4 * 32 * 8 / result.cycles)
    assert result.matrix.macs / (4096 * result.cycles) == pytest.approx(result.matrix.utilization(result.cycles))
    assert np.isclose(result.matrix.utilization(0), 0)


# -- how it is shown -------------------------------------------------------------------------------------------
def test_the_timeline_has_a_track_for_each_server():
    machine = machine_of(["mxclracc.hf"], *half_product(0, 0, 10), ["r7 = #2"], ["cvt.hf = acc(r7)"], *store(TILE))
    machine.run("f", trace=True)
    events = trace.timeline(machine)["traceEvents"]
    names = {e["args"]["name"]: e["tid"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    done = [e for e in events if e["ph"] == "X" and e["name"] in ("products", "convert", "store")]
    assert [e["tid"] for e in done] == [names["matrix array"], names["matrix converter"], names["matrix converter"]]
    cycle = 1e6 / float(V75.clock_hz.value)
    assert [round(e["dur"] / cycle) for e in done] == [83, 24, 16]
    assert done[1]["ts"] == pytest.approx(done[0]["ts"] + done[0]["dur"], abs=1e-5)


def test_reports_show_what_the_engine_did():
    machine = machine_of(*half_product(0, 0, 10), ["r7 = #2"], ["cvt.hf = acc(r7)"], *store(TILE))
    result = machine.run("f")
    shown = text.run(result)
    assert f"{10 * 32**3:,} ({80 / result.cycles:.1%} of what it could do)" in shown
    assert f"busy 83 cycles ({83 / result.cycles:.1%})" in shown
    assert "40.0 KiB, 2.0 KiB" in shown and "stalls: matrix-wait" in shown
    record = LaunchRecord("k", "v75", None, (), result, 0.0)
    assert f"{80 / result.cycles:.1%}" in text.launches([record])
    without = Machine(function("f", [["r0 = #1"]])).run("f")
    assert "matrix" not in text.run(without)
