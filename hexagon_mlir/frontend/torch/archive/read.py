"""Reads the program in a ``.pt2`` file."""

from __future__ import annotations

import io
import json
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind
from torch.export.pt2_archive import PT2ArchiveReader
from torch.export.pt2_archive import constants as names
from torch.export.pt2_archive._package import load_pt2

from hexagon_mlir.frontend.torch.archive.program import check_keys, check_program, check_weights
from hexagon_mlir.frontend.torch.archive.refusal import Refused
from hexagon_mlir.ir import HexError

ORIGIN = "pt2"
_MODEL = "model"
"""What ``torch.export.save`` calls the program."""


def read(path: str | os.PathLike[str], trust: bool = False) -> ExportedProgram:
    """The program that ``torch.export.save`` wrote into the file ``path``; raises `HexError`.

    Without ``trust`` a file that holds more than tensors and a program of PyTorch's own operators is refused before
    PyTorch reads it; with it, code in the file may run.
    """
    file = _opened(path)
    with file, _quiet():
        try:
            if trust:
                return _whole(torch.export.load(path))
            _check(file)
            file.seek(0)
            return _whole(load_pt2(file).exported_programs[_MODEL])
        except Refused as error:
            raise HexError.plain(f"not read, as it could run code: {error}", origin=ORIGIN, file=os.fspath(path),
                                 hint="--trust, or trust=True in Python, for a file whose author you trust "
                                      "(docs/security.md)") from None
        except Exception as error:  # any exception of PyTorch for a damaged file
            lines = str(error).strip().splitlines() if not isinstance(error, OSError) else ["it is cut short"]
            raise _unreadable(path, lines[0] if lines else type(error).__name__) from None


def _opened(path: str | os.PathLike[str]) -> BinaryIO:
    try:
        return open(path, "rb")
    except OSError as error:
        raise _unreadable(path, error.strerror or str(error)) from None


def _unreadable(path: str | os.PathLike[str], reason: str) -> HexError:
    reason = reason.partition(". ")[0]  # PyTorch's message continues about its library
    return HexError.plain(f"cannot read an exported program: {reason}", origin=ORIGIN, file=os.fspath(path),
                          hint="torch.export.save(program, path) writes one")


def _whole(program: ExportedProgram) -> ExportedProgram:
    """``program`` if its weights exist and have the shapes of its placeholders; else raises ValueError."""
    values = {node.name: node.meta["val"] for node in program.graph.nodes if node.op == "placeholder"}
    for spec in program.graph_signature.input_specs:
        if spec.target is None or spec.kind == InputKind.CUSTOM_OBJ:
            continue
        state = program.state_dict if spec.target in program.state_dict else program.constants
        tensor, wanted = state[spec.target], values[spec.arg.name]
        if (tensor.shape, tensor.dtype) != (wanted.shape, wanted.dtype):
            raise ValueError(f"weight '{spec.target}' is {tensor.dtype} of shape {tuple(tensor.shape)}, the program "
                             f"takes {wanted.dtype} of shape {tuple(wanted.shape)}")
    if program.call_spec.in_spec is None:
        raise ValueError("the program does not say how its arguments are nested")
    return program


def _check(file: BinaryIO) -> None:
    """Refuse everything in the archive that PyTorch would unpickle, load as native code, evaluate, import or call."""
    archive = PT2ArchiveReader(file)
    records = archive.get_file_names()
    for name in records:
        if name.startswith(names.AOTINDUCTOR_DIR):
            raise Refused(f"'{name}' belongs to native code")
    if names.MODELS_FILENAME_FORMAT.format(_MODEL) not in records:
        raise Refused(f"the archive holds no program '{_MODEL}' of PyTorch 2.8 or later")
    for name in records:
        if name.startswith(names.MODELS_DIR):
            if not name.endswith(".json"):  # PyTorch would cut its last five letters to find what belongs to it
                raise Refused(f"'{name}' is no program")
            check_program(_document(archive, name))
            model = name.removeprefix(names.MODELS_DIR).removesuffix(".json")
            _check_tensors(archive, model)
            _check_examples(archive.read_bytes(names.SAMPLE_INPUTS_FILENAME_FORMAT.format(model)))


def _check_tensors(archive: PT2ArchiveReader, model: str) -> None:
    """Weights and constants are bytes, not pickles."""
    records = archive.get_file_names()
    for folder, table, what, prefix in (
            (names.WEIGHTS_DIR, names.WEIGHTS_CONFIG_FILENAME_FORMAT, "weight", ""),
            (names.CONSTANTS_DIR, names.CONSTANTS_CONFIG_FILENAME_FORMAT, "constant",
             names.TENSOR_CONSTANT_FILENAME_PREFIX)):
        if f"{folder}{model}.pt" in records:
            raise Refused(f"'{folder}{model}.pt' is pickled")
        document = _document(archive, table.format(model))
        check_weights(document, what, prefix)
        for name, entry in document["config"].items():
            sizes = [size.get("as_int") for size in entry["tensor_meta"]["sizes"]]
            if 0 not in sizes and not archive.archive_file.get_record_size(f"{folder}{entry['path_name']}"):
                raise ValueError(f"the {what} '{name}' has no bytes")  # PyTorch would take zeros


def _check_examples(data: bytes) -> None:
    """Example inputs are pickled: only what PyTorch's restricted reader takes. What it refuses, PyTorch would read
    without restriction.
    """
    if not data:
        return
    try:
        examples = torch.load(io.BytesIO(data), weights_only=True)
    except Exception:
        raise Refused("the example inputs are pickled objects, not tensors") from None
    _check_values(examples)


def _check_values(value: Any) -> None:
    if isinstance(value, dict):
        check_keys(value)
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ():
        _check_values(part)


def _document(archive: PT2ArchiveReader, name: str) -> Any:
    return json.loads(archive.read_string(name))


@contextmanager
def _quiet() -> Iterator[None]:
    """Suppress PyTorch's log of tracebacks of failed attempts, which precede its success or final error."""
    logs = [logging.getLogger(name) for name in ("torch.export", "torch._export")]
    levels = [log.level for log in logs]
    for log in logs:
        log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        for log, level in zip(logs, levels, strict=True):
            log.setLevel(level)
