"""What launches of a process share, and how much of them is remembered."""

import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

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


def test_settings_of_threads_that_overlap_end_with_them():
    session = Session()
    first, second = (session.running(checked=checked, traced=True) for checked in (True, False))
    with ExitStack() as stack:
        with first:
            stack.enter_context(second)
            assert not session.checked
        assert not session.checked and session.traced, "the second has not ended"
    assert session == Session()
    third = session.running(checked=True)
    with ExitStack() as stack:
        with session.running(checked=False, arithmetic=Arithmetic.IEEE):
            stack.enter_context(third)
        assert session.checked and session.arithmetic == Session().arithmetic
    assert session == Session()


def test_threads_share_a_session():
    """No launch or setting is lost, in whatever order the threads run."""
    session, threads, launches = Session(), 8, 50
    counts = []

    def launch(number):
        with session.recording() as records:
            for _ in range(launches):
                with session.running(checked=number % 2 == 0, traced=True):
                    assert session.traced
                    session.add(record(number))
        counts.append(sum(r.kernel == f"k{number}" for r in records))

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(launch, range(threads)))
    finally:
        sys.setswitchinterval(interval)
    assert counts == [launches] * threads and len(session.history) == threads * launches
    np.testing.assert_allclose(session.milliseconds, threads * launches * record(0).milliseconds, rtol=1e-9)
    assert not session.observers and not session.checked and not session.traced


def test_recordings_are_nested():
    session = Session()
    with session.recording() as outer:
        session.add(record(1))
        with session.recording() as inner:
            session.add(record(2))
        session.add(record(3))
    assert [r.kernel for r in outer] == ["k1", "k2", "k3"] and [r.kernel for r in inner] == ["k2"]
