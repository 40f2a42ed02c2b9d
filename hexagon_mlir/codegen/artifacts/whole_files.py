"""Writes files that belong together: all of them whole, or none."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from hexagon_mlir.ir import HexError

Content = bytes | Iterable[bytes | memoryview]


def write_files(files: Mapping[Path, Content], executable: Collection[Path] = (),
                folders: Iterable[Path] = ()) -> None:
    """Replace each path by its content, given at once or in pieces; those ``executable`` can be run.

    ``folders`` are made before, with those they are in.

    Everything is on the disk before the first path changes: after an error (a full disk) all are as they were.
    Raises `HexError`.
    """
    temporaries: dict[Path, str] = {}
    made: list[Path] = []
    mask = os.umask(0)
    os.umask(mask)
    path = Path()
    try:
        for path in (level for folder in folders for level in reversed([folder, *folder.parents])):
            if not path.exists():
                path.mkdir()
                made.append(path)
        for path, content in files.items():
            handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
            temporaries[path] = temporary
            with os.fdopen(handle, "wb") as file:
                for piece in (content,) if isinstance(content, bytes) else content:
                    file.write(piece)
            os.chmod(temporary, (0o777 if path in executable else 0o666) & ~mask)
            if path.is_dir():
                raise IsADirectoryError(0, "it is a folder")
        for path in files:
            os.replace(temporaries[path], path)
            del temporaries[path]
        made.clear()
    except OSError as error:
        raise HexError.plain(f"cannot write the file: {error.strerror}", file=str(path)) from None
    finally:
        for temporary in temporaries.values():
            Path(temporary).unlink(missing_ok=True)
        for folder in reversed(made):
            with suppress(OSError):  # somebody else's file is in it
                folder.rmdir()
