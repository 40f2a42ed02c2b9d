"""Slightly wrong programs: the inputs of the lit tests with a number, a type or a token changed.

Each runs in a forked process, so that a crash is a failure with its input and not the end of the test run.
The choice is pseudo-random with fixed seeds: the same tree gives the same programs.
"""

import os
import random
import re
import signal

import pytest
from support import ROOT, call_opt, pass_names

from hexagon_mlir.pass_infra import registry

PROGRAMS_PER_SEED = 40
TIMEOUT_SECONDS = 30
NUMBERS = ("0", "1", "5", "7", "17", "33", "100", "128", "1000000", "4294967296", "9223372036854775807", "?")
TYPES = ("f16", "f32", "f64", "bf16", "i1", "i8", "i32", "i64", "index")


def programs() -> list[tuple[str, str]]:
    """(folder, text) of every part of every lit input, comments removed."""
    found = []
    for file in sorted((ROOT / "test/lit").rglob("*.mlir")):
        for part in re.split(r"^// -----.*$", file.read_text(), flags=re.MULTILINE):
            text = re.sub(r"//.*", "", part)
            if text.strip() and "Inputs" not in file.parts:
                found.append((file.parent.name, text))
    return found


def mutate(text: str, dice: random.Random) -> str:
    """``text`` with one to three changes: mostly numbers and types, so that it often still parses."""
    for _ in range(dice.choice((1, 1, 1, 2, 3))):
        kind = dice.random()
        numbers = list(re.finditer(r"(?<![\w%.#])\d+(?=[x,\]> \n])", text))
        types = re.findall(rf"\b(?:{'|'.join(TYPES)})\b", text)
        if kind < 0.5 and numbers:
            old, new = dice.choice(numbers).group(), dice.choice(NUMBERS)
            text = re.sub(rf"(?<![\w%.#]){old}(?=[x,\]> \n])", new, text)
        elif kind < 0.9 and types:
            text = re.sub(rf"\b{dice.choice(types)}\b", dice.choice(TYPES), text)
        else:
            token = dice.choice(list(re.finditer(r"[\w.%@#!-]+|[^\s\w]", text)))
            text = text[:token.start()] + text[token.end():]
    return text


def outcome_in_a_fork(text: str, flags: list[str]) -> str:
    """ "ok", "refused", or what went wrong."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(TIMEOUT_SECONDS)
        result = call_opt(*flags, stdin=text.encode())
        bad = "internal" in result.err or "Traceback" in result.err or (result.code == 1 and not result.err)
        os.write(writer, (result.err[:2000] if bad else "refused" if result.code else "ok").encode() or b"silent")
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        answer = stream.read().decode()
    _, status = os.waitpid(child, 0)
    return f"ended by {signal.Signals(os.WTERMSIG(status)).name}" if os.WIFSIGNALED(status) else answer


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.full) for seed in range(1, 6))])
def test_no_mutation_crashes(seed):
    passes = pass_names()
    for name in passes:
        registry.get(name)
    dice, known = random.Random(seed), programs()
    answers = []
    for _ in range(PROGRAMS_PER_SEED):
        folder, text = dice.choice(known)
        text = mutate(text, dice)
        own = folder.replace("_", "-")
        flags = [f"--{own}"] if own in passes and dice.random() < 0.6 else ["--pipeline=default"]
        answer = outcome_in_a_fork(text, flags)
        assert answer in ("ok", "refused"), f"{answer}\nhexmlir-opt {' '.join(flags)} of\n{text}"
        answers.append(answer)
    assert {"ok", "refused"} <= set(answers), "the mutations no longer exercise both outcomes"
