"""Tables of the benchmarks: on the terminal, and as pages of ``docs/``."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.table import Table

from hexagon_mlir.report.check import CLOCK_NOTE


def table(title: str, headings: Sequence[str], words: Collection[str] | None = None) -> Table:
    """An empty table; columns of ``words`` (None: the first) are flush left, those of numbers flush right."""
    grid = Table(title=title, title_justify="left")
    for heading in headings:
        grid.add_column(heading, justify="left" if heading in (headings[:1] if words is None else words) else "right")
    return grid


def show(grid: Table, width: int, note: str = f"Cycles: {CLOCK_NOTE}.") -> None:
    """Print ``grid``, a row on a line of at least ``width`` characters, and what its numbers are."""
    console = Console()
    console.width = max(console.width, width)
    console.print(grid)
    console.print(note, highlight=False)


def markdown(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Lines of a table whose first column holds words, the others numbers."""
    lines = [headings, ["---", *["---:"] * (len(headings) - 1)], *rows]
    return ["| " + " | ".join(cells) + " |" for cells in lines]


@dataclass(frozen=True)
class Bench:
    """A benchmark that is one table and one page; its module's ``document`` says the title, the usage, and the rest.

    ``measure`` runs a row; ``cells`` are what the table tells of it, its name first.
    """

    document: str
    page: str
    """``docs/`` file that ``--markdown`` prints."""
    script: str
    headings: Sequence[str]
    rows: Sequence[Any]
    measure: Callable[[Any], Any]
    cells: Callable[[Any], tuple[str, ...]]
    error: str
    """What the column *error* is."""

    @property
    def title(self) -> str:
        """Of the page and the table."""
        return self.document.partition(":")[0]

    def as_page(self, measurements: Iterable[Any]) -> str:
        """The text of the page."""
        about = "\n\n".join(self.document.split("\n\n")[2:]).strip()
        lines = [f"# {self.title}", "", f"v75, simulated. Cycles: {CLOCK_NOTE}.", "", about, "",
                 f"*error*: {self.error}.", "", f"Made by `python {self.script} --markdown`.", ""]
        return "\n".join([*lines, *markdown(self.headings, map(self.cells, measurements))])

    def main(self, arguments: Sequence[str] | None = None) -> None:
        """Measure the rows that the command line names, and print."""
        parser = argparse.ArgumentParser(description=self.document,
                                         formatter_class=argparse.RawDescriptionHelpFormatter)
        parser.add_argument("words", nargs="*", help="rows whose name holds one of these; all when none is given")
        parser.add_argument("--markdown", action="store_true", help=f"print {self.page}")
        options = parser.parse_args(arguments)
        wanted = [row for row in self.rows if not options.words or any(word in row.name for word in options.words)]
        measurements = [self.measure(row) for row in wanted]
        if options.markdown:
            print(self.as_page(measurements))
            return
        grid = table(f"{self.title}, v75, simulated", self.headings)
        for measurement in measurements:
            grid.add_row(*self.cells(measurement))
        show(grid, 100)
