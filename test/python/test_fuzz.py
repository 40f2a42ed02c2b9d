"""``python -m fuzz``: every kind runs a few seeds, and tells of those that fail."""

import pytest

from fuzz.__main__ import KINDS, main, seeds


@pytest.mark.parametrize("seed", [3, pytest.param(4, marks=pytest.mark.full)])
@pytest.mark.parametrize("kind", [
    pytest.param(kind, marks=[pytest.mark.full] * (kind in ("triton-pointers", "triton-memory"))) for kind in KINDS])
def test_kind(kind, seed, forks):
    done = forks.run("fuzz", kind, "--seeds", f"{seed}:{seed + 1}")
    assert done.code == 0, done.out + done.err
    last = done.out.splitlines()[-1]
    assert last.startswith(("1 ", f"programs {seed} to {seed} on v75: 1 agree")), last


def test_kinds_are_listed(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    text = capsys.readouterr().out
    assert all(kind in text for kind in KINDS)


def test_a_seed_is_shown(forks):
    shown = [forks.run("fuzz", "triton-memory", "--seeds", "7", "--show").out for _ in range(2)]
    assert "@triton.jit" in shown[0] and shown[0] == shown[1]


@pytest.mark.parametrize(("text", "expected"), [("3", range(3)), ("5:7", range(5, 7)), ("0:1", range(1))])
def test_seeds(text, expected):
    assert seeds(text) == expected
