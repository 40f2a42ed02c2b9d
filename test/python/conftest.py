"""Fixtures for every test."""

from __future__ import annotations

import pytest

from hexagon_mlir.exec import sim
from hexagon_mlir.sim import Arithmetic, Machine


@pytest.fixture(autouse=True)
def arithmetic(request, monkeypatch):
    """Outside of ``sim`` the simulator's vector floats are IEEE numbers: most tests tell right code from wrong by bits.

    Those with the mark ``chip_arithmetic`` are about the numbers that a chip computes, and run with its own.
    """
    if request.path.parent.name == "sim" or request.node.get_closest_marker("chip_arithmetic"):
        return
    monkeypatch.setattr(sim, "arithmetic", Arithmetic.IEEE)
    made = Machine.__init__

    def make(self, *arguments, **options):
        made(self, *arguments, **{"arithmetic": Arithmetic.IEEE, **options})

    monkeypatch.setattr(Machine, "__init__", make)
