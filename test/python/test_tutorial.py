"""docs/tutorial.md is true: its files, written, and its commands, run in order, give what it says."""

import os
import re
import shlex

from support import ROOT

STEP = re.compile(r"<!-- (file|run)(?:: (.*?))? -->\n```\w+\n(.*?)```", re.S)
WITHOUT_QEMU = {**os.environ, "HEXMLIR_EXECUTOR": "sim"}


def test_every_step(tmp_path, forks):
    steps = STEP.findall((ROOT / "docs" / "tutorial.md").read_text())
    assert [kind for kind, _, _ in steps].count("run") == 9
    assert len(steps) == (ROOT / "docs" / "tutorial.md").read_text().count("\n```\n"), "every block is a step"
    printed: dict[str, str] = {}
    for kind, words, text in steps:
        if kind == "file":
            (tmp_path / words).write_text(text)
            continue
        done = forks.run(*shlex.split(text), cwd=tmp_path, environment=WITHOUT_QEMU)
        assert done.code == 0, f"{text}{done.err}"
        printed[text.strip()] = done.out
        assert words in done.out + done.err, text
        assert "Warning" not in done.err, done.err
    assert (tmp_path / "swiglu.s").read_text().count(":endloop0") > 0
    assert len(list((tmp_path / "dumps").glob("*hexagon-vectorization.*.mlir"))) == 2
    cycles = [int(number.replace(",", "")) for number in re.findall(r"([\d,]+) cycles", printed["python choices.py"])]
    assert len(cycles) == 4 and cycles[2] > 2 * cycles[0] > 2 * cycles[3], "threads and shorter formulas pay"
