"""Random programs (elementwise, reductions, transposes, indices, strides) through a pipeline and the simulator.

    python -m fuzz programs --seeds 20000 --target v75
    python -m fuzz chains --seeds 2000 --settings '{"threads": 1, "tcm_bytes": 16384}'

Results are compared with numpy's; the simulator computes in IEEE arithmetic, so that it is the code that is tested.
Program number n is the same on every machine, so a long run can be done in slices. A group of programs is compiled as
the functions of one module, in one variant of code generation, and translated for the host without optimisation. The
groups run in a child process; when it fails, crashes or hangs, the programs of its group run again one by one, those
that still fail are printed, and the rest goes on in a new process.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BATCH, GROUP = 100, 20  # programs of one process, and of one module
SECONDS = 60  # of CPU, for one module
AGREE = "agree: "


def check(numbers: list[int], options: argparse.Namespace) -> None:
    """Compile the programs as one module, run and compare each; raises at the first difference or report."""
    import numpy as np

    sys.path[:0] = [str(ROOT), str(ROOT / "test" / "python")]
    from chained_programs import random_chain
    from indexed_programs import random_indexed
    from linalg_programs import random_elementwise, random_reduction, random_transpose
    from strided_programs import random_strided

    from hexagon_mlir import pipelines, targets
    from hexagon_mlir.codegen.backend import optimize_and_emit
    from hexagon_mlir.codegen.translate import translate_to_llvm_ir
    from hexagon_mlir.ir import parse, set_index_bits
    from hexagon_mlir.pass_infra import PassContext
    from hexagon_mlir.pass_infra.runner import run_steps
    from hexagon_mlir.settings import Settings
    from hexagon_mlir.sim import Arithmetic, Machine

    kinds = (random_reduction, random_elementwise, random_transpose, random_elementwise, random_reduction,
             random_indexed, random_elementwise, random_indexed, random_strided, random_strided)
    if options.kind == "chains":
        kinds = (random_chain,)
    settings = Settings(**json.loads(options.settings))
    chip = targets.get(options.target)
    programs = [kinds[number % len(kinds)](number) for number in numbers]
    module = parse("\n".join(program.text for program in programs))
    set_index_bits(module)
    run_steps(module, pipelines.get("default", chip, settings), PassContext(chip), None)
    asm = optimize_and_emit(translate_to_llvm_ir(module), chip.cpu, chip.features, "asm", qfloat=settings.qfloat,
                            patience=0)
    machine = Machine(asm.decode(), options.target, memory="fast", check=options.check,
                      arithmetic=Arithmetic.IEEE)
    for program in programs:
        result = program.place()
        addresses = []
        for array in [*program.arguments, result]:
            addresses.append(machine.alloc_ddr(max(array.nbytes, 1)))
            machine.write(addresses[-1], np.frombuffer(array.tobytes(), np.uint8))
        reports = [str(r) for r in machine.run(program.name, addresses).reports if r.certain]
        if reports:
            raise AssertionError(f"{program.name}: {reports[0]}\n{program.text}")
        got = machine.read(addresses[-1], np.uint8, result.nbytes).tobytes()
        program.check(np.frombuffer(got, result.dtype).reshape(result.shape))


def agreeing(numbers: list[int], options: argparse.Namespace, group: int) -> tuple[int, str]:
    """How many of ``numbers`` agree before the first group that does not, and the last lines of what it said."""
    command = [sys.executable, "-m", "fuzz", options.kind, "--target", options.target, "--group", str(group),
               "--only", ",".join(map(str, numbers)), "--settings", options.settings,
               *(["--check"] if options.check else [])]
    with tempfile.TemporaryDirectory() as cache:  # nothing of this is needed twice
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT,
                              env={**os.environ, "HEXAGON_MLIR_CACHE_DIR": cache})
    agree = sum(int(line.removeprefix(AGREE)) for line in done.stdout.splitlines() if line.startswith(AGREE))
    reason = f"killed by signal {-done.returncode}\n{done.stderr}" if done.returncode < 0 else done.stderr
    return agree, "\n".join(reason.strip().splitlines()[-25:])


def failures(numbers: list[int], options: argparse.Namespace) -> list[int]:
    """Those of ``numbers`` that do not agree, each printed with the reason."""
    failed: list[int] = []
    while numbers:
        agree, together = agreeing(numbers, options, GROUP)
        suspects, numbers = numbers[agree:][:GROUP], numbers[agree:][GROUP:]
        found, left = [], suspects
        while left:
            agree, reason = agreeing(left, options, 1)
            if agree < len(left):
                found.append(left[agree])
                print(f"program {left[agree]}:\n{reason}\n", flush=True)
            left = left[agree + 1:]
        if suspects and not found:
            print(f"programs {suspects} fail as one module only:\n{together}\n", flush=True)
        failed += found or suspects
    return failed


def add_options(parser: argparse.ArgumentParser) -> None:
    """Those of this kind."""
    parser.add_argument("--target", default="v75")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="start no process after this time")
    parser.add_argument("--only", help="these programs, in this process")
    parser.add_argument("--group", type=int, default=1, help="with --only: programs of one module")
    parser.add_argument("--settings", default="{}", help="of the pipeline, as JSON: threads, accuracy, tcm_bytes, ...")
    parser.add_argument("--check", action="store_true", help="the simulator's memory checks")


def run(options: argparse.Namespace) -> int:
    """A program for each seed; the exit code tells whether every one agreed."""
    if options.only:
        numbers = [int(n) for n in options.only.split(",")]
        for start in range(0, len(numbers), options.group):
            signal.setitimer(signal.ITIMER_PROF, SECONDS)  # its signal ends the process, in LLVM as well
            check(group := numbers[start:start + options.group], options)
            print(f"{AGREE}{len(group)}", flush=True)
        return 0
    begin, failed, number = time.monotonic(), [], options.seeds.start
    while number < options.seeds.stop and time.monotonic() - begin < options.seconds:
        after = min(number + BATCH, options.seeds.stop)
        failed += failures(list(range(number, after)), options)
        number = after
        print(f"programs {options.seeds.start} to {number - 1} on {options.target}: "
              f"{number - options.seeds.start - len(failed)} agree, {len(failed)} do not"
              f"{': ' + str(failed) if failed else ''} ({time.monotonic() - begin:.0f} s)", flush=True)
    return 1 if failed else 0
