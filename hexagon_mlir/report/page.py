"""A kernel's page: how it was compiled and what its run cost, as one HTML file that needs no other."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import jinja2

from hexagon_mlir import display, targets
from hexagon_mlir.report import text
from hexagon_mlir.report.lanes import timeline
from hexagon_mlir.report.packed import packed
from hexagon_mlir.report.packets import listing
from hexagon_mlir.report.roofline import bound
from hexagon_mlir.report.stages import grouped, stages

if TYPE_CHECKING:
    from hexagon_mlir.codegen import Compiled
    from hexagon_mlir.exec.session import Trace
    from hexagon_mlir.sim import RunResult

_TEMPLATES = "templates"
GENERATOR = "hexagon-mlir report"
"""What every page says it was made by."""


def kernel_page(entry: str, asm: str, target: str, compiled: Compiled | None, run: RunResult | None,
                trace: Trace | None, index: str = "", modules: tuple[str, ...] = ()) -> str:
    """The page of kernel ``entry`` with code ``asm``: of its compilation, if it is known and kept its stages, and of
    ``run``, if there was one. ``index`` is the address of the page that links to this one; ``modules`` the model's
    modules it computes."""
    found = stages(compiled) if compiled is not None and compiled.stages else []
    texts = compiled.stages if compiled is not None and found else ()
    ir = {f"stage{number}": packed(stage.diff) for number, stage in enumerate(found) if stage.diff}
    code = {"LLVM IR": packed(compiled.llvm_ir)} if compiled is not None else {}
    shown = listing(asm, trace)
    return render("kernel.html.j2", title=f"{entry} on {target}", entry=entry, target=target, compiled=compiled,
                  index=index, modules=modules, stages=found, groups=grouped(found), diffs=ir, code=code,
                  whole={f"whole{number}": packed(after) for number, (_, after) in enumerate(texts)
                         if number == 0 or found[number - 1].diff},
                  schedules=list(compiled.schedules) if compiled is not None else [], listing=shown,
                  assembly=packed(shown.rows), run=run,
                  shares=display.shares(run.packets, run.stalls) if run else [],
                  bound=bound(run, targets.get(target)) if run else None,
                  timeline=timeline(trace.timeline) if trace else None)  # fmt: skip


def render(template: str, **values: Any) -> str:
    """``template`` of this package with ``values``, the style and the script that all pages share."""
    return _environment().get_template(template).render(generator=GENERATOR, note=text.NOTE, **values)


@cache
def _environment() -> jinja2.Environment:
    folder = files(__package__).joinpath(_TEMPLATES)
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(lambda name: folder.joinpath(name).read_text(encoding="utf-8")), autoescape=True,
        trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {"count": lambda number: f"{number:,.0f}", "percent": lambda share: f"{share:.1%}",
                            "bytes": text.size, "unit": lambda number: f"{number:.2f}"}
    return environment
