#!/usr/bin/env python3
"""Random elementwise, reduction and transpose programs through a whole pipeline and the simulator, against numpy.

    scripts/fuzz_programs.py --first 0 --count 20000 --target v75

Program number n is the same on every machine, so a long run can be done in slices. Batches run in child processes
with a time limit; the programs of a batch that fails, crashes or takes too long run again one by one, and those that
still fail are printed. A program costs about a third of a second: it is compiled alone, for LLVM's time grows faster
than a module, in one variant of code generation, and translated for the host without optimisation.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BATCH = 40
SECONDS = 10  # per program of a batch
LONGEST = 60  # seconds for one program alone


def check(numbers: list[int], target: str) -> None:
    """Compile, run and compare each program; raises at the first difference."""
    import numpy as np

    sys.path[:0] = [str(ROOT), str(ROOT / "test" / "python")]
    from linalg_programs import random_elementwise, random_reduction, random_transpose

    from hexagon_mlir import pipelines, targets
    from hexagon_mlir.codegen.backend import optimize_and_emit
    from hexagon_mlir.codegen.translate import translate_to_llvm_ir
    from hexagon_mlir.ir import parse, set_index_bits
    from hexagon_mlir.pass_infra import PassContext
    from hexagon_mlir.pass_infra.runner import run_steps
    from hexagon_mlir.sim import Machine

    kinds = (random_reduction, random_elementwise, random_transpose, random_elementwise, random_reduction,
             random_elementwise, random_elementwise, random_elementwise)
    chip = targets.get(target)
    for number in numbers:
        program = kinds[number % len(kinds)](number)
        module = parse(program.text)
        set_index_bits(module)
        run_steps(module, pipelines.get("default", chip), PassContext(chip), None)
        asm = optimize_and_emit(translate_to_llvm_ir(module), chip.cpu, chip.features, "asm", False, patience=0)
        machine = Machine(asm.decode(), target, memory="fast")
        result = np.full(program.expected.shape, 99, program.arguments[-1].dtype)
        addresses = []
        for array in [*program.arguments, result]:
            addresses.append(machine.alloc_ddr(max(array.nbytes, 1)))
            machine.write(addresses[-1], np.frombuffer(array.tobytes(), np.uint8))
        machine.run(program.name, addresses)
        got = machine.read(addresses[-1], np.uint8, result.nbytes).tobytes()
        program.check(np.frombuffer(got, result.dtype).reshape(result.shape))


def outcome(numbers: list[int], target: str) -> str:
    """'' when all programs are right, else the last lines of what went wrong."""
    command = [sys.executable, __file__, "--target", target, "--only", ",".join(map(str, numbers))]
    limit = max(SECONDS * len(numbers), LONGEST)
    with tempfile.TemporaryDirectory() as cache:  # nothing of this is needed twice
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=limit,
                                  env={**os.environ, "HEXAGON_MLIR_CACHE_DIR": cache})
        except subprocess.TimeoutExpired:
            return f"took more than {limit} s"
    return "" if done.returncode == 0 else "\n".join((done.stderr or done.stdout).strip().splitlines()[-25:])


def main() -> int:
    """Run the slice; the exit code tells whether every program agreed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--target", default="v75")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="start no batch after this time")
    parser.add_argument("--only", help="these programs, in this process")
    options = parser.parse_args()
    if options.only:
        check([int(n) for n in options.only.split(",")], options.target)
        return 0
    start, failed, number = time.monotonic(), [], options.first
    end = options.first + options.count
    while number < end and time.monotonic() - start < options.seconds:
        numbers = list(range(number, min(number + BATCH, end)))
        if outcome(numbers, options.target):
            for one in numbers:
                if reason := outcome([one], options.target):
                    failed.append(one)
                    print(f"program {one}:\n{reason}\n", flush=True)
        number = numbers[-1] + 1
    agree = number - options.first - len(failed)
    print(f"programs {options.first} to {number - 1} on {options.target}: {agree} agree, {len(failed)} do not"
          f"{': ' + str(failed) if failed else ''} ({time.monotonic() - start:.0f} s)")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
