"""Runs small models of the architectures in transformers, torchvision and timm, compiled, against eager PyTorch.

``python bench/architectures.py [--kind=run,export,train] [--only=NAME,...] [--again] [--write]``: each model in a
process of its own, with a cache of one linear layer. Rows that are in bench/architectures.json are not run again
without ``--again`` or a name; ``--write`` writes docs/architectures.md from that file. Needs the extra
``architectures``.
"""

from __future__ import annotations

import argparse
import compileall
import json
import multiprocessing
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.corpus.architecture_row import row
from bench.corpus.architecture_table import KINDS, page
from bench.corpus.architectures import TRANSFORMERS, load_libraries
from bench.corpus.image_architectures import IMAGES

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "bench" / "architectures.json"
PAGE = ROOT / "docs" / "architectures.md"
_SECONDS = 900
"""How long a row may take, by the clock, which other work on the machine makes longer."""


def measured(name: str, kind: str, simulator: str) -> dict[str, Any]:
    """The row of ``name``, run in a process of its own, which shares what has been imported here, and whose cache is a
    copy of the folder ``simulator``."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    with tempfile.TemporaryDirectory() as cache:
        shutil.copytree(simulator, cache, dirs_exist_ok=True)
        process = context.Process(target=_send_row, args=(sender, name, kind, cache))
        process.start()
        sender.close()
        try:
            if not receiver.poll(_SECONDS):
                return {"state": "failed", "reason": f"not finished after {_SECONDS} s"}
            return json.loads(receiver.recv_bytes())
        except EOFError:
            process.join()
            return {"state": "failed", "reason": f"the process ended with {process.exitcode}"}
        finally:
            process.kill()
            process.join()


def _compile_sources() -> None:
    """Keep bytecode of the project, as pip does when it installs: no row then compiles what it imports."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    for package in ("hexagon_mlir", "passes", "dialects"):
        compileall.compile_dir(ROOT / package, quiet=2)


def _fill_cache(cache: str) -> None:
    """Run one layer: the cache has the simulator's own functions then."""
    os.environ["HEXAGON_MLIR_CACHE_DIR"] = cache
    with torch.no_grad():
        torch.compile(torch.nn.Linear(64, 64), backend="hexagon")(torch.ones(32, 64))


def _send_row(sender: Any, name: str, kind: str, cache: str) -> None:
    os.environ["HEXAGON_MLIR_CACHE_DIR"] = cache
    sender.send_bytes(json.dumps(row(name, kind)).encode())


def _measure(rows: list[tuple[str, str]], results: dict[str, dict[str, Any]]) -> None:
    """Run ``rows``, each a kind and a name, and add them to ``results`` and the file."""
    _compile_sources()
    load_libraries()
    with tempfile.TemporaryDirectory() as simulator:
        first = multiprocessing.get_context("fork").Process(target=_fill_cache, args=(simulator,))
        first.start()
        first.join()
        for kind, name in rows:
            known = results.setdefault(kind, {})
            known[name] = measured(name, kind, simulator)
            print(f"{kind} {name}: {known[name]}", flush=True)
            RESULTS.write_text(json.dumps(results, indent=1, sort_keys=True) + "\n")


def main() -> None:
    """Run what was asked for and is not known yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="names, separated by commas")
    parser.add_argument("--kind", default=",".join(KINDS), help="of run, export and train")
    parser.add_argument("--again", action="store_true", help="run known rows again")
    parser.add_argument("--write", action="store_true", help="write the page")
    asked = parser.parse_args()
    names = [name for name in (*TRANSFORMERS, *IMAGES) if not asked.only or name in asked.only.split(",")]
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    rows = [(kind, name) for kind in asked.kind.split(",") for name in names
            if name in (KINDS[kind] or names)
            and (asked.again or asked.only or name not in results.get(kind, {}))]
    if not asked.write or asked.only or asked.again:
        _measure(rows, results)
    if asked.write:
        PAGE.write_text(page(results, [*TRANSFORMERS, *IMAGES]))


if __name__ == "__main__":
    main()
