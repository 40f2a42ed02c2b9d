"""Fixtures for every test."""

from __future__ import annotations

import pytest

from hexagon_mlir.exec import sim
from hexagon_mlir.sim import Arithmetic, Machine


@pytest.fixture(autouse=True)
def arithmetic(request, monkeypatch):
    """The simulator computes as the chip, but in tests with the mark ``ieee_arithmetic``, which tell right code from
    wrong by bits: there vector floats are IEEE numbers.
    """
    if not request.node.get_closest_marker("ieee_arithmetic"):
        return
    monkeypatch.setattr(sim.SESSION, "arithmetic", Arithmetic.IEEE)
    made = Machine.__init__

    def make(self, *arguments, **options):
        made(self, *arguments, **{"arithmetic": Arithmetic.IEEE, **options})

    monkeypatch.setattr(Machine, "__init__", make)
