"""How fast this machine is: promises in seconds are those of a reference machine.

    python bench/machine.py

A virtual core of a busy host takes twice the time that it took an hour ago.
"""

from __future__ import annotations

import subprocess
import sys
import time

REFERENCE_SECONDS = 0.045
"""CPython 3.11 adds a million squares in this time, on one core of the reference machine."""
_SQUARES = 1_000_000
_RUNS = 5


_START_SECONDS = 0.05
"""From which on another process counts, not starts."""


def slowness(busy: int = 0) -> float:
    """How many times as long as the reference machine this one takes now; never less than 1.

    The least processor time of five runs, 0.2 s on the reference machine, while so many other processes are ``busy``:
    virtual cores may be halves of one core, and a program that keeps several of them busy gets less of each.
    """
    others = [subprocess.Popen([sys.executable, "-S", "-c", "while True: sum(n * n for n in range(1000))"])
              for _ in range(busy)]
    try:
        time.sleep(_START_SECONDS * bool(others))
        return max(1.0, min(_seconds() for _ in range(_RUNS)) / REFERENCE_SECONDS)
    finally:
        for other in others:
            other.kill()
            other.wait()


def _seconds() -> float:
    start, total = time.process_time(), 0
    for number in range(_SQUARES):
        total += number * number
    return time.process_time() - start


if __name__ == "__main__":
    print(f"{min(_seconds() for _ in range(_RUNS)) / REFERENCE_SECONDS:.2f} times the reference machine's time")
