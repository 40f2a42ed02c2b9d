"""Results on disk, native code among them: found again only where this user stored them, and whole.

The folder ``code`` holds what code generation gave, ``sim`` what the simulator translated. Both, and their entries, are
the user's alone, and no symbolic link is followed. An entry begins with an HMAC of its name and content under a random
key of the user, which is in the user's own cache folder wherever the entries are. Whatever else is found counts as
missing. Writes are atomic: a kill, a full disk or a second process costs no more than an entry.
"""

from __future__ import annotations

import hmac
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

ENVIRONMENT = "HEXAGON_MLIR_CACHE_DIR"
PARTS = ("code", "sim")
_FORMAT = b"hexagon-mlir 1"
_KEY = "key"
_KEY_BYTES = _TAG_BYTES = 32  # SHA-256
_TEMPORARY = "tmp-"
_CLOSED = 0o077  # what group and others may do: nothing


def folder() -> Path:
    """Where the folders of `PARTS` are: ``$HEXAGON_MLIR_CACHE_DIR``, or `own_folder`; OSError without a home."""
    chosen = os.environ.get(ENVIRONMENT)
    return Path(chosen) if chosen else own_folder()


def own_folder() -> Path:
    """The user's own: ``$XDG_CACHE_HOME/hexagon-mlir``, or ``~/.cache/hexagon-mlir``; OSError without a home."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):
        home = os.path.expanduser("~") if os.environ.get("HOME") != "" else ""
        if not os.path.isabs(home):
            raise OSError(0, "no folder for the cache: neither HOME nor XDG_CACHE_HOME is set")
        base = os.path.join(home, ".cache")
    return Path(base) / "hexagon-mlir"


def load(part: str, name: str) -> bytes | None:
    """What was stored as ``name`` in ``part``; None when there is nothing, or something that is not ours and whole."""
    try:
        with _opened(folder() / part) as where:
            entry = _read(where, name)
        key = _key(make=False)
    except OSError:
        return None
    data = entry[_TAG_BYTES:]
    return data if hmac.compare_digest(entry[:_TAG_BYTES], _tag(key, part, name, data)) else None


def store(part: str, name: str, data: bytes) -> None:
    """Store ``data`` as ``name`` in ``part``; a read-only or full disk only costs the next run its cache hit."""
    with suppress(OSError):
        tag = _tag(_key(make=True), part, name, data)
        with _opened(folder() / part, make=True) as where:
            _write(where, name, tag + data)


def usage() -> tuple[int, int, int]:
    """How many entries there are, how many writes were never finished, and the bytes of both; raises OSError."""
    entries = unfinished = nbytes = 0
    for _, where, name in _files():
        entries += not name.startswith(_TEMPORARY)
        unfinished += name.startswith(_TEMPORARY)
        with suppress(OSError):
            nbytes += os.stat(name, dir_fd=where, follow_symlinks=False).st_size
    return entries, unfinished, nbytes


def clear() -> int:
    """Remove all entries and unfinished writes, but not the key; returns how many. Raises OSError."""
    removed = 0
    for path, where, name in _files():
        with suppress(FileNotFoundError):
            try:
                os.unlink(name, dir_fd=where)
            except OSError as error:
                raise OSError(error.errno, error.strerror, str(path / name)) from None
            removed += 1
    for part in PARTS:
        with suppress(OSError):  # another process has stored something
            (folder() / part).rmdir()
    return removed


def _files() -> Iterator[tuple[Path, int, str]]:
    """All that lies in the folders of the parts, and keys that were never finished: folder, its descriptor, name."""
    for path in [*(folder() / part for part in PARTS), own_folder()]:
        with suppress(FileNotFoundError), _opened(path) as where:
            for name in os.listdir(where):
                if path.name in PARTS or name.startswith(_TEMPORARY):
                    yield path, where, name


@contextmanager
def _opened(path: Path, make: bool = False) -> Iterator[int]:
    """A descriptor of the folder ``path``, which is this user's and closed to others; raises OSError."""
    if make:
        path.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):
            path.mkdir(0o700)
    where = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        status = os.fstat(where)
        if status.st_uid != os.geteuid():
            raise OSError(0, "the folder belongs to another user, nothing is kept in it", str(path))
        if status.st_mode & _CLOSED:
            os.fchmod(where, 0o700)  # what others have put there is theirs, and counts as missing
        yield where
    finally:
        os.close(where)


def _read(where: int, name: str) -> bytes:
    """The file ``name`` in the folder ``where``; OSError unless it is a plain file of this user, closed to others."""
    opened = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=where)
    with os.fdopen(opened, "rb") as file:
        status = os.fstat(opened)
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & _CLOSED:
            raise OSError(0, "not a file of this user alone", name)
        return file.read()


def _write(where: int, name: str, data: bytes, first: bool = False) -> None:
    """Make ``data`` the file ``name`` of the folder ``where`` in one step; FileExistsError if it is to be the
    ``first`` and is not.
    """
    temporary = f"{_TEMPORARY}{os.getpid()}-{os.urandom(8).hex()}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    opened = os.open(temporary, flags, 0o600, dir_fd=where)
    try:
        with os.fdopen(opened, "wb") as file:
            file.write(data)
        if first:
            os.link(temporary, name, src_dir_fd=where, dst_dir_fd=where)
        else:
            os.replace(temporary, name, src_dir_fd=where, dst_dir_fd=where)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(temporary, dir_fd=where)


def _key(make: bool) -> bytes:
    """This user's key; ``make`` makes it, anew where it was damaged or readable by others. Raises OSError."""
    with _opened(own_folder(), make) as where:
        first = False
        try:
            key = _read(where, _KEY)
            if len(key) == _KEY_BYTES:
                return key
        except FileNotFoundError:
            first = True
        except OSError:
            pass
        if not make:
            raise FileNotFoundError
        with suppress(FileExistsError):  # another process was first: its key is everybody's
            _write(where, _KEY, os.urandom(_KEY_BYTES), first)
        return _read(where, _KEY)


def _tag(key: bytes, part: str, name: str, data: bytes) -> bytes:
    """What proves that a process with ``key`` stored ``data`` under this name."""
    made = hmac.new(key, b"\0".join((_FORMAT, part.encode(), name.encode(), b"")), "sha256")
    made.update(data)
    return made.digest()
