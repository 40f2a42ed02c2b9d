"""Starts programs independently of the files in the current folder."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path


def python(file: Path) -> list[str]:
    """The command that runs ``file`` with this Python, whose search path then has neither folder: the current one, and
    that of ``file``.
    """
    return [sys.executable, "-P", str(file)]


def environment() -> dict[str, str]:
    """The environment for a Python program: this one's, with the absolute folders of ``PYTHONPATH`` alone.

    An empty or relative entry means the current folder; an absolute one was chosen by the user.
    """
    found = dict(os.environ)
    folders = [folder for folder in found.pop("PYTHONPATH", "").split(os.pathsep) if os.path.isabs(folder)]
    return found | ({"PYTHONPATH": os.pathsep.join(folders)} if folders else {})


def find_program(name: str) -> str | None:
    """The path of program ``name`` in the absolute folders of ``PATH``; None when it is in none of them."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return shutil.which(name, path=os.pathsep.join(filter(os.path.isabs, folders)))
