"""What the compiler did with a model, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hexagon_mlir.report import text

if TYPE_CHECKING:
    from hexagon_mlir.frontend.torch.model import CompiledModel


def model_report(model: CompiledModel) -> str:
    """Graph passes with nodes and times, phases, buffers before and after reuse, kernels, and the last run if any."""
    result, memory = model.result, model.result.memory
    passes = [(f"{p.seconds * 1e3:.1f} ms", f"{p.nodes_before}", f"{p.nodes_after}", p.name)
              for p in result.graph_passes]
    phases = [(f"{seconds:.3f} s", f"{result.cpu_seconds.get(name, 0.0):.3f} s",
               f"{result.llvm_seconds.get(name, 0.0):.3f} s", name) for name, seconds in result.phases.items()]
    streamed = [0] * len(model.schedule.kernels)
    for call, nbytes in zip(model.schedule.calls, result.streamed_bytes, strict=True):
        streamed[call.kernel] += nbytes
    kernels = [(f"{kernel.calls}", f"{kernel.seconds:.2f} s", text.size(nbytes) if nbytes else "", kernel.name)
               for kernel, nbytes in zip(model.schedule.kernels, streamed, strict=True)]
    parts = [
        f"target {model.target}: compiled in {result.seconds:.2f} s\n",
        text.table(("time", "nodes before", "after", "graph pass"), passes),
        text.table(("time", "CPU", "CPU of LLVM", "phase"), phases),
        text.table(("calls", "compile", "weights ahead", "kernel"), kernels),
        f"{result.linalg_ops} operations in {result.kernel_calls} calls of {result.kernels} kernels, "
        f"{text.size(result.weight_bytes)} of weights, {text.size(sum(result.streamed_bytes))} of them fetched while "
        f"an earlier kernel computes, {text.size(result.tcm_bytes)} of TCM planned\n"
        f"{result.buffers} activations: {text.size(memory.total_bytes)} without reuse, {text.size(memory.arena_bytes)} "
        f"planned, {text.size(memory.bound_bytes)} at least\n",
    ]
    if result.predicted is not None:
        cycles = "?" if result.predicted.cycles is None else f"{result.predicted.cycles:,}"
        line = f"predicted: {cycles} cycles, {text.size(result.predicted.ddr_bytes)} from and to DDR"
        if result.simulated_cycles is not None and result.ddr_bytes is not None:
            line += f"; simulated: {result.simulated_cycles:,} cycles, {text.size(result.ddr_bytes)}"
        parts.append(line + "\n")
    if model.last_run is not None and model.last_run.launches:
        parts.append(text.launches(model.last_run.launches))
    return "\n".join(parts)
