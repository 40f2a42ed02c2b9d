"""Random Triton kernels, over pointer expressions, the language, memory or numbers, against Triton's own interpreter.

``python -m fuzz triton-pointers --seeds 500`` tells the seeds that differ; ``--executor sim --check`` runs the assembly
on the simulator, in IEEE arithmetic, with its memory checks on; ``--containing dot_scaled`` takes the kernels with that
only; ``--launch '{"threads": 4, "arch": "v79"}'`` launches with these options; numbers, infinity minus infinity among
them, are for v79 otherwise, whose arithmetic is the interpreter's. Every tensor holds exactly the range of elements
that its kernel may touch, so that an access outside of the mask is found.
"""

from __future__ import annotations

import argparse
import faulthandler
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from fuzz.triton import LAUNCH, language, memory, numbers, pointers

BATCH = 20
SOURCES = {"pointers": pointers.source, "language": language.source, "memory": memory.source,
           "numbers": numbers.source}
PREFIX = "triton-"


def load(seed: int, folder: Path, prefix: str, kind: str) -> Any:
    """The generated module of ``seed`` as Triton needs it, in a file."""
    path = folder / f"{prefix}_{seed}.py"
    path.write_text(SOURCES[kind](seed))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def interpreted(seeds: list[int], folder: Path, kind: str) -> dict[int, Any]:
    """What Triton's interpreter computes for each seed, in a process of its own; an error is its text."""
    script = (f"import pathlib, sys; sys.path.insert(0, {str(Path(__file__).parents[2])!r})\n"
              "from fuzz.triton import interpreter, run as f\ninterpreter.complete()\n"
              f"results = {{}}\nfor seed in {seeds}:\n"
              "    try:\n"
              f"        results[seed] = f.load(seed, pathlib.Path({str(folder)!r}), 'i', {kind!r}).run().numpy()\n"
              "    except Exception as error:\n"
              "        results[seed] = repr(error)\n"
              f"import numpy as np; np.savez({str(folder / 'expected.npz')!r}, "
              "**{str(k): v for k, v in results.items()})\n")
    environment = {**os.environ, "TRITON_INTERPRET": "1", LAUNCH: "{}"}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    import numpy as np

    with np.load(folder / "expected.npz") as results:
        return {int(seed): results[seed] for seed in results}


def differences(seeds: list[int], folder: Path, reports: list[str], kind: str = "pointers") -> dict[int, str]:
    """Seeds whose kernel fails or gives other results here than in the interpreter, with what happened.

    ``reports``: where the simulator's checks write, and aborts of LLVM; a kernel that adds to it has failed.
    """
    import numpy as np

    found: dict[int, str] = {}
    for seed, expected in interpreted(seeds, folder, kind).items():
        if expected.dtype.kind == "U":
            if "CompilationError" not in str(expected):
                found[seed] = f"interpreter: {expected}"
            continue
        reports.clear()
        try:
            actual = load(seed, folder, "k", kind).run().numpy()
        except Exception as error:
            found[seed] = f"{type(error).__name__}: {error}"
            continue
        wrong = np.flatnonzero(~np.isclose(actual, expected, rtol=1e-5, atol=1e-5, equal_nan=True))
        if len(wrong):
            at = int(wrong[0])
            found[seed] = f"{len(wrong)} elements, at {at}: {actual[at]}, expected {expected[at]}"
        elif reports:
            found[seed] = reports[0]
    return found


def hurry(check: bool, reports: list[str]) -> None:
    """Code in one variant and no model of caches: each kernel runs once, for its values.

    ``reports`` gets what LLVM aborted at, even where its cautious code is right.
    """
    from hexagon_mlir.codegen.processes.worker import workers
    from hexagon_mlir.exec import sim

    backend = workers()
    request, backend.aborts = backend.request, reports

    def hurried(header: dict, body: str) -> bytes:
        return request({**header, "patience": 0}, body)

    backend.request = hurried  # type: ignore[method-assign,assignment]
    sim.Machine = partial(sim.Machine, memory="fast")  # type: ignore[assignment,misc]
    sim.SESSION.checked = check


def compute_in_ieee() -> None:
    """The interpreter's numbers are IEEE numbers; `floats` compares the chip's."""
    from hexagon_mlir.exec import sim
    from hexagon_mlir.sim import Arithmetic

    sim.SESSION.arithmetic = Arithmetic.IEEE


def add_options(parser: argparse.ArgumentParser) -> None:
    """Those of these kinds."""
    parser.add_argument("--executor", choices=["host", "sim"], default="host")
    parser.add_argument("--check", action="store_true", help="the simulator's memory checks")
    parser.add_argument("--show", action="store_true", help="print the kernel of the first seed")
    parser.add_argument("--containing", default="", help="only kernels whose source matches this pattern")
    parser.add_argument("--launch", default="", help="options of every launch, as JSON")


def run(options: argparse.Namespace) -> int:
    """A kernel for each seed, in the simulator's IEEE arithmetic: it is the code that is tested."""
    kind = options.kind.removeprefix(PREFIX)
    os.environ[LAUNCH] = options.launch or ('{"arch": "v79"}' if kind == "numbers" else "{}")
    if options.show:
        print(SOURCES[kind](options.seeds.start))
        return 0
    os.environ["HEXMLIR_EXECUTOR"] = options.executor
    from hexagon_mlir.exec import sim
    from hexagon_mlir.frontend.triton import activate

    activate()
    faulthandler.enable()  # a crash of MLIR tells the kernel's file, which is named for its seed
    reports: list[str] = []
    hurry(options.check, reports)
    compute_in_ieee()
    if options.check:
        sim.SESSION.observers.append(lambda record: reports.extend(str(r) for r in record.result.reports if r.certain))
    failed = done = 0
    fitting = (seed for seed in options.seeds if re.search(options.containing, SOURCES[kind](seed)))
    while seeds := list(islice(fitting, BATCH)):
        done += len(seeds)
        with tempfile.TemporaryDirectory() as folder:
            os.environ["TRITON_CACHE_DIR"] = os.environ["HEXAGON_MLIR_CACHE_DIR"] = folder
            for seed, text in differences(seeds, Path(folder), reports, kind).items():
                failed += 1
                print(f"seed {seed}: {text}", flush=True)
        print(f"{seeds[0]} to {seeds[-1]} done", file=sys.stderr, flush=True)
    print(f"{done} kernels, {failed} failed")
    return 1 if failed else 0
