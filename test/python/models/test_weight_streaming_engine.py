"""The first weights of a product on the matrix engine come while the kernel before computes."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

import hexagon_mlir as hx
from hexagon_mlir.exec.model import ModelProgram
from hexagon_mlir.exec.sim import checking
from hexagon_mlir.sim.checking.rules import Rule

ROWS, WIDTH, HIDDEN = 64, 256, 512


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
    places = tuple(replace(place, starts=None, ahead=False) for place in program.tcm.places)
    program.__dict__["tcm"] = replace(program.tcm, places=places)
    return program


def test_values_and_time(case):
    """The same bits in less time: the second product finds its first 128 columns in TCM."""
    model, arguments, expected = case
    with checking() as reports:
        run = ModelProgram(model.schedule).run(arguments)
    assert not reports
    alone = by_itself(model.schedule).run(arguments)
    np.testing.assert_array_equal(run.outputs[0], alone.outputs[0])
    assert np.abs(run.outputs[0] - expected).max() < 2e-3
    assert [record.result.matrix is not None for record in run.launches] == [True, True]
    assert list(model.result.streamed_bytes) == [0, HIDDEN * 128 * 2]
    assert run.cycles < alone.cycles - 1000


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
    assert [place.starts for place in places] == [1, None]
    assert source.count("&tiles[") == 3  # each call's own tile, and the one that the first call starts
    assert all(place.arena % 2048 == 0 and place.tile % 2048 == 0 for place in places)
