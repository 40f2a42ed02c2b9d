"""A report as a folder: ``index.html`` with every kernel and its share of the cycles, and a page for each kernel."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from hexagon_mlir import targets
from hexagon_mlir.codegen import Compiled
from hexagon_mlir.codegen.same_programs import without_name
from hexagon_mlir.codegen.schedule import ModelSchedule
from hexagon_mlir.exec.session import LaunchRecord
from hexagon_mlir.report import graph
from hexagon_mlir.report.page import GENERATOR, kernel_page, render
from hexagon_mlir.report.recording import Recording
from hexagon_mlir.report.roofline import HEIGHT, WIDTH, bound, roofline
from hexagon_mlir.whole_files import Content, write_files

INDEX = "index.html"
KERNELS = "kernels"
"""The folder of the kernels' pages."""
_HEAD_BYTES = 1000
"""In which a page says what made it."""


@dataclass
class KernelUse:
    """The launches of one code: ``names`` are those of the kernels that have it. ``file`` is its page, below the folder
    of the report; ``cycles`` those of all launches. ``modules`` of the model that it computes."""

    file: str
    first: LaunchRecord
    compiled: Compiled | None
    names: list[str] = field(default_factory=list)
    launches: int = 0
    cycles: int = 0
    modules: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        return ", ".join(self.names)


def used(recording: Recording, modules: Mapping[str, tuple[str, ...]]) -> list[KernelUse]:
    """Each code that was launched, the one with the most cycles first; ``modules`` by the kernel's name."""
    by_asm = {each.asm: each for each in recording.compiled}
    found: dict[tuple[str, str], KernelUse] = {}
    files: set[str] = set()
    for record in recording.launches:
        key = record.target, without_name([record.asm], record.kernel)
        if key not in found:
            found[key] = KernelUse(_file(record.kernel, files), record, by_asm.get(record.asm))
        use = found[key]
        if record.kernel not in use.names:
            use.names.append(record.kernel)
            use.modules = tuple(dict.fromkeys((*use.modules, *modules.get(record.kernel, ()))))
        use.launches += 1
        use.cycles += record.result.cycles
    return sorted(found.values(), key=lambda use: -use.cycles)


def write_report(folder: Path, title: str, recording: Recording, schedule: ModelSchedule | None = None,
                 modules: Mapping[str, tuple[str, ...]] | None = None) -> list[Path]:
    """Write the report of ``recording`` into ``folder``; gives the index, then the kernels' pages.

    ``schedule`` is that of a model, whose graph is drawn. Pages of an earlier report that are not written again are
    removed: those in the folder of kernels that say that this tool made them.
    """
    uses = used(recording, modules or {})
    pages: dict[Path, Content] = {folder / INDEX: index_page(title, uses, schedule).encode()}
    for use in uses:
        page = kernel_page(use.title, use.first.asm, use.first.target, use.compiled, use.first.result, use.first.trace,
                           f"../{INDEX}", use.modules)
        pages[folder / use.file] = page.encode()
    write_files(pages, folders=[folder, folder / KERNELS])
    for path in (folder / KERNELS).glob("*.html"):
        if path not in pages and _is_ours(path):
            with suppress(OSError):
                path.unlink()
    return list(pages)


def index_page(title: str, uses: list[KernelUse], schedule: ModelSchedule | None) -> str:
    """The page that links to those of ``uses``."""
    total = sum(use.cycles for use in uses)
    names = dict.fromkeys(use.first.target for use in uses)
    rows = [(use, use.cycles / total if total else 0.0, bound(use.first.result, targets.get(use.first.target)))
            for use in uses]
    chip = targets.get(next(iter(names))) if len(names) == 1 else None
    drawn = graph.drawing(schedule) if schedule is not None else None
    return render("index.html.j2", title=title, rows=rows, total=total, targets=", ".join(names), drawing=drawn,
                  pages={name: use.file for use in uses for name in (*use.names, use.title)},
                  box=(graph.BOX_WIDTH, graph.BOX_HEIGHT),
                  roofline=roofline([(use.title, use.first.result) for use in uses], chip) if chip else None,
                  size=(WIDTH, HEIGHT), launches=sum(use.launches for use in uses),
                  modules=any(use.modules for use in uses))  # fmt: skip


def _file(kernel: str, files: set[str]) -> str:
    """A path below the folder for the page of ``kernel``, which may be called anything; added to ``files``."""
    name = re.sub(r"[^\w.$-]", "_", kernel) or "_"
    number, path = 1, f"{KERNELS}/{name}.html"
    while path in files:
        number += 1
        path = f"{KERNELS}/{name}-{number}.html"
    files.add(path)
    return path


def _is_ours(path: Path) -> bool:
    """Whether a page says that this tool made it."""
    try:
        with path.open("rb") as stream:
            return f'<meta name="generator" content="{GENERATOR}">'.encode() in stream.read(_HEAD_BYTES)
    except OSError:
        return False

