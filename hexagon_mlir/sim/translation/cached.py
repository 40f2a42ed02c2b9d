"""The disk cache of translated programs, keyed by everything that determines them.

A cached one is ready in milliseconds: only a new one imports the translator with its semantics.
"""

from __future__ import annotations

import functools
import hashlib
import json
from dataclasses import asdict
from pathlib import Path

from hexagon_mlir import disk_cache
from hexagon_mlir.sim.arithmetic import DEFAULT_ARITHMETIC, Arithmetic
from hexagon_mlir.sim.memory_system import cache_helpers
from hexagon_mlir.sim.semantics.float_model import FloatModel
from hexagon_mlir.sim.translation import host
from hexagon_mlir.sim.translation.program import BlockInfo, Global, Program, Site
from hexagon_mlir.sim.translation.shared_code import SharedCode
from hexagon_mlir.targets import Target

_PART = "sim"
VERSION = 1
"""Raise when the meaning of a stored program changes; the sources of the simulator are hashed as well."""


def _key(text: str, target: Target, memory_model: bool, check: bool, arithmetic: Arithmetic) -> str:
    digest = hashlib.sha256()
    for part in (str(VERSION), _sources(), text, repr(target), str(memory_model), str(check), arithmetic, *host.cpu()):
        digest.update(part.encode() + b"\0")
    return digest.hexdigest()


@functools.cache
def _sources() -> str:
    """Hash of the source files of the simulator and of the instruction table, without the second implementation."""
    digest = hashlib.sha256()
    here = Path(__file__).parent.parent
    for file in sorted([*here.rglob("*.py"), *(here.parent / "isa").rglob("*.py")]):
        if "reference" not in file.relative_to(here.parent).parts:
            digest.update(file.read_bytes())
    return digest.hexdigest()


def _store(name: str, program: Program) -> None:
    head = asdict(program)
    head.pop("code")
    head["forms"] = dict.fromkeys(program.forms, "")
    header = json.dumps(head).encode()
    disk_cache.store(_PART, name, len(header).to_bytes(8, "little") + header + program.code)


def _load(name: str) -> Program | None:
    raw = disk_cache.load(_PART, name)
    if raw is None:
        return None
    size = int.from_bytes(raw[:8], "little")
    head = json.loads(raw[8 : 8 + size])
    head["blocks"] = [BlockInfo(**block) for block in head["blocks"]]
    head["sites"] = [Site(**site) for site in head["sites"]]
    head["globals"] = [Global(**each) for each in head["globals"]]
    head["data"] = [(address, text) for address, text in head["data"]]
    return Program(code=raw[8 + size :], **head)


@functools.cache
def model_code(target: Target) -> bytes:
    """Object code of the cache model, to be loaded beside an exact program's; kept on disk like a program."""
    return _object_code(cache_helpers.helpers(target), "model")


@functools.cache
def check_code(target: Target) -> bytes:
    """Object code of the helpers of checked builds, to be loaded beside one; kept on disk like a program."""
    from hexagon_mlir.sim.checking import library

    return _object_code(library.library(target), "checks")


def _object_code(ir: str, suffix: str) -> bytes:
    key = hashlib.sha256("\0".join((str(VERSION), _sources(), ir, *host.cpu())).encode()).hexdigest()
    name = f"{key}.{suffix}"
    program = _load(name)
    if program is None:
        program = Program(host.compile_object(ir))
        _store(name, program)
    return program.code


@functools.cache
def routine_code(floats: FloatModel) -> bytes:
    """Object code of `semantics.routines` for programs that call them; kept on disk like a program."""
    key = hashlib.sha256("\0".join((str(VERSION), _sources(), repr(floats), *host.cpu())).encode()).hexdigest()
    name = f"{key}.floats"
    program = _load(name)
    if program is None:
        from hexagon_mlir.sim.semantics import tables

        program = Program(host.compile_object(tables.routines.library(floats, host.routine_lanes())))
        _store(name, program)
    return program.code


@functools.cache
def matrix_code() -> bytes:
    """Object code of `matrix_engine.functions`; kept on disk like a program."""
    key = hashlib.sha256("\0".join((str(VERSION), _sources(), *host.cpu())).encode()).hexdigest()
    name = f"{key}.matrix"
    program = _load(name)
    if program is None:
        from hexagon_mlir.sim.matrix_engine import functions

        program = Program(host.compile_object(functions.library(host.lanes())))
        _store(name, program)
    return program.code


@functools.cache
def shared() -> SharedCode:
    """The functions of `form_functions` in this process; kept on disk like programs."""
    return SharedCode(
        lambda name: disk_cache.load(_PART, name), lambda name, code: disk_cache.store(_PART, name, code)
    )


def obtain(
    text: str, target: Target, memory_model: bool = True, check: bool = False, level: int = host.QUICK,
    hot: int | None = None, arithmetic: Arithmetic = DEFAULT_ARITHMETIC,
) -> Program:
    """The program of ``text`` with code of at least ``level``: from the cache, or translated and stored.

    With ``hot`` it is translated in any case, and also has ``r_<hot>`` (see `translate`).
    """
    key = _key(text, target, memory_model, check, arithmetic)
    levels = range(host.FAST, level - 1, -1) if hot is None else ()  # the fastest code there is
    program = next(filter(None, (_load(f"{key}.{each}") for each in levels)), None)
    if program is None or not shared().provide(program.forms):
        from hexagon_mlir.sim.translation.translate import translate

        ir, program = translate(
            text, target, memory_model, check, quick=level < host.FAST, hot=hot, arithmetic=arithmetic
        )
        program.code, program.level = host.compile_object(ir, level), level
        shared().provide(program.forms)
        _store(f"{key}.{level}", program)
    return program
