"""A compiled model as files: ``model.json``, ``weights.bin``, ``kernels/*.s``. Plain text and bytes, no pickle."""

from __future__ import annotations

import hashlib
import math
import mmap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import torch
from torch.utils import _pytree as pytree

from hexagon_mlir.codegen.schedule import Kernel, ModelSchedule
from hexagon_mlir.frontend.torch.graph import Constant, Fixed
from hexagon_mlir.frontend.torch.nesting import Tuple, as_data, as_spec
from hexagon_mlir.frontend.torch.result import CompilationResult, Signature
from hexagon_mlir.frontend.torch.saved import FORMAT, Dtype, Known, Saved, SavedKernel, Weight, Written, faults
from hexagon_mlir.ir import HexError
from hexagon_mlir.whole_files import Content, write_files

if TYPE_CHECKING:
    from hexagon_mlir.frontend.torch.model import CompiledModel

ORIGIN = "load"
_ALIGN = 128  # bytes: weights start where a vector could
_DTYPES = {str(d).removeprefix("torch."): d for d in (
    torch.float32, torch.float16, torch.bfloat16, torch.float64, torch.int64, torch.int32, torch.int16, torch.int8,
    torch.uint8, torch.bool)}


class _Format(msgspec.Struct):
    format: int


def save(model: CompiledModel, folder: str | Path) -> None:
    """Write ``model`` into ``folder``, which is made; files of those names are replaced, all of them or none."""
    folder = Path(folder)
    schedule, signature = model.schedule, model.signature
    files: dict[Path, Content] = {folder / "kernels" / f"{number}.s": kernel.asm.encode()
                                  for number, kernel in enumerate(schedule.kernels)}
    weights: dict[int, Weight] = {}
    pieces: list[bytes | memoryview] = []
    end = 0
    for number, tensor in {**signature.constants, **signature.states}.items():
        flat = tensor.detach().contiguous()
        offset = -(-end // _ALIGN) * _ALIGN
        weights[number] = Weight(offset, tuple(flat.shape), _name(flat.dtype))
        data = flat.reshape(-1).view(torch.uint8).numpy().data
        pieces += [bytes(offset - end), data]
        end = offset + data.nbytes
    files[folder / "weights.bin"] = pieces
    document = msgspec.json.encode(_document(model, weights))
    files[folder / "model.json"] = msgspec.json.format(document, indent=1)
    write_files(files, folders=[folder / "kernels"])


def _document(model: CompiledModel, weights: dict[int, Weight]) -> Saved:
    schedule, signature = model.schedule, model.signature
    state_of = {id(tensor): number for number, tensor in signature.states.items()}
    operands = {call.kernel: [schedule.buffers[number].nbytes for number in (*call.arguments, *call.results)]
                for call in schedule.calls}
    in_spec, out_spec = (None if spec is None else as_data(spec) for spec in (signature.in_spec, signature.out_spec))
    return Saved(
        FORMAT, schedule.target, schedule.buffers, schedule.calls,
        [SavedKernel(kernel.name, _sha256(kernel.asm.encode()), kernel.seconds, kernel.calls, operands[number],
                     kernel.memory) for number, kernel in enumerate(schedule.kernels)],
        schedule.outputs, schedule.output_shapes, weights, sorted(signature.states), signature.keys, signature.inputs,
        signature.names, [(shape, _name(dtype)) for shape, dtype in signature.shapes],
        [_known(output.value) if isinstance(output, Constant) else output for output in signature.outputs],
        [_name(dtype) for dtype in signature.result_dtypes], signature.bounds,
        {place: (fixed.name, _known(fixed.value)) for place, fixed in signature.fixed.items()},
        [Written(number, argument=target) if isinstance(target, int) else Written(number, state=state_of[id(target)])
         for number, target in signature.mutations],
        in_spec, out_spec, model.result)


def read(folder: str | Path) -> tuple[ModelSchedule, Signature, CompilationResult]:
    """The parts of the model that `save` wrote; weights are mapped, not read. Raises `HexError` for anything else."""
    folder = Path(folder)
    file = folder / "model.json"
    try:
        data = file.read_bytes()
        found = msgspec.json.decode(data, type=_Format).format
        if found != FORMAT:
            raise HexError.plain(f"format {found} of the file is not {FORMAT}", origin=ORIGIN, file=str(file),
                                 hint="compile the model again")
        model = msgspec.json.decode(data, type=Saved)
        for fault in faults(model):
            raise ValueError(fault)
        return _parts(folder, model)
    except OSError as error:
        raise HexError.plain(f"cannot read: {error.strerror}", origin=ORIGIN, file=str(error.filename or folder)
                             ) from None
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise HexError.plain(f"no compiled model: {error}", origin=ORIGIN, file=str(file),
                             hint="save the model again") from None


def _parts(folder: Path, saved: Saved) -> tuple[ModelSchedule, Signature, CompilationResult]:
    kernels = [Kernel(k.name, _assembly(folder / "kernels" / f"{number}.s", k.sha256), k.seconds, (), k.calls,
                      memory=k.memory) for number, k in enumerate(saved.kernels)]
    schedule = ModelSchedule(saved.target, saved.buffers, saved.calls, saved.outputs, saved.output_shapes, kernels)
    in_spec, out_spec = _specs(saved)
    weights = _weights(folder / "weights.bin", saved.weights)
    states = {number: weights.pop(number).clone() for number in saved.states}
    signature = Signature(
        saved.inputs, weights, [Constant(_value(o)) if isinstance(o, Known) else o for o in saved.results],
        [(m.result, states[m.state] if m.state is not None else _argument(m)) for m in saved.mutations], states,
        [(shape, _DTYPES[dtype]) for shape, dtype in saved.shapes], saved.names, in_spec, out_spec,
        [_DTYPES[dtype] for dtype in saved.result_dtypes], saved.bounds,
        {place: Fixed(name, _value(known)) for place, (name, known) in saved.fixed.items()}, saved.keys)
    return schedule, signature, saved.result


def _specs(saved: Saved) -> tuple[pytree.TreeSpec | None, pytree.TreeSpec | None]:
    """How arguments and results are nested; raises ValueError where their numbers do not fit."""
    if saved.in_spec is None:
        return None, None
    in_spec, out_spec = as_spec(saved.in_spec), as_spec(saved.out_spec)
    if not (isinstance(saved.in_spec, Tuple) and len(saved.in_spec.parts) == 2
            and in_spec.child(0).type is tuple and in_spec.child(1).type is dict):
        raise ValueError("'in_spec' is not a tuple of arguments and a dict of those by name")
    places = [*saved.inputs, *saved.fixed, *(m.argument for m in saved.mutations)]
    if max((place for place in places if place is not None), default=-1) >= in_spec.num_leaves:
        raise ValueError(f"'in_spec' has {in_spec.num_leaves} arguments, fewer than 'inputs' name")
    if out_spec.num_leaves != len(saved.results):
        raise ValueError(f"'out_spec' has {out_spec.num_leaves} results, 'results' {len(saved.results)}")
    return in_spec, out_spec


def _argument(written: Written) -> int:
    assert written.argument is not None  # see faults()
    return written.argument


def _sha256(asm: bytes) -> str:
    return hashlib.sha256(asm).hexdigest()


def _assembly(file: Path, sha256: str) -> str:
    """The kernel in ``file``: the other files are right for the code that was saved, and no other."""
    asm = file.read_bytes()
    if _sha256(asm) != sha256:
        raise HexError.plain("the kernel is not the one that was saved", origin=ORIGIN, file=str(file),
                             hint="save the model again")
    return asm.decode(errors="replace")


def _weights(file: Path, entries: dict[int, Weight]) -> dict[int, torch.Tensor]:
    found = {}
    end = max((entry.end for entry in entries.values()), default=0)
    with open(file, "rb") as opened:
        size = opened.seek(0, 2)
        if size != end:
            raise HexError.plain(f"the file has {size} bytes, the model's weights {end}: cut short, or of another "
                                 "model", origin=ORIGIN, file=str(file), hint="save the model again")
        data = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_COPY) if size else b""
    for number, entry in entries.items():
        dtype, count = _DTYPES[entry.dtype], math.prod(entry.shape)
        found[number] = (torch.frombuffer(data, dtype=dtype, count=count, offset=entry.offset).reshape(entry.shape)
                         if count else torch.empty(entry.shape, dtype=dtype))
    return found


def _known(value: Any) -> Known:
    if isinstance(value, float) and not math.isfinite(value):
        return Known(infinite="nan" if math.isnan(value) else "inf" if value > 0 else "-inf")
    if value is not None and not isinstance(value, bool | int | float | str):
        raise HexError.plain(f"an argument or a result that is a {type(value).__name__} cannot be saved", origin="save")
    return Known(value)


def _value(known: Known) -> bool | int | float | str | None:
    return known.constant if known.infinite is None else float(known.infinite)


def _name(dtype: torch.dtype) -> Dtype:
    name = str(dtype).removeprefix("torch.")
    if name not in _DTYPES:
        raise HexError.plain(f"a tensor of {dtype} cannot be saved", origin="save")
    return name  # type: ignore[return-value]
