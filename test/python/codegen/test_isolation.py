"""Nothing that lies in the current folder runs: no module, no program."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from binaries import needs_linker
from support import ROOT

from hexagon_mlir import targets
from hexagon_mlir.codegen.artifacts import link
from hexagon_mlir.codegen.processes import isolation
from hexagon_mlir.codegen.processes.worker import Worker

CHIP = targets.get()
REQUEST = {"cpu": CHIP.cpu, "features": CHIP.features, "kind": "asm"}
IR = "define i32 @f(i32 %a) {\n  %1 = add i32 %a, 42\n  ret i32 %1\n}\n"


@pytest.fixture
def traps(tmp_path, monkeypatch):
    """A current folder with modules that say when they are imported; a function that tells which were."""
    folder, said = tmp_path / "here", tmp_path / "said"
    folder.mkdir()
    said.mkdir()
    for name in ("json", "gc", "llvmlite", "hexagon_mlir", "re", "heapq", "sitecustomize", "ziglang"):
        code = f"import os\nos.close(os.open({str(said / name)!r}, os.O_CREAT | os.O_WRONLY))\nraise SystemExit(9)\n"
        (folder / f"{name}.py").write_text(code)
    monkeypatch.chdir(folder)
    return lambda: sorted(os.listdir(said))


@pytest.mark.parametrize("python_path", [None, "", ".", os.pathsep, f"/nowhere{os.pathsep}"],
                         ids=["none", "empty", "dot", "empty-entries", "empty-end"])
def test_worker_imports_nothing_from_the_current_folder(traps, monkeypatch, python_path):
    if python_path is None:
        monkeypatch.delenv("PYTHONPATH", raising=False)
    else:
        monkeypatch.setenv("PYTHONPATH", python_path)
    worker = Worker()
    try:
        assert b"r0 = add(r0,#42)" in worker.request(REQUEST, IR)
    finally:
        worker.stop()
    assert traps() == []


def test_absolute_folders_of_the_python_path_count_for_the_worker(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["", "/one", "two", "/three"]))
    assert isolation.environment()["PYTHONPATH"] == f"/one{os.pathsep}/three"
    monkeypatch.setenv("PYTHONPATH", "two")
    assert "PYTHONPATH" not in isolation.environment()


def test_worker_is_of_the_package_that_asks(tmp_path):
    """Even when another one is installed, and without a word in the environment."""
    elsewhere = tmp_path / "elsewhere"
    shutil.copytree(ROOT / "hexagon_mlir", elsewhere / "hexagon_mlir", ignore=shutil.ignore_patterns("__pycache__"))
    for part in ("passes", "dialects"):
        shutil.copytree(ROOT / part, elsewhere / "hexagon_mlir" / part, ignore=shutil.ignore_patterns("__pycache__"))
    with open(elsewhere / "hexagon_mlir" / "codegen" / "backend.py", "a") as file:
        file.write(f"\nopen({str(tmp_path / 'worked')!r}, 'w').write(__file__)\n")
    script = (f"import sys\nsys.path.insert(0, {str(elsewhere)!r})\n"
              "from hexagon_mlir.codegen.processes.worker import Worker\n"
              f"print(Worker().request({REQUEST!r}, {IR!r}).decode())\n")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=100, cwd=tmp_path)
    assert "r0 = add(r0,#42)" in done.stdout, done.stderr
    assert Path((tmp_path / "worked").read_text()).is_relative_to(elsewhere)


@needs_linker
def test_linker_is_the_one_of_the_installed_package(traps, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.getcwd())
    assert link.relocatable({"call.c": b"int f(void) { return 3; }\n"})[:4] == b"\x7fELF"
    assert traps() == []


@pytest.mark.parametrize("path", ["", ".", f"{os.pathsep}/nowhere"])
def test_programs_come_from_absolute_folders(tmp_path, monkeypatch, path):
    program = tmp_path / "qemu-hexagon"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", path)
    assert isolation.find_program("qemu-hexagon") is None
    monkeypatch.setenv("PATH", f".{os.pathsep}{tmp_path}")
    assert isolation.find_program("qemu-hexagon") == str(program)
