"""The README is true: its example runs, its commands parse, the files and passes it names exist."""

import re
import subprocess
import sys

import pytest
from support import ROOT

from hexagon_mlir import pass_names

README = (ROOT / "README.md").read_text()


EXAMPLES = re.findall(r"<!-- run -->\n```python\n(.*?)```", README, re.S)


@pytest.mark.parametrize("code", EXAMPLES, ids=["triton", "torch"])
def test_example_runs(code, tmp_path):
    """In a process of its own: to import PyTorch and Triton gives no warning either."""
    file = tmp_path / "add.py"
    file.write_text(code)
    done = subprocess.run([sys.executable, file], capture_output=True, text=True, timeout=120, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, ""), "no error, and no warning of ours or of others"
    numbers = [int(word) for word in re.findall(r"\d+", done.stdout)]
    assert max(numbers) > 100, f"no cycles in {done.stdout}"


def test_every_block_is_checked():
    """What is not run is the two scripts, and what the first of them prints."""
    blocks = re.findall(r"(<!-- run -->\n)?```(?:\w*)\n(.*?)```\n", README, re.S)
    assert len(EXAMPLES) == 2
    assert [text.split()[0] for run, text in blocks if not run] == ["./scripts/demo.sh", "Hexagon"]


def test_commands_in_the_text_run(tmp_path, forks):
    """Those of the file that the first example is saved as, and those without a file."""
    (tmp_path / "add.py").write_text(EXAMPLES[0])
    commands = re.findall(r"`(hexmlir(?:-opt)? [^`]*add\.py[^`]*)`", README)
    assert len(commands) == 2
    for command in commands:
        done = forks.run(*command.split(), cwd=tmp_path)
        assert (done.code, done.err) == (0, ""), command
    assert (tmp_path / "pages" / "index.html").exists() and (tmp_path / "pages" / "kernels" / "add.html").exists()


@pytest.mark.parametrize("name", sorted(set(re.findall(r"\b(?:hexagon|triton)-(?:[a-z]+-)*[a-z]+\d*\b", README))))
def test_named_passes_exist(name):
    assert name in {*pass_names.names(), "hexagon-mlir"}


GUIDE = (ROOT / "docs" / "contributing.md").read_text()


@pytest.mark.parametrize("path", sorted({
    path for path in re.findall(r"`((?:[\w.]+/)+[\w.]*)`", README + GUIDE) if "my_pass" not in path}))
def test_named_paths_exist(path):
    assert (ROOT / path).exists()


def test_two_commands():
    for script in ("demo.sh", "test.sh"):
        assert f"./scripts/{script}" in README
        assert (ROOT / "scripts" / script).stat().st_mode & 0o111
