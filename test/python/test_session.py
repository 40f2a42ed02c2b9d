"""What launches of a process share, and how much of them is remembered."""

import numpy as np
import pytest

from hexagon_mlir.exec.session import REMEMBERED, LaunchRecord, Session
from hexagon_mlir.sim import Arithmetic, RunResult


def record(number, cycles=1000):
    result = RunResult.__new__(RunResult)
    object.__setattr__(result, "cycles", cycles)
    return LaunchRecord(f"k{number}", "v75", None, (), result, 0.0)


def test_the_history_has_an_end_and_recordings_have_not():
    session = Session()
    with session.recording() as records:
        for number in range(REMEMBERED + 10):
            session.add(record(number))
    assert len(records) == REMEMBERED + 10 and len(session.history) == REMEMBERED
    assert session.history[0].kernel == "k10" and session.history[-1].kernel == f"k{REMEMBERED + 9}"
    np.testing.assert_allclose(session.milliseconds, sum(r.milliseconds for r in records), rtol=1e-9)
    session.add(record(0))
    assert len(records) == REMEMBERED + 10 and not session.observers, "nobody listens after the end"


def test_settings_are_as_before_after_an_error():
    session = Session()
    with pytest.raises(ValueError, match="stop"), session.running(traced=True, arithmetic=Arithmetic.IEEE):
        assert session.traced and session.arithmetic is Arithmetic.IEEE
        raise ValueError("stop")
    assert session == Session()


def test_recordings_are_nested():
    session = Session()
    with session.recording() as outer:
        session.add(record(1))
        with session.recording() as inner:
            session.add(record(2))
        session.add(record(3))
    assert [r.kernel for r in outer] == ["k1", "k2", "k3"] and [r.kernel for r in inner] == ["k2"]
