"""Examples and linalg kernels with and without double buffering and threads: values, checks, and waits left out.

``python scripts/check_combinations.py [WORD]`` takes programs whose name holds WORD. Each program runs as Vec, +DB, +MT
and +MT+DB on the checked simulator (races, use before wait, overlapping transfers, leaks, bounds); then each wait for a
transfer or for a group of tasks is left out in turn, and the run must notice. Exit code 1 when something is amiss.
"""

from __future__ import annotations

import os
import sys
import tempfile
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "test" / "python"))

from waited_programs import examples, programs
from waits import recorded

from hexagon_mlir.bench.ways import COMBINATIONS


def main() -> int:
    """Run everything; print what is amiss, and a line for each run."""
    warnings.simplefilter("ignore")
    word = sys.argv[1] if len(sys.argv) > 1 else ""
    from hexagon_mlir.frontend.triton import activate

    activate()
    amiss = 0
    known = programs() | {f"examples/{name}": program for name, program in examples().items()}
    for name, program in known.items():
        for combination in COMBINATIONS:
            if word not in name:
                continue
            with tempfile.TemporaryDirectory() as folder, recorded(combination) as launches:
                os.environ["TRITON_CACHE_DIR"] = folder  # code of another combination is kept under the same key
                program()
                reports, unneeded = launches.reports(), launches.unneeded()
            for text in (*reports, *unneeded):
                print(f"{name}, {combination}: {text}", flush=True)
            amiss += len(reports) + len(unneeded)
            print(f"{name}, {combination}: {launches.threads} tasks, {launches.waits} waits, {len(reports)} reports, "
                  f"{len(unneeded)} waits not needed", flush=True)
    return 1 if amiss else 0


if __name__ == "__main__":
    sys.exit(main())
