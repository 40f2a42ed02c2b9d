"""lit configuration: ``lit test/lit`` runs every .mlir and .ttir file below this folder.

The tools are those of the Python that runs lit, so that no PATH needs setting; our own run as forks of lit.
"""

import os
import sys
from pathlib import Path
from types import SimpleNamespace

import lit.formats
import lit.TestRunner

sys.path.insert(0, str(Path(__file__).parents[1]))
import forked_tools

tools = Path(sys.executable).parent

config.name = "hexagon-mlir"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".ttir"]
config.excludes = ["Inputs"]
config.test_source_root = str(Path(__file__).parent)
config.test_exec_root = str(Path(__file__).parent / "Output")
config.environment["PATH"] = os.pathsep.join((str(tools), os.environ.get("PATH", "")))
config.substitutions.append(("%python", sys.executable))

forked_tools.load()
lit.TestRunner.subprocess = SimpleNamespace(**vars(lit.TestRunner.subprocess) | {"Popen": forked_tools.Popen})
