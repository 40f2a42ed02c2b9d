"""The table of a sweep: a SQLite file, to which each point is added when it is measured."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import msgspec

from hexagon_mlir.ir.diagnostics import HexError
from hexagon_mlir.sweep.measure import Row
from hexagon_mlir.sweep.points import Point

_APPLICATION = 0x48585357
"""Says that a SQLite file is a table of this program."""
_FORMAT = 1
_WAIT = 60.0
"""Seconds that a process waits for another one that writes."""
_CREATE = """CREATE TABLE runs (
  key TEXT PRIMARY KEY, program TEXT NOT NULL, target TEXT NOT NULL, settings TEXT NOT NULL, sizes TEXT NOT NULL,
  cycles INTEGER, packets INTEGER, hvx_packets INTEGER, ddr_bytes INTEGER, tcm_bytes INTEGER, seconds REAL NOT NULL,
  error TEXT NOT NULL) STRICT"""


class SweepTable:
    """The table in file ``path``, made if there is none. Raises `HexError` for a file of anything else.

    Every row is a transaction: what is killed has lost at most the points that were being measured, and processes that
    write at the same time write each point once.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._connection = sqlite3.connect(path, timeout=_WAIT)
            self._prepare()
        except sqlite3.Error as error:
            raise self._refused(error) from None

    def _prepare(self) -> None:
        with self._connection as connection:
            connection.execute("BEGIN IMMEDIATE")
            empty = not connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
            if empty:
                connection.execute(_CREATE)
                connection.execute(f"PRAGMA application_id = {_APPLICATION}")
                connection.execute(f"PRAGMA user_version = {_FORMAT}")
            application, = connection.execute("PRAGMA application_id").fetchone()
            version, = connection.execute("PRAGMA user_version").fetchone()
        if (application, version) != (_APPLICATION, _FORMAT):
            raise HexError.plain("no table of hexmlir sweep, or of another format", file=str(self.path),
                                 hint="give another file")

    def known(self, keys: Iterable[str]) -> dict[str, Row]:
        """The rows of ``keys`` that are measured."""
        wanted, columns = set(keys), ", ".join(Row.__struct_fields__)
        try:
            with closing(self._connection.execute(f"SELECT key, {columns} FROM runs")) as rows:
                return {key: msgspec.convert(dict(zip(Row.__struct_fields__, values, strict=True)), Row)
                        for key, *values in rows if key in wanted}
        except (sqlite3.Error, msgspec.ValidationError) as error:
            raise self._refused(error) from None

    def add(self, point: Point, row: Row) -> None:
        """Keep ``row``; one that is there already stays, unless it failed."""
        names = ("key", "program", "target", "settings", "sizes", *Row.__struct_fields__)
        values = (point.key, point.program.name, point.target, _json(point.settings), _json(point.sizes),
                  *msgspec.structs.astuple(row))
        try:
            with self._connection as connection:
                connection.execute("DELETE FROM runs WHERE key = ? AND error != ''", (point.key,))
                connection.execute(f"INSERT OR IGNORE INTO runs ({', '.join(names)}) "
                                   f"VALUES ({', '.join('?' * len(names))})", values)
        except sqlite3.Error as error:
            raise self._refused(error) from None

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _refused(self, error: Exception) -> HexError:
        return HexError.plain(f"cannot use the table: {error}", file=str(self.path))


def _json(pairs: Iterable[tuple[str, object]]) -> str:
    return msgspec.json.encode(dict(pairs)).decode()
