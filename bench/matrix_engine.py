"""The matrix engine: what is required of it, what was measured, and what a run takes at best.

    python bench/matrix_engine.py                       # everything: an hour of processor time and more
    python bench/matrix_engine.py products attention    # these groups
    python bench/matrix_engine.py programs choice --count 1000 --shapes 20
    python bench/matrix_engine.py --kept engine.json    # keeps each measurement there; a further run goes on from it
    python bench/matrix_engine.py --markdown            # docs/matrix_engine_speed.md

What is being measured is told on the standard error. A bound is the cycles of the resource that takes most of them:
*MACs*, the multiplier array at its full rate, which is also the rate at which the engine reads operands from TCM;
*DDR*, bytes at the bandwidth of the DMA engine (of products operands and results once, of models what the run moved, of
convolutions operands once, with one thread that copies beside the engine); *sums*, the conversions that read sums of 32
bits as four bytes; *ends*, the products of a convolution, before which their first operands come, and after which the
last tile is made rows of (`bench/corpus/convolution_bounds.py` has each term); *conversions* of tiles of results, which
run beside the products; *HVX*, the packets of HVX that a model issued, at the rate of the core. Where its bound alone
keeps a convolution below what is asked, the verdict says what is the most it can have, and whether it takes at most the
time of its bound by the same share.

Rows *in TCM* call a routine of `hexagon_mlir.codegen.matrix_engine` on tiles that are there; their rate is the share of
the cycles in which the array multiplies tiles, which small results do not fill.

The choice between the engine and HVX is estimated, and measured where the two estimates are close
(`codegen/engine_choice.py`). `bench/engine_choice.py` measures random products of other kinds and convolutions both
ways, too: of 80 products of up to 8 rows, 80 convolutions of f16 and 80 of bytes no choice is wrong, of 80 batches of
six one: 391x4x5 goes to HVX, with 56,359 cycles instead of 21,657.

Of int8 to int8, 1,024 cubed, the result is a quarter of the bytes, but the engine still gives four bytes of each sum,
whose conversions take it 81,920 cycles, and HVX, which joins them and rounds, issues 147,264 packets, 97,980 where the
results stay sums: that takes 1.8 times the bound of DDR.
"""

from __future__ import annotations

import argparse
import functools
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench import engine_products
from bench.requirements import choice, convolutions, models, products, simulator
from bench.requirements.line import HEADINGS, Kept, Line
from bench.tables import markdown, show, table
from hexagon_mlir.report.check import CLOCK_NOTE

GROUPS: Mapping[str, Callable[[Kept], Iterator[Line]]] = {
    "golden": simulator.golden, "programs": simulator.programs, "products": products.lines,
    "convolutions": convolutions.lines, "attention": models.attention, "models": models.models,
    "qwen3": models.layer_of_qwen3, "choice": choice.lines,
}


def page(lines: Iterable[Line], kept: Kept) -> str:
    """The text of ``docs/matrix_engine_speed.md``."""
    about = "\n\n".join((__doc__ or "").split("\n\n")[2:]).strip()
    of_products = "\n\n".join(engine_products.BENCH.document.split("\n\n")[2:]).strip()
    rows = map(engine_products.BENCH.cells, products.table(kept))
    return "\n".join([
        "# The matrix engine", "", f"v75, simulated. Cycles: {CLOCK_NOTE}.", "", about, "",
        "Made by `python bench/matrix_engine.py --markdown`.", "",
        *markdown(HEADINGS, (line.cells for line in lines)), "", "## Products", "", of_products, "",
        f"*error*: {engine_products.BENCH.error}.", "", *markdown(engine_products.BENCH.headings, rows)])


def main() -> None:
    """Measure the groups that the command line names, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("groups", nargs="*", metavar="group", help=f"of {', '.join(GROUPS)}; all when none is given")
    parser.add_argument("--count", type=int, default=simulator.ASKED, help="how many random programs")
    parser.add_argument("--shapes", type=int, default=choice.SHAPES, help="how many random products of the choice")
    parser.add_argument("--kept", type=Path, help="file of the measurements")
    parser.add_argument("--markdown", action="store_true", help="print docs/matrix_engine_speed.md")
    options = parser.parse_args()
    if unknown := set(options.groups) - set(GROUPS):
        parser.error(f"no group {', '.join(sorted(unknown))}; there are {', '.join(GROUPS)}")
    kept = Kept(options.kept)
    groups = {**GROUPS, "programs": functools.partial(simulator.programs, count=options.count),
              "choice": functools.partial(choice.lines, count=options.shapes)}
    lines = [line for group in options.groups or GROUPS for line in groups[group](kept)]
    if options.markdown:
        print(page(lines, kept))
        return
    grid = table("The matrix engine, v75, simulated", HEADINGS, HEADINGS[:3])
    for line in lines:
        grid.add_row(*line.cells)
    show(grid, 150)
    if missed := [line.what for line in lines if line.held is False]:
        print(f"{len(missed)} of {sum(line.held is not None for line in lines)} requirements are missed")


if __name__ == "__main__":
    main()
