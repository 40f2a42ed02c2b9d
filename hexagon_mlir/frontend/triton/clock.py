"""The simulated machine as the device whose events `triton.testing.do_bench` records."""

from __future__ import annotations

from typing import Any


class Milliseconds(float):
    """A measured time. The same launch takes the same cycles again, so a budget of time asks for one repetition."""

    def __truediv__(self, other: Any) -> Milliseconds:
        return Milliseconds(float(self) / other)

    def __rtruediv__(self, budget: Any) -> float:
        return 1.0


class Event:
    """A point on the simulated clock, which runs only during launches."""

    def __init__(self, enable_timing: bool = True, **_: Any):
        self.at = 0.0

    def record(self, stream: Any = None) -> None:
        """Set the event to now."""
        self.at = now()

    def elapsed_time(self, later: Event) -> Milliseconds:
        """Milliseconds of the simulated clock from this event to ``later``."""
        return Milliseconds(later.at - self.at)

    def synchronize(self) -> None:
        pass


class DeviceInterface:
    """The replacement of `torch.cuda` for Triton."""

    Event = Event

    @staticmethod
    def synchronize(device: Any = None) -> None:
        pass

    @staticmethod
    def current_device() -> int:
        return 0


def now() -> float:
    """Milliseconds that all launches of this process took on the simulated clock."""
    from hexagon_mlir.exec.sim import SESSION

    return SESSION.milliseconds
