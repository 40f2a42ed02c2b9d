"""A model compiled once more with the IR of every pass kept, and run with a trace: what its report shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from hexagon_mlir.frontend.torch.examples import arguments
from hexagon_mlir.ir import HexError
from hexagon_mlir.report.folder import write_report
from hexagon_mlir.report.recording import recording

if TYPE_CHECKING:
    from hexagon_mlir.frontend.torch.model import CompiledModel

Stages = tuple[tuple[str, str], ...]


def stages(model: CompiledModel) -> dict[str, Stages]:
    """The IR of each kernel by its name, as (title, text): the source, then after each pass; raises `HexError`."""
    if model.again is None:
        raise HexError.plain("this model keeps no IR: its program is not there any more", origin="report",
                             hint="hexagon_mlir.compile of the exported program has it")
    with recording(traced=False) as recorded:
        again = model.again(model.target)
    by_asm = {compiled.asm: compiled for compiled in recorded.compiled}
    return {kernel.name: by_asm[kernel.asm].stages for kernel in again.schedule.kernels}


def report(model: CompiledModel, folder: Path, values: Sequence[Any], title: str) -> list[Path]:
    """Write the report of one run on ``values`` (flat; made up when there are none) into ``folder``; gives its pages.

    A model whose program is there is compiled once more, so that its pages have the passes.
    """
    with recording() as recorded:
        shown = model.again(model.target) if model.again is not None else model
        flat = list(values) or arguments(shown.signature)
        with _kept([*shown.signature.states.values(), *(v for v in flat if isinstance(v, torch.Tensor))]):
            shown.run_flat(flat)
    return write_report(folder, title, recorded, shown.schedule, shown.modules)


@contextmanager
def _kept(tensors: Sequence[torch.Tensor]) -> Iterator[None]:
    """What happens inside changes none of ``tensors``."""
    before = [tensor.clone() for tensor in tensors]
    try:
        yield
    finally:
        with torch.no_grad():
            for tensor, value in zip(tensors, before, strict=True):
                tensor.copy_(value)
