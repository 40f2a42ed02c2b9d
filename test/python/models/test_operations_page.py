"""A sample of docs/operations.md is what its script finds."""

import random
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
TEXT = (ROOT / "docs/operations.md").read_text()


def section(title):
    return re.search(rf"\n## {title}\n(.*?)(?=\n## |\Z)", TEXT, re.S)[1]


EQUAL = re.findall(r"`([^`]+)`", section("Equal"))
REFUSED = dict(re.findall(r"^\| `([^`]+)` \| (.+) \|$", section("Refused"), re.M))
PROGRAM = """
import sys

from bench import operations
print(operations.page({name: operations.outcome(operations.database()[name]) for name in sys.argv[1:]}))
"""


def test_sample(tmp_path, forks):
    """In a process of its own: PyTorch's test database changes settings of PyTorch."""
    choose = random.Random(26)
    equal, refused = choose.sample(EQUAL, 4), choose.sample(sorted(REFUSED), 3)
    (tmp_path / "sample.py").write_text(PROGRAM)
    run = forks.run("python", tmp_path / "sample.py", *equal, *refused)
    assert run.code == 0, run.err
    assert "Of 7 operations, 4 are equal" in run.out, run.out
    for name in refused:
        assert f"| `{name}` | {REFUSED[name]} |\n" in run.out


def test_numbers_are_those_of_the_lists():
    drawn = re.findall(r"`([^`]+)`", section("Random"))
    counts = [int(number) for number in re.search(
        r"Of (\d+) operations, (\d+) are equal, (\d+) draw .*?\s(\d+) are refused by name, and (\d+) differ", TEXT,
        re.S).groups()]
    assert counts == [len(EQUAL) + len(REFUSED) + len(drawn), len(EQUAL), len(drawn), len(REFUSED), 0]
    assert not set(EQUAL) & set(REFUSED)
