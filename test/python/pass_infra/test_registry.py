"""Finding passes: by file name, lazily, and from other packages."""

import subprocess
import sys

import pytest
from support import pass_names as pass_files

from hexagon_mlir import pass_names
from hexagon_mlir.ir import HexError
from hexagon_mlir.pass_infra import registry


def test_every_file_of_the_folder_is_a_pass():
    assert set(pass_files()) <= set(pass_names.names())
    assert list(pass_names.names()) == sorted(pass_names.names())


@pytest.mark.parametrize(("name", "expected"), [
    ("form-async-threads", "FormAsyncThreadsPass"), ("hexagon-double-buffer-generic-s1",
                                                     "HexagonDoubleBufferGenericS1Pass")])
def test_class_name(name, expected):
    assert registry.class_name(name) == expected


def test_listing_imports_no_pass():
    code = ("import sys\nfrom hexagon_mlir import pass_names\n"
            "from hexagon_mlir.pass_infra import registry\nnames = pass_names.names()\n"
            "loaded = [n for n in names if 'hexagon_mlir.passes.' + n.replace('-', '_') in sys.modules]\n"
            "assert names and not loaded, loaded\n"
            "registry.get(names[0])\n"
            "loaded = [n for n in names if 'hexagon_mlir.passes.' + n.replace('-', '_') in sys.modules]\n"
            "assert loaded == [names[0]], loaded\n")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_unknown_pass():
    with pytest.raises(HexError, match="unknown pass 'zork'"):
        registry.get("zork")


def test_a_plug_in_adds_a_pass(tmp_path):
    """A package on the path with an entry point in our group is enough."""
    info = tmp_path / "plug-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: plug\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[hexagon_mlir.passes]\nplug-in = plug:PlugInPass\n")
    (tmp_path / "plug.py").write_text(
        "from dataclasses import dataclass\nfrom typing import ClassVar\n"
        "from hexagon_mlir.ir import ir\nfrom hexagon_mlir.pass_infra import Pass\n"
        "@dataclass(frozen=True)\nclass PlugInPass(Pass):\n    '''Tags the module.'''\n"
        "    name: ClassVar[str] = 'plug-in'\n    needs: ClassVar[str] = 'tensor'\n"
        "    leaves: ClassVar[str] = 'tensor'\n"
        "    def run(self, module, context):\n"
        "        module.operation.attributes['plug.tag'] = ir.UnitAttr.get()\n")

    def printed(flag):
        done = subprocess.run([sys.executable, "-m", "hexagon_mlir.cli.opt", flag], input="module {}",
                              capture_output=True, text=True, env={"PYTHONPATH": str(tmp_path), "PATH": ""})
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    assert "module attributes {plug.tag}" in printed("--plug-in")
    assert printed("--list-passes").endswith("\nplug-in: Tags the module.\n")


@pytest.mark.parametrize(("old", "new"), pass_names.RENAMED.items())
def test_a_name_of_before_leads_to_the_new_one(old, new):
    with pytest.raises(HexError, match=f"write {new}"):
        registry.get(old)
    assert new in pass_names.names() and old not in pass_names.names()
