"""Runs many functions of one module: on the host after some steps, or compiled for the simulator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from linalg_programs import Program

import hexagon_mlir as hx
from hexagon_mlir import pipelines, targets
from hexagon_mlir.codegen import compile_module
from hexagon_mlir.exec.host import HostFunction
from hexagon_mlir.exec.host_lowering import _signature
from hexagon_mlir.exec.sim import launch
from hexagon_mlir.ir import ir, parse, set_index_bits
from hexagon_mlir.pass_infra import PassContext, Step
from hexagon_mlir.pass_infra.runner import RunOptions, run_steps
from hexagon_mlir.sim import Machine

Call = Callable[[str, Sequence[np.ndarray]], list[np.ndarray]]


def steps_until(pipeline: str, last: str, target: str = "v75") -> list[Step]:
    """The steps of ``pipeline`` up to and including the one called ``last``."""
    steps = list(pipelines.get(pipeline, targets.get(target)))
    return steps[:[s.title for s in steps].index(last) + 1]


MANY = 20
"""Steps that are most of a pipeline."""


def after(text: str, steps: Sequence[Step], target: str = "v75") -> tuple[ir.Module, PassContext]:
    """``text`` after ``steps``, and the context with its remarks. Levels are checked, but those of most of a pipeline,
    which `test_stages` checks: that takes a quarter of the time of a test.
    """
    module = parse(text)
    set_index_bits(module)
    context = PassContext(targets.get(target))
    run_steps(module, steps, context, RunOptions(verify_levels=len(steps) < MANY))
    return module, context


def on_host(module: ir.Module, entries: Sequence[str]) -> Call:
    """Lower and compile ``module`` once; the result calls any of ``entries`` on the host.

    A buffer-level function gets its outputs as last arguments.
    """
    signatures = {name: _signature(module, name) for name in entries}
    compiled = HostFunction(module, entries[0], level=0)
    program = compiled.program

    def call(entry: str, arguments: Sequence[np.ndarray]) -> list[np.ndarray]:
        compiled.entry = entry
        compiled.program = replace(program, arguments=signatures[entry][0], results=signatures[entry][1])
        return compiled(arguments)

    return call


def on_simulator(text: str, pipeline: str = "default", target: str = "v75") -> tuple[Call, str]:
    """Compile ``text`` once; a call of any public function, and the assembly. Levels are
    not checked (see `after`).
    """
    compiled = compile_module(parse(text), target, pipeline)

    def call(entry: str, arguments: Sequence[np.ndarray]) -> list[np.ndarray]:
        launch(compiled.asm, entry, list(arguments), None, target)
        return []

    return call, compiled.asm


def run_checked(programs: list[Program], target: str) -> None:
    """Run every one on the simulator with checks: right values, nothing reported, nothing else written."""
    compiled = hx.compile("".join(p.text for p in programs), target=target, entry=programs[0].name)
    machine = Machine(compiled.asm, target, check=True)
    for one in programs:
        addresses = []
        for array in (*one.arguments, one.place()):
            addresses.append(machine.alloc_ddr(array.nbytes))
            machine.write(addresses[-1], np.frombuffer(array.tobytes(), np.uint8))
        assert machine.run(one.name, addresses).reports == []
        got = machine.read(addresses[-1], np.uint8, one.expected.nbytes).tobytes()
        one.check(np.frombuffer(got, one.expected.dtype).reshape(one.expected.shape))
