"""Writes files that belong together: all of them whole, or none.

What is no regular file (a device, a FIFO, ``/dev/stdout``) is written to; of a symbolic link, what it leads to is
replaced. A file that is replaced keeps its permissions.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import stat
import sys
from collections.abc import Collection, Iterable, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import BinaryIO

from hexagon_mlir.ir import HexError

Content = bytes | Iterable[bytes | memoryview]
_OPEN_ALREADY = re.compile(r"/dev/std(?:in|out|err)|/(?:dev|proc/self)/fd/(\d{1,9})")
_STANDARD = {"/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2}
_NO_UNNAMED = (errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL)
"""What a file system says that has no files without a name."""


def write_files(files: Mapping[Path, Content], executable: Collection[Path] = (),
                folders: Iterable[Path] = ()) -> None:
    """Replace each path by its content, given at once or in pieces; those ``executable`` can be run.

    ``folders`` are made before, with those they are in.

    Everything is on the disk before the first path changes: after an error (a full disk) all are as they were, and
    a process that ends meanwhile leaves the file it was writing without a name, which is none.
    Raises `HexError`; `BrokenPipeError` where nobody reads what is written any more.
    """
    replacements: dict[Path, tuple[str, str]] = {}
    path = Path()
    with ExitStack() as undo:
        try:
            for path in (level for folder in folders for level in reversed([folder, *folder.parents])):
                if _make(path):
                    undo.callback(_remove, path)
            written_to = []
            for path, content in files.items():
                if not is_replaced(path):
                    written_to.append(path)
                    continue
                target = os.path.realpath(path)
                temporary = _written(target, content, path in executable)
                undo.callback(Path(temporary).unlink, missing_ok=True)
                replacements[path] = temporary, target
            for path in written_to:
                with _opened(path) as stream:
                    stream.writelines(_pieces(files[path]))
            for path in replacements:
                os.replace(*replacements[path])
        except BrokenPipeError:
            raise
        except OSError as error:
            raise HexError.plain(f"cannot write the file: {error.strerror}", file=str(path)) from None
        undo.pop_all()


def is_replaced(path: Path) -> bool:
    """Whether a file at ``path`` is or will be a regular one, which others may stand beside; raises `OSError`."""
    if _OPEN_ALREADY.fullmatch(str(path)):
        return False
    before = _status(str(path))
    return before is None or stat.S_ISREG(before.st_mode) or stat.S_ISDIR(before.st_mode)


def _pieces(content: Content) -> Iterable[bytes | memoryview]:
    return (content,) if isinstance(content, bytes) else content


def _make(folder: Path) -> bool:
    """True when ``folder`` was made; another process may be making it, too."""
    try:
        folder.mkdir()
        return True
    except OSError:
        if folder.is_dir():
            return False
        raise


def _remove(folder: Path) -> None:
    with suppress(OSError):  # somebody else's file is in it
        folder.rmdir()


def _status(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def _written(target: str, content: Content, executable: bool) -> str:
    """The path of a new file with ``content`` that can take the place of ``target``."""
    before = _status(target)
    if before is not None and stat.S_ISDIR(before.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if before is not None and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    folder = os.path.dirname(target)
    name = os.path.join(folder, f".hexmlir-{secrets.token_hex(8)}")
    mode = 0o777 if executable else 0o666
    named = False
    try:
        file = os.open(folder, os.O_TMPFILE | os.O_WRONLY, mode)
    except OSError as error:
        if error.errno not in _NO_UNNAMED:
            raise
        file = os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode)
        named = True
    try:
        with os.fdopen(file, "wb") as stream:
            if before is not None:
                _keep_permissions(file, before, executable)
            stream.writelines(_pieces(content))
            stream.flush()
            if not named:  # the folder is named so that a link's target is meant: the file itself
                os.link(f"/proc/self/fd/{file}", name, src_dir_fd=file, follow_symlinks=True)
    except BaseException:
        if named:
            os.unlink(name)
        raise
    return name


def _keep_permissions(file: int, before: os.stat_result, executable: bool) -> None:
    """Give ``file`` the owner, as far as that is allowed, and the permissions of the file before."""
    with suppress(PermissionError):
        os.fchown(file, before.st_uid, before.st_gid)
    readers = (before.st_mode & 0o444) >> 2 if executable else 0  # who may read a program may run it
    os.fchmod(file, before.st_mode & 0o777 | readers)


def _opened(path: Path) -> BinaryIO:
    """What is at ``path``, to be written to."""
    if found := _OPEN_ALREADY.fullmatch(str(path)):
        sys.stdout.flush()
        sys.stderr.flush()
        return os.fdopen(os.dup(int(found[1]) if found[1] else _STANDARD[str(path)]), "wb")
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_NOCTTY), "wb")
