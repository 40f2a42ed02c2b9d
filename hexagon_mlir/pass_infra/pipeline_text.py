"""Reads ``builtin.module(a,b{x=1},func.func(cse))`` into steps, ours and upstream's mixed."""

from __future__ import annotations

import re

from hexagon_mlir import pass_names
from hexagon_mlir.ir import PassManager, captured_stderr, ir
from hexagon_mlir.ir.context import make_context
from hexagon_mlir.ir.diagnostics import HexError
from hexagon_mlir.pass_infra import options, registry
from hexagon_mlir.pass_infra.step import PassStep, Step, UpstreamStep, pipeline_error

_OPEN, _CLOSE = "({[<", ")}]>"
_MAX_NESTING = 100
_COMMENT = re.compile(r"\s//\s.*")
_RESTRICTED = re.compile(r"restricted to '([\w.]+)'")


def parse_pipeline(text: str) -> list[Step]:
    """The steps of ``text``; the outer ``builtin.module(...)`` may be left out, ``// comments`` end a line.

    Raises `HexError` for unbalanced brackets, unknown passes and unknown options.
    """
    body = _COMMENT.sub("", text).strip()
    if body.startswith("builtin.module("):
        if not body.endswith(")"):
            raise HexError.plain(f"unbalanced brackets in '{text}'",
                                 hint="builtin.module(pass,pass{option=1})")
        body = body[len("builtin.module("):-1]
    return [_element(part) for part in _split(body, text)]


def make_step(name: str, option_text: str) -> Step:
    """One step from a command-line flag: pass ``name`` with its options."""
    if pass_names.knows(name):
        return PassStep(options.build(registry.get(name), option_text))
    element = f"{name}{{{option_text}}}" if option_text else name
    return _upstream(element)


def _element(part: str) -> Step:
    name, brace, rest = part.partition("{")
    if pass_names.knows(name.strip()):
        if brace and not rest.endswith("}"):
            raise HexError.plain(f"unbalanced brackets in '{part}'")
        return make_step(name.strip(), rest[:-1] if brace else "")
    return _upstream(part)


def _upstream(element: str) -> UpstreamStep:
    """The step for upstream pass ``element``, nested on the operation it is restricted to."""
    label = element.split("{")[0]
    problem = _problem(element)
    if problem is not None and (anchor := _RESTRICTED.search(problem)):
        element = f"{anchor.group(1)}({element})"
        problem = _problem(element)
    if problem is None:
        return UpstreamStep(element)
    if "does not refer to a registered pass" in problem and "(" not in element:
        raise HexError.plain(f"unknown pass '{label}'", hint="hexmlir-opt --list-passes shows ours; "
                             "upstream passes are written as in mlir-opt")
    raise pipeline_error(element, problem)


def _problem(element: str) -> str | None:
    """What the bindings say against ``element``; option values are criticised on standard error only."""
    with make_context(), captured_stderr() as written:
        try:
            PassManager.parse(f"builtin.module({element})")
            return None
        except (ValueError, ir.MLIRError) as error:
            problem = str(error)
    return "\n".join((*written, problem))


def _split(body: str, whole: str) -> list[str]:
    parts, depth, start = [], 0, 0
    for position, character in enumerate(body):
        if character in _OPEN:
            depth += 1
        elif character in _CLOSE:
            depth -= 1
        elif character == "," and depth == 0:
            parts.append(body[start:position].strip())
            start = position + 1
        if depth < 0:
            break
        if depth > _MAX_NESTING:
            raise HexError.plain(f"pipeline nested more than {_MAX_NESTING} deep")
    if depth != 0:
        raise HexError.plain(f"unbalanced brackets in '{whole}'", hint="builtin.module(pass,pass{option=1})")
    parts.append(body[start:].strip())
    return [part for part in parts if part]
