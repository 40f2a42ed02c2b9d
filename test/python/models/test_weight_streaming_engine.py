"""The first weights of a product on the matrix engine come while the kernel before computes."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

import hexagon_mlir as hx
from hexagon_mlir import targets
from hexagon_mlir.exec.model import ModelProgram
from hexagon_mlir.exec.sim import SESSION, checking
from hexagon_mlir.exec.tcm_plan import Start
from hexagon_mlir.sim.checking.rules import Rule

ROWS, WIDTH, HIDDEN = 64, 256, 512
DMA = 2
"""The timeline's process."""


@pytest.fixture(scope="module")
def case():
    """A perceptron after a norm, and its arguments as arrays."""
    torch.manual_seed(0)
    module = nn.Sequential(nn.LayerNorm(WIDTH), nn.Linear(WIDTH, HIDDEN), nn.GELU(), nn.Linear(HIDDEN, WIDTH)).eval()
    x = torch.randn(ROWS, WIDTH)
    model = hx.compile(torch.export.export(module, (x,)), numerics="mixed")
    signature = model.signature
    arguments = [x.numpy() if place is not None else signature.constants[number].numpy()
                 for number, place in enumerate(signature.inputs)]
    return model, arguments, module(x).detach().numpy()


def by_itself(schedule):
    """The program in which each call starts its own first tile."""
    program = ModelProgram(schedule)
    places = tuple(replace(place, starts=(), ahead=0) for place in program.tcm.places)
    program.__dict__["tcm"] = replace(program.tcm, places=places)
    return program


def test_values_and_time(case):
    """The same bits in less time: the second product finds its weights in TCM."""
    model, arguments, expected = case
    with checking() as reports:
        run = ModelProgram(model.schedule).run(arguments)
    assert not reports
    alone = by_itself(model.schedule).run(arguments)
    np.testing.assert_array_equal(run.outputs[0], alone.outputs[0])
    assert np.abs(run.outputs[0] - expected).max() < 2e-3
    assert [record.result.matrix is not None for record in run.launches] == [True, True]
    assert list(model.result.streamed_bytes) == [0, HIDDEN * WIDTH * 2]
    assert run.cycles < alone.cycles - 1000
    line = int(targets.get().l2_line_bytes.value)  # one is evicted, and read again, in one of both schedules
    for one, other in zip(run.launches, alone.launches, strict=True):
        assert abs(one.result.ddr_read_bytes - other.result.ddr_read_bytes) in (0, line, 2 * line)
        assert abs(one.result.ddr_write_bytes - other.result.ddr_write_bytes) in (0, line, 2 * line)


def test_the_wait_counts(case):
    """Without waits the engine multiplies a tile that has not arrived."""
    model, arguments, _ = case
    kernels = [replace(kernel, asm=kernel.asm.replace("call hexmlir_rt_dma_wait", "call hexmlir_rt_cycles"))
               for kernel in model.schedule.kernels]
    with checking() as reports:
        ModelProgram(replace(model.schedule, kernels=kernels)).run(arguments)
    assert Rule.USE_BEFORE_WAIT in {report.rule for report in reports}


def test_linked_program(case):
    """In C each call gets its part of the TCM, where tiles of the engine may begin, and the tile that it starts."""
    model = case[0]
    source = model.binary().source
    assert ", 2048);" in source
    places = ModelProgram(model.schedule).tcm.places
    own = len(places[0].tiles)
    assert [place.starts for place in places] == [(Start(1, 0, len(places[1].tiles)),), ()] and len(places[1].tiles) > 1
    assert source.count("&tiles[0]") == 1 and source.count(f"&tiles[{own}]") == 2  # own ones, and those it starts
    assert f"&tiles[{own}], {len(places[1].tiles)})" in source
    assert all(at % 2048 == 0 for place in places for at in place.tiles)


def test_the_timeline(case):
    """The second product's transfers are in the first one's timeline, and it waits for none of them."""
    model, arguments, _ = case
    program = ModelProgram(model.schedule)
    with SESSION.running(traced=True):
        first, second = program.run(arguments).launches
        alone = by_itself(model.schedule).run(arguments).launches
    tiles = model.schedule.kernels[model.schedule.calls[1].kernel].memory.tiles

    def begun(launch):
        sizes = [event["args"]["bytes"] for event in launch.trace.timeline["traceEvents"]
                 if event.get("pid") == DMA and event["ph"] == "X"]
        return [sizes.count(tile.nbytes) for tile in tiles]

    products = begun(alone[0])
    assert begun(first) == [count + len(tiles) for count in products]
    idle = [launch.result.matrix.first_cycle for launch in (second, alone[1])]
    assert 0 < idle[0] < idle[1] - 1000
    assert second.result.matrix.last_cycle <= second.result.cycles


class Attention(nn.Module):
    """Attention of ten heads, each of which a thread fetches and computes, and the layer after it."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(640, 640)

    def forward(self, query, key, value):
        heads = (x.view(1, ROWS, 10, 64).transpose(1, 2) for x in (query, key, value))
        found = nn.functional.scaled_dot_product_attention(*heads)
        return self.out(found.transpose(1, 2).reshape(1, ROWS, 640))


def test_attention_starts_tiles_in_rounds():
    """Its fetches are in a parallel loop, after which there was no work: it started none. The result of a head is not
    copied within DDR."""
    torch.manual_seed(0)
    module, inputs = Attention().eval(), tuple(torch.randn(1, ROWS, 640) for _ in range(3))
    model = hx.compile(torch.export.export(module, inputs), numerics="mixed")
    signature = model.signature
    arguments = [inputs[place].numpy() if place is not None else signature.constants[number].numpy()
                 for number, place in enumerate(signature.inputs)]
    with checking() as reports:
        run = ModelProgram(model.schedule).run(arguments)
    assert not reports
    alone = by_itself(model.schedule).run(arguments)
    np.testing.assert_array_equal(run.outputs[0], alone.outputs[0])
    assert np.abs(run.outputs[0] - module(*inputs).detach().numpy()).max() < 4e-3
    started = ModelProgram(model.schedule).tcm.places[-2].starts[0]
    assert "attention" in run.launches[-2].kernel
    assert started.count > 1
    assert run.cycles < alone.cycles - 5000
    assert abs(run.ddr_bytes - alone.ddr_bytes) < 4096  # tiles once, though the first call waits for later transfers
    attention = alone.launches[-2].result
    assert attention.ddr_write_bytes < 1.2 * 2 * ROWS * 640
