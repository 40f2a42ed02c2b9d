"""Child processes that run LLVM, so that an abort or a hang never takes the user's process with it.

Workers are kept and reused, one for each core, four at most. See `serve` for the other end and `wire`
for the messages.
"""

from __future__ import annotations

import atexit
import os
import queue
import signal
import subprocess
import threading
from pathlib import Path

from hexagon_mlir.codegen.processes import isolation
from hexagon_mlir.codegen.processes.task_queue import TaskQueue
from hexagon_mlir.codegen.processes.watch import Stopped, Tail, Watch
from hexagon_mlir.codegen.processes.wire import receive, send
from hexagon_mlir.ir import HexError
from hexagon_mlir.ir.diagnostics import NO_FILE, Diagnostic, Place

TIMEOUT_SECONDS = 120.0
_BOOT = Path(__file__).with_name("boot.py")
_MOST = 4  # each takes some 150 MB
_LAST_LINES, _LINE_LENGTH = 3, 200  # lines of LLVM's output in errors
_FAULTS = (signal.SIGABRT, signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGFPE, signal.SIGTRAP)


class Aborted(HexError):
    """LLVM ended the child process."""


class Lost(HexError):
    """The child process was ended or stopped by another cause; the request can be repeated with a new one."""


class Worker:
    """Handle of one child process; `request` restarts it if it has died."""

    def __init__(self) -> None:
        self.cpu_seconds = 0.0
        self._process: subprocess.Popen[bytes] | None = None
        self._messages: Tail | None = None
        self._lock = threading.Lock()

    @property
    def is_alive(self) -> bool:
        """Whether the child is running."""
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Start the child early, so that it loads LLVM while the passes run; no effect during a request."""
        if self._lock.acquire(blocking=False):
            try:
                self._start()
            finally:
                self._lock.release()

    def _start(self) -> subprocess.Popen[bytes]:
        """Start the child. It ignores Ctrl-C, which the parent handles, and imports nothing from the current folder."""
        if self._process is None or self._process.poll() is not None:
            self._end()
            try:
                self._process = subprocess.Popen(
                    isolation.python(_BOOT), env=isolation.environment(), bufsize=0, process_group=0,
                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            except OSError as error:
                raise HexError.plain(f"cannot start the process that runs LLVM: {error.strerror}",
                                     origin="codegen") from None
            assert self._process.stderr is not None and self._process.stdin is not None
            self._messages = Tail(self._process.stderr)
            os.set_blocking(self._process.stdin.fileno(), False)
        return self._process

    def request(self, header: dict, body: str, timeout: float = TIMEOUT_SECONDS) -> bytes:
        """Run one code generation; `HexError` if LLVM rejects the input or computes for ``timeout`` seconds, `Aborted`
        if it aborts, `Lost` if the child is gone or stopped for another reason.
        """
        with self._lock:
            process = self._start()
            assert process.stdin is not None and process.stdout is not None
            try:
                wait = Watch(process, timeout)
                send(process.stdin, header, body.encode(), wait)
                answer, payload = receive(process.stdout, wait)
            except TimeoutError:
                raise self._failed(HexError, f"LLVM did not finish in {timeout:g} s",
                                   "a scalarised vector operation can blow code up; see --emit=llvm") from None
            except Stopped:
                raise self._failed(Lost, "the process that runs LLVM was stopped") from None
            except (OSError, EOFError):
                raise self._ended() from None
            except BaseException:  # Ctrl-C: nobody will read the reply
                self._end()
                raise
        self.cpu_seconds += answer["cpu_seconds"]
        if not answer["ok"]:
            raise HexError.plain(f"LLVM rejected the module: {answer['error']}", origin="codegen")
        return payload

    def stop(self) -> None:
        """End the child process; a waiting `request` notices."""
        process = self._process
        if process is not None:
            process.kill()
        if self._lock.acquire(blocking=False):
            try:
                self._end()
            finally:
                self._lock.release()

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for stream in (self._process.stdin, self._process.stdout):  # the third is read to its end
                if stream is not None:
                    stream.close()
            self._process = None

    def _ended(self) -> HexError:
        """The error for a child that ended by itself."""
        process = self._process
        try:
            code = process.wait(timeout=5) if process is not None else 0
        except subprocess.TimeoutExpired:  # it has closed its pipes but is running
            code = 0
        if code < 0 and -code not in _FAULTS:
            return self._failed(Lost, f"the process that runs LLVM was ended: {signal.strsignal(-code)}",
                                "is there enough memory?" if code == -signal.SIGKILL else "")
        return self._failed(Aborted, "LLVM aborted", "--emit=llvm shows the input of code generation",
                            f"exit code {code}")

    def _failed(self, kind: type[HexError], message: str, hint: str = "", otherwise: str = "") -> HexError:
        """End the child; returns an error of ``kind`` with LLVM's last output, or ``otherwise``."""
        self._end()
        lines = self._messages.lines() if self._messages is not None else []
        if kind is Aborted:
            reasons = [line for line in lines if "LLVM ERROR" in line or "Assertion" in line]
            reason = (reasons or lines[-1:] or [otherwise])[0]
            message, lines = f"{message}: {reason}", [line for line in lines if line != reason]
        notes = tuple(line[:_LINE_LENGTH] for line in lines[-_LAST_LINES:])
        return kind(Diagnostic("error", Place(NO_FILE), "codegen", message, hint=hint, notes=notes))


class Workers:
    """Several workers that serve as one. The last one to finish serves first: sequential requests use the same worker.

    ``count`` workers at most; they start when they are needed. ``aborts``: the requests at which LLVM aborted and which
    were repeated.
    """

    def __init__(self, count: int):
        self.all = tuple(Worker() for _ in range(count))
        self.aborts: list[str] = []
        self._stops = 0
        self._idle: queue.LifoQueue[Worker] = queue.LifoQueue()
        for one in reversed(self.all):
            self._idle.put(one)

    @property
    def cpu_seconds(self) -> float:
        """CPU seconds of the children up to their last replies."""
        return sum(one.cpu_seconds for one in self.all)

    def start(self) -> None:
        """Start the children that serve first: most programs have two parts."""
        for one in self.all[:2]:
            one.start()

    def request(self, header: dict, body: str, timeout: float = TIMEOUT_SECONDS) -> bytes:
        """As `Worker.request`, by the next worker that is idle; waiting for one does not count for the timeout. Where
        LLVM aborts, the request is repeated cautiously; a lost one is repeated as it is.
        """
        one, stops = self._idle.get(), self._stops
        try:
            return one.request(header, body, timeout)
        except (Aborted, Lost) as error:
            if stops != self._stops:
                raise HexError.plain("code generation was interrupted", origin="codegen") from None
            if isinstance(error, Lost):
                return one.request(header, body, timeout)
            self.aborts.append(str(error))
            return one.request({**header, "cautious": True}, body, timeout)
        finally:
            self._idle.put(one)

    def queue(self) -> TaskQueue:
        """A queue for tasks that make requests, with a helper thread for each worker besides the one of `finish`, at
        least one.
        """
        alive = sum(one.is_alive for one in self.all)
        return TaskQueue(max(alive, min(len(self.all), 2)) - 1)

    def stop(self) -> None:
        """End all child processes; their requests are not repeated."""
        self._stops += 1
        for one in self.all:
            one.stop()


_workers = Workers(min(os.cpu_count() or 1, _MOST))


def workers() -> Workers:
    """The workers of this process."""
    return _workers


def _forget() -> None:
    """After a fork: the children are the parent's."""
    global _workers
    _workers = Workers(len(_workers.all))


atexit.register(lambda: workers().stop())
os.register_at_fork(after_in_child=_forget)
