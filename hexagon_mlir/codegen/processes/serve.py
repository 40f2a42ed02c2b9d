"""The child process of `codegen.processes.worker`: imports LLVM only, answers requests until its parent is gone.
`boot` starts it.

Each reply has the CPU seconds since the one before; the first counts from the start of the process.
"""

from __future__ import annotations

import gc
import os
import select
import threading
import time

from hexagon_mlir.codegen.backend import optimize_and_emit, warm_up
from hexagon_mlir.codegen.processes.wire import receive, send

_LOOK_SECONDS = 1.0


def serve() -> None:
    """Main loop of the child: one request after the other until the pipe closes."""
    requests, replies = os.fdopen(0, "rb", buffering=0), os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # LLVM's own prints must not mix with replies
    threading.Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True).start()
    warm_up()
    gc.disable()  # saves a twentieth of the time; a request leaves only a few kilobytes in reference cycles
    reported = 0.0
    while True:
        try:
            header, body = receive(requests)
        except EOFError:
            return
        try:
            payload = optimize_and_emit(body.decode(), **header)
            answer: dict[str, object] = {"ok": True}
        except Exception as error:  # reported to the parent, which raises it for the user
            lines = str(error).strip().splitlines()[:2]  # llvmlite puts the reason in the second line
            answer, payload = {"ok": False, "error": ": ".join(lines) or type(error).__name__}, b""
        used = time.process_time()
        send(replies, {**answer, "cpu_seconds": used - reported}, payload)
        reported = used


def _end_with_parent(parent: int) -> None:
    """End this process when its parent has ended: LLVM may run for minutes before the pipe is read again.

    The pipe is closed at once, unless a process that the parent forked holds the other end, too.
    """
    poll = select.poll()
    poll.register(0, 0)  # hang-ups only
    while not poll.poll(_LOOK_SECONDS * 1000) and os.getppid() == parent:
        pass
    os._exit(0)
