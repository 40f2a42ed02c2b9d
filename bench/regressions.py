"""Costs of the demo, the hot loops, the Triton examples, nine small models, a token of a language model and products on
the matrix engine on v75, and of a dozen of them on v79, against those that are checked in.

    python bench/regressions.py                        # what changed; fails when a cost grew by more than 1 %
    python bench/regressions.py models demo            # of these groups only
    python bench/regressions.py --update "the reason"  # checks the measured costs in

A cost is cycles, packets, and bytes read from and written to DDR and TCM, on the simulator: the same numbers on every
host. ``bench/regressions.json`` holds them, with the reason of each update and what it changed.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import json
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from pathlib import Path

import torch
from rich.progress import track

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import hexagon_mlir as hx
from bench import decode, demo, engine_products, kernels
from bench.corpus.model_zoo import SMALL
from bench.corpus.tcm_kernels import KERNELS, Kernel
from bench.engine_products import IntegerProduct
from bench.narrow_products import NarrowProduct
from bench.tables import show, table
from hexagon_mlir import targets
from hexagon_mlir.exec import sim
from hexagon_mlir.frontend.triton import activate
from hexagon_mlir.ir import HexError
from hexagon_mlir.sim import RunResult
from hexagon_mlir.whole_files import write_files

BASELINE = Path(__file__).with_suffix(".json")
LIMIT = 0.01
"""The part by which a cost may grow."""
COSTS = ("cycles", "packets", "ddr_bytes", "tcm_bytes")
EXAMPLES = ("attention", "dropout", "gelu", "grouped_matmul", "layer_norm", "libdevice", "matmul",
            "persistent_matmul", "rms_norm", "softmax", "vector_add")
MODELS = ("GPT-2 small", "Whisper encoder", "Qwen3 block", "mixture of experts", "ResNet-18 narrow")
MORE, MORE_MODELS = "more-models", ("BERT small", "ViT", "Llama block", "MobileNetV2 narrow")
"""A second one of each kind: tests measure them where ``-m`` names ``full``."""
SECOND = "v79"
"""The second chip, which computes in IEEE formats where v75 has qfloat."""
SECOND_KERNELS = ("vec-add f32", "exp f32", "division f32", "gelu f32", "gelu f16", "softmax f32", "softmax short f32",
                  "layer-norm f32")
SECOND_DEMO = ("softmax", "RMS norm", "matmul")
SECOND_MODELS = ("mixture of experts",)

ENGINE_INTEGERS, ENGINE_NARROW = (IntegerProduct(512, 256, 512),), NarrowProduct(128, 512, 512)
ENGINE_PRODUCTS, ENGINE_MODELS = ("512x512x512", "123x200x77", "64x64x64", "1x768x768"), ("BERT small",)

Cost = dict[str, int]
"""By the names of `COSTS`."""
Costs = dict[str, Cost]
"""By what was measured."""


def cost(results: Iterable[RunResult]) -> Cost:
    """The cost of ``results`` together."""
    runs = list(results)
    return {"cycles": sum(r.cycles for r in runs), "packets": sum(r.packets for r in runs),
            "ddr_bytes": sum(r.ddr_read_bytes + r.ddr_write_bytes for r in runs),
            "tcm_bytes": sum(r.tcm_read_bytes + r.tcm_write_bytes for r in runs)}


def _launches(run: Callable[[], object]) -> list[sim.LaunchRecord]:
    with sim.SESSION.recording() as records:
        run()
    return records


def demo_costs() -> Costs:
    """The table of ``scripts/demo.sh``, the default pipeline only."""
    return _demo_costs(demo.cases(), targets.DEFAULT)


def _demo_costs(cases: Iterable[demo.Case], target: str) -> Costs:
    activate()
    return {f"{case.name} {case.shape}": cost(
        r.result for r in _launches(lambda case=case: case.run(threads=1, arch=target))) for case in cases}


def kernel_costs() -> Costs:
    """The hot loops of ``bench/kernels.py`` with their operands in TCM."""
    return _kernel_costs(kernels.both_levels(KERNELS), targets.DEFAULT)


def _kernel_costs(rows: Iterable[Kernel], target: str) -> Costs:
    return {f"{kernel.name} {'x'.join(map(str, kernel.shape))} {kernel.element} {kernel.level}":
            cost([kernels.execute(kernels.assembly(kernel, target), kernel, target)[1]]) for kernel in rows}


def example_costs() -> Costs:
    """The kernels of ``examples/``, all launches of each together."""
    found = {}
    for name in EXAMPLES:
        torch.manual_seed(0)
        with contextlib.redirect_stdout(io.StringIO()):
            launches = _launches(importlib.import_module(f"examples.{name}").main)
        for kernel in dict.fromkeys(record.kernel for record in launches):
            found[f"{name}: {kernel}"] = cost(record.result for record in launches if record.kernel == kernel)
    return found


def model_costs() -> Costs:
    """Models of ``bench/corpus/model_zoo.py``, one call of each, and a token of two small layers of ``bench/decode.py``
    with weights of 4 bits."""
    return {**_model_costs(MODELS, targets.DEFAULT), "decoded token": cost(_decode())}


def more_model_costs() -> Costs:
    """Further models of each kind."""
    return _model_costs(MORE_MODELS, targets.DEFAULT)


def _decode() -> list[RunResult]:
    model = decode.layer(256, "f16", layers=2, width=512, heads=8, hidden=1536)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [record.result for record in _launches(lambda: model.scores([5]))]


def _model_costs(names: Iterable[str], target: str, numerics: str = "f32") -> Costs:
    found = {}
    for name in names:
        torch.manual_seed(0)
        module, inputs = SMALL[name]()
        with torch.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = hx.compile(torch.export.export(module.eval(), inputs), target=target, numerics=numerics)
            results = model(*inputs)
            if numerics == "f32":
                torch.testing.assert_close(results, module(*inputs), rtol=0, atol=2e-5)
        found[name] = cost(record.result for record in model.last_run.launches)
    return found


def engine_costs() -> Costs:
    """Products of f16 matrices from DDR by the matrix engine, of bytes and by weights of 4 bits, and a model in mixed
    precision."""
    products = {product.name: cost([engine_products.launched(product, *product.operands(), engine=True)])
                for product in engine_products.PRODUCTS if product.name in ENGINE_PRODUCTS and not product.in_tcm}
    for product in ENGINE_INTEGERS:
        products[product.name] = cost([engine_products.launched(product, *product.operands(), engine=True)])
    products[ENGINE_NARROW.name] = cost([ENGINE_NARROW.launched()[0]])
    return {**products, **{f"{name} mixed": found
                           for name, found in _model_costs(ENGINE_MODELS, targets.DEFAULT, "mixed").items()}}


def second_costs() -> Costs:
    """A dozen programs of the other groups on `SECOND`."""
    rows = [kernel for kernel in KERNELS if f"{kernel.name} {kernel.element}" in SECOND_KERNELS]
    cases = [case for case in demo.cases() if case.name in SECOND_DEMO]
    return {**_kernel_costs(rows, SECOND), **_demo_costs(cases, SECOND), **_model_costs(SECOND_MODELS, SECOND)}


GROUPS: Mapping[str, Callable[[], Costs]] = {"demo": demo_costs, "kernels": kernel_costs, "examples": example_costs,
                                             "models": model_costs, MORE: more_model_costs,
                                             "engine": engine_costs, SECOND: second_costs}


def changes(before: Costs, after: Costs) -> list[tuple[str, str, int, int]]:
    """(what, name of the cost, before, after) of every cost that differs; 0 where one side has none."""
    return [(name, key, before.get(name, {}).get(key, 0), after.get(name, {}).get(key, 0))
            for name in dict.fromkeys([*before, *after]) for key in COSTS
            if before.get(name, {}).get(key, 0) != after.get(name, {}).get(key, 0)]


def regressions(before: Costs, after: Costs) -> list[str]:
    """A line for each cost that grew by more than `LIMIT`, for what is not checked in, and for what is gone."""
    lines = [f"{name}: not measured any more" for name in before if name not in after]
    lines += [f"{name}: not checked in" for name in after if name not in before]
    lines += [f"{name}: {was:,} {key} before, {now:,} now ({_percent(was, now)})"
              for name, key, was, now in changes(before, after)
              if name in before and name in after and now > was * (1 + LIMIT)]
    return lines


def _percent(before: int, after: int) -> str:
    return f"{100 * (after / before - 1):+.2f} %" if before else "new"


def baseline(group: str) -> Costs:
    """The costs of ``group`` in `BASELINE`; none where it is new."""
    found: Costs = json.loads(BASELINE.read_text())["costs"].get(group, {}) if BASELINE.exists() else {}
    return found


def update(measured: Mapping[str, Costs], reason: str) -> None:
    """Check ``measured`` in for their groups; the file keeps the ``reason`` with the cycles that changed."""
    file = json.loads(BASELINE.read_text()) if BASELINE.exists() else {"updates": [], "costs": {}}
    changed = {f"{group}: {name}": [was, now] for group, costs in measured.items()
               for name, key, was, now in changes(file["costs"].get(group, {}), costs) if key == "cycles" and was}
    file["updates"].append({"date": date.today().isoformat(), "reason": reason, "cycles": changed})
    file["costs"].update(measured)
    write_files({BASELINE: (json.dumps(file, indent=1, ensure_ascii=False) + "\n").encode()})


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, then compare or update; a group with an error does not stop the others."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("groups", nargs="*", help=f"of {', '.join(GROUPS)}; all when none is given")
    parser.add_argument("--update", metavar="REASON", help="check the measured costs in")
    options = parser.parse_args(arguments)
    if unknown := set(options.groups) - set(GROUPS):
        parser.error(f"no group {', '.join(sorted(unknown))}; there are {', '.join(GROUPS)}")
    if options.update is not None and not options.update.strip():
        parser.error("--update needs a reason")
    measured: dict[str, Costs] = {}
    worse: list[str] = []
    for group in track(options.groups or [*GROUPS], "measuring", transient=True):
        try:
            measured[group] = GROUPS[group]()
        except (HexError, AssertionError) as error:
            worse.append(f"{group}: not measured: {error}")
    grid = table("Costs that changed, simulated", ("group", "what", "cost", "before", "after", "change"),
                 ("group", "what", "cost"))
    for group, costs in measured.items():
        for name, key, was, now in changes(baseline(group), costs):
            grid.add_row(group, name, key, f"{was:,}", f"{now:,}", _percent(was, now))
    show(grid, 110)
    if options.update:
        update(measured, options.update.strip())
        if worse:
            sys.exit("\n".join(worse))
        return
    worse += [f"{group}: {line}" for group, costs in measured.items() for line in regressions(baseline(group), costs)]
    if worse:
        sys.exit("\n".join([*worse, "if this is meant: python bench/regressions.py --update 'the reason'"]))


if __name__ == "__main__":
    main()
