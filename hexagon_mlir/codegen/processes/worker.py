"""Child processes that run LLVM, so that an abort or a hang never takes the user's process with it.

Workers are kept and reused, one for each core, four at most. See `serve` for the other end and `wire`
for the messages.
"""

from __future__ import annotations

import atexit
import os
import queue
import subprocess
import sys
import threading
import time

from hexagon_mlir.codegen.processes.side_by_side import Line
from hexagon_mlir.codegen.processes.wire import receive, send
from hexagon_mlir.ir import HexError

TIMEOUT_SECONDS = 120.0
_MOST = 4  # each takes some 150 MB


class Aborted(HexError):
    """LLVM ended the child process."""


class Worker:
    """Handle of one child process; `request` restarts it when it died."""

    def __init__(self) -> None:
        self.cpu_seconds = 0.0
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    @property
    def is_alive(self) -> bool:
        """Whether there is a child."""
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Start the child early, so that it loads LLVM while the passes run; who serves has one."""
        if self._lock.acquire(blocking=False):
            try:
                self._start()
            finally:
                self._lock.release()

    def _start(self) -> None:
        if not self.is_alive:
            self._process = subprocess.Popen([sys.executable, "-m", "hexagon_mlir.codegen.processes.serve"],
                                             stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def request(self, header: dict, body: str, timeout: float = TIMEOUT_SECONDS) -> bytes:
        """Run one code generation; `HexError` if LLVM rejects the input or exceeds ``timeout`` seconds, `Aborted` if it
        aborts.
        """
        with self._lock:
            self._start()
            process = self._process
            assert process is not None and process.stdin is not None and process.stdout is not None
            try:
                send(process.stdin, header, body.encode())
                reply = receive(process.stdout, time.monotonic() + timeout)
            except TimeoutError:
                self.stop()
                raise HexError.plain(f"LLVM did not finish in {timeout:.0f} s", origin="codegen",
                                     hint="a scalarised vector operation can blow code up; see --emit=llvm") from None
            except (OSError, EOFError):
                raise Aborted.plain(f"LLVM aborted: {self._last_words()}", origin="codegen",
                                     hint="--emit=llvm shows the input of code generation") from None
        answer, payload = reply
        self.cpu_seconds += answer["cpu_seconds"]
        if not answer["ok"]:
            raise HexError.plain(f"LLVM rejected the module: {answer['error']}", origin="codegen")
        return payload

    def stop(self) -> None:
        """End the child process."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
                if stream is not None:
                    stream.close()
            self._process = None

    def _last_words(self) -> str:
        process, self._process = self._process, None
        if process is None or process.stderr is None:
            return "no message"
        process.wait(timeout=5)
        lines = process.stderr.read().decode(errors="replace").strip().splitlines()
        reasons = [line for line in lines if "LLVM ERROR" in line or "Assertion" in line]
        return (reasons or lines or [f"exit code {process.returncode}"])[0]


class Workers:
    """Several workers that serve as one. The last to finish serves first: who asks for one thing at a time keeps one.

    ``count`` workers at most; they start when they are needed. ``aborts``: what LLVM aborted at and was asked again.
    """

    def __init__(self, count: int):
        self.all = tuple(Worker() for _ in range(count))
        self.aborts: list[str] = []
        self._idle: queue.LifoQueue[Worker] = queue.LifoQueue()
        for one in reversed(self.all):
            self._idle.put(one)

    @property
    def cpu_seconds(self) -> float:
        """What the children have used up until their last replies."""
        return sum(one.cpu_seconds for one in self.all)

    def start(self) -> None:
        """Start the children that serve first: most programs have two parts."""
        for one in self.all[:2]:
            one.start()

    def request(self, header: dict, body: str, timeout: float = TIMEOUT_SECONDS) -> bytes:
        """As `Worker.request`, by the next worker that is idle; the time of waiting for one does not count. Where LLVM
        aborts, it is asked once more to be cautious.
        """
        one = self._idle.get()
        try:
            return one.request(header, body, timeout)
        except Aborted as error:
            self.aborts.append(str(error))
            return one.request({**header, "cautious": True}, body, timeout)
        finally:
            self._idle.put(one)

    def line(self) -> Line:
        """For tasks that make requests: whoever finishes it works along, and another one for each further child that
        there is, or one.
        """
        alive = sum(one.is_alive for one in self.all)
        return Line(max(alive, min(len(self.all), 2)) - 1)

    def stop(self) -> None:
        """End all child processes."""
        for one in self.all:
            one.stop()


_workers = Workers(min(os.cpu_count() or 1, _MOST))
atexit.register(_workers.stop)


def workers() -> Workers:
    """The workers of this process."""
    return _workers
