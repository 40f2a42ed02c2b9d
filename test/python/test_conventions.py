"""One name in four places, documented passes, honest lit tests, small files."""

import ast
import dataclasses
import importlib
import re
import sys
import tomllib
from pathlib import Path

import pytest
from support import ROOT, pass_names
from test_imports import OF_PASSES

from hexagon_mlir.dialects import ATTRIBUTES, PREFIX
from hexagon_mlir.levels import LEVELS
from hexagon_mlir.pass_infra import Pass, docstring, registry
from hexagon_mlir.pass_infra.options import option_name

LIT = ROOT / "test" / "lit"
LIT_FILES = sorted(p for p in LIT.rglob("*") if p.suffix in (".mlir", ".ttir") and "Inputs" not in p.parts)
LIT_NAMES = [str(p.relative_to(LIT)) for p in LIT_FILES]
OTHER_LIT_FOLDERS = {"tools", "pipelines", "levels", "dialects", "Output", "Inputs"}
"""Folders of test/lit that belong to no pass."""
REQUIRED_LIT = ("basic.mlir", "options.mlir", "refuse.mlir")
HARDWARE_NUMBERS = {128: "target.vector_bytes", 2048: "target.tcm_alignment", 8 << 20: "target.tcm_bytes"}
MAX_LINES = 500
SOURCES = sorted(p for folder in ("hexagon_mlir", "passes", "dialects", "test", "bench", "scripts", "fuzz")
                 for p in (ROOT / folder).rglob("*.py"))


def upstream_runs(module):
    """The upstream passes that functions of ``module`` run, as pipeline text."""
    return {getattr(module, called).pipeline
            for called in re.findall(r"\b(_?[A-Z]+)\.run\(", Path(module.__file__).read_text())}


def runs_in_folder(folder):
    return set().union(*(upstream_runs(importlib.import_module(f"hexagon_mlir.passes.{folder}.{file.stem}"))
                         for file in sorted((ROOT / "passes" / folder).glob("[a-z]*.py"))))


@pytest.mark.parametrize("name", pass_names())
class TestPass:
    def test_class_has_the_name(self, name):
        pass_class = registry.get(name)
        assert pass_class.__name__ == registry.class_name(name)
        assert pass_class.name == name
        assert issubclass(pass_class, Pass)

    def test_upstream_passes_that_it_runs_are_declared(self, name):
        """So that pipelines show them."""
        module = sys.modules[registry.get(name).__module__]
        file = module.__name__.split(".")[-1]
        folders = {folder: users == {file} for folder, users in OF_PASSES.items() if file in users}
        own = upstream_runs(module)
        for folder in (folder for folder, alone in folders.items() if alone):
            own |= runs_in_folder(folder)
        possible = own.union(*map(runs_in_folder, folders))  # a folder of several passes may run them for one
        assert own <= {step.pipeline for step in registry.get(name).runs} <= possible

    def test_class_is_its_own_frozen_dataclass(self, name):
        pass_class = registry.get(name)
        own = pass_class.__dict__.get("__dataclass_params__")
        assert own is not None, "needs its own @dataclass(frozen=True): fields without it are no options"
        assert own.frozen

    def test_levels_are_known(self, name):
        pass_class = registry.get(name)
        assert pass_class.needs in LEVELS
        assert pass_class.leaves in LEVELS

    def test_only_the_pass_ends_in_pass(self, name):
        tree = ast.parse(pass_file(name).read_text())
        classes = [n.name for n in tree.body if isinstance(n, ast.ClassDef) and n.name.endswith("Pass")]
        assert classes == [registry.class_name(name)]

    def test_docstring_is_complete(self, name):
        pass_class = registry.get(name)
        doc = docstring.read(pass_class)
        assert doc.summary.endswith("."), "the docstring starts with one sentence"
        missing = [s for s in docstring.SECTIONS if not doc.sections.get(s)]
        assert not missing, f"sections missing or empty in the docstring: {missing}"
        assert pass_class.needs in doc.sections["Needs"]
        assert pass_class.leaves in doc.sections["Leaves"]

    def test_docstring_names_every_option(self, name):
        pass_class = registry.get(name)
        text = docstring.read(pass_class).sections.get("Options", "")
        for field in dataclasses.fields(pass_class):
            assert option_name(field) in text, f"option {option_name(field)} is not documented"

    def test_three_lit_files(self, name):
        folder = LIT / name.replace("-", "_")
        missing = [file for file in REQUIRED_LIT if not (folder / file).is_file()]
        assert not missing, f"{folder.relative_to(ROOT)} lacks {missing}"

    def test_no_hardware_number(self, name):
        tree = ast.parse(pass_file(name).read_text())
        negated = {id(n.operand) for n in ast.walk(tree)
                   if isinstance(n, ast.UnaryOp) and isinstance(n.op, ast.USub)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and type(node.value) is int and id(node) not in negated:
                fact = HARDWARE_NUMBERS.get(node.value)
                assert fact is None, f"line {node.lineno}: write context.{fact} instead of {node.value}"


def pass_file(name):
    return ROOT / "passes" / f"{name.replace('-', '_')}.py"


def test_lit_folders_belong_to_passes():
    known = {name.replace("-", "_") for name in pass_names()} | OTHER_LIT_FOLDERS
    unknown = [p.name for p in LIT.iterdir() if p.is_dir() and p.name not in known and any(p.iterdir())]
    assert not unknown, f"no pass is named like {unknown}"


def run_lines(text):
    """The RUN lines of a lit file, continued lines joined."""
    joined = re.sub(r"\\\s*\n\s*//\s*RUN:", " ", text)
    return re.findall(r"//\s*RUN:(.*)", joined)


def runs_another_pass(name, text):
    """RUN lines in the folder of a pass that do not run the pass, or that there are none."""
    lines = run_lines(text)
    folder = name.split("/")[0]
    flag = f"--{folder.replace('_', '-')}"
    if not lines:
        yield "no RUN line"
    elif folder not in OTHER_LIT_FOLDERS:
        yield from (f"RUN line does not run {flag}: {line.strip()}" for line in lines
                    if not re.search(rf"{flag}(?![\w-])", line))


def has_no_colon(name, text):
    """Checks that check nothing."""
    for number, line in enumerate(text.splitlines(), 1):
        if word := re.match(r"\s*//\s*((?:[A-Z0-9]+-)?CHECK(?:-[A-Z0-9-]+)?)(?![A-Z0-9:{-])", line):
            yield f"line {number}: {word.group(1)} without a colon checks nothing"


def has_no_check(name, text):
    """RUN lines and prefixes without a check."""
    for line in run_lines(text):
        if "filecheck" not in line.lower():
            if "--verify-diagnostics" not in line and "not " not in line:
                yield f"RUN line checks nothing: {line}"
            continue
        for command in re.split(r"[|&;]+", line):
            if "filecheck" not in command.lower():
                continue
            given = re.findall(r"--?check-prefix(?:es)?[= ](\S+)", command)
            for prefix in ",".join(given).split(",") if given else ["CHECK"]:
                pattern = rf"^\s*//\s*{re.escape(prefix)}(-[A-Z0-9-]+(\{{.*\}})?)?:"
                if not re.search(pattern, text, re.MULTILINE):
                    yield f"no {prefix}: line"


@pytest.mark.parametrize("wrong", [runs_another_pass, has_no_colon, has_no_check])
def test_lit_files(wrong):
    assert [f"{name}: {text}" for path, name in zip(LIT_FILES, LIT_NAMES, strict=True)
            for text in wrong(name, path.read_text())] == []


@pytest.mark.parametrize(("wrong", "text"), [
    (runs_another_pass, "// CHECK: x"), (runs_another_pass, "// RUN: hexmlir-opt %s --hexagon-fusions | filecheck %s"),
    (has_no_colon, "  // CHECK-NEXT x"), (has_no_check, "// RUN: hexmlir-opt %s --hexagon-fusion"),
    (has_no_check, "// RUN: hexmlir-opt %s --hexagon-fusion | \\\n// RUN: filecheck %s --check-prefix=A\n// CHECK: x")])
def test_wrong_lit_files_are_found(wrong, text):
    right = "// RUN: hexmlir-opt %s --hexagon-fusion | filecheck %s\n// CHECK-LABEL: x"
    assert len(list(wrong("hexagon_fusion/a.mlir", text))) == 1 and not list(wrong("hexagon_fusion/a.mlir", right))


@pytest.mark.parametrize("path", LIT_FILES, ids=LIT_NAMES)
def test_lit_file_excludes_after_labels(path):
    """A CHECK-NOT before the first CHECK-LABEL is about what is printed before that: it says nothing of the rest."""
    lines = re.findall(r"^\s*// ([A-Z0-9]+)-(NOT|LABEL):\s*(.*)$", path.read_text(), re.MULTILINE)
    for prefix in {prefix for prefix, kind, _ in lines if kind == "LABEL"}:
        own = [(kind, text) for used, kind, text in lines if used == prefix]
        first = [kind for kind, _ in own].index("LABEL")
        assert {text for _, text in own[:first]} <= {text for kind, text in own[first:] if kind == "NOT"}


def test_no_two_lit_inputs_are_equal():
    seen: dict[str, str] = {}
    twins = []
    for path, name in zip(LIT_FILES, LIT_NAMES, strict=True):
        code = re.sub(r"//.*", "", path.read_text())
        key = "".join(code.split())
        if key and key in seen:
            twins.append((seen[key], name))
        seen.setdefault(key, name)
    assert not twins, f"the same input twice: {twins}"


def test_files_are_small():
    """But for tables of instructions."""
    lengths = {str(path.relative_to(ROOT)): path.read_text().count("\n") for path in SOURCES
               if "sim/semantics" not in path.as_posix()}
    assert {name: lines for name, lines in lengths.items() if lines > MAX_LINES} == {}, "one job per file"


def test_every_package_is_installed():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    folders = {"hexagon_mlir": ROOT / "hexagon_mlir", "hexagon_mlir.passes": ROOT / "passes",
               "hexagon_mlir.dialects": ROOT / "dialects"}
    found = {".".join((package, *file.parent.relative_to(folder).parts))
             for package, folder in folders.items() for file in folder.rglob("*.py")}
    assert found <= set(settings["packages"]), "a folder with Python files is missing in pyproject.toml"


def test_attributes_between_passes_are_written_in_one_place():
    named = {name for name in ATTRIBUTES if name.startswith(PREFIX)}
    for path in SOURCES:
        if path.is_relative_to(ROOT / "dialects") or path.is_relative_to(ROOT / "test"):
            continue
        text = path.read_text()
        if not any(name in text for name in named):  # most: parsing them all takes seconds
            continue
        literals = {node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant)}
        assert not named & literals, f"{path.name}: hexagon_mlir.dialects has the name"
