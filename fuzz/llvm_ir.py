"""Random LLVM IR vector functions: the host against Hexagon code on the simulator.

    python -m fuzz llvm-ir --seeds 1:2001 [--faulty]

``--faulty`` lets in operations LLVM is known to translate wrongly (docs/simulator.md); without it every
difference is new. Batches run in child processes: a crash of LLVM costs one batch and is reported.
"""

import argparse
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

from hexagon_mlir.sim.reference.random_ir import FAULTS, Generator, check

BATCH = 50


def batch(seed: int, count: int, faulty: bool, target: str) -> list[tuple[list[str], str]]:
    """(known faults, report) of each function that differs."""
    generator = Generator(seed, faulty)
    functions = [generator.function(f"f{i}") for i in range(count)]
    return [(sorted(m.function.faults), str(m)) for m in check(functions, seed, target)]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Those of this kind."""
    parser.add_argument("--faulty", action="store_true", help="with operations that have known faults")
    parser.add_argument("--target", default="v75")
    parser.add_argument("--show", type=int, default=5, help="new differences to print")


def run(options: argparse.Namespace) -> int:
    """A function for each seed."""
    start = time.perf_counter()
    known: Counter[str] = Counter()
    new = crashed = done = 0
    while done < len(options.seeds):
        size = min(BATCH, len(options.seeds) - done)
        try:
            with ProcessPoolExecutor(1) as pool:
                found = pool.submit(batch, options.seeds.start + done, size, options.faulty, options.target).result()
        except BrokenProcessPool:
            crashed += 1
            print(f"crash in the batch --seeds {options.seeds.start + done}:{options.seeds.start + done + size}")
            found = []
        for faults, report in found:
            known.update(faults)
            if not faults:
                new += 1
                if new <= options.show:
                    print(report)
        done += size
    for fault, times in known.most_common():
        print(f"{times:6} {fault}: {FAULTS[fault]}")
    print(f"{done} functions, {new} new differences, {crashed} crashes, {time.perf_counter() - start:.1f} s")
    return 1 if new or crashed else 0
