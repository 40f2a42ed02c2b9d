"""docs/first_pass.md is true: followed in a copy of the sources, the pass works, its tests pass, and it pays."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from support import ROOT

STEP = re.compile(r"<!-- (file|run|insert)(?:: (.*?))? -->\n```\w+\n(.*?)```", re.S)
COPIED = ("hexagon_mlir", "passes", "dialects", "test/lit/lit.cfg.py", "test/forked_tools.py",
          "test/python/conftest.py", "test/python/forks.py", "test/python/support.py",
          "test/python/test_docstrings.py", "test/python/test_conventions.py", "test/python/test_imports.py",
          "pyproject.toml")


def copy(folder):
    """The sources, packages below each other as they are when installed."""
    for name in COPIED:
        source, target = ROOT / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target)
    for name in ("passes", "dialects"):
        (folder / "hexagon_mlir" / name).symlink_to(folder / name)
    with (folder / "test" / "lit" / "lit.cfg.py").open("a") as file:  # lit keeps no variable but PATH
        file.write(f'config.environment["PYTHONPATH"] = {str(folder)!r}\n')


def test_every_step(tmp_path):
    copy(tmp_path)
    tools = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(tmp_path)}
    cycles = []
    steps = STEP.findall((ROOT / "docs" / "first_pass.md").read_text())
    assert [kind for kind, _, _ in steps].count("run") == 5
    for kind, words, text in steps:
        if kind == "file":
            (tmp_path / words).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / words).write_text(text)
        elif kind == "insert":
            name, _, place = words.partition(" before ")
            old = (tmp_path / name).read_text()
            assert old.count(place) >= 1
            (tmp_path / name).write_text(re.sub(rf"^.*{re.escape(place)}", lambda m, new=text: new + m.group(), old,
                                                count=1, flags=re.M))
        else:
            done = subprocess.run(["bash", "-e", "-c", text], cwd=tmp_path, env=environment, capture_output=True,
                                  text=True, timeout=240)
            assert done.returncode == 0, f"{text}{done.stdout}{done.stderr}"
            assert words in done.stdout, f"{text}{done.stdout}"
            cycles += [int(number.replace(",", "")) for number in re.findall(r"([\d,]+) cycles", done.stdout)]
    before, after = cycles
    assert after < 0.6 * before, f"{before} cycles before, {after} after"
