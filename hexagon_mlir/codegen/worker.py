"""A child process that runs LLVM, so that an abort or a hang never takes the user's process with it.

One worker is kept and reused. See `codegen.serve` for the other end and `codegen.wire` for the messages.
"""

from __future__ import annotations

import atexit
import subprocess
import sys
import threading
import time

from hexagon_mlir.codegen.wire import receive, send
from hexagon_mlir.ir import HexError

TIMEOUT_SECONDS = 120.0


class Worker:
    """Handle of the child process; `request` restarts it when it died."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def start(self) -> None:
        """Start the child early, so that it loads LLVM while the passes run."""
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen([sys.executable, "-m", "hexagon_mlir.codegen.serve"],
                                             stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    @property
    def process_id(self) -> int | None:
        """The child's, if one was started."""
        return self._process.pid if self._process is not None else None

    def request(self, header: dict, body: str, timeout: float = TIMEOUT_SECONDS) -> bytes:
        """Run one code generation; `HexError` if LLVM rejects the input, aborts or exceeds ``timeout`` seconds."""
        with self._lock:
            self.start()
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
                raise HexError.plain(f"LLVM aborted: {self._last_words()}", origin="codegen",
                                     hint="--emit=llvm shows the input of code generation") from None
        answer, payload = reply
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


_worker = Worker()
atexit.register(_worker.stop)


def worker() -> Worker:
    """The worker of this process."""
    return _worker
