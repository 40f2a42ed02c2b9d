"""Each program of `op_programs` through each pass that takes its level, or through the whole pipeline to assembly.

A pass succeeds or raises a `HexError` that names it. Programs run in processes of their own, which tell what they are
about to do: a crash is found by name. ``python op_walk.py pass|pipeline TARGET`` is such a process: it reads the
numbers of programs, and from which pass on, and writes what it does.
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from op_programs import programs

from hexagon_mlir import pass_names, targets
from hexagon_mlir.codegen.compile import compile_module
from hexagon_mlir.ir import HexError, parse, set_index_bits
from hexagon_mlir.pass_infra import PassContext, PassStep, registry
from hexagon_mlir.pass_infra.runner import run_steps

LEVELS = {"tensor": ("source", "tensor", "tiled"), "buffer": ("buffer", "runtime")}
"""Levels of programs, and of the passes that take them."""
WHOLE = "the pipeline"


def steps(level: str, kind: str) -> list[str]:
    """What a program of ``level`` goes through."""
    if kind == "pipeline":
        return [WHOLE]
    return [name for name in pass_names.names() if registry.get(name).needs in LEVELS[level]]


def outcome(text: str, step: str, target: str) -> str | None:
    """What is wrong with how ``step`` takes ``text`` for ``target``; None when it succeeds or refuses with a reason."""
    try:
        module = parse(text)
    except HexError:
        return None  # a template that does not verify for a type
    try:
        if step == WHOLE:
            compile_module(module, target)
        else:
            set_index_bits(module)
            run_steps(module, [PassStep(registry.get(step)())], PassContext(targets.get(target)))
    except HexError as error:
        if any("report it" in d.hint for d in error.diagnostics):
            return f"invalid IR: {error.diagnostics[0].message}"
        if not all(d.message and (d.origin or step == WHOLE) for d in error.diagnostics):
            return f"no pass or no reason: {error}"
    except Exception as error:  # what this is about
        return described(error)
    return None


def described(error: Exception) -> str:
    """Its type, and the first line of what it says."""
    return f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}"


def walk(numbers: Sequence[int], kind: str, target: str = targets.DEFAULT) -> Iterator[tuple[int, str, str]]:
    """(program, step, what is wrong) of the programs ``numbers``."""
    todo: list[tuple[int, int]] = [(number, 0) for number in numbers]
    while todo:
        command = [sys.executable, str(Path(__file__).resolve()), kind, target]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              text=True) as process:
            assert process.stdin is not None and process.stdout is not None
            process.stdin.write(json.dumps(todo))
            process.stdin.close()
            at, name = (todo[0][0], 0), "its start"
            for line in process.stdout:
                number, place, name, wrong = json.loads(line)
                at = (number, place)
                if wrong:
                    yield number, name, wrong
        if process.returncode == 0:
            return
        yield at[0], name, f"the process ended with {process.returncode}"
        left = [number for number, _ in todo]
        todo = [(at[0], at[1] + 1), *((number, 0) for number in left[left.index(at[0]) + 1:])]


def _work(kind: str, target: str) -> None:
    everything = list(programs())
    out = sys.stdout
    sys.stdout = sys.stderr
    for number, first in json.load(sys.stdin):
        _, level, text = everything[number]
        for place, name in list(enumerate(steps(level, kind)))[first:]:
            print(json.dumps([number, place, name, ""]), file=out, flush=True)
            if wrong := outcome(text, name, target):
                print(json.dumps([number, place, name, wrong]), file=out, flush=True)


if __name__ == "__main__":
    _work(*sys.argv[1:])
