"""A compiled model as files: ``model.json``, ``weights.bin``, ``kernels/*.s``. Plain text and bytes, no pickle."""

from __future__ import annotations

import hashlib
import json
import mmap
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from hexagon_mlir import targets
from hexagon_mlir.codegen.artifacts.whole_files import Content, write_files
from hexagon_mlir.codegen.prediction import Prediction
from hexagon_mlir.codegen.schedule import Buffer, Call, Kernel, Schedule
from hexagon_mlir.dialects.kernel_memory import KernelMemory, Tile
from hexagon_mlir.exec.memory_plan import Plan
from hexagon_mlir.frontend.torch.graph import Constant
from hexagon_mlir.frontend.torch.model import CompilationResult, CompiledModel, Face
from hexagon_mlir.frontend.torch.passes import PassRecord
from hexagon_mlir.ir import HexError

ORIGIN = "load"
FORMAT = 4
_ALIGN = 128  # bytes: weights start where a vector could
_DTYPES = {str(d).removeprefix("torch."): d for d in (
    torch.float32, torch.float16, torch.bfloat16, torch.float64, torch.int64, torch.int32, torch.int16, torch.int8,
    torch.uint8, torch.bool)}
_KINDS = {"target": str, "outputs": list, "inputs": list, "names": list, "in_spec": str, "out_spec": str}
"""What is not looked at while a model is loaded has these types."""


def save(model: CompiledModel, folder: str | Path) -> None:
    """Write ``model`` into ``folder``, which is made; files of those names are replaced, all of them or none."""
    folder = Path(folder)
    schedule, face = model.schedule, model.face
    files: dict[Path, Content] = {folder / "kernels" / f"{number}.s": kernel.asm.encode()
                                  for number, kernel in enumerate(schedule.kernels)}
    entries: dict[int, dict[str, Any]] = {}
    pieces: list[bytes | memoryview] = []
    end = 0
    for number, tensor in {**face.constants, **face.states}.items():
        flat = tensor.detach().contiguous()
        offset = -(-end // _ALIGN) * _ALIGN
        entries[number] = {"offset": offset, "shape": list(flat.shape), "dtype": _name(flat.dtype)}
        data = flat.reshape(-1).view(torch.uint8).numpy().data
        pieces += [bytes(offset - end), data]
        end = offset + data.nbytes
    files[folder / "weights.bin"] = pieces
    state_of = {id(tensor): number for number, tensor in face.states.items()}
    document = {
        "format": FORMAT, "target": schedule.target,
        "buffers": [asdict(buffer) for buffer in schedule.buffers],
        "calls": [asdict(call) for call in schedule.calls],
        "kernels": [{"name": k.name, "sha256": _sha256(k.asm), "seconds": k.seconds, "calls": k.calls,
                     "memory": None if k.memory is None else asdict(k.memory)} for k in schedule.kernels],
        "outputs": schedule.outputs, "output_shapes": schedule.output_shapes,
        "weights": entries, "states": sorted(face.states),
        "inputs": face.inputs, "names": face.names,
        "shapes": [[list(shape), _name(dtype)] for shape, dtype in face.shapes],
        "results": [{"constant": o.value} if isinstance(o, Constant) else o for o in face.outputs],
        "result_dtypes": [_name(dtype) for dtype in face.result_dtypes], "bounds": face.bounds,
        "mutations": [[n, {"argument": t} if isinstance(t, int) else {"state": state_of[id(t)]}]
                      for n, t in face.mutations],
        "in_spec": face.in_spec, "out_spec": face.out_spec,
        "result": asdict(model.result),
    }
    files[folder / "model.json"] = json.dumps(document, indent=1).encode()
    write_files(files, folders=[folder / "kernels"])


def load(folder: str | Path) -> CompiledModel:
    """The model that `save` wrote; weights are mapped, not read. Raises `HexError` for anything else."""
    folder = Path(folder)
    try:
        document = json.loads((folder / "model.json").read_text())
        if document.get("format") != FORMAT:
            raise HexError.plain(f"format {document.get('format')} of the file is not {FORMAT}", origin=ORIGIN,
                                 file=str(folder), hint="compile the model again")
        return _read(folder, document)
    except OSError as error:
        raise HexError.plain(f"cannot read: {error.strerror}", origin=ORIGIN, file=str(error.filename or folder)
                             ) from None
    except (KeyError, ValueError, TypeError, AttributeError, IndexError) as error:
        raise HexError.plain(f"no compiled model: {error}", origin=ORIGIN, file=str(folder / "model.json")) from None


def _read(folder: Path, d: dict[str, Any]) -> CompiledModel:
    for key, kind in _KINDS.items():
        if not isinstance(d[key], kind):
            raise ValueError(f"'{key}' is a {type(d[key]).__name__}")
    if d["target"] not in targets.names():
        raise ValueError(f"unknown target '{d['target']}'")
    kernels = [Kernel(k["name"], _assembly(folder / "kernels" / f"{i}.s", k["sha256"]), k["seconds"], (), k["calls"],
                      memory=_memory(k["memory"]))
               for i, k in enumerate(d["kernels"])]
    schedule = Schedule(
        d["target"], [Buffer(tuple(b["shape"]), b["element"], b["nbytes"], b["argument"]) for b in d["buffers"]],
        [Call(c["kernel"], tuple(c["arguments"]), tuple(c["results"])) for c in d["calls"]],
        d["outputs"], [tuple(s) for s in d["output_shapes"]], kernels)
    weights = _weights(folder / "weights.bin", d["weights"])
    states = {number: weights.pop(number).clone() for number in d["states"]}
    face = Face(
        d["inputs"], weights, [Constant(o["constant"]) if isinstance(o, dict) else o for o in d["results"]],
        [(n, t["argument"] if "argument" in t else states[t["state"]]) for n, t in d["mutations"]], states,
        [(tuple(shape), _DTYPES[dtype]) for shape, dtype in d["shapes"]], d["names"], d["in_spec"], d["out_spec"],
        [_DTYPES[dtype] for dtype in d["result_dtypes"]],
        {int(number): (low, high) for number, (low, high) in d["bounds"].items()})
    r = d["result"]
    result = CompilationResult(**{**r, "streamed_bytes": tuple(r["streamed_bytes"]),
                                  "graph_passes": tuple(PassRecord(**p) for p in r["graph_passes"]),
                                  "predicted": Prediction(**r["predicted"]),
                                  "memory": Plan(**{**r["memory"], "offsets": tuple(r["memory"]["offsets"])})})
    return CompiledModel(schedule, face, result)


def _sha256(asm: str) -> str:
    return hashlib.sha256(asm.encode()).hexdigest()


def _assembly(file: Path, sha256: str) -> str:
    """The kernel in ``file``: the other files are right for the code that was saved, and no other."""
    asm = file.read_bytes().decode(errors="replace")
    if _sha256(asm) != sha256:
        raise HexError.plain("the kernel is not the one that was saved", origin=ORIGIN, file=str(file),
                             hint="save the model again")
    return asm


def _memory(d: dict[str, Any] | None) -> KernelMemory | None:
    """What the model gives a kernel besides tensors."""
    return None if d is None else KernelMemory(**{**d, "tile": Tile(**d["tile"]) if d["tile"] else None})


def _weights(file: Path, entries: dict[str, Any]) -> dict[int, torch.Tensor]:
    found = {}
    size = file.stat().st_size
    ends = [e["offset"] + torch.Size(e["shape"]).numel() * _DTYPES[e["dtype"]].itemsize for e in entries.values()]
    if size != max(ends, default=0):
        raise HexError.plain(f"the file has {size} bytes, the model's weights {max(ends, default=0)}: cut short, or of "
                             "another model", origin=ORIGIN, file=str(file), hint="save the model again")
    with open(file, "rb") as opened:
        data = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_COPY) if size else b""
    for number, entry in entries.items():
        dtype, shape = _DTYPES[entry["dtype"]], tuple(entry["shape"])
        count = torch.Size(shape).numel()
        found[int(number)] = (torch.frombuffer(data, dtype=dtype, count=count, offset=entry["offset"]).reshape(shape)
                              if count else torch.empty(shape, dtype=dtype))
    return found


def _name(dtype: torch.dtype) -> str:
    name = str(dtype).removeprefix("torch.")
    if name not in _DTYPES:
        raise HexError.plain(f"a tensor of {dtype} cannot be saved", origin="save")
    return name
