"""The parts of a compiled model besides its schedule: statistics of the compiler, and the mapping of arguments and
results."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch.utils import _pytree as pytree

from hexagon_mlir.codegen.memory_plan import MemoryPlan
from hexagon_mlir.codegen.prediction import Prediction
from hexagon_mlir.frontend.torch.graph import Constant, Fixed
from hexagon_mlir.frontend.torch.passes import PassRecord
from hexagon_mlir.ir import Diagnostic


@dataclass(frozen=True)
class CompilationResult:
    """Statistics of a compilation. Times in seconds, sizes in bytes.

    ``phases`` are wall times by name, ``cpu_seconds`` and ``llvm_seconds`` CPU times of this process and of those that
    run LLVM; ``graph_passes`` give nodes before and after each; ``linalg_ops`` were fused into ``kernel_calls``
    launches of ``kernels`` different kernels; ``memory`` tells buffer reuse. ``tcm_bytes`` is planned for all launches
    together; of launch n, ``streamed_bytes[n]`` of weights come while an earlier one computes. ``predicted`` is what
    a run should cost, from sizes alone; ``simulated_cycles`` and ``ddr_bytes`` are of the last run on the simulator,
    None before it. ``saved_bytes``: by so many are the codes of 4 bits fewer than the weights that they stand for.
    ``remarks``: what rewrites of the graph declined to do.
    """

    graph_passes: tuple[PassRecord, ...]
    phases: dict[str, float]
    linalg_ops: int
    kernels: int
    kernel_calls: int
    buffers: int
    memory: MemoryPlan
    weight_bytes: int
    cpu_seconds: dict[str, float] = field(default_factory=dict)
    llvm_seconds: dict[str, float] = field(default_factory=dict)
    tcm_bytes: int = 0
    streamed_bytes: tuple[int, ...] = ()
    predicted: Prediction | None = None
    simulated_cycles: int | None = None
    ddr_bytes: int | None = None
    saved_bytes: int = 0
    remarks: tuple[Diagnostic, ...] = ()

    @property
    def fused_ops(self) -> int:
        """Operations that run in the kernel of another one."""
        return self.linalg_ops - self.kernel_calls

    @property
    def seconds(self) -> float:
        """Our own compile time: everything after PyTorch has passed its graph."""
        return sum(self.phases.values())


@dataclass
class Signature:
    """How flat arguments of the model become arguments of the schedule, and its results the model's.

    ``inputs[i]`` is the flat argument of schedule argument ``i``, None for one of ``constants``; ``states`` are
    buffers read anew in each run, by schedule argument; ``bounds`` the lowest and highest index that those take which
    are indices. ``fixed`` are the flat arguments that are no tensors. ``keys`` is the state that each run draws
    anew, with which operations draw random numbers: int32 (operations, 2).
    """

    inputs: list[int | None]
    constants: dict[int, torch.Tensor]
    outputs: list[int | Constant]
    mutations: list[tuple[int, torch.Tensor | int]] = field(default_factory=list)
    states: dict[int, torch.Tensor] = field(default_factory=dict)
    shapes: list[tuple[tuple[int, ...], torch.dtype]] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    in_spec: pytree.TreeSpec | None = None
    out_spec: pytree.TreeSpec | None = None
    result_dtypes: list[torch.dtype] = field(default_factory=list)
    bounds: dict[int, tuple[int, int]] = field(default_factory=dict)
    fixed: dict[int, Fixed] = field(default_factory=dict)
    keys: int | None = None

    @property
    def arguments(self) -> int:
        """How many flat arguments the model takes."""
        if self.in_spec is not None:
            return self.in_spec.num_leaves
        return max((place + 1 for place in self.inputs if place is not None), default=0)
