"""docs/tutorial.md is true: its files, written, and its commands, run in order, give what it says."""

import os
import re
import subprocess
import sys
from pathlib import Path

from support import ROOT

STEP = re.compile(r"<!-- (file|run)(?:: (.*?))? -->\n```\w+\n(.*?)```", re.S)
WITHOUT_QEMU = {**os.environ, "HEXMLIR_EXECUTOR": "sim"}


def test_every_step(tmp_path):
    steps = STEP.findall((ROOT / "docs" / "tutorial.md").read_text())
    assert [kind for kind, _, _ in steps].count("run") == 9
    assert len(steps) == (ROOT / "docs" / "tutorial.md").read_text().count("\n```\n"), "every block is a step"
    tools = Path(sys.executable).parent
    environment = {**WITHOUT_QEMU, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
    printed: dict[str, str] = {}
    for kind, words, text in steps:
        if kind == "file":
            (tmp_path / words).write_text(text)
            continue
        done = subprocess.run(text, shell=True, cwd=tmp_path, env=environment, capture_output=True, text=True,
                              timeout=120)
        assert done.returncode == 0, f"{text}{done.stderr}"
        printed[text.strip()] = done.stdout
        assert words in done.stdout + done.stderr, text
        assert "Warning" not in done.stderr, done.stderr
    assert (tmp_path / "swiglu.s").read_text().count(":endloop0") > 0
    assert len(list((tmp_path / "dumps").glob("*hexagon-vectorization.*.mlir"))) == 2
    cycles = [int(number.replace(",", "")) for number in re.findall(r"([\d,]+) cycles", printed["python choices.py"])]
    assert len(cycles) == 4 and cycles[2] > 2 * cycles[0] > 2 * cycles[3], "threads and shorter formulas pay"
